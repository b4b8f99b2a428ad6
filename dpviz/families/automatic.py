"""Candidate families of an automatic choice: by the kinds of the columns, and by the hyperparameters given."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dpviz.errors import InvalidParameterError
from dpviz.families import FAMILIES, family_class
from dpviz.families.base import WIDTH
from dpviz.families.mixed import OF_KIND, Mixed, family_of_kind
from dpviz.hurdles import HURDLE
from dpviz.periods import CIRCULAR, SHARE, word_of
from dpviz.shares import PARTS, PARTS_AND_TOTAL
from dpviz.whole_numbers import COUNT, WHOLE

AUTOMATIC = "auto"
"""Placeholder for a family, or for hyperparameters, that the data choose."""
SHAPE = "shape"
"""Placeholder for hyperparameters that clusters teach (:mod:`dpviz.fit.shape`)."""
ANY = "any"
"""Placeholder for directions where nobody speaks of them: the columns, or those in which groups are clearer."""
REAL = ("normal_wishart", "normal_gamma")
"""Families of real columns, between which the nll decides; it compares no densities with probabilities."""
COUNTS = ("poisson", "negative_binomial")
"""Families of tables of counts alone, between which the nll decides where a column is over-dispersed."""
_TAKES = {
    "real": {"real", "continuous", "positive", "duration", HURDLE, SHARE, COUNT, WHOLE},
    "positive": {"positive", "duration", HURDLE},
    HURDLE: {"positive", "duration", HURDLE, SHARE},
    SHARE: {SHARE},
    "count": {COUNT, WHOLE},
    "ordinal": {"binary", "ordinal"},
    "categorical": {"binary", "ordinal", "categorical"},
    CIRCULAR: {CIRCULAR},
    PARTS: {PARTS, COUNT},
    PARTS_AND_TOTAL: {PARTS, PARTS_AND_TOTAL, COUNT},
    "mixed": set(OF_KIND),
}
"""Kinds of columns that families of a kind can hold: codes of categories are not numbers for other families."""


def candidates(kinds: Sequence[str] | None, given: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names of the candidate families.

    Parameters
    ----------
    kinds : sequence of str, optional
        Of the columns; without them all are real. Columns of one kind have its family, others are mixed. Counts alone
        may be over-dispersed too.
    given : collection of str
        Hyperparameters that the family must have; if that of the kinds lacks one, any other that has all of them and
        can hold columns of these kinds. With any, counts are not compared with over-dispersed ones.

    Raises
    ------
    InvalidParameterError
        If there is no such family.
    """
    of_kinds = {str(family_of_kind(kind)) for kind in kinds or ("real",)}
    usual = REAL if of_kinds <= set(REAL) else tuple(of_kinds) if len(of_kinds) == 1 else (Mixed.name,)
    if usual == COUNTS[:1] and not given:
        return COUNTS
    possible = tuple(name for name in FAMILIES if can_hold(name, kinds or ()))
    for names in (usual, possible):
        fitting = tuple(name for name in names if set(given) <= _known(name, kinds))
        if fitting:
            return fitting
    columns = f" for columns that are {' and '.join(sorted(set(kinds)))}" if kinds else ""
    advice = f"name the family, or give hyperparameters of {' or '.join(usual)}" if kinds else "name the family"
    raise InvalidParameterError(
        f"prior has {', '.join(sorted(given))}, and no family{columns} has all of these; {advice}, or leave some out."
    )


def can_hold(name: str, kinds: Collection[str]) -> bool:
    """Whether a family can hold columns of all these kinds."""
    return set(map(word_of, kinds)) <= _TAKES.get(family_class(name).kind, set())


def _known(name: str, kinds: Sequence[str] | None) -> set[str]:
    """Names that a prior of the family may have for columns of these kinds."""
    family = family_class(name)
    scaled = family.scaled_under(family.prior_of_kinds(kinds) if kinds else None)
    return {parameter.name for parameter in family.hyperparameters} | ({WIDTH.name} if scaled else set())
