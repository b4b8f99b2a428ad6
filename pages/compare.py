"""Compare: two to six runs on the same data under one playhead."""

from dpviz.ui.compare import page as compare
from dpviz.ui.shell import page

page.begin("Compare")
compare.show()
