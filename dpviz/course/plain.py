"""Pages of the course that only hold text and drawings, in the language of its texts."""

from __future__ import annotations

from dpviz.files import SITE_START
from dpviz.web_page import web_page
from dpviz.words import in_language


def plain_page(title: str, css: str, body: str) -> str:
    """Write a page without scripts from its title as plain text, its style, and its HTML."""
    return in_language(web_page(title, css, body, start=SITE_START))
