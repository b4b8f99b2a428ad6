"""Tune: what every parameter does, over many real runs."""

from dpviz.ui import page, tune

page.begin("Tune")
tune.show()
