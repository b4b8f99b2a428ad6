"""The Predict page without a browser: the run, the form, the answer, tables and folds, against the library."""

from __future__ import annotations

import io
import json
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis.held_out import HeldOut, held_out_folds
from dpviz.analysis.predicted_table import NO_DENSITY, NOTHING_KNOWN
from dpviz.analysis.prediction import Predictor, contribution_table, predict
from dpviz.datasets.tables import export_csv, read_points, read_text, to_dataset
from dpviz.errors import InvalidDataError
from dpviz.figures import predict as figures
from dpviz.text import percent, short, signed
from dpviz.ui.predict import answer, table
from dpviz.ui.predict import page as predict_page
from dpviz.ui.predict.runs import Known
from dpviz.ui.session import jobs, kept
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell import page_link
from pages import (
    address,
    close,
    go_to,
    in_app,
    labelled,
    opened_in_app,
    page,
    plain,
    press,
    run,
    said,
    set_to,
    settled,
    shown_run,
    until,
)

pytestmark = pytest.mark.usefixtures("tables_read_here")

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
IRIS = DataChoice("bundled", "iris", scaling="standardise")
HEART = DataChoice("bundled", "heart_cleveland", gaps=True)
QUICK = usual_config(n_init=1, init="single")
MIXED = usual_config(family="mixed", n_init=1, init="single")


@pytest.fixture(autouse=True)
def _nothing_shared():
    jobs.SHARED.clear()


def opened(choice: DataChoice, config: dpviz.RunConfig | None = QUICK, tab: str = "point", **more: Any) -> AppTest:
    values = {"tab": tab, **({"run": config.to_query()} if config is not None else {}), **more}
    return opened_in_app("predict", data=choice, predict=values)


def known(app: AppTest) -> Known:
    found: Known = app.session_state["predict predictor"]
    return found


def volume(choice: DataChoice) -> float:
    """What turns log densities of the clustered columns into those of the table's, rows without gaps."""
    return float(prepare(choice).preparation.log_volume(np.zeros((1, prepare(choice).dataset.n_features)))[0])


def why(app: AppTest) -> pd.DataFrame:
    """The table that says how much each column favours a cluster."""
    return app.main.table[-1].value.rename(index=plain, columns=plain)


def field(app: AppTest, kind: str, name: str) -> Any:
    return next(element for element in app.main.get(kind) if plain(element.label) == name)


# --- which run --------------------------------------------------------------------------------------------------------


def test_an_untouched_page_makes_a_default_run_and_predicts_a_typical_point():
    app = settled(page("predict", data=SMALL).run())
    prepared, found = prepare(SMALL), known(app).finished
    assert found.settings == dpviz.RunConfig() and not app.error
    point = np.array([[float(f"{np.median(x):.6g}") for x in prepared.dataset.X.T]])
    expected = predict(prepared.X, found.trace, point)
    name = known(app).name(int(expected.clusters[0]))
    assert f"The point goes to {name}, with probability {plain(percent(expected.probabilities.max()))}" in said(app)
    assert f"{short(expected.log_density[0])} of the mixture" in said(app)
    assert f"{short(expected.map_log_density[0])} under this cluster alone" in said(app)
    assert f"Probability of a new cluster: {plain(percent(expected.new_probability[0]))}" in said(app)
    assert len(app.main.get("plotly_chart")) == 3


def test_the_run_shown_in_explore_predicts_and_newer_ones_take_its_place():
    app = opened_in_app(data=SMALL, run={**QUICK.to_query(), "seed": "3"})
    shown = shown_run(app)
    assert shown.config.seed == 3
    app = settled(run(go_to(app, "predict")))
    assert known(app).finished.trace is shown.trace and "seed 3 predicts" in said(app)
    names = app.selectbox(key="predict.which").options
    assert len(names) == 2 and "a default run" in names[1]
    settled(set_to(app, "predict.which", names[1]))
    assert known(app).finished.settings == dpviz.RunConfig()
    app = settled(run(go_to(app, "explore")))
    settled(set_to(app, "run.seed", 8))
    newest = shown_run(app)
    assert newest.config.seed == 8
    app = settled(run(go_to(app, "predict")))
    assert known(app).finished.trace is newest.trace


def test_names_of_clusters_and_other_axes_are_followed():
    app = opened_in_app(data=SMALL, run=QUICK)
    finished = shown_run(app)
    names = {finished.number(k, finished.trace.n_sweeps): f"<b>*{k}*" for k in range(finished.trace.n_clusters[-1])}
    app.session_state["explore"].finished = replace(finished, names=names)
    app = settled(run(go_to(app, "predict")))
    assert "The point goes to <b>" in said(app)
    assert not any("goes to <b>" in element.value for element in app.markdown), "escaped"


def test_clusters_of_one_name_are_told_apart_by_their_numbers():
    app = opened_in_app(data=IRIS, run=dpviz.RunConfig(effort=0.05))
    finished = shown_run(app)
    names = {finished.number(k, finished.trace.n_sweeps): "same" for k in range(finished.trace.n_clusters[-1])}
    assert len(names) > 2
    app.session_state["explore"].finished = replace(finished, names=names)
    app = settled(run(go_to(app, "predict")))
    assert not app.exception and "goes to same (" in said(app)


def test_a_run_that_takes_long_waits_to_be_asked_for(monkeypatch):
    monkeypatch.setattr(jobs, "UNASKED_OPERATIONS", 1.0)
    app = opened(SMALL)
    assert "so it waits for you" in said(app) and "The point goes to" not in said(app)
    settled(press(app, "predict.run"))
    assert "The point goes to" in said(app)


def test_a_run_that_cannot_be_says_why():
    app = opened(IRIS, dpviz.RunConfig(family="poisson", n_init=1))
    assert any("must be a whole number" in plain(error.value) for error in app.error)


def test_data_and_settings_travel_in_the_address():
    app = opened(SMALL, point=[1.5, -2.25])
    values = json.loads(address(app, "predict"))
    assert values["point"] == [1.5, -2.25] and dpviz.RunConfig.from_query(values["run"]) == QUICK
    again = opened_in_app("predict", data=address(app, "data"), predict=address(app, "predict"))
    assert said(again.main) == said(app.main)
    assert known(again).finished.config == known(app).finished.config


def test_a_point_or_run_too_long_for_an_address_is_not_lost_in_silence(monkeypatch):
    app = opened(SMALL, point=[1.5, -2.25])
    length = len(address(app, "predict"))
    assert page_link.TOO_LONG not in said(app)
    for longest, names in ((length - 1, {"run", "tab"}), (60, {"tab"})):
        monkeypatch.setattr(predict_page.LINK, "longest", longest)
        assert page_link.TOO_LONG in said(settled(run(app)))
        assert set(json.loads(address(app, "predict"))) == names


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "{",
        '{"run": {"version": 8, "algorithm": "none"}}',
        '{"run": {"version": 8, "n_init": "-4"}}',
        '{"run": {"n_init": "2"}}',
        '{"run": 3, "tab": 4, "point": "x"}',
        '{"point": [1e400, true]}',
        '{"point": [1]}',
        '{"folds": 1e9, "point": [null, null, null]}',
        "x" * 9000,
    ],
)
def test_hostile_links_show_the_defaults(text):
    app = settled(run(page("predict", data=SMALL, predict=text)))
    assert "The point goes to" in said(app)
    close(app)


# --- one point --------------------------------------------------------------------------------------------------------


def test_fields_are_in_the_units_of_the_table_and_the_answer_too():
    app = opened(IRIS)
    run(field(app, "number_input", "petal_length").set_value(1.25))
    prepared, raw = prepare(IRIS), []
    for name in prepared.dataset.feature_names:
        raw.append(field(app, "number_input", name).value)
    assert raw[2] == 1.25
    X = prepared.dataset.X
    point = ((np.array(raw) - X.mean(axis=0)) / X.std(axis=0))[None, :]
    expected = predict(prepared.X, known(app).finished.trace, point)
    density = expected.log_density[0] - np.log(X.std(axis=0)).sum()
    assert f"{short(density)} of the mixture" in said(app) and "Per unit of the table's columns" in said(app)


def test_a_row_of_the_data_fills_the_form_with_its_gaps():
    app = opened(HEART, MIXED)
    data = prepare(HEART).dataset
    row = int(np.flatnonzero(data.incomplete)[0])
    gap = int(np.flatnonzero(np.isnan(data.X[row]))[0])
    set_to(app, next(n.key for n in app.number_input if n.label == "Point of the data"), row)
    press(app, "predict.take")
    toggles = [toggle.value for toggle in app.main.get("toggle") if toggle.label == "missing"]
    assert [bool(value) for value in toggles] == np.isnan(data.X[row]).tolist() and toggles[gap]
    expected = predict(prepare(HEART).X, known(app).finished.trace, data.X[row : row + 1])
    assert f"with probability {plain(percent(expected.probabilities.max()))}" in said(app)
    assert json.loads(address(app, "predict"))["point"][gap] is None
    press(app, "predict.typical")
    assert not any(toggle.value for toggle in app.main.get("toggle"))
    sex = field(app, "selectbox", "sex")
    assert sex.options == list(data.category_names[data.feature_names.index("sex")])


def test_a_point_without_any_cell_goes_where_the_prior_sends_it():
    app = opened(SMALL, point=[None, None])
    trace = known(app).finished.trace
    sizes = np.append(trace.sizes(trace.result_sweep), 3.0)
    assert f"with probability {plain(percent(sizes.max() / sizes.sum()))}" in said(app)
    assert "the partition prior alone decides" in said(app) and "drawn at the mean of the columns" in said(app)


def test_methods_without_probabilities_say_the_nearest_cluster():
    app = opened(IRIS, dpviz.RunConfig("kmeans", n_clusters=3, n_init=2))
    assert "K-means has no probabilities and no density: the nearest centre takes the point" in said(app)
    assert "Every column is needed: K-means leaves no cell out" in said(app)
    assert not [toggle for toggle in app.main.get("toggle") if toggle.label == "missing"]
    assert len(app.main.get("plotly_chart")) == 2
    app = opened(IRIS, dpviz.RunConfig("dpmeans", penalty=2.0), point=[40.0, 9.0, 30.0, 9.0])
    assert "The point goes to a new cluster" in said(app) and "within √λ of it, and any other opens" in said(app)


def test_principal_components_need_every_column_and_say_their_unit():
    choice = DataChoice("bundled", "iris", scaling="standardise", n_components=2)
    app = opened(choice)
    assert "the data are clustered on principal components" in said(app)
    assert "Per unit of the principal components" in said(app)
    run(field(app, "number_input", "petal_length").set_value(1.25))
    raw = np.array([field(app, "number_input", name).value for name in prepare(choice).dataset.feature_names])
    expected = predict(prepare(choice).X, known(app).finished.trace, prepare(choice).preparation.apply(raw[None, :]))
    assert f"with probability {plain(percent(expected.probabilities.max()))}" in said(app)


def test_very_many_columns_are_changed_some_at_a_time():
    app = opened(
        DataChoice("bundled", "breast_cancer_diagnostic", scaling="standardise"),
        usual_config(family="normal_gamma", n_init=1, init="single"),
    )
    assert len(app.multiselect) == 1 and len(app.multiselect[0].value) == 12
    names = prepare(DataChoice("bundled", "breast_cancer_diagnostic")).dataset.feature_names
    run(app.multiselect[0].set_value([29]))
    run(field(app, "number_input", names[29]).set_value(0.2))
    assert json.loads(address(app, "predict"))["point"][29] == 0.2


def test_a_chain_averages_and_says_whose_clusters_it_shows():
    config = usual_config("gibbs", "normal_gamma", n_sweeps=30, burn_in=10)
    app = opened(SMALL, config)
    raw = np.array([[field(app, "number_input", name).value for name in ("x1", "x2")]])
    expected = predict(prepare(SMALL).X, known(app).finished.trace, raw)
    assert "those of its kept draw of lowest nll" in said(app)
    assert f"{short(expected.log_density[0])} of the mixture (mean over the draws)" in said(app)


# --- why --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("choice", "config"), [(HEART, MIXED), (IRIS, QUICK)], ids=["product", "full covariance"])
def test_the_why_table_has_the_differences_of_contributions(choice, config):
    app = opened(choice, config)
    own, prepared = known(app), prepare(choice)
    raw = np.array([[x if x is not None else np.nan for x in json.loads(address(app, "predict"))["point"]]])
    point = prepared.preparation.apply(raw)
    expected = contribution_table(prepared.X, own.finished.trace, point[0], list(prepared.dataset.feature_names))
    order = expected.sum().sort_values(ascending=False, kind="stable").index
    shown = why(app)
    first = f"against {own.name(int(order[1]))}"
    difference = expected[order[0]] - expected[order[1]]
    columns = difference.iloc[: len(prepared.dataset.feature_names)]
    for name, value in columns.items():
        assert shown.loc[name, first] == pytest.approx(value, abs=1e-9)
    assert list(shown.index[: len(columns)]) == list(columns.abs().sort_values(ascending=False, kind="stable").index)
    assert shown.loc[answer.SUM, first] == pytest.approx(difference.sum(), abs=1e-9)
    assert shown.loc[answer.WEIGHT, first] == pytest.approx(difference["weight"], abs=1e-9)
    assert (answer.TOGETHER in shown.index) == (config is QUICK)
    shares = predict(prepared.X, own.finished.trace, point).probabilities[0]
    best, second = np.sort(shares)[::-1][:2]
    assert shown.loc[answer.SUM, first] == pytest.approx(np.log(best / second), abs=1e-6)


def test_another_pair_of_clusters_can_be_weighed():
    app = opened(IRIS)
    box = app.selectbox(key="predict.for")
    assert len(box.options) >= 3
    run(box.set_value(app.selectbox(key="predict.against").value))
    shown = why(app)
    assert shown.loc[answer.SUM].iloc[1] < 0, "the second best against the best"


def test_the_pair_that_is_weighed_goes_along_with_the_point_until_it_is_chosen():
    app = opened(SMALL)
    X, trace = prepare(SMALL).X, known(app).finished.trace
    winners = predict(X, trace, X).clusters
    first, second = (int(np.flatnonzero(winners == k)[0]) for k in np.unique(winners)[:2])

    def ask(point):
        for name, value in zip(("x1", "x2"), X[point], strict=True):
            run(field(app, "number_input", name).set_value(float(value)))

    for point in (first, second):
        ask(point)
        shares = predict(X, trace, X[point : point + 1]).probabilities[0]
        best, other = (known(app).name(known(app).candidates[k]) for k in np.argsort(-shares, kind="stable")[:2])
        assert f"The point goes to {best}" in said(app)
        boxes = [app.selectbox(key=key) for key in ("predict.for", "predict.against")]
        assert [box.options[box.index] for box in boxes] == [best, other]
    set_to(app, "predict.for", app.selectbox(key="predict.against").value)
    chosen = app.selectbox(key="predict.for").value
    ask(first)
    assert app.selectbox(key="predict.for").value == chosen


def test_figures_hold_the_numbers():
    bars = figures.probability_bars(["a", "<b>"], ["#000000", "#ffffff"], np.array([0.9, 0.0001]))
    assert list(bars.data[0].x) == [0.9, 0.0001] and list(bars.data[0].y) == ["a", "&lt;b&gt;"]
    assert list(bars.data[0].text) == ["90\u202f%", "< 0.1\u202f%"]
    differences = np.array([2.0, -1.0])
    found = figures.contribution_bars(["one", "two"], differences, "x", "y", "nats")
    assert list(found.data[0].x) == [2.0, -1.0]
    assert list(found.data[0].marker.color) == [figures.FOR, figures.AGAINST]
    display = prepare(SMALL).display()
    clusters, colors = np.arange(60) % 2, ["#111111", "#222222"]
    placed = figures.placed_point(display, clusters, ["a", "b"], colors, np.array([3.0, 4.0]), "#000000")
    assert_array_equal(placed.data[1].x, display.coordinates[clusters == 1, 0])
    assert (placed.data[-1].x[0], placed.data[-1].y[0]) == (3.0, 4.0)
    assert placed.layout.yaxis.scaleanchor == "x"  # a circle is a circle
    line = prepare(DataChoice("bundled", "galaxies")).display()
    placed = figures.placed_point(line, np.zeros(82, dtype=int), ["a"], ["#111111"], np.array([20.0]), "#000000")
    assert placed.data[-1].x[0] == 20.0 and len(placed.data[0].x) == 82
    assert placed.layout.yaxis.scaleanchor is None  # the height counts points


# --- tables -----------------------------------------------------------------------------------------------------------


def pasted(choice: DataChoice, text: str, config: dpviz.RunConfig = QUICK) -> AppTest:
    app = opened(choice, config, "table")
    return settled(set_to(app, "predict pasted", text))


def results(app: AppTest) -> pd.DataFrame:
    """The table as it is taken home."""
    upload = app.session_state["predict upload"]
    own = known(app)
    asked = table.as_seen(own, read_points(read_text(upload.held.content), own.prepared.dataset))
    found = own.predictor.predict(asked.prepared)
    return pd.read_csv(io.BytesIO(export_csv(table.result_table(own, asked, found))), keep_default_na=True)


def test_a_pasted_table_is_predicted_row_by_row():
    data = prepare(IRIS)
    rows = data.dataset.X[::15]
    frame = pd.DataFrame(rows, columns=list(data.dataset.feature_names))[list(reversed(data.dataset.feature_names))]
    app = pasted(IRIS, frame.assign(extra=1).to_csv(index=False))
    assert "Not among the clustered columns, so left out: “extra”" in said(app) and not app.warning
    shown = app.main.dataframe[-1].value
    expected = predict(data.X, known(app).finished.trace, data.X[::15])
    numbers = np.array(known(app).numbers)
    assert list(shown["cluster"]) == [str(number) for number in numbers[expected.clusters]]
    assert_allclose(shown["probability"], expected.probabilities.max(axis=1), rtol=1e-9)
    assert_allclose(shown["log_density"], expected.log_density + volume(IRIS), rtol=1e-9)
    assert_allclose(shown["map_log_density"], expected.map_log_density + volume(IRIS), rtol=1e-9)
    taken = results(app)
    assert list(taken.columns[:5]) == [*reversed(data.dataset.feature_names), "extra"]
    assert_allclose(taken["p_new"], expected.probabilities[:, -1], rtol=1e-9)
    assert_allclose(taken[f"p_{numbers[0]}"], expected.probabilities[:, 0], rtol=1e-9)
    counts = app.main.dataframe[0].value
    assert counts["rows"].sum() == len(rows)


HEADER = ",".join(prepare(HEART).dataset.feature_names)


def heart_row(**changes: str) -> str:
    good = {
        "age": "60",
        "sex": "male",
        "chest_pain": "asymptomatic",
        "resting_bp": "130",
        "cholesterol": "200",
        "fasting_blood_sugar_gt_120": "no",
        "resting_ecg": "normal",
        "max_heart_rate": "150",
        "exercise_angina": "no",
        "st_depression": "0.5",
        "st_slope": "flat",
        "n_vessels": "1",
        "thal": "normal",
    }
    return ",".join({**good, **changes}[name] for name in HEADER.split(","))


def test_wrong_cells_are_named_and_the_other_rows_predicted():
    changes = [{}, {"sex": "both"}, {"age": "old"}, {"n_vessels": "-1"}, {"n_vessels": "1.5"}]
    rows = [*(heart_row(**change) for change in changes), ",".join([""] * 13), heart_row(cholesterol="", thal="?")]
    app = pasted(HEART, "\n".join([HEADER, *rows]), MIXED)
    text = said(app)
    assert "Not predicted: 4 rows with cells that are no values of their columns." in text
    assert "Row 2, column “sex”: “both” must be one of “female”, “male”." in text
    assert "Row 3, column “age”: “old” must be a number." in text
    assert "Row 4, column “n_vessels”: “-1” must be a whole number from 0" in text
    assert "Row 5, column “n_vessels”: “1.5” must be a whole number from 0" in text
    assert "1 row without any cell: there the partition prior alone decides." in text
    taken = results(app)
    assert taken["cluster"].notna().tolist() == [True, False, False, False, False, True, True]
    assert taken["note"][1] == "not predicted: “sex” must be one of “female”, “male”"
    assert taken["note"][5] == NOTHING_KNOWN and pd.isna(taken["note"][0])
    assert_allclose(taken["log_density"][5], 0, atol=1e-9)


def test_values_that_the_family_does_not_know_are_named_too():
    choice = DataChoice("bundled", "dermatology")  # levels without names
    config = usual_config(family="binomial", n_init=1, init="single")
    data = prepare(choice).dataset
    rows = data.frame.iloc[data.rows[:3]][list(data.feature_names)].copy()
    rows.iloc[1, 2] = 99
    app = pasted(choice, rows.to_csv(index=False), config)
    assert f"Row 2, column “{data.feature_names[2]}”: “99” must be {NO_DENSITY}" in said(app)
    assert "Not predicted: 1 row" in said(app)
    name = data.feature_names[2]
    app = opened(choice, config, point=[float(x) if d != 2 else 99.0 for d, x in enumerate(data.X[0])])
    assert [plain(error.value) for error in app.error] == [f"“{name}” is 99 and must be {NO_DENSITY}."]


POWERS = DataChoice("bundled", "old_faithful", scaling="standardise", transform=(0.0, -0.5))
OF_POWERS = replace(QUICK, transform=(0.0, -0.5))
LOGARITHM = "above 0: the run takes its logarithm"


@pytest.mark.parametrize("directions", [None, 1])
@pytest.mark.parametrize("value", [0.0, -1.5])
def test_a_number_that_has_no_power_is_named_as_it_was_entered_and_what_it_must_be(value, directions):
    config = replace(OF_POWERS, directions=directions)
    eruptions, waiting = prepare(POWERS).dataset.feature_names
    app = opened(POWERS, config, point=[value, 70.0])
    (error,) = app.error
    typed = "0" if value == 0 else "−1.5"
    unit = dict(prepare(POWERS).dataset.units).get(eruptions, "")
    assert plain(error.value) == (
        f"“{eruptions}” is {typed}{f' {unit}' if unit else ''} and must be {LOGARITHM}. Transformation “None” on the "
        "Data page takes any number."
    )
    close(app)
    app = pasted(POWERS, f"{eruptions},{waiting}\n{value:g},70\n3,{value:g}\n1e-30,70\n", config)
    assert f"Row 1, column “{eruptions}”: “{value:g}” must be {LOGARITHM}." in said(app)
    assert f"Row 2, column “{waiting}”: “{value:g}” must be above 0: the run takes its power −0.5." in said(app)
    notes = results(app)["note"]
    assert notes[0] == f"not predicted: “{eruptions}” must be {LOGARITHM}" and pd.isna(notes[2])
    close(app)


def test_methods_that_need_every_column_refuse_gaps():
    kmeans = dpviz.RunConfig("kmeans", n_clusters=3, n_init=1)
    app = pasted(IRIS, "sepal_length,sepal_width,petal_length\n1,2,3\n", kmeans)
    assert any("The table lacks “petal_width”" in plain(error.value) for error in app.error)
    app = pasted(IRIS, "sepal_length,sepal_width,petal_length,petal_width\n1,2,3,1\n1,,3,1\n", kmeans)
    assert "Not predicted: 1 row with missing cells; this run of K-means needs every column." in said(app)
    assert "only the nearest cluster is known" in said(app)
    taken = results(app)
    assert taken["cluster"].notna().tolist() == [True, False]
    assert taken["note"][1] == "not predicted: missing cells"


def test_missing_columns_are_gaps_where_they_can_be():
    app = pasted(IRIS, "petal_length,petal_width\n1.4,0.2\n5,2\n")
    assert "Not in the table, so missing in every row: “sepal_length”, “sepal_width”." in said(app)
    data = prepare(IRIS)
    points = data.preparation.apply(np.array([[np.nan, np.nan, 1.4, 0.2], [np.nan, np.nan, 5.0, 2.0]]))
    expected = predict(data.X, known(app).finished.trace, points)
    assert_allclose(results(app)["probability"], expected.probabilities.max(axis=1), rtol=1e-9)


def test_what_is_no_table_says_so():
    app = pasted(IRIS, "a,b\n1,2\n")
    assert any("none of the columns" in plain(error.value) for error in app.error)
    app = opened(IRIS, QUICK, "table")
    app.file_uploader(key="predict file").set_value(("x.pdf", b"%PDF-1.4", "application/pdf"))
    run(app)
    assert app.error
    nasty = "[go](https://x.test)"
    app = pasted(IRIS, f"sepal_length,{nasty}\n1,{nasty}\n")
    assert not any("[go](" in str(getattr(element, "value", "")) for element in (*app.caption, *app.markdown))


def test_another_sheet_is_offered_when_the_first_has_other_columns():
    app, book = opened(IRIS, QUICK, "table"), io.BytesIO()
    rows = pd.DataFrame([[5.1, 3.5, 1.4, 0.2]], columns=list(prepare(IRIS).dataset.feature_names))
    with pd.ExcelWriter(book) as sheets:
        pd.DataFrame({"note": ["x"]}).to_excel(sheets, sheet_name="info", index=False)
        rows.to_excel(sheets, sheet_name="data", index=False)
    app.file_uploader(key="predict file").set_value(("t.xlsx", book.getvalue(), "application/octet-stream"))
    settled(run(app))
    assert any("none of the columns" in plain(error.value) for error in app.error)
    assert "Separator" not in [box.label for box in app.selectbox]
    settled(run(labelled(app, "selectbox", "Sheet").set_value("data")))
    assert not app.error and len(app.main.dataframe[-1].value) == 1


def test_a_file_is_read_as_the_data_page_reads_it():
    app = opened(IRIS, QUICK, "table")
    text = "sepal_length;sepal_width;petal_length;petal_width\n5,1;3,5;1,4;0,2\n"
    app.file_uploader(key="predict file").set_value(("new.csv", text.encode("utf-16"), "text/csv"))
    settled(run(app))
    shown = app.main.dataframe[-1].value
    data = prepare(IRIS)
    points = data.preparation.apply(np.array([[5.1, 3.5, 1.4, 0.2]]))
    expected = predict(data.X, known(app).finished.trace, points)
    assert shown["probability"].iloc[0] == pytest.approx(expected.probabilities.max(), rel=1e-9)


def test_a_table_is_read_differently_on_demand():
    text = "sepal_length;sepal_width;petal_length;petal_width\n5,123;3,512;1,412;0,212\n"
    app = pasted(IRIS, text)

    def first():
        row = app.main.dataframe[-1].value.iloc[0]
        return [float(row[name]) for name in text.splitlines()[0].split(";")]

    assert first() == [5.123, 3.512, 1.412, 0.212]
    (decimal,) = (box for box in app.selectbox if box.label == "Decimal")
    settled(run(decimal.set_value(".")))
    assert first()[:3] == [5123, 3512, 1412]
    (separator,) = (box for box in app.selectbox if box.label == "Separator")
    settled(run(separator.set_value("\t")))
    assert app.error  # what cannot be read so can be read otherwise
    (separator,) = (box for box in app.selectbox if box.label == "Separator")
    settled(run(separator.set_value("detect")))
    (decimal,) = (box for box in app.selectbox if box.label == "Decimal")
    settled(run(decimal.set_value("detect")))
    assert not app.error and first() == [5.123, 3.512, 1.412, 0.212]


def test_a_large_table_is_predicted_in_parts(monkeypatch):
    monkeypatch.setattr("dpviz.analysis.prediction.MOST_ROWS", 400)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(3000, 2)), columns=["x1", "x2"])
    app = pasted(SMALL, frame.to_csv(index=False))
    assert "The first 1,000 of 3,000 rows." in said(app)
    assert app.main.dataframe[0].value["rows"].sum() == 3000
    assert len(results(app)) == 3000
    monkeypatch.setattr(table, "MOST_PROBABILITIES", 100)
    app = pasted(SMALL, frame.to_csv(index=False))
    assert any("are predicted at a time. Split it." in plain(error.value) for error in app.error)


def test_a_long_table_is_watched_stopped_and_begun_anew(monkeypatch):
    gate, whole = threading.Semaphore(0), Predictor.parts

    def parts(predictor, points, with_density=True):
        for part in whole(predictor, points, with_density):
            if threading.current_thread().name == "dpviz work":
                gate.acquire()
            yield part

    app = opened(SMALL, tab="table")
    monkeypatch.setattr(Predictor, "parts", parts)
    monkeypatch.setattr("dpviz.analysis.prediction.MOST_ROWS", 400)
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 0.0)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(3000, 2)), columns=["x1", "x2"])
    set_to(app, "predict pasted", frame.to_csv(index=False))
    gate.release(2)
    until(app, lambda app: "800 of 3,000 rows were predicted so far" in said(app))
    press(app, "predict.stop.table")
    settled(app)
    assert "Stopped: 2 of 8 parts were done." in said(app)
    assert "800 of 3,000 rows were predicted before it was stopped." in said(app)
    assert app.main.dataframe[0].value["rows"].sum() == 800
    gate.release(1_000)
    settled(press(app, "predict.again.table"))
    assert app.main.dataframe[0].value["rows"].sum() == 3000 and "Stopped" not in said(app)
    close(app)


def test_own_data_of_every_kind_predict_their_own_rows():
    text = "colour,size,n,grade\n" + "\n".join(f"{'rbg'[i % 3]},{i % 7 + 0.25},{i % 4},{i % 5 + 1}" for i in range(60))
    kinds = {"colour": "categorical", "size": "continuous", "n": "count", "grade": "ordinal"}
    data = to_dataset(read_text(text), kinds=kinds, features=list(kinds))
    app = run(in_app("predict"))
    own = kept.OwnData()
    own.keep("mine", data)
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "mine")
    settled(run(app))
    assert field(app, "selectbox", "colour").options == ["b", "g", "r"]
    assert field(app, "selectbox", "grade").options == ["1", "2", "3", "4", "5"]
    assert "data" not in app.query_params or "mine" in address(app, "data")
    set_to(app, "predict.tab", "A table")
    settled(set_to(app, "predict pasted", text))
    found = known(app).finished
    expected = predict(data.X, found.trace, data.X)
    shown = app.main.dataframe[-1].value
    assert_allclose(shown["probability"], expected.probabilities.max(axis=1), rtol=1e-9)


def opened_on(text: str, features: list[str] | None = None) -> AppTest:
    """Open the page on a table of one's own."""
    app = run(in_app("predict"))
    own = kept.OwnData()
    own.keep("mine", to_dataset(read_text(text), features=features))
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "mine")
    return settled(run(app))


def test_numbers_are_written_with_the_digits_that_differ():
    jd = [2459123.5 + 2 * (i % 2) + i / 1000 for i in range(60)]
    app = opened_on("\n".join(["jd,mag", *(f"{day:.4f},{12.25 + i % 2 + i / 100}" for i, day in enumerate(jd))]))
    assert field(app, "number_input", "jd").value == pytest.approx(np.median(jd), abs=1e-3)
    press(app, "predict.take")
    assert why(app).loc["jd", "value"] == "2459123.5"


def test_dates_are_said_as_such_and_units_stand_at_the_fields():
    rows = [f"2022-0{1 + 3 * (i % 2)}-{10 + i % 9} 12:30,{150.5 + i % 7 + 9 * (i % 2)} cm" for i in range(60)]
    app = opened_on("\n".join(["day,height", *rows]), ["day", "height"])
    assert field(app, "number_input", "height (cm)").value > 150
    day = field(app, "number_input", "day (days since 1 January 1970)")
    press(app, "predict.take")
    assert "2022-01-10 12:30" in [plain(caption.value) for caption in app.caption] and day.value > 18_000
    shown = why(app)["value"]
    assert (shown["day"], shown["height"]) == ("2022-01-10 12:30", "150.5 cm")


def test_times_of_the_day_are_said_as_such():
    """And the value to begin with is one of the night, where all lie, though their median is at noon."""
    rows = [f"{(22 + i % 5) % 24:02}:30,{150.5 + i % 7}" for i in range(60)]
    app = opened_on("\n".join(["start,height", *rows]), ["start", "height"])
    assert field(app, "number_input", "start (hours of the day)").value == pytest.approx(0.5)
    assert "00:30" in [plain(caption.value) for caption in app.caption]
    press(app, "predict.take")
    assert "22:30" in [plain(caption.value) for caption in app.caption] and why(app)["value"]["start"] == "22:30"


def test_rows_are_read_as_the_data_were_and_what_was_changed_is_said():
    """A code accepted as missing is missing, the unit is that of the data, and notes of the reading are shown."""
    rows = [f"{60 + i % 9 + i / 50} kg,{160.25 + i % 7}" for i in range(40)]
    text = "\n".join(["w,h", *rows, "71.5 kg,-99", "72.5 kg,-99"])
    data = to_dataset(read_text(text, accepted=[("h", -99.0)]), gaps=True)
    app = run(in_app("predict"))
    own = kept.OwnData()
    own.keep("mine", data)
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "mine", gaps=True)
    settled(run(app))
    set_to(app, "predict.tab", "A table")
    settled(set_to(app, "predict pasted", "w,h\n61 kg,-99\n61 kg,<162\n62 kg,163\n"))
    for note in (
        "As in the data, 1 cell of “h” with -99 emptied.",
        "Bounds such as <0.1 were read as the limit, 0.1, in “h”.",
        "The unit kg was removed in “w”.",
    ):
        assert note in said(app)
    found = known(app).finished
    points = known(app).prepared.preparation.apply(np.array([[61, np.nan], [61, 162], [62, 163.0]]))
    expected = predict(known(app).prepared.X, found.trace, points)
    shown = app.main.dataframe[-1].value
    assert_allclose(shown["probability"], expected.probabilities.max(axis=1), rtol=1e-9)
    settled(set_to(app, "predict pasted", "w,h\n134 lb,163\n"))
    assert any("is in lb, and in the data it is in kg" in plain(error.value) for error in app.error)


# --- folds ------------------------------------------------------------------------------------------------------------


def test_folds_are_measured_on_demand_in_the_units_of_the_table():
    app = opened(IRIS, QUICK, "folds", folds=3)
    settled(press(app, "predict.measure"))
    X = prepare(IRIS).X
    expected = HeldOut.of(list(held_out_folds(X, QUICK, 3)), len(X))
    assert f"{signed(expected.mean + volume(IRIS), '.4f')} nats per point" in said(app)
    assert f"standard error {expected.standard_error:.2g}" in said(app)
    shown = app.main.dataframe[0].value
    assert_allclose(shown["mean log density"], [fold.mean + volume(IRIS) for fold in expected.folds])
    settled(set_to(app, "predict.n_folds", 2))
    assert "nats per point" not in said(app)
    settled(press(app, "predict.measure"))
    assert list(app.main.dataframe[-1].value["folds"]) in ([2, 3], [3, 2])


def test_measurements_of_other_draws_are_not_of_these_data():
    app = opened(SMALL, QUICK, "folds", folds=2)
    settled(press(app, "predict.measure"))
    settled(run(next(e for e in (*app.number_input, *app.slider) if e.key.endswith(".seed")).set_value(7)))
    settled(press(app, "predict.measure"))
    assert known(app).prepared.choice.options != SMALL.options
    assert "nats per point" in said(app) and "Measured on these data" not in said(app)
    settled(set_to(app, "predict.n_folds", 3))
    settled(press(app, "predict.measure"))
    assert sorted(app.main.dataframe[-1].value["folds"]) == [2, 3]


def test_methods_without_a_density_measure_nothing():
    app = opened(IRIS, dpviz.RunConfig("kmeans", n_clusters=3, n_init=1), "folds")
    assert "K-means has no density" in said(app) and not [b for b in app.button if b.key == "predict.measure"]


def test_folds_that_fail_say_why(monkeypatch):
    def refuse(*_):
        raise InvalidDataError("no [luck](x)")

    monkeypatch.setattr("dpviz.analysis.held_out.fold_log_density", refuse)
    app = opened(SMALL, QUICK, "folds")
    settled(press(app, "predict.measure"))
    assert any("no [luck](x)" in plain(error.value) and "[luck](" not in error.value for error in app.error)
    assert labelled(app, "segmented_control", "What to predict") is not None
