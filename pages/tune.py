"""Tune: the effect of every parameter, over many real runs."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("tune")
