"""dpviz: see how clustering without a fixed number of clusters works."""

from dpviz import datasets, metrics
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.explain import explain_assignment
from dpviz.engine.search import iterate, run
from dpviz.engine.trace import SweepRecord, Trace
from dpviz.errors import DpvizError
from dpviz.estimators import MAPDP, DPMeans, GaussianEM, GibbsDP, KMeans
from dpviz.families import FAMILIES
from dpviz.partition import (
    PARTITION_PRIORS,
    ChineseRestaurant,
    FiniteDirichlet,
    GeneralizedChineseRestaurant,
    PitmanYor,
    PoweredChineseRestaurant,
)

__version__ = "0.1.0"

__all__ = [
    "ALGORITHMS",
    "FAMILIES",
    "MAPDP",
    "PARTITION_PRIORS",
    "ChineseRestaurant",
    "DPMeans",
    "DpvizError",
    "FiniteDirichlet",
    "GaussianEM",
    "GeneralizedChineseRestaurant",
    "GibbsDP",
    "KMeans",
    "PitmanYor",
    "PoweredChineseRestaurant",
    "RunConfig",
    "SweepRecord",
    "Trace",
    "datasets",
    "explain_assignment",
    "iterate",
    "metrics",
    "run",
]
