"""The course at a glance, for those who teach it: what each chapter asks, what it varies, how long it takes."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Played, Question
from dpviz.course.chapters import NUMBERS, PARTS
from dpviz.course.worksheets import sheet
from dpviz.engine.algorithms.base import method_of
from dpviz.words import say, say_count, say_html, say_section

WORDS_A_MINUTE, PREDICTING, WATCHING = 150, 1, 2
"""Words that are read in a minute, and minutes to predict and to watch the runs; talking about it comes on top."""
HOW_LONG = say("index.how_long", words=WORDS_A_MINUTE, predicting=PREDICTING, watching=WATCHING)
ORDER = say("index.order", chapter=NUMBERS)
HEADS = ("chapter", "asked", "methods", "varied", "minutes")
"""Columns of the index after the number."""
_KNOBS = say_section("index.varied")
"""Words for the last part of a setting's name; settings without any only come along with another."""


class Entry(NamedTuple):
    """A line of the index.

    Attributes
    ----------
    number : int
        From 1.
    title, about : str
    answer : str
        What kind of answer is asked for.
    methods, knobs : tuple of str
        Methods that run, and what is varied between runs of one method.
    minutes : int
        See :data:`HOW_LONG`.
    """

    number: int
    title: str
    about: str
    answer: str
    methods: tuple[str, ...]
    knobs: tuple[str, ...]
    minutes: int


def entry(chapter: Chapter, number: int) -> Entry:
    """Return the index's line of a chapter; nothing is run for it."""
    methods = dict.fromkeys(method_of(config).called for config in chapter.runs)
    return Entry(
        number,
        chapter.title,
        chapter.about,
        _answer(chapter.question),
        tuple(methods),
        _knobs(chapter),
        minutes(chapter),
    )


def minutes(chapter: Chapter) -> int:
    """Return how long a chapter takes; see :data:`HOW_LONG`."""
    question = chapter.question
    more = (" ".join((own.prompt, *own.answers, own.reveal)) for own in chapter.trial.transfers)
    words = " ".join((*chapter.text, question.prompt, *question.answers, chapter.reveal, chapter.lesson, *more)).split()
    return -(-len(words) // WORDS_A_MINUTE) + PREDICTING + WATCHING


def _answer(question: Question) -> str:
    if question.answers:
        return say_count("index.one_of", len(question.answers))
    unit = f" ({question.unit})" if question.unit and not question.within else ""
    return say("index.number", lower=question.lower, upper=question.upper) + unit


def _knobs(chapter: Chapter) -> tuple[str, ...]:
    """Name the settings in which runs of one algorithm differ, and what is done to the data for some."""
    by_algorithm: dict[str, list[dict[str, str]]] = {}
    for config in chapter.runs:
        by_algorithm.setdefault(config.algorithm, []).append(_settings(config))
    found: dict[str, None] = {}
    for runs in by_algorithm.values():
        for name in dict.fromkeys(name for run in runs for name in run):
            words = _KNOBS.get(name.rpartition(".")[2], "")
            if words and len({run.get(name) for run in runs}) > 1:
                found[words] = None
    treated = [treatment.varied or treatment.words for _, treatment in chapter.treatments]
    return (*found, *dict.fromkeys(treated))


def _settings(config: RunConfig) -> dict[str, str]:
    return dict(_flat(json.loads(config.to_json())))


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, json.dumps(value)


def index_page(all_played: Sequence[Played], files: Sequence[str] = (), worksheets: Sequence[str] = ()) -> str:
    """Write the index as a page to print.

    Parameters
    ----------
    all_played : sequence of Played
        The chapters in their order.
    files, worksheets : sequence of str
        Relative addresses of the chapters and of their worksheets; without any there are no links.

    Returns
    -------
    str
        HTML.
    """
    entries = [entry(played.chapter, number) for number, played in enumerate(all_played, start=1)]
    firsts = {chapters[0][1].name: part for part, chapters in PARTS.items() if part}
    rows = "".join(
        _heading(firsts.get(played.chapter.name, ""))
        + _row(own, played.prompt, files[own.number - 1 : own.number], worksheets[own.number - 1 : own.number])
        for own, played in zip(entries, all_played, strict=True)
    )
    total, title = sum(own.minutes for own in entries), say("index.title")
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ("", *(say(f"index.head_{part}") for part in HEADS)))
    body = (
        f"<h1>{html.escape(title)}</h1><p>{html.escape(say_count('index.in_all', len(entries), minutes=total))} "
        f"{html.escape(HOW_LONG)}</p>"
        f"<p>{html.escape(ORDER)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return sheet(title, body)


def _heading(part: str) -> str:
    return f'<tr><th colspan="{1 + len(HEADS)}">{html.escape(part)}</th></tr>' if part else ""


def _row(own: Entry, prompt: str, file: Sequence[str], worksheet: Sequence[str]) -> str:
    title = html.escape(own.title)
    linked = f'<a href="{html.escape(file[0])}">{title}</a>' if file else title
    paper = f' <a href="{html.escape(worksheet[0])}">{say_html("index.worksheet")}</a>' if worksheet else ""
    cells = (
        str(own.number),
        f"<strong>{linked}</strong><br>{html.escape(own.about)}{paper}",
        f"{html.escape(prompt)}<br><em>{html.escape(own.answer)}</em>",
        html.escape(", ".join(own.methods)),
        html.escape(", ".join(own.knobs)),
        str(own.minutes),
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
