"""How a MediRound model learns: what it reads of a dialogue, and what it is asked to minimise."""
