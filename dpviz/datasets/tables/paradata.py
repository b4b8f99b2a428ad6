"""Columns of how the rows of a table came to be: those that programs for surveys add, and batches.

A column is one if its whole name is known and its values are of the kind that the name says. A suffix behind a name
says what was measured (``site.temp``, ``batch.weight``, ``seed 1``); only exports that write the title behind the code
of a column (``lastpage. Last page``) have two names, and both are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from dpviz.arrays import FloatArray

Values = FloatArray | None
"""The present numbers of a column, or None if it is text."""
_FEWEST_BESIDE = 3


def _are_codes(kind: str, values: Values) -> bool:
    return values is None or bool(np.array_equal(values, np.floor(values)))


def _are_dates(kind: str, values: Values) -> bool:
    return kind == "date" or (values is None and kind == "identifier")  # text of a form that is not known


def _are_shares(kind: str, values: Values) -> bool:
    """Whether values are words, or whole numbers from 0 to 100."""
    return values is None or (_are_codes(kind, values) and bool(values.min() >= 0 and values.max() <= 100))


def _are_pages(kind: str, values: Values) -> bool:
    return values is not None and _are_codes(kind, values) and bool(values.min() >= -1)


def _are_seconds(kind: str, values: Values) -> bool:
    return values is not None and bool(values.min() >= 0)


def _are_different(kind: str, values: Values) -> bool:
    return values is None or (_are_codes(kind, values) and len(np.unique(values)) > 0.9 * len(values))


def _are_words(kind: str, values: Values) -> bool:
    return values is None


def _are_degrees(kind: str, values: Values) -> bool:
    return values is not None and bool(np.abs(values).max() <= 180)


_Fit = Callable[[str, Values], bool]
_DATES = (
    "submitdate startdate enddate recordeddate datestamp submissiontime datesubmitted dateoflastaction datelastaction "
    "datestarted"
)
_CODES = (
    "startlanguage userlanguage ipaddr ipaddress refurl referrerurl distributionchannel externalreference responseid "
    "respondentid collectorid deviceid instanceid submittedby useragent sessionid sessiontoken"
)
_UNDOUBTED: dict[str, _Fit] = {
    **dict.fromkeys(_DATES.split(), _are_dates),
    **dict.fromkeys(_CODES.split(), _are_codes),
    "lastpage": _are_pages,
    "interviewtime": _are_seconds,
}
"""Names that no measurement has, without spaces and marks."""
_BESIDE: dict[str, _Fit] = {
    **dict.fromkeys(("status", "progress", "finished"), _are_shares),
    **dict.fromkeys(("durationinseconds", "totaltime", "grouptime", "questiontime"), _are_seconds),
    **dict.fromkeys(("locationlatitude", "locationlongitude"), _are_degrees),
    **dict.fromkeys(("seed", "token", "accesscode"), _are_different),
    "language": _are_words,
}
"""Names that might as well be those of measurements: they count beside several of the others."""
_NUMBERED = re.compile("(grouptime|questiontime)[0-9]+")
_OF_GROUPS_OF_ROWS = {"batch", "lot", "plate", "run"}
_AS_IDENTIFIER = {"id", "ids", "no", "nr", "number", "num", "code", "name", "label", "key"}


def find_paradata(columns: Mapping[str, tuple[str, Values]]) -> list[str]:
    """Return the columns that are about how the rows came to be.

    Parameters
    ----------
    columns : mapping of str to (str, ndarray or None)
        Those that :func:`may_be_paradata` allows, each with the kind that is guessed from its values, and its present
        numbers, None if it is text.
    """
    undoubted = [name for name, values in columns.items() if _fits(name, _UNDOUBTED, *values)]
    beside = [name for name, values in columns.items() if _fits(name, _BESIDE, *values)]
    batches = [name for name, values in columns.items() if _names_a_batch(name) and _are_codes(*values)]
    found = {*undoubted, *batches, *(beside if len(undoubted) >= _FEWEST_BESIDE else ())}
    return [name for name in columns if name in found]


def may_be_paradata(name: str) -> bool:
    """Whether the name of a column allows that it is about how the rows came to be."""
    return _names_a_batch(name) or any(_known(name, names) is not None for names in (_UNDOUBTED, _BESIDE))


def _fits(name: str, known: Mapping[str, _Fit], kind: str, values: Values) -> bool:
    """Whether the name of a column is known, and its values are such."""
    fit = _known(name, known)
    return fit is not None and (kind == "constant" or (values is not None and not values.size) or fit(kind, values))


def _known(name: str, known: Mapping[str, _Fit]) -> _Fit | None:
    """Return what fits a whole name, or that of the code and the title of a column; None if it is not known."""
    code, _, title = (_letters(part) for part in name.partition("."))
    both = not title or title in _UNDOUBTED or title in _BESIDE or title.startswith("grouptime")
    return known.get(_letters(name), known.get(code) if both else None)


def _letters(name: str) -> str:
    """Return a name without case, spaces and marks, and without the number of a group of questions."""
    plain = re.sub("[^a-z0-9]+", "", name.casefold())
    return re.sub("[0-9]+", "", plain) if _NUMBERED.fullmatch(plain) else plain


def _names_a_batch(name: str) -> bool:
    words = re.findall("[a-z0-9]+", re.sub("([a-z])([A-Z])", r"\1 \2", name).casefold())
    group, *rest = words or [""]
    return (group in _OF_GROUPS_OF_ROWS and len(rest) == 1 and rest[0] in _AS_IDENTIFIER) or words == ["batch"]
