"""Compiled arithmetic that models and engine share: one function, sums, small matrices, numpy's random numbers.

The engine's own kernels must run where there is neither scipy nor LAPACK, so what sets a run up is compiled too.
"""
