"""Tune: what every parameter does, over many real runs."""

from dpviz.ui.shell import page
from dpviz.ui.tune import page as tune

page.begin("Tune")
tune.show()
