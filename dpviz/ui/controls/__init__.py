"""Widgets with a memory, and the controls that make a choice of data or a configuration."""
