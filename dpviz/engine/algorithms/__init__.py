"""The algorithms: one module each, one specification each, found by name in a registry."""
