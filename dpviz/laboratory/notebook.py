"""The lab inside a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from dpviz.arrays import Strings
from dpviz.engine.problem import check_data
from dpviz.errors import InvalidDataError, require_sequence
from dpviz.laboratory.page import lab_page
from dpviz.player.notebook import Film, table_of
from dpviz.words import say

HEIGHT = 1100
"""Height of the frame in a notebook (pixels)."""


def lab(
    X: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    feature_names: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> Film:
    """Cluster in the notebook while knobs move; the browser computes, without a server.

    Parameters
    ----------
    X : array_like (N, D), optional
        Complete rows of 2 to 30 columns as they are to be clustered, at most 20,000; by default the bundled scenarios
        alone, which are there in any case.
    labels : array_like (N,), optional
        True groups, as numbers or names.
    feature_names : sequence of str, optional
        Of the columns; by default those of a DataFrame or Arrow table.
    kinds : sequence of str, optional
        Of the columns, as :class:`dpviz.MAPDP` takes them: by default all are measured numbers.

    Returns
    -------
    Film
        A notebook displays it automatically; ``.save(path)`` writes it as a page.

    Raises
    ------
    InvalidDataError
        If the data have gaps, too few or too many columns, too many rows, or values that are too large to draw or not
        of their kind.
    """
    if X is None:
        return Film(lab_page(), say("lab_page.title"), HEIGHT)
    require_sequence("feature_names", feature_names, str, "a list of texts")
    require_sequence("kinds", kinds, str, "a list of words")
    values, names = check_data(X, gaps=True), tuple(feature_names) or _names_of(X)
    dataset = table_of(values, labels, names, title=say("lab_page.notebook_table"), kinds=tuple(kinds))
    try:
        return Film(lab_page(dataset), say("lab_page.title"), HEIGHT)
    except InvalidDataError as error:
        raise InvalidDataError(say("lab_page.does_not_fit", why=error)) from error


def _names_of(X: Any) -> Strings:
    """Return the names of the columns of a table; none of an array."""
    names = getattr(X, "column_names", getattr(X, "columns", ()))  # an Arrow table's columns are its values
    return tuple(map(str, names)) if isinstance(names, Iterable) else ()
