"""The program that serves the app."""
