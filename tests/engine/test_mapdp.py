"""MAP-DP: every sweep against a naive one, the end of every run, ties, events, starts."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dpviz
import examples
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import InvalidParameterError
from dpviz.fit.run import iterate_starts

every_family = pytest.mark.parametrize("family", dpviz.FAMILIES)
every_prior = pytest.mark.parametrize("prior", dpviz.PARTITION_PRIORS)


def blobs(seed, n_points=24, family="normal_gamma"):
    rng = np.random.default_rng([11, seed])
    centres = rng.normal(scale=2.0, size=(4, 2))
    X = centres[rng.integers(4, size=n_points)] + rng.normal(scale=0.8, size=(n_points, 2))
    return examples.data(family, X, seed)


def config(family, prior, **options):
    return dpviz.RunConfig(
        "mapdp",
        family=family,
        prior=examples.hyperparameters(family, 2),
        partition=examples.partition_prior(prior),
        **options,
    )


def naive_model(X, family, prior):
    return naive.Model(X, family, examples.hyperparameters(family, 2), prior)


def assert_sweeps_equal(trace, model, order):
    """Every sweep of the trace is the naive sweep from the one before, scored alike."""
    for sweep in range(trace.n_sweeps + 1):
        labels = trace.labels_at(sweep)
        assert trace.nll[sweep] == pytest.approx(model.nll(labels), rel=1e-10, abs=1e-8)
        assert trace.objective[sweep] == pytest.approx(model.objective(labels), rel=1e-10, abs=1e-8)
        assert_array_equal(trace.sizes(sweep), np.bincount(labels))
        assert trace.n_clusters[sweep] == labels.max() + 1
        if sweep:
            first_sweep_rule = sweep == 1 and trace.starts[trace.chosen_start].init == "single"
            expected = model.sweep(trace.labels_at(sweep - 1), order, first_sweep_rule=first_sweep_rule)
            assert_array_equal(labels, expected, err_msg=f"sweep {sweep}")


@pytest.mark.parametrize(
    ("family", "prior", "init"), examples.every_pair_with("single", "sequential", "given", "singletons")
)
def test_every_sweep_equals_the_naive_one(family, prior, init):
    X = blobs(1, family=family)
    if init == "singletons" and prior == "finite_dirichlet":
        with pytest.raises(InvalidParameterError, match="24 starting clusters"):
            dpviz.run(X, config(family, prior, init=init, order="index"))
        return
    start = np.arange(24) % 4 if init == "given" else init
    trace = dpviz.run(X, config(family, prior, init=start, order="index"))
    assert trace.converged and len(trace.starts) == 1
    moves = init == "given" or (init != "sequential" and family in examples.GAUSSIAN)  # codes may all be content
    assert trace.n_sweeps >= (2 if moves else 1)
    model = naive_model(X, family, prior)
    assert_sweeps_equal(trace, model, np.arange(24))
    if init == "single":
        assert not trace.labels_at(0).any()
    elif init == "singletons":
        assert_array_equal(trace.labels_at(0), np.arange(24))
    elif init == "given":
        assert_array_equal(trace.labels_at(0), start)
    else:
        assert_array_equal(trace.labels_at(0), naive_seating(model, range(24)))


def naive_seating(model, order):
    """Seat the points one by one, each where its log joint with those already seated is highest."""
    labels = np.empty(len(model.X), dtype=np.int64)
    blocks = []
    for i in order:
        labels[i] = int(np.argmax(model.scores(blocks, i)))
        if labels[i] == len(blocks):
            blocks.append(set())
        blocks[labels[i]].add(i)
    return labels


def test_the_first_sweep_of_a_single_start_differs_from_an_ordinary_one():
    """Otherwise the tests above would not see whether the rule is applied."""
    X = blobs(1)
    model = naive_model(X, "normal_gamma", "chinese_restaurant")
    zeros = np.zeros(24, dtype=np.int64)
    ordinary = dpviz.run(X, config("normal_gamma", "chinese_restaurant", init=zeros, order="index"))
    single = dpviz.run(X, config("normal_gamma", "chinese_restaurant", init="single", order="index"))
    assert ordinary.nll[0] == single.nll[0]
    assert not np.array_equal(ordinary.labels_at(1), single.labels_at(1))
    assert_array_equal(ordinary.labels_at(1), model.sweep(zeros, range(24)))


@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
@pytest.mark.parametrize("rule", ["one_point", "all_points"])
@every_prior
def test_the_first_sweep_weighs_the_one_cluster_as_asked(prior, rule, algorithm):
    """All sweeps against naive ones; gibbs by its own random numbers."""
    X, chain = blobs(1), algorithm == "gibbs"
    chosen = replace(
        config("normal_gamma", prior, init="single", order="index"),
        algorithm=algorithm,
        temperature=float(chain),
        first_sweep=rule,
        n_init=1,
        n_sweeps=3,
        burn_in=0,
        seed=4,
    )
    trace, model = dpviz.run(X, chosen), naive_model(X, "normal_gamma", prior)
    rng, labels = np.random.default_rng([4, 0]), np.zeros(24, dtype=np.int64)
    for sweep in range(1, trace.n_sweeps + 1):
        uniforms = rng.random(24) if chosen.temperature else None
        ruled = rule == "one_point" and sweep == 1
        labels = model.sweep(labels, range(24), chosen.temperature, uniforms, first_sweep_rule=ruled)
        assert_array_equal(trace.labels_at(sweep), labels, err_msg=f"sweep {sweep}")
    slow = slow_motion(X, trace, 1)
    scores = model.scores([set(range(1, 24))], 0, starting=0 if rule == "one_point" else None)
    assert list(slow.candidates[0][:2]) == [0, -1]
    assert slow.costs[0][0] - slow.costs[0][1] == pytest.approx(scores[1] - scores[0], rel=1e-9)


def test_without_its_rule_no_sweep_from_one_cluster_raises_nll():
    """It is then the start with all labels equal; the rule raises nll in the first sweep of some."""
    raised = 0
    for seed in range(20):
        X = blobs(seed)
        ruled = config("normal_gamma", "chinese_restaurant", init="single", order="index")
        plain = dpviz.run(X, replace(ruled, first_sweep="all_points"))
        given = dpviz.run(X, replace(ruled, init=np.zeros(24, dtype=np.int64)))
        assert_array_equal(plain.labels, given.labels)
        assert np.all(np.diff(plain.nll) <= 1e-9)
        raised += bool(np.any(np.diff(dpviz.run(X, ruled).nll) > 1e-9))
    assert raised > 0


def test_other_starts_do_not_know_the_rule():
    X = blobs(3)
    for init in ("sequential", "random", "kmeans++"):
        ruled = config("normal_gamma", "chinese_restaurant", init=init, n_init=2)
        other = replace(ruled, first_sweep="all_points")
        assert_array_equal(dpviz.run(X, ruled).labels, dpviz.run(X, other).labels)
        assert not dpviz.ALGORITHMS["mapdp"].applies("first_sweep", {"init": init})
    assert dpviz.ALGORITHMS["mapdp"].applies("first_sweep", {"init": "auto"})
    assert dpviz.ALGORITHMS["gibbs"].applies("first_sweep", {"init": "single"})
    assert not dpviz.ALGORITHMS["gibbs"].applies("first_sweep", {"init": "single", "sampler": "explicit_parameters"})


@pytest.mark.parametrize("order", ["permuted", "shuffled"])
@pytest.mark.parametrize("init", ["single", "random"])
@every_prior
def test_events_tell_the_order_and_replay_to_the_recorded_partition(prior, order, init):
    X = blobs(2)
    model = naive_model(X, "normal_wishart", prior)
    orders = []
    for sweep in (1, 2):
        options = {"init": init, "init_clusters": 4, "n_init": 1, "order": order, "seed": 5}
        trace = dpviz.run(X, config("normal_wishart", prior, events_sweep=sweep, **options))
        if trace.n_sweeps < sweep:
            assert init == "single" and trace.n_moved[1] == 0, "one cluster may be the end at once"
            return
        before, events = trace.labels_at(sweep - 1), trace.events
        assert sorted(events[:, 0]) == list(range(24))
        first_sweep_rule = sweep == 1 and init == "single"
        naive_labels = model.sweep(before, events[:, 0], first_sweep_rule=first_sweep_rule)
        assert_array_equal(naive_labels, trace.labels_at(sweep))

        slots, ages = before.copy(), list(range(before.max() + 1))  # open slots, oldest first
        n_born = n_died = 0
        for point, source, target in events:
            assert slots[point] == source
            if target == source:
                continue
            slots[point] = target
            if not np.any(slots == source):
                ages.remove(source)
                n_died += 1
            if target not in ages:
                assert target == min(set(range(25)) - set(ages)), "a new cluster takes the lowest number that is free"
                ages.append(target)
                n_born += 1
        assert_array_equal([ages.index(slot) for slot in slots], trace.labels_at(sweep))
        moved = int(np.count_nonzero(events[:, 1] != events[:, 2]))
        assert (trace.n_moved[sweep], trace.n_born[sweep], trace.n_died[sweep]) == (moved, n_born, n_died)
        orders.append(events[:, 0])
    assert np.array_equal(*orders) == (order == "permuted")
    assert not np.array_equal(orders[0], np.arange(24))


@pytest.mark.parametrize("seed", range(45))
def test_nll_never_rises_and_no_single_move_lowers_it_at_the_end(seed):
    family = list(dpviz.FAMILIES)[seed % len(dpviz.FAMILIES)]
    prior = list(dpviz.PARTITION_PRIORS)[seed % len(dpviz.PARTITION_PRIORS)]
    inits = ["single", "kmeans++", "sequential", "random"] + ["singletons"] * (prior != "finite_dirichlet")
    X = blobs(seed, 40, family)
    init = inits[seed % len(inits)]
    order = ["index", "permuted", "shuffled"][seed % 3]
    trace = dpviz.run(X, config(family, prior, init=init, init_clusters=4, n_init=1, order=order, seed=seed))
    assert trace.converged and trace.n_moved[-1] == 0 and np.all(trace.n_moved[1:-1] > 0)
    rises = np.diff(trace.nll)[1 if init == "single" else 0 :]
    assert np.all(rises <= 1e-9 * np.abs(trace.nll).max())

    model, labels = naive_model(X, family, prior), trace.labels_at(-1)
    lowest = -model.log_joint(labels)
    for i in range(len(X)):
        others = [block - {i} for block in naive.blocks_of(labels)]
        others = [block for block in others if block]
        scores = model.scores(others, i)
        rest = naive.partition_log_weight(prior, [len(b) for b in others]) + sum(map(model.log_marginal, others))
        assert -(rest + scores.max()) >= lowest - 1e-9 * abs(lowest)


def test_ties_keep_the_present_cluster_and_else_take_the_oldest():
    """Two mirrored pairs with a point halfway, in numbers for which the two scores agree to the last digit."""
    X = np.array([[0.0], [-3.0], [-3.0], [3.0], [3.0]])
    prior = {"mu0": [0.0], "sigma0_sq": 1.0, "sigma_hat_sq": 1.0}
    for halfway, expected in [(0, 0), (1, 1), (2, 0)]:
        run = dpviz.RunConfig(
            "mapdp",
            family="spherical_normal",
            partition=dpviz.ChineseRestaurant(1e-6),
            prior=prior,
            init=np.array([halfway, 0, 0, 1, 1]),
            order="index",
            events_sweep=1,
        )
        trace = dpviz.run(X, run)
        table = dpviz.explain_assignment(X, trace, 0, 0)
        assert table.loc[0, "total"] == table.loc[1, "total"] < table.loc[-1, "total"]
        assert_array_equal(trace.events[0], [0, halfway, expected])


def test_oldest_is_by_birth_and_not_by_the_number_of_the_slot():
    """The first cluster dies and a point opens a new one in its slot: it is the youngest all the same."""
    X = np.array([[-8.0, 0.0], [0.0, 30.0], [-9.0, 0.0], [-8.5, 0.1], [9.0, 0.0], [8.0, 0.0], [8.5, 0.1]])
    prior = {"mu0": [0.0, 0.0], "sigma0_sq": 400.0, "sigma_hat_sq": 1.0}
    init = np.array([0, 2, 1, 1, 2, 2, 2])
    run = dpviz.RunConfig(
        "mapdp", family="spherical_normal", prior=prior, init=init, order="index", events_sweep=1, max_sweeps=1
    )
    trace = dpviz.run(X, run)
    assert [tuple(event) for event in trace.events if event[1] != event[2]] == [(0, 0, 1), (1, 2, 0)]
    assert_array_equal(trace.labels_at(1), [0, 2, 0, 0, 1, 1, 1])
    assert (trace.n_moved[1], trace.n_born[1], trace.n_died[1]) == (2, 1, 1)


# --- restarts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_init", "prior", "kinds"),
    [
        (10, "chinese_restaurant", ["single"] * 2 + [f"kmeans({k})" for k in (2, 3, 3, 4, 6, 7, 9, 12)]),
        (2, "pitman_yor", ["single"] * 2),
        (6, "powered", ["single"] * 2 + ["kmeans(2)", "kmeans(4)", "kmeans(7)", "kmeans(12)"]),
        (6, "finite_dirichlet", ["single"] * 2 + ["kmeans(2)", "kmeans(3)", "kmeans(3)", "kmeans(4)"]),
    ],
)
def test_auto_tries_what_it_says_lists_it_and_keeps_the_best(n_init, prior, kinds):
    X = blobs(3)
    estimator = dpviz.MAPDP(
        family="normal_gamma",
        prior=examples.hyperparameters("normal_gamma", 2),
        partition=examples.partition_prior(prior),
        n_init=n_init,
        random_state=6,
    ).fit(X)
    assert [start.init for start in estimator.starts_] == kinds
    trace, model = estimator.trace_, naive_model(X, "normal_gamma", prior)
    last = {}
    for start, kind, record in iterate_starts(X, trace.config):
        assert str(kind) == kinds[start]
        if record.sweep == 0 and kind.strategy == "kmeans":
            assert record.n_clusters == kind.n_clusters
        last[start] = record
    for start, record in last.items():
        listed = estimator.starts_[start]
        assert listed[1:] == (record.n_clusters, record.nll, record.sweep)
        assert listed.nll == pytest.approx(model.nll(record.labels), rel=1e-10)
    nlls = [start.nll for start in estimator.starts_]
    assert trace.chosen_start == int(np.argmin(nlls)) and estimator.nll_ == min(nlls) == trace.nll[-1]
    assert_array_equal(estimator.labels_, last[trace.chosen_start].labels)
    assert [record.nll for record in dpviz.iterate(X, trace.config)] == trace.nll.tolist()


def test_more_clusters_than_slots_do_not_disturb_the_sweep():
    """Far points that all open clusters of their own make the state grow in the middle of a sweep."""
    rng = np.random.default_rng(12)
    X = rng.permutation(40)[:, None] * np.array([[20.0, -7.0]])
    prior = {"mu0": [400.0, -140.0], "sigma0_sq": 1e5, "sigma_hat_sq": 1.0}
    run = dpviz.RunConfig("mapdp", family="spherical_normal", prior=prior, init="single", order="index")
    trace = dpviz.run(X, run)
    assert trace.n_clusters[-1] == 40
    sequential = dpviz.run(
        X, dpviz.RunConfig("mapdp", family="spherical_normal", prior=prior, init="sequential", order="index")
    )
    assert sequential.n_clusters[0] == 40
    assert sequential.nll[-1] == pytest.approx(trace.nll[-1], rel=1e-12)


def test_above_temperature_0_the_best_state_is_returned_and_not_the_last():
    X = np.random.default_rng(3).normal(size=(40, 2)) + np.repeat([[0.0, 0.0], [4.0, 0.0]], 20, axis=0)
    model = dpviz.MAPDP(
        "normal_wishart", prior=None, temperature=1.0, n_init=3, init="single", max_sweeps=30, random_state=1
    ).fit(X)
    trace = model.trace_
    assert model.nll_ == trace.nll.min() < trace.nll[-1]
    assert_array_equal(model.labels_, trace.labels_at(int(np.argmin(trace.nll))))
    assert trace.starts[trace.chosen_start].nll == min(start.nll for start in trace.starts) == trace.nll.min()
