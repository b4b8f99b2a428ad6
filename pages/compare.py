"""Compare: two to six runs on the same data under one playhead."""

from dpviz.ui import compare, page

page.begin("Compare")
compare.show()
