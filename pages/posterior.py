"""Posterior: several Gibbs chains, and their results about the clusters."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("posterior")
