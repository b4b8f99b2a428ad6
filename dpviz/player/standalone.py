"""The player as one HTML file: same modules, the payload inside, no server and no network."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

from dpviz.errors import require
from dpviz.files import PAGE_START
from dpviz.player.assets import compact, player_script, player_styles
from dpviz.player.blocks import read_header
from dpviz.web_page import SCRIPTED, web_page
from dpviz.words import with_words

_CSS = """\
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 1500px; padding: 16px 16px 4px; background: light-dark(#ffffff, #0e1117); }
.note { font: 14px/1.4 system-ui, sans-serif; margin: 8px 0 0; color: light-dark(#31333f, #fafafa); }
@media (max-width: 480px) { body { padding: 8px 8px 4px; } }"""


def standalone_html(payload: bytes, title: str, notes: Sequence[str] = ()) -> str:
    """Write the player and one payload as an HTML page.

    Parameters
    ----------
    payload : bytes
        Payload from :func:`~dpviz.player.build_payload`.
    title : str
        Title of the page, any text.
    notes : sequence of str, optional
        Sentences below the player, any text.

    Returns
    -------
    str
        The page; opened from a file it plays with no network at all.

    Raises
    ------
    TraceFormatError
        If the payload is not one from ``build_payload``.
    InvalidParameterError
        If the title is empty.
    """
    require(bool(title.strip()), "title", title, "a text that is not empty")
    said = "".join(f'<p class="note">{html.escape(note)}</p>' for note in notes)
    return page_with_player(payload, title, _CSS, f'<div id="player"></div>{said}', 'startStandalone("player");')


def page_with_player(payload: bytes, title: str, css: str, body: str, script: str) -> str:
    """Write an HTML page that loads nothing and contains one payload for the player.

    Parameters
    ----------
    payload : bytes
    title : str
        Any text.
    css, body, script : str
        Of the page; the script, in which ``startStandalone(id, opening)`` puts the player into an element, comes after
        the player's.

    Returns
    -------
    str

    Raises
    ------
    TraceFormatError
        If the payload is not one from ``build_payload``.
    """
    read_header(payload)
    return page_with(title, css, body, script, {"payload": payload})


def page_with(
    title: str,
    css: str,
    body: str,
    script: str,
    contents: Mapping[str, bytes],
    policy: str = SCRIPTED,
    start: str = PAGE_START,
) -> str:
    """Write an HTML page that loads nothing and has the player's script and styles.

    Parameters
    ----------
    title : str
        Any text.
    css, body, script : str
        Of the page; the script comes after the player's.
    contents : mapping of str to bytes
        What the script finds in elements of these ids, in base 64; the player's styles are there as ``styles``.
    policy : str
        What the page may do: one of :mod:`dpviz.web_page`'s policies.
    start : str
        Beginning of the page, ``SITE_START`` of one that holds nothing of a user's.

    Returns
    -------
    str
    """
    whole = {**contents, "styles": player_styles().encode()}
    held = [
        f'<script type="application/octet-stream" id="{name}">{base64.b64encode(content).decode("ascii")}</script>'
        for name, content in whole.items()
    ]
    module = with_words(compact(f"{player_script()}\n{script}"))
    parts = [body, *held, '<script type="module">', module, "</script>"]
    return web_page(title, css, "\n".join(parts), policy, start)
