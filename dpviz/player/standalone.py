"""The player as one HTML file: same modules, the payload inside, no server and no network."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

from dpviz.browser import deflated_module, with_tables
from dpviz.errors import require
from dpviz.files import PAGE_START, SITE_START
from dpviz.player.assets import player_styles
from dpviz.player.blocks import read_header
from dpviz.scripts import script
from dpviz.web_page import COMPUTING, SCRIPTED, web_page
from dpviz.words import in_language

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
    read_header(payload)
    return page_with(title, _CSS, f'<div id="player"></div>{said}', script("standalone"), {"payload": payload})


def computing_page(
    title: str, css: str, body: str, name: str, contents: Mapping[str, bytes], start: str = SITE_START
) -> str:
    """Write a page as :func:`page_with` does whose script computes with the engine, in the language of its texts.

    Parameters
    ----------
    title, css, body, contents, start
        As for :func:`page_with`; the engine is there besides, as ``engine``.
    name : str
        Of the script among :data:`dpviz.scripts.BUNDLES`.

    Returns
    -------
    str
    """
    whole = {**contents, "engine": deflated_module()}
    return in_language(page_with(title, css, body, with_tables(script(name)), whole, COMPUTING, start))


def page_with(
    title: str,
    css: str,
    body: str,
    script: str,
    contents: Mapping[str, bytes],
    policy: str = SCRIPTED,
    start: str = PAGE_START,
) -> str:
    """Write an HTML page that loads nothing and has a player's styles.

    Parameters
    ----------
    title : str
        Any text.
    css, body, script : str
        Of the page; the script is a module.
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
    parts = [body, *held, '<script type="module">', script, "</script>"]
    return web_page(title, css, "\n".join(parts), policy, start)
