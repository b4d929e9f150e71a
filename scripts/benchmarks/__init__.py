"""One benchmark a file; each has a `run` that measures, prints and says whether its limits hold."""
