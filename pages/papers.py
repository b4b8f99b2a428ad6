"""Papers: their tables and figures next to dpviz's results."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("papers")
