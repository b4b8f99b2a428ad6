"""Versions of configurations, and what each of them meant by options that it did not name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpviz.config_values import is_automatic
from dpviz.engine.algorithms.description import described
from dpviz.engine.options import CATEGORY_PRIOR, COUNT_PRIOR, IMPUTATION, PRIOR_RULES
from dpviz.families.automatic import AUTOMATIC, COUNTS
from dpviz.families.mixed import Mixed

VERSION = 8
"""Version that :meth:`RunConfig.to_dict` writes; if missing it is the first, which chose neither family nor prior.

Before the third, splits were proposed by restricted scans; before the fourth, priors of counts were worth one exposure;
before the fifth, those of categories one point of each, and cells filled in by modes were those of the row's present
cluster; before the sixth there were no directions, before the seventh no coarsening, and before the eighth no
transformations, whose absence means none. Before the eighth an automatic family of counts alone was Poisson.
"""
_FIRST_DEFAULTS = {"family": "normal_wishart", "prior": None}
RELATIVE, EXPOSURE = COUNT_PRIOR.values
FITTED, ONE_EACH = CATEGORY_PRIOR.values
SEEN_CELLS, PRESENT_CLUSTER = IMPUTATION.values
POISSON = COUNTS[0]
USUAL_RULES: dict[str, Any] = {rule.name: rule.default for rule in PRIOR_RULES.values()}


def with_defaults_of(version: int, options: Mapping[str, Any], kinds: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options of a configuration with those that another version means by their absence.

    Parameters
    ----------
    version : int
        From 1 to ``VERSION``.
    options : mapping
        As they were written.
    kinds : sequence of str
        Of the columns that they are for, if these are known; options may have their own.
    """
    options = dict(options)
    if version == 1 and described(options.get("algorithm", "mapdp")).uses_model:
        options = {**_FIRST_DEFAULTS, **options}
    if version < 3 and options.get("split_merge"):
        options.setdefault("split_merge_proposal", "restricted_scans")
    if version < 4:
        options.setdefault("count_prior", EXPOSURE)
        if _was_mixed(options):
            options["prior"] = None
    if version < 5:
        options.setdefault("category_prior", ONE_EACH)
        options.setdefault("imputation", PRESENT_CLUSTER)
    if version < 8 and _was_poisson(options, kinds):
        options["family"] = POISSON
    return options


def _was_poisson(options: Mapping[str, Any], kinds: Sequence[str]) -> bool:
    """Whether options of an earlier version are of counts alone, whose family nobody named."""
    kinds, prior = options.get("kinds", kinds), options.get("prior", AUTOMATIC)
    counts = isinstance(kinds, list | tuple) and len(kinds) > 0 and all(kind == "count" for kind in kinds)
    return counts and is_automatic(options.get("family", AUTOMATIC)) and (not prior or is_automatic(prior))


def _was_mixed(options: Mapping[str, Any]) -> bool:
    """Whether options of an earlier version are of a mixed table with automatic hyperparameters."""
    kinds = options.get("kinds")
    several = isinstance(kinds, list | tuple) and any(kind not in ("real", "continuous") for kind in kinds)
    return (several or options.get("family") == Mixed.name) and is_automatic(options.get("prior", AUTOMATIC))
