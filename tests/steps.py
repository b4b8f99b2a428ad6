"""Count what reading costs in steps instead of seconds: of patterns by a second matcher, of Python by its trace."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_WORD": lambda letter: letter.isalnum() or letter == "_",
}


class Matcher:
    """Matches a pattern by backtracking, as Python's ``re`` does, and counts the characters it looks at."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.tree = re._parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)  # type: ignore[attr-defined]
        self.dot_all, self.any_case = bool(pattern.flags & re.DOTALL), bool(pattern.flags & re.IGNORECASE)
        self.steps = 0

    def end(self, text: str, start: int) -> int | None:
        """Return where the match that begins at ``start`` ends, if there is one."""
        return next(self._sequence(list(self.tree), 0, text, start), None)

    def scan(self, text: str) -> int:
        """Look for all matches, as ``sub`` does, and return the steps that took."""
        self.steps = position = 0
        while position <= len(text):
            end = self.end(text, position)
            position = position + 1 if end is None or end == position else end
        return self.steps

    def _sequence(self, nodes: list[Any], index: int, text: str, at: int) -> Iterator[int]:
        if index == len(nodes):
            yield at
            return
        for position in self._node(nodes[index], text, at):
            yield from self._sequence(nodes, index + 1, text, position)

    def _node(self, node: Any, text: str, at: int) -> Iterator[int]:
        self.steps += 1
        kind, value = str(node[0]), node[1]
        if kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            if at < len(text) and self._accepts(kind, value, text[at]):
                yield at + 1
        elif kind == "AT":
            if (at == 0 and "BEGINNING" in str(value)) or (at == len(text) and "END" in str(value)):
                yield at
        elif kind == "SUBPATTERN":
            yield from self._sequence(list(value[-1]), 0, text, at)
        elif kind == "BRANCH":
            for branch in value[1]:
                yield from self._sequence(list(branch), 0, text, at)
        elif kind in ("ASSERT", "ASSERT_NOT"):
            starts = [at] if value[0] == 1 else range(max(0, at - 10), at + 1)
            found = any(
                value[0] == 1 or end == at for start in starts for end in self._sequence(list(value[1]), 0, text, start)
            )
            if found == (kind == "ASSERT"):
                yield at
        elif kind in ("MAX_REPEAT", "POSSESSIVE_REPEAT"):
            ends = self._repeated(*value, text, at)
            yield from ends if kind == "MAX_REPEAT" else [end for end in [next(ends, None)] if end is not None]
        else:
            raise NotImplementedError(kind)

    def _repeated(self, least: int, most: int, body: Any, text: str, at: int) -> Iterator[int]:
        """Yield the ends of a greedy repetition, the longest first; each step may itself be retried."""
        stack = [(at, self._sequence(list(body), 0, text, at))]
        while stack:
            here, ends = stack[-1]
            further = next(ends, None) if len(stack) <= int(most) else None
            if further is not None and further > here:
                stack.append((further, self._sequence(list(body), 0, text, further)))
                continue
            stack.pop()
            self.steps += 1
            if len(stack) >= least:
                yield here

    def _accepts(self, kind: str, value: Any, letter: str) -> bool:
        if self.any_case:
            letter = letter.lower()
        if kind == "ANY":
            return self.dot_all or letter != "\n"
        if kind != "IN":
            return (letter == chr(value)) == (kind == "LITERAL")
        negated = str(value[0][0]) == "NEGATE"
        return any(self._in(str(item[0]), item[1], letter) for item in value[negated:]) != negated

    def _in(self, kind: str, value: Any, letter: str) -> bool:
        if kind == "LITERAL":
            return letter == chr(value)
        if kind == "RANGE":
            return value[0] <= ord(letter) <= value[1]
        category = str(value)
        found = _CATEGORIES[category.replace("_NOT_", "_")](letter)
        return found != ("_NOT_" in category)


def lines_run(work: Callable[[], object], *folders: str) -> int:
    """Run something and count the lines of Python it executes in modules whose path holds one of ``folders``."""
    count = 0

    @functools.cache
    def is_counted(path: str) -> bool:
        return any(folder in path for folder in folders)

    def within(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return within

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return within if is_counted(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
