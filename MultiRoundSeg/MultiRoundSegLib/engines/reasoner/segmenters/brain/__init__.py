"""A network that labels a brain MR of any contrast: its structures and its grid (free of torch)."""
