"""The player's JavaScript and CSS, joined into the single strings that Streamlit and the standalone page take."""

from __future__ import annotations

import functools
import re
from pathlib import Path

_FOLDER = Path(__file__).parent / "assets"

# Each module only uses those before it, so joining them in this order gives one module.
MODULES = (
    "decode", "theme", "format", "sizes", "slow", "run", "texts", "markers", "hatch", "view", "overlay",
    "backdrop", "scatter", "pointer", "scrub", "ranges", "charts", "ribbon", "curves", "bars", "deck", "layout",
    "controls", "vector", "export", "toolbar", "reader", "hints", "legend", "ghost", "editor", "recorder",
    "player", "mount",
)  # fmt: skip

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)


@functools.cache
def player_script() -> str:
    """Every module without its import and export words, in one scope.

    Returns
    -------
    str
        JavaScript that defines ``mountPlayer`` and ``startStandalone``; the caller appends what to do with it.
    """
    sources = [(_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in MODULES]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", source)) for source in sources)


@functools.cache
def player_styles() -> str:
    """Return the style sheet."""
    return (_FOLDER / "player.css").read_text(encoding="utf-8")
