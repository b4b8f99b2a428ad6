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
from dpviz.course.trial import Lead, Trial, Turn, turn
from dpviz.datasets import Dataset
from dpviz.engine.explain import explain_assignment
from dpviz.engine.trace import Trace
from dpviz.live.knobs import Knob
from dpviz.partition import ChineseRestaurant, FiniteDirichlet

N_ORDERS = 20
MOST_TRIED = 20
"""Points farthest out, among which is the one that gains most by leaving."""


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
    same = counts == len(np.unique(traces[1].result_labels))
    shown = range(numbers[0], numbers[-1] + 1)
    bars = tuple((str(k), (float(np.count_nonzero(counts == k)),)) for k in shown)
    errors = tuple((len(counts) * monte_carlo_error(counts == k),) for k in shown)
    return {
        "least": int(numbers[0]), "most": int(numbers[-1]), "mode": int(numbers[np.argmax(sweeps)]),
        "chart": Chart(f"Sweeps with K clusters; {WITH_ERRORS}", bars, errors=errors),
        "truth": int(same.sum()), "error": len(counts) * monte_carlo_error(same),
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
        start=4,
        unit="of 20",
        close=2,
    ),  # fmt: skip
    _luck,
    "The best end at {best:,.1f} nats, the worst at {stuck:,.1f} with K = {stuck_k}, though no single point wants to "
    "leave its cluster. MAP-DP's default search starts several ways, and then tries to split, merge and redraw whole "
    "clusters: it finds {searched:,.1f} with K = {searched_k}. Other data have other numbers.",
    (0, 1, N_ORDERS),
    "“Converged” means that no single move helps, not that nothing better exists.",
    "How often does a single order of visits end at the best that any finds?",
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
        "above 0 1",
        Lead("Order number [seed] ends at {nll 0} nats with {n_clusters 0}.", (("seed", 0, 4, 0),)),
    ),
)


SAMPLING = Chapter(
    "sampling",
    "Sampling or optimising",
    (
        "MAP-DP moves each point to its most probable cluster and stops when nothing moves: here with {mapdp_k} "
        "clusters (N0 = 3). Gibbs sampling draws the cluster instead, by its probability, and never stops. Its sweeps "
        "make a chain of partitions, which shows what else the model allows.",
    ),
    Scene("synthetic", "elliptical_overlap", (("n", 500), ("seed", 0))),
    (
        RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=300, burn_in=BURN_IN),
        mapdp(),
    ),
    Question(
        "Gibbs runs for 300 sweeps, and the first 100, its burn-in, are left out. In how many of the other 200 does "
        "the chain have {mapdp_k} clusters as well?",
        upper=200,
        start=100,
        unit="of 200 sweeps",
        close=20,
    ),  # fmt: skip
    _sampling,
    "{truth} ± {error:.0f} of 200 (Monte Carlo error, as sweeps that follow each other are alike). The chain has from "
    "{least} to {most} clusters, in this run most often {mode}; small clusters keep opening and closing. MAP-DP's "
    "partition is more probable than any that the chain visits, but partitions with more clusters are many, and "
    "together they weigh more. K of the best partition is not the most probable K.",
    (0, 1),
    "Optimising gives one partition, sampling weighs many of them.",
    "Does a chain have as many clusters as the best partition?",
    (
        Claim("MAP-DP's is the best of all", lambda d: bool(d.nll(1) < d.trace(0).nll.min() + 1e-6)),
        Claim("MAP-DP's number is rare in the chain", within(Bound("sweeps_as", 0, most=50, beside=1))),
        Claim("the chain has other numbers", within(Bound("n_visited", 0, least=3))),
        Claim("clusters open and close", lambda d: float((d.trace(0).n_born[BURN_IN + 1 :] > 0).mean()) > 0.5),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100.0, 3.0, 0, 1),),
        "With N0 = [concentration] MAP-DP ends with {n_clusters 1}. The chain has from {least_k 0} to {most_k 0}, "
        "{mean_k 0} on average, and MAP-DP's number in {sweeps_as 0 1} of 200 sweeps.",
        "sweeps_as 0 1",
        Lead(
            "With N0 = [concentration] MAP-DP ends with {n_clusters 1}, and the chain has that number in {sweeps_as 0 "
            "1} of 200 sweeps.",
            (("concentration", 0.01, 0.3, 0.01),),
        ),
    ),
    papers=(
        "Neal (2000), Markov chain sampling methods for Dirichlet process mixture models, Journal of "
        "Computational and Graphical Statistics 9."
    ),
)


def _most_gained(dataset: Dataset, trace: Trace) -> float:
    """Return by how much a place in a new cluster is cheaper (nats) than one among all, for the point that gains most.

    That is the point farthest from the rest, which all others see it as.
    """
    center, spread = dataset.X.mean(axis=0), np.linalg.inv(np.cov(dataset.X.T))
    far = np.argsort(np.einsum("ij,jk,ik->i", dataset.X - center, spread, dataset.X - center))[-MOST_TRIED:]
    places = [explain_assignment(dataset.X, trace, 0, int(point))["neg_log_predictive"].to_numpy() for point in far]
    return float(max(place[0] - place[-1] for place in places))


def _giant(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    return {
        "truth": int(traces[0].n_moved[1]), "stay": float(np.log((len(dataset.X) - 1) / 3.0)),
        "gain": _most_gained(dataset, traces[0]),
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
        "MAP-DP may begin with all points in one cluster. The seat of a point that leaves costs −ln N0 (here N0 = 3), "
        "that of one that stays −ln 799, which is {stay:.1f} nats cheaper, wherever the point is.",
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
    "{truth}: it ends with K = {held_k} and ARI {held_ari:.2f}. A cluster of one point knows little of its own width, "
    "so it expects others about as far around as the giant does (chapter 7): no point's place would become cheaper by "
    "more than {gain:.1f} nats. Let the giant weigh as one point in the first sweep only, less than N0, and the points "
    "leave: K = {free_k}, ARI {free_ari:.2f}. That rule is the default of such a start; drag N0 to see where it ends.",
    (0, 1),
    "A large cluster holds its points by its size, so a start from one cluster needs help.",
    "Do the points of three groups leave the one cluster that they begin in?",
    (
        Claim("no more than a few points leave", within(Bound("first_moved", 0, most=40), Bound("ari", 0, most=0.05))),
        Claim("with the rule the three groups are found", within(*finds(1, 3))),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100_000.0, 3.0, 0, 1),),
        "With N0 = [concentration], {first_moved 0} of 800 points leave the giant in the first sweep, and the run ends "
        "with {n_clusters 0}. If the giant weighs as one point in that sweep, it ends with {n_clusters 1}.",
        "first_moved 0",
        Lead(
            "With N0 = [concentration], {first_moved 0} of the 800 points leave in the first sweep.",
            (("concentration", 1000.0, 100_000.0, 100_000.0),),
        ),
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
            "How alike two partitions are (ARI, of 100)",
            (
                ("of two chains", (100 * _alike(last),)),
                ("of one chain, 150 sweeps apart", (100 * float(np.mean(own)),)),
            ),
        ),
    }  # fmt: skip


AGREEMENT = Chapter(
    "agreement",
    "A number that agrees",
    (
        "Four Gibbs chains, which differ in their random numbers only, draw partitions of 300 points that are spread "
        "evenly over a square. They have {low:.1f} to {high:.1f} clusters on average. R-hat, which compares the "
        "spread of K over all chains with that within each, is {rhat:.2f}: nearly 1, as if one chain had made them "
        "all.",
    ),
    Scene("synthetic", "null_uniform", (("n", 300), ("seed", 0))),
    tuple(
        RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=400, burn_in=BURN_IN, split_merge=2, seed=seed)
        for seed in range(N_CHAINS)
    ),
    Question(
        "ARI tells how alike two partitions are, from 0 (as by chance) to 100 (the same). What is it for the last "
        "partitions of two of the chains, averaged over all pairs?",
        upper=100,
        start=90,
        unit="of 100",
        close=10,
    ),
    _agreement,
    "{truth} of 100. That is no fault of the chains: two sweeps of one chain, 150 sweeps apart, agree by {within}. It "
    "takes about so many pieces to describe a square, but their borders may run anywhere, so that the posterior holds "
    "very many partitions. R-hat of K cannot see which points go together; look at how often each pair shares a "
    "cluster over all sweeps (the posterior similarity). And where the number matters, run chains on until R-hat is "
    "below 1.01.",
    (0, 1),
    "That the number of clusters has settled does not mean that the clusters are certain.",
    "Do chains that agree on K agree on the clusters?",
    (
        Claim(
            "R-hat of K is below 1.1", lambda d: chain_diagnostics(_chains([d.trace(i) for i in range(4)])).rhat < 1.1
        ),
        Claim(
            "so do those of one chain",
            lambda d: (
                float(np.mean([_alike([d.trace(i).labels_at(250), d.trace(i).labels_at(400)]) for i in range(4)])) < 0.7
            ),
        ),
        Claim("the last partitions differ", lambda d: _alike([d.last(i) for i in range(4)]) < 0.7),
        Claim("those of two chains differ", within(Bound("alike", 1, most=0.7, beside=0))),
    ),
    trial=Trial(
        (0, 1),
        (turn("concentration", 0.01, 100.0, 3.0, 0, 1),),
        "With N0 = [concentration] two chains have {mean_k 0} and {mean_k 1} clusters on average, and their last "
        "partitions agree by ARI {alike 1 0}.",
        "alike 1 0",
        Lead(
            "With N0 = [concentration] two chains have {mean_k 0} and {mean_k 1} clusters on average, and their last "
            "partitions agree by ARI {alike 1 0}.",
            (("concentration", 0.01, 0.1, 0.01),),
        ),
    ),
    papers=(
        "Vehtari and others (2021), Rank-normalization, folding, and localization: an improved R-hat, Bayesian "
        "Analysis 16; Wade and Ghahramani (2018), Bayesian cluster analysis, Bayesian Analysis 13."
    ),
)

MOST_SHOWN, N_COMPONENTS = 7, 15
PARTITION_ALONE: dict[str, Any] = {
    "algorithm": "gibbs", "family": "normal_wishart", "prior": None, "partition": ChineseRestaurant(1.0),
    "sampler": "collapsed", "n_sweeps": 1100, "burn_in": BURN_IN,
}  # fmt: skip
SAMPLERS = ("1 everything drawn", "2 no weights", "3 infinitely many", "4 partition alone")


def _theatre(dataset: Dataset, traces: Sequence[Trace]) -> Facts:
    laws = [100 * shares(trace, MOST_SHOWN) for trace in traces]
    errors = [100 * errors_of_shares(trace, MOST_SHOWN) for trace in traces]
    usual = int(np.argmax(laws[0]))
    return {
        "truth": round(float(laws[1][usual])), "usual": usual + 1, "first": laws[0][usual],
        "third": laws[2][usual], "fourth": laws[3][usual], "sweeps": len(visited(traces[0])),
        "error": max(float(error[usual]) for error in errors),
        "chart": Chart(
            f"Sweeps (of 100) with K clusters; {WITH_ERRORS}",
            tuple((str(k), tuple(each)) for k, each in enumerate(zip(*laws, strict=True), 1)), SAMPLERS,
            errors=tuple(zip(*errors, strict=True)),
        ),
    }  # fmt: skip


def _gap(draw: Draw, one: int, other: int) -> float:
    """Total variation distance of the laws of K of two samplers."""
    laws = [shares(draw.trace(number), 40) for number in (one, other)]
    return float(np.abs(laws[0] - laws[1]).sum() / 2)


THEATRE = Chapter(
    "theatre",
    "Four samplers",
    (
        "A mixture in four acts. The first sampler draws everything about fifteen components, their weights, their "
        "means and covariances, and the component of every point. The second integrates the weights out: it averages "
        "over all that they might be. The third lets the number of components grow to infinity, which makes the prior "
        "a Dirichlet process; the fourth integrates out means and covariances too, and draws the partition alone.",
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
        "The second one never draws a weight. In how many of 100 sweeps will it have {usual} clusters?",
        upper=100,
        start=90,
        unit="of 100 sweeps",
        close=8,
    ),
    _theatre,
    "{truth}, after {first:.0f} with weights: they sample the same mixture, and differ by chance alone (Monte Carlo "
    "errors up to {error:.0f}, from {sweeps:,} sweeps each). What is integrated out changes how a chain moves, not "
    "what it samples. The third and the fourth have {third:.0f} and {fourth:.0f}: again one model, but another one, "
    "the limit of infinitely many components, which fifteen come close to.",
    (0, 3),
    "Samplers differ in how they move; what they sample is the model's.",
    "Do ways of sampling one mixture agree on K?",
    (
        Claim("with and without weights K has one law", lambda d: _gap(d, 0, 1) < 0.2),
        Claim("with and without means and covariances too", lambda d: _gap(d, 2, 3) < 0.2),
        Claim("fifteen components come close to infinitely many", lambda d: _gap(d, 0, 3) < 0.25),
    ),
    words=((0, SAMPLERS[0]), (len(SAMPLERS) - 1, SAMPLERS[-1])),
    trial=Trial(
        (3, RunConfig(**{**PARTITION_ALONE, "seed": 7})),
        (turn("n_sweeps", 150, 3000, 1100, 0, 1, step=50),),
        "Two chains of the fourth sampler with other random numbers, [n_sweeps] sweeps each, of which 100 are "
        "burn-in, have {usual 0} clusters in {share_of_usual 0 0} and {share_of_usual 1 0} of 100 sweeps. How far "
        "does chance put short chains apart?",
        "share_of_usual 0 0",
        Lead(
            "Two chains of the fourth sampler with other random numbers, [n_sweeps] sweeps each, have {usual 0} "
            "clusters in {share_of_usual 0 0} and {share_of_usual 1 0} of 100 sweeps.",
            (("n_sweeps", 150, 500, 150),),
        ),
    ),
    papers=(
        "Neal (2000), Markov chain sampling methods for Dirichlet process mixture models; Ishwaran and James "
        "(2001), Gibbs sampling methods for stick-breaking priors, Journal of the American Statistical "
        "Association 96."
    ),
)
