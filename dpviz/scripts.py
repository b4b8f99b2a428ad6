"""Scripts of pages and components: ES modules that import each other, bundled into one file for each that is loaded.

``make script`` (``python -m dpviz.scripts``) writes the bundles with esbuild, which needs Node; showing them does not.
``bundles.json`` keeps what each is made of and a digest, which a test compares with the files.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Set
from functools import cache
from pathlib import Path

from dpviz.words import with_words

PACKAGE = Path(__file__).parent
FOLDER = PACKAGE / "bundles"
MADE = FOLDER / "bundles.json"
BUNDLES = {
    "bench": "course/assets/mount.js",
    "canvas": "ui/draw/assets/mount.js",
    "chapter": "course/assets/course.js",
    "engine": "browser/loader.js",
    "guess": "course/assets/guess.js",
    "hero": "ui/start/assets/mount.js",
    "lab": "laboratory/assets/lab.js",
    "lesson": "ui/live/assets/draws_mount.js",
    "live": "live/assets/mount.js",
    "player": "player/assets/mount.js",
    "priors": "ui/priors/assets/mount.js",
    "standalone": "player/assets/standalone.js",
    "story": "story/assets/story.js",
}
"""The module with which each begins. Those of Streamlit's components export by default what mounts them."""
ESBUILD = "esbuild@0.28.2"
OPTIONS = ("--bundle", "--format=esm", "--charset=utf8", "--loader:.css=text", "--out-extension:.js=.generated.js")
COMPACT_OPTIONS = (*OPTIONS, "--minify-whitespace")
COMPACT = frozenset({"lab", "story"})
"""Those that are written without white space: of a page that is sent as a file, and small."""


@cache
def script(name: str) -> str:
    """Return a bundle with the texts that it says.

    Parameters
    ----------
    name : str
        One of ``BUNDLES``.
    """
    return with_words(bundle(name).read_text(encoding="utf-8"))


def bundle(name: str) -> Path:
    """Return the file of a bundle."""
    return FOLDER / f"{name}.generated.js"


def digest(name: str, sources: Iterable[str]) -> str:
    """Return the digest of a bundle: of how it is made, of its sources (paths in the package), and of its text.

    What ends lines does not matter: a checkout may change it.
    """
    options = COMPACT_OPTIONS if name in COMPACT else OPTIONS
    found = hashlib.sha256(json.dumps([ESBUILD, *options, BUNDLES[name]]).encode())
    for path in (*(PACKAGE / source for source in sources), bundle(name)):
        found.update(hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).digest())
    return found.hexdigest()


def make() -> None:
    """Write all bundles."""
    sources = _bundled(BUNDLES.keys() - COMPACT, OPTIONS) | _bundled(COMPACT, COMPACT_OPTIONS)
    made = {name: {"digest": digest(name, sources[name]), "sources": sources[name]} for name in BUNDLES}
    MADE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def _bundled(names: Set[str], options: Iterable[str]) -> dict[str, list[str]]:
    """Write bundles, and return the sources of each."""
    entries = [f"{name}={entry}" for name, entry in BUNDLES.items() if name in names]
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "made.json"
        command = ["npx", "--yes", ESBUILD, *entries, *options, f"--outdir={FOLDER}", f"--metafile={told}"]
        try:
            subprocess.run(command, cwd=PACKAGE, check=True)
        except FileNotFoundError:
            sys.exit("npx was not found: bundling needs Node with npm. On Debian: apt install npm")
        outputs = json.loads(told.read_text(encoding="utf-8"))["outputs"]
    return {Path(path).name.partition(".")[0]: sorted(output["inputs"]) for path, output in outputs.items()}


if __name__ == "__main__":
    make()
