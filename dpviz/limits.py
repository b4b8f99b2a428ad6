"""Limits that several parts share: how much may be uploaded."""

MAX_UPLOAD_MEGABYTES = 200
"""A table for whoever has the server to themselves, in 10⁶ bytes as they are read; 2²⁰ as Streamlit counts."""

MAX_CLASS_UPLOAD_MEGABYTES = 20
"""A table where a class shares the server's memory, in the same units."""
