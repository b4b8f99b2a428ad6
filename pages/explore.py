"""Explore: one run, sweep by sweep."""

from dpviz.ui.explore import page as explore
from dpviz.ui.shell import page

page.begin("Explore")
explore.show()
