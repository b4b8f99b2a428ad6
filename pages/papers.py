"""Papers: their tables and figures beside what dpviz finds."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("papers")
