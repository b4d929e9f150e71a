"""Training of the brain label network on synthetic images of label maps."""
