"""Missing cells on the pages: kept where they are asked for and can be left out, and said where rows are dropped."""

from __future__ import annotations

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpviz import datasets
from dpviz.config import RunConfig
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError
from dpviz.player.run_panel import panel
from dpviz.ui.controls.family_control import family_title
from dpviz.ui.explore import stage
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, complete_rows, prepare
from dpviz.ui.session.jobs import Finished
from pages import chosen, opened, plain, run, said, settled

VOTES = DataChoice("bundled", "house_votes_84", gaps=True)


@pytest.fixture(autouse=True)
def _nothing_shared() -> None:
    jobs.SHARED.clear()
    jobs.RUNNING.clear()


def shown(app: AppTest) -> Finished:
    if app.button(key="run.go").label == "Run":
        run(app.button(key="run.go").click())
    settled(app)
    finished: Finished = app.session_state[stage.RESULT]
    return finished


def test_choices_keep_gaps_in_links() -> None:
    assert DataChoice.from_json(VOTES.to_json()) == VOTES and '"gaps":true' in VOTES.to_json()
    assert "gaps" not in DataChoice("bundled", "iris").to_json()
    with pytest.raises((InvalidParameterError, TraceFormatError)):
        DataChoice.from_json('{"source":"bundled","name":"iris","gaps":"yes"}')


def test_prepared_data_have_all_rows_or_the_complete_ones() -> None:
    prepared = prepare(VOTES)
    assert len(prepared.X) == 435 and prepared.clustered.gaps
    complete = complete_rows(prepared)
    assert len(complete.X) == 232 and not complete.clustered.gaps and complete.choice == DataChoice(*VOTES_PLAIN)
    np.testing.assert_array_equal(complete.X, prepared.X[~prepared.clustered.incomplete])
    assert complete_rows(complete) is complete
    assert np.isfinite(prepared.display().coordinates).all()
    components = prepare(DataChoice("bundled", "house_votes_84", n_components=2, gaps=True))
    assert components.X.shape == (232, 2)
    assert "203 of 435 rows have missing cells and are left out." in components.notes
    scaled = prepare(DataChoice("bundled", "dermatology", scaling="standardise", gaps=True))
    assert np.isnan(scaled.X).sum() == 8 and abs(np.nanmean(scaled.X, axis=0)).max() < 1e-12


VOTES_PLAIN = ("bundled", "house_votes_84")


def test_too_few_complete_rows_are_said() -> None:
    data = datasets.Dataset(X=np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]]), name="x", gaps=True)
    with pytest.raises(InvalidDataError, match="1 of 3 rows are complete; .* keep the rows with gaps"):
        data.complete()
    filled = data.filled()
    np.testing.assert_array_equal(filled.X, [[1, 2], [1, 2], [1, 2]])


def test_explore_clusters_rows_with_gaps_where_the_method_can() -> None:
    app = opened("explore", data=VOTES.to_json(), run=json.dumps({"family": "binomial", "init": "single"}))
    finished = shown(app)
    assert len(finished.trace.labels[0]) == 435 and finished.choice.gaps
    assert not any("left out" in caption.value for caption in app.sidebar.caption)
    assert panel(finished.prepared, finished.trace, finished.config, "votes").points.shape == (435, 2)
    run(app.selectbox(key="run.method").set_value("kmeans"))
    finished = shown(app)
    assert len(finished.trace.labels[0]) == 232 and not finished.choice.gaps
    captions = [plain(caption.value) for caption in app.sidebar.caption]
    assert "K-means needs complete rows: 203 of 435 have missing cells and are left out." in captions


def test_families_that_need_complete_rows_are_not_offered_with_gaps() -> None:
    offered = []
    for choice in (VOTES, DataChoice(*VOTES_PLAIN)):
        app = opened("explore", data=choice.to_json(), run=json.dumps({"algorithm": "mapdp", "family": "normal_gamma"}))
        family = next(box for box in app.selectbox if box.label == "Clusters look like")
        assert family.value == "normal_gamma"
        offered.append(set(family.options))
    assert offered[1] - offered[0] == {family_title("normal_wishart"), family_title("normal_known_covariance")}


def test_a_link_that_asks_for_a_family_without_gaps_gets_a_message() -> None:
    asked = json.dumps({"algorithm": "mapdp", "family": "normal_wishart"})
    app = opened("explore", data=VOTES.to_json(), run=asked)
    assert any("cannot leave missing cells out" in error.value for error in app.error) and not app.exception


@pytest.mark.parametrize("page", ["compare", "tune"])
def test_other_pages_take_the_complete_rows_and_say_so(page: str) -> None:
    app = opened(page, data=VOTES.to_json())
    captions = [plain(caption.value) for caption in app.sidebar.caption]
    assert "This page needs complete rows: 203 of 435 have missing cells and are left out." in captions
    assert "232 points" in said(app)


def test_the_data_page_asks_whether_rows_with_gaps_are_kept() -> None:
    app = opened("data", data='{"source":"bundled","name":"house_votes_84"}')
    toggle = app.toggle(key="data gaps")
    assert toggle.label == "Keep the 203 rows with missing cells" and not toggle.value
    run(toggle.set_value(True))
    assert chosen(app).gaps
    assert "203 of 435 have missing cells and are left out." in said(app)
    run(app.toggle(key="data gaps").set_value(False))
    assert not chosen(app).gaps
    assert not [t for t in opened("data", data='{"source":"bundled","name":"iris"}').toggle if t.key == "data gaps"]


def test_why_here_tells_a_point_s_cells_and_leaves_out_the_missing_ones() -> None:
    prepared = prepare(VOTES)
    job = jobs.Job(VOTES, RunConfig(family="binomial", init="single", n_init=1))
    for _ in job.steps():
        pass
    problem, point = job.problem, int(np.flatnonzero(prepared.clustered.incomplete)[0])
    formula = problem.model.posterior(prepared.X[:50]).formula(prepared.X[point])
    costs = formula.columns["−ln f"]
    np.testing.assert_array_equal(costs == 0, np.isnan(prepared.X[point]))
