"""The frame of pages that only hold text and drawings: no script runs in them, and nothing is fetched."""

from __future__ import annotations

import html

from dpviz.files import SITE_START
from dpviz.words import in_language

_PAGE = (
    SITE_START
    + """\
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body>
{body}
</body>
</html>
"""
)


def plain_page(title: str, css: str, body: str) -> str:
    """Write a page without scripts.

    Parameters
    ----------
    title : str
        Plain text.
    css, body : str
        Its style and its HTML.
    """
    return in_language(_PAGE.format(title=html.escape(title), css=css.strip(), body=body.strip()))
