"""What is computed from runs rather than by them: shapes for drawing, selection of hyperparameters, studies."""
