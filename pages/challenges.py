"""Challenges: tasks to solve by drawing or by a setting, marked by runs."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("challenges")
