"""The engine: starts, sweeps, the run loop, traces, explanations and predictions."""
