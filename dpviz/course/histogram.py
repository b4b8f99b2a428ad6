"""How often each answer to a chapter's question was given, as a drawing that is read from afar."""

from __future__ import annotations

import html
from collections.abc import Mapping

from dpviz.course.chapter import Question
from dpviz.course.chart import INK, text
from dpviz.words import say, say_count

WIDTH, HEIGHT = 900, 446
"""Of the drawing for numbers, in pixels."""
MOST_BINS = 26
LINE = 84
"""Height of an answer to pick with its bar."""
_LEFT, _TOP, _FLOOR = 20, 70, 376
_GIVEN, _RIGHT = 0.35, 0.85
"""Opacities of bars: of those that count answers, and of the one that holds the right answer."""
_WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def histogram(question: Question, counts: Mapping[int, int], truth: int | None = None, shade: str = "") -> str:
    """Draw how often each answer was given.

    Parameters
    ----------
    question : Question
    counts : mapping of int to int
        Number of answers by guess.
    truth : int, optional
        The right answer, which is marked.
    shade : {"", "light", "dark"}
        As for :func:`~dpviz.course.chart.drawn`.

    Returns
    -------
    str
        An SVG.
    """
    height = LINE * len(question.answers) + 10 if question.answers else HEIGHT
    inside = _picked(question, counts, truth) if question.answers else _numbers(question, counts, truth)
    words = html.escape(in_words(question, counts, truth))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="{words}" font-family="system-ui, sans-serif" font-size="24" '
        f'color="{INK.get(shade, "currentColor")}" fill="currentColor">{inside}</svg>'
    )


def in_words(question: Question, counts: Mapping[int, int], truth: int | None = None) -> str:
    """Say what the histogram shows."""
    given = "; ".join(f"{question.words(guess)}: {number}" for guess, number in sorted(counts.items()))
    number = say_count("course.answers", sum(counts.values()))
    said = f"{number}, {given}." if given else f"{number}."
    return said if truth is None else f"{said} {say('course.the_run_says', answer=question.words(truth))}"


def bin_width(question: Question) -> int:
    """Return how many neighbouring numbers share a bar."""
    span = question.upper - question.lower + 1
    return next((wide for wide in _WIDTHS if -(-span // wide) <= MOST_BINS), span)


def _bar(x: float, y: float, wide: float, high: float, opacity: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="currentColor" '
        f'fill-opacity="{opacity}" stroke="currentColor"/>'
    )


def _picked(question: Question, counts: Mapping[int, int], truth: int | None) -> str:
    """Draw a line per answer, with its bar below."""
    most, pieces = max([*counts.values(), 1]), []
    for place, answer in enumerate(question.answers):
        top, number, is_right = LINE * place, counts.get(place, 0), place == truth
        weight = 700 if is_right else 400
        pieces.append(text(_LEFT, top + 28, ("✓ " if is_right else "") + answer, anchor="start", weight=weight))
        wide = (WIDTH - 2 * _LEFT - 60) * number / most
        pieces.append(_bar(_LEFT, top + 40, wide, 28, _RIGHT if is_right else _GIVEN))
        pieces.append(text(_LEFT + wide + 12, top + 63, str(number), anchor="start", weight=weight))
    return "".join(pieces)


def _numbers(question: Question, counts: Mapping[int, int], truth: int | None) -> str:
    """Draw bars over an axis of numbers, and a line at the right one."""
    wide = bin_width(question)
    first, last = question.lower // wide, question.upper // wide
    heights = [0] * (last - first + 1)
    for guess, number in counts.items():
        heights[guess // wide - first] += number
    step, most = (WIDTH - 2 * _LEFT) / len(heights), max([*heights, 1])
    pieces = [f'<path d="M{_LEFT} {_FLOOR}H{WIDTH - _LEFT}" stroke="currentColor" opacity="0.5"/>']
    every = -(-len(heights) // 7)
    for place, number in enumerate(heights):
        left, low = _LEFT + place * step, (first + place) * wide
        if number:
            high = (_FLOOR - _TOP - 30) * number / most
            pieces.append(_bar(left + 2, _FLOOR - high, step - 4, high, _GIVEN))
            pieces.append(text(left + step / 2, _FLOOR - high - 8, str(number)))
        if place % every == 0:
            label = f"{low:,}" if wide == 1 else f"{max(low, question.lower):,}–{min(low + wide - 1, question.upper):,}"
            pieces.append(text(left + step / 2, _FLOOR + 30, label))
    if truth is not None:
        pieces.append(_mark(truth, _LEFT + (truth / wide - first + 0.5 / wide) * step))
    pieces.append(text(WIDTH / 2, HEIGHT - 8, question.unit))
    return "".join(pieces)


def _mark(truth: int, x: float) -> str:
    """Mark the right number, with its words where there is room for them."""
    anchor = "start" if x < WIDTH / 3 else "end" if x > 2 * WIDTH / 3 else "middle"
    line = f'<path d="M{x:.1f} {_TOP - 28}V{_FLOOR}" stroke="currentColor" stroke-width="4" stroke-dasharray="10 6"/>'
    return line + text(x, _TOP - 38, say("course.the_run", answer=truth), anchor=anchor, weight=700)
