"""The course as files: each chapter is one page that works without a server or a network."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dpviz.course.bench import trial_bytes
from dpviz.course.chapter import OF_THIS_DRAW, Chapter, Played, mark, play
from dpviz.course.chapters import CHAPTERS, PARTS, onwards
from dpviz.course.chart import AXIS_STYLE, answer_axis, drawn
from dpviz.course.figure import figure
from dpviz.course.glossary import GLOSSARY, anchor, first_uses
from dpviz.course.guess import guess_facts, guess_styles
from dpviz.course.index import index_page
from dpviz.course.plain import plain_page
from dpviz.course.worksheets import answer_sheet, worksheet
from dpviz.files import check_pages, write_whole
from dpviz.player.standalone import computing_page
from dpviz.words import say, say_html

_ASSETS = Path(__file__).parent / "assets"
WORKSHEETS, INDEX, TERMS = "worksheets", "index.html", "terms.html"
_TERMS_BODY = """\
<nav aria-label="{nav}">{home}<ol>{chapters}</ol></nav>
<main>
<h1>{title}</h1>
<p>{about}</p>
<dl>
{entries}
</dl>
<p><a href="{first}">{begin} ▸</a></p>
</main>"""
_BODY = """\
<nav aria-label="{nav}">{home}<p><a href="{terms}">{about_terms}</a></p><ol>{chapters}</ol></nav>
<main>
<h1>{title}</h1>
<div id="text">{text}</div>
<div id="stage">{figure}<div id="film" hidden></div></div>
<form id="question">
<fieldset><legend>{prompt}</legend>
{control}
</fieldset>
<button type="submit">{button}</button>
</form>
<section id="reveal" hidden aria-live="polite">
<p id="verdict"></p>
{axis}
<p>{reveal}</p>
</section>
<section id="after" hidden>
{chart}
<p><strong>{lesson}</strong></p>
<p><small>{of_this_draw}</small></p>
{onwards}
</section>
</main>
<script type="application/json" id="marks">{marks}</script>"""


def file_name(number: int) -> str:
    """Name of a chapter's file; ``number`` counts from 1, and names are in the order of numbers."""
    return f"{number:02}-{CHAPTERS[number - 1].name}.html"


def chapter_page(played: Played, number: int, home: str = "") -> str:
    """Write one chapter as a page.

    Parameters
    ----------
    played : Played
    number : int
        Number of the chapter, from 1.
    home : str
        Relative address of a page that the course belongs to; without one there is no link.

    Returns
    -------
    str
        HTML; it links to the other chapters' files in the same folder and loads nothing.
    """
    chapter = played.chapter
    marks = {str(guess): mark(played, guess)._asdict() for guess in chapter.question.guesses}
    if words := onwards(number):
        following = f'<p><a href="{file_name(number + 1)}">{html.escape(words)} ▸</a></p>'
    else:
        following = f'<p>{say_html("course.last_chapter")} <a href="{INDEX}">{say_html("index.title")} ▸</a></p>'
    title, seen = f"{number}. {chapter.title}", set[str]()
    asked = None if chapter.question.answers else guess_facts(chapter.question, say("course.your_prediction"))
    body = _BODY.format(
        title=html.escape(title),
        home=_homewards(home),
        chapters=_entries(number),
        nav=say_html("course.chapters"),
        terms=TERMS,
        about_terms=say_html("course.terms"),
        button=say_html("course.reveal"),
        text="".join(f"<p>{_linked(paragraph, seen)}</p>" for paragraph in played.text),
        figure=figure(chapter, played.dataset),
        prompt=html.escape(played.prompt),
        control=_control(chapter),
        reveal=_linked(played.reveal, seen),
        axis=_axis(played),
        chart="" if played.chart is None else f'<figure class="chart">{drawn(played.chart)}</figure>',
        lesson=html.escape(chapter.lesson),
        of_this_draw=html.escape(f"{OF_THIS_DRAW} {chapter.papers}".strip()),
        onwards=following,
        marks=json.dumps({"name": chapter.name, "marks": marks, "guess": asked}).replace("<", "\\u003c"),
    )
    css = (_ASSETS / "course.css").read_text(encoding="utf-8") + guess_styles() + AXIS_STYLE
    return computing_page(title, css, body, "chapter", {"payload": played.film(), "trial": trial_bytes(chapter)})


def terms_page(home: str = "") -> str:
    """Write a page with every term, which the chapters link to.

    Parameters
    ----------
    home : str
        As of :func:`chapter_page`.
    """
    body = _TERMS_BODY.format(
        home=_homewards(home),
        chapters=_entries(0),
        entries="\n".join(
            f'<dt id="{anchor(term)}">{html.escape(term)}</dt><dd>{html.escape(words)}</dd>'
            for term, words in GLOSSARY.items()
        ),
        nav=say_html("course.chapters"),
        title=say_html("course.terms"),
        about=say_html("course.about_terms"),
        first=file_name(1),
        begin=say_html("course.begin", title=CHAPTERS[0].title),
    )
    css = (_ASSETS / "course.css").read_text(encoding="utf-8")
    return plain_page(say("course.terms"), css, body)


def _linked(words: str, seen: set[str]) -> str:
    """Write a text as HTML in which the first use of each term leads to what it means, and tells it."""

    def link(used: str, term: str) -> str:
        return f'<a class="term" href="{TERMS}#{anchor(term)}" title="{html.escape(GLOSSARY[term])}">{used}</a>'

    return first_uses(html.escape(words), seen, link)


def _homewards(home: str) -> str:
    return f'<p><a href="{html.escape(home)}">{say_html("site.all_pages")}</a></p>' if home else ""


def _entries(number: int) -> str:
    """List the chapters; ``number`` is that of the page, 0 for none."""
    return "".join(
        (f'<li class="part">{html.escape(part)}</li>' if part else "")
        + "".join(_entry(other, place, number) for place, other in chapters)
        for part, chapters in PARTS.items()
    )


def _axis(played: Played) -> str:
    """Draw the axis of the answers; the script puts the reader's on it."""
    question = played.chapter.question
    if question.answers:
        return ""
    return answer_axis(question.lower, question.upper, question.start, played.truth, question.unit)


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
    return '<div id="guess"></div>'


def write_course(folder: str | Path, home: str = "", force: bool = False) -> list[Path]:
    """Write all chapters, their index and terms into a folder, worksheets and an answer sheet into one within.

    Parameters
    ----------
    folder : str or Path
        Created if needed; pages of the same names are replaced.
    home : str
        Relative address of a page that the chapters link to, if any.
    force : bool
        Whether files of the same names are replaced that are no pages of this package.

    Returns
    -------
    list of Path
        The files, chapters first, and last the page of terms.

    Raises
    ------
    OSError
        Naming the file that cannot be written or is not replaced; new folders without a file do not stay.
    """
    return write_pages(folder, course_pages(home), force)


def course_pages(home: str = "") -> dict[str, str]:
    """Return all pages of the course by their names in its folder; chapters come first and may link to ``home``."""
    all_played = [play(chapter) for chapter in CHAPTERS]
    numbered = list(enumerate(all_played, start=1))
    pages = {file_name(number): chapter_page(played, number, home) for number, played in numbered}
    pages |= {f"{WORKSHEETS}/{file_name(number)}": worksheet(played, number) for number, played in numbered}
    names = [file_name(number) for number, _ in numbered]
    pages[INDEX] = index_page(all_played, names, [f"{WORKSHEETS}/{name}" for name in names])
    pages[f"{WORKSHEETS}/answers.html"] = answer_sheet(all_played)
    pages[TERMS] = terms_page(home)
    return pages


def write_pages(folder: str | Path, pages: Mapping[str, str], force: bool) -> list[Path]:
    """Write pages into a folder, none of them unless all may have their names; raises as :func:`write_course`."""
    folder = Path(folder)
    paths = [folder / name for name in pages]
    check_pages(paths, folder, force)
    made: list[Path] = []
    try:
        for parent in sorted({path.parent for path in paths}):  # all folders before the first page
            made += _missing(parent)
            parent.mkdir(parents=True, exist_ok=True)
        for path, page in zip(paths, pages.values(), strict=True):
            write_whole(path, page)
    except OSError as error:
        for new in reversed(made):  # each stays if it holds anything
            with suppress(OSError):
                new.rmdir()
        raise OSError(f"{error.filename} cannot be written: {error.strerror}. Give another folder.") from error
    return paths


def _missing(folder: Path) -> list[Path]:
    """Return what is to be made for a folder to exist, the outermost first."""
    return [one for one in (*reversed(folder.parents), folder) if not one.exists()]
