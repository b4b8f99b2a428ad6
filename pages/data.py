"""Data: synthesize, load, draw, look."""

from dpviz.ui import data_page, page

page.begin("Data")
data_page.show()
