"""JavaScript and CSS of knobs that answer while they move."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from pathlib import Path

from dpviz.browser import loader_source
from dpviz.player.assets import joined_with_player
from dpviz.words import with_words

_FOLDER = Path(__file__).parent / "assets"
# Each module only uses those before it and the player's.
_MODULES = (
    "tracks",
    "frames",
    "newest",
    "knobs",
    "dice",
    "prices",
    "agreement",
    "layers",
    "picture",
    "strip",
    "quiet",
    "still",
    "side",
    "sentences",
    "live",
    "shared",
    "mount",
)


def live_modules(names: Iterable[str]) -> list[Path]:
    """Return modules that other pages use as well, in the order given."""
    return [_FOLDER / f"{name}.js" for name in names]


@functools.cache
def live_script() -> str:
    """Join all modules with the engine's loader.

    Returns
    -------
    str
        JavaScript that defines ``mountLive``; the caller appends what to do with it.
    """
    styles = (_FOLDER / "live.css").read_text(encoding="utf-8")
    own = joined_with_player(live_modules(_MODULES))
    return with_words(f"{loader_source()}\nconst liveStyles = {json.dumps(styles)};\n{own}")
