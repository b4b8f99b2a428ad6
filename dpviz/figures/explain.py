"""The explanation of an assignment: geometry against size, as bars.

They are HTML rather than a plotly figure: they are drawn anew at every move of the playhead, and a figure takes several
milliseconds of the server each time.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpviz.text import counted, percent, short

EDGE = 12.0
"""Nats at which bars end, in every picture: what costs so much more has less than one in 100,000 of the probability."""
MOST_BARS = 4
"""Most candidates with a bar."""
_SOLID = "background: {color}"
_HATCHED = "background: repeating-linear-gradient(135deg, {color} 0 2px, transparent 2px 7px)"


def contest(table: pd.DataFrame, unit: str = "nats") -> pd.DataFrame:
    """Costs of the candidates, the cheapest candidate first: in nats, above the best of each kind.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`dpviz.explain_assignment`.
    unit : str
        Unit of the costs. Of anything but nats the costs themselves are meant: a squared distance of 0 would be a lie.

    Returns
    -------
    pandas.DataFrame
        Columns ``geometry`` and ``size``, and ``total``, their sum; index as in the table. In nats, the candidate
        that fits best has geometry 0, the one that is easiest to join has size 0. Costs that are not finite are left
        out. Differences between candidates are those of the table.
    """
    rows, geometry, size = standings(table, unit)
    return pd.DataFrame({"geometry": geometry, "size": size, "total": geometry + size}, index=table.index[rows])


def standings(table: pd.DataFrame | Mapping[str, np.ndarray], unit: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a table, or of its columns, in the order of :func:`contest`, with its ``geometry`` and ``size``."""
    totals, geometry, size = (np.asarray(table[name]) for name in ("total", "neg_log_predictive", "neg_log_weight"))
    rows = np.argsort(totals, kind="stable")
    rows = rows[np.isfinite(totals[rows])]
    geometry, size = geometry[rows], size[rows]
    if unit == "nats":
        geometry, size = _above_lowest(geometry), _above_lowest(size)
    return rows, geometry, size


def _above_lowest(costs: np.ndarray) -> np.ndarray:
    return costs - costs.min(initial=np.inf)


def assignment_bars(
    table: pd.DataFrame | Mapping[str, np.ndarray],
    names: Sequence[str],
    colors: Sequence[str],
    words: tuple[str, str],
    unit: str = "nats",
    *,
    edge: float = EDGE,
) -> str:
    """Draw the costs of the cheapest candidates: a solid bar for geometry, a hatched one for size, the shortest wins.

    Parameters
    ----------
    table : pandas.DataFrame or mapping of str to ndarray
        Result of :func:`dpviz.explain_assignment`, or its columns.
    names, colors : sequence of str
        One per row; the colors are written in the source or made by :func:`dpviz.player.track_color`.
    words : tuple of (str, str)
        Names of the two costs.
    unit : str
        Unit of the costs: of nats, bars show the excess over each part's lowest, beside the probability; of anything
        else, the costs themselves.
    edge : float
        Length of the axis. Pictures that are compared have the same.

    Returns
    -------
    str
        HTML, the winner on top. A bar that leaves the axis is broken, with its length beside it. The second cost is
        left out if it is the same for all.
    """
    differences = unit == "nats"
    order, *parts = standings(table, unit)
    at = order[:MOST_BARS]
    likely = np.asarray(table["probability"])
    two = len(at) > 0 and float(np.ptp(np.asarray(table["neg_log_weight"])[at])) > 0
    looks = dict(zip(words, (_SOLID, _HATCHED), strict=True)) if two else {words[0]: _SOLID}
    rows = [
        _row(names[k], percent(float(likely[k])) if differences else "", colors[k], looks, lengths, edge)
        for k, lengths in zip(at, zip(*parts, strict=True), strict=False)
    ]
    left = len(order) - len(rows)
    more = f"{counted(left, 'other')} cost{'s' * (left == 1)} more. " if left else ""
    meaning = "A shorter bar is more probable" if differences else "The shortest bar wins"
    exact = f"in {unit}, above each part's lowest" if differences else f"in {unit}"
    return (
        f'<div class="dpviz-contest" style="line-height: 1.4">{"".join(rows)}'
        f'{_legend(looks)}<div title="{html.escape(exact)}">{more}{meaning}.</div></div>'
    )


def _legend(looks: dict[str, str]) -> str:
    """Return what stands for each cost."""
    box = "display: inline-block; width: 1em; height: 0.7em; border: 2px solid; margin-right: 0.4em"
    entries = [
        f'<div><span style="{box}; {look.format(color="currentColor")}"></span>{html.escape(word)}</div>'
        for word, look in looks.items()
    ]
    return f'<div style="margin: 0.6em 0 0.2em">{"".join(entries)}</div>'


def _row(name: str, likely: str, color: str, looks: dict[str, str], lengths: tuple[float, float], edge: float) -> str:
    """Return a candidate's name and probability, and below them its bars and their length in all."""
    shown = (min(lengths[0], edge), min(lengths[1], edge - min(lengths[0], edge)))
    total = sum(lengths)
    bars = [
        f'<span title="{html.escape(f"{name}: {short(length)} {word}")}" style="flex: none; box-sizing: border-box; '
        f"width: calc((100% - 4.5em) * {drawn / edge:.4f}); height: 0.8em; border: 2px solid {color}; "
        f'{look.format(color=color)}"></span>'
        for (word, look), length, drawn in zip(looks.items(), lengths, shown, strict=False)
        if drawn > 0
    ]
    head = (
        f'<span style="overflow-wrap: anywhere">{html.escape(name)}</span><b style="white-space: nowrap">{likely}</b>'
    )
    number = f"{'// ' if total > edge * (1 + 1e-9) else ''}{short(total)}"
    line = "display: flex; align-items: center; border-left: 1px solid; min-width: 0"
    return (
        f'<div style="display: flex; justify-content: space-between; gap: 1em">{head}</div>'
        f'<div style="{line}">{"".join(bars)}<span style="margin-left: 5px; white-space: nowrap">{number}</span></div>'
    )
