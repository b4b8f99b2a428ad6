"""The engine in a browser: its own kernels, compiled ahead of time to WebAssembly, and a thin loader.

``make wasm`` builds ``engine.wasm`` from :mod:`dpviz.browser.driver` and everything that calls; pages get it with
:func:`module_bytes` and ``loader.js`` with :func:`loader_source`. What a page calls, and the messages to its Worker,
are at the head of ``loader.js``. The contract of the module, which imports nothing:

- ``reserve(bytes)`` and ``release(address)`` lend its memory.
- ``run(settings, n, values, n, labels, sizes, n, rows, n, summary, n)`` takes addresses and lengths, as
  :func:`dpviz.browser.driver.run` describes, and returns 0; names and codes are in :mod:`dpviz.browser.layout`.
- ``scores(settings, n, values, n, labels, n, point, found, n)`` returns the number of clusters, −1 without a model.

It computes K-means, DP-means, MAP-DP and collapsed Gibbs at any temperature, with the four Gaussian families of
complete real columns and every partition prior: those of finite mixtures come as tables. Learned hyperparameters,
splits and merges, the other samplers, centres as a start, and the search after ``"auto"`` starts stay on the server.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from dpviz.browser.layout import (
    ALGORITHMS,
    BLOCKS,
    CHOICES,
    FAMILIES,
    ORDERS,
    PARTITIONS,
    PLACES,
    ROW,
    SETTINGS,
    STARTS,
    SUMMARY,
)
from dpviz.config import RunConfig
from dpviz.config_versions import VERSION
from dpviz.engine.initialise import AUTO_SINGLES
from dpviz.families import family_class
from dpviz.limits import LARGEST_VALUE
from dpviz.partition.product_form import MAX_POINTS

FOLDER = Path(__file__).parent
MODULE, BUILT, LOADER = FOLDER / "engine.wasm", FOLDER / "engine.json", FOLDER / "loader.js"
LICENCE = FOLDER / "engine.LICENCE.txt"
MOST_LABELS = 50_000_000
"""Most labels that a page keeps of a run: with the sizes, 400 MB."""


def module_bytes() -> bytes:
    """Return the compiled module."""
    return MODULE.read_bytes()


@cache
def loader_source() -> str:
    """Return the script (JavaScript) that defines ``dpvizEngine``, with the names and codes that it needs.

    The notices that have to go with every copy of the module are a comment in it.
    """
    licence, loader = (file.read_text(encoding="utf-8") for file in (LICENCE, LOADER))
    tables = json.dumps(_tables(), separators=(",", ":"))
    return f"/* {licence}*/\nconst dpvizTables = {tables};\n{loader}"


def _tables() -> dict[str, Any]:
    """Everything that the loader would else repeat of this package."""
    return {
        "version": VERSION,
        "settings": SETTINGS,
        "blocks": BLOCKS,
        "row": ROW,
        "summary": SUMMARY,
        "codes": {
            "algorithm": ALGORITHMS,
            "start": STARTS,
            "order": ORDERS,
            "choice": CHOICES,
            "family": FAMILIES,
            "partition": PARTITIONS,
        },
        "places": {name: _places(name) for name in FAMILIES},
        "defaults": {name: _defaults(name) for name in ALGORITHMS},
        "limits": {
            "auto_singles": AUTO_SINGLES,
            "largest_value": LARGEST_VALUE,
            "most_labels": MOST_LABELS,
            "most_recursive": MAX_POINTS,
        },
    }


def _places(family: str) -> dict[str, Any]:
    """Return the block and the shape of every hyperparameter of a family."""
    shapes = {parameter.name: parameter.shape for parameter in family_class(family).hyperparameters}
    return {
        name: {"block": block, "vector": len(shapes[name]) == 1, "matrix": len(shapes[name]) == 2}
        for name, block in PLACES[family].items()
    }


def _defaults(algorithm: str) -> dict[str, Any]:
    """Return the options of an algorithm that a written configuration leaves out, as they would be written."""
    plain = RunConfig(algorithm)
    return {**vars(plain), "partition": plain.partition.to_dict()}
