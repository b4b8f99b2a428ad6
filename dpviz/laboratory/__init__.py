"""The lab: one HTML file that clusters in the browser, without a server, while knobs move.

Public interface
----------------
``lab_page(dataset=None, row_nats=0.0) -> str``
    The page. In it, ``await window.lab.run(config, X)`` returns ``{labels, nll, n_clusters}`` of the last sweep of a
    configuration as ``RunConfig.to_json`` writes it, of the rows X or of those on the screen.
``lab(X=None, …) -> Film``
    The same inside a notebook: ``dpviz.lab``.
``check_scaled(dataset)``
    Refuses data that are to be scaled with a column of hours or categories.
``own_kinds(dataset)``
    The kinds of columns that are each of its own, if they are.
``METHODS``, ``KNOBS``
    The methods that it offers, as configurations, and what changes them.
"""

from __future__ import annotations

from dpviz.laboratory.methods import KNOBS, METHODS
from dpviz.laboratory.notebook import lab
from dpviz.laboratory.page import check_scaled, lab_page, own_kinds

__all__ = ["KNOBS", "METHODS", "check_scaled", "lab", "lab_page", "own_kinds"]
