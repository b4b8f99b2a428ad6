"""Explore: one run, sweep by sweep."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("explore")
