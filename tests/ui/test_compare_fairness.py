"""The Compare page is fair, and looks it: equal effort, facts in sight, one set of colours, repetitions, references."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from streamlit.testing.v1 import AppTest
from test_compare_page import SMALL, THREE, opened, rows, table

import dpviz
from dpviz import RunConfig, player
from dpviz.analysis import effort
from dpviz.analysis.comparison import score_table, scores
from dpviz.figures import compare as figures
from dpviz.player import palette
from dpviz.player.palette import PANEL_SHARES
from dpviz.server import app_folder
from dpviz.ui.compare import references
from dpviz.ui.compare import results as compare_results
from dpviz.ui.session import computation
from dpviz.ui.session.background import Work
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.stage.panels import RESTARTS, WORK, Common
from dpviz.ui.stage.plan import Plan
from dpviz.ui.stage.runs import Batch
from pages import address, computing, ended, labelled, plain, run, said, settled

IRIS = DataChoice("bundled", "iris", scaling="standardise")
FOUR = [
    RunConfig("kmeans"),
    RunConfig("em", n_init=1),
    usual_config(),
    usual_config("gibbs", n_sweeps=20, burn_in=5),
]


def made(configs: list[RunConfig], common: Common, choice: DataChoice = SMALL) -> Any:
    plan, _ = Plan.make(choice, configs, common)
    batch = Batch(plan)
    assert Work(batch, at_once=float("inf")).over
    return batch.picture_of_all()


def test_all_methods_get_ten_starts_unless_asked_otherwise():
    at = opened()
    settled(at.button(key="compare.add").click().run())
    picture = at.session_state["compare picture"]
    assert [len(trace.starts) for trace in picture.traces.values() if not trace.is_chain] == [10, 10, 1]
    assert json.loads(address(at, "same"))["effort"] == RESTARTS
    assert table(at)["Effort"].iloc[0] == effort.in_words(picture.traces["1 K-means"])
    labelled(at, "selectbox", "Equal effort").set_value("").run()
    settled(at)
    assert "effort" not in json.loads(address(at, "same"))


def test_the_same_restarts_hold_for_all_but_the_chain():
    picture = made(FOUR, Common(effort=RESTARTS, starts=4))
    assert [len(trace.starts) for trace in picture.traces.values()] == [4, 4, 4, 1]


def test_the_same_work_is_what_the_table_counts():
    picture = made(FOUR, Common(effort=WORK, starts=2))
    traces = list(picture.traces.values())
    first = made(FOUR, Common(effort=RESTARTS, starts=2)).traces.values()
    expected = effort.same_work(list(first), 2)
    assert [trace.config for trace in traces] == expected != [trace.config for trace in first]
    for trace in traces:
        np.testing.assert_array_equal(trace.labels, dpviz.run(prepare(SMALL).X, trace.config).labels)
    assert [outcome.config for outcome in picture.outcomes] == expected


def test_equal_work_on_own_data_is_found_in_a_thread_which_has_no_session():
    def compare():
        import numpy as np
        import streamlit as st

        from dpviz.config import RunConfig
        from dpviz.datasets import Dataset
        from dpviz.ui.session.background import Work
        from dpviz.ui.session.chosen_data import keep_session_dataset
        from dpviz.ui.stage.panels import WORK, Common
        from dpviz.ui.stage.plan import Plan
        from dpviz.ui.stage.runs import Batch

        X = np.random.default_rng(0).normal(size=(60, 2))
        configs = [RunConfig("kmeans"), RunConfig(family="normal_wishart", prior=None)]
        plan, _ = Plan.make(keep_session_dataset(Dataset(X=X, name="own")), configs, Common(effort=WORK, starts=2))
        st.session_state["work"] = Work(Batch(plan))

    work = AppTest.from_function(compare, default_timeout=600).run().session_state["work"]
    assert ended(work).error == ""
    finished = [result for result in work.task.results.values() if not isinstance(result, str)]
    assert len(finished) == len(work.task.results) == 3  # the cheaper method has run once more


def test_a_comparison_of_equal_work_that_is_known_needs_no_more_runs():
    common = Common(effort=WORK, starts=2)
    picture = made(FOUR, common)
    plan, _ = Plan.make(SMALL, FOUR, common)
    again = Batch(plan)
    assert again.pending == [] and again.estimate.operations == 0
    assert list(again.picture_of_all().traces.values()) == list(picture.traces.values())


def test_stopping_between_first_and_further_starts_keeps_the_first():
    common = Common(effort=WORK, starts=3)
    configs = [RunConfig("kmeans", seed=71), usual_config(seed=71)]
    batch = Batch(Plan.make(SMALL, configs, common)[0])
    steps = batch.steps()
    while len(batch.results) == 2:
        next(steps)  # until more starts are asked for
    batch.finish(stopped=True)
    picture = batch.picture_of_all()
    assert [len(trace.starts) for trace in picture.traces.values()] == [3, 3]
    assert not picture.complete


def test_heading_and_csv_say_scaling_and_family():
    at = opened(FOUR[:3], IRIS)
    heading = plain(at.main.caption[0].value)
    assert "150 points, 4 columns, standardised, model of the clusters: full covariance" in heading
    picture = made(FOUR, Common(), IRIS)
    frame = compare_results.exported(picture, score_table(prepare(IRIS).X, picture.traces))
    assert frame["scaling"].tolist() == ["standardise"] * 4
    assert frame["family"].tolist() == ["", "", "normal_wishart", "normal_wishart"]
    assert frame["starts"].tolist() == [10, 1, 10, 1]
    assert frame["seconds"].tolist() == [trace.total_seconds for trace in picture.traces.values()]
    scaled = DataChoice("bundled", "iris", scaling="robust", n_components=2, whiten=True)
    assert "robustly scaled, 2 principal components, whitened" in plain(opened(FOUR[:2], scaled).main.caption[0].value)


def test_titles_over_panels_name_what_is_not_shared():
    def titles(*configs):
        return [panel.title for panel in made(list(configs), Common()).panels]

    assert titles(RunConfig("kmeans"), usual_config()) == [
        "1 K-means · K = 3",
        "2 MAP-DP · N0 = 3",
    ]
    assert titles(
        usual_config(seed=1),
        usual_config(family="normal_gamma"),
    ) == [
        "1 MAP-DP · N0 = 3 · full covariance · seed 1",
        "2 MAP-DP · N0 = 3 · independent features · seed 0",
    ]


def test_charts_have_the_colours_of_the_players_panels():
    script = (Path(palette.__file__).parent / "assets" / "theme.js").read_text(encoding="utf-8")
    shares = re.search(r"PANEL_SHARES = \[([\d., ]+)\]", script)
    assert shares is not None and tuple(map(float, shares[1].split(","))) == PANEL_SHARES
    picture = made(THREE, Common())
    for dark in (False, True):
        colors = picture.colors(dark)
        config = tomllib.loads((app_folder() / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
        shade = "dark" if dark else "light"
        assert list(colors.values())[::2] == [config["theme"][shade]["textColor"].lower()] * 2
        assert not {*colors.values()} & {*player.CLUSTER_COLORS[shade]}  # which mean clusters
        sizes = {name: np.array([2, 1]) for name in (*colors, "known groups")}
        drawn = {line.name: (line.line.color, line.marker.color) for line in figures.size_ranks(sizes, colors).data}
        assert drawn == {name: (color, color) for name, color in colors.items()} | {"known groups": ("#808080",) * 2}
        frame = pd.DataFrame({"run": list(colors), "seed": 0, "nmi": [0.1, 0.2, 0.3]})
        boxes = figures.score_boxes(frame, "nmi", "NMI", colors).data
        assert [box.line.color for box in boxes] == list(colors.values())


def test_matching_clusters_of_all_panels_have_one_number():
    same = [usual_config(seed=seed) for seed in range(3)] + [RunConfig("em", seed=9)]
    picture = made(same, Common(), DataChoice("synthetic", "elliptical_separated").with_options(n=150))
    first, *others = picture.labels.values()
    assert len(np.unique(first)) == 3
    for labels in others:
        np.testing.assert_array_equal(labels, first)


def test_the_heatmap_paints_its_clusters():
    counts = pd.DataFrame([[3, 1], [0, 2]], index=[4, 0], columns=[0, 1])
    figure = figures.contingency_heatmap(counts, ("a", "b"), (["#111111", "#222222"], ["#333333", "#444444"]))
    assert list(figure.layout.yaxis.ticktext) == [
        '<span style="color:#111111">■</span> 5',
        '<span style="color:#222222">■</span> 1',
    ]
    assert "#444444" in figure.layout.xaxis.ticktext[1]


def test_repeating_over_new_draws_runs_on_data_of_their_own():
    configs = [RunConfig("kmeans", n_init=1), usual_config(n_init=1)]
    at = opened(configs, same='{"seed":3}')
    at.number_input(key="compare.n_seeds").set_value(3).run()
    labelled(at, "selectbox", "Over").set_value("new draws of the data").run()
    settled(at.button(key="compare.repeat").click().run())
    work = computing(at, "compare study")
    frame = work.task.result.frame().drop(columns="seconds")
    expected = []
    for draw in range(3):
        data = dpviz.datasets.synthesize("elliptical_overlap", n=120, seed=draw)
        for number, method in enumerate(("K-means", "MAP-DP"), 1):
            config = usual_config(configs[number - 1].algorithm, n_init=1, seed=3 + draw)
            found = scores(dpviz.run(data.X, config), data.labels)
            expected.append({"run": f"{number} {method}", "seed": 3 + draw, "draw": draw, **found})
    pd.testing.assert_frame_equal(frame, pd.DataFrame(expected).drop(columns="seconds"), check_dtype=False)


def test_new_draws_are_offered_only_where_there_are_any():
    at = opened(THREE[:2], IRIS)
    assert labelled(at, "selectbox", "Over").options == ["other seeds"]
    assert "these data are one table" in said(at)
    at = opened(THREE[:2])
    assert labelled(at, "selectbox", "Over").options == ["other seeds", "new draws of the data"]
    settled(at.selectbox(key="compare.reference").set_value("1 K-means").run())
    assert labelled(at, "selectbox", "Over").options == ["other seeds"]


def test_reference_rows_that_come_while_the_page_is_drawn_are_shown(monkeypatch):
    at, known = opened(THREE[:2], same='{"seed":4,"effort":"restarts","starts":1}'), references.known

    def known_before_the_end(picture):
        found = known(picture)
        work = computation.current("compare references")
        if work is not None:
            ended(work)
        return found

    monkeypatch.setattr(references, "known", known_before_the_end)
    at.button(key="compare.references").click().run()
    assert len(table(at)) == 5


def test_reference_rows_come_when_asked_for_with_their_settings():
    at = opened(THREE[:2], same='{"seed":4,"effort":"restarts","starts":1}')
    assert len(table(at)) == 2
    at.button(key="compare.references").click().run()
    settled(at)
    assert [plain(name) for name in table(at).index[2:]] == ["Gaussian mixture + BIC", "Variational mixture", "HDBSCAN"]
    assert "K from 1 to 12 by BIC, 1 start each, seed 4" in said(at)
    assert set(table(at)["nll (nats)"].iloc[2:]) == {"–"}
    settled(labelled(at, "slider", "Clusters K").set_value(2).run())
    assert len(table(at)) == 5  # they do not depend on the panels
    settled(at.number_input(key="compare.seed").set_value(5).run())
    assert len(table(at)) == 2  # but on the seed


def groups_with_gaps() -> None:
    """Compare a table whose complete rows are of one known group only."""
    from dataclasses import replace

    import numpy as np
    import streamlit as st

    from dpviz.datasets import Dataset
    from dpviz.ui.compare import page
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset

    if "kept" not in st.session_state:
        rng = np.random.default_rng(0)
        X, labels = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
        X[labels > 0, 1] = np.nan  # so that K-means has the rows of one group only
        data = Dataset(X=X, name="own", labels=labels, gaps=True)
        st.session_state["kept"] = keep_session_dataset(data)
        state.choose_data(replace(st.session_state["kept"], gaps=True))
    page.show()


def test_agreements_with_one_group_are_none_and_every_k_has_the_same_reference():
    at = settled(run(AppTest.from_function(groups_with_gaps, default_timeout=600)))
    at.button(key="compare.references").click().run()
    settled(at)
    found = table(at).map(lambda cell: cell.replace("★ ", "").replace("−", "-").strip("*"))
    assert {"K-means", "HDBSCAN"} <= {name.split(" ", 1)[-1] if name[0].isdigit() else name for name in rows(at)}
    assert [int(k) - int(delta) for k, delta in zip(found["K"], found["ΔK"], strict=True)] == [3] * len(found)
    assert set(found[["NMI", "AMI", "ARI", "VI (bits)"]].to_numpy().ravel()) == {"–"}
    assert "The rows compared have 1 of the 3 groups of the reference, so that no agreement is told." in said(at)
    one = next(
        name for name, k in zip(at.session_state["compare picture"].traces, found["K"], strict=False) if k == "1"
    )
    settled(at.selectbox(key="compare.reference").set_value(one).run())
    assert "The reference has one group, so that no agreement is told." in said(at)


def is_open(at: AppTest) -> bool:
    """Whether the settings of the panels are."""
    return next(bool(box.proto.expanded) for box in at.expander if box.label == "Panels")


@pytest.mark.parametrize("panels", [None, FOUR])
def test_settings_are_folded_away_when_the_runs_are_there(panels):
    assert not is_open(opened(panels))


def test_settings_fold_away_behind_the_button_that_runs(monkeypatch):
    monkeypatch.setattr("dpviz.ui.session.jobs.UNASKED_COMPARED", 1.0)
    at = opened([RunConfig("kmeans", seed=831), usual_config(seed=831, n_init=1)])
    at.session_state["compare.settings.0"] = True
    assert is_open(at.run())
    settled(at.button(key="compare.run").click().run())
    assert not is_open(at) and len(table(at)) == 2
