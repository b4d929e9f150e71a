"""The engine that reasons over anatomy: it decides what is meant, and a segmenter finds where it is."""
