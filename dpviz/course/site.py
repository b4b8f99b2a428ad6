"""Story, lab and course as one folder of files, which any web server without programs hands out to as many as come."""

from __future__ import annotations

from pathlib import Path

from dpviz.course.chapters import CHAPTERS
from dpviz.course.handout import Place, handout_page
from dpviz.course.offline import INDEX, WORKSHEETS, course_pages, file_name, write_pages
from dpviz.files import is_of_site
from dpviz.laboratory import lab_page
from dpviz.story import story_page
from dpviz.words import say

COURSE, HOME, LAB, HANDOUT = "course", "index.html", "lab.html", "share.html"


def write_site(folder: str | Path, address: str = "", force: bool = False) -> list[Path]:
    """Write the story, the lab and the course into a folder; links between them are relative.

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
        The files, the story first.

    Raises
    ------
    InvalidParameterError
        If the address is none.
    OSError
        Naming the file that cannot be written or is not replaced; then no other is, either.
    """
    pages = {HOME: story_page(_led_to(bool(address))), LAB: lab_page()}
    if address:
        pages[HANDOUT] = handout_page(address, _places())
    course = {f"{COURSE}/{name}": page for name, page in course_pages(f"../{HOME}").items()}
    written = write_pages(folder, {**pages, **course}, force)
    if (earlier := Path(folder) / HANDOUT) not in written and earlier.is_file() and is_of_site(earlier):
        earlier.unlink()
    return written


def _led_to(has_handout: bool) -> dict[str, str]:
    """Return the addresses of what the story leads to."""
    found = {
        "lab": LAB,
        "course": f"{COURSE}/{file_name(1)}",
        "index": f"{COURSE}/{INDEX}",
        "worksheets": f"{COURSE}/{WORKSHEETS}/{file_name(1)}",
        "answers": f"{COURSE}/{WORKSHEETS}/answers.html",
    }
    return found | ({"handout": HANDOUT} if has_handout else {})


def _places() -> list[Place]:
    chapters = (
        Place(f"{number}. {chapter.title}", f"{COURSE}/{file_name(number)}")
        for number, chapter in enumerate(CHAPTERS, start=1)
    )
    return [Place(say("site.all_pages"), ""), Place(say("site.lab"), LAB), *chapters]
