"""The player as one HTML file: same modules, the payload inside, no server and no network."""

from __future__ import annotations

import base64
import html

from dpviz.errors import require
from dpviz.player.assets import player_script, player_styles
from dpviz.player.blocks import read_header

# The policy forbids every request, so that the file is as self-contained as it says.
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0 auto; max-width: 1500px; padding: 16px; background: light-dark(#ffffff, #0e1117); }}
@media (max-width: 480px) {{ body {{ padding: 8px; }} }}
</style>
</head>
<body>
<div id="player"></div>
<script type="application/octet-stream" id="payload">{payload}</script>
<script type="application/octet-stream" id="styles">{styles}</script>
<script type="module">
{script}
startStandalone();
</script>
</body>
</html>
"""


def standalone_html(payload: bytes, title: str) -> str:
    """Write the player and one payload as an HTML page.

    Parameters
    ----------
    payload : bytes
        What :func:`~dpviz.player.build_payload` returned.
    title : str
        Title of the page, any text.

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
    read_header(payload)
    return _PAGE.format(
        title=html.escape(title),
        payload=base64.b64encode(payload).decode("ascii"),
        styles=base64.b64encode(player_styles().encode()).decode("ascii"),
        script=player_script(),
    )
