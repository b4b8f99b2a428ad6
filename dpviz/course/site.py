"""Lab and course as one folder of files, which any web server without programs hands out to as many as come."""

from __future__ import annotations

import html
from pathlib import Path

from dpviz.course.chapters import CHAPTERS
from dpviz.course.offline import INDEX, WORKSHEETS, file_name, write_course
from dpviz.files import write_whole
from dpviz.laboratory import lab_page

COURSE, HOME = "course", "index.html"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>dpviz</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 17px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 42rem; padding: 16px;
  color: light-dark(#31333f, #fafafa); background: light-dark(#ffffff, #0e1117); }}
a {{ color: light-dark(#0054a3, #83c9ff); }}
</style>
</head>
<body>
<main>
<h1>Clustering without a fixed number of clusters</h1>
<p>Everything here runs in your browser. Nothing is sent anywhere.</p>
<h2><a href="lab.html">The lab</a></h2>
<p>Draw points or paste a table, move knobs, and watch K-means, DP-means, MAP-DP and Gibbs sampling answer.</p>
<h2>The course</h2>
<ol>
{chapters}
</ol>
<p>For class: <a href="{index}">the course at a glance</a>, <a href="{worksheets}/{first}">worksheets</a>, and
<a href="{worksheets}/answers.html">their answers</a>.</p>
</main>
</body>
</html>
"""


def write_site(folder: str | Path) -> list[Path]:
    """Write a first page, the lab and the course into a folder; links between them are relative.

    Parameters
    ----------
    folder : str or Path
        Created if needed; files of the same names are replaced.

    Returns
    -------
    list of Path
        The files, the first page first.

    Raises
    ------
    OSError
        Naming the file that cannot be written.
    """
    folder = Path(folder)
    chapters = write_course(folder / COURSE, home=f"../{HOME}")
    entries = (
        f'<li><a href="{COURSE}/{file_name(number)}">{html.escape(chapter.title)}</a></li>'
        for number, chapter in enumerate(CHAPTERS, start=1)
    )
    first = _PAGE.format(
        chapters="\n".join(entries), index=f"{COURSE}/{INDEX}", worksheets=f"{COURSE}/{WORKSHEETS}", first=file_name(1)
    )
    for name, page in {HOME: first, "lab.html": lab_page()}.items():
        write_whole(folder / name, page)
    return [folder / HOME, folder / "lab.html", *chapters]
