"""The story as one HTML file: text with figures in it, the engine, and what the figures show."""

from __future__ import annotations

import html
import json
import re
import zlib
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from dpviz.film import film
from dpviz.papers import PAPERS
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.player.standalone import computing_page
from dpviz.scripts import PACKAGE
from dpviz.story.facts import shown, told
from dpviz.words import say, say_html, say_section

NOWHERE: Mapping[str, str] = {}
PLACES = ("lab", "course", "index", "worksheets", "answers", "handout")
"""Pages that the story leads to, where there are any."""
APPENDIX = "sticks"
"""The section with which the appendix begins."""
_STYLES = [PACKAGE / path for path in ("story/assets/story.css", "stage/handle.css")]
_CITED = ("chinese_restaurant", "kmeans", "sticks", "gibbs", "dpmeans", "mapdp")  # in the order of their years
_DOI = re.compile(r"doi:(\S+)")
_EMPHASIS, _NUMBER, _TOLD = re.compile(r"\*(.+?)\*"), re.compile(r"\[(\w+)\]"), re.compile(r"\{(\w+)\}")
_FORMULA = """\
<p class="formula"><span>{price}</span> = <span class="seat">−ln <span class="ratio"><i>n<sub>k</sub></i>
<span>{others} + <i>N</i><sub>0</sub></span></span></span> + <span class="place">−ln
<span class="ratio">{density} <span>{highest}</span></span></span></p>"""
_FIGURE = """\
<figure id="{name}"><div class="stage"></div>
<figcaption class="told" aria-live="polite">{told}</figcaption>{own}</figure>"""
_OWN = '<a href="?figure={name}" class="own">{words}</a>'


def story_page(places: Mapping[str, str] = NOWHERE) -> str:
    """Write the story as a page that needs no server and no network.

    Parameters
    ----------
    places : mapping of str to str
        Relative addresses of what it leads to, by the names of :data:`PLACES`; what has none is said without a link.

    Returns
    -------
    str
    """
    contents = {"film-payload": film().stored, "facts": zlib.compress(json.dumps(shown()).encode(), 9)}
    styles = "\n".join([_colors(), *(path.read_text(encoding="utf-8") for path in _STYLES)])
    return computing_page(say("story.title"), styles, _body(places), "story", contents)


def article(places: Mapping[str, str] = NOWHERE) -> dict[str, str]:
    """Return the HTML of each section, by its name, in their order; what is said of one place needs its address.

    Parameters
    ----------
    places : mapping of str to str
        As of :func:`story_page`.
    """
    filled = {name: f"{number:,}" for name, number in told().items()} | _links(places)
    own = _OWN if places else ""  # where it leads nowhere, it has no address, either
    texts = [(*key.split(".", 1), text) for key, text in say_section("article").items()]
    sections = {
        name: "\n".join(
            _part(name, part, text, filled, own) for _, part, text in parts if places.get(part) or part not in PLACES
        )
        for name, parts in groupby(texts, key=lambda text: text[0])
    }
    return sections | {"papers": _papers()}


def _body(places: Mapping[str, str]) -> str:
    sections = [f'<section aria-labelledby="{name}-title">{text}</section>' for name, text in article(places).items()]
    return "\n".join(["<main>", f"<noscript><p>{say_html('story.no_script')}</p></noscript>", *sections, "</main>"])


def _papers() -> str:
    cited = [_DOI.sub(r'<a href="https://doi.org/\1" target="_blank">doi:\1</a>', PAPERS[name]) for name in _CITED]
    listed = "".join(f"<li>{paper.replace('&', '&amp;')}</li>" for paper in cited)
    return f'<h2 id="papers-title">{say_html("story.papers")}</h2><ul>{listed}</ul>'


def _part(section: str, part: str, text: str, filled: Mapping[str, str], own: str) -> str:
    """Write a text by what its key calls it: the title, a figure's sentence, the formula, or a paragraph."""
    if part == "title":
        level = 1 if section == "opening" else 2
        return f'<h{level} id="{section}-title">{html.escape(text)}</h{level}>'
    if part == "figure":
        link = own.format(name=section, words=say_html("story.own"))
        return _FIGURE.format(name=section, told=_marked(text, filled), own=link)
    if part == "formula":
        words = dict(zip(("price", "others", "density", "highest"), html.escape(text).split(" | "), strict=True))
        return _FORMULA.format(**words)
    return f'<p class="{part.rstrip("0123456789")}">{_marked(text, filled)}</p>'


def _marked(text: str, filled: Mapping[str, str]) -> str:
    """Write a text in which *words* are stressed, [name] is dragged, and {name} is told here or by the script."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        return filled[name] if name in filled else f'<b data-told="{name}">…</b>'

    stressed = _EMPHASIS.sub(r"<em>\1</em>", html.escape(text))
    return _TOLD.sub(value, _NUMBER.sub(r'<b data-number="\1">…</b>', stressed))


def _links(places: Mapping[str, str]) -> dict[str, Any]:
    """Return the beginnings and ends of links; of what has no address both are empty."""
    links = {f"to_{name}": f'<a href="{html.escape(places[name])}">' if name in places else "" for name in PLACES}
    ends = {f"end_{name}": "</a>" if name in places else "" for name in PLACES}
    own = {"to_appendix": f'<a href="#{APPENDIX}-title">', "to_lecture": '<a href="?ui=present">'}
    return links | ends | own | {"end_appendix": "</a>", "end_lecture": "</a>"}


def _colors() -> str:
    """Write the colours of clusters as classes k0, k1 and so on."""
    pairs = zip(CLUSTER_COLORS["light"], CLUSTER_COLORS["dark"], strict=True)
    return "\n".join(f".k{k} {{ --ink: light-dark({light}, {dark}); }}" for k, (light, dark) in enumerate(pairs))
