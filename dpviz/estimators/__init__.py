"""The algorithms as scikit-learn estimators."""

from dpviz.estimators.dirichlet_process import MAPDP, GibbsDP
from dpviz.estimators.hard import DPMeans, KMeans
from dpviz.estimators.mixture import GaussianEM

__all__ = ["MAPDP", "DPMeans", "GaussianEM", "GibbsDP", "KMeans"]
