"""The texts of lab, lessons and course: one file per language, of which this process speaks one.

``en.toml`` holds every text that they show, by keys such as ``lab.copied``. A text may have placeholders in braces, as
``str.format`` fills them; a text that depends on a number is a list of forms, of which ``plural`` under ``[language]``
says which one a number takes: an expression in n as translations by gettext have it, ``n != 1`` in English.

To add a language, copy ``en.toml``, translate what stands right of the signs of equality, give name, code and
``plural`` of the language, and check the file: ``python -m dpviz.words de.toml`` lists keys that are missing or
unknown, and texts whose placeholders differ. The environment variable ``DPVIZ_LANGUAGE`` chooses it: the path of such a
file, or the name of one in this folder, ``de``; pages are written and shown in English without it.

Public interface
----------------
``say(key, **values) -> str``
    A text, with values in the place of its placeholders; without any values as it is written.
``say_html(key, **values) -> str``
    The same for a place in HTML.
``say_count(key, n, **values) -> str``
    The form of a text for a number.
``say_section(section) -> dict``
    The texts of a section.
``say_name(english) -> str``
    What a parameter or a scenario is called, whose English name is written where it is defined.
``say_list(names) -> str``
    Names as a sentence joins them: “a, b and c”.
``spoken() -> Catalogue``
    The language of this process.
``in_language(page) -> str``
    A page of HTML that says which language it is in.
``with_words(script) -> str``
    A page's JavaScript that says texts by the same functions ``say`` and ``sayCount``, with the texts that it says.
"""

from __future__ import annotations

from dpviz.words.catalogue import Catalogue, read
from dpviz.words.spoken import (
    in_language,
    say,
    say_count,
    say_html,
    say_list,
    say_name,
    say_section,
    spoken,
    with_words,
)

__all__ = [
    "Catalogue",
    "in_language",
    "read",
    "say",
    "say_count",
    "say_html",
    "say_list",
    "say_name",
    "say_section",
    "spoken",
    "with_words",
]
