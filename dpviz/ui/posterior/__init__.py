"""The Posterior page: several chains, their diagnostics, and their results about the clusters."""
