"""How the networks learn: data, losses, loops and their settings."""
