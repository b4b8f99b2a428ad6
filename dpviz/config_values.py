"""Values of a configuration as they are kept: checked, hashable, and back as plain JSON types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from dpviz.engine.algorithms.description import REGISTERED, Description
from dpviz.errors import InvalidParameterError, require
from dpviz.families import Family, family_class
from dpviz.families.automatic import ANY, AUTOMATIC, REAL, SHAPE
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.families.mixed import OF_KIND, Mixed, family_of_kind
from dpviz.partition import AUTOMATIC_PARTITION, ChineseRestaurant, Hyperprior, PartitionPrior, as_law
from dpviz.periods import advice_on
from dpviz.shares import LOGRATIO, entry_of, whole_of
from dpviz.text import quoted

NestedTuple = tuple[Any, ...]


def nested(value: Any) -> Any:
    """Turn an array into nested tuples of Python numbers."""
    return tuple(nested(entry) for entry in value) if isinstance(value, list) else value


def numeric_array(name: str, value: Any) -> np.ndarray[Any, Any]:
    """Return a value as an array of finite numbers; ``name`` is what messages call it."""
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(e, Real) and not isinstance(e, bool) for e in array.ravel()):
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"{name} = {quoted(value)} must be numeric and of equal row lengths.") from error
    if array.dtype.kind not in "iuf":
        raise InvalidParameterError(f"{name} = {quoted(value)} must be numeric; text and booleans are not numbers.")
    if not np.all(np.isfinite(array)):
        raise InvalidParameterError(f"{name} holds NaN or infinity; give finite numbers.")
    return array


def settled_partition(partition: Any) -> PartitionPrior:
    """Return the partition prior that is meant."""
    if is_automatic(partition):
        return AUTOMATIC_PARTITION
    settled = ChineseRestaurant(3.0) if partition is None else partition
    bound = f"a partition prior such as ChineseRestaurant(3.0), {AUTOMATIC!r}, or None"
    require(isinstance(settled, PartitionPrior), "partition", partition, bound)
    return settled


def frozen_kinds(kinds: Any) -> tuple[str, ...] | None:
    """Return kinds of columns as a tuple, after checking them."""
    words = isinstance(kinds, Sequence) and not isinstance(kinds, str) and all(isinstance(k, str) for k in kinds)
    require(kinds is None or words, "kinds", kinds, "a list with a word per column, or None")
    for kind in kinds or ():
        require(family_of_kind(kind) is not None, "kinds", kind, f"one of {', '.join(OF_KIND)}", advice_on(kind))
    return tuple(kinds) if kinds else None


def is_automatic(setting: Any) -> bool:
    """Whether a setting leaves the choice to the data."""
    return isinstance(setting, str) and setting == AUTOMATIC


def is_open(prior: Any) -> bool:
    """Whether hyperparameters are left to the data: their width, or their shape."""
    return is_automatic(prior) or is_shape(prior)


def is_shape(prior: Any) -> bool:
    """Whether hyperparameters are to be learned from clusters."""
    return isinstance(prior, str) and prior == SHAPE


def check_shape(families: Sequence[str], kinds: Sequence[str] | None) -> None:
    """Raise unless clusters of these candidate families have a covariance that can be learned."""
    if not set(families) <= set(REAL):
        what = f"columns that are {' and '.join(sorted(set(kinds)))}" if kinds else f"family = {families[0]!r}"
        raise InvalidParameterError(
            f"prior = {SHAPE!r} must be {AUTOMATIC!r}, a dict of hyperparameters, or None with {what}: it learns a "
            f"covariance, and only {' and '.join(REAL)} have one to learn. Name one of these if all columns are real."
        )


def names_of(prior: Any) -> tuple[str, ...]:
    """Return the hyperparameters that a prior gives, in any form; other code checks them."""
    pairs = prior.items() if isinstance(prior, Mapping) else prior if isinstance(prior, tuple | list) else ()
    return tuple(pair[0] for pair in pairs if isinstance(pair, tuple | list) and pair and isinstance(pair[0], str))


def frozen_prior(prior: Any, family: type[Family]) -> tuple[tuple[str, Any], ...] | None:
    """Return hyperparameters as sorted pairs of numbers and nested tuples, after checking them."""
    if prior is None:
        return None
    if isinstance(prior, tuple | list):
        pairs = all(isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str) for pair in prior)
        require(pairs, "prior", prior, "a dict of hyperparameters, 'auto', 'shape', or None")
        prior = {pair[0]: pair[1] for pair in prior}
    require(isinstance(prior, Mapping), "prior", prior, "a dict of hyperparameters, 'auto', 'shape', or None")
    require(all(isinstance(name, str) for name in prior), "prior", prior, "a dict with names as keys")
    prior = family.numeric_prior(prior)
    frozen = tuple(
        (name, nested(numeric_array(f"prior[{quoted(name)}]", value).astype(np.float64).tolist()))
        for name, value in sorted(prior.items())
    )
    return frozen or None


def checked_directions(directions: Any, families: Sequence[str], kinds: Sequence[str] | None) -> int | str | None:
    """Return how many directions hold clusters, for candidate families; without any they are kept as they are."""
    if directions is None or is_automatic(directions) or (isinstance(directions, str) and directions == ANY):
        number = directions
    else:
        number = directions.item() if isinstance(directions, np.generic) else directions
        whole = isinstance(number, int) and not isinstance(number, bool)
        bound = f"a whole number from 1, {AUTOMATIC!r}, {ANY!r}, or None"
        require(whole and number >= 1, "directions", directions, bound, "None clusters in the columns themselves.")
    if number is not None and not all(issubclass(family_class(name), GaussianFamily) for name in families):
        what = f"columns that are {' and '.join(sorted(set(kinds)))}" if kinds else f"family = {families[0]!r}"
        raise InvalidParameterError(
            f"directions = {number!r} must be None with {what}: directions combine real columns. Leave codes, counts "
            "and durations out, or name a Gaussian family that takes them as real numbers, such as 'normal_wishart'."
        )
    return number


TRANSFORMS = ("auto", "log", "power", LOGRATIO)
"""Words that leave the powers of the columns, or the whole of which they are shares, to the data."""
LARGEST_POWER = 2.0


def checked_transform(transform: Any, families: Sequence[str], kinds: Sequence[str] | None) -> str | NestedTuple | None:
    """Return a word, or powers of columns as a tuple, for candidate families; None if they change nothing.

    ``"auto"`` changes nothing either where no column can be real.
    """
    if transform is None:
        return None
    bound = (
        f"{', '.join(map(repr, TRANSFORMS))}, None, or one power per column, −{LARGEST_POWER:g} … {LARGEST_POWER:g}, "
        f"or “{LOGRATIO}” and the whole of which it is a share"
    )
    if isinstance(transform, str):
        require(transform in TRANSFORMS, "transform", transform, bound)
    else:
        entries = enumerate(transform) if isinstance(transform, list | tuple) else ()
        shares = {d: entry for d, entry in entries if isinstance(entry, str)}
        require(all(map(_is_share, shares.values())), "transform", transform, bound)
        numbers = [0.0 if d in shares else entry for d, entry in enumerate(transform)] if shares else transform
        powers = numeric_array("transform", numbers).astype(np.float64)
        inside = powers.ndim == 1 and powers.size > 0 and bool(np.all(np.abs(powers) <= LARGEST_POWER))
        require(inside, "transform", transform, bound, "0 is the logarithm, and 1 leaves a column as it is.")
        if np.all(powers == 1.0):
            return None
        named = {d: entry_of(whole_of(entry)) for d, entry in shares.items()}
        transform = tuple(named.get(d, power) for d, power in enumerate(powers.tolist()))
    if all(issubclass(family_class(name), GaussianFamily | Mixed) for name in families):
        return transform
    if is_automatic(transform):
        return None
    what = f"columns that are {' and '.join(sorted(set(kinds)))}" if kinds else f"family = {families[0]!r}"
    raise InvalidParameterError(
        f"transform = {quoted(transform)} must be None or {AUTOMATIC!r} with {what}: powers are of real columns, and "
        "counts, codes and durations have families of their own."
    )


def _is_share(entry: str) -> bool:
    return bool(re.fullmatch(rf"{LOGRATIO} \d{{1,15}}(\.\d{{1,15}})?", entry)) and whole_of(entry) > 0


def _of_pairs(given: Any) -> Any:
    """Return a mapping kept as a tuple of pairs as one again, and anything else as it is."""
    are_pairs = isinstance(given, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in given)
    return dict(given) if are_pairs else given


def frozen_options(options: Any, algorithm: Description, field_names: set[str]) -> NestedTuple | None:
    """Return the options that are not fields as sorted pairs, with defaults for those not given."""
    options = _of_pairs(options)
    require(options is None or isinstance(options, Mapping), "options", options, "a dict of options, or None")
    own = {parameter.name: parameter for parameter in algorithm.options if parameter.name not in field_names}
    given = dict(options or {})
    for name in given:
        known = f"one of {', '.join(own)}" if own else f"left out: {algorithm.name} has no options of its own"
        require(name in own, "options", name, known)
    values = {name: own[name].check(given.get(name, own[name].default)) for name in sorted(own)}
    return tuple(values.items()) or None


def frozen_hyperpriors(
    hyperpriors: Any, algorithm: Description, partition: PartitionPrior | None
) -> tuple[tuple[str, Hyperprior], ...] | None:
    """Return laws as pairs in the order of the prior's parameters, after checking their supports."""
    hyperpriors = _of_pairs(hyperpriors)
    bound = "a mapping from parameters of the partition prior to laws, or None"
    require(hyperpriors is None or isinstance(hyperpriors, Mapping), "hyperpriors", hyperpriors, bound)
    if not hyperpriors:
        return None
    learners = ", ".join(each.name for each in REGISTERED.values() if each.learns)
    advice = f"Only {learners} learns hyperparameters; for the others give a value."
    require(algorithm.learns, "hyperpriors", hyperpriors, f"None with algorithm={algorithm.name!r}", advice)
    assert partition is not None
    own = partition.learnable
    for name in hyperpriors:
        known = f"of parameters among {', '.join(own)} with {partition.title}"
        require(name in own, "hyperpriors", name, known)
    laws = tuple((name, as_law(hyperpriors[name], f"hyperpriors[{name!r}]")) for name in own if name in hyperpriors)
    for name, law in laws:
        lower, upper = max(own[name].limits()[0], 0.0), own[name].limits()[1]
        support = f"above {lower:g}" if upper == np.inf else f"between {lower:g} and {upper:g}"
        fits = lower <= law.bounds[0] and law.bounds[1] <= upper
        require(fits, f"hyperpriors[{name!r}]", str(law), f"a law of numbers {support}, e.g. {own[name].hyperprior}")
        start = getattr(partition, name)
        bound = f"inside the support of its hyperprior {law}, where the chain begins"
        require(law.contains(start), name, start, bound, f"Its mean is {law.mean:.4g}.")
    return laws


def frozen_init(init: Any, algorithm: Description) -> str | NestedTuple:
    """Return a kind of start, labels (N,) or centres (K, D) as nested tuples, after checking them."""
    if isinstance(init, str):
        require(init in algorithm.starts, "init", init, f"one of {', '.join(algorithm.starts)}")
        return init
    array = numeric_array("init", init)
    if array.ndim == 1 and array.size and np.all(array == np.round(array)) and np.all(np.abs(array) < 2**53):
        return tuple(array.astype(np.int64).tolist())
    if algorithm.takes_centres and array.ndim == 2 and array.size:
        return nested(array.astype(np.float64).tolist())
    choices = ", ".join(algorithm.starts)
    centres = ", or an array of centres (K, D)" if algorithm.takes_centres else ""
    raise InvalidParameterError(
        f"init has shape {array.shape} and type {array.dtype}; it must be one of {choices}, "
        f"or a 1-D array of whole numbers, one label per point{centres}."
    )


def to_plain(name: str, value: Any) -> Any:
    """Return the value of a field as plain JSON types."""
    if name == "partition":
        return value.to_dict()
    if name == "hyperpriors":
        return {parameter: str(law) for parameter, law in value}
    if name in ("prior", "options") and isinstance(value, tuple):
        return dict(value)
    return value
