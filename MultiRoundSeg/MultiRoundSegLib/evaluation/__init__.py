"""How good an engine is: it is asked the dialogues of a data set, and its masks are compared with the truth."""
