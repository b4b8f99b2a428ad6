"""The Predict page: clusters of further points, and the reasons."""
