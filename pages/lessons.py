"""Lessons: chapters, runs and comparisons in one list."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("lessons")
