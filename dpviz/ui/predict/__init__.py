"""The Predict page: where further points belong, and why."""
