"""The algorithms as scikit-learn estimators."""

from dpviz.estimators.centres import DPMeans, KMeans
from dpviz.estimators.dirichlet_process import MAPDP, GibbsDP
from dpviz.estimators.gaussian_em import GaussianEM

__all__ = ["MAPDP", "DPMeans", "GaussianEM", "GibbsDP", "KMeans"]
