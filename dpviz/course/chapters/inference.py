"""Chapters on how clusters are found, and how far a result can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz import metrics
from dpviz.analysis.posterior.chains import chain_diagnostics
from dpviz.config import RunConfig
from dpviz.course.chapter import Chapter, Facts, Question, Scene
from dpviz.course.chapters.shared import (
    BURN_IN,
    WITH_ERRORS,
    errors_of_shares,
    mapdp,
    monte_carlo_error,
    scores,
    shares,
    visited,
)
from dpviz.course.chart import Chart
from dpviz.course.claims import Bound, Claim, Draw, finds, within
from dpviz.course.trial import Trial, Turn, turn
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.live.knobs import Knob
from dpviz.partition import ChineseRestaurant, FiniteDirichlet

N_ORDERS = 20


def _luck(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    nll = np.array([trace.nll[-1] for trace in traces[:N_ORDERS]])
    worst = int(np.argmax(nll))
    stuck, found = traces[worst], traces[N_ORDERS]
    return {
        "shown": (int(np.argmin(nll)), worst, N_ORDERS),
        "chart": Chart("Cost (nats) at which each of the twenty orders ends", values=tuple(nll.tolist()), form=",.1f"),
        "truth": int((nll <= nll.min() + 1e-6).sum()), "best": nll.min(), "stuck": stuck.nll[-1],
        "stuck_k": int(stuck.n_clusters[-1]),
        "searched": found.nll[-1], "searched_k": int(found.n_clusters[-1]),
    }  # fmt: skip


def _ends(draw: Draw) -> list[float]:
    """Return the nll (nats) at which each order of visits ends."""
    return [draw.nll(number) for number in range(N_ORDERS)]


def _sampling(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    counts = visited(traces[0])
    numbers, sweeps = np.unique(counts, return_counts=True)
    shown = range(numbers[0], numbers[-1] + 1)
    bars = tuple((str(k), (float(np.count_nonzero(counts == k)),)) for k in shown)
    errors = tuple((len(counts) * monte_carlo_error(counts == k),) for k in shown)
    return {
        "truth": len(numbers), "least": int(numbers[0]), "most": int(numbers[-1]),
        "mode": int(numbers[np.argmax(sweeps)]),
        "chart": Chart(f"Sweeps with K clusters; {WITH_ERRORS}", bars, errors=errors),
        "same": int(np.count_nonzero(counts == len(np.unique(traces[1].result_labels)))),
        **scores(dataset, traces[1:], "mapdp"),
    }  # fmt: skip


LUCK = Chapter(
    "luck",
    "Local optima",
    (
        "MAP-DP visits one point after the other, and stops where no single point would move. That is a local optimum "
        "and depends on the order of the visits. We start from one cluster that weighs as one point in the first "
        "sweep, with twenty orders.",
    ),
    Scene("synthetic", "elliptical_rotated", (("n", 900), ("seed", 0))),
    (*(mapdp(init="single", n_init=1, seed=seed) for seed in range(N_ORDERS)), mapdp(effort=0.1)),
    Question(
        "How many of the twenty orders end at the lowest nll that any of them finds?",
        upper=20,
        start=10,
        unit="of 20",
        close=2,
    ),  # fmt: skip
    _luck,
    "The best end at {best:,.1f} nats, the worst at {stuck:,.1f} with K = {stuck_k}, though no single point wants to "
    "leave its cluster. The default search starts several ways, then splits, merges and shakes whole clusters: it "
    "finds {searched:,.1f} with K = {searched_k}.",
    (0, 1, N_ORDERS),
    "“Converged” means that no single move helps, not that nothing better exists.",
    "How often does a single order of visits find the best clusters?",
    (
        Claim("some orders end above the best", lambda d: max(_ends(d)) > min(_ends(d)) + 10),
        Claim("the search ends no higher", lambda d: d.nll(N_ORDERS) < min(_ends(d)) + 1e-6),
    ),
    words=((N_ORDERS, "default search"),),
    trial=Trial(
        (0, mapdp(init="single", n_init=10)),
        (Turn(Knob("seed", ("seed",), "Order of the visits", "order", "Which.", 0, N_ORDERS - 1, 0, 1), (0,)),),
        "Order number [seed] ends at {nll 0} nats with {n_clusters 0}. The best of ten other orders ends at {nll 1} "
        "nats with {n_clusters 1}.",
    ),
)


SAMPLING = Chapter(
    "sampling",
    "Sampling or optimising",
    (
        "MAP-DP moves each point to its most probable cluster and stops when nothing moves. Gibbs sampling draws "
        "the cluster instead, by its probability, and never stops: it shows what else the model allows.",
    ),
    Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 0))),
    (
        RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=300, burn_in=BURN_IN),
        mapdp(),
    ),
    Question(
        "Gibbs runs for 300 sweeps, the first 100 to warm up. How many different numbers of clusters will it visit "
        "in the other 200?",
        lower=1,
        upper=20,
        start=3,
        unit="different numbers",
        close=1,
    ),  # fmt: skip
    _sampling,
    "From {least} to {most} clusters, most often {mode}; small clusters keep opening and closing. MAP-DP's K = "
    "{mapdp_k} is the number of the best partition it finds, and {same} of the 200 sweeps have it: partitions with "
    "more clusters are less probable each, but there are many more of them.",
    (0, 1),
    "Optimising gives one answer, sampling weighs many of them.",
    "How many different numbers of clusters does one chain visit?",
    (
        Claim("MAP-DP's is the best of all", lambda d: bool(d.nll(1) < d.trace(0).nll.min() + 1e-6)),
        Claim("several numbers", within(Bound("n_visited", 0, least=3))),
        Claim("clusters open and close", lambda d: float((d.trace(0).n_born[BURN_IN + 1 :] > 0).mean()) > 0.5),
    ),
    trial=Trial(
        (0,),
        (turn("concentration", 0.01, 100.0, 3.0, 0),),
        "With N0 = [concentration] the chain visits from {least_k 0} to {most_k 0} clusters, {mean_k 0} on average.",
        "n_visited 0",
    ),
)


def _giant(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    return {
        "truth": int(traces[0].n_moved[1]), "stay": float(np.log(len(dataset.X) / 3.0)),
        "chart": Chart(
            "Points that move in the first sweep",
            tuple(
                (label, (float(trace.n_moved[1]),))
                for label, trace in zip(("the giant at its full weight", "at the weight of one"), traces, strict=True)
            ),
        ),
        **scores(dataset, traces, "held", "free"),
    }  # fmt: skip


GIANT = Chapter(
    "giant",
    "The giant",
    (
        "MAP-DP may begin with all points in one cluster. A point that leaves it opens a cluster with weight N0 = 3; "
        "one that stays joins 799 others, which is {stay:.1f} nats cheaper, whatever the points look like.",
        "Here are three groups, far apart, 800 points in all.",
    ),
    Scene("synthetic", "elliptical_separated", (("n", 800), ("seed", 0))),
    tuple(mapdp(init="single", n_init=1, first_sweep=rule) for rule in ("all_points", "one_point")),
    Question(
        "MAP-DP visits the 800 points. How many of them leave the one cluster in the first sweep?",
        upper=800,
        start=400,
        unit="points",
        close=40,
    ),
    _giant,
    "{truth}: it ends with K = {held_k} and ARI {held_ari:.2f}. A new cluster of one point is as vague as the giant, "
    "and weighs less. Let the giant weigh as one point in the first sweep only, which is less than N0, and the points "
    "leave: K = {free_k}, ARI {free_ari:.2f}. That rule is the default of such a start.",
    (0, 1),
    "A large cluster holds its points by its size, so a start from one cluster needs help.",
    "Do the points of three groups leave the one cluster that they begin in?",
    (
        Claim("nobody leaves", within(Bound("first_moved", 0, most=40), Bound("ari", 0, most=0.05))),
        Claim("the rule sets them free", within(*finds(1, 3))),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100_000.0, 3.0, 0, 1),),
        "With N0 = [concentration], {first_moved 0} of 800 points leave the giant in the first sweep, and the run ends "
        "with {n_clusters 0}. If the giant weighs as one point in that sweep, it ends with {n_clusters 1}.",
        "n_clusters 1",
    ),
    words=((0, "giant at its full weight"), (1, "giant at the weight of one")),
)

N_CHAINS = 4


def _chains(traces: Sequence[Trace]) -> np.ndarray:
    return np.array([visited(trace) for trace in traces[:N_CHAINS]])


def _alike(labels: Sequence[np.ndarray]) -> float:
    """Mean ARI of two chains' last partitions."""
    pairs = [(one, other) for place, one in enumerate(labels) for other in labels[:place]]
    return float(np.mean([metrics.ari(one, other) for one, other in pairs]))


def _agreement(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    chains = _chains(traces)
    last = [trace.labels_at(trace.n_sweeps) for trace in traces]
    middle = [trace.labels_at((BURN_IN + trace.n_sweeps) // 2) for trace in traces]
    own = [_alike(pair) for pair in zip(middle, last, strict=True)]
    return {
        "within": round(100 * float(np.mean(own))), "truth": round(100 * _alike(last)),
        "rhat": chain_diagnostics(chains).rhat,
        "low": chains.mean(axis=1).min(), "high": chains.mean(axis=1).max(),
        "chart": Chart(
            f"Mean K of each chain; {WITH_ERRORS}",
            tuple((f"chain {number}", (mean,)) for number, mean in enumerate(chains.mean(axis=1), 1)), form=",.1f",
            errors=tuple((monte_carlo_error(chain),) for chain in chains),
        ),
    }  # fmt: skip


AGREEMENT = Chapter(
    "agreement",
    "A number that agrees",
    (
        "Chains that have converged cannot be told apart. Then R-hat, the spread between chains against that within "
        "them, is near 1; the reverse need not be true. Four chains on these 300 points, spread evenly over a square, "
        "have {low:.1f} to {high:.1f} clusters on average, and the R-hat of K is {rhat:.2f}.",
    ),
    Scene("synthetic", "null_uniform", (("n", 300), ("seed", 0))),
    tuple(
        RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=400, burn_in=BURN_IN, split_merge=2, seed=seed)
        for seed in range(N_CHAINS)
    ),
    Question(
        "How much do the last partitions of two chains agree, by ARI from 0 (as by chance) to 100 (the same)?",
        upper=100,
        start=90,
        unit="of 100",
        close=10,
    ),
    _agreement,
    "{truth} of 100, and two distant sweeps of one chain {within}. Chains agree on about how many pieces describe a "
    "square, and not on which: its borders may run anywhere. R-hat of K cannot see which points go together; ask which "
    "pairs are together in most sweeps, as the page Posterior does.",
    (0, 1),
    "That a number has converged does not mean that the clusters are certain.",
    "Do chains that agree on K agree on the clusters?",
    (
        Claim("R-hat is near 1", lambda d: chain_diagnostics(_chains([d.trace(i) for i in range(4)])).rhat < 1.1),
        Claim(
            "so do those of one chain",
            lambda d: (
                float(np.mean([_alike([d.trace(i).labels_at(250), d.trace(i).labels_at(400)]) for i in range(4)])) < 0.7
            ),
        ),
        Claim("the partitions differ", lambda d: _alike([d.labels(i) for i in range(4)]) < 0.7),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100.0, 3.0, 0, 1),),
        "With N0 = [concentration] two chains have {mean_k 0} and {mean_k 1} clusters on average, and their last "
        "partitions agree by ARI {alike 1 0}.",
        "mean_k 0",
    ),
)

MOST_SHOWN, N_COMPONENTS = 7, 15
PARTITION_ALONE: dict[str, Any] = {
    "algorithm": "gibbs", "family": "normal_wishart", "prior": None, "partition": ChineseRestaurant(1.0),
    "sampler": "collapsed", "n_sweeps": 400, "burn_in": BURN_IN,
}  # fmt: skip
SAMPLERS = ("1 weights and shapes", "2 shapes", "3 endlessly many", "4 partition alone")


def _theatre(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    laws = [100 * shares(trace, MOST_SHOWN) for trace in traces]
    errors = [100 * errors_of_shares(trace, MOST_SHOWN) for trace in traces]
    usual = int(np.argmax(laws[0]))
    return {
        "truth": round(float(laws[-1][usual])), "usual": usual + 1, "first": laws[0][usual],
        "second": laws[1][usual], "third": laws[2][usual],
        "chart": Chart(
            f"Sweeps (of 100) with K clusters; {WITH_ERRORS}",
            tuple((str(k), tuple(each)) for k, each in enumerate(zip(*laws, strict=True), 1)), SAMPLERS,
            errors=tuple(zip(*errors, strict=True)),
        ),
    }  # fmt: skip


def _widest_gap(draw: Draw) -> float:
    """Largest total variation distance of the laws of K of two samplers."""
    laws = [shares(draw.trace(number), 40) for number in range(len(SAMPLERS))]
    return max(float(np.abs(one - other).sum() / 2) for one in laws for other in laws)


THEATRE = Chapter(
    "theatre",
    "Four samplers",
    (
        "A Dirichlet process in four acts: the first sampler draws all of it, the shares and shapes of fifteen "
        "clusters and the cluster of every point. The second averages over the shares instead of drawing them. The "
        "third drops the limit of fifteen; the fourth averages over the shapes too, and draws the partition alone.",
        "On these 40 points the first sampler has {usual} clusters in {first:.0f} of 100 sweeps.",
    ),
    Scene("synthetic", "elliptical_overlap", (("n", 40), ("seed", 0))),
    tuple(
        RunConfig(**{**PARTITION_ALONE, "partition": partition, "sampler": sampler})
        for partition, sampler in (
            (FiniteDirichlet(1.0, N_COMPONENTS), "explicit_weights"),
            (FiniteDirichlet(1.0, N_COMPONENTS), "explicit_parameters"),
            (ChineseRestaurant(1.0), "explicit_parameters"),
            (ChineseRestaurant(1.0), "collapsed"),
        )
    ),
    Question(
        "In how many of 100 sweeps will the last one have {usual} clusters?",
        upper=100,
        start=90,
        unit="of 100 sweeps",
        close=15,
    ),
    _theatre,
    "{first:.0f}, {second:.0f}, {third:.0f} and {truth}. What is averaged out changes how a chain moves, not what it "
    "samples; only the step from fifteen to endlessly many changes the law, and 300 sweeps leave an error of their "
    "own.",
    (0, 3),
    "Samplers differ in how they move; what they sample is the model's.",
    "Do four ways of sampling a Dirichlet process agree on K?",
    (Claim("all four have one law of K", lambda d: _widest_gap(d) < 0.35),),
    words=((0, SAMPLERS[0]), (len(SAMPLERS) - 1, SAMPLERS[-1])),
    trial=Trial(
        (3, RunConfig(**{**PARTITION_ALONE, "seed": 7})),
        (turn("n_sweeps", 150, 3000, 400, 0, 1, step=50),),
        "Two chains of the fourth sampler with other random numbers, [n_sweeps] sweeps each, have {usual 0} clusters "
        "in {share_of_usual 0 0} and {share_of_usual 1 0} of 100 sweeps: so far apart does chance put them.",
        "mean_k 0",
    ),
)
