"""Lab and course as one folder of files, which any web server without programs hands out to as many as come."""

from __future__ import annotations

import html
from pathlib import Path

from dpviz.course.chapters import CHAPTERS
from dpviz.course.handout import Place, handout_page
from dpviz.course.offline import INDEX, WORKSHEETS, course_pages, file_name, write_pages
from dpviz.course.plain import plain_page
from dpviz.files import is_of_site
from dpviz.laboratory import lab_page
from dpviz.words import say, say_html

COURSE, HOME, LAB, HANDOUT = "course", "index.html", "lab.html", "share.html"
_CSS = """\
:root { color-scheme: light dark; }
body { font: 17px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 42rem; padding: 16px;
  color: light-dark(#31333f, #fafafa); background: light-dark(#ffffff, #0e1117); }
a { color: light-dark(#0054a3, #83c9ff); }
"""
_BODY = """\
<main>
<h1>{title}</h1>
<p>{nothing_is_sent}</p>
<h2><a href="lab.html">{lab}</a></h2>
<p>{about_lab}</p>
<h2>{course}</h2>
<ol>
{chapters}
</ol>
<p>{for_class}</p>
</main>"""


def write_site(folder: str | Path, address: str = "", force: bool = False) -> list[Path]:
    """Write a first page, the lab and the course into a folder; links between them are relative.

    Parameters
    ----------
    folder : str or Path
        Created if needed; pages of the same names are replaced.
    address : str
        Where browsers will find the folder; with it there is also a page of QR codes and of frames to embed, and
        without it one that is there from an earlier address is removed.
    force : bool
        Whether files of the same names are replaced that are no pages of this package.

    Returns
    -------
    list of Path
        The files, the first page first.

    Raises
    ------
    InvalidParameterError
        If the address is none.
    OSError
        Naming the file that cannot be written or is not replaced; then no other is, either.
    """
    pages = {HOME: _first_page(bool(address)), LAB: lab_page()}
    if address:
        pages[HANDOUT] = handout_page(address, _places())
    course = {f"{COURSE}/{name}": page for name, page in course_pages(f"../{HOME}").items()}
    written = write_pages(folder, {**pages, **course}, force)
    if (earlier := Path(folder) / HANDOUT) not in written and earlier.is_file() and is_of_site(earlier):
        earlier.unlink()
    return written


def _first_page(has_handout: bool) -> str:
    entries = (
        f'<li><a href="{COURSE}/{file_name(number)}">{html.escape(chapter.title)}</a></li>'
        for number, chapter in enumerate(CHAPTERS, start=1)
    )
    links = {
        "index": f'<a href="{COURSE}/{INDEX}">',
        "worksheets": f'<a href="{COURSE}/{WORKSHEETS}/{file_name(1)}">',
        "answers": f'<a href="{COURSE}/{WORKSHEETS}/answers.html">',
        "handout": f'<a href="{HANDOUT}">',
        "end": "</a>",
    }
    for_class = say_html("site.for_class_with_handout" if has_handout else "site.for_class").format_map(links)
    names = ("title", "nothing_is_sent", "lab", "about_lab", "course")
    own = {name: say_html(f"site.{name}") for name in names}
    body = _BODY.format(chapters="\n".join(entries), for_class=for_class, **own)
    return plain_page("dpviz", _CSS, body)


def _places() -> list[Place]:
    chapters = (
        Place(f"{number}. {chapter.title}", f"{COURSE}/{file_name(number)}")
        for number, chapter in enumerate(CHAPTERS, start=1)
    )
    return [Place(say("site.all_pages"), ""), Place(say("site.lab"), LAB), *chapters]
