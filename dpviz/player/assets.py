"""JavaScript and CSS of the player, joined into the single strings that Streamlit and the standalone page take."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

_FOLDER = Path(__file__).parent / "assets"
_DRAWING = Path(__file__).parent / "drawing"

# Each module only uses those before it, so joining them in this order gives one module.
MODULES = (
    "decode",
    "theme",
    "format",
    "sizes",
    "slow",
    "run",
    "texts",
    "crowding",
    "markers",
    "hatch",
    "view",
    "overlay",
    "regions",
    "backdrop",
    "scatter",
    "pointer",
    "scrub",
    "ranges",
    "charts",
    "ribbon",
    "curves",
    "bars",
    "deck",
    "layout",
    "controls",
    "vector",
    "export",
    "toolbar",
    "reader",
    "hints",
    "legend",
    "ghost",
    "why",
    "editor",
    "recorder",
    "room",
    "fullscreen",
    "speaker",
    "player",
    "mount",
)

_IMPORT = re.compile(r'^import \{[^}]*\} from "[./\w]+\.js";\n', re.MULTILINE)
_PLAYERS = re.compile(r'^import \{[^}]*\} from "[./]+/player/assets/(\w+)\.js";$', re.MULTILINE)
_NEIGHBOURS = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";$', re.MULTILINE)
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
_REMARK = re.compile(r" // [^\"'`\n]*$", re.MULTILINE)  # behind code; what has a quotation mark may be in a text
_INDENT = re.compile(r"^\s+", re.MULTILINE)  # which takes empty lines, too
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)


def joined(files: Iterable[Path]) -> str:
    """Return modules without their import and export words and without lines that only comment, in one scope.

    Parameters
    ----------
    files : iterable of Path
        In an order in which each only uses those before it.
    """
    sources = [file.read_text(encoding="utf-8") for file in files]
    return "\n".join(_EXPORT.sub("", _COMMENT.sub("", _IMPORT.sub("", source))) for source in sources)


def compact(script: str) -> str:
    """Return a script, in which no text goes over several lines, without indents, empty lines and comments."""
    return _INDENT.sub("", _REMARK.sub("", script))


def joined_with_player(files: Iterable[Path]) -> str:
    """Return modules of another component after those of the player that they import, directly or not, in one scope.

    Parameters
    ----------
    files : iterable of Path
        In an order in which each only uses those before it.
    """
    own = list(files)
    needed: set[str] = set()
    waiting = [name for file in own for name in _PLAYERS.findall(file.read_text(encoding="utf-8"))]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _NEIGHBOURS.findall(_module(name).read_text(encoding="utf-8"))
    return joined([*(_module(name) for name in MODULES if name in needed), *own])


def drawing_modules() -> list[Path]:
    """Return the modules of the drawing canvas, which define ``DrawingCanvas``, in the order for joining."""
    return [_DRAWING / f"{name}.js" for name in ("sketch", "tools", "canvas")]


@functools.cache
def drawing_styles() -> str:
    """Return the style sheet of the drawing canvas."""
    return (_DRAWING / "draw.css").read_text(encoding="utf-8")


def _module(name: str) -> Path:
    return _FOLDER / f"{name}.js"


@functools.cache
def player_script() -> str:
    """Join all modules of the player.

    Returns
    -------
    str
        JavaScript that defines ``mountPlayer`` and ``startStandalone``; the caller appends what to do with it.
    """
    return joined(map(_module, MODULES))


@functools.cache
def player_styles() -> str:
    """Return the style sheet."""
    return (_FOLDER / "player.css").read_text(encoding="utf-8")
