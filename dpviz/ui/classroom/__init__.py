"""The Class page: a class predicts on phones, and the projector shows its answers before the runs' own."""
