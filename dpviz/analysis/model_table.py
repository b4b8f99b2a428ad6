"""A table of models: families × partition priors, by nll and by the density of rows that were held out.

Families of real columns may also be tried after transformations of these, under the run's partition prior alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpviz.analysis.experiment import experiment
from dpviz.analysis.grids import run_configs
from dpviz.arrays import FloatArray, Strings
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.families import FAMILIES, family_class
from dpviz.families.automatic import AUTOMATIC, SHAPE, can_hold
from dpviz.families.base import WIDTH
from dpviz.families.mixed import Mixed
from dpviz.families.powers import Powers
from dpviz.fit.automatic import resolve
from dpviz.fit.family import possible_models
from dpviz.fit.shape import may_be_learned
from dpviz.fit.transforms import LOG, can_be_transformed, real_columns
from dpviz.fit.width import choose_width
from dpviz.hurdles import HURDLE
from dpviz.partition import (
    ChineseRestaurant,
    MixtureOfFiniteMixtures,
    PartitionPrior,
    PitmanYor,
    PoweredChineseRestaurant,
)
from dpviz.periods import SHARE
from dpviz.shares import PARTS, PARTS_AND_TOTAL, has_shares

EFFORT, N_FOLDS = 0.05, 3
PRIORS: tuple[PartitionPrior, ...] = (
    ChineseRestaurant(1.0),
    PitmanYor(1.0, 0.25),
    PoweredChineseRestaurant(1.0, 1.1),
    MixtureOfFiniteMixtures(1.0),
)
"""Beside the run's own."""
AS_THEY_ARE = "as they are"
TRANSFORMS = {None: AS_THEY_ARE, LOG: "logarithms", AUTOMATIC: "powers by nll"}
"""Transformations of real columns that are compared, in words."""
FULL = ", full covariance"
"""Behind the name of a mixed family whose real columns share one."""
OTHER_WAY = "other way"
"""Stands for :func:`other_way` among families."""
_DISCRETE = ("count", "ordinal", "categorical", PARTS_AND_TOTAL)
"""Kinds of families of probabilities, which are no densities; those of a hurdle are both."""


class Model(NamedTuple):
    """How well a model does.

    What runs it, family (of a mixed one, whether its real columns share a full covariance), partition prior, K, nll
    (nats), held-out density (nats), and how columns are transformed.
    """

    config: RunConfig
    family: str
    prior: str
    clusters: int
    nll: float
    held_out: float
    transform: str = AS_THEY_ARE


def comparable_families(kinds: Sequence[str], gaps: bool, own: str) -> Strings:
    """Return the families whose nll can be compared with that of another family of the same columns.

    Parameters
    ----------
    kinds : sequence of str
        Of the columns, as :attr:`dpviz.datasets.Dataset.kinds`.
    gaps : bool
        Whether cells are missing: only families that leave them out then score the same table.
    own : str
        The family to compare with; it comes first.
    """
    measure = _measure(own)
    found = [own]
    for name, family in FAMILIES.items():
        suits = can_hold(name, kinds) and name not in (own, "mixed", "normal_known_covariance")
        same_measure = own != "mixed" and _measure(name) == measure
        if suits and same_measure and (not gaps or family.leaves_cells_out(None)):
            found.append(name)
    return tuple(found)


def _measure(family: str) -> str:
    """Return what values have under a family: a probability, perhaps given their sum, a density, or either."""
    kind = family_class(family).kind
    if kind == PARTS:
        return "given their sum"
    return "probability" if kind in _DISCRETE else "either" if kind in (HURDLE, SHARE) else "density"


def model_table(X: FloatArray, trace: Trace, kinds: Sequence[str], n_folds: int = N_FOLDS) -> pd.DataFrame:
    """Compare the model of a run with others of the same numbers.

    Every model is searched by MAP-DP, with the effort :data:`EFFORT`, in the run's own directions and under its rules
    for hyperparameters that are not given. The run's family keeps its hyperparameters; the width of another's clusters
    is chosen by nll under the run's own partition prior, with what the run had learned of it at the result. With
    directions, other than Gaussian families are not compared, and none is where the run fills missing cells in, for
    each would score values of its own. Of a coarsened run all are coarsened alike, and none has an nll: powered
    likelihoods are no densities, so that only held-out densities compare them.

    A trace has the hyperparameters and the powers of columns that its run found from all rows, or was given: folds keep
    them, and :func:`kept_from_all_rows` says which. Under hyperparameters that may be a learned shape, which knows the
    rows left out, the run's own family has no held-out density. :func:`models_like` finds those anew in every fold that
    its configuration leaves to the data.

    Parameters
    ----------
    X : ndarray (N, D)
        What the run clustered.
    trace : Trace
        Of a method with a model.
    kinds : sequence of str
        Of the columns.
    n_folds : int
        Parts of the rows, each of which is left out once.

    Returns
    -------
    pandas.DataFrame
        ``family`` (“mixed, full covariance” if the real columns of a mixed one share it), ``prior``, ``clusters``,
        ``nll`` (−ln p(X, z), nats; NaN if coarsened), ``held_out`` (mean log density of a row that was left out, nats;
        NaN if a fold does not allow it), the best held-out density first. All nll are of densities, or all of
        probabilities, of the same cells.
    """
    return ranked(models_of(X, trace, kinds, n_folds))


def ranked(models: Iterable[Model]) -> pd.DataFrame:
    """Return models as a table, the best held-out density first; their transformations if these differ."""
    table = pd.DataFrame(models, columns=list(Model._fields)).drop(columns="config")
    if table["transform"].nunique() < 2:
        table = table.drop(columns="transform")
    return table.sort_values(["held_out", "nll"], ascending=[False, True], kind="stable", ignore_index=True)


def with_titles(table: pd.DataFrame, models: Iterable[Model]) -> pd.DataFrame:
    """Return the table of models with the titles of their families in place of what code calls them."""
    configs = {model.family: model.config for model in models}
    titles = {name: FAMILIES[own.family].title_under(own.prior_dict, own.kinds) for name, own in configs.items()}
    return table.assign(family=table["family"].map(titles))


def models_of(X: FloatArray, trace: Trace, kinds: Sequence[str], n_folds: int = N_FOLDS) -> Iterator[Model]:
    """Yield the models of :func:`model_table` as they are searched; none of those that the numbers do not suit."""
    config = replace(trace.config, partition=trace.partition_at(trace.result_sweep))
    learned = may_be_learned(config.family, config.prior_dict)
    for model in models_like(X, config, kinds, n_folds):
        yield model._replace(held_out=np.nan) if learned and model.family == config.family else model


def most_models(X: FloatArray, config: RunConfig, kinds: Sequence[str]) -> int:
    """Return how many models :func:`models_like` yields at most."""
    n_ways = len(_families(X, config, kinds)) + (other_way(X, config) is not None)
    return n_ways * len(_priors(config))


def kept_from_all_rows(config: RunConfig) -> tuple[Strings, bool]:
    """Return what the folds of :func:`model_table` do not fit to their own rows, though all rows may have taught it.

    Returns
    -------
    tuple of (tuple of str, bool)
        Names of hyperparameters that the configuration gives its family, but for a width, a single number; and whether
        it gives powers of columns.
    """
    free = {parameter.name for parameter in config.hyperparameters if parameter.role != "count"}
    given = () if is_open(config.prior) else config.prior or ()
    names = tuple(name for name, _ in given if name in free and name != WIDTH.name)
    return names, config.transform is not None and not isinstance(config.transform, str)


def _families(X: FloatArray, config: RunConfig, kinds: Sequence[str]) -> Strings:
    gaps = bool(np.isnan(X).any())
    return (config.family,) if gaps and config.fills_in else comparable_families(kinds, gaps, config.family)


def other_way(X: FloatArray, config: RunConfig) -> RunConfig | None:
    """Return a mixed configuration's other way to have its real columns: independent, or of a full covariance.

    Its width is still to be chosen. None of another family, of columns that are not as their kinds say, where the
    run still has to choose between the two, and where a full covariance is not possible (so with missing cells).
    """
    if config.family != Mixed.name or not config.kinds or is_open(config.prior) or np.isnan(X).any():
        return None
    models = possible_models(X, replace(config, prior=AUTOMATIC, transform=None, coarsening=None))
    own = (config.prior_dict or {})["columns"].tolist()
    columns = [(model.prior_dict or {})["columns"].tolist() for model in models]
    return models[1 - columns.index(own)] if len(models) > 1 and own in columns else None


def _in_other_way(X: FloatArray, config: RunConfig) -> RunConfig | None:
    """Return :func:`other_way` as it is searched, with the width that is best by nll under the run's own powers."""
    other = other_way(X, config)
    if other is None:
        return None
    base = _alone(other, Mixed.name, other.prior, None)
    if config.transform is not None:
        powers = resolve(X, _alone(config, Mixed.name, config.prior, config.transform)).config.transform
        X = X if powers is None else Powers.given(powers).of(X)
    return replace(choose_width(X, base).config, transform=config.transform, coarsening=config.coarsening)


def _priors(config: RunConfig) -> list[PartitionPrior]:
    own = config.partition
    return [own, *(prior for prior in PRIORS if type(prior) is not type(own))]


def models_like(
    X: FloatArray, config: RunConfig, kinds: Sequence[str], n_folds: int = N_FOLDS, n_jobs: int | None = 1
) -> Iterator[Model]:
    """Yield the models beside a configuration with a model, whose family and partition prior are named, as searched.

    Of a mixed table both ways to have its real columns are tried, as an automatic choice does. The partition priors of
    a family are searched side by side.
    """
    for name in (*_families(X, config, kinds), OTHER_WAY):
        with suppress(DpvizError):  # a family that these numbers do not suit is none to compare with
            chosen = _chosen(X, config, name)
            trials = [] if chosen is None else [(replace(chosen, partition=prior),) for prior in _priors(config)]
            yield from filter(None, experiment(_searched, trials, (X, n_folds), n_jobs, in_order=True))


def _chosen(X: FloatArray, config: RunConfig, name: str) -> RunConfig | None:
    """Return what a family is searched with, its own hyperparameters or the width that is best by nll."""
    if name == OTHER_WAY:
        return _in_other_way(X, config)
    base = _alone(config, name, config.prior if name == config.family else AUTOMATIC, config.transform)
    return base if name == config.family else replace(resolve(X, base).config, transform=config.transform)


def models_transformed(
    X: FloatArray, config: RunConfig, kinds: Sequence[str], n_folds: int = N_FOLDS, n_jobs: int | None = 1
) -> Iterator[Model]:
    """Yield families of real columns under the transformations that a configuration does not have, as searched.

    Each has the configuration's partition prior, and the width that is best by nll where columns are transformed so;
    the configuration's own family has the usual width or a learned shape, if it has. Folds find powers, and a shape
    that is learned, in their own rows. nll and densities are those of X as given. Families that the numbers do not suit
    under a transformation are left out, as logarithms are where a real column holds a number that is not above 0, and
    powers where none lowers nll.
    """
    trials = [(base,) for base in _transformed(X, config, kinds)]
    yield from filter(None, experiment(_chosen_and_searched, trials, (X, n_folds), n_jobs, in_order=True))


def _chosen_and_searched(base: RunConfig, X: FloatArray, n_folds: int) -> Model | None:
    with suppress(DpvizError):
        found = resolve(X, base).config
        if base.transform is None or found.transform is not None:  # some column has a power
            return _searched(base if base.prior == SHAPE else replace(found, transform=base.transform), X, n_folds)
    return None


def most_transformed(X: FloatArray, config: RunConfig, kinds: Sequence[str]) -> int:
    """Return how many models :func:`models_transformed` yields at most; 0 where no column is worth a power."""
    return len(_transformed(X, config, kinds))


def _transformed(X: FloatArray, config: RunConfig, kinds: Sequence[str]) -> list[RunConfig]:
    """Return configurations that leave to the data what suits columns that are transformed otherwise."""
    found: list[RunConfig] = []
    if any(can_be_transformed(X[:, d]) for d in real_columns(config, X.shape[1])):
        for name in _families(X, config, kinds):
            prior = config.prior if name == config.family and config.prior in (None, SHAPE) else AUTOMATIC
            for way in TRANSFORMS:
                with suppress(DpvizError):  # a family of columns that are never transformed
                    found.append(_alone(config, name, prior, way))
    return [base for base in found if base.transform != config.transform]


def _alone(config: RunConfig, family: str, prior: Any, transform: Any) -> RunConfig:
    """Return what a family is searched with beside a configuration."""
    return RunConfig(
        "mapdp",
        family=family,
        prior=prior,
        partition=config.partition,
        kinds=config.kinds,
        seed=config.seed,
        missing=config.missing,
        first_sweep=config.first_sweep,
        directions=config.directions,
        transform=transform,
        coarsening=config.coarsening,
        effort=EFFORT,
    )


def _searched(config: RunConfig, X: FloatArray, n_folds: int) -> Model | None:
    """Return a model as it is searched; None if the numbers do not suit it."""
    try:
        (cell,) = run_configs(X, [config], None, n_folds, 1)
    except DpvizError:
        return None
    title = f"{config.partition.title}, {config.partition.describe()}"
    nll = cell.nll if config.coarsening is None else np.nan
    way = TRANSFORMS.get(config.transform, "log-ratios" if has_shares(config.transform) else "powers")
    family = config.family
    if family == Mixed.name and Mixed.shares_covariance(cell.config.prior_dict):
        family += FULL
    return Model(cell.config, family, title, cell.n_clusters, nll, cell.held_out, way)
