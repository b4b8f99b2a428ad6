"""The quantity that a chapter asks about as a small picture, and the reader's answer beside the runs'."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.words import say_html

WIDTH, HEIGHT, WIDEST = 440, 270, "34rem"
"""Of a chart, in pixels, and how wide a page draws it: on a phone it is shrunk by little, so that it can be read."""
LEFT, RIGHT, TOP, BOTTOM = 8, 8, 68, 36
SHARE_OF_BAR, SHARE_OF_GROUP = 0.62, 0.86
DOT = 7
FILLS = (0.9, 0.35, 0.65, 0.15)
"""Opacities of the parts: greys, since colours are those of clusters beside it."""
ERROR = "#8a93a0"
"""Of the lines of errors: between dark bars and a light page, and the other way around."""
KEY_LINE, KEY_LETTER = 20, 8.5
"""Height of a line of the key, and the widest that a letter is on average, in pixels."""


@dataclass(frozen=True)
class Chart:
    """Bars by what they count or measure, or values on one axis.

    Attributes
    ----------
    title : str
        What is drawn, with its unit.
    bars : tuple of (str, tuple of float)
        Label, and one length ≥ 0 per part.
    parts : tuple of str
        Names of the parts, if there are several.
    stacked : bool
        Whether parts are put upon each other, as those of a sum are, or stand side by side.
    values : tuple of float
        Instead of bars: numbers on one axis, equal ones upon each other.
    form : str
        How numbers are written.
    errors : tuple of tuple of float
        Monte Carlo standard errors of the lengths of all bars, none by default; they are drawn as lines up and down.
    """

    title: str
    bars: tuple[tuple[str, tuple[float, ...]], ...] = ()
    parts: tuple[str, ...] = ()
    stacked: bool = False
    values: tuple[float, ...] = ()
    form: str = ",.0f"
    errors: tuple[tuple[float, ...], ...] = ()

    @property
    def words(self) -> str:
        """The chart in words, for those who cannot see it."""
        if self.values:
            return f"{self.title}: {', '.join(format(value, self.form) for value in sorted(self.values))}."
        told = [f"{label}: {', '.join(self._told(place))}" for place, (label, _) in enumerate(self.bars)]
        return f"{self.title}. {'; '.join(told)}."

    def _told(self, place: int) -> list[str]:
        """Lengths of a bar, with their names and errors."""
        bar, names = self.bars[place][1], self.parts or ("",)
        margins = [f" ± {error:{self.form}}" for error in self.errors[place]] if self.errors else [""] * len(bar)
        return [
            f"{name} {self.written(part)[place]}{margin}".strip()
            for part, (name, margin) in enumerate(zip(names, margins, strict=True))
        ]

    def written(self, part: int) -> list[str]:
        """Lengths of a part in every bar, without decimals where none has any."""
        lengths = [bar[part] for _, bar in self.bars]
        whole = all(float(length).is_integer() for length in lengths)
        return [f"{length:{',.0f' if whole else self.form}}" for length in lengths]


INK = {"light": "#1b2430", "dark": "#e8ecf1"}
"""Of words and lines."""


def drawn(chart: Chart, shade: str = "") -> str:
    """Draw a chart as an SVG.

    Parameters
    ----------
    chart : Chart
    shade : {"", "light", "dark"}
        That of the page it is drawn for; if empty, its words and lines are in the colour of the page it is part of.

    Returns
    -------
    str
    """
    inside = _dots(chart) if chart.values else _bars(chart)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{html.escape(chart.words)}" font-family="system-ui, sans-serif" font-size="14" '
        f'color="{INK.get(shade, "currentColor")}" fill="currentColor">'
        f"{text(LEFT, 18, chart.title, anchor='start', weight=600)}{_key(chart)}{inside}</svg>"
    )


def text(x: float, y: float, words: str, *, anchor: str = "middle", weight: int = 400) -> str:
    """Return a line of a drawing."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{html.escape(words)}</text>'


def _key(chart: Chart) -> str:
    """Name the parts below the title, in as many lines as they need."""
    place, y, pieces = float(LEFT), 29, []
    for part, name in enumerate(chart.parts):
        wide = 18 + KEY_LETTER * len(name)
        if place + wide > WIDTH - RIGHT:
            place, y = float(LEFT), y + KEY_LINE
        pieces.append(f'<rect x="{place:.1f}" y="{y}" width="12" height="12" {_fill(part)}/>')
        pieces.append(text(place + 18, y + 11, name, anchor="start"))
        place += wide + 14
    return "".join(pieces)


def _fill(part: int) -> str:
    return f'fill="currentColor" fill-opacity="{FILLS[part]}" stroke="currentColor"'


def _bars(chart: Chart) -> str:
    """Draw bars from 0, with their numbers."""
    errors = chart.errors or tuple((0.0,) * len(bar) for _, bar in chart.bars)
    tall = max(
        sum(bar) if chart.stacked else max(np.add(bar, own)) for (_, bar), own in zip(chart.bars, errors, strict=True)
    )
    tall = float(tall) or 1.0
    floor, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP - 18
    step = (WIDTH - LEFT - RIGHT) / len(chart.bars)
    pieces = [f'<path d="M{LEFT} {floor}H{WIDTH - RIGHT}" stroke="currentColor" opacity="0.4"/>']
    for place, (label, bar) in enumerate(chart.bars):
        middle = LEFT + (place + 0.5) * step
        pieces.append(text(middle, floor + 20, label))
        columns = [bar] if chart.stacked else [(length,) for length in bar]
        wide = min(step * (SHARE_OF_GROUP if len(columns) > 1 else SHARE_OF_BAR), 130 * len(columns)) / len(columns)
        for column, lengths in enumerate(columns):
            left, top = middle + (column - len(columns) / 2) * wide, float(floor)
            for part, length in enumerate(lengths):
                high = room * length / tall
                top -= high
                fill = _fill(part if chart.stacked else column)
                pieces.append(
                    f'<rect x="{left + 1:.1f}" y="{top:.1f}" width="{wide - 2:.1f}" height="{high:.1f}" {fill}/>'
                )
            rise = 0.0 if chart.stacked else room * errors[place][column] / tall
            if rise > 0:
                x, low = left + wide / 2, min(top + rise, float(floor))
                pieces.append(f'<path d="M{x:.1f} {top - rise:.1f}V{low:.1f}" stroke="{ERROR}" stroke-width="2"/>')
            if wide > 26:
                number = format(sum(lengths), chart.form) if chart.stacked else chart.written(column)[place]
                pieces.append(text(left + wide / 2, top - rise - 5, number))
    return "".join(pieces)


def _dots(chart: Chart) -> str:
    """Draw values on an axis from the lowest to the highest."""
    low, high = min(chart.values), max(chart.values)
    floor, span = HEIGHT - BOTTOM, (high - low) or 1.0
    room = WIDTH - LEFT - RIGHT - 80
    pieces = [f'<path d="M{LEFT} {floor}H{WIDTH - RIGHT}" stroke="currentColor" opacity="0.4"/>']
    stacks: dict[int, int] = {}
    most = max(_stack_sizes([round(room * (value - low) / span / (2 * DOT)) for value in chart.values]))
    rise = min(2 * DOT, (floor - TOP - 2 * DOT) / most)
    for value in sorted(chart.values):
        column = round(room * (value - low) / span / (2 * DOT))
        stacks[column] = stacks.get(column, 0) + 1
        x, y = LEFT + 40 + column * 2 * DOT, floor - DOT - (stacks[column] - 1) * rise
        pieces.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DOT - 1}" {_fill(0)}/>')
    for value, x, anchor in ((low, LEFT, "start"), (high, WIDTH - RIGHT, "end")):
        pieces.append(text(x, floor + 20, format(value, chart.form), anchor=anchor))
    return "".join(pieces)


def _stack_sizes(columns: Sequence[int]) -> list[int]:
    return [columns.count(column) for column in columns]


NEAR = 12
"""Percent of the axis from its end, within which the run's answer takes the place of the end's number."""
AXIS_STYLE = """
.answer-axis {position: relative; height: 4.6rem; margin: 0.4rem 0; font-size: 0.9rem}
.answer-axis .line {position: absolute; top: 2.2rem; left: 0; right: 0; border-top: 2px solid; opacity: 0.4}
.answer-axis .end {position: absolute; top: 2.4rem; padding: 0 0.5rem; opacity: 0.7}
.answer-axis .mark {position: absolute; left: var(--at); width: 0; height: 0.9rem; border-left: 3px solid}
.answer-axis .mark {transform: translateX(calc(-1 * var(--at)))}
.answer-axis .you {top: 1.3rem; border-color: var(--st-primary-color, #0072b2)}
.answer-axis .run {top: 2.2rem}
.answer-axis b {position: absolute; left: var(--at); transform: translateX(calc(-1 * var(--at))); white-space: nowrap}
.answer-axis .said {top: 0}
.answer-axis .true {top: 3.1rem}
"""


def _end(side: str, number: int, run: float) -> str:
    """Write an end of the axis, unless the run's answer stands there (percent from the left)."""
    near = run < NEAR if side == "left" else run > 100 - NEAR
    return "" if near else f'<span class="end" style="{side}: 0">{number:,}</span>'


def answer_axis(low: int, high: int, said: int, truth: int, unit: str) -> str:
    """Draw the reader's answer and the runs' on the axis of all answers.

    Parameters
    ----------
    low, high : int
        Ends of the axis.
    said, truth : int
        The answers, each marked on it.
    unit : str

    Returns
    -------
    str
        HTML, to be shown with :data:`AXIS_STYLE`.
    """
    you, run = (100 * (number - low) / (high - low) for number in (said, truth))
    label = say_html(
        "course.axis", said="{said}", truth=truth, unit=unit, low=low, high=high
    )  # scripts fill it in, too
    words = label.replace("{said}", f"{said:,}")
    return (
        f'<div class="answer-axis" role="img" aria-label="{words}" data-label="{label}"><span class="line"></span>'
        + "".join(_end(side, number, run) for side, number in (("left", low), ("right", high)))
        + f'<span class="mark you" style="--at: {you:.2f}%"></span>'
        f'<span class="mark run" style="--at: {run:.2f}%"></span>'
        f'<b class="said" style="--at: {you:.2f}%">{say_html("bench.you", answer=f"{said:,}")}</b>'
        f'<b class="true" style="--at: {run:.2f}%">{say_html("course.the_run", answer=truth)}</b></div>'
    )
