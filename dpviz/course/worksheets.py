"""Sheets to print: a page with figure, question and room for each chapter, and the answers on another."""

from __future__ import annotations

import html

from dpviz.course.chapter import Played
from dpviz.course.chart import drawn
from dpviz.course.figure import figure
from dpviz.course.glossary import GLOSSARY, first_uses
from dpviz.course.plain import plain_page
from dpviz.player.still import thumbnail
from dpviz.words import say, say_html

_CSS = """\
body { font: 12pt/1.45 Georgia, serif; color: #111; background: #fff; }
body { max-width: 42em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; }
svg { display: block; height: 7cm; width: auto; max-width: 100%; margin: 0 auto; }
figure { margin: 1em 0; text-align: center; }
figcaption { font-size: 0.85em; }
.task { line-height: 2; }
.lines { height: 6.6em; overflow: hidden; }
.lines div { border-bottom: 1px solid #777; height: 2.2em; }
.shown { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: center; }
.shown figure { flex: 1 1 2.5cm; max-width: 6cm; margin: 0; }
.shown .chart { flex: 1 1 6cm; max-width: 6.5cm; }
.shown svg { width: 100%; height: auto; }
ol.pick { list-style: "☐  "; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 10pt; }
table { border-collapse: collapse; font-size: 10pt; }
th, td { border-bottom: 1px solid #999; padding: 0.4em 0.5em; text-align: left; vertical-align: top; }
thead { display: table-header-group; }
@page { margin: 2cm; }
@media print {
  body { margin: 0; max-width: none; font-size: 10.5pt; line-height: 1.35; }
  section, tr { break-inside: avoid; }
  h1, h2, p, figure { margin: 0.5em 0; }
  section { display: flow-root; }
  section > svg { float: left; height: 4cm; margin: 0 1em 0 0; }
  main { display: flex; flex-direction: column; height: 100vh; }
  .lines { flex: 1; }
}
"""
MOST_LINES = 12
"""Of an answer: as many are seen as the page has room for."""


def sheet(title: str, body: str) -> str:
    """Return a page to print, given its title and what is in it as HTML."""
    return plain_page(title, _CSS, body)


def worksheet(played: Played, number: int) -> str:
    """Write a page with the chapter's figure, its question and room for a prediction and its reasons.

    Parameters
    ----------
    played : Played
    number : int
        Number of the chapter, from 1.

    Returns
    -------
    str
        HTML that prints on one page.
    """
    chapter = played.chapter
    question = chapter.question
    answers = "".join(f"<li>{html.escape(answer)}</li>" for answer in question.answers)
    room = (
        f'<ol class="pick">{answers}</ol>'
        if answers
        else f"<p>{say_html('course.sheet_prediction')} ________ {html.escape(question.unit)}</p>"
    )
    lines = f'<div class="lines">{"<div></div>" * MOST_LINES}</div>'
    body = (
        f"<main><p>{say_html('course.sheet_name')} ______________________</p>"
        f"<h1>{number}. {html.escape(chapter.title)}</h1>"
        + "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in played.text)
        + figure(chapter, played.dataset)
        + f"<p><strong>{html.escape(played.prompt)}</strong></p>{_meanings(played.prompt)}{room}"
        + f"<p>{say_html('course.sheet_because')}</p>{lines}"
        + f"<p>{say_html('course.sheet_run')}</p>{lines}{_task(played)}</main>"
    )
    return sheet(f"{number}. {chapter.title}", body)


def _task(played: Played) -> str:
    """Ask for a number to be dragged and what comes of it, where a chapter has some."""
    trial = played.chapter.trial
    if trial is None:
        return ""
    knobs = "; ".join(turn.knob.words for turn in trial.turns)
    return f'<p class="task">{say_html("course.sheet_knob", knobs=knobs)}</p>'


def _meanings(prompt: str) -> str:
    """Write what the terms of a question mean, for those who have paper only."""
    terms: list[str] = []

    def note(used: str, term: str) -> str:
        terms.append(f"<em>{html.escape(term)}:</em> {html.escape(GLOSSARY[term])}")
        return used

    first_uses(prompt, set(), note)
    return f"<p><small>{' '.join(terms)}</small></p>" if terms else ""


def _results(played: Played) -> str:
    """Draw the last clusters of the runs of the reveal, and the quantity that was asked for."""
    drawings = "".join(
        f"<figure>{thumbnail(played.display(run).coordinates, played.clusters(run).tolist(), times=4)}"
        f"<figcaption>{html.escape(played.name(run))}</figcaption></figure>"
        for run in played.shown
    )
    return drawings if played.chart is None else f'{drawings}<figure class="chart">{drawn(played.chart)}</figure>'


def answer_sheet(all_played: list[Played]) -> str:
    """Write the answers of all chapters, as their runs gave them."""
    sections = [
        f"<section><h1>{number}. {html.escape(played.chapter.title)}</h1>"
        f"<p>{html.escape(played.prompt)}</p>"
        f"<p><strong>{html.escape(played.chapter.question.words(played.truth))}</strong></p>"
        f"<p>{html.escape(played.reveal)}</p><p><em>{html.escape(played.chapter.lesson)}</em></p>"
        f'<div class="shown">{_results(played)}</div>'
        f"<p><small>{html.escape(played.chapter.papers)}</small></p></section>"
        for number, played in enumerate(all_played, start=1)
    ]
    return sheet(say("course.sheet_answers"), "".join(sections))
