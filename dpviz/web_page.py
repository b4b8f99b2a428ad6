"""The frame of all HTML pages: they hold all they need, and their policies forbid every load."""

from __future__ import annotations

import html

from dpviz.files import PAGE_START

_LEADS_NOWHERE = "; base-uri 'none'; form-action 'none'"
STILL = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{_LEADS_NOWHERE}"
"""Of pages of text and drawings, in which no script runs."""
SCRIPTED = (
    f"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:{_LEADS_NOWHERE}"
)
"""Of pages with scripts."""
COMPUTING = SCRIPTED.replace("'unsafe-inline'", "'unsafe-inline' 'wasm-unsafe-eval'", 1) + "; worker-src blob:"
"""Of pages that compute in a Worker."""
_PAGE = """\
{start}<meta http-equiv="Content-Security-Policy" content="{policy}">
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


def web_page(title: str, css: str, body: str, policy: str = STILL, start: str = PAGE_START) -> str:
    """Write an HTML page.

    Parameters
    ----------
    title : str
        Plain text.
    css, body : str
        Its style and its HTML, scripts included.
    policy : str
        What the page may do: one of this module's policies.
    start : str
        Beginning of the page, :data:`dpviz.files.SITE_START` of one that holds nothing of a user's.
    """
    return _PAGE.format(start=start, policy=policy, title=html.escape(title), css=css.strip(), body=body.strip())
