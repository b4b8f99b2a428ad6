"""Everything that defines a run, in one immutable value: validated once, hashable, to and from JSON and URLs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.config_values import (
    check_shape,
    checked_directions,
    checked_transform,
    frozen_hyperpriors,
    frozen_init,
    frozen_kinds,
    frozen_options,
    frozen_prior,
    is_automatic,
    is_open,
    is_shape,
    names_of,
    numeric_array,
    settled_partition,
    to_plain,
)
from dpviz.config_versions import VERSION, options_of
from dpviz.engine.algorithms.description import Description, described
from dpviz.engine.options import FIRST_SWEEP, HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE, OPTIONS
from dpviz.errors import DpvizError, TraceFormatError, require, require_kind
from dpviz.families import Family, family_class
from dpviz.families.automatic import ANY, AUTOMATIC, REAL, candidates
from dpviz.parameters import Parameter
from dpviz.partition import PartitionPrior
from dpviz.text import quoted, read_json
from dpviz.whole_numbers import MEASURE, WHOLE, as_counts

LONGEST_TEXT = 200_000
_ADVICE = {
    "penalty": "It is a squared distance; try 4.0.",
    "temperature": "0 takes the mode, 1 samples the posterior.",
    "coarsening": "It is a number of points; None takes the model at its word.",
}


@dataclass(frozen=True)
class RunConfig:
    """Algorithm, model, start, order and seed of a run; the estimators' options by the same names.

    Options that an algorithm does not use are kept but ignored. ``None`` stands for the algorithm's own default and is
    replaced by it, so two configurations that mean the same are equal.

    Parameters
    ----------
    algorithm : str
        A key of ``dpviz.ALGORITHMS``: ``"mapdp"``, ``"gibbs"``, ``"kmeans"``, ``"dpmeans"`` or ``"em"``.
    family : str
        Component family of mapdp and gibbs. ``"auto"`` is that of the columns' kinds; of real columns the one of lower
        nll, full or diagonal covariances; of counts alone Poisson's, or over-dispersed ones
        (:func:`~dpviz.fit.automatic.resolve`). A ``prior`` decides by its keys. The
        real columns of a mixed table are chosen alike; ``prior={"columns": …}`` says ``"normal_wishart"`` for full.
    partition : PartitionPrior or "auto", optional
        Partition prior of mapdp and gibbs; ``ChineseRestaurant(3.0)`` by default. ``"auto"`` is replaced at once by
        :data:`~dpviz.partition.automatic.AUTOMATIC_PARTITION`, with which estimators, command line and pages begin.
    prior : mapping, "auto" or "shape", optional
        Hyperparameters of the family; those not given are empirical Bayes. Kept as nested tuples. ``"auto"`` chooses
        the width of a cluster by nll, in a mixed table that of the real columns, and is None without one. ``"shape"``,
        for full and diagonal covariances, learns all hyperparameters from the covariance within the clusters found, or
        takes that width unless rows held out have a clearly higher density (:mod:`dpviz.fit.shape`).
    kinds : sequence of str, optional
        What the columns hold, for ``family="auto"`` and ``"mixed"``: ``"real"`` (or ``"continuous"``), ``"positive"``
        (or ``"duration"``), ``"count"``, ``"ordinal"``, ``"binary"``, ``"categorical"``, ``"parts"`` (counts, compared
        by their shares of a row's total), ``"parts+total"`` (by the total, too), ``"hurdle"`` (zero or a positive
        value), ``"share 100"`` (0, the whole, here of percent, or a share between), ``"circular 24"`` (hours, or
        another period); or ``"whole"``, whole numbers that are counts or, if that has the lower nll, real
        (:mod:`dpviz.fit.kinds`), where neither family nor prior is given.
        ``prior={"columns": …}``, with names of families too, goes before it; all are real by default.
    missing : {"auto", "marginalise", "impute"}
        How mapdp and gibbs treat missing cells (NaN). ``"marginalise"`` leaves them out: they add nothing to a
        predictive, the statistics or nll, which is exact where columns are independent within a cluster and cells are
        missing at random (what is seen may decide which are missing, not their own values: Rubin 1976); other families
        refuse them. ``"impute"`` fills them in given the other members of the cluster: gibbs draws them after every
        sweep, which is exact on the same terms. mapdp, and gibbs at temperature 0, take modes: after the complete rows
        of a sweep each row with gaps moves to the cluster of highest weight × predictive of its seen cells, and its
        missing cells to their mode there. A row without seen cells goes by the weight alone. Of the moves in a sweep
        only such a row's to another cluster can raise the nll of the filled table. Modes are not exact: they have no
        scatter of their own, so that clusters come out narrower than those of complete data. ``Trace.imputed`` holds
        the cells, nll is that of the filled table, and no search follows mapdp's starts. Hyperparameters that the data
        choose then follow from the complete rows or, of less than five per column, from the table as first filled, so
        they differ from those of ``"marginalise"``. ``"auto"`` leaves cells out where that is possible and else fills
        them in; it means nothing for complete data.
    init : str or array, optional
        Kind of start, an integer array of labels, or for kmeans an array of centres (K, D). ``"auto"`` takes two
        ``"single"`` starts and K-means labels with ever more clusters; mapdp then goes on from the best of them by
        changes of whole clusters (:class:`~dpviz.engine.improve.IteratedSearch`). No other kind of start does. In the
        first sweep of a ``"single"`` start follows ``first_sweep``.
    init_clusters : int, optional
        Clusters of the starts ``"kmeans++"`` and ``"random"``; the prior's E[K] by default.
    n_init : int
        Restarts; the one of lowest nll (or objective, where there is no nll) wins. Of several gibbs chains that is the
        one whose best kept draw is best: a choice by the mode, not a sample of chains.
    max_sweeps : int
        Bound on the sweeps of the algorithms that converge.
    order : {"index", "permuted", "shuffled"}
    temperature : float, optional
        0 takes the mode, 1 samples, T samples with probability ∝ p^(1/T). A chain at T targets the law ∝ p(z, X)^(1/T)
        over partitions z. mapdp at T > 0 returns the state of lowest nll, not its last.
    n_sweeps, burn_in, thin : int
        Length of a gibbs chain (burn-in included), sweeps not kept as draws, and how many sweeps make a draw.
    sampler : {"collapsed", "explicit_parameters", "explicit_weights"}
        Which Gibbs sampler.
    split_merge : int
        How many splits and merges of whole clusters gibbs proposes after every sweep; only with the collapsed sampler
        at temperature 1. A cluster is divided by letting its points join either side one by one (Dahl 2005).
    n_clusters, n_components : int
        K of kmeans and of em.
    penalty : float
        λ of dpmeans, in squared units of the data.
    sweep : {"full", "until_birth"}
        Whether a dpmeans sweep goes on after a cluster is born.
    options : mapping, optional
        Options of an algorithm that are no field here, by name. Kept as a sorted tuple of pairs; see :meth:`option`.
    events_sweep : int, optional
        The sweep (from 1) whose every visit is recorded, for slow motion; mapdp and collapsed gibbs.
    seed : int
        32 bits that fix everything random.
    effort : float
        Length of mapdp's search after its ``"auto"`` starts, as a factor on the usual; 0 takes the best start as
        it is. More effort continues exactly the search that less effort ends.
    first_sweep : {"one_point", "all_points"}
        Weight of the one cluster of a ``"single"`` start in the first sweep of mapdp and collapsed gibbs.
        ``"one_point"`` is 2016 App. B: N_1 is 1 in −ln N_k of its eq. 13, under every prior the weight of joining a
        cluster of one point, so that points leave it. Such a sweep may raise nll. ``"all_points"`` makes the first
        sweep like all others, in which nll never rises unless missing cells are filled in.
    directions : int, "auto" or "any", optional
        In how many principal directions of the standardised columns clusters differ, q; along all others the points are
        one Gaussian, integrated out under its usual prior (:mod:`dpviz.families.directions`). For mapdp and gibbs with
        Gaussian families and complete rows; hyperparameters are those of the q coordinates. nll stays that of the
        table, but over q it compares densities and says little on groups; of constant or repeated columns, and of more
        columns than rows, it is a density in fewer directions, not to be compared with that of the columns. ``"auto"``
        is parallel analysis, and None where clusters of the columns are apart or the directions show none
        (:mod:`dpviz.fit.directions`). ``"any"``, with which estimators, command line and pages begin, is the same
        without a word where it comes to nothing, and None where family or width is given, columns are not all real, or
        there are fewer than eight. Where rows are too few for full covariances, both also compare diagonal ones along
        the columns and along all D directions by the nll of short runs. None, the default, are the columns themselves.
    transform : "auto", "log", "power", "logratio" or sequence of float or str, optional
        Powers λ of real columns, after which clusters are nearer to normal (Box & Cox 1964;
        :mod:`dpviz.families.powers`): 0 is the logarithm, 1 the column as it is; columns must be > 0 to have another.
        ``"log"`` takes logarithms of all real columns, ``"power"`` finds each one's λ in −2 … 2 by likelihood, and
        ``"logratio"`` takes them for shares of 1, or of 100, with one column left out, and turns them to isometric
        log-ratios (Egozcue et al. 2003); ``"logratio 100"`` in place of a λ does so with some. ``"auto"`` transforms
        those that are worth a power, by the nll of short runs, if any is (:mod:`dpviz.fit.transforms`), and none where
        hyperparameters are given as numbers, in units of the columns; estimators, command line and pages begin with it
        for skewed columns of one's own. The powers found are kept here. For mapdp and gibbs with Gaussian families and
        mixed tables; hyperparameters and directions are those of the transformed columns. nll and densities stay those
        of the table as given, so that they are comparable over transformations; under families whose columns are
        independent those of log-ratios depend on which share is left out, and on the order of the others, since these
        choose the axes. None, the default, are the columns themselves.
    coarsening : float, optional
        α: mapdp and gibbs take the likelihood of each point to the power α/(α + N), 0.001 ≤ α ≤ 1e9, and the partition
        prior as it is, so that groups are joined whose fit gains little, with a small α clear ones too (after Miller &
        Dunson 2019; :mod:`dpviz.families.coarsened`).
        None, the default, is the likelihood itself, α = ∞. What is automatic is chosen at None. nll is then no density
        of the data, and not comparable between values of α; densities of further points are those of whole points.
        Where missing cells are filled in with modes they are those of the row's present cluster.
    hyperpriors : mapping, optional
        Parameters of the partition prior that gibbs learns, by name, each with its law:
        ``{"concentration": Gamma(1, 0.3), "power": Shifted(1, Gamma(1, 10)), "discount": Beta(1, 3)}``, or in short
        ``"gamma(1,0.3)"``. They are drawn after every sweep (:mod:`dpviz.engine.hyperparameters`); the values of
        ``partition`` start the chain. Kept as a tuple of pairs in the order of the prior's parameters. Not
        with ``sampler="explicit_weights"``, nor at another temperature than 1.

    Raises
    ------
    InvalidParameterError
        Naming the parameter, its value and its bound.
    """

    algorithm: str = "mapdp"
    family: str = AUTOMATIC
    partition: Any = None
    prior: Any = AUTOMATIC
    init: Any = None
    init_clusters: int | None = None
    n_init: int | None = None
    max_sweeps: int | None = None
    order: str | None = None
    temperature: float | None = None
    n_sweeps: int = 600
    burn_in: int = 100
    thin: int = 1
    sampler: str = "collapsed"
    n_clusters: int = 3
    penalty: float = 4.0
    sweep: str = "full"
    n_components: int = 3
    events_sweep: int | None = None
    seed: int = 0
    options: Any = None
    effort: float = 1.0
    kinds: Any = None
    split_merge: int = 0
    missing: str = "auto"
    hyperpriors: Any = None
    first_sweep: str = FIRST_SWEEP.default
    directions: Any = None
    coarsening: float | None = None
    transform: Any = None

    def __post_init__(self) -> None:
        """Fill in the defaults, freeze arrays, and check everything that needs no data."""
        algorithm = described(self.algorithm)
        for name, value in {"max_sweeps": 200, **algorithm.defaults}.items():
            if getattr(self, name) is None:
                self._set(name, value)
        self._set("partition", settled_partition(self.partition))
        self._set("kinds", frozen_kinds(self.kinds))
        self._settle_model(algorithm)
        self._set("init", frozen_init(self.init, algorithm))
        self._set("options", frozen_options(self.options, algorithm, {field.name for field in fields(self)}))
        self._set("hyperpriors", frozen_hyperpriors(self.hyperpriors, algorithm, self.partition))
        for name, parameter in OPTIONS.items():
            value = getattr(self, name)
            if value is not None or name not in ("init_clusters", "events_sweep", "temperature", "order", "coarsening"):
                self._set(name, parameter.check(value, advice=_ADVICE.get(name, "")))
        cold = self.temperature is not None and 0 < self.temperature < LOWEST_TEMPERATURE
        bound = f"0 or between {LOWEST_TEMPERATURE:g} and {HIGHEST_TEMPERATURE:g}"
        require(not cold, "temperature", self.temperature, bound, _ADVICE["temperature"])
        algorithm.check_config(self)

    def _settle_model(self, algorithm: Description) -> None:
        """Freeze the prior; an automatic choice with only one candidate is made at once."""
        if WHOLE in (self.kinds or ()):
            if self._leaves_kinds_open(algorithm):
                return  # family, powers and directions are those of the kinds
            self._set("kinds", as_counts(self.kinds))
        families = self.candidates
        if len(families) == 1:
            self._set("family", families[0])
        if is_shape(self.prior):
            check_shape(families if algorithm.uses_model else (), self.kinds)
        elif not is_automatic(self.prior):
            self._set("prior", frozen_prior(self.prior, family_class(families[0])))
        elif algorithm.uses_model and not any(family_class(name).scaled_under(self.prior_dict) for name in families):
            self._set("prior", None)
        with_model = families if algorithm.uses_model else ()
        if (
            isinstance(self.directions, str)
            and self.directions == ANY
            and (set(families) != set(REAL) or not is_automatic(self.prior))
        ):
            self._set("directions", None)  # they are an answer to which model is best, which is settled here
        self._set("directions", checked_directions(self.directions, with_model, self.kinds))
        self._set("transform", checked_transform(self.transform, with_model, self.kinds))

    def _leaves_kinds_open(self, algorithm: Description) -> bool:
        """Whether nothing is asked for that means other things of counts than of measures."""
        model = (self.family, self.prior, self.transform, self.directions)
        words = all(setting is None or isinstance(setting, str) for setting in model)
        asked = words and self.transform in (None, AUTOMATIC) and self.directions in (None, ANY)
        return algorithm.uses_model and asked and self.family == self.prior == AUTOMATIC

    @property
    def candidates(self) -> tuple[str, ...]:
        """Families that may be chosen; only the given one if it is given."""
        if not isinstance(self.family, str) or self.family != AUTOMATIC:
            return (family_class(self.family).name,)
        return candidates(self.kinds, names_of(self.prior))

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of the settings of the model that the data still have to choose."""
        automatic = tuple(name for name in ("family", "prior") if is_open(getattr(self, name)))
        words = tuple(name for name in ("directions", "transform") if isinstance(getattr(self, name), str))
        return (*automatic, *words, *(("kinds",) if WHOLE in (self.kinds or ()) else ()))

    @property
    def uses_model(self) -> bool:
        """Whether its algorithm has a family of clusters and a partition prior."""
        return described(self.algorithm).uses_model

    @property
    def is_automatic(self) -> bool:
        """Whether the data still have to choose family, hyperparameters, directions, transformations or kinds."""
        return self.uses_model and bool(self.undecided)

    @property
    def provisional(self) -> RunConfig:
        """The same with automatic settings replaced: the first candidate family, its usual prior, the columns."""
        if not self.is_automatic:
            return self
        undecided: dict[str, Any] = dict.fromkeys(self.undecided)
        kinds = None if self.kinds is None else as_counts(self.kinds)
        return replace(self, **{**undecided, "family": self.candidates[0], "kinds": kinds})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with the modules that register its algorithm and family, so that another process knows them."""
        owners = (type(described(self.algorithm)), *map(family_class, self.candidates))
        outside = tuple(dict.fromkeys(owner.__module__ for owner in owners if not is_own(owner)))
        return _unpickled, (outside, vars(self))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def option(self, name: str) -> Any:
        """Value of one of the algorithm's options, a field or not."""
        extra = dict(self.options or ())
        return extra[name] if name in extra else getattr(self, name)

    def with_option(self, name: str, value: Any) -> RunConfig:
        """Return the configuration with one of the algorithm's options changed, a field or not."""
        extra = dict(self.options or ())
        return replace(self, options=extra | {name: value}) if name in extra else replace(self, **{name: value})

    @property
    def prior_dict(self) -> dict[str, Any] | None:
        """The hyperparameters as a dict of floats and arrays, with those that the kinds imply; None without any.

        Those that are still to be chosen are not included.
        """
        pairs = () if is_open(self.prior) else self.prior or ()
        given = {name: value if isinstance(value, float) else np.array(value) for name, value in pairs}
        of_kinds = family_class(self.candidates[0]).prior_of_kinds(self.kinds) if self.kinds else {}
        return {**of_kinds, **given} or None

    def family_for(self, X: FloatArray) -> Family:
        """Build the family for data X (N, D); hyperparameters that are not given follow from the data.

        Raises
        ------
        InvalidDataError, InvalidParameterError
            If those given, or the data, contradict the family.
        """
        return family_class(self.family).from_prior(self.prior_dict, X)

    @property
    def fills_in(self) -> bool:
        """Whether missing cells, if there are any, are filled in rather than left out."""
        can_leave_out = family_class(self.candidates[0]).leaves_cells_out(self.prior_dict)
        return self.missing == "impute" or self.missing == "auto" and not can_leave_out

    @property
    def hyperpriors_in_words(self) -> str:
        """Learned parameters with their laws in short; empty if there are none."""
        return ", ".join(f"{name}={law}" for name, law in self.hyperpriors or ())

    @property
    def hyperparameters(self) -> tuple[Parameter, ...]:
        """Parameters of the family that the columns use; none while the family is to be chosen."""
        if self.family == AUTOMATIC:
            return ()
        return family_class(self.family).hyperparameters_for(self.prior_dict)

    def with_model_of(self, other: RunConfig) -> RunConfig:
        """Return the configuration with what another has chosen of all that may be left to the data."""
        is_open = any(WHOLE in (config.kinds or ()) for config in (self, other))
        names = ("family", "prior", "directions", "transform", *(("kinds",) if is_open else ()))
        return replace(self, **{name: getattr(other, name) for name in names})

    @property
    def measuring(self) -> RunConfig:
        """The same with whole numbers that may be counts or measures as measures."""
        kinds = tuple(MEASURE if kind == WHOLE else kind for kind in self.kinds or ())
        return replace(self, kinds=None if set(kinds) <= {MEASURE} else kinds) if WHOLE in (self.kinds or ()) else self

    def with_kinds(self, kinds: Sequence[str]) -> RunConfig:
        """Return the configuration with kinds of the columns, if its family needs them and has none yet.

        An automatic family needs them if any column is not real.
        """
        if self.family == AUTOMATIC:
            asks = candidates(kinds) != candidates(None)
        else:
            asks = bool(family_class(self.family).prior_of_kinds(kinds))
        return replace(self, kinds=tuple(kinds)) if asks and self.kinds is None else self

    def to_dict(self) -> dict[str, Any]:
        """Return only what differs from the defaults, as plain JSON types, and the version."""
        plain = RunConfig(algorithm=self.algorithm)
        result: dict[str, Any] = {"version": VERSION, "algorithm": self.algorithm}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != getattr(plain, field.name):
                result[field.name] = to_plain(field.name, value)
        return result

    @classmethod
    def from_dict(cls, values: Any) -> RunConfig:
        """Build a configuration from :meth:`to_dict`'s result; anything else raises a DpvizError.

        Raises
        ------
        TraceFormatError
            If ``values`` is not a mapping, of another version, or has unknown keys.
        InvalidParameterError
            If a value is out of range.
        """
        if not isinstance(values, Mapping):
            raise TraceFormatError(f"a configuration must be a JSON object, not {type(values).__name__}.")
        options = options_of(values)
        known = {field.name for field in fields(cls)}
        unknown = [str(key)[:40] for key in options if key not in known]
        if unknown:
            raise TraceFormatError(f"unknown options: {', '.join(unknown[:5])}; known are {', '.join(sorted(known))}.")
        if options.get("partition") is not None and not is_automatic(options["partition"]):
            options["partition"] = PartitionPrior.from_dict(options["partition"])
        if isinstance(options.get("init"), list):
            options["init"] = numeric_array("init", options["init"])
        try:
            return cls(**options)
        except DpvizError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise TraceFormatError(f"this is not a valid configuration: {error}") from error

    def to_json(self) -> str:
        """Return the configuration as one line of JSON."""
        return json.dumps(self.to_dict(), separators=(",", ":"), sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> RunConfig:
        """Inverse of :meth:`to_json`.

        Raises
        ------
        TraceFormatError, InvalidParameterError
            If the text is too long, not JSON, or not a configuration.
        """
        if not isinstance(text, str) or len(text) > LONGEST_TEXT * 100:
            raise TraceFormatError("a configuration must be a JSON text of at most 20 MB.")
        try:
            return cls.from_dict(json.loads(text))
        except (json.JSONDecodeError, RecursionError) as error:
            raise TraceFormatError(f"this is not JSON: {error}") from error

    def to_query(self) -> dict[str, str]:
        """Return URL query parameters, one per option that differs from the default."""
        return {
            key: value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
            for key, value in self.to_dict().items()
        }

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> RunConfig:
        """Inverse of :meth:`to_query`; every value is treated as hostile.

        Raises
        ------
        TraceFormatError, InvalidParameterError
            If the query is no mapping of texts, or a value is too long, malformed, or out of range.
        """
        require_kind("query", query, Mapping, "a mapping of options to texts")
        options: dict[str, Any] = {}
        for key, text in query.items():
            require_kind(f"query[{quoted(key)}]", text, str, "a text")
            if len(text) > LONGEST_TEXT:
                raise TraceFormatError(f"the option {quoted(key)} is longer than {LONGEST_TEXT:,} characters.")
            try:
                options[key] = read_json(text)
            except (json.JSONDecodeError, RecursionError, ValueError):
                options[key] = text
        return cls.from_dict(options)


def is_own(owner: type) -> bool:
    """Whether a class comes with dpviz, rather than from another package."""
    return owner.__module__.partition(".")[0] == __package__


def _unpickled(modules: tuple[str, ...], values: dict[str, Any]) -> RunConfig:
    """Rebuild a configuration that was checked before, in a process that knows its algorithm and family."""
    for module in modules:
        import_module(module)
    config = RunConfig.__new__(RunConfig)
    vars(config).update(values)
    return config
