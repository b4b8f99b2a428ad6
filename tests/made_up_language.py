"""A language whose texts are the English ones in brackets, to find what a page shows that is in no language's file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from written_texts import is_for_people

from dpviz.words import read
from dpviz.words.catalogue import ENGLISH

NAMES = {"Gibbs", "Powered CRP"}
"""Of methods, alike in every language."""


def in_brackets(text: str) -> str:
    return f"⟦{text}⟧"


SLAVIC = "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"


def pseudo(folder: Path, **changes: str | list[str] | None) -> Path:
    """Write a language with three forms whose texts are the English ones in brackets, but for changes by key."""
    lines = []
    for key, text in read(ENGLISH).texts.items():
        forms = [in_brackets(form) for form in text] if isinstance(text, tuple) else in_brackets(text)
        own = changes.get(key, [*forms, forms[-1]] if isinstance(forms, list) else forms)
        name = f"names.{json.dumps(key[6:], ensure_ascii=False)}" if key.startswith("names.") else key
        lines.append(f"{name} = {json.dumps(own, ensure_ascii=False)}" if own is not None else "")
    path = folder / "zz.toml"
    language = f'[language]\nname = "Brackets"\ncode = "zz"\nplural = "{SLAVIC}"\n'
    path.write_text("\n".join([*lines, language]), encoding="utf-8")
    return path


def untranslated(texts: list[str]) -> list[str]:
    """Texts with words for people outside brackets, but for names of methods."""
    found = []
    for text in texts:
        left, depth = "", 0
        for sign in text:
            depth += (sign == "⟦") - (sign == "⟧")
            left += sign if depth == 0 and sign != "⟧" else ""
        if is_for_people(left) and left.strip() not in NAMES:
            found.append(text)
    return found


def spoken_in(language: Path | str, program: str) -> dict[str, object]:
    """What a program writes as JSON in another process, whose language is this one."""
    environment = {**os.environ, "DPVIZ_LANGUAGE": str(language)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))
