"""QR codes as drawings."""

from __future__ import annotations

import html
from typing import NamedTuple

import segno

from dpviz.errors import require
from dpviz.words import say

QUIET = 4
"""Light modules around a code, as ISO/IEC 18004 asks for."""
MOST_BYTES = 2_331
"""Of the largest code at error correction M."""


class Code(NamedTuple):
    """A QR code.

    Attributes
    ----------
    size : int
        Modules along each side, with the quiet zone.
    path : str
        Outline of the dark ones, for an SVG in which a module is 1 by 1.
    """

    size: int
    path: str


def code(text: str) -> Code:
    """Return the QR code of a text, at error correction M, which restores 15 %.

    Raises
    ------
    InvalidParameterError
        If the text is empty or does not fit into the largest code.
    """
    n_bytes = len(text.encode("utf-8", "replace"))
    require(1 <= n_bytes <= MOST_BYTES, "text", text, f"1 to {MOST_BYTES:,} bytes long", f"It has {n_bytes:,}.")
    made = segno.make_qr(text, error="m", boost_error=False)
    rows = [bytes(row) for row in made.matrix]
    return Code(len(rows) + 2 * QUIET, "".join(_runs(row, y + QUIET) for y, row in enumerate(rows)))


def _runs(row: bytes, y: int) -> str:
    """Outline neighbouring dark modules of a row together: gaps between them would be seen."""
    pieces, x = [], 0
    while x < len(row):
        end = x
        while end < len(row) and row[end]:
            end += 1
        if end > x:
            pieces.append(f"M{x + QUIET} {y}h{end - x}v1h-{end - x}z")
        x = end + 1
    return "".join(pieces)


def drawn_code(text: str, words: str = "") -> str:
    """Draw the QR code of a text as an SVG, dark on light in every theme: many readers take no other.

    Raises
    ------
    InvalidParameterError
        As for :func:`code`.
    """
    made, label = code(text), html.escape(words or say("handout.any_code"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {made.size} {made.size}" role="img" '
        f'aria-label="{label}" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>'
        f'<path d="{made.path}" fill="#000"/></svg>'
    )
