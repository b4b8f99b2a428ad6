"""dpviz: see how clustering without a fixed number of clusters works."""

from dpviz import starting  # first of all: Ctrl-C ends a command that is starting

# isort: split
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

with starting.needed_packages():
    from dpviz.config import RunConfig
    from dpviz.engine.algorithms.base import ALGORITHMS
    from dpviz.engine.display import register_display
    from dpviz.engine.explain import explain_assignment
    from dpviz.engine.imputation import imputed_cells
    from dpviz.engine.record import SweepRecord
    from dpviz.engine.stored_check import check_result
    from dpviz.engine.trace import Trace
    from dpviz.errors import DpvizError
    from dpviz.families import FAMILIES
    from dpviz.fit.run import iterate, resume, run
    from dpviz.partition import (
        PARTITION_PRIORS,
        Beta,
        ChineseRestaurant,
        FiniteDirichlet,
        Gamma,
        GeneralizedChineseRestaurant,
        MixtureOfFiniteMixtures,
        PitmanYor,
        PoweredChineseRestaurant,
        Shifted,
    )

if TYPE_CHECKING:
    from dpviz import datasets, metrics
    from dpviz.analysis.second_opinion import second_opinion
    from dpviz.estimators import MAPDP, DPMeans, GaussianEM, GibbsDP, KMeans
    from dpviz.laboratory import lab
    from dpviz.player import compare_traces

__version__ = "0.1.0"

__all__ = [
    "ALGORITHMS",
    "FAMILIES",
    "MAPDP",
    "PARTITION_PRIORS",
    "Beta",
    "ChineseRestaurant",
    "DPMeans",
    "DpvizError",
    "FiniteDirichlet",
    "Gamma",
    "GaussianEM",
    "GeneralizedChineseRestaurant",
    "GibbsDP",
    "KMeans",
    "MixtureOfFiniteMixtures",
    "PitmanYor",
    "PoweredChineseRestaurant",
    "RunConfig",
    "Shifted",
    "SweepRecord",
    "Trace",
    "check_result",
    "compare_traces",
    "datasets",
    "explain_assignment",
    "imputed_cells",
    "iterate",
    "lab",
    "metrics",
    "resume",
    "run",
    "second_opinion",
]

_DEFERRED = {
    "dpviz.analysis.second_opinion": ("second_opinion",),
    "dpviz.estimators": ("MAPDP", "DPMeans", "GaussianEM", "GibbsDP", "KMeans"),
    "dpviz.laboratory": ("lab",),
    "dpviz.player": ("compare_traces",),
}
_MODULES = ("datasets", "metrics")


@register_display
def _play(traces: Sequence[Trace], X: Any, labels: Any, titles: Sequence[str]) -> Any:
    """Play runs; the player, which needs pandas, is imported for the first of them."""
    return import_module("dpviz.player").compare_traces(traces, X, labels, titles)


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> Any:
        """Import names that need scikit-learn or pandas on first use, since these take longer than all the rest."""
        if name in _MODULES:
            return import_module(f"dpviz.{name}")
        for origin, names in _DEFERRED.items():
            if name in names:
                globals()[name] = found = getattr(import_module(origin), name)
                return found
        raise AttributeError(f"module 'dpviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List all names, imported or not."""
    return sorted({*globals(), *__all__})
