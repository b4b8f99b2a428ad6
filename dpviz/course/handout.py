"""The way to the pages of a site for those in a room: addresses, QR codes to scan or print, and frames to embed."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from dpviz.course.qr import drawn_code
from dpviz.course.worksheets import sheet
from dpviz.errors import require
from dpviz.words import say, say_html

MOST_CHARACTERS = 500
"""Of an address: longer ones make codes that a camera hardly reads from afar."""


class Place(NamedTuple):
    """A page of the site.

    Attributes
    ----------
    title : str
    path : str
        Relative to the site's folder.
    """

    title: str
    path: str


def checked_address(address: str) -> str:
    """Return the address of a site, with a slash at its end, and without the page that a browser was shown there.

    Raises
    ------
    InvalidParameterError
        If it is no whole address, or more than that of a folder.
    """
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        named = False
    require(
        named
        and parts.scheme in ("http", "https")
        and not parts.query
        and not parts.fragment
        and address.isascii()
        and address.isprintable()
        and " " not in address
        and len(address) <= MOST_CHARACTERS,
        "address",
        address,
        "the address of a folder, such as https://example.org/dpviz/",
    )
    folder, _, page = address.rpartition("/")
    if parts.path.endswith((".html", ".htm")):
        return f"{folder}/"
    return address if not page else f"{address}/"


def handout_page(address: str, places: Sequence[Place]) -> str:
    """Write a page to print or to project, with a code and a frame for each page of a site.

    Parameters
    ----------
    address : str
        Where the site's folder is found.
    places : sequence of Place

    Returns
    -------
    str
        HTML that loads nothing.

    Raises
    ------
    InvalidParameterError
        As for :func:`checked_address`.
    """
    base = checked_address(address)
    sections = "".join(_section(place.title, base + quote(place.path)) for place in places)
    return sheet(say("handout.title"), f"<h1>{say_html('handout.title')}</h1>{sections}")


def _section(title: str, url: str) -> str:
    name, shown = html.escape(title), html.escape(url)
    frame = html.escape(f'<iframe src="{shown}" width="100%" height="800" title="{name}"></iframe>')
    return (
        f'<section><h2>{name}</h2><p><a href="{shown}">{shown}</a></p>'
        f"{drawn_code(url, say('handout.code', address=url))}"
        f"<p>{say_html('handout.to_embed')}</p><pre>{frame}</pre></section>"
    )
