"""The files that a compiled function is made of: they name its cached code, and say whether the browsers' is stale."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent


@functools.cache
def _text(path: Path) -> bytes:
    """Return the text of a file as it was first read.

    All files with kernels are read when the first of them is imported, so that code which is compiled from them later
    is not taken for that of other texts, to which somebody changed them meanwhile.
    """
    return path.read_bytes()


def have_changed() -> bool:
    """Whether a file that was read has another text by now, or is gone: what is loaded may not be what it says."""
    try:
        return any(path.read_bytes() != _text(path) for path in everything())
    except OSError:
        return True


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Return the files of this package that hold kernels and from which a file imports when it is loaded."""
    waiting: list[ast.AST] = [ast.parse(_text(path))]
    modules = set()
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE.name:
                modules.add(node.module or "")
            elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                waiting.append(node)
    return tuple(file for file in map(file_of, sorted(modules)) if file is not None)


def file_of(module: str) -> Path | None:
    """Return the file of a module of this package if it holds kernels, else None."""
    path = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() and b"_jit" in _text(path) else None


def module_of(path: Path) -> str:
    """Return the module of a file of this package."""
    return ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))


@functools.cache
def everything() -> tuple[Path, ...]:
    """Return all files of this package that hold kernels, sorted."""
    return tuple(sorted(path for path in PACKAGE.rglob("*.py") if b"_jit" in _text(path)))


def sources(files: Iterable[Path]) -> list[Path]:
    """Return the files whose kernels compiled code may hold.

    Parameters
    ----------
    files : iterable of Path
        Files of its functions, of any package.

    Returns
    -------
    list of Path
        These, what they import from this package and holds kernels, what that imports, and so on; sorted.
    """
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path)
    return sorted(found)


def digest(files: Iterable[Path]) -> str:
    """Return a digest (64 hexadecimal digits) of the names and texts of files, whatever ends their lines."""
    whole = hashlib.sha256()
    for path in files:
        inside = path.is_relative_to(PACKAGE)
        whole.update((path.relative_to(PACKAGE).as_posix() if inside else path.name).encode() + b"\n")
        whole.update(_text(path).replace(b"\r\n", b"\n"))
    return whole.hexdigest()
