"""The Tune page."""
