"""Data: synthesize, load, draw, look."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("data")
