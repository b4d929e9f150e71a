"""Engines behind HTTP, for other processes and other computers."""
