"""Story, lab and course as one folder of files, which any web server without programs hands out to as many as come."""

from __future__ import annotations

from pathlib import Path

from dpviz.course.chapters import CHAPTERS
from dpviz.course.handout import Place, handout_page
from dpviz.course.offline import INDEX, WORKSHEETS, course_pages, file_name, write_pages
from dpviz.course.scorm import package
from dpviz.files import check_pages, is_of_site, write_whole
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
    written = write_pages(folder, pages | _course(f"../{HOME}"), force)
    if (earlier := Path(folder) / HANDOUT) not in written and earlier.is_file() and is_of_site(earlier):
        earlier.unlink()
    return written


def write_package(file: str | Path, force: bool = False) -> Path:
    """Write the story, the lab and the course as one SCORM 1.2 package, for learning systems such as Moodle.

    Each chapter reports that it was completed, and 100 of 100 for a right prediction. Its story leads nowhere: the
    learning system lists the pages.

    Parameters
    ----------
    file : str or Path
        A package of the same name is replaced.
    force : bool
        Whether a file of the same name is replaced that is no package of this package.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OSError
        If it cannot be written or is not replaced.
    """
    check_pages([file], force=force)
    pages, course = {HOME: story_page(), LAB: lab_page()}, _course()
    places = [place._replace(path=place.path or HOME) for place in _places()]
    write_whole(file, package(say("story.title"), pages | course, places, course))
    return Path(file)


def _course(home: str = "") -> dict[str, str]:
    return {f"{COURSE}/{name}": page for name, page in course_pages(home).items()}


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
