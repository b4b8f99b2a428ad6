"""The explanation of an assignment: geometry against size, as bars.

They are HTML rather than a plotly figure: they are drawn anew at every move of the playhead, and a figure takes several
milliseconds of the server each time.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd

FAR = 4.0
"""Bars are cut at this many times the runner-up's length, so that one far candidate does not hide differences."""
NARROWEST = 6.0
"""Least extent of the axis in units of the costs, if the best two are nearly equal."""
_ROOM = "calc((100% - 5em) * {share:.4f})"
"""Width of a bar that takes a share of the axis; the number at its end takes the rest."""
_SOLID = "background: {color}"
_HATCHED = "background: repeating-linear-gradient(135deg, {color} 0 2px, transparent 2px 7px)"


def contest(table: pd.DataFrame) -> pd.DataFrame:
    """Costs of the candidates above the best of each kind, the cheapest candidate first.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`dpviz.explain_assignment`.

    Returns
    -------
    pandas.DataFrame
        Columns ``geometry`` and ``size``, both ≥ 0, and ``total``, their sum; index as in the table. The candidate
        that fits best has geometry 0, the one that is easiest to join has size 0. Costs that are not finite are left
        out. Differences between candidates are those of the table.
    """
    totals = table["total"].to_numpy()
    rows = np.argsort(totals, kind="stable")
    rows = rows[np.isfinite(totals[rows])]
    geometry, size = (_above_lowest(table[name].to_numpy()[rows]) for name in ("neg_log_predictive", "neg_log_weight"))
    return pd.DataFrame({"geometry": geometry, "size": size, "total": geometry + size}, index=table.index[rows])


def _above_lowest(costs: np.ndarray) -> np.ndarray:
    return costs - costs.min(initial=np.inf)


def assignment_bars(
    table: pd.DataFrame,
    names: Sequence[str],
    colors: Sequence[str],
    words: tuple[str, str],
    unit: str = "nats",
    *,
    text_size: int = 16,
) -> str:
    """Draw the costs of every candidate: a solid bar for geometry, a hatched one for size, the shortest wins.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`dpviz.explain_assignment`.
    names, colors : sequence of str
        One per row; the colors are written in the source or made by :func:`dpviz.player.track_color`.
    words : tuple of (str, str)
        Names of the two costs.
    unit : str
        Unit of the costs.
    text_size : int
        Of the labels, in pixels.

    Returns
    -------
    str
        HTML, the winner on top. Bars that leave the axis end in an arrow with their length. The second cost is left out
        if it is the same for all.
    """
    costs = contest(table)
    place = {label: row for row, label in enumerate(table.index)}
    at = [place[label] for label in costs.index]
    totals = costs["total"].to_numpy()
    edge = _edge(totals)
    geometry = np.minimum(costs["geometry"].to_numpy(), edge)
    size = np.minimum(costs["size"].to_numpy(), edge - geometry)
    looks = dict(zip(words, (_SOLID, _HATCHED), strict=True)) if float(costs["size"].max()) > 0 else {words[0]: _SOLID}
    rows = [
        _row(names[k], colors[k], looks, lengths, edge, f"{total:.4g}{' →' if total > edge else ''}")
        for k, lengths, total in zip(at, zip(geometry, size, strict=True), totals, strict=True)
    ]
    lowest = "each part's lowest" if len(looks) > 1 else "the best"
    return (
        f'<div class="dpviz-contest" style="font-size: {text_size}px; line-height: 1.4">{_legend(looks)}'
        '<div style="display: grid; grid-template-columns: fit-content(45%) minmax(0, 1fr); gap: 0.75em 0.5em; '
        f'align-items: center">{"".join(rows)}</div>'
        f'<div style="margin-top: 0.5em">{html.escape(unit)} above {lowest}; the shortest bar wins</div></div>'
    )


def _edge(totals: np.ndarray) -> float:
    """Length of the axis: close rivals of the winner fill it, distant ones exceed it."""
    beaten = totals[1:] if len(totals) > 1 else totals
    rival = float(beaten.min()) if len(beaten) else 0.0
    return float(min(totals.max(initial=0.0), max(FAR * rival, NARROWEST))) or 1.0


def _legend(looks: dict[str, str]) -> str:
    """Return what stands for each cost."""
    box = "display: inline-block; width: 1em; height: 0.8em; border: 2px solid; margin-right: 0.4em"
    entries = [
        f'<span style="white-space: nowrap; margin-right: 1em"><span style="{box}; '
        f'{look.format(color="currentColor")}"></span>{html.escape(word)}</span>'
        for word, look in looks.items()
    ]
    return f'<div style="margin-bottom: 0.6em">{"".join(entries)}</div>'


def _row(
    name: str, color: str, looks: dict[str, str], lengths: tuple[float, float], edge: float, total: str
) -> str:  # fmt: skip
    """Return a candidate's name, its bars, and their length in all."""
    bars = [
        f'<span title="{html.escape(f"{name}: {length:.4g} {word}")}" style="flex: none; box-sizing: border-box; '
        f"width: {_ROOM.format(share=length / edge)}; height: 1.6em; border: 2px solid {color}; "
        f'{look.format(color=color)}"></span>'
        for (word, look), length in zip(looks.items(), lengths, strict=False)
        if length > 0
    ]
    label = f'<span style="text-align: right; overflow-wrap: anywhere">{html.escape(name)}</span>'
    number = f'<b style="margin-left: 6px; white-space: nowrap">{total}</b>'
    line = "display: flex; align-items: center; border-left: 1px solid; min-width: 0"
    return f'{label}<span style="{line}">{"".join(bars)}{number}</span>'
