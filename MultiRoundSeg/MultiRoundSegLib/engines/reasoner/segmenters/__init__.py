"""Segmenters: each finds named structures in a volume."""
