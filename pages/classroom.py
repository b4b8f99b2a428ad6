"""Class: a class's predictions as a histogram, for a lecturer's projector and for students' phones."""

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.ui.shell import page

page.run("classroom")
