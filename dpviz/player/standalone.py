"""The player as one HTML file: same modules, the payload inside, no server and no network."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

from dpviz.errors import require
from dpviz.player.assets import player_script, player_styles
from dpviz.player.blocks import read_header

# The policy forbids every request, so that the file is self-contained.
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
{body}
<script type="application/octet-stream" id="payload">{payload}</script>
<script type="application/octet-stream" id="styles">{styles}</script>
<script type="module">
{player}
{script}
</script>
</body>
</html>
"""
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
    return _PAGE.format(
        title=html.escape(title),
        css=css,
        body=body,
        payload=base64.b64encode(payload).decode("ascii"),
        styles=base64.b64encode(player_styles().encode()).decode("ascii"),
        player=player_script(),
        script=script,
    )
