"""The Posterior page without a browser: its chains, its verdict, its tabs, and what they say against the library."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis import posterior
from dpviz.analysis.merging import summary_tree
from dpviz.analysis.sampling import Chains, different_starts, pooled_draws, predictive_bands
from dpviz.datasets import Dataset
from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.fit.automatic import resolve
from dpviz.ui.posterior import agreement, arviz_offer, downloads, findings, partitions, sampling, settings
from dpviz.ui.posterior import page as posterior_page
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.posterior.settings import Setup
from dpviz.ui.session import computation, cores, jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.kept import OwnData
from dpviz.ui.shell import links, page_link
from pages import (
    address,
    chosen,
    close,
    computing,
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

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
LINE = DataChoice("bundled", "galaxies")
MODEL = usual_config("gibbs", n_sweeps=60, burn_in=0, split_merge=2, seed=5)


@pytest.fixture(autouse=True)
def _nothing_shared(request):
    """What other tests ran is not there already, unless a test says that it may."""
    if "chains_of_others" not in request.fixturenames:
        computation.forget_all()


@pytest.fixture
def chains_of_others():
    """For tests that show the same chains, and are not about how they run."""


def opened(tab: str = "chains", choice: DataChoice = SMALL, config: dpviz.RunConfig = MODEL, **more: Any) -> AppTest:
    """Open the page by a link, with everything computed."""
    values = {"run": config.to_query(), "chains": 3, "burn_in": 20, "tab": tab, **more}
    return opened_in_app("posterior", data=choice, posterior=values)


def to_tab(app: AppTest, words: str) -> AppTest:
    return settled(set_to(app, "posterior.place", words))


def shown(app: AppTest) -> Sampled:
    found: Sampled = app.session_state["posterior sampled"]
    return found


def expected_traces(config: dpviz.RunConfig = MODEL, n_chains: int = 3) -> tuple[dpviz.Trace, ...]:
    chains = Chains(prepare(SMALL).X, different_starts(config, n_chains, 60))
    list(chains.advance())
    return chains.traces()


def assert_same_chains(one: tuple[dpviz.Trace, ...], other: tuple[dpviz.Trace, ...]) -> None:
    assert len(one) == len(other)
    for trace, expected in zip(one, other, strict=True):
        assert_array_equal(trace.labels, expected.labels)
        assert_array_equal(trace.nll, expected.nll)


def charts(app: AppTest) -> int:
    return len(app.main.get("plotly_chart"))


# --- chains and verdict -----------------------------------------------------------------------------------------------


def test_the_page_opens_with_chains_from_different_starts_and_judges_them():
    app = opened()
    sampled, traces = shown(app), expected_traces()
    assert_same_chains(sampled.traces, traces)
    scalars = {
        "the number of clusters K": [trace.n_clusters[1:] for trace in traces],
        "nll": [trace.nll[1:] for trace in traces],
    }
    verdict = posterior.verdict(scalars, 20, has_split_merge=True)
    assert verdict.text in said(app) and len(app.success) == verdict.settled and len(app.warning) == 1 - verdict.settled
    rates = [trace.n_accepted.sum() / 120 for trace in traces]
    assert f"splits and merges accepted in all sweeps: {min(rates):.2%} to {max(rates):.2%}" in said(app)
    assert "3 chains, 60 sweeps each, the first 20 left out" in said(app) and charts(app) == 3
    table = app.table[0].value
    found = verdict.diagnostics["nll"]
    assert (
        table.loc["nll", "R-hat"] == f"{found.rhat:.3f}" and table.loc["nll", "ESS, bulk"] == f"{found.ess_bulk:,.0f}"
    )
    needed = max(posterior.raftery_lewis(trace.nll[21:]).n_needed or 0 for trace in traces)
    assert table.loc["nll", "Sweeps needed after"] in (f"{needed:,}", "–")


def test_an_untouched_page_shows_four_chains():
    app = settled(page("posterior", data=SMALL).run())
    assert [len(shown(app).traces), shown(app).n_sweeps] == [4, 1000] and "independent draws" in said(app)


def test_chains_that_stay_apart_are_told_to_split_and_merge():
    far = np.random.default_rng(0).normal(size=(2, 400)) + np.array([[0.0], [900.0]])
    kept = Sampled(Setup(MODEL, 2), "", tuple(expected_traces(n_chains=2)))
    traces = tuple(replace(trace, nll=values[:61].copy()) for trace, values in zip(kept.traces, far, strict=True))
    verdict = posterior_page.agreement.judged(replace(kept, traces=traces), 20)
    assert not verdict.settled and "propose more splits and merges" in verdict.text
    without = Setup(replace(MODEL, split_merge=0), 2)
    verdict = posterior_page.agreement.judged(replace(kept, setup=without, traces=traces), 20)
    assert "switch on split–merge moves" in verdict.text


def test_another_burn_in_runs_nothing_again():
    app = opened("K")
    before = shown(app)
    set_to(app, "posterior.burn_in", 35)
    assert shown(app) is before and "the first 35 left out" in said(app)
    law = posterior.law_of_n_clusters([trace.n_clusters[1:] for trace in before.traces], 35)
    assert f"K = {law.mode}** clusters (probability {law.probability_of(law.mode):.2f})" in said(app)
    assert f"the mean is {law.mean:.2f}" in said(app)


def test_continued_chains_are_those_that_were_longer_from_the_beginning():
    app = opened()
    settled(press(app, "posterior.continue"))
    assert_same_chains(shown(app).traces, expected_traces(replace(MODEL, n_sweeps=120)))
    assert app.number_input(key="posterior.n_sweeps").value == 120 and "120 sweeps each" in said(app)
    assert app.button(key="posterior.continue").label == "Continue to 240 sweeps"


LEARNING = replace(
    MODEL, partition=dpviz.PitmanYor(0.8, 0.2), hyperpriors={"concentration": "gamma(2,1)", "discount": "beta(1,3)"}
)


def test_what_is_learned_is_judged_and_shown_beside_its_prior():
    app = opened("learned", config=LEARNING)
    traces = expected_traces(LEARNING)
    assert_same_chains(shown(app).traces, traces)
    scalars = {
        "the number of clusters K": [trace.n_clusters[1:] for trace in traces],
        "nll": [trace.nll[1:] for trace in traces],
        "concentration N0": [trace.hyperparameters["concentration"][1:] for trace in traces],
        "discount d": [trace.hyperparameters["discount"][1:] for trace in traces],
    }
    verdict = posterior.verdict(scalars, 20, has_split_merge=True)
    assert verdict.text in said(app) and charts(app) == 4
    for name, label in (("concentration N0", "Concentration N0"), ("discount d", "Discount d")):
        kept = np.array(scalars[name])[:, 20:]
        words = f"{label}: {kept.mean():.4g} on average"
        assert words in said(app) and f"R-hat {verdict.diagnostics[name].rhat:.3f}" in said(app)
    to_tab(app, posterior_page.CHAINS)
    found = verdict.diagnostics["discount d"]
    assert app.table[0].value.loc["d", "ESS, bulk"] == f"{found.ess_bulk:,.0f}"
    printed: list[Any] = []
    exec(agreement.code(prepare(SMALL), shown(app), 20), {"print": lambda *values: printed.extend(values)})
    assert printed[0] == verdict.text


def test_every_draw_is_weighed_by_its_own_hyperparameters_and_answers_by_their_mean():
    app = opened("density", config=LEARNING)
    sampled = shown(app)
    pooled = findings.Pooled.of(sampled, 20)
    for partition, chain, sweep in zip(pooled.partitions, pooled.chains, pooled.sweeps, strict=True):
        values = sampled.traces[chain].hyperparameters
        assert partition == dpviz.PitmanYor(values["concentration"][sweep], values["discount"][sweep])
    problem = Problem.check(prepare(SMALL).X, LEARNING)
    places = prepare(SMALL).X[:4]
    bands = predictive_bands(problem, pooled.draws.labels, places, 0.9, pooled.partitions)
    one = [
        predictive_bands(with_partition(problem, partition), draw[None], places).mean
        for partition, draw in zip(pooled.partitions, pooled.draws.labels, strict=True)
    ]
    assert_allclose(bands.mean, np.mean(one, axis=0), rtol=1e-12)
    held = partitions.at_means(sampled, 20)
    assert held.hyperpriors is None
    for name in ("concentration", "discount"):
        mean = np.mean([trace.hyperparameters[name][21:] for trace in sampled.traces])
        assert getattr(held.partition, name) == pytest.approx(mean, rel=1e-12)


def test_the_tab_of_what_is_learned_is_there_when_something_is():
    app = opened()
    assert posterior_page.LEARNED not in app.segmented_control(key="posterior.place").options
    control = "posterior.partition.chinese_restaurant.concentration"
    settled(set_to(app, f"{control}.learn", True))
    assert shown(app).setup.config.hyperpriors == (("concentration", dpviz.Gamma(1, 0.3)),)
    assert posterior_page.LEARNED in app.segmented_control(key="posterior.place").options
    table = downloads.series_table(shown(app))
    assert_array_equal(
        table[table["chain"] == 2]["concentration"], shown(app).traces[1].hyperparameters["concentration"]
    )


def gated(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Let chains in the background go on a slice at a time."""
    gate, whole = threading.Semaphore(0), Chains.advance
    monkeypatch.setattr("dpviz.analysis.sampling.SLICE_SECONDS", 0.0)
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 0.0)

    def advance(chains: Chains, n_threads: int = 1) -> Generator[int, None, None]:
        for n_sweeps in (running := whole(chains, n_threads)):
            gate.acquire()
            try:
                yield n_sweeps
            except GeneratorExit:
                running.close()
                raise

    monkeypatch.setattr(Chains, "advance", advance)
    return gate


def test_chains_are_watched_and_stopped_and_go_on_to_the_same_end(monkeypatch):
    gate = gated(monkeypatch)
    values = {"run": MODEL.to_query(), "chains": 3, "burn_in": 5}
    app = run(in_app("posterior", data=SMALL, posterior=values))
    for _ in range(45):
        gate.release()
    until(app, lambda app: charts(app) == 1 and "can go on later" in said(app))
    assert "3 chains, sweep" in plain(app.get("progress")[0].proto.text)
    app.button(key="posterior.stop").click()
    run(app)
    gate.release()
    settled(app)
    stopped = shown(app)
    assert 5 < stopped.n_sweeps < 60 and stopped.stopped and "stopped early" in said(app)
    assert computation.FINISHED.find(sampling.wanted(stopped.setup, prepare(SMALL)).name) is None
    assert app.button(key="posterior.continue").label == "Continue to 60 sweeps"
    for _ in range(500):
        gate.release()
    settled(press(app, "posterior.continue"))
    assert_same_chains(shown(app).traces, expected_traces())


def test_chains_are_there_again_when_a_setting_is_turned_back(monkeypatch):
    gate = gated(monkeypatch)
    monkeypatch.setattr(jobs, "UNASKED_OPERATIONS", 1.0)
    app = run(in_app("posterior", data=SMALL, posterior={"run": MODEL.to_query(), "chains": 2}))
    press(app, "posterior.run")
    gate.release(2)
    set_to(app, "posterior.seed", MODEL.seed + 1)
    assert any(button.key == "posterior.run" for button in app.button)
    gate.release(1_000)
    settled(set_to(app, "posterior.seed", MODEL.seed))
    assert "stopped early" in said(app) or "The shortest chain has" in said(app)
    settled(press(app, "posterior.continue"))
    assert_same_chains(shown(app).traces, expected_traces(n_chains=2))


def test_chains_shorter_than_the_burn_in_wait_for_more(monkeypatch):
    gate = gated(monkeypatch)
    values = {"run": MODEL.to_query(), "chains": 2, "burn_in": 50}
    app = run(in_app("posterior", data=SMALL, posterior=values))
    for _ in range(6):
        gate.release()
    press(app, "posterior.stop")
    gate.release()
    settled(app)
    assert "leave fewer out, or continue" in said(app) and not app.error and charts(app) == 0


def test_chains_can_be_stopped_before_each_had_its_turn(monkeypatch):
    gate = gated(monkeypatch)
    monkeypatch.setattr(cores, "n_cores", lambda: 1)
    values = {"run": MODEL.to_query(), "chains": 3, "burn_in": 20}
    app = run(in_app("posterior", data=SMALL, posterior=values))
    press(app, "posterior.stop")
    gate.release()
    settled(app)
    assert not app.error and [trace.n_sweeps for trace in shown(app).traces] == [0, 0, 0]
    assert "leave fewer out, or continue" in said(app)
    gate.release(500)
    settled(press(app, "posterior.continue"))
    assert_same_chains(shown(app).traces, expected_traces())


def test_long_chains_wait_for_a_click(monkeypatch):
    app = run(in_app("posterior", data=SMALL, posterior={"run": MODEL.to_query(), "chains": 2}))
    set_to(app, "posterior.n_sweeps", 90_000)
    assert computing(app, "posterior") is None
    assert "2 chains of 90,000 sweeps" in said(app) and labelled(app, "button", "Run the chains").key == "posterior.run"
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e5)  # what is done before the page is drawn again is not the point
    press(app, "posterior.run")
    assert app.get("progress")
    close(app)


def test_other_settings_stop_what_runs(monkeypatch):
    gate = gated(monkeypatch)
    app = run(in_app("posterior", data=SMALL, posterior={"run": MODEL.to_query(), "chains": 2}))
    first = computing(app, "posterior")
    set_to(app, "posterior.seed", 6)
    assert first.stopped and computing(app, "posterior") is not first
    for _ in range(500):
        gate.release()
    settled(app)
    assert_same_chains(shown(app).traces, expected_traces(replace(MODEL, seed=6), 2))


def test_chains_of_shared_data_are_there_for_the_next_session():
    first, second = opened(), opened()
    assert shown(first) is shown(second)


def test_chains_that_would_take_too_much_memory_are_not_continued(monkeypatch):
    app = opened()
    monkeypatch.setattr(sampling, "MOST_BYTES", 3 * 60 * 60)
    press(app, "posterior.continue")
    assert any("longer chains are thinned more" in plain(error.value) for error in app.error)


def test_of_long_chains_fewer_sweeps_are_kept_and_that_is_said(monkeypatch):
    assert [settings.thinning(4, 1000, n) for n in (60, 10_000, 10_001, 100_000)] == [1, 1, 2, 10]
    assert settings.thinning(1, 2, 10**9) == 2  # one draw at least
    monkeypatch.setattr(settings, "KEPT_BYTES", 3 * 60 * 60 // 4)
    app = opened("summary")
    assert shown(app).setup.config.thin == 4 and "One sweep in 4 is kept." in said(app)
    assert "From 30 draws, as many of each of 3 chains" in said(app)
    for trace, whole in zip(shown(app).traces, expected_traces(), strict=True):
        assert_array_equal(trace.nll, whole.nll)
        assert trace.label_sweeps.tolist() == list(range(0, 61, 4))


def test_of_many_points_fewer_draws_are_summarised(monkeypatch):
    monkeypatch.setattr(findings, "MOST_LABELS", 60 * 50)
    monkeypatch.setattr(findings, "FEWEST_DRAWS", 20)
    assert "48 draws, as many of each of 3 chains" in said(opened("together"))
    monkeypatch.setattr(findings, "MOST_LABELS", 60)
    assert "18 draws, as many of each of 3 chains" in said(opened("together"))


# --- what they say ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tab", "n_charts"), [("chains", 3), ("K", 2), ("together", 1), ("summary", 2), ("answers", 2), ("density", 2)]
)
def test_every_tab_opens_by_a_link_and_draws_its_charts(tab, n_charts):
    app = opened(tab)
    assert charts(app) == n_charts and not app.error
    assert json.loads(address(app, "posterior"))["tab"] == tab


def test_the_summary_is_the_library_s():
    app = opened("summary", loss="binder")
    labels, _, _ = pooled_draws(expected_traces(), 20, findings.MOST_DRAWS)
    summary = posterior.summary_partition(labels, "binder")
    ball = posterior.credible_ball(labels, summary.partition, "binder", 0.95)
    bits = posterior.point_uncertainty(labels, summary.partition)
    assert f"{summary.n_clusters} clusters**; its mean loss is {summary.expected_loss:.4g} of at most 1" in said(app)
    assert f"95% of the draws lie within {ball.radius:.4g} (Binder’s loss) of it" in said(app)
    assert f"at most {bits.max():.3g}, on average {bits.mean():.3g}" in said(app)
    set_to(app, "posterior.view", partitions.MOST)
    most = ball.lower_vertical[0]
    assert f"{most.max() + 1} clusters, {ball.distance(most):.4g} (Binder’s loss) from the summary" in said(app)
    set_to(app, "posterior.view", partitions.CERTAIN)
    certain = posterior.certain_clusters(labels, 0.95)
    assert f"{certain.n_points} of 60 points, chosen so that their clusters are the same" in said(app)
    assert f"in the other half they are in {certain.probability:.0%}" in said(app)
    settled(set_to(app, "posterior.probability", 0.5))
    assert f"{posterior.certain_clusters(labels, 0.5).n_points} of 60 points" in said(app)
    assert "of one half of the draws (50% were asked for)" in said(app)


def test_clusters_of_the_summary_are_joined_in_its_picture_its_answers_its_file_and_its_link():
    app = opened("summary")
    app.session_state["posterior.scales"] = True
    settled(run(app))
    labels, _, _ = pooled_draws(expected_traces(), 20, findings.MOST_DRAWS)
    summary = posterior.summary_partition(labels)
    tree = summary_tree(prepare(SMALL).X, MODEL, labels, summary.partition)
    assert tree.n_leaves > 2
    (slider,) = [slider for slider in app.slider if slider.label == "Clusters shown"]
    assert (slider.max, slider.value) == (tree.n_leaves, tree.n_leaves) and "as the summary has them" in said(app)
    settled(run(slider.set_value(2)))
    joined = tree.labels(2)
    words = f"{abs(tree.cost(2)):,.4g} nats"
    assert "Joined to **2 clusters**" in said(app) and words in said(app)
    assert f"the mean loss is {posterior.expected_loss(labels, joined):.4g}" in said(app)
    bits = posterior.point_uncertainty(labels, joined)
    assert f"at most {bits.max():.3g}, on average {bits.mean():.3g}" in said(app)

    picture, _, dendrogram = (json.loads(chart.proto.spec)["data"] for chart in app.main.get("plotly_chart"))
    assert {part["marker"]["color"] for part in picture} == set(dendrogram[tree.n_leaves]["marker"]["color"])
    assert len(picture) == 2

    found = computing(app, "posterior part scale").task.result
    table = read(downloads.export_csv(downloads.summary_table(prepare(SMALL), found)))
    assert_array_equal(table["cluster_found"], summary.partition + 1)
    for cluster in (0, 1):  # the number of the largest part
        parts = table["cluster_found"][joined == cluster]
        assert set(table["cluster"][joined == cluster]) == {parts.mode()[0]}

    values = address(app, "posterior")
    assert json.loads(values)["scale"] == 2
    again = opened_in_app("posterior", data=SMALL, posterior=values)
    assert "Joined to **2 clusters**" in said(again)
    row = to_tab(again, "Other answers").table[0].value.loc["summary, joined to 2"]
    assert (
        row["K"] == "2"
        and row["nll (nats)"] == f"{partition_nll(Problem.check(prepare(SMALL).X, MODEL), [joined])[0]:,.2f}"
    )


def test_clusters_are_joined_in_the_data_of_which_that_was_asked_alone():
    values = json.dumps({**json.loads(address(opened("summary"), "posterior")), "scale": 2})
    app = opened_in_app("posterior", data=SMALL, posterior=values)
    assert "Joined to **2 clusters**" in said(app)
    settled(set_to(app, "data.name.synthetic", "null_gaussian"))
    assert "Joined to" not in said(app) and "scale" not in json.loads(address(app, "posterior"))


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (10**9, "1,000,000,000 clusters were asked for; the summary has"),
        *((value, "must be a number of clusters from 1") for value in (0, -4, 10**30, "words", 2.5, True, [3])),
    ],
)
@pytest.mark.usefixtures("chains_of_others")
def test_a_scale_that_is_none_joins_nothing_and_gives_a_word(scale, words):
    app = opened("summary", scale=scale)
    assert words in said(app) and "Joined to" not in said(app) and not app.error


def test_one_minus_ari_has_a_ball_in_bits():
    app = opened("summary", loss="one_minus_ari")
    assert "of at most 1. 95% of the draws lie within" in said(app) and "bits (variation of information) of it" in said(
        app
    )


def test_other_answers_are_placed_in_the_posterior():
    app = opened("answers")
    traces, X, known = expected_traces(), prepare(SMALL).X, prepare(SMALL).dataset.labels
    assert known is not None
    labels, _, _ = pooled_draws(traces, 20, findings.MOST_DRAWS)
    summary = posterior.summary_partition(labels)
    ball = posterior.credible_ball(labels, summary.partition)
    law = posterior.law_of_n_clusters([trace.n_clusters[1:] for trace in traces], 20)
    mapdp = dpviz.run(X, usual_config(seed=5))
    kmeans = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=summary.n_clusters, n_init=10, seed=5))
    table = app.table[0].value
    answers = {"MAP-DP": mapdp.result_labels, "K-means": kmeans.result_labels, "known groups": known}
    assert list(table.index) == list(answers)
    for name, partition in answers.items():
        n_clusters, away = len(np.unique(partition)), ball.distance(partition)
        expected = [str(n_clusters), f"{law.probability_of(n_clusters):.3f}", f"{away:.4g}"]
        assert table.loc[name].tolist()[:3] == expected
        assert table.loc[name, "In the ball"] == ("yes" if ball.contains(partition) else "no")
        start = replace(MODEL, init=np.unique(partition, return_inverse=True)[1])
        assert table.loc[name, "nll (nats)"] == f"{next(iter(dpviz.iterate(X, start))).nll:,.2f}"
    lowest = min(trace.nll[21:].min() for trace in traces)
    assert f"lowest nll of all draws is {lowest:,.2f} nats" in said(app)


def run_to_end(steps: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize(
    ("choice", "model"), [(LINE, {"transform": (-1.0,)}), (SMALL, {"directions": 1}), (SMALL, {"coarsening": 20.0})]
)
def test_map_dp_has_the_whole_model_of_the_chains(choice, model):
    prepared = prepare(choice)
    answers = run_to_end(findings.other_answers(prepared, prepared.X, replace(MODEL, **model), 2))
    same = replace(usual_config(seed=5), **model)
    expected = dpviz.run(prepared.X, same)
    assert answers[0].nll == pytest.approx(expected.nll[expected.row(expected.result_sweep)])
    assert_array_equal(answers[0].labels, np.unique(expected.result_labels, return_inverse=True)[1])


def test_an_answer_that_the_prior_forbids_is_said_to_be_impossible():
    two = replace(MODEL, partition=dpviz.FiniteDirichlet(1.0, 2))
    app = opened("answers", config=two)
    assert app.table[0].value.loc["known groups", "nll (nats)"] == "impossible"


def test_one_column_has_a_curve_and_columns_that_are_not_real_have_no_density():
    app = opened("density", choice=LINE)
    assert charts(app) == 1 and "the highest 5% of the draws" in said(app)
    counts = replace(MODEL, family="poisson")
    app = opened("density", choice=DataChoice("bundled", "horse_kicks"), config=counts)
    assert posterior_page.DENSITY not in app.segmented_control(key="posterior.place").options
    assert charts(to_tab(app, posterior_page.SUMMARY)) == 2


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"chains": 1}, "One chain cannot show what it has missed"),
        ({"burn_in": 59}, "Too short to judge: 1 draw per chain"),
        ({"chains": 8, "burn_in": 0}, "8 chains, 60 sweeps each, the first 0 left out"),
    ],
)
def test_few_chains_and_few_draws_are_enough_for_every_tab(numbers, words):
    app = opened(**numbers)
    assert words in said(app) and charts(app) == 3
    for tab in posterior_page.TABS:
        to_tab(app, tab)
        assert not app.error


def test_without_such_moves_none_are_reported():
    assert "no splits and merges proposed" in said(opened(config=replace(MODEL, split_merge=0)))


# --- the rest of the app ----------------------------------------------------------------------------------------------


def test_a_link_brings_everything_back():
    prior = {"c0": 0.3}
    config = replace(MODEL, family="normal_gamma", partition=dpviz.PitmanYor(0.7, 0.25), prior=prior, seed=8)
    app = opened("K", config=config, chains=2, burn_in=11)
    assert shown(app).setup == Setup(config, 2) and "the first 11 left out" in said(app)
    again = opened_in_app("posterior", data=address(app, "data"), posterior=address(app, "posterior"))
    assert shown(again).setup == shown(app).setup and "own c0" in said(again)
    press(again, "posterior.forget")
    chosen = resolve(prepare(SMALL).X, dpviz.RunConfig("gibbs", family="normal_gamma")).config
    assert settled(again) and shown(again).setup.config == replace(config, prior=chosen.prior)
    powered = replace(MODEL, partition=dpviz.PoweredChineseRestaurant(1.2, 1.4))
    assert shown(opened(config=powered)).setup.config == powered


def test_settings_that_are_too_long_for_an_address_are_not_lost_in_silence(monkeypatch):
    app = opened("K")
    assert page_link.TOO_LONG not in said(app)
    monkeypatch.setattr(posterior_page.LINK, "longest", 60)
    assert page_link.TOO_LONG in said(settled(run(app)))
    assert set(json.loads(address(app, "posterior"))) == {"held", "chains", "burn_in", "tab"}


HOSTILE = [
    "[",
    "null",
    '{"run": 7}',
    '{"run": {"version": 8, "algorithm": "mapdp"}}',
    '{"run": {"algorithm": "gibbs"}}',
    '{"run": {"version": 8, "algorithm": "gibbs", "n_sweeps": "x"}}',
    '{"chains": 1e9, "burn_in": -3, "tab": ["x"], "loss": 4}',
    '{"chains": true, "burn_in": "12"}',
    "x" * 9000,
    '{"run": {"version": 8, "algorithm": "gibbs", "n_sweeps": "9999999"}, "chains": 2}',
    '{"tab": "\\ud800", "loss": "\\ud800"}',
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.usefixtures("chains_of_others")
def test_hostile_links_are_survived(text):
    app = run(in_app("posterior", data=SMALL, posterior=text))
    assert app.number_input(key="posterior.chains").value in (2, 4)
    assert app.number_input(key="posterior.n_sweeps").value <= 100_000
    close(app)


def test_the_code_runs_the_same_chains(capsys):
    app = opened()
    names: dict[str, Any] = {}
    (code,) = (own.value for own in app.code if arviz_offer.FILE not in own.value)
    exec(compile(code, "code", "exec"), names)
    assert_same_chains(names["traces"], shown(app).traces)
    printed = capsys.readouterr().out.splitlines()
    assert printed[-2] == posterior_page.agreement.judged(shown(app), 20).text
    app = to_tab(app, posterior_page.SUMMARY)
    assert f"**{names['summary'].n_clusters} clusters**" in said(app)


def test_the_model_of_explore_can_be_taken():
    config = usual_config(family="normal_gamma", partition=dpviz.ChineseRestaurant(0.4), n_init=2)
    app = opened_in_app("explore", **links.state_query(SMALL, config))
    app.session_state["settings"] |= {"posterior.n_sweeps": 60, "posterior.burn_in": 20}
    run(go_to(app, "posterior"))
    settled(press(app, "posterior.take"))
    taken = shown(app).setup.config
    assert (taken.algorithm, taken.family, taken.partition) == ("gibbs", "normal_gamma", config.partition)
    assert all(button.key != "posterior.take" for button in app.button)


def test_a_chain_can_be_watched_in_explore():
    app = opened()
    set_to(app, "posterior.open.chain", 1)
    press(app, "posterior.open")
    config = replace(shown(app).traces[1].config, burn_in=20)
    settled(run(go_to(app, "explore")))
    finished = shown_run(app)
    assert finished.config == config
    assert_array_equal(finished.trace.labels, shown(app).traces[1].labels)


def test_watching_a_chain_keeps_rows_with_missing_cells():
    choice = DataChoice("bundled", "house_votes_84", gaps=True)
    app = opened(choice=choice)
    press(app, "posterior.open")
    explored = settled(run(go_to(app, "explore")))
    assert chosen(app) == choice and not explored.warning
    assert shown_run(app).trace.n_points == 435


def test_downloads_hold_series_draws_and_summary():
    app = opened("summary")
    sampled, prepared = shown(app), prepare(SMALL)
    pooled = findings.Pooled.of(sampled, 20)
    series = read(downloads.export_csv(downloads.series_table(sampled)))
    assert len(series) == 3 * 61 and set(series["chain"]) == {1, 2, 3}
    second = series[series["chain"] == 2]
    assert_array_equal(second["n_clusters"], sampled.traces[1].n_clusters)
    assert_allclose(second["nll"], sampled.traces[1].nll)
    draws = read(downloads.export_csv(downloads.draws_table(prepared, pooled)))
    row = draws.iloc[50]
    own = sampled.traces[int(row["chain"]) - 1].labels_at(int(row["sweep"]))
    labels = row.filter(like="row_").to_numpy()
    assert np.array_equal(labels[:, None] == labels, own[:, None] == own) and draws.shape == (120, 62)
    found = computing(app, "posterior part summary").task.result
    table = read(downloads.export_csv(downloads.summary_table(prepared, found)))
    assert_array_equal(table["cluster"], found.summary.partition + 1)
    assert_array_equal(table["certain_cluster"].isna(), found.certain.labels < 0)
    offered = [button.label for button in app.get("download_button")]
    assert offered == ["Series (CSV)", "Draws (CSV)", "Summary (CSV)", "Chains (ZIP)"]


def read(data: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(data))


def test_known_groups_are_those_of_the_data_at_hand():
    """Other data may have the same numbers, and other groups or none: as where Label is unticked on the Data page."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(6, 1, (30, 2))])
    own, groups = OwnData(), {"two": np.arange(60) // 30, "three": np.arange(60) % 3, "none": None}
    for name, labels in groups.items():
        own.keep(name, Dataset(X=X.copy(), name="own", title=name, labels=labels))

    def answers(app):
        return next(table.value for table in app.table if "MAP-DP" in table.value.index)

    def asked(name):
        values = {"run": MODEL.to_query(), "chains": 2, "burn_in": 20, "tab": "answers"}
        return {"data": DataChoice("session", name).to_json(), "posterior": json.dumps(values)}

    app = page("posterior", **asked("two"))
    app.session_state["own data"] = own
    for name in groups:
        app.query_params.clear()
        app.query_params.update(asked(name))
        shown_now = answers(settled(run(app)))
        labels = groups[name]
        assert ("known groups" in shown_now.index) == (labels is not None)
        if labels is not None:
            assert int(shown_now.loc["known groups"].iloc[0]) == labels.max() + 1
    close(app)
