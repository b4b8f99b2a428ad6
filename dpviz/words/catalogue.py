"""Reading of a language's file, and its comparison with the English one."""

from __future__ import annotations

import gettext
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from dpviz.errors import InvalidParameterError
from dpviz.files import opened
from dpviz.text import quoted

ENGLISH = Path(__file__).parent / "en.toml"
LARGEST = 1_000
"""Numbers up to which forms are asked for: languages repeat themselves after a hundred."""
_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
"""A language's tag as BCP 47 writes it, at least in form."""
_MARKED = re.compile(r"\[(\w+)\]")
LANGUAGE = ("name", "code", "plural")
"""What a file says of its language."""

Text = str | tuple[str, ...]
"""A text, or its forms by number."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The texts of one language.

    Attributes
    ----------
    file : str
        Where they come from.
    name, code : str
        What the language is called in itself, and in HTML.
    plural : str
        Which of its forms a text has for n things, in the grammar of gettext.
    texts : mapping of str to str or tuple of str
        By key.
    """

    file: str
    name: str
    code: str
    plural: str
    texts: Mapping[str, Text]

    @property
    def form(self) -> Callable[[int], int]:
        """Position of the form that a number takes."""
        return gettext.c2py(self.plural)

    @property
    def n_forms(self) -> int:
        """How many forms there are."""
        return 1 + max(map(self.form, range(LARGEST)))


def read(path: str | Path) -> Catalogue:
    """Read a language's file; what it lacks is for :func:`problems` to say.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InvalidParameterError
        If there is no such file, it is no TOML, or does not say which language it is of.
    """
    try:
        with opened(Path(path), "rb") as file:  # which waits for no pipe
            contents = tomllib.loads(file.read().decode("utf-8-sig"))  # some editors put a mark in front
        texts = dict(_flat({name: value for name, value in contents.items() if name != "language"}))
    except UnicodeDecodeError as error:
        raise InvalidParameterError(
            f"The language file {path} cannot be read, since it is not in UTF-8 ({error}). Save it in UTF-8."
        ) from error
    except RecursionError as error:
        raise InvalidParameterError(
            f"The language file {path} cannot be read, since its values lie within each other too deep to follow. Each "
            "is a text, or a list of texts, in a section."
        ) from error
    except (OSError, ValueError) as error:  # of TOML, and of numbers too long to be any
        raise InvalidParameterError(f"The language file {path} cannot be read: {error}") from error
    language = contents.get("language", {})
    absent = [name for name in LANGUAGE if not isinstance(language, dict) or not isinstance(language.get(name), str)]
    if absent:
        raise InvalidParameterError(f"The language file {path} lacks {absent[0]} under [language]: give it as a text.")
    try:
        form = gettext.c2py(language["plural"])
        for number in range(LARGEST):
            form(number)
    except (ValueError, ArithmeticError) as error:
        raise InvalidParameterError(
            f"The language file {path} has plural = {quoted(language['plural'])}, which must be an expression in n "
            f"such as 'n != 1': {error}."
        ) from error
    if _TAG.fullmatch(language["code"]) is None:
        raise InvalidParameterError(
            f"The language file {path} has code = {language['code'][:40]!r}, which must be a language's tag by "
            "BCP 47, such as 'de' or 'pt-BR'."
        )
    own = {name: language[name] for name in LANGUAGE}
    return Catalogue(str(path), **own, texts=texts)


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, tuple(value) if isinstance(value, list) else value


def problems(catalogue: Catalogue, english: Catalogue) -> list[str]:
    """List what keeps a language's file from standing in for the English one, a sentence for each key.

    Parameters
    ----------
    catalogue, english : Catalogue
    """
    own, wanted = catalogue.texts, english.texts
    found = [f"{key}: is missing" for key in wanted if key not in own]
    found += [f"{key}: is unknown" for key in own if key not in wanted]
    for key in wanted:
        if key in own and (fault := _fault(own[key], wanted[key], catalogue.n_forms)):
            found.append(f"{key}: {fault}")
    return found


def _fault(own: Text, wanted: Text, n_forms: int) -> str:
    """Say what is wrong with a text, given the English one; empty if nothing is."""
    if isinstance(wanted, tuple):
        if not isinstance(own, tuple) or len(own) != n_forms:
            return f"must be a list of {n_forms} forms, as plural says"
    elif not isinstance(own, str):
        return "must be a text"
    forms = own if isinstance(own, tuple) else (own,)
    if not all(isinstance(form, str) and form.strip() for form in forms):
        return "is empty, or no text"
    try:
        present = set().union(*map(placeholders, forms))
    except ValueError as error:
        return f"has a brace that is no placeholder ({error}); write it twice"
    needed = set().union(*map(placeholders, wanted if isinstance(wanted, tuple) else (wanted,)))
    if present != needed:
        return f"has the placeholders {_listed(present)} and needs {_listed(needed)}"
    return ""


def placeholders(text: str) -> set[str]:
    """Return the placeholders of a text as they are written, with the forms of their numbers.

    Raises
    ------
    ValueError
        If a brace is left open.
    """
    found = {f"[{name}]" for name in _MARKED.findall(text)}
    for _, name, form, _ in Formatter().parse(text):
        if name is not None:
            found.add(f"{{{name}:{form}}}" if form else f"{{{name}}}")
    return found


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
