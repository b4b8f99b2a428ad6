"""Start: two methods on the same points, and three doors."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("start")
