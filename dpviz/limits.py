"""Limits that several parts share: how much may be uploaded, how large a value is, how much a browser is sent."""

MAX_UPLOAD_MEGABYTES = 200
"""A table for whoever has the server to themselves, in 10⁶ bytes as they are read; 2²⁰ as Streamlit counts."""

MAX_CLASS_UPLOAD_MEGABYTES = 20
"""A table where a class shares the server's memory, in the same units."""

MOST_WORKERS = 64
"""Processes that serve the app together."""

LARGEST_VALUE = 1e150
"""Largest magnitude of a value: its square, summed over the rows, must stay a finite double."""

MOST_LABELS = 24_000_000
"""Labels sent to the browser, all panels together: rows are thinned beyond."""

MOST_PLAYED_UNASKED = 20_000
"""Points up to which a notebook plays a run that it was only to print: the film is kept inside the notebook."""
