"""Compare: two to six runs on the same data under one playhead."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("compare")
