"""The language of this process, and its texts with values in their places."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dpviz.errors import InvalidParameterError
from dpviz.words.catalogue import ENGLISH, Catalogue, Text, problems, read

VARIABLE = "DPVIZ_LANGUAGE"
FEW = 3
"""Faults of a file that an error names; the check lists all."""
_KEYS = re.compile(r'"([a-z_]+\.[\w.-]+)"')
_COMPOSED = re.compile(r"`([a-z_]+\.(?:[\w.-]|\$\{[^{}`]*\})*)`")
_FILLED = re.compile(r"\\\$\\\{.*?\\\}")


@cache
def spoken() -> Catalogue:
    """Return the language that the environment chooses, whole.

    Raises
    ------
    InvalidParameterError
        If there is no such language, or its file lacks something.
    """
    chosen = os.environ.get(VARIABLE, "")
    english = read(ENGLISH)
    if chosen in ("", "en"):
        return english
    catalogue = read(_file_of(chosen))
    faults = problems(catalogue, english)
    if faults:
        some = "; ".join(faults[:FEW])
        more = f" and {len(faults) - FEW} more" if len(faults) > FEW else ""
        raise InvalidParameterError(
            f"{VARIABLE} = {chosen} chooses {catalogue.name}, whose file is not whole: {some}{more}. "
            f"Mend it: python -m dpviz.words {catalogue.file} lists everything."
        )
    return catalogue


def _file_of(chosen: str) -> Path:
    """Return the file of a language that is named, or the one at a path."""
    if chosen.endswith(".toml"):
        return Path(chosen)
    known = {path.stem: path for path in ENGLISH.parent.glob("*.toml")}
    if chosen not in known:
        raise InvalidParameterError(
            f"{VARIABLE} = {chosen} must be one of {', '.join(sorted(known))}, or the path of a file such as de.toml."
        )
    return known[chosen]


def _text(key: str) -> Text:
    catalogue = spoken()
    if key not in catalogue.texts:
        raise KeyError(f"{catalogue.name} has no text {key}")
    return catalogue.texts[key]


def say(key: str, /, **values: Any) -> str:
    """Return a text.

    Parameters
    ----------
    key : str
        Section and name, such as ``lab.copied``.
    **values
        What stands in the place of its placeholders; without any the text is returned as it is written.
    """
    text = _text(key)
    assert isinstance(text, str), f"{key} depends on a number"
    return text.format_map(values) if values else text


def say_html(key: str, /, **values: Any) -> str:
    """Return a text, as :func:`say` does, for a place in HTML."""
    return html.escape(say(key, **values))


def say_count(key: str, n: int, /, **values: Any) -> str:
    """Return the form of a text for n things, with ``{n}`` and other placeholders filled in."""
    forms = _text(key)
    assert isinstance(forms, tuple), f"{key} does not depend on a number"
    return forms[spoken().form(n)].format_map({"n": f"{n:,}", **values})


def say_section(section: str) -> dict[str, str]:
    """Return the texts of a section by their names in it, in the order of the file."""
    before = f"{section}."
    return {key.removeprefix(before): str(text) for key, text in spoken().texts.items() if key.startswith(before)}


def say_name(english: str) -> str:
    """Return what something is called that has its English name elsewhere in the package; itself if it is unknown."""
    text = spoken().texts.get(f"names.{english}", english)
    assert isinstance(text, str), f"{english} is a name"
    return text


def say_list(names: Sequence[str]) -> str:
    """Join names as a sentence does: “a, b and c”."""
    return say("shared.last_of_list", others=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]


def in_language(page: str) -> str:
    """Let a page of HTML that begins as all of ours do say which language it is in."""
    return page.replace('<html lang="en">', f'<html lang="{html.escape(spoken().code)}">', 1)


def with_words(script: str) -> str:
    """Put before a script the texts that it says, and no others, where its ``say.js`` finds them.

    Parameters
    ----------
    script : str
        An ES module, in which keys are texts in double quotes, or in backquotes if a part of them is filled in.
    """
    keys = {*_KEYS.findall(script)}
    composed = [re.compile(_FILLED.sub(r"[\\w-]+", re.escape(key))) for key in _COMPOSED.findall(script)]
    said = {
        key: text
        for key, text in spoken().texts.items()
        if key in keys or any(pattern.fullmatch(key) for pattern in composed)
    }
    written = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"const dpvizWords = {written};\nconst formOf = (n) => Number({spoken().plural});\n{script}"
