"""Computations on runs: comparisons, selection of hyperparameters, summaries of posteriors, studies."""
