"""Everything that defines a run, in one immutable value: validated once, hashable, to and from JSON and URLs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np

from dpviz.errors import DpvizError, InvalidParameterError, TraceFormatError, require
from dpviz.families import family_class
from dpviz.partition import ChineseRestaurant, FiniteDirichlet, PartitionPrior

NestedTuple = tuple[Any, ...]

COLLAPSED_STARTS = ("auto", "single", "kmeans++", "sequential", "singletons", "random")
STARTS = {
    "mapdp": COLLAPSED_STARTS,
    "gibbs": COLLAPSED_STARTS,
    "kmeans": ("kmeans++", "random"),
    "dpmeans": ("single", "kmeans++", "random"),
    "em": ("kmeans++", "random"),
}
ORDERS = ("index", "permuted", "shuffled")
SAMPLERS = ("collapsed", "explicit_parameters", "explicit_weights")
DP_MEANS_SWEEPS = ("full", "until_birth")
DEFAULTS: dict[str, dict[str, Any]] = {
    "mapdp": {"init": "auto", "n_init": 10, "max_sweeps": 200, "order": "permuted", "temperature": 0.0},
    "gibbs": {"init": "auto", "n_init": 1, "order": "shuffled", "temperature": 1.0},
    "kmeans": {"init": "kmeans++", "n_init": 10, "max_sweeps": 300, "order": "index"},
    "dpmeans": {"init": "single", "n_init": 1, "max_sweeps": 500, "order": "index"},
    "em": {"init": "kmeans++", "n_init": 10, "max_sweeps": 200, "order": "index"},
}
LOWEST_TEMPERATURE = 1e-3
LARGEST_NUMBER = 1e300
LONGEST_TEXT = 200_000


@dataclass(frozen=True)
class RunConfig:
    """Algorithm, model, start, order and seed of a run; the estimators' options by the same names.

    Options that an algorithm does not use are kept but ignored. ``None`` stands for the algorithm's own default and is
    replaced by it, so two configurations that mean the same are equal.

    Parameters
    ----------
    algorithm : {"mapdp", "gibbs", "kmeans", "dpmeans", "em"}
    family : str
        Component family of mapdp and gibbs.
    partition : PartitionPrior, optional
        Partition prior of mapdp and gibbs; ``ChineseRestaurant(3.0)`` by default.
    prior : mapping, optional
        Hyperparameters of the family; those not given are empirical Bayes. Kept as nested tuples.
    init : str or array, optional
        Kind of start, an integer array of labels, or for kmeans an array of centres (K, D). ``"auto"`` takes four
        ``"single"`` starts and K-means labels with 2 to 12 clusters; with ``n_init`` > 1 mapdp then improves the best
        of them by splits and merges of whole clusters (:class:`~dpviz.engine.improve.Polisher`).
    init_clusters : int, optional
        Clusters of the starts ``"kmeans++"`` and ``"random"``; the prior's E[K] by default.
    n_init : int
        Restarts; the one of lowest nll (or objective, where there is no nll) wins.
    max_sweeps : int
        Bound on the sweeps of the algorithms that converge.
    order : {"index", "permuted", "shuffled"}
    temperature : float, optional
        0 takes the mode, 1 samples, T samples with probability ∝ p^(1/T).
    n_sweeps, burn_in, thin : int
        Length of a gibbs chain (burn-in included), sweeps not kept as draws, and how many sweeps make a draw.
    sampler : {"collapsed", "explicit_parameters", "explicit_weights"}
        Which Gibbs sampler.
    n_clusters, n_components : int
        K of kmeans and of em.
    penalty : float
        λ of dpmeans, in squared units of the data.
    sweep : {"full", "until_birth"}
        Whether a dpmeans sweep goes on after a cluster is born.
    events_sweep : int, optional
        The sweep (from 1) whose every visit is recorded, for slow motion; mapdp and collapsed gibbs.
    seed : int
        32 bits that fix everything random.

    Raises
    ------
    InvalidParameterError
        Naming the parameter, its value and its bound.
    """

    algorithm: str = "mapdp"
    family: str = "normal_wishart"
    partition: PartitionPrior | None = None
    prior: Any = None
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

    def __post_init__(self) -> None:
        """Fill in the defaults, freeze arrays, and check everything that needs no data."""
        _one_of("algorithm", self.algorithm, tuple(DEFAULTS))
        family_class(self.family)
        for name, value in {"max_sweeps": 200, **DEFAULTS[self.algorithm]}.items():
            if getattr(self, name) is None:
                self._set(name, value)
        if self.partition is None:
            self._set("partition", ChineseRestaurant(3.0))
        require(
            isinstance(self.partition, PartitionPrior),
            "partition",
            self.partition,
            "a partition prior such as ChineseRestaurant(3.0), or None",
        )
        self._set("prior", _frozen_prior(self.prior))
        self._set("init", _frozen_init(self.init, self.algorithm))
        self._check_numbers()
        self._check_choices()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_numbers(self) -> None:
        for name, lower, upper in (
            ("n_init", 1, 10_000),
            ("max_sweeps", 1, 10_000_000),
            ("n_sweeps", 1, 10_000_000),
            ("burn_in", 0, 10_000_000),
            ("thin", 1, 10_000_000),
            ("n_clusters", 1, 1_000_000),
            ("n_components", 1, 1_000_000),
            ("seed", 0, 2**32 - 1),
        ):
            self._set(name, _integer(name, getattr(self, name), lower, upper))
        for name in ("init_clusters", "events_sweep"):
            if getattr(self, name) is not None:
                self._set(name, _integer(name, getattr(self, name), 1, 10_000_000))
        self._set("penalty", _number("penalty", self.penalty))
        require(self.penalty > 0, "penalty", self.penalty, "a number > 0", "It is a squared distance; try 4.0.")
        if self.algorithm == "gibbs":
            require(
                self.burn_in < self.n_sweeps,
                "burn_in",
                self.burn_in,
                f"smaller than n_sweeps = {self.n_sweeps}",
                "n_sweeps includes the burn-in.",
            )
            require(
                self.thin <= self.n_sweeps - self.burn_in,
                "thin",
                self.thin,
                f"at most n_sweeps − burn_in = {self.n_sweeps - self.burn_in}, so that one draw is kept",
            )

    def _check_choices(self) -> None:
        _one_of("order", self.order, ORDERS)
        _one_of("sampler", self.sampler, SAMPLERS)
        _one_of("sweep", self.sweep, DP_MEANS_SWEEPS)
        if self.temperature is not None:
            self._set("temperature", _number("temperature", self.temperature))
            require(
                self.temperature == 0 or LOWEST_TEMPERATURE <= self.temperature <= 1000,
                "temperature",
                self.temperature,
                f"0 or between {LOWEST_TEMPERATURE:g} and 1000",
                "0 takes the mode, 1 samples the posterior.",
            )
        if self.algorithm != "gibbs" or self.sampler == "collapsed":
            return
        require(self.temperature == 1, "temperature", self.temperature, f"1 (or None) with sampler={self.sampler!r}")
        if self.sampler == "explicit_weights":
            require(
                isinstance(self.partition, FiniteDirichlet),
                "partition",
                self.partition,
                "a FiniteDirichlet with sampler='explicit_weights'",
                "Only a finite mixture has a finite vector of weights.",
            )

    @property
    def prior_dict(self) -> dict[str, Any] | None:
        """The hyperparameters as a dict of floats and arrays, or None."""
        if self.prior is None:
            return None
        return {name: value if isinstance(value, float) else np.array(value) for name, value in self.prior}

    def to_dict(self) -> dict[str, Any]:
        """Return only what differs from the defaults, as plain JSON types."""
        plain = RunConfig(algorithm=self.algorithm)
        result: dict[str, Any] = {"algorithm": self.algorithm}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != getattr(plain, field.name):
                result[field.name] = _to_plain(field.name, value)
        return result

    @classmethod
    def from_dict(cls, values: Any) -> RunConfig:
        """Build a configuration from :meth:`to_dict`'s result; anything else raises a DpvizError.

        Raises
        ------
        TraceFormatError
            If ``values`` is not a mapping or has unknown keys.
        InvalidParameterError
            If a value is out of range.
        """
        if not isinstance(values, Mapping):
            raise TraceFormatError(f"a configuration must be a JSON object, not {type(values).__name__}.")
        known = {field.name for field in fields(cls)}
        unknown = [str(key)[:40] for key in values if key not in known]
        if unknown:
            raise TraceFormatError(f"unknown options: {', '.join(unknown[:5])}; known are {', '.join(sorted(known))}.")
        options = dict(values)
        if options.get("partition") is not None:
            options["partition"] = PartitionPrior.from_dict(options["partition"])
        if isinstance(options.get("init"), list):
            options["init"] = _numeric_array("init", options["init"])
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
            If a value is too long, malformed, or out of range.
        """
        options: dict[str, Any] = {}
        for key, text in query.items():
            if not isinstance(text, str) or len(text) > LONGEST_TEXT:
                raise TraceFormatError(f"the option {str(key)[:40]!r} is longer than {LONGEST_TEXT:,} characters.")
            try:
                options[key] = json.loads(text)
            except (json.JSONDecodeError, RecursionError, ValueError):
                options[key] = text
        return cls.from_dict(options)


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    require(isinstance(value, str) and value in choices, name, value, f"one of {', '.join(choices)}")


def _integer(name: str, value: Any, lower: int, upper: int) -> int:
    bound = f"a whole number between {lower:,} and {upper:,}"
    require(isinstance(value, int | np.integer) and not isinstance(value, bool), name, value, bound)
    require(lower <= value <= upper, name, value, bound)
    return int(value)


def _number(name: str, value: Any) -> float:
    numeric = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    require(numeric and abs(value) <= LARGEST_NUMBER and math.isfinite(value), name, value, "a finite number")
    return float(value)


def _nested(value: Any) -> Any:
    """Turn an array into nested tuples of Python numbers."""
    return tuple(_nested(entry) for entry in value) if isinstance(value, list) else value


def _numeric_array(name: str, value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(e, Real) and not isinstance(e, bool) for e in array.ravel()):
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"{name} = {_shown(value)} must be numeric and of equal row lengths.") from error
    if array.dtype.kind not in "iuf":
        raise InvalidParameterError(f"{name} = {_shown(value)} must be numeric; text and booleans are not numbers.")
    if not np.all(np.isfinite(array)):
        raise InvalidParameterError(f"{name} holds NaN or infinity; give finite numbers.")
    return array


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _frozen_prior(prior: Any) -> tuple[tuple[str, Any], ...] | None:
    if prior is None:
        return None
    if isinstance(prior, tuple | list):
        pairs = all(isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str) for pair in prior)
        require(pairs, "prior", prior, "a dict of hyperparameters, or None")
        prior = {pair[0]: pair[1] for pair in prior}
    require(isinstance(prior, Mapping), "prior", prior, "a dict of hyperparameters, or None")
    require(all(isinstance(name, str) for name in prior), "prior", prior, "a dict with names as keys")
    frozen = tuple(
        (name, _nested(_numeric_array(f"prior[{name!r}]", value).astype(np.float64).tolist()))
        for name, value in sorted(prior.items())
    )
    return frozen or None


def _frozen_init(init: Any, algorithm: str) -> str | NestedTuple:
    if isinstance(init, str):
        _one_of("init", init, STARTS[algorithm])
        return init
    array = _numeric_array("init", init)
    if array.ndim == 1 and array.size and np.all(array == np.round(array)) and np.all(np.abs(array) < 2**53):
        return tuple(array.astype(np.int64).tolist())
    if algorithm == "kmeans" and array.ndim == 2 and array.size:
        return _nested(array.astype(np.float64).tolist())
    choices = ", ".join(STARTS[algorithm])
    centres = ", or an array of centres (K, D)" if algorithm == "kmeans" else ""
    raise InvalidParameterError(
        f"init has shape {array.shape} and type {array.dtype}; it must be one of {choices}, "
        f"or a 1-D array of whole numbers, one label per point{centres}."
    )


def _to_plain(name: str, value: Any) -> Any:
    if name == "partition":
        return value.to_dict()
    if name == "prior" and value is not None:
        return dict(value)
    return value
