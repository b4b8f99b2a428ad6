"""The Priors page: partition priors before any data."""
