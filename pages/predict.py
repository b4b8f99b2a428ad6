"""Predict: clusters of further points, their probabilities, and the decisive columns."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("predict")
