"""Where codes of categories count as numbers, the page says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.datasets import Dataset
from dpviz.datasets.coded_numbers import with_numbers
from dpviz.datasets.preparation import Preparation
from dpviz.datasets.tables import decide, read_text, to_dataset
from dpviz.datasets.tables.decision import changed_by_codes
from dpviz.ui.controls.codes import codes_in_words
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from pages import press, run, said, set_to, settled, shown_run

K_MEANS, EM = (dpviz.RunConfig(name) for name in ("kmeans", "em"))
MIXED, DIAGONAL = (dpviz.RunConfig("mapdp", family=name) for name in ("mixed", "normal_gamma"))


def table(*names: tuple[str, ...]) -> PreparedData:
    """One measured column, and one of categories for each tuple of names."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=30), *(np.arange(30) % len(own) for own in names)])
    columns = ["x", *(f"c{number}" for number in range(len(names)))]
    kinds = ("continuous", *["categorical"] * len(names))
    own = Dataset(X=X, name="own", feature_names=tuple(columns), kinds=kinds, category_names=((), *names))
    return PreparedData(DataChoice("bundled", "own"), own, own, (), Preparation.none(own.n_features))


@pytest.mark.parametrize(
    ("configs", "names", "words"),
    [
        ([K_MEANS], [("0.5", "5", "50")], "K-means takes the codes 0, 1, … of “c0” for numbers."),
        (
            [K_MEANS, MIXED, dpviz.RunConfig("dpmeans")],
            [("a", "b", "c"), ("d", "e", "f")],
            "K-means and DP-means take the codes 0, 1, … of “c0” and “c1” for numbers.",
        ),
        ([MIXED], [("0.5", "5", "50")], ""),
        (
            [DIAGONAL, K_MEANS],
            [("a", "b", "c")],
            "Normal, independent features and K-means take the codes 0, 1, … of “c0” for numbers.",
        ),
        ([K_MEANS], [("no", "yes")], ""),
        ([K_MEANS], [("0", "1", "2")], ""),
        (
            [K_MEANS],
            [tuple("abc")] * 5,
            "K-means takes the codes 0, 1, … of “c0”, “c1”, “c2” and 2 more columns for numbers.",
        ),
    ],
)
def test_methods_of_distances_and_their_coded_columns_are_named(configs, names, words):
    assert codes_in_words(configs, table(*names)) == words


@pytest.mark.parametrize("scaling", ["standardise", "robust"])
def test_families_of_categories_take_codes_for_numbers_too_where_columns_are_scaled(scaling):
    scaled = table(("a", "b", "c"))
    scaled = replace(scaled, choice=replace(scaled.choice, scaling=scaling))
    assert "takes the codes 0, 1, … of “c0” for numbers" in codes_in_words([MIXED], scaled)


TEXT = "x,dose,level,code,sex,colour\n" + "".join(
    f"{np.sin(i):.3f},{(0.5, 5, 50, 500)[i % 4]},{1 + i % 3 / 2},{('007', '010')[i % 2]},{1 + i % 2},{'rgb'[i % 3]}\n"
    for i in range(80)
)


def test_the_columns_of_numbers_are_those_of_the_command_line_with_their_values():
    whole = read_text(TEXT)
    kinds = {"dose": "categorical", "level": "categorical", "code": "categorical", "sex": "binary"}
    own = to_dataset(whole, features=list(whole.frame.columns), kinds=kinds)
    decision = decide(whole.frame, features=list(whole.frame.columns), kinds=kinds)
    found = with_numbers(own)
    changed = [name for name, kind in zip(own.feature_names, found.kinds, strict=True) if kind == "continuous"]
    assert changed == ["x", *changed_by_codes(whole.frame, decision).numbers] == ["x", "dose", "level"]
    as_numbers = to_dataset(
        whole, features=list(whole.frame.columns), kinds=kinds | dict.fromkeys(changed[1:], "continuous")
    )
    assert_array_equal(found.X, as_numbers.X)
    assert found.category_names == as_numbers.category_names and found.kinds == as_numbers.kinds


def own_table() -> None:
    import numpy as np
    import streamlit as st

    from dpviz.datasets.tables import read_text, to_dataset
    from dpviz.ui.compare import page as compare
    from dpviz.ui.explore import page as explore
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset
    from dpviz.ui.tune import page as tune

    if "kept" not in st.session_state:
        rows = (
            f"{np.sin(i):.3f},{(0.5, 5, 50, 500)[i % 4]},{'rgbk'[i // 3 % 4]},{np.cos(3 * i):.3f}" for i in range(80)
        )
        table = read_text("\n".join(["x,dose,colour,y", *rows]))
        st.session_state["kept"] = keep_session_dataset(to_dataset(table, features=["x", "dose", "colour", "y"]))
        state.choose_data(st.session_state["kept"])
        state.put({"run.method": "kmeans", "tune.place": "λ or K"})
    {"explore": explore, "compare": compare, "tune": tune}[st.session_state["page"]].show()


def opened(page: str) -> AppTest:
    app = AppTest.from_function(own_table, default_timeout=600)
    app.session_state["page"] = page
    return settled(run(app))


def numbers() -> np.ndarray:
    rows = np.arange(80)
    codes = np.searchsorted(sorted("rgbk"), np.array(list("rgbk"))[rows // 3 % 4])
    x, y = (np.array([float(f"{value:.3f}") for value in values]) for values in (np.sin(rows), np.cos(3 * rows)))
    return np.column_stack([x, np.array([0.5, 5, 50, 500])[rows % 4], codes, y])


def prepared_numbers() -> np.ndarray:
    """The numbers standardised, and an indicator for each of four colours."""
    x, dose, codes, y = numbers().T
    variance = 1 - np.sum((np.bincount(codes.astype(int)) / len(codes)) ** 2)
    standardised = [(own - own.mean()) / own.std() for own in (x, dose, y)]
    return np.column_stack([*standardised[:2], (codes[:, None] == np.arange(4)) / np.sqrt(variance), standardised[2]])


def test_explore_clusters_numbers_as_numbers_and_says_what_becomes_of_words():
    app = opened("explore")
    if app.selectbox(key="run.method").value != "kmeans":
        app = settled(set_to(app, "run.method", "kmeans"))
    assert "K-means: 3 numbers standardised, “colour” as 4 indicators." in said(app.main)
    assert "for numbers" not in said(app.main)
    finished = shown_run(app)
    assert finished.config.algorithm == "kmeans"
    assert_allclose(finished.prepared.X, prepared_numbers(), atol=1e-12)
    app = settled(set_to(app, "run.method", "mapdp"))
    if app.button(key="run.go").label == "Run":
        app = settled(press(app, "run.go"))
    assert shown_run(app).prepared.clustered.kinds[1] == "categorical"
    assert "for numbers" not in said(app.main)


def test_compare_and_tune_take_numbers_as_numbers_and_say_what_becomes_of_words():
    app = opened("compare")
    assert "3 numbers standardised, “colour” as 4 indicators." in said(app.main)
    for _, finished in app.session_state["compare picture"].runs:
        if finished.config.algorithm in ("kmeans", "dpmeans"):
            assert_allclose(finished.prepared.X, prepared_numbers(), atol=1e-12)
    app = opened("tune")
    assert "DP-means: 3 numbers standardised, “colour” as 4 indicators." in said(app.main)
    assert "K-means: 3 numbers standardised, “colour” as 4 indicators." in said(app.main)
    assert "for numbers" not in said(app.main)
    assert "dose" not in said(app.main)
