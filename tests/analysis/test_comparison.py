"""Comparisons: scores by hand, matching by brute force, repetitions against separate runs, figures by their data."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from hypothesis import given
from hypothesis import strategies as st

import dpviz
from dpviz import ChineseRestaurant, FiniteDirichlet, PitmanYor, PoweredChineseRestaurant, RunConfig
from dpviz.analysis.comparison import (
    SharedStart,
    best_runs,
    comparable_groups,
    contingency,
    n_disagreeing,
    score_table,
    scores,
    size_ranks,
)
from dpviz.analysis.repetition import Draw, PlannedRun, Repetition
from dpviz.datasets import Display
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.figures import compare as figures
from dpviz.figures.theme import MOST_VECTORS

BLOBS = dpviz.datasets.synthesize("elliptical_separated", n=60)
CHAIN = usual_config("gibbs", n_sweeps=30, burn_in=10, thin=4)


def labels_of(length: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.integers(0, 3), min_size=length, max_size=length).map(np.array)


def test_scores_of_one_cluster_against_two_halves_by_hand():
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    trace = dpviz.run(X, RunConfig("kmeans", n_clusters=1))
    found = scores(trace, np.array([0, 0, 1, 1]))
    assert found["n_clusters"] == 1 and found["delta_k"] == -1
    assert found["variation_of_information"] == pytest.approx(1.0)  # one bit tells the halves apart
    assert found["nmi"] == found["ami"] == found["ari"] == 0
    assert np.isnan(found["nll"]) and found["n_sweeps"] == trace.n_sweeps
    assert found["seconds"] == trace.total_seconds > sum(trace.seconds)


def test_without_a_reference_the_agreements_are_missing_and_a_chain_has_no_convergence():
    found = scores(dpviz.run(BLOBS.X, CHAIN), None)
    missing = ["delta_k", "nmi", "ami", "ari", "variation_of_information", "n_sweeps"]
    assert [name for name in found if np.isnan(found[name])] == missing


def test_the_result_of_a_chain_is_its_kept_draw_of_lowest_nll():
    trace = dpviz.run(dpviz.datasets.synthesize("elliptical_overlap", n=80).X, CHAIN)
    kept = [sweep for sweep in trace.label_sweeps.tolist() if sweep > 10]
    assert kept == [14, 18, 22, 26, 30]
    lowest = min(kept, key=lambda sweep: trace.nll[sweep])
    assert trace.label_sweeps[trace.result_row] == lowest != kept[-1]
    np.testing.assert_array_equal(trace.result_labels, trace.labels_at(lowest))
    assert scores(trace, None)["nll"] == trace.nll[lowest]


def test_the_result_of_a_chain_stopped_in_its_burn_in_is_its_last_recorded_row():
    ticks = iter(range(100))
    trace = dpviz.run(BLOBS.X, CHAIN, should_stop=lambda: next(ticks) == 5)
    assert trace.n_sweeps == 5 and trace.label_sweeps.tolist() == [0, 2]
    assert trace.result_row == 1


def test_the_nll_is_comparable_within_family_hyperparameters_and_kind_of_prior():
    default = dpviz.families.FAMILIES["normal_wishart"].default_prior(BLOBS.X)
    configs = [
        usual_config(),
        usual_config("gibbs", partition=ChineseRestaurant(9.0)),
        RunConfig("mapdp", prior=default, family="normal_wishart"),
        RunConfig("mapdp", prior={"c0": 0.2}, family="normal_wishart"),
        usual_config(partition=PitmanYor(3.0, 0.1)),
        usual_config(family="normal_gamma"),
        RunConfig("kmeans"),
        RunConfig("em"),
        usual_config("gibbs", partition=PoweredChineseRestaurant(2.0, 1.0)),
        usual_config("gibbs", partition=PoweredChineseRestaurant(2.0, 1.1)),
        usual_config(partition=PitmanYor(2.0, 0.0)),
    ]
    expected = ["a", "a", "a", "b", "c", "d", None, None, "a", "e", "a"]
    assert comparable_groups(BLOBS.X, configs) == expected


@pytest.mark.parametrize("prior", [PoweredChineseRestaurant(1.7, 1.0), PitmanYor(1.7, 0.0)])
def test_priors_that_are_a_chinese_restaurant_give_the_same_nll(prior):
    one, other = (dpviz.run(BLOBS.X, usual_config(partition=p)) for p in (prior, prior.reduced()))
    assert prior.reduced() == ChineseRestaurant(1.7)
    assert one.nll[-1] == pytest.approx(other.nll[-1], rel=1e-12)


def test_a_table_refuses_runs_of_other_data():
    trace = dpviz.run(BLOBS.X, RunConfig("kmeans"))
    assert score_table(BLOBS.X, {"one": trace}, BLOBS.labels).loc["one", "nmi"] > 0.9
    with pytest.raises(InvalidDataError, match="'one' has 60 points, the data 59"):
        score_table(BLOBS.X[1:], {"one": trace})


def test_the_best_of_every_column():
    table = pd.DataFrame(
        {
            "delta_k": [-1, 2, 1],
            "nmi": [0.5, 0.9, 0.9],
            "ami": np.nan,
            "ari": [0.1, np.nan, np.nan],
            "variation_of_information": [0.3, 0.2, 0.4],
            "nll": [7.0, 5.0, 1.0],
            "nll_group": ["a", "a", "b"],
            "n_sweeps": [3, np.nan, 4],
            "seconds": [0.2, 0.1, 0.3],
        },
        index=["one", "two", "three"],
    )
    assert best_runs(table) == {
        "delta_k": ["one", "three"],
        "nmi": ["two", "three"],
        "ami": [],
        "ari": [],  # one run alone is not the best of anything
        "variation_of_information": ["two"],
        "nll": ["two"],  # "three" belongs to another model
        "n_sweeps": ["one"],
        "seconds": ["two"],
    }


@given(labels_of(12), labels_of(12))
def test_contingency_counts_every_pair_and_puts_the_best_matching_on_its_diagonal(first, second):
    table = contingency(first, second)
    for row in table.index:
        for column in table.columns:
            naive = sum(a == row and b == column for a, b in zip(first, second, strict=True))
            assert table.at[row, column] == naive
    wide = table.to_numpy() if table.shape[0] <= table.shape[1] else table.to_numpy().T
    most = max(sum(wide[k, place] for k, place in enumerate(p)) for p in permutations(range(wide.shape[1]), len(wide)))
    assert n_disagreeing(table) == 12 - most


def test_rows_of_a_contingency_table_go_by_size_and_size_ranks_are_sorted():
    labels = np.repeat([5, 2, 9], [2, 7, 4])
    assert contingency(labels, labels).index.tolist() == [2, 9, 5]
    assert contingency(labels, labels).columns.tolist() == [2, 9, 5]
    assert size_ranks(labels).tolist() == [7, 4, 2]


def test_a_contingency_table_that_nobody_could_read_is_refused():
    with pytest.raises(InvalidParameterError, match="1,001 × 1,001 clusters"):
        contingency(np.arange(1001), np.arange(1001))


@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "mapdp", "gibbs"])
def test_a_shared_start_is_where_a_run_begins(algorithm):
    start = SharedStart.draw(BLOBS.X, 3, seed=4)
    config = usual_config(algorithm, init=start.labels, n_sweeps=2, burn_in=1, max_sweeps=2)
    assert start.refusal(config) is None
    first = dpviz.run(BLOBS.X, config).labels[0]
    assert dpviz.metrics.variation_of_information(start.labels, first) == 0


def test_points_of_a_shared_start_belong_to_the_nearest_of_its_seeds():
    start = SharedStart.draw(BLOBS.X, 4, seed=1)
    distances = np.linalg.norm(BLOBS.X[:, None] - BLOBS.X[None], axis=2)
    members = [np.flatnonzero(start.labels == k).tolist() for k in range(4)]
    assert start.n_clusters == 4
    # The seeds are points, one in each cluster: some choice of four must explain all labels.
    assert any(np.array_equal(np.argmin(distances[:, seeds], axis=1), start.labels) for seeds in product(*members))


def test_who_cannot_begin_with_the_others():
    start = SharedStart.draw(BLOBS.X, 4, seed=1)
    assert start.refusal(RunConfig("kmeans", n_clusters=3)) == "its K is 3, the start has 4 clusters"
    assert start.refusal(RunConfig("em", n_components=5)) == "its K is 5, the start has 4 clusters"
    assert start.refusal(usual_config(partition=FiniteDirichlet(1.0, 3))) == "its prior allows 3 clusters"
    assert start.refusal(usual_config(partition=FiniteDirichlet(1.0, 4))) is None
    assert SharedStart.draw(np.repeat(BLOBS.X[:2], 5, axis=0), 3, seed=0).n_clusters == 2


def test_a_study_finds_step_by_step_what_separate_runs_find():
    configs = {
        "K-means": RunConfig("kmeans", n_clusters=2, n_init=1),
        "MAP-DP": usual_config(n_init=2),
        "automatic": RunConfig("mapdp", n_init=1),
    }
    plan = [
        PlannedRun(name, seed, RunConfig(**{**vars(config), "seed": seed}))
        for seed in range(3)
        for name, config in configs.items()
    ]
    study = Repetition({0: Draw(BLOBS.X, BLOBS.labels)}, plan)
    n_steps = 0
    for operations in study.steps():
        n_steps += 1
        assert operations > 0 and len(study.frame()) == study.n_done
    assert n_steps > len(plan)
    frame = study.frame().drop(columns="seconds")
    expected = [
        {"run": p.run, "seed": p.seed, "draw": 0, **scores(dpviz.run(BLOBS.X, p.config), BLOBS.labels)} for p in plan
    ]
    pd.testing.assert_frame_equal(frame, pd.DataFrame(expected).drop(columns="seconds"), check_dtype=False)


def test_a_failed_run_of_a_study_is_reported_and_the_others_go_on():
    plan = [PlannedRun("A", 0, RunConfig("kmeans", n_clusters=61)), PlannedRun("B", 1, RunConfig("kmeans"))]
    study = Repetition({0: Draw(BLOBS.X, None)}, plan)
    assert sum(study.steps()) > 0
    assert study.n_done == 2 and study.frame()["run"].tolist() == ["B"]
    assert len(study.failures) == 1 and study.failures[0].startswith(
        "A, seed 0: n_samples=60 should be >= n_clusters=61"
    )


# --- figures ----------------------------------------------------------------------------------------------------------

HOSTILE = "<a href='x'>K</a> & co"


def test_size_ranks_are_drawn_on_a_logarithmic_scale():
    figure = figures.size_ranks({"one": np.array([9, 4]), HOSTILE: np.array([13])})
    assert [trace.y.tolist() for trace in figure.data] == [[9, 4], [13]]
    assert [trace.x.tolist() for trace in figure.data] == [[1, 2], [1]]
    assert figure.layout.yaxis.type == "log"
    assert figure.data[1].name == "&lt;a href='x'&gt;K&lt;/a&gt; &amp; co"
    assert figure.data[0].line.dash != figure.data[1].line.dash
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol
    assert len(figures.size_ranks({}).data) == 0


@pytest.mark.parametrize("sizes", [[36, 35, 34], [5], [99, 10], [2_000, 610, 646], [400, 3], [1, 10_000]])
def test_sizes_have_ticks_that_say_the_whole_number_however_near_they_are(sizes):
    axis = figures.size_ranks({"one": np.array(sizes)}).layout.yaxis
    assert [int(text.replace(",", "")) for text in axis.ticktext] == list(axis.tickvals)
    low, high = (min(sizes), max(sizes)) if axis.range is None else 10.0 ** np.array(axis.range)
    assert low <= min(sizes) and max(sizes) <= high
    assert sum(low <= tick <= high for tick in axis.tickvals) >= 2


def test_every_cell_of_the_heatmap_can_be_clicked_and_says_its_count():
    table = contingency(np.array([0, 0, 0, 4, 4]), np.array([1, 1, 2, 2, 2]))
    figure = figures.contingency_heatmap(table, (HOSTILE, "other"))
    heat, cells = figure.data
    np.testing.assert_allclose(np.expm1(np.nan_to_num(heat.z)), table.to_numpy())
    assert (heat.zmin, heat.zmax) == (0, np.log1p(table.to_numpy().max()))
    assert np.isnan(heat.z).sum() == (table.to_numpy() == 0).sum() == 1
    for (row, column), text, x, y in zip(cells.customdata, cells.text, cells.x, cells.y, strict=True):
        assert (x, y) == (column, row)
        assert text == (str(table.iat[row, column]) if table.iat[row, column] else "")
    assert list(figure.layout.yaxis.ticktext) == ["1", "5"]
    assert "<a" not in figure.layout.yaxis.title.text
    assert cells.textfont.color != figures.contingency_heatmap(table, ("", ""), dark=True).data[1].textfont.color


def test_a_large_contingency_table_is_cut_where_it_says():
    many = np.arange(50)
    figure = figures.contingency_heatmap(contingency(many, many), ("a", "b"))
    assert figure.data[0].z.shape == (figures.MOST_SHOWN, figures.MOST_SHOWN)
    assert set(figure.data[1].text) == {""}


def test_highlighted_points_lie_where_the_data_are():
    coordinates = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    display = Display(coordinates, ("x", "y"), np.eye(2), np.zeros(2))
    behind, front = figures.highlighted_points(display, np.array([1, 2])).data
    assert len(behind.x) == 3
    assert (front.x.tolist(), front.y.tolist()) == ([2.0, 4.0], [3.0, 5.0])


def test_a_figure_of_few_points_needs_no_webgl():
    def kinds(n_points, n_front):
        display = Display(np.zeros((n_points, 2)), ("x", "y"), np.eye(2), np.zeros(2))
        return {trace.type for trace in figures.highlighted_points(display, np.arange(n_front)).data}

    assert kinds(MOST_VECTORS - 10, 10) == {"scatter"}
    assert kinds(MOST_VECTORS - 10, 11) == {"scattergl"}


def test_score_boxes_hold_every_run_and_skip_what_is_missing():
    frame = pd.DataFrame({"run": ["a", "a", "b"], "seed": [3, 4, 3], "nll": [1.0, 2.0, np.nan]})
    figure = figures.score_boxes(frame, "nll", "nll (nats)", {"a": "#112233", "b": "#445566"})
    assert [box.name for box in figure.data] == ["a"]
    assert figure.data[0].y.tolist() == [1.0, 2.0] and figure.data[0].boxpoints == "all"
    assert list(figure.data[0].text) == ["seed 3", "seed 4"]
