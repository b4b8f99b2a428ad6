"""The algorithms that come with dpviz, in the order in which they are offered."""

from __future__ import annotations

from dpviz.engine.algorithms.kmeans import KMeans  # isort: skip
from dpviz.engine.algorithms.dpmeans import DPMeans  # isort: skip
from dpviz.engine.algorithms.mapdp import MapDP  # isort: skip
from dpviz.engine.algorithms.gibbs import Gibbs  # isort: skip
from dpviz.engine.algorithms.em import EM  # isort: skip

__all__ = ["EM", "DPMeans", "Gibbs", "KMeans", "MapDP"]
