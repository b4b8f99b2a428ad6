"""The Learn page: a course of short chapters, each with a prediction to make."""
