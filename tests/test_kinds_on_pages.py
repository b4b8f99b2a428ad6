"""Pages leave whole numbers of a table of one's own to nll, and follow what it decides."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from dpviz.config import RunConfig
from dpviz.families.automatic import REAL
from dpviz.ui.session import exports
from pages import run, said, settled, shown_run


def own_table() -> None:
    import numpy as np
    import streamlit as st

    from dpviz.datasets.tables import read_text, to_dataset
    from dpviz.ui.explore import page as explore
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset

    if "kept" not in st.session_state:
        centres = np.repeat([[0, 0], [900, 200], [300, 1000]], 40, axis=0)
        X = np.round(centres + 30 * np.random.default_rng(0).normal(size=(120, 2)))
        rows = [f"{a:.0f},{b:.0f}" for a, b in X - X.min(axis=0)]
        dataset = to_dataset(read_text("\n".join(["width,height", *rows])), features=["width", "height"])
        st.session_state["kept"] = keep_session_dataset(dataset)
        state.choose_data(st.session_state["kept"])
    explore.show()


def test_a_page_finds_that_whole_numbers_are_measures_and_its_code_makes_the_run() -> None:
    app = AppTest.from_function(own_table, default_timeout=600)
    app = settled(run(app))
    finished = shown_run(app)
    assert finished.prepared.dataset.kinds == ("count", "count")
    assert finished.config.kinds is None and finished.config.family in REAL
    assert finished.trace.n_clusters[-1] == 3 and "kinds" in finished.undecided
    assert "“width”, “height” are measured rather than counted" in said(app)
    assert "kinds" not in exports.code_of(finished).partition("RunConfig(")[2]
    app = settled(
        run(app.selectbox(key=next(box.key for box in app.selectbox if "run.family" in box.key)).set_value("poisson"))
    )
    if app.button(key="run.go").label == "Run":
        app = settled(run(app.button(key="run.go").click()))
    assert shown_run(app).config.family == "poisson" and not app.exception
    assert RunConfig.from_json(shown_run(app).config.to_json()) == shown_run(app).config
