"""Predict: where further points belong, how surely, and which columns say so."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("predict")
