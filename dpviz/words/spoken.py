"""The language of this process, and its texts with values in their places."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dpviz.errors import InvalidParameterError
from dpviz.words.catalogue import ENGLISH, Catalogue, Text, problems, read

VARIABLE = "DPVIZ_LANGUAGE"
FEW = 3
"""Faults of a file that an error names; the check lists all."""
_SCRIPT = ENGLISH.with_name("say.js")
_SAID = re.compile(r'(?<![.\w])say(Count)?\("([\w.-]+)"([,)])')
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


@cache
def with_words(script: str) -> str:
    """Put texts into a script that says them by ``say`` and ``sayCount``, and define these two for all that is left.

    A key that stands alone in a call is replaced by its text, so that no key is shipped and no text that is not used.
    Texts whose keys are chosen or put together as the script runs come before it.

    Parameters
    ----------
    script : str
        JavaScript in one scope.
    """
    texts = spoken().texts
    left = _SAID.sub(lambda call: _inlined(call, texts), script)
    keys = {key for key in _KEYS.findall(left) if key in texts}
    composed = [re.compile(_FILLED.sub(r"[\\w-]+", re.escape(key))) for key in _COMPOSED.findall(left)]
    named = {
        key: text for key, text in texts.items() if key in keys or any(pattern.fullmatch(key) for pattern in composed)
    }
    source = _SCRIPT.read_text(encoding="utf-8").replace("export ", "")
    defined = "\n".join(line for line in source.splitlines() if not line.startswith("//"))
    plural = f"const formOf = (n) => Number({spoken().plural});"
    return f"const dpvizWords = {_written(named)};\n{plural}\n{defined}\n{left}"


def _inlined(call: re.Match[str], texts: Mapping[str, Text]) -> str:
    """Write what a call of ``say`` or ``sayCount`` begins with, with its text in the place of the key."""
    by_number, key, after = call.groups()
    if key not in texts:
        raise KeyError(f"{spoken().name} has no text {key}")
    text = _written(texts[key])
    if after == ")":
        return text
    return f"{'fillForm' if by_number else 'fill'}({text},"


def _written(value: object) -> str:
    """Write a value for a script within a page."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
