"""The course as files: each chapter is one page that plays, asks and marks without a server or a network."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path

from dpviz.course.chapter import Chapter, Played, mark, play
from dpviz.course.chapters import CHAPTERS
from dpviz.course.figure import figure
from dpviz.course.worksheets import answer_sheet, worksheet
from dpviz.player.assets import player_script, player_styles

_ASSETS = Path(__file__).parent / "assets"
WORKSHEETS = "worksheets"

# The policy forbids every request, so that a page is as self-contained as it says.
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body>
<nav aria-label="Chapters"><ol>{chapters}</ol></nav>
<main>
<h1>{title}</h1>
{text}
{figure}
<form id="question">
<fieldset><legend>{prompt}</legend>
{control}
</fieldset>
<button type="submit">Reveal</button>
</form>
<section id="reveal" hidden aria-live="polite">
<p id="verdict"></p>
<p>{reveal}</p>
<div id="film"></div>
<p><strong>{lesson}</strong></p>
{onwards}
</section>
</main>
<script type="application/octet-stream" id="payload">{film}</script>
<script type="application/octet-stream" id="styles">{styles}</script>
<script type="application/json" id="marks">{marks}</script>
<script type="module">
{player}
{script}
</script>
</body>
</html>
"""


def file_name(number: int) -> str:
    """Name of a chapter's file; ``number`` counts from 1."""
    return f"{number}-{CHAPTERS[number - 1].name}.html"


def chapter_page(played: Played, number: int) -> str:
    """Write one chapter as a page.

    Parameters
    ----------
    played : Played
    number : int
        Of the chapter, from 1.

    Returns
    -------
    str
        HTML; it links to the other chapters' files beside it and loads nothing.
    """
    chapter = played.chapter
    marks = {str(guess): mark(played, guess)._asdict() for guess in chapter.question.guesses}
    following = "" if number == len(CHAPTERS) else (
        f'<p><a href="{file_name(number + 1)}">Next: {html.escape(CHAPTERS[number].title)} ▸</a></p>'
    )  # fmt: skip
    return _PAGE.format(
        title=html.escape(f"{number}. {chapter.title}"),
        css=(_ASSETS / "course.css").read_text(encoding="utf-8"),
        chapters="".join(_entry(other, place, number) for place, other in enumerate(CHAPTERS, start=1)),
        text="".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in played.text),
        prompt=html.escape(played.prompt),
        control=_control(chapter),
        reveal=html.escape(played.reveal),
        lesson=html.escape(chapter.lesson),
        onwards=following,
        figure=figure(played),
        film=base64.b64encode(played.film()).decode("ascii"),
        styles=base64.b64encode(player_styles().encode()).decode("ascii"),
        marks=json.dumps({"name": chapter.name, "marks": marks}).replace("<", "\\u003c"),
        player=player_script(),
        script=(_ASSETS / "course.js").read_text(encoding="utf-8"),
    )


def _entry(chapter: Chapter, place: int, here: int) -> str:
    current = ' aria-current="page"' if place == here else ""
    return (
        f'<li data-chapter="{chapter.name}"><a href="{file_name(place)}"{current}>{html.escape(chapter.title)}</a></li>'
    )


def _control(chapter: Chapter) -> str:
    question = chapter.question
    if question.answers:
        return "".join(
            f'<label><input type="radio" name="guess" value="{place}" required> {html.escape(answer)}</label>'
            for place, answer in enumerate(question.answers)
        )
    return (
        f'<input type="range" name="guess" min="{question.lower}" max="{question.upper}" value="{question.start}" '
        f'aria-label="Your prediction"> <output>{question.start}</output> {html.escape(question.unit)}'
    )


def write_course(folder: str | Path, say: Callable[[str], None] = lambda words: None) -> list[Path]:
    """Write all chapters into a folder, and worksheets with an answer sheet into a folder within.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there; files of the same names are replaced.
    say : callable, optional
        Called with each file's path once it is written.

    Returns
    -------
    list of Path
        The files, chapters first.
    """
    folder = Path(folder)
    (folder / WORKSHEETS).mkdir(parents=True, exist_ok=True)
    all_played = [play(chapter) for chapter in CHAPTERS]
    numbered = list(enumerate(all_played, start=1))
    pages = {file_name(number): chapter_page(played, number) for number, played in numbered}
    pages |= {f"{WORKSHEETS}/{file_name(number)}": worksheet(played, number) for number, played in numbered}
    pages[f"{WORKSHEETS}/answers.html"] = answer_sheet(all_played)
    written = []
    for name, page in pages.items():
        (folder / name).write_text(page, encoding="utf-8")
        written.append(folder / name)
        say(str(written[-1]))
    return written
