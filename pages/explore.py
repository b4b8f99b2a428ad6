"""Explore: one run, sweep by sweep."""

from dpviz.ui import explore, page

page.begin("Explore")
explore.show()
