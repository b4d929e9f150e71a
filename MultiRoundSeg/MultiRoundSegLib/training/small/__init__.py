"""A MediRound model of a few million parameters that learns from nothing, on a processor, from label maps of heads."""
