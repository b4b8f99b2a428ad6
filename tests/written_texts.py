"""Find what is written for people in the sources of Python modules and scripts, and which texts of a language they use.

A literal counts as written for people if it has two words, or is one with a capital, outside what only machines read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SAYING = frozenset({"say", "say_count", "say_html", "say_name", "say_section"})
REFUSING = frozenset({"require", "require_sequence", "refused", "extra", "OSError"})
"""What tells a caller about a parameter."""
WORDS = re.compile(r"[A-Za-z’']{2,}[,;:.!?]* [A-Za-z(“]{2}|[A-Za-z’']{2,}[,;:.!?]* a ")
FILLED = re.compile(r"[A-Za-z]{3,}[:,]? …|… [A-Za-z]{3,}")
ONE_WORD = re.compile(r"[A-Z][a-z]+[.:…]?")
TAG = re.compile(r"<(?:[^<>\"]|\"[^\"]*\")*>")
SAID_IN_TAG = re.compile(r'(?:aria-label|title|placeholder|alt)="([^"{]+)')
RULES = re.compile(r"[\w.#:\[\]\"'*=^, >@()-]+\{[^{}]*:[^{}]*\}")
"""Of a style sheet."""
AT_RULES = re.compile(r"@[\w-]+[^{}]*\{\s*\}")
"""What is left of a rule around rules."""


class Written(NamedTuple):
    """A text in a source."""

    line: int
    text: str


def is_for_people(text: str) -> bool:
    """Whether a literal, or a page of HTML outside its tags, has words; scripts and style sheets have none."""
    if "const " in text:
        return False
    text = text.replace("{{", "{").replace("}}", "}")
    said = SAID_IN_TAG.findall(text)
    if "<style>" in text:
        text = re.sub(r"<style>.*?</style>", " ", text, flags=re.DOTALL)
    pieces = [*said, *TAG.split(AT_RULES.sub(" ", RULES.sub(" ", text)) if ";" in text or "}" in text else text)]
    return any(map(has_words, pieces))


def has_words(text: str) -> bool:
    """Whether a text has two words, one beside something that is filled in, or one with a capital and nothing else."""
    return bool(WORDS.search(text) or FILLED.search(text) or ONE_WORD.fullmatch(text.strip()))


def python_texts(source: str) -> Iterator[Written]:
    """Texts of a module outside docstrings, keys, code, and calls that look texts up or refuse."""

    def walk(node: ast.AST) -> Iterator[Written]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return
        if isinstance(node, ast.Call) and _called(node) in SAYING | REFUSING:
            first = len(node.args) if _called(node) in REFUSING else 1
            for argument in [*node.args[first:], *(keyword.value for keyword in node.keywords)]:
                yield from walk(argument)
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if is_for_people(node.value):
                yield Written(node.lineno, node.value)
            return
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            if is_for_people("".join(map(str, parts))):
                yield Written(node.lineno, "".join(map(str, parts)))
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    yield from walk(part.value)
            return
        skipped = set(map(id, node.keys if isinstance(node, ast.Dict) else ()))
        if isinstance(node, ast.AnnAssign | ast.arg):
            skipped.add(id(node.annotation))
        if isinstance(node, ast.Compare):
            skipped |= {id(part) for part in (node.left, *node.comparators) if isinstance(part, ast.Constant)}
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            skipped.add(id(node.slice))
        for child in ast.iter_child_nodes(node):
            if id(child) not in skipped:
                yield from walk(child)

    yield from walk(ast.parse(source))


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


class Literal(NamedTuple):
    """A string or template of a script, with ``…`` for what is filled in, and the code on its line before it."""

    line: int
    text: str
    before: str


_SKIPPED = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'")
_PATTERN = re.compile(r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_PATTERN = re.compile(r"(?:^|[(,=:\[!&|?{};>]|\breturn)\s*$")


def script_literals(source: str) -> list[Literal]:
    """All strings and templates of a script, those within templates too."""
    found: list[Literal] = []
    _read_code(source, 0, found, "")
    return found


def _read_code(source: str, at: int, found: list[Literal], end: str) -> int:
    """Read code up to a brace that closes it, or to its end; return where that is."""
    depth = 0
    while at < len(source):
        before = source[source.rfind("\n", 0, at) + 1 : at]
        if match := _SKIPPED.match(source, at):
            at = match.end()
        elif match := _QUOTED.match(source, at):
            found.append(Literal(source.count("\n", 0, at) + 1, match[1] or match[2] or "", before))
            at = match.end()
        elif source[at] == "`":
            at = _read_template(source, at + 1, found, before)
        elif source[at] == "/" and _BEFORE_PATTERN.search(before) and (match := _PATTERN.match(source, at)):
            at = match.end()
        elif source[at] == end and depth == 0:
            return at
        else:
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            at += 1
    return at


def _read_template(source: str, at: int, found: list[Literal], before: str) -> int:
    line, pieces = source.count("\n", 0, at) + 1, []
    while source[at] != "`":
        if source.startswith("${", at):
            at = _read_code(source, at + 2, found, "}") + 1
            pieces.append("…")
        else:
            step = 2 if source[at] == "\\" else 1
            pieces.append(source[at : at + step])
            at += step
    found.append(Literal(line, "".join(pieces), before))
    return at + 1


MACHINES = re.compile(
    r"(?:\bclass: |\bclassName = |\bclassList\.\w+\(|"  # classes of CSS
    r"\b(?:querySelector(?:All)?|closest|matches|matchMedia)\(|"  # selectors
    r"\b(?:addEventListener|CustomEvent)\(|event\.\w+ [!=]== |\.key\.startsWith\(|\.[gs]et(?:Item)?\(|"  # events, keys
    r"(?<![.\w])(?:say|sayCount)\((?:[\w. !=]+ \? )?|\bfrom |"  # keys of texts, and modules
    r"\b(?:id|command|key): |\.name [!=]== )$"
)
"""What stands before a literal that is for machines."""


def script_texts(source: str) -> Iterator[Written]:
    """Texts of a script that are written in it for people."""
    for line, text, before in script_literals(source):
        if has_words(text) and not MACHINES.search(before):
            yield Written(line, text)


def keys_in(path: Path) -> set[str]:
    """Literals of a source that could be keys, those with a part that is filled in up to it and ``…``."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        texts = {literal.text for literal in script_literals(source)}
    else:
        nodes = list(ast.walk(ast.parse(source)))
        texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
        texts |= {
            "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            for node in nodes
            if isinstance(node, ast.JoinedStr)
        }
    return {text for text in texts if re.fullmatch(r"[a-z_]+\.[\w.…-]+", text)}
