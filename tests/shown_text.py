"""Find in the source of the pages what is shown as Markdown without being escaped, by following every text back.

A text is harmless if it is written in the source, is a number (its format accepts nothing else), went through
``escape_markdown``, or is put together from such texts. Names are followed to what they were assigned in their
function, calls to what functions of that name return, and parameters to the calls of their function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SHOWN = {
    *("error", "warning", "info", "success", "toast", "markdown", "write", "caption", "title", "header", "subheader"),
    *("button", "download_button", "link_button", "toggle", "checkbox", "expander", "popover", "spinner", "metric"),
    *("radio", "segmented_control", "pills", "selectbox", "multiselect", "slider", "select_slider", "number_input"),
    *("text_input", "text_area", "file_uploader", "data_editor", "tabs"),
}
"""Methods whose first argument is shown as Markdown."""
SHOWN_BY_NAME = {"label", "body", "text", "help", "caption"}
ESCAPED = {"escape_markdown", "len", "int", "float", "counted", "duration", "signed", "in_words_of_code"}
WRITTEN_HERE = {"watch", "explanation", "costs_in_words", "onwards", "label", "words", "parameter"}
"""Attributes of lessons, algorithms and the like, whose text is part of the source."""
_NUMBER_FORMAT = re.compile(r"[<>+ ]?\d*[,_]?(\.\d+)?[defgE%,]?")


class Source:
    """The functions of some modules, by name.

    Parameters
    ----------
    files : iterable of Path
    """

    def __init__(self, files: list[Path]) -> None:
        self.functions: dict[str, list[tuple[Path, ast.FunctionDef]]] = {}
        self.classes: set[str] = set()
        for file in files:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.FunctionDef):
                    self.functions.setdefault(node.name, []).append((file, node))
                elif isinstance(node, ast.ClassDef):
                    self.classes.add(node.name)

    def unescaped(self, folder: Path) -> list[str]:
        """List what functions in a folder show without escaping it, as ``file:line text``."""
        found = []
        self._passed_on: dict[str, set[str]] = {}
        n_known = -1
        while n_known < sum(map(len, self._passed_on.values())):  # a parameter that is shown makes its callers show
            n_known = sum(map(len, self._passed_on.values()))
            found = [
                f"{file.name}:{shown.lineno} {ast.unparse(shown)}"
                for functions in self.functions.values()
                for file, function in functions
                if folder in file.parents
                for shown in self._shown(function)
                if not self.is_harmless(shown, function)
            ]
        return sorted(set(found))

    def _shown(self, function: ast.FunctionDef) -> Iterator[ast.expr]:
        for call in _nodes(function):
            if not isinstance(call, ast.Call):
                continue
            name = _name(call.func)
            if isinstance(call.func, ast.Attribute) and name in SHOWN:
                yield from call.args[:1]
                yield from (keyword.value for keyword in call.keywords if keyword.arg in SHOWN_BY_NAME)
            for parameter in self._passed_on.get(name, ()):
                yield from self._given(call, name, parameter)

    def _given(self, call: ast.Call, name: str, parameter: str) -> Iterator[ast.expr]:
        """What a call gives for a parameter of a function of that name."""
        yield from (keyword.value for keyword in call.keywords if keyword.arg == parameter)
        for _, function in self.functions[name]:
            names = [argument.arg for argument in function.args.args if argument.arg != "self"]
            if parameter in names and names.index(parameter) < len(call.args):
                yield call.args[names.index(parameter)]

    def is_harmless(self, text: ast.expr, function: ast.FunctionDef, seen: frozenset[str] = frozenset()) -> bool:
        """Say whether an expression in a function can only be a harmless text."""

        def harmless(part: ast.expr) -> bool:
            return self.is_harmless(part, function, seen)

        if isinstance(text, ast.Constant):
            return True
        if isinstance(text, ast.JoinedStr | ast.List | ast.Tuple):
            return all(map(harmless, text.values if isinstance(text, ast.JoinedStr) else text.elts))
        if isinstance(text, ast.FormattedValue):
            return _is_number_format(text.format_spec) or harmless(text.value)
        if isinstance(text, ast.BinOp):
            return harmless(text.left) and harmless(text.right)
        if isinstance(text, ast.IfExp):
            return harmless(text.body) and harmless(text.orelse)
        if isinstance(text, ast.BoolOp):
            return all(map(harmless, text.values))
        if isinstance(text, ast.GeneratorExp | ast.ListComp):
            return harmless(text.elt)
        if isinstance(text, ast.Starred | ast.Subscript):
            return harmless(text.value)
        if isinstance(text, ast.Attribute):
            return text.attr in WRITTEN_HERE or _is_number(text.attr)
        if isinstance(text, ast.Call):
            return self._returns_harmless(text, function, seen)
        return isinstance(text, ast.Name) and self._holds_harmless(text.id, function, seen)

    def _returns_harmless(self, call: ast.Call, function: ast.FunctionDef, seen: frozenset[str]) -> bool:
        name = _name(call.func)
        if name in ESCAPED:
            return True
        if name in ("say", "say_count", "say_html"):  # a text of this project, with values in it
            values = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
            return all(self.is_harmless(value, function, seen) for value in values)
        if name in ("join", "capitalize", "lower"):
            parts = [*call.args, call.func.value] if isinstance(call.func, ast.Attribute) else call.args
            return all(self.is_harmless(part, function, seen) for part in parts)
        of_object = isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Name)
        if name not in self.functions or name in dir(dict) or of_object or f"{name}()" in seen:
            return f"{name}()" in seen
        within = seen | {f"{name}()"}
        return all(
            self.is_harmless(result, called, within)
            for _, called in self.functions[name]
            for result in _results(called)
        )

    def _holds_harmless(self, name: str, function: ast.FunctionDef, seen: frozenset[str]) -> bool:
        if name.strip("_").isupper() or _is_number(name):
            return True
        key = f"{function.name}.{name}"
        if key in seen:
            return True
        held = list(_assigned(name, function))
        for argument in [*function.args.args, *function.args.kwonlyargs]:
            if argument.arg != name:
                continue
            if argument.annotation is not None and ast.unparse(argument.annotation) in ("int", "float"):
                return True
            self._passed_on.setdefault(function.name, set()).add(name)
            return all(self.is_harmless(value, function, seen | {key}) for value in held)
        return bool(held) and all(self.is_harmless(value, function, seen | {key}) for value in held)


@cache
def _nodes(function: ast.FunctionDef) -> tuple[ast.AST, ...]:
    """Find all parts of a function once: every name in it that is shown is looked for among them."""
    return tuple(ast.walk(function))


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _is_number(name: str) -> bool:
    """Say whether a name is that of a number, by the project's own rule for naming."""
    return name.startswith(("n_", "N_", "most_", "MOST_"))


def _is_number_format(spec: ast.expr | None) -> bool:
    """Say whether a format accepts numbers only."""
    if not isinstance(spec, ast.JoinedStr) or not all(isinstance(part, ast.Constant) for part in spec.values):
        return False
    text = "".join(str(part.value) for part in spec.values if isinstance(part, ast.Constant))
    return bool(re.search("[defgE%,]$", text)) and bool(_NUMBER_FORMAT.fullmatch(text))


def _results(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in _nodes(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield node.value


def _assigned(name: str, function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What a name is given in a function, by assignment, in a loop, or by ``append`` and the like."""
    for node in _nodes(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _matched(name, target, node.value)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value is not None:
            yield from _matched(name, node.target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            yield from _matched(name, node.target, node.iter)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("append", "extend") and _name(node.func.value) == name:
                yield from node.args


def _matched(name: str, target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple):
        pairs = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for position, part in enumerate(target.elts):
            yield from _matched(name, part, value.elts[position] if pairs else value)
