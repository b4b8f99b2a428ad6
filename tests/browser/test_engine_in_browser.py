"""The engine in a Worker of a page from a file: the server's labels, refusals in a sentence, and cancelling."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from playwright.sync_api import Page

import dpviz
from dpviz.browser import loader_source, module_bytes
from dpviz.browser.layout import FAMILIES, PARTITIONS
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import projected_shapes
from dpviz.engine.slow_motion import slow_motion

pytestmark = pytest.mark.browser

POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:"
PAGE = """<!doctype html><meta charset="utf-8"><title>Engine</title>
<meta http-equiv="Content-Security-Policy" content="{policy}">
<script>
const MODULE = "{module}";
const plainly = (answer) => JSON.parse(JSON.stringify(answer, (_, value) =>
  ArrayBuffer.isView(value) ? Array.from(value, (x) => Number.isNaN(x) ? "NaN" : x) : value));
const outcome = (promise) => promise.then(plainly, (error) => ({{name: error.name, message: error.message}}));
</script>
<script type="module">{loader}
const engine = dpvizEngine(Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0)));
Object.assign(globalThis, {{ engine, dpvizChecks, dpvizEngine, dpvizTables, dpvizWorker }});
</script>"""
RUN = "([config, X]) => outcome(engine.run(config, X))"
SIZES = """([config, X]) => engine.run(config, X).then(({sweeps}) =>
  Array.from(sweeps.n_clusters, (_, row) => Array.from(sweeps.sizes(row))))"""
X = np.round(dpviz.datasets.synthesize("crp_mixture", 90, 3).X, 2)


@pytest.fixture
def page(tmp_path, open_page) -> Page:
    """A page in a file that holds loader and module, under a strict policy."""
    module = base64.b64encode(module_bytes()).decode("ascii")
    file = tmp_path / "engine.html"
    file.write_text(PAGE.format(policy=POLICY, loader=loader_source(), module=module), encoding="utf-8")
    return open_page(file.as_uri())


def learning(laws: Any, **options: Any) -> RunConfig:
    partition = dpviz.PitmanYor(1.0, 0.3)
    model: dict[str, Any] = {"family": "normal_gamma", "prior": None, "partition": partition, "hyperpriors": laws}
    return RunConfig("gibbs", **model, n_sweeps=9, burn_in=2, init="single", **options)


def configurations() -> list[RunConfig]:
    found = [
        RunConfig("kmeans", n_clusters=4, seed=1),
        RunConfig("kmeans", n_clusters=3, init="random", n_init=2, seed=2),
        RunConfig("kmeans", n_clusters=4, init=X[:4], seed=2),
        RunConfig("dpmeans", penalty=6.0, order="shuffled", seed=3),
        RunConfig("dpmeans", penalty=6.0, sweep="until_birth", init="kmeans++", n_init=2, seed=4),
        RunConfig("mapdp", family="normal_gamma", prior=None, init=(np.arange(90) % 5 + 2), seed=5),
        RunConfig("gibbs", family="normal_gamma", prior={"width": 0.2}, n_sweeps=9, burn_in=2, seed=6),
        RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=9, burn_in=2, split_merge=2, seed=6),
        RunConfig("mapdp", family="spherical_normal", prior=None, temperature=0.5, init="random", seed=7),
        RunConfig("mapdp", family="normal_wishart", prior=None, effort=0.1, seed=8),  # a search
        RunConfig("gibbs", family="normal_gamma", prior=None, n_init=5, n_sweeps=9, burn_in=2, seed=9),
        learning({"concentration": "gamma(1,0.3)", "discount": "beta(1,3)"}, seed=8),
        learning({"concentration": "0.5+gamma(1,0.3)"}, seed=9),
    ]
    for number, (prior, family) in enumerate(zip(dpviz.PARTITION_PRIORS.values(), FAMILIES * 2, strict=False)):
        hyperparameters = dpviz.FAMILIES[family].example_prior(2) if number % 2 else None
        partition = prior.example() if prior.name != "generalized" else prior(1.2, tuple(np.log(np.arange(1, 91))))
        if prior.name in PARTITIONS:
            found.append(
                RunConfig(
                    "mapdp", family=family, prior=hyperparameters, partition=partition, init="kmeans++", seed=number
                )
            )
    return found


def test_labels_are_those_of_the_server(page):
    for config in configurations():
        trace = dpviz.run(X, config)
        answer: dict[str, Any] = page.evaluate(RUN, [config.to_json(), X.tolist()])
        assert "message" not in answer, answer
        assert answer["labels"] == trace.labels_at(trace.n_sweeps).tolist(), config
        assert answer["n_clusters"] == trace.n_clusters[-1]
        assert answer["chosen_start"] == trace.chosen_start and answer["n_sweeps"] == trace.n_sweeps
        kept = np.reshape(answer["sweeps"]["labels"], (-1, len(X)))[trace.label_sweeps]
        assert_array_equal(kept, trace.labels)
        for name in ("n_clusters", "n_moved", "n_born", "n_died"):
            assert answer["sweeps"][name] == getattr(trace, name).tolist()
        for name, values in trace.hyperparameters.items():
            place = "concentration" if name == "concentration" else "second"
            assert_allclose(answer["sweeps"][place], values, rtol=1e-12)
        for name in ("nll", "objective"):
            found = np.array(answer["sweeps"][name], dtype=float)
            assert_allclose(found, getattr(trace, name), rtol=1e-12, err_msg=f"{name} of {config}")


def test_the_sizes_of_every_sweep_are_those_of_the_server(page):
    for config in configurations():
        trace = dpviz.run(X, config)
        sizes = page.evaluate(SIZES, [config.to_json(), X.tolist()])
        assert sizes == [trace.sizes(sweep).tolist() for sweep in range(trace.n_sweeps + 1)], config


def test_scores_are_those_of_the_explanation(page):
    config = RunConfig("mapdp", family="normal_wishart", prior=None, init="random", init_clusters=4, seed=2)
    trace = dpviz.run(X, config)
    labels = trace.labels_at(trace.n_sweeps)
    table = dpviz.explain_assignment(X, trace, trace.n_sweeps, 7)
    arguments = [json.loads(config.to_json()), X.tolist(), labels.tolist()]
    answer = page.evaluate("([config, X, labels]) => outcome(engine.scores(config, X, labels, 7))", arguments)
    assert_allclose(np.negative(answer["log_predictive"]), table["neg_log_predictive"], rtol=1e-10)
    assert_allclose(np.negative(answer["log_weight"]), table["neg_log_weight"], rtol=1e-12)


ASK = """async ([config, X, where, plane]) => {
  const run = await engine.run(config, X, plane), { sweeps, labels, chosen_start } = run;
  return plainly({ shapes: sweeps.shapes, again: await engine.shapes(config, X, sweeps.labels, plane),
    places: await engine.places(config, X, labels, where), visits: await engine.visits(config, X, chosen_start, 1) });
}"""


@pytest.mark.parametrize("algorithm", ["mapdp", "kmeans"])
def test_what_is_drawn_around_the_points_is_the_servers(page, algorithm):
    model: dict[str, Any] = {"family": "normal_gamma", "prior": None, "init": "random", "init_clusters": 4, "seed": 2}
    config = RunConfig("mapdp", **model) if algorithm == "mapdp" else RunConfig("kmeans", n_clusters=4, seed=2)
    trace, problem = dpviz.run(X, config), Problem.check(X, config)
    where, directions, origin = X[:5] + 0.3, np.array([[0.0, 1.0], [0.6, 0.8]]), np.array([1.0, -2.0])
    plane = {"directions": directions.tolist(), "origin": origin.tolist()}
    answer = page.evaluate(ASK, [config.to_json(), X.tolist(), where.tolist(), plane])
    shown = projected_shapes(problem, trace, np.arange(len(trace.labels)), directions, origin)
    assert shown is not None and answer["shapes"] == answer["again"]
    ellipses, found = shown.shapes.ellipses(), answer["shapes"]
    assert ellipses is not None and found["labels"] == shown.labels.tolist()
    assert np.repeat(np.arange(len(trace.labels)), np.diff(found["offsets"])).tolist() == shown.rows.tolist()
    assert_allclose(found["centers"], ellipses.centres.ravel(), rtol=1e-10, atol=1e-10)
    scales = ellipses.scales.reshape(-1, 4)[:, [0, 1, 3]]
    assert_allclose(found["scales"], scales.ravel(), rtol=1e-10, atol=1e-10)
    assert_allclose(found["factors"], ellipses.factors.ravel(), rtol=1e-10)
    slow, visits, last = slow_motion(X, trace, 1), answer["visits"], trace.labels_at(trace.n_sweeps).astype(np.int64)
    assert [visits[name] for name in ("points", "from", "to")] == [
        labels.tolist() for labels in (slow.points, slow.from_labels, slow.to_labels)
    ]
    assert visits["candidates"] == slow.candidates.ravel().tolist() and visits["width"] == slow.candidates.shape[1]
    costs = [np.nan if cost == "NaN" else cost for cost in visits["costs"]]
    assert_allclose(costs, slow.costs.ravel(), rtol=1e-10, atol=1e-10)
    if algorithm == "mapdp":
        scores = PartitionPredictive(problem, last).log_scores(where)
    else:
        scores = algorithm_of(problem).scores_of_places(problem, last, where)
    takers = np.argmax(scores, axis=1)
    assert answer["places"]["takers"] == np.where(takers > last.max(), -1, takers).tolist()


def test_questions_that_have_no_answer_are_refused(page):
    config = RunConfig("kmeans", seed=1).to_dict()
    for call, said in (
        ("visits(config, X, 0, 0)", "sweep = 0 must be a whole number from 1"),
        ("visits(config, X, 0, 200)", "the run ended before this sweep"),
        ("visits(config, X, 10, 1)", "start = 10 must be a whole number from 0"),
        ("places(config, X, X.map(() => 0), [[1, 2, 3]])", "places have 3 columns; they must have 2"),
        ("places(config, X, X.map(() => 0), [[1, 'x']])", "is missing or no number"),
        ("shapes(config, X, [1, 2])", "labels has 2 entries for 90 points"),
        ("shapes(config, X, X.map(() => 0), {directions: [[1, 2]], origin: [0, 0]})", "a plane must have"),
    ):
        answer = page.evaluate(f"([config, X]) => outcome(engine.{call})", [config, X.tolist()])
        assert answer.get("name") == "Refused" and said in answer["message"], answer


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"family": "auto"}, "family = 'auto' has to be chosen first"),
        ({"prior": "auto"}, "prior = 'auto' has to be chosen first"),
        ({"algorithm": "em"}, 'algorithm = "em" is not computed in a browser'),
        ({"version": 1}, "version 1 of the configuration must be"),
        ({"partition": {"kind": "finite_mixtures"}}, "is not computed in a browser"),
        ({"prior": {"alpha0": 1.0}}, 'prior["alpha0"] is not a hyperparameter of normal_gamma'),
        ({"surprise": 1}, "option surprise is unknown"),
        ({"init": [0, 1]}, "init has 2 labels for 90 points"),
        (
            {"init": "singletons", "partition": {"kind": "finite_dirichlet", "concentration": 1.0, "n_components": 4}},
            "the start has 90 clusters, but the partition prior allows at most 4",
        ),
        ({"split_merge": 1}, "split_merge = 1 needs temperature = 1"),
        ({"directions": 2}, "directions = 2 is not computed in a browser"),
        ({"max_sweeps": 10_000_000}, "run fewer sweeps"),
    ],
)
def test_what_it_cannot_do_is_said(page, change, said):
    config = {**RunConfig("mapdp", family="normal_gamma", prior=None, init="single").to_dict(), **change}
    answer = page.evaluate(RUN, [config, X.tolist()])
    assert answer["name"] == "Refused" and said in answer["message"]


WRONG: list[dict[str, Any]] = [
    {"seed": -1},
    {"seed": 1.5},
    {"seed": 2**40},
    {"seed": "1"},
    {"n_init": 0},
    {"n_init": 2.5},
    {"max_sweeps": 0},
    {"max_sweeps": True},
    {"order": "zzz"},
    {"temperature": -1},
    {"temperature": "1"},
    {"temperature": 1e-9},
    {"init": "best"},
    {"init": ["a"] * 90},
    {"init": [0.5] * 90},
    {"init": [None] * 90},
    {"init_clusters": 0},
    {"init": "random", "init_clusters": 91},
    {"first_sweep": "never"},
    {"family": "toString"},
    {"prior": "none"},
    {"prior": 3},
    {"prior": {"width": 0}},
    {"prior": {"width": 9}},
    {"prior": {"constructor": 1}},
    {"prior": {"m0": [None, 0]}},
    {"prior": {"m0": [0, 0, 0]}},
    {"prior": {"c0": -3}},
    {"prior": {"c0": "x"}},
    {"prior": {"a0": 1.0}},
    {"prior": {"psi0": [[1, 2], [2, 1]]}},
    {"prior": {"psi0": [[1, 0.5], [0, 1]]}},
    {"prior": {"psi0": [[0, 0], [0, 0]]}},
    *(
        {"partition": partition}
        for partition in (
            {},
            3,
            {"kind": "constructor"},
            {"kind": "chinese_restaurant"},
            {"kind": "chinese_restaurant", "concentration": -1},
            {"kind": "chinese_restaurant", "concentration": "1"},
            {"kind": "chinese_restaurant", "concentration": 1, "power": 2},
            {"kind": "pitman_yor", "concentration": 1, "discount": 1.5},
            {"kind": "pitman_yor", "concentration": -0.5, "discount": 0.25},
            {"kind": "powered", "concentration": 1, "power": 0},
            {"kind": "finite_dirichlet", "concentration": 1, "n_components": 0},
            {"kind": "finite_dirichlet", "concentration": 1, "n_components": 2.5},
            {"kind": "generalized", "concentration": 1},
            {"kind": "generalized", "concentration": 1, "log_g": [1, 2]},
            {"kind": "generalized", "concentration": 1, "log_g": [float(-n) for n in range(90)]},
        )
    ),
    *(
        {"algorithm": "gibbs", **chain}
        for chain in (
            {"burn_in": 50, "n_sweeps": 50},
            {"thin": 0},
            {"thin": 9, "n_sweeps": 12, "burn_in": 5},
            {"n_sweeps": -5},
            {"n_sweeps": 10.5},
            {"n_sweeps": "20"},
            {"burn_in": -1},
        )
    ),
    *(
        {"algorithm": "kmeans", "family": "auto", "prior": "auto", "init": "kmeans++", **kmeans}
        for kmeans in (
            {"n_clusters": 0},
            {"n_clusters": 2.5},
            {"n_clusters": -2},
            {"n_clusters": 91},
            {"init": [[1, 2], [3, 4]], "n_clusters": 3},
            {"init": [[1, 2], [3, "x"]], "n_clusters": 2},
            {"init": [0] * 90},
        )
    ),
    *(
        {"algorithm": "dpmeans", "family": "auto", "prior": "auto", **dpmeans}
        for dpmeans in (
            {"penalty": -1},
            {"penalty": 0},
            {"penalty": "4"},
            {"sweep": "half"},
            {"init": [[1, 2], [3, 4]]},
        )
    ),
]


def test_values_that_are_wrong_are_refused_here_as_in_python(page):
    right = RunConfig("mapdp", family="normal_wishart", prior=None, init="single").to_dict()
    run = "([configs, X]) => Promise.all(configs.map((config) => outcome(engine.run(config, X))))"
    configs = [{**right, **change} for change in WRONG]
    for config, answer in zip(configs, page.evaluate(run, [configs, X.tolist()]), strict=True):
        assert answer.get("name") == "Refused" and len(answer["message"]) < 400, (config, str(answer)[:200])
        with pytest.raises((dpviz.DpvizError, ValueError)):
            dpviz.run(X, RunConfig.from_dict(config))
    assert page.evaluate(RUN, [right, X.tolist()])["n_sweeps"] > 0


@pytest.mark.parametrize(
    "laws",
    [
        {"concentration": "gamma(0,1)"},
        {"concentration": "normal(0,1)"},
        {"concentration": "gamma(1)"},
        {"concentration": "-1+gamma(1,1)"},
        {"concentration": "3+gamma(1,1)"},
        {"discount": "gamma(1,1)"},
        {"power": "beta(1,1)"},
        {"concentration": 3},
        7,
    ],
)
def test_laws_that_are_wrong_are_refused_here_as_in_python(page, laws):
    right = learning({"concentration": "gamma(1,0.3)"}).to_dict()
    answer = page.evaluate(RUN, [{**right, "hyperpriors": laws}, X.tolist()])
    assert answer.get("name") == "Refused" and "hyperpriors" in answer["message"], answer
    with pytest.raises(dpviz.DpvizError):
        RunConfig.from_dict({**right, "hyperpriors": laws})


def test_partitions_that_are_none_are_refused(page):
    config = RunConfig("mapdp", family="normal_wishart", prior=None, init="single").to_dict()
    call = "([config, X, labels, point]) => outcome(engine.scores(config, X, labels, point))"
    for labels, said in (
        ([0] * 89, "labels has 89 entries for 90 points"),
        ([0] * 89 + [10**9], "labels[89] = 1000000000 must be a whole number from 0 to 89"),
        ([-5] + [0] * 89, "labels[0] = -5"),
        ([0.5] + [0] * 89, "labels[0] = 0.5"),
        ([0] * 60 + [7] * 30, "labels leave out 1; number the clusters 0 to 1"),
        (None, "labels has undefined entries"),
    ):
        answer = page.evaluate(call, [config, X.tolist(), labels, 0])
        assert answer["name"] == "Refused" and said in answer["message"], answer
    answer = page.evaluate(call, [config, X.tolist(), [0] * 90, 90])
    assert answer["name"] == "Refused" and "point = 90 must be from 0 to 89" in answer["message"]


def test_gaps_and_words_are_refused_and_nothing_is_asked_of_anyone(page):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    config = RunConfig("kmeans").to_json()
    for cell in (None, "word", 1e300):
        answer = page.evaluate(RUN, [config, [[1.0, 2.0], [cell, 3.0], [1.0, 4.0]]])
        assert answer["name"] == "Refused" and "row 1, column 0 of X" in answer["message"]
    assert page.evaluate(RUN, ["{", X.tolist()])["message"] == "the configuration is not JSON."
    assert page.evaluate(RUN, [config, X.tolist()])["n_clusters"] == 3
    assert all(url.startswith("blob:") for url in asked)


CANCELLED = """async ([long, X]) => {
  let begun = 0, shares = 0, ended = 0;
  const { terminate } = Worker.prototype, Begun = Worker;
  Worker.prototype.terminate = function () { ended += 1; terminate.call(this); };
  globalThis.Worker = class extends Begun { constructor(...given) { super(...given); begun += 1; } };
  const heard = [];
  await new Promise((searches) => {
    heard.push(outcome(engine.run(long, X, undefined, ({ share, nll }) => {
      if (!(share >= 0 && share <= 1 && Number.isFinite(nll))) throw new Error(`${share} ${nll}`);
      shares += 1;
      if (shares === 5) searches();
    })));
  });
  engine.cancel();
  heard.push(outcome(engine.last(long, X)));
  engine.cancel();  // before it began
  return { heard: await Promise.all(heard), begun, ended };
}"""


def test_a_run_is_cancelled_and_the_next_is_answered_by_the_same_worker(page):
    model: dict[str, Any] = {"family": "normal_wishart", "prior": None}
    short, labels = RunConfig("kmeans", seed=1), dpviz.run(X, RunConfig("kmeans", seed=1)).labels[-1].tolist()
    found = page.evaluate(CANCELLED, [RunConfig("mapdp", **model, effort=1000.0).to_json(), X.tolist()])
    assert [answer["name"] for answer in found["heard"]] == ["Cancelled", "Cancelled"]
    assert page.evaluate(RUN, [short.to_json(), X.tolist()])["labels"] == labels
    assert (found["begun"], found["ended"]) == (0, 0)


TABLES = """async ([config, long, tables, wrong]) => {
  const flat = (rows) => ({ values: Float64Array.from(rows.flat()), nPoints: rows.length, nFeatures: 2 });
  const found = [], tell = async (number, promise) => found.push([number, await outcome(promise)]);
  const [first, second] = tables.map(flat);
  const sends = [], post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message) { // the module may be on its way
    if (message.kind !== "load") sends.push(message.X === undefined);
    post.call(this, message);
  };
  await tell(0, engine.run(config, first));
  await tell(0, engine.run(config, flat(tables[0])));  // equal, in another place
  await tell(1, engine.run(config, second));
  await tell(0, engine.run(config, first));
  await tell(null, engine.run(wrong, second));         // brought by a message that is refused
  await tell(1, engine.run(config, second));
  await tell(null, engine.run({ f: () => 0 }, first)); // never sent
  await tell(0, engine.run(config, first));
  first.values.set(second.values);                     // as many points, in the same place
  await tell(1, engine.run(config, first));
  first.values[3] = NaN;
  await tell(null, engine.run(config, first));
  await tell(null, engine.run(config, first));
  first.values.set(flat(tables[0]).values);
  const running = tell(null, engine.run(long, first));
  await new Promise((go) => setTimeout(go, 100));
  engine.cancel();
  await running;
  await tell(0, engine.run(config, first));            // whose message may have been the one that was cancelled
  const half = [tell(1, engine.run(config, second)), tell(0, engine.run(config, first))];
  await Promise.all(half);                             // one after the other, without waiting
  const turned = { ...second, nPoints: second.values.length, nFeatures: 1 };
  await tell(2, engine.run(config, turned));           // the same numbers as another table
  Worker.prototype.postMessage = post;
  return { found, sends };
}"""


def test_every_answer_is_of_the_points_that_were_given(page):
    """A Worker keeps the last points, so that knobs send none; and never answers about others."""
    config = RunConfig("kmeans", seed=1)
    tables = [X, np.round(dpviz.datasets.synthesize("crp_mixture", 90, 4).X, 2)]
    long = RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=20_000, burn_in=0)
    given = [config.to_json(), long.to_json(), [table.tolist() for table in tables], '{"algorithm": "em"}']
    seen = page.evaluate(TABLES, given)
    expected = [dpviz.run(rows, config).labels[-1].tolist() for rows in (*tables, tables[1].reshape(-1, 1))]
    for place, (number, answer) in enumerate(seen["found"]):
        wanted = None if number is None else expected[number]
        assert answer.get("labels") == wanted, (place, number, answer)
    assert seen["sends"][:4] == [False, True, False, False]  # the name alone, of equal points only
    faults = [answer["message"] for number, answer in seen["found"] if number is None and answer["name"] == "Refused"]
    assert sum("row 1, column 1 of X is missing" in fault for fault in faults) == 2


def test_a_worker_asked_about_points_that_it_never_had_fails(page):
    asked = """async ([config, X]) => {
      const answer = dpvizWorker(dpvizTables, dpvizChecks), said = [];
      const bytes = Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0));
      const send = (reply) => reply.id && said.push(reply.kind);
      answer({ kind: "load", compiled: await WebAssembly.compile(bytes) }, send);
      const table = { values: Float64Array.from(X.flat()), nPoints: X.length, nFeatures: 2 };
      answer({ kind: "run", id: 1, config, table: 7 }, send);
      answer({ kind: "run", id: 2, config, table: 7, X: table }, send);
      answer({ kind: "run", id: 3, config, table: 8 }, send);
      await answer({ kind: "run", id: 4, config, table: 7 }, send);
      return said;
    }"""
    given = [RunConfig("kmeans", seed=1).to_json(), X.tolist()]
    assert page.evaluate(asked, given) == ["failed", "done", "failed", "done"]


def test_a_worker_that_cannot_begin_is_given_up_and_says_why(page):
    asked = """async ([config, X, first]) => {
      const bytes = Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0));
      const other = dpvizEngine(bytes, { ...dpvizTables, first: [first] });
      const heard = [await outcome(other.run(config, X)), await outcome(other.run(config, X))];
      other.close();
      return heard;
    }"""
    config = RunConfig("kmeans", seed=1)
    given = [config.to_json(), X.tolist(), {**config.to_dict(), "algorithm": "nothing"}]
    for answer in page.evaluate(asked, given):
        assert answer["name"] == "Failed"
        assert "nothing" in answer["message"]
