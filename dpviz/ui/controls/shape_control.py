"""Whether the prior learns the shape of clusters: one switch, for the families that have a shape to learn."""

from __future__ import annotations

from collections.abc import Sequence

from dpviz.families.automatic import AUTOMATIC, REAL
from dpviz.fit.shape import N_FOLDS
from dpviz.ui.controls import widgets

WORDS = "Learn the shape of clusters"
ABOUT = (
    "The prior then expects the covariance that the clusters found have within them, taken together, instead of that "
    f"of all the data. Both are fitted {N_FOLDS} times without a part of the rows, and the shape is used only if those "
    "rows have the higher density under it. It takes about three times as long as choosing a width."
)


def can_learn(family: str, kinds: Sequence[str] | None = None) -> bool:
    """Whether a shape can be learned under a family, for columns of these kinds if the family follows from them."""
    return family in REAL or family == AUTOMATIC and not kinds


def shape_control(key: str, begin: bool = False) -> bool:
    """Draw the switch and return whether the shape is to be learned."""
    return widgets.toggle(WORDS, key, begin, help=ABOUT)
