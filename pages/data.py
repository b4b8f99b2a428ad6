"""Data: synthesize, load, draw, look."""

from dpviz.ui.data import page as data_page
from dpviz.ui.shell import page

page.begin("Data")
data_page.show()
