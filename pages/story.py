"""Story: one article whose figures answer to the hand."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("story")
