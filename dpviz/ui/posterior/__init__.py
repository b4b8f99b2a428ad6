"""The Posterior page: several chains, whether to trust them, and what they say about the clusters."""
