"""Limits that several parts share: on uploads, on values, on data sent to the browser."""

MAX_UPLOAD_MEGABYTES = 200
"""Largest table on a personal server, in 10⁶ bytes as read; in 2²⁰ as Streamlit counts."""

MAX_CLASS_UPLOAD_MEGABYTES = 20
"""Largest table on a server that a class shares, in the same units."""

LARGEST_VALUE = 1e150
"""Largest magnitude of a value: its square, summed over the rows, must stay a finite double."""

MOST_LABELS = 24_000_000
"""Labels sent to the browser, all panels together: beyond this, rows are thinned."""

MOST_PLAYED_UNASKED = 20_000
"""Most points of a run that a notebook plays when it displays the value: the film is stored in the notebook."""
