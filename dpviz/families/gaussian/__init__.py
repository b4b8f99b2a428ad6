"""The Gaussian families."""
