"""The film: K-means and MAP-DP on the same points, which plays by itself where a browser is all there is.

Public interface
----------------
``film() -> Film``
    What the browser plays, from its file.
``DAMAGED``
    What is said where the file cannot be read.
"""

from __future__ import annotations

from dpviz.film.stored import DAMAGED, film

__all__ = ["DAMAGED", "film"]
