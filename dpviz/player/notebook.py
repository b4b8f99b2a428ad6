"""The player inside a notebook: a page within the page, with everything it needs, and no server."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Dataset, Display, display_coordinates
from dpviz.datasets.dataset import grouped
from dpviz.engine.algorithms.base import describe
from dpviz.engine.problem import check_data
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_traces
from dpviz.errors import InvalidDataError, require, require_sequence
from dpviz.files import write_whole
from dpviz.player.payload import MOST_PANELS, build_payload
from dpviz.player.run_panel import panel
from dpviz.player.standalone import standalone_html

HEIGHT, HEIGHT_WITH_CHARTS_BELOW = 640, 800
"""Height in pixels of one panel in a notebook, and of several, which have their charts below."""
LINE, LETTERS = 24, 90
"""Height in pixels of a line of a note, and its letters in a narrow cell."""


@dataclass(frozen=True, eq=False)
class Film:
    """A page that plays one run or several; a notebook displays it automatically.

    Attributes
    ----------
    page : str
        HTML that makes no requests.
    title : str
    height : int
        Height of its frame in a notebook (pixels).
    """

    page: str
    title: str
    height: int

    def _repr_html_(self) -> str:
        """Put the page into a frame, which separates its styles and scripts from those of the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" title="{html.escape(self.title)}" sandbox="allow-scripts '
            f'allow-downloads" allow="fullscreen" style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        """Return a short text where no page can be shown."""
        return f"Film({self.title!r}, {len(self.page):,} characters; .save(path) writes it as a page)"

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which any browser opens without a network.

        Parameters
        ----------
        path : str or Path
            Such as ``"run.html"``.

        Returns
        -------
        Path

        Raises
        ------
        OSError
            If it cannot be written, with the name of the file and the reason; an older file is as it was.
        """
        write_whole(path, self.page)
        return Path(path)


@dataclass(frozen=True, eq=False)
class Table:
    """A table in the order of its columns, as drawn and as clustered, and where its rows are shown, if it is known."""

    dataset: Dataset
    shown: Display | None = None

    @property
    def clustered(self) -> Dataset:
        """The table itself."""
        return self.dataset

    def display(self, labels: IntArray | None = None) -> Display:
        """Place the points by one or two columns, or by principal components of more; missing cells at the mean."""
        if self.shown is not None:
            return self.shown
        way = "columns" if self.dataset.n_features <= 2 else "principal_components"
        return display_coordinates(self.dataset.filled(), way)


def compare_traces(
    traces: Sequence[Trace],
    X: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    titles: Sequence[str] = (),
    feature_names: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Film:
    """Play runs side by side inside a notebook.

    Parameters
    ----------
    traces : sequence of Trace
        One to six of the same data.
    X : array_like (N, D), optional
        Their data; by default those kept with the first of them. Two columns are drawn as they are, more by
        principal components.
    labels : array_like (N,), optional
        True groups, as numbers or names: they can be shown, and the agreement with them is drawn.
    titles : sequence of str, optional
        One per trace; by default the method with its main parameters and its seed.
    feature_names : sequence of str, optional
        Of the columns.
    notes : sequence of str, optional
        Sentences to show below the runs.

    Returns
    -------
    Film

    Raises
    ------
    InvalidDataError
        If no trace has its data and none are given, or a trace was made from others.
    InvalidParameterError
        If there are no traces or too many, or not one title for each.
    """
    check_traces(traces)
    for name, texts in (("titles", titles), ("feature_names", feature_names), ("notes", notes)):
        require_sequence(name, texts, str, "a list of texts")
    require(1 <= len(traces) <= MOST_PANELS, "number of traces", len(traces), f"from 1 to {MOST_PANELS}")
    require(len(titles) in (0, len(traces)), "number of titles", len(titles), f"0 or {len(traces)}, one for each run")
    data = traces[0].X if X is None else X
    if data is None:
        raise InvalidDataError("This run does not have its data with it; give them as X.")
    values = check_data(data, gaps=True)
    for trace in traces:
        if trace.n_points != len(values) or trace.data not in ("", fingerprint(values)):
            raise InvalidDataError(
                f"X has {len(values):,} rows and is not what the run was made from ({trace.n_points:,} rows). "
                f"Give the very numbers that were clustered, scaled as they were."
            )
    table = Table(table_of(values, labels, feature_names))
    names = list(titles) or [describe(trace.config) for trace in traces]
    payload = build_payload([panel(table, trace, name) for trace, name in zip(traces, names, strict=True)])
    title = " | ".join(names)
    height = HEIGHT if len(traces) == 1 else HEIGHT_WITH_CHARTS_BELOW
    height += sum(LINE * (1 + len(note) // LETTERS) for note in notes)
    return Film(standalone_html(payload, title, notes), title, height)


def table_of(values: FloatArray, labels: ArrayLike | None, feature_names: Sequence[str], **more: Any) -> Dataset:
    """Return numbers (N, D) with true groups, by number or name, as data; ``more`` fields as they are."""
    names, codes = None, None
    if labels is not None:
        groups, codes = grouped(labels)
        names = tuple(str(group) for group in groups)
    gaps = bool(np.isnan(values).any())
    return Dataset(
        X=values, name="table", labels=codes, label_names=names, feature_names=tuple(feature_names), gaps=gaps, **more
    )
