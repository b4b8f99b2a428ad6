"""A point's scores in all open slots at once are those of one slot after the other; what is left out is too low."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from numba import types
from numba.core.event import install_recorder
from numpy.testing import assert_array_equal
from verbs import call_clear_slot, call_log_leave_one_out, call_log_predictive, call_rebuild

import dpviz
from dpviz import _jit
from dpviz._jit import kernel
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.kernels.collapsed_sweep import sample
from dpviz.engine.problem import Problem
from dpviz.families import FAMILIES
from dpviz.families.gaps import WithGaps
from dpviz.families.gaussian.scoring import log_below
from dpviz.families.verbs import Candidates, OpenSlots, grow_slots, score_open_slots

every_family = pytest.mark.parametrize("name", FAMILIES)
CAPACITY = 40


@kernel
def call_score_open_slots(state, X, i, own, open_slots, best, slack, candidates):
    return score_open_slots(state, X, i, own, open_slots, best, slack, candidates)


@kernel
def call_log_below(x):
    return log_below(x)


@kernel
def call_sample(scores, n_candidates, inverse_temperature, uniform):
    return sample(scores, n_candidates, inverse_temperature, uniform)


class Visit:
    """A state with some open slots, in an order that is not theirs, and one point of one of them."""

    def __init__(self, name, n_features, n_clusters, n_points=120, far=None, prior=None, gaps=0.0):
        family = FAMILIES[name]
        X = family.example_data(n_points, n_features, seed=4)
        if far is not None:
            X[:3] *= far
        self.rng = np.random.default_rng([n_features, n_clusters])
        labels = np.arange(n_points) % n_clusters
        model = family.from_prior(prior, X)
        if gaps:
            X[np.random.default_rng(5).random(X.shape) < gaps] = np.nan
            model = WithGaps.of(model)
        self.model, self.points, self.labels = model, X, labels
        working = model.working(X)
        self.X = working.X
        self.state = working.family.bind(self.X, CAPACITY // 2)
        self.sizes = np.bincount(labels, minlength=CAPACITY).astype(np.int64)
        call_rebuild(self.state, self.X, labels, self.sizes, n_clusters)
        self.state = grow_slots(self.state, CAPACITY)
        closed = np.arange(1, n_clusters, 4)
        for k in closed:
            call_clear_slot(self.state, k)
            self.sizes[k] = 0
        self.slots = self.rng.permutation(np.setdiff1d(np.arange(n_clusters), closed))
        self.i, self.own = 0, 0
        self.log_weight = self.rng.normal(size=CAPACITY)

    def exact(self):
        """Scores in the order of the slots."""
        scores = []
        for k in self.slots:
            score = call_log_leave_one_out if k == self.own else call_log_predictive
            scores.append(score(self.state, self.X, self.i, k, self.sizes[k]) + self.log_weight[k])
        return np.array(scores)

    def kept(self, best, slack, own_score=math.nan):
        """The own score; then slots and scores that were kept."""
        scores, slots = np.full(CAPACITY + 2, np.nan), np.full(CAPACITY + 2, -7)
        scores[0] = own_score
        candidates = Candidates(scores, slots, np.zeros((self.X.shape[1] + 3, CAPACITY)))
        open_slots = OpenSlots(self.slots, len(self.slots), int(self.slots.max()) + 1, self.sizes, self.log_weight)
        end = call_score_open_slots(self.state, self.X, self.i, self.own, open_slots, best, slack, candidates)
        return scores[0], slots[1:end], scores[1:end]


@every_family
@pytest.mark.parametrize("n_features", [1, 2, 5])
@pytest.mark.parametrize("n_clusters", [1, 3, 6, 17])
def test_without_a_bound_all_scores_are_those_of_one_slot_after_the_other(name, n_features, n_clusters):
    visit = Visit(name, n_features, n_clusters)
    exact = visit.exact()
    own, slots, scores = visit.kept(-np.inf, np.inf)
    others = visit.slots != visit.own
    assert own == exact[~others][0]
    assert_array_equal(slots, visit.slots[others])
    assert_array_equal(scores, exact[others])
    assert visit.kept(-np.inf, np.inf, own_score=1.25)[0] == 1.25


@every_family
@pytest.mark.parametrize("n_clusters", [3, 6, 17])
@pytest.mark.parametrize("slack", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("best", [-np.inf, "own", "above"])
def test_what_is_left_out_is_below_the_best_by_more_than_the_slack(name, n_clusters, slack, best):
    visit = Visit(name, 2, n_clusters)
    exact = dict(zip(visit.slots, visit.exact(), strict=True))
    best = {"own": exact[visit.own], "above": max(exact.values()) + 1.0}.get(best, best)
    _, slots, scores = visit.kept(best, slack)
    assert list(slots) == [k for k in visit.slots if k in set(slots)]
    highest = max(best, *exact.values())
    for k in visit.slots:
        if k != visit.own and exact[k] >= highest - slack:
            assert scores[list(slots).index(k)] == exact[k]


@every_family
def test_little_is_kept_where_one_cluster_is_by_far_the_best(name):
    visit = Visit(name, 2, 17)
    exact = visit.exact()
    _, slots, _ = visit.kept(exact.max() + 1e4, 40.0)
    assert len(slots) == 0


@pytest.mark.parametrize("name", ["normal_gamma", "normal_wishart"])
@pytest.mark.parametrize("far", [1e6, 1e30])
def test_products_that_overflow_are_scored_all_the_same(name, far):
    """Distances of 1e60 in seven dimensions: their product is beyond all floating-point numbers."""
    visit = Visit(name, 7, 17, far=far)
    rng = np.random.default_rng(5)
    visit.X[0] = far * rng.normal(size=7)
    exact = visit.exact()[visit.slots != visit.own]
    assert np.isfinite(exact).all()
    _, _, scores = visit.kept(-np.inf, np.inf, own_score=-np.inf)
    assert_array_equal(scores, exact)


WEIGHTS = np.where(np.arange(90) % 3, 1e-12, 1e12)
EXTREME = {
    "binomial": {"alpha0": WEIGHTS, "beta0": WEIGHTS[::-1], "trials": 1 + np.arange(90) % 8},
    "categorical": {"alpha0": WEIGHTS[:5], "n_categories": np.full(90, 5)},
}


@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_products_over_many_columns_of_extreme_weights_stay_within_floats(name, gaps, monkeypatch):
    drawn = FAMILIES[name].example_data(120, 90, seed=4)
    drawn = drawn % (EXTREME[name].get("trials", np.full(90, 4)) + 1)
    monkeypatch.setattr(FAMILIES[name], "example_data", lambda *_, **__: drawn.copy())
    visit = Visit(name, 90, 17, prior=EXTREME[name], gaps=gaps)
    exact = visit.exact()
    own, slots, scores = visit.kept(-np.inf, np.inf)
    others = visit.slots != visit.own
    assert own == exact[~others][0]
    assert_array_equal(scores, exact[others])
    for k, score in zip(slots, scores, strict=True):
        posterior = visit.model.posterior(visit.points[visit.labels == k])
        readable = posterior.log_predictive(visit.points[:1])[0] + visit.log_weight[k]
        assert score == pytest.approx(readable, rel=1e-9)


def test_an_ill_conditioned_own_score_stays_nan():
    visit = Visit("normal_wishart", 2, 6)
    visit.X[0] = [3e5, -2e5]
    labels = np.arange(120) % 6
    call_rebuild(visit.state, visit.X, labels, np.bincount(labels), 6)
    assert np.isnan(visit.kept(-np.inf, np.inf)[0])


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1.0, 1.5, 2.0, 1e3, 1e100, 1e307])
def test_the_bound_of_the_logarithm_is_below_it_and_near(scale):
    values = scale * np.concatenate([[1.0], np.random.default_rng(6).uniform(0.5, 8.0, 2000)])
    bounds = np.array([call_log_below(x) for x in values])
    gaps = np.log(values) - bounds
    rounding = 1e-15 * np.abs(np.log(values)).max()
    assert gaps.min() >= -rounding and gaps.max() < 0.014


def test_a_draw_leaves_out_what_is_negligible_and_keeps_all_else():
    scores = np.array([-39.0, -3.0, 0.0, -1e4, -0.5])
    weights = np.exp(np.where(scores > -40, scores, -np.inf))
    for inverse_temperature, uniform in ((1.0, 1e-18), (1.0, 1e-17), (1.0, 0.02), (1.0, 0.5), (1.0, 0.9999)):
        expected = int(np.searchsorted(np.cumsum(weights) / weights.sum(), uniform, side="right"))
        assert call_sample(scores.copy(), 5, inverse_temperature, uniform) == expected


@every_family
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_sweeps_do_not_depend_on_closed_slots_in_between(name, temperature):
    """One slot after the other, and all in one pass: a start of singletons leaves gaps between the open slots."""
    X = FAMILIES[name].example_data(60, 2, seed=8)
    working = Problem.check(X, dpviz.RunConfig("gibbs", family=name, prior=None)).working
    start = np.arange(60)
    runs = []
    for capacity in (None, 400):
        clusters = CollapsedSweeper(
            working.family, working.X, working.log_jacobian, dpviz.ChineseRestaurant(1.0), start, temperature
        )
        if capacity:
            clusters.state = grow_slots(clusters.state, capacity + 1)
            clusters._allocate(capacity)
        rng = np.random.default_rng(9)
        for _ in range(4):
            clusters.sweep(rng.permutation(60), rng.random(60))
        runs.append((clusters.labels.tolist(), clusters.nll))
    assert runs[0] == runs[1]
    assert len(set(runs[0][0])) < 60


COUNT_COMPILATIONS = """
import gc, json, sys
import numpy as np
from numba.core.dispatcher import Dispatcher
import dpviz
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.initialise import start_kinds
from dpviz.fit.automatic import problem_for

def compiled():
    return {id(d): len(d.overloads) for d in gc.get_objects() if isinstance(d, Dispatcher)}

algorithm, options = sys.argv[1], json.loads(sys.argv[2])
problem = problem_for(np.random.default_rng(0).normal(size=(60, 2)) * 9, dpviz.RunConfig(algorithm, **options))
stepper = algorithm_of(problem).stepper(problem, start_kinds(problem)[0], np.random.default_rng(1))
stepper.score()
before = compiled()
moves, _ = stepper.step(1)
stepper.score()
assert moves.n_moved > 0
print(sum(compiled().values()) - sum(before.values()))
"""


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("mapdp", {"init": "single"}),
        ("gibbs", {"family": "normal_gamma"}),
        ("gibbs", {"sampler": "explicit_parameters"}),
        ("dpmeans", {"penalty": 9.0}),
        ("kmeans", {"n_clusters": 3, "init": "random"}),
    ],
)
def test_a_sweep_compiles_and_loads_nothing(algorithm, options):
    command = [sys.executable, "-c", COUNT_COMPILATIONS, algorithm, json.dumps(options)]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert int(finished.stdout) == 0


WHAT_IS_COMPILED = """
import sys
import numpy as np
from numba.core import event
from dpviz.engine.kernels.collapsed_sweep import prior_predictives, score_places
from dpviz.families import NormalGamma
from dpviz.families.verbs import add_point

class Names(event.Listener):
    def on_start(self, begun):
        print(begun.data["dispatcher"].py_func.__qualname__)

    def on_end(self, ended):
        pass

X, sizes, scores = np.array([[1.0], [2.0]]), np.zeros(1, dtype=np.int64), np.empty((2, 1))
state = NormalGamma.from_prior(NormalGamma.example_prior(1), X).bind(X, 1)
event.register("numba:compile", Names())
if sys.argv[1] == "fill":
    score_places(state, X, sizes, 0, scores)
elif sys.argv[1] == "plain":
    add_point(state, X, 0, 0, 0)
else:
    prior_predictives(state, X, scores[:, 0])
"""


def test_what_is_compiled_of_a_state_for_one_kernel_serves_the_next_and_plain_python(tmp_path):
    compiled = []
    for kernel_name in ("fill", "prior", "prior", "plain", "plain"):
        finished = subprocess.run(
            [sys.executable, "-c", WHAT_IS_COMPILED, kernel_name],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "DPVIZ_CACHE_DIR": str(tmp_path)},
        )
        compiled.append(finished.stdout.split())
    assert {"score_places", "_clear_slot", "_log_predictive"} <= set(compiled[0])
    assert compiled[1:3] == [["prior_predictives"], []]
    assert compiled[4] == []


def test_a_constant_in_a_call_compiles_no_version_of_its_own(monkeypatch):
    """Numba would compile the called kernel once for the constant and once more for a variable."""
    monkeypatch.setattr(_jit, "_READABLE", None)
    monkeypatch.setattr(_jit, "NOT_KEPT", "nothing of this test")

    @kernel
    def called(x, n, flag):
        return x + n if flag else x - n

    @kernel
    def calling(x, n, flag):
        return called(x, 2, True) + 10.0 * called(x, n=n, flag=flag)

    with install_recorder("numba:compile") as recorder:
        assert calling(1.0, 3, False) == 3.0 - 20.0
    if _jit.COMPILED:
        events = [event.data for _, event in recorder.buffer if event.is_start]
        kinds = [data["args"] for data in events if data["dispatcher"].__name__ == "called"]
        assert kinds == [(types.float64, types.int64, types.bool_)]
