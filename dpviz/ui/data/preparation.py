"""Controls for the preparation of the chosen data and for the two coordinates shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz import datasets
from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset
from dpviz.datasets.tables.dependent import log_ratios
from dpviz.datasets.views import SCALINGS
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.powers import powers_in_words
from dpviz.figures import data as figures
from dpviz.fit.directions import are_open
from dpviz.shares import LOGRATIO, has_shares
from dpviz.text import counted
from dpviz.ui.controls import widgets
from dpviz.ui.controls.both_answers import kept_directions
from dpviz.ui.controls.charts import chart
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import COMPONENTS, DISCRIMINANTS, TRANSFORMS_IN_WORDS, DataChoice, prepare

SCALINGS_IN_WORDS = {
    "none": "None",
    "standardise": "Standardise (variance 1)",
    "robust": "Robust (median 0, middle half 1)",
}
AXES_IN_WORDS = {
    "automatic": "Automatic",
    "columns": "Two columns",
    COMPONENTS: "Principal components",
    DISCRIMINANTS: "Linear discriminants",
}
_SCALING, _COMPONENTS, _WHITEN, _AXES = "data scaling", "data components", "data whiten", "data axes"
_DIRECTIONS = "data directions"
_ANY = "data any directions"
_TRANSFORM = "data transform"
_AS_FOUND = "as found"
_GAPS = "data gaps"
_ACROSS, _UP = "data axis across", "data axis up"


def plain(choice: DataChoice) -> DataChoice:
    """Name the same data without any preparation."""
    return replace(
        choice,
        scaling="none",
        n_components=0,
        whiten=False,
        axes=(),
        gaps=False,
        fill=False,
        directions=0,
        transform="",
    )


def show_view(choice: DataChoice) -> None:
    """Set the controls below to a choice; call it before they are drawn."""
    state.put({_SCALING: choice.scaling, _COMPONENTS: choice.n_components, _WHITEN: choice.whiten, _GAPS: choice.gaps})
    state.put({_DIRECTIONS: choice.directions if isinstance(choice.directions, int) else 0})
    state.put({_ANY: choice.directions == ANY})
    found = LOGRATIO if has_shares(choice.transform) else _AS_FOUND
    state.put({_TRANSFORM: choice.transform if isinstance(choice.transform, str) else found})
    kind = "columns" if len(choice.axes) == 2 else choice.axes[0] if choice.axes else "automatic"
    state.put({_AXES: kind if kind in AXES_IN_WORDS else "automatic"})
    if len(choice.axes) == 2:
        state.put({_ACROSS: choice.axes[0], _UP: choice.axes[1]})


def view_controls(choice: DataChoice, dataset: Dataset) -> DataChoice:
    """Show the controls for some data, and return the choice with their values.

    Parameters
    ----------
    choice : DataChoice
    dataset : Dataset
        The data without any preparation.
    """
    gaps = _gaps(choice, dataset)
    choice = replace(choice, gaps=gaps, fill=choice.fill and gaps)
    scaling = widgets.select(
        "Scaling",
        _SCALING,
        list(SCALINGS),
        format_func=SCALINGS_IN_WORDS.__getitem__,
        help="Columns in large units otherwise outweigh the others. Standardised columns have mean 0, too, unless they "
        "may be transformed.",
    )
    if scaling == "robust" != choice.scaling and choice.transform == AUTOMATIC:
        state.put({_TRANSFORM: ""})  # who chooses to move zero has chosen against what the table began with
    choice = replace(choice, scaling=scaling)
    n_components, whiten = _components(choice, dataset)
    transform = "" if n_components else _transform(choice, dataset)
    choice = replace(choice, n_components=n_components, whiten=whiten, directions=0, transform=transform)
    choice = replace(choice, directions=0 if n_components else _directions(choice, dataset))
    return replace(choice, axes=_axes(choice, dataset))


def _gaps(choice: DataChoice, dataset: Dataset) -> bool:
    """Ask whether to keep rows with missing cells, if there are any."""
    if choice.source == "synthetic":
        return choice.gaps
    if choice.source == "bundled" and (dataset.frame is None or not dataset.frame.isna().to_numpy().any()):
        return False
    n_rows = int(prepare(replace(plain(choice), gaps=True)).dataset.incomplete.sum())
    if not n_rows:
        return False
    kept: bool = widgets.toggle(
        f"Keep the {counted(n_rows, 'row')} with missing cells",
        _GAPS,
        choice.gaps,
        help="MAP-DP and Gibbs leave missing cells out, with families of independent columns, or fill them in as they "
        "go. Other methods use the complete rows, or columns filled with their mean or commonest value.",
    )
    return kept


def _directions(choice: DataChoice, dataset: Dataset) -> Any:
    """Ask along how many directions clusters are looked for; measured columns have some."""
    measured = choice.scaling != "none" or set(dataset.kinds) == {"continuous"}
    largest = min(dataset.n_features, dataset.n_points - 1, 1000)
    if not measured or dataset.n_features < 2 or largest < 1:
        return 0
    wanted: int = widgets.number(
        "Directions with clusters",
        _DIRECTIONS,
        0,
        0,
        largest,
        help="Methods with a model look for clusters along this many directions in which the standardised columns vary "
        "most, and take all points for one Gaussian along the others. The cost stays that of all columns. 0: the "
        "columns themselves.",
    )
    kept = kept_directions(replace(choice, directions=0, axes=()))
    if kept:
        st.caption(f"{counted(kept, 'direction')} vary more than chance would have it (parallel analysis).")
    if wanted or choice.gaps or not are_open(dataset.X):
        return wanted
    either = widgets.toggle(
        "Or directions where groups are clearer",
        _ANY,
        False,
        help="Where family and width are automatic, short runs find clusters of the columns. If some of these may be "
        "parts of one group, clusters are looked for along the directions that vary more than chance would have it, "
        "and taken if they are there.",
    )
    return ANY if either else 0


def _transform(choice: DataChoice, dataset: Dataset) -> Any:
    """Ask how columns are transformed; only measured ones can be. A link's powers are kept until another is chosen."""
    measured = choice.scaling != "none" or "continuous" in dataset.kinds
    if not measured:
        return ""
    found = None if isinstance(choice.transform, str) else choice.transform
    ratios = found if has_shares(found) else log_ratios(dataset)
    words = {**TRANSFORMS_IN_WORDS, **({} if ratios is None else {LOGRATIO: _of_shares(ratios, dataset)})}
    words |= {} if found in (None, ratios) else {_AS_FOUND: _in_words(found, dataset)}
    chosen: str = widgets.select(
        "Transformation",
        _TRANSFORM,
        list(words),
        format_func=words.__getitem__,
        help="For skewed columns above 0, such as prices and concentrations: methods with a model look for clusters "
        "after powers of the columns, of which a logarithm is one. The cost stays that of the columns, so that it says "
        "which is better. Log-ratios are for shares that add up; where columns are independent within a cluster, as "
        "they are beside gaps, answers depend on which share is left out. Other methods take the columns as they are. "
        "Tables of your own with skewed columns begin with Automatic; hyperparameters given as numbers are in units of "
        "the columns, which then stay as they are.",
    )
    return {_AS_FOUND: found, LOGRATIO: ratios}.get(chosen, chosen)


def _of_shares(ratios: tuple[float | str, ...], dataset: Dataset) -> str:
    said = powers_in_words(ratios, dataset.feature_names)
    return said[0].upper() + said[1:]


def _in_words(powers: tuple[float, ...], dataset: Dataset) -> str:
    return f"As found: {powers_in_words(powers, dataset.feature_names) or 'none'}"


def _components(choice: DataChoice, dataset: Dataset) -> tuple[int, bool]:
    largest = min(dataset.n_features, dataset.n_points - 1, 1000)
    if dataset.n_features < 2 or largest < 1:
        return 0, False
    wanted = widgets.number(
        "Principal components",
        _COMPONENTS,
        0,
        0,
        largest,
        help="Cluster this many directions of largest variance instead of the columns. 0: the columns themselves.",
    )
    if not wanted:
        return 0, False
    whiten = widgets.toggle("Whiten", _WHITEN, help="Give every component variance 1.")
    shares = _explained(replace(plain(choice), scaling=choice.scaling))
    chart(figures.explained_variance(shares, wanted), "data explained", has_bar=False)
    st.caption(f"{np.sum(shares[:wanted]):.1%} of the variance is kept.")
    return wanted, whiten


@st.cache_resource(max_entries=16, show_spinner=False)
def _shared_explained(choice: DataChoice, _X: FloatArray) -> FloatArray:
    return datasets.pca(_X, min(_X.shape[1], len(_X) - 1)).explained


def _explained(choice: DataChoice) -> FloatArray:
    return _shared_explained(choice, prepare(choice).X)


def _axes(choice: DataChoice, dataset: Dataset) -> tuple[str, ...]:
    names = dataset.feature_names
    if choice.n_components:
        names = tuple(f"Component {c + 1}" for c in range(choice.n_components))
    if len(names) < 2:
        return ()
    kind = widgets.select("Shown coordinates", _AXES, list(AXES_IN_WORDS), format_func=AXES_IN_WORDS.__getitem__)
    if kind == "automatic":
        return ()
    if kind != "columns":
        if kind == DISCRIMINANTS and dataset.labels is None:
            st.caption("No labels here: principal components are shown until there are clusters to separate.")
        return (kind,)
    left, right = st.columns(2)
    with left:
        across = widgets.select("Across", _ACROSS, names)
    with right:
        others = [name for name in names if name != across]
        up = widgets.select("Up", _UP, others)
    return (across, up)
