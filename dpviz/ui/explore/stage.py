"""The former name of :mod:`dpviz.ui.explore.finished_run`."""

from dpviz.ui.explore.finished_run import pulls_at as pulls_at
