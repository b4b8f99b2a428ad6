"""Where codes of categories count as numbers, the page says so."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.datasets import Dataset
from dpviz.ui.controls.codes import codes_in_words
from pages import run, said

K_MEANS, MAP_DP, EM = (dpviz.RunConfig(name) for name in ("kmeans", "mapdp", "em"))


def table(*names: tuple[str, ...]) -> Dataset:
    """One measured column, and one of categories for each tuple of names."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=30), *(np.arange(30) % len(own) for own in names)])
    columns = ["x", *(f"c{number}" for number in range(len(names)))]
    kinds = ("continuous", *["categorical"] * len(names))
    return Dataset(X=X, name="own", feature_names=tuple(columns), kinds=kinds, category_names=((), *names))


@pytest.mark.parametrize(
    ("configs", "names", "words"),
    [
        ([K_MEANS], [("0.5", "5", "50")], "K-means takes the codes 0, 1, … of “c0” for numbers."),
        ([K_MEANS, MAP_DP, dpviz.RunConfig("dpmeans")], [("a", "b", "c"), ("d", "e", "f")],
         "K-means and DP-means take the codes 0, 1, … of “c0” and “c1” for numbers."),
        ([MAP_DP], [("0.5", "5", "50")], ""),
        ([K_MEANS], [("no", "yes")], ""),
        ([K_MEANS], [("0", "1", "2")], ""),
        ([K_MEANS], [tuple("abc")] * 5,
         "K-means takes the codes 0, 1, … of “c0”, “c1”, “c2” and 2 more columns for numbers."),
    ],
)  # fmt: skip
def test_methods_of_distances_and_their_coded_columns_are_named(configs, names, words) -> None:
    assert codes_in_words(configs, table(*names)) == words


def own_table() -> None:
    import numpy as np
    import streamlit as st

    from dpviz.datasets import Dataset
    from dpviz.ui.explore import page
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset

    if "kept" not in st.session_state:
        X = np.column_stack([np.random.default_rng(0).normal(size=80), np.arange(80) % 4])
        doses = ((), ("0.5", "5", "50", "500"))
        own = Dataset(
            X=X, name="own", feature_names=("x", "dose"), kinds=("continuous", "categorical"), category_names=doses
        )
        st.session_state["kept"] = keep_session_dataset(own)
        state.choose_data(st.session_state["kept"])
    page.show()


def test_explore_says_that_codes_count_as_numbers() -> None:
    app = run(AppTest.from_function(own_table, default_timeout=600))
    if app.selectbox(key="run.method").value != "kmeans":
        app = run(app.selectbox(key="run.method").set_value("kmeans"))
    assert "K-means takes the codes 0, 1, … of “dose” for numbers" in said(app.main)
