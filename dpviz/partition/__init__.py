"""Priors over partitions: weights for the sweeps, exact probabilities, the law of the number of clusters, draws."""

from __future__ import annotations

from dpviz.partition.automatic import AUTOMATIC_PARTITION
from dpviz.partition.base import PARTITION_PRIORS, PartitionPrior, register
from dpviz.partition.ewens_pitman import ChineseRestaurant, FiniteDirichlet, PitmanYor
from dpviz.partition.finite_mixtures import MixtureOfFiniteMixtures
from dpviz.partition.hyperpriors import Beta, Gamma, Hyperprior, Shifted, as_law
from dpviz.partition.product_form import GeneralizedChineseRestaurant, PoweredChineseRestaurant

__all__ = [
    "AUTOMATIC_PARTITION",
    "PARTITION_PRIORS",
    "Beta",
    "ChineseRestaurant",
    "FiniteDirichlet",
    "Gamma",
    "GeneralizedChineseRestaurant",
    "Hyperprior",
    "MixtureOfFiniteMixtures",
    "PartitionPrior",
    "PitmanYor",
    "PoweredChineseRestaurant",
    "Shifted",
    "as_law",
    "register",
]
