"""Terms and symbols in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable

from dpviz.words import say_section

_TEXTS = say_section("glossary")
_NAMES = tuple(dict.fromkeys(name.partition(".")[0] for name in _TEXTS))
_FOUND = {_TEXTS[f"{name}.term"]: _TEXTS[f"{name}.words"] for name in _NAMES}
GLOSSARY: dict[str, str] = {term: _FOUND[term] for term in sorted(_FOUND, key=str.casefold)}
"""Every term by name, in alphabetical order."""

IN_TEXTS: dict[str, str] = {
    words: _TEXTS[f"{name}.term"]
    for name in _NAMES
    if f"{name}.in_texts" in _TEXTS
    for words in _TEXTS[f"{name}.in_texts"].split(" | ")
}
"""Terms by the words that stand for them in texts."""

_WORDS = re.compile(rf"(?<![\w-])({'|'.join(sorted(map(re.escape, IN_TEXTS), key=len, reverse=True))})(?![\w-])")


def anchor(term: str) -> str:
    """Return the name of a term's place in the page of terms."""
    return re.sub(r"\W+", "-", term.lower()).strip("-")


def first_uses(words: str, seen: set[str], write: Callable[[str, str], str]) -> str:
    """Rewrite the first use of each term in a text.

    Parameters
    ----------
    words : str
    seen : set of str
        Terms that were used before; those of this text are added.
    write : callable
        Given the words that stand for a term, and the term, returns what replaces them.
    """

    def written(match: re.Match[str]) -> str:
        term = IN_TEXTS[match[0]]
        if term in seen:
            return match[0]
        seen.add(term)
        return write(match[0], term)

    return _WORDS.sub(written, words)
