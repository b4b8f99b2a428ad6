"""The Priors page: what is believed before any data."""
