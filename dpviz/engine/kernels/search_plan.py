"""What a search of partitions tries next: which clusters are changed, from where walks begin, when they end.

A walk begins at the result of a start. Every cluster is split in two, or merged with a neighbour, while that helps;
then random changes of one to three neighbouring clusters are tried, each followed by sweeps until no point moves. A
result that is a few nats worse is sometimes accepted, so that a walk can leave a local optimum; it returns to its best
partition soon. A walk ends after a number of trials without a gain, and the next one begins at another start.

Everything here is the same for all families, and so is compiled once: :func:`plan` says by an instruction what is to be
computed with the statistics of clusters, which :mod:`dpviz.engine.kernels.search` does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import (
    N_COUNTERS,
    N_HIDDEN,
    N_MOVED,
    N_OPEN,
    STARTING_SLOT,
    Clusters,
    close_ranks,
    renumber,
)
from dpviz.engine.kernels.hard import cluster_centres
from dpviz.numerics.stream import StreamArray, draw_integer, draw_permutation, draw_uniform

TOLERANCE = 1e-9
"""Relative fall of the nll that counts as one."""
TRIAL_OPERATIONS = 1.5e5
"""Operations of a trial apart from its sweeps."""
BUDGET = 4e9
"""Operations of the usual effort: some two seconds."""
SLICE = 2e7
"""Operations after which a search pauses: some ten milliseconds."""
WALKS_THAT_AGREE, WALKS_IN_VAIN = 9, 12
"""The search ends when this many walks reached the best partition, or this many ended without a better one.

A walk that reaches the best partition of earlier walks ends there, so that many walks cost little. With 5 and 7 full
walks, wine and iris took twice as long, and 2 of 56 searches of vehicle missed the best.
"""
SPLITS_TRIED = 3
"""Divisions of each cluster before and after the random changes."""
WORSE_BY = 10.0
"""A walk accepts partitions that are worse by an exponential amount of this mean, in nats. On thirteen tables of 150 to
900 rows, 5 left more walks in poor optima, and with 20 walks wandered; an adaptive mean did no better."""
HOPELESS = 3 * WORSE_BY
"""Changes that are worse by more nats, after their own points have settled, are not swept any further."""
CHANGES = (
    (0.25, 1, 2),
    (0.50, 2, 2),
    (0.60, 2, 1),
    (0.67, 2, 3),
    (0.77, 3, 2),
    (0.85, 3, 3),
    (0.90, 0, 0),
    (1.00, 0, 1),
)
"""Random changes by their cumulative probability: neighbouring clusters are merged and redivided into a number of
parts, or one is dissolved, or up to six are heated."""
DISSOLVED, HEATED = 6, 7
MOST_CHOSEN = 6
LOCAL_SWEEPS = 6
"""Sweeps over the points of the changed clusters alone."""
COOLEST, HOTTEST = 0.5, 3.0
"""Range of temperatures at which clusters are heated."""

# What is to be done with the statistics of clusters, and why the loop is left.
NOTHING, LOAD, SCORE, WEIGH, SWEEP, NEWS, OVER, GROW, PAUSED = range(9)

# Partitions that are kept.
PRESENT, BEST, OF_ALL, ONE, OTHER = range(5)
N_PARTITIONS = 5

# Positions in the counts.
(
    PENDING,
    NEXT,
    MODE,
    POSITION,
    N_ORDER,
    N_GATHERED,
    N_LOCAL,
    MOST_LOCAL,
    ALL_SEEN,
    N_SWEPT,
    N_LOADED,
    IS_STILL,
    UNTIL_STILL,
    WEIGHED,
    N_CHOSEN,
    N_WANTED,
    N_PARTS,
    N_TASKS,
    N_TRIALS,
    QUIET,
    STRAYED,
    ARRIVALS,
    TRIED,
    ORIGIN,
    HAS_WALKED,
    AGREES,
    N_AGREE,
    N_VAIN,
    N_EQUAL,
    MOST_AGREE,
    MOST_VAIN,
    IN_VAIN,
    MOST_SWEEPS,
    MOST_CLUSTERS,
    HOME_IS_OLD,
    SOURCE,
    SOURCE_CLUSTER,
    AFTER,
) = range(38)
N_COUNTS = 38

# Positions in the levels.
(LOWEST, BEFORE, NLL, HEAT, INVERSE_TEMPERATURE, N_WEIGHED, PER_WEIGHING, MOST_SPENT) = range(8)
N_LEVELS = 8

# What :data:`NEXT` can be.
(
    BEGIN_WALK,
    DESCEND,
    DESCENDED,
    BEGIN_ROUND,
    TASK,
    CHANGE,
    CHOSEN,
    NEAREST,
    REFINE,
    SETTLED,
    CONFIRM,
    CONFIRMED,
    END_TRIAL,
    END_WALK,
    TRANSPLANT,
) = range(15)

# What :data:`MODE` can be.
FIRST, ONE_BY_ONE, RANDOM, RECOMBINING = range(4)


class Plan(NamedTuple):
    """The state of a search: every array is changed in place, so that it can be left and continued at any time.

    Attributes
    ----------
    work : Clusters
        The partition that is being changed.
    partitions : ndarray (5, N)
        Labels 0 … K − 1 of the one that is changed next, the walk's best, the best of all walks, and of the two that
        are combined.
    n_clusters : ndarray (5,)
        Their numbers of clusters.
    nll : ndarray (5,)
        Theirs (nats).
    members, ends : ndarray (N,), ndarray (N + 1,)
        Points of the present one by cluster; cluster k's end before ``ends[k + 1]``.
    home_sizes : ndarray (N,)
        Their numbers.
    origins : ndarray (n_origins, N)
        Where walks begin.
    coordinates : ndarray (N, C)
        Coordinates in which distances make sense.
    tasks : ndarray (4 N,)
        Changes of every cluster that are still to be tried.
    points : ndarray (N,)
        Points of a change.
    chosen : ndarray (6,)
        Clusters of a change.
    order : ndarray (N,)
        Visiting order.
    uniforms : ndarray (N,)
    scores : ndarray (N,)
        What a point weighs in every cluster of the present partition, nats.
    counts, levels : ndarray
        Numbers by the positions above.
    stream : ndarray (6,)
        State of the random numbers.
    """

    work: Clusters
    partitions: IntArray
    n_clusters: IntArray
    nll: FloatArray
    members: IntArray
    ends: IntArray
    home_sizes: IntArray
    origins: IntArray
    coordinates: FloatArray
    tasks: IntArray
    points: IntArray
    chosen: IntArray
    order: IntArray
    uniforms: FloatArray
    scores: FloatArray
    counts: IntArray
    levels: FloatArray
    stream: StreamArray


@kernel
def new_plan(origins: IntArray, coordinates: FloatArray, n_slots: int) -> Plan:
    """Return the state of a search whose walks begin at labels 0 … K − 1 (n_origins, N), one after the other."""
    n_points = origins.shape[1]
    counters = np.zeros(N_COUNTERS, np.int64)
    counters[STARTING_SLOT] = -1
    work = Clusters(origins[0].copy(), np.zeros(n_slots, np.int64), np.zeros(n_slots, np.int64), counters)
    counts, levels = np.zeros(N_COUNTS, np.int64), np.zeros(N_LEVELS)
    counts[NEXT], levels[LOWEST] = BEGIN_WALK, math.inf
    return Plan(
        work,
        np.zeros((N_PARTITIONS, n_points), np.int64),
        np.zeros(N_PARTITIONS, np.int64),
        np.full(N_PARTITIONS, math.inf),
        np.zeros(n_points, np.int64),
        np.zeros(n_points + 1, np.int64),
        np.zeros(n_points, np.int64),
        origins,
        coordinates,
        np.zeros((1 + SPLITS_TRIED) * n_points, np.int64),
        np.zeros(n_points, np.int64),
        np.zeros(MOST_CHOSEN, np.int64),
        np.zeros(n_points, np.int64),
        np.zeros(n_points),
        np.zeros(n_points),
        counts,
        levels,
        np.zeros(6, np.uint64),
    )


@kernel
def trials_in_vain(n_points: int) -> int:
    """Trials without a gain after which a walk ends: more for larger tables, which have more places to change."""
    return min(100 + n_points // 2, 400)


@kernel
def begin(plan: Plan, n_equal: int, most_sweeps: int, most_clusters: int, operations: float) -> None:
    """Set what a search does not change.

    Parameters
    ----------
    plan : Plan
    n_equal : int
        Number of starts that ended at the first origin.
    most_sweeps : int
        Sweeps after which a descent ends.
    most_clusters : int
    operations : float
        Of weighing a point in a cluster.
    """
    counts = plan.counts
    counts[N_EQUAL], counts[IN_VAIN] = n_equal, trials_in_vain(plan.members.shape[0])
    counts[N_AGREE] = min(n_equal, WALKS_THAT_AGREE) - 1
    counts[MOST_SWEEPS], counts[MOST_CLUSTERS] = most_sweeps, most_clusters
    plan.levels[PER_WEIGHING] = operations


@kernel
def allow(plan: Plan, effort: float) -> None:
    """Set the total budget, which includes the work already done."""
    plan.levels[MOST_SPENT] = BUDGET * effort
    plan.counts[MOST_AGREE] = math.ceil(WALKS_THAT_AGREE * effort)
    plan.counts[MOST_VAIN] = math.ceil(WALKS_IN_VAIN * effort)


@kernel
def least_fall(nll: float) -> float:
    """Return by how much (nats) an nll must fall to be lower."""
    return TOLERANCE * max(1.0, abs(nll))


@kernel
def falls(nll: float, than: float) -> bool:
    """Whether an nll is lower by more than rounding; one that is not finite never is."""
    return math.isfinite(nll) and (nll < than - least_fall(than) if math.isfinite(than) else nll < than)


@kernel
def spent(plan: Plan) -> float:
    """Return the operations done so far."""
    return float(plan.levels[N_WEIGHED] * plan.levels[PER_WEIGHING] + plan.counts[N_TRIALS] * TRIAL_OPERATIONS)


@kernel
def is_over(plan: Plan) -> bool:
    """Whether enough walks agree, enough failed, or the budget is spent; never before the first has ended."""
    counts = plan.counts
    enough = counts[N_AGREE] >= counts[MOST_AGREE] or counts[N_VAIN] >= counts[MOST_VAIN]
    return bool(counts[HAS_WALKED] != 0 and enough or spent(plan) >= plan.levels[MOST_SPENT])


@kernel
def share(plan: Plan) -> float:
    """Return the progress of a search from 0 to 1, which a gain throws back."""
    counts = plan.counts
    n_agree, n_vain = counts[N_AGREE] / counts[MOST_AGREE], counts[N_VAIN] / counts[MOST_VAIN]
    return float(min(max(spent(plan) / plan.levels[MOST_SPENT], n_agree, n_vain), 1.0))


@kernel
def _copy(plan: Plan, of: int, to: int) -> None:
    """Keep a partition as another."""
    plan.partitions[to] = plan.partitions[of]
    plan.n_clusters[to], plan.nll[to] = plan.n_clusters[of], plan.nll[of]


@kernel
def _group(plan: Plan) -> None:
    """List the members of the present partition's clusters."""
    labels, n_clusters, ends = plan.partitions[PRESENT], plan.n_clusters[PRESENT], plan.ends
    ends[: n_clusters + 1] = 0
    for i in range(labels.shape[0]):
        ends[labels[i] + 1] += 1
    for k in range(n_clusters):
        plan.home_sizes[k] = ends[k + 1]
        ends[k + 1] += ends[k]
    begins = ends[:n_clusters].copy()
    for i in range(labels.shape[0]):
        plan.members[begins[labels[i]]] = i
        begins[labels[i]] += 1
    plan.counts[HOME_IS_OLD] = 1


@kernel
def _take_work(plan: Plan) -> None:
    """Change what is in work next."""
    plan.partitions[PRESENT] = plan.work.labels
    plan.n_clusters[PRESENT], plan.nll[PRESENT] = plan.counts[N_LOADED], plan.levels[NLL]
    _group(plan)


@kernel
def _return_to(plan: Plan, partition: int) -> None:
    """Change a kept partition next."""
    _copy(plan, partition, PRESENT)
    _group(plan)
    plan.counts[STRAYED] = 0


@kernel
def _load(plan: Plan) -> int:
    """Close the numbers of the labels in work, and have the statistics of their clusters computed."""
    plan.counts[N_LOADED] = renumber(plan.work.labels)
    plan.levels[NLL], plan.counts[N_SWEPT], plan.counts[IS_STILL] = math.nan, 0, 0
    return LOAD


@kernel
def _visit(plan: Plan, points: IntArray, n_points: int, heat: float) -> int:
    """Have some points visited once, in random order."""
    counts, counters = plan.counts, plan.work.counters
    order = draw_permutation(plan.stream, n_points)
    for j in range(n_points):
        plan.order[j] = points[order[j]]
    if heat > 0.0:
        for j in range(n_points):
            plan.uniforms[j] = draw_uniform(plan.stream)
    counts[POSITION], counts[N_ORDER], counters[N_MOVED] = 0, n_points, 0
    plan.levels[INVERSE_TEMPERATURE] = 1.0 / heat if heat > 0.0 else 0.0
    plan.levels[N_WEIGHED] += n_points * (counters[N_OPEN] + 1)
    return SWEEP


@kernel
def _close(plan: Plan) -> int:
    """Give the clusters in work the numbers 0 … K − 1, and have them scored."""
    work, counts = plan.work, plan.counts
    n_open = 0
    if work.counters[N_HIDDEN] > 0:  # by slots, since some clusters are out of sight
        for slot in range(work.sizes.shape[0] - 1):
            if work.sizes[slot] > 0:
                work.active[n_open] = slot
                n_open += 1
    else:
        n_open = work.counters[N_OPEN]
    close_ranks(work.labels, work.sizes, work.active, n_open)
    work.counters[N_OPEN], work.counters[N_HIDDEN] = n_open, 0
    counts[N_LOADED] = n_open
    return SCORE


@kernel
def _descend(plan: Plan, after: int) -> int:
    """Sweep over all points until none moves; then comes ``after``."""
    counts, counters = plan.counts, plan.work.counters
    if counts[N_SWEPT] > 0 and counters[N_MOVED] == 0:
        counts[IS_STILL] = 1
    if counts[IS_STILL] != 0 or counts[N_SWEPT] == counts[MOST_SWEEPS]:
        counts[NEXT] = after
        return _close(plan)
    counts[N_SWEPT] += 1
    return _visit(plan, np.arange(plan.order.shape[0]), plan.order.shape[0], 0.0)


@kernel
def _arrive(plan: Plan) -> None:
    """Make what is in work the best of the walk; the best of all walks is confirmed by sweeps."""
    _take_work(plan)
    _copy(plan, PRESENT, BEST)
    plan.counts[STRAYED] = 0
    plan.counts[ARRIVALS] += 1
    plan.counts[NEXT] = CONFIRM if falls(plan.nll[BEST], plan.levels[LOWEST]) else END_TRIAL


@kernel
def _is_known(plan: Plan) -> bool:
    """Whether the walk has reached the best partition of earlier walks, which they searched around."""
    known = plan.levels[BEFORE]
    return math.isfinite(known) and abs(plan.nll[BEST] - known) <= least_fall(known)


@kernel
def _list_tasks(plan: Plan) -> None:
    """List every cluster in random order with what to make of it: one merger, and some divisions in two."""
    each = 1 + SPLITS_TRIED
    n_tasks = plan.n_clusters[BEST] * each
    order = draw_permutation(plan.stream, n_tasks)
    for j in range(n_tasks):
        plan.tasks[j] = order[j]
    plan.counts[N_TASKS] = n_tasks


@kernel
def _member(plan: Plan, k: int) -> int:
    """Return a random point of a cluster."""
    return int(plan.members[plan.ends[k] + draw_integer(plan.stream, plan.home_sizes[k])])


@kernel
def _choose(plan: Plan, k: int, n_wanted: int, n_parts: int) -> int:
    """Choose a cluster, and have a point of it weighed where neighbours are wanted, too."""
    counts = plan.counts
    plan.chosen[0], counts[N_CHOSEN], counts[N_PARTS] = k, 1, n_parts
    counts[N_WANTED] = min(n_wanted, plan.n_clusters[PRESENT]) - 1
    if counts[N_WANTED] == 0:
        counts[NEXT] = CHOSEN
        return NOTHING
    counts[WEIGHED], counts[NEXT] = _member(plan, k), NEAREST
    plan.levels[N_WEIGHED] += plan.n_clusters[PRESENT]
    return WEIGH


@kernel
def _other_than_taken(plan: Plan) -> int:
    """Take the cluster that the weighed point scores best of those that are not taken; there must be one."""
    best = -1
    for k in range(plan.n_clusters[PRESENT]):
        if not math.isnan(plan.scores[k]) and (best < 0 or plan.scores[k] > plan.scores[best]):
            best = k
    plan.scores[best] = math.nan
    return best


@kernel
def _choose_neighbours(plan: Plan) -> None:
    """Choose neighbours of the first cluster among those that the weighed point scores next best.

    To merge two, the very best; else without replacement, nearer ones with higher probability: those with the shortest
    exponential waits.
    """
    counts, n_clusters = plan.counts, plan.n_clusters[PRESENT]
    for k in range(n_clusters):
        if math.isnan(plan.scores[k]):
            plan.scores[k] = -math.inf
    plan.scores[plan.chosen[0]] = math.nan
    if counts[MODE] == ONE_BY_ONE:
        plan.chosen[1], counts[N_CHOSEN] = _other_than_taken(plan), 2
        return
    n_wanted = counts[N_WANTED]
    n_near = min(n_wanted + 2, n_clusters - 1)
    near, waits = np.empty(n_near, np.int64), np.empty(n_near)
    for rank in range(n_near):
        near[rank] = _other_than_taken(plan)
        waits[rank] = -math.log1p(-draw_uniform(plan.stream)) / (n_near - rank)
    for _ in range(n_wanted):
        shortest = waits.argmin()
        plan.chosen[counts[N_CHOSEN]] = near[shortest]
        counts[N_CHOSEN] += 1
        waits[shortest] = math.inf


@kernel
def _gather(plan: Plan) -> int:
    """List the points of the chosen clusters; return how many there are."""
    n_points = 0
    for j in range(plan.counts[N_CHOSEN]):
        k = plan.chosen[j]
        for position in range(plan.ends[k], plan.ends[k + 1]):
            plan.points[n_points] = plan.members[position]
            n_points += 1
    plan.counts[N_GATHERED] = n_points
    return n_points


@kernel
def _seeds(plan: Plan, n_seeds: int) -> IntArray:
    """Draw some of the gathered points, no two the same."""
    n_points, seeds = plan.counts[N_GATHERED], np.empty(n_seeds, np.int64)
    for j in range(n_seeds):
        is_new = False
        while not is_new:
            seeds[j] = plan.points[draw_integer(plan.stream, n_points)]
            is_new = True
            for other in range(j):
                is_new = is_new and seeds[other] != seeds[j]
    return seeds


@kernel
def _scales(plan: Plan) -> FloatArray:
    """Return by how much to multiply the coordinates: by 1, or so that the gathered points have deviations of 1."""
    X, n_points = plan.coordinates, plan.counts[N_GATHERED]
    scales = np.ones(X.shape[1])
    if draw_uniform(plan.stream) < 0.5:
        return scales
    for d in range(X.shape[1]):
        mean, squares = 0.0, 0.0
        for j in range(n_points):
            mean += X[plan.points[j], d]
        mean /= n_points
        for j in range(n_points):
            squares += (X[plan.points[j], d] - mean) ** 2
        if squares > 0.0:
            scales[d] = 1.0 / math.sqrt(squares / n_points)
    return scales


@kernel
def _nearest(place: FloatArray, places: FloatArray, scales: FloatArray) -> int:
    """Return which of some places (n, C) is nearest, the first if there is a tie; −1 if all are infinitely far."""
    nearest, least = -1, math.inf
    for j in range(places.shape[0]):
        distance = 0.0
        for d in range(place.shape[0]):
            offset = (place[d] - places[j, d]) * scales[d]
            distance += offset * offset
        if distance < least:
            nearest, least = j, distance
    return nearest


@kernel
def _put_to_nearest_seed(plan: Plan, n_parts: int) -> None:
    """Divide the gathered points in work by the nearest of some of them; the parts come before all other clusters.

    Sweeps score a point in all slots up to the last open one.
    """
    X, seeds, scales = plan.coordinates, _seeds(plan, n_parts), _scales(plan)
    places = X[seeds]
    for j in range(plan.counts[N_GATHERED]):
        i = plan.points[j]
        plan.work.labels[i] = _nearest(X[i], places, scales) - n_parts


@kernel
def _refine_next(plan: Plan, most: int, until_still: int, all_are_seen: int) -> int:
    """Load the labels in work; then the gathered points are visited some times, and may join the clusters in sight."""
    counts = plan.counts
    counts[N_LOCAL], counts[MOST_LOCAL], counts[UNTIL_STILL], counts[ALL_SEEN] = 0, most, until_still, all_are_seen
    counts[NEXT] = REFINE
    return _load(plan)


@kernel
def _fail(plan: Plan) -> int:
    """End a trial without a gain."""
    plan.counts[QUIET] += 1
    plan.counts[NEXT] = END_TRIAL
    return NOTHING


@kernel
def _change_chosen(plan: Plan) -> int:
    """Merge the chosen clusters and redivide them; or heat them, where no number of parts is asked for."""
    n_points, n_chosen, n_parts = _gather(plan), plan.counts[N_CHOSEN], plan.counts[N_PARTS]
    plan.work.labels[:] = plan.partitions[PRESENT]
    if n_parts == 0:
        for j in range(n_chosen):
            for position in range(plan.ends[plan.chosen[j]], plan.ends[plan.chosen[j] + 1]):
                plan.work.labels[plan.members[position]] = j - n_chosen
        plan.levels[HEAT] = COOLEST + (HOTTEST - COOLEST) * draw_uniform(plan.stream)
        return _refine_next(plan, LOCAL_SWEEPS, 0, 0)
    n_after = plan.n_clusters[PRESENT] - n_chosen + n_parts
    if n_points < n_parts or n_after > plan.counts[MOST_CLUSTERS]:
        return _fail(plan)
    if n_parts == 1:
        for j in range(n_points):
            plan.work.labels[plan.points[j]] = -1
    else:
        _put_to_nearest_seed(plan, n_parts)
    plan.levels[HEAT] = 0.0
    return _refine_next(plan, LOCAL_SWEEPS, 1, 0)


@kernel
def _scatter(plan: Plan, k: int, n_points: int) -> int:
    """Move the gathered points, of cluster k, to the nearest of the other clusters' means in work."""
    X, labels, n_clusters = plan.coordinates, plan.work.labels, plan.n_clusters[PRESENT]
    means, sizes = cluster_centres(X, labels, np.zeros((n_clusters, X.shape[1])))
    for j in range(n_clusters):
        if j == k or sizes[j] == 0:
            means[j] = math.inf
    scales = np.ones(X.shape[1])
    for position in range(n_points):
        i = plan.points[position]
        nearest = _nearest(X[i], means, scales)
        labels[i] = labels[i] if nearest < 0 else nearest
    plan.counts[N_GATHERED], plan.levels[HEAT] = n_points, 0.0
    return _refine_next(plan, 1 if n_points > 0 else 0, 0, 1)


@kernel
def _transplant(plan: Plan) -> int:
    """Make the next cluster of the one partition a cluster of the other, in place of the one of most of its points."""
    counts, present = plan.counts, plan.partitions[PRESENT]
    source, own = plan.partitions[counts[SOURCE]], counts[SOURCE_CLUSTER]
    counts[SOURCE_CLUSTER] += 1
    counts[N_TRIALS] += 1
    shared, n_wanted = np.zeros(plan.n_clusters[PRESENT], np.int64), 0
    for i in range(source.shape[0]):
        if source[i] == own:
            shared[present[i]] += 1
            n_wanted += 1
    k, n_left = int(shared.argmax()), 0
    plan.work.labels[:] = present
    for i in range(source.shape[0]):
        if source[i] == own:
            plan.work.labels[i] = k
        elif present[i] == k:
            plan.points[n_left] = i
            n_left += 1
    if n_wanted == source.shape[0] or n_left == 0 and n_wanted == plan.home_sizes[k]:
        return _fail(plan)
    return _scatter(plan, k, n_left)


@kernel
def _refine(plan: Plan) -> int:
    """Visit the gathered points once more, or score what came of it."""
    counts, counters = plan.counts, plan.work.counters
    if counts[N_LOCAL] == 0:
        n_seen = counts[N_LOADED]
        if counts[ALL_SEEN] == 0:
            n_seen = 0
            for j in range(counts[N_GATHERED]):
                n_seen = max(n_seen, plan.work.labels[plan.points[j]] + 1)
        counters[N_OPEN], counters[N_HIDDEN] = n_seen, counts[N_LOADED] - n_seen
    is_still = counts[UNTIL_STILL] != 0 and counts[N_LOCAL] > 0 and counters[N_MOVED] == 0
    if is_still or counts[N_LOCAL] == counts[MOST_LOCAL]:
        counts[NEXT] = SETTLED
        return _close(plan)
    heat = plan.levels[HEAT] * (1.0 - counts[N_LOCAL] / LOCAL_SWEEPS)
    counts[N_LOCAL] += 1
    return _visit(plan, plan.points, counts[N_GATHERED], heat)


@kernel
def _settled(plan: Plan) -> int:
    """Sweep over all points after a change, unless it is hopeless, or led to the same partition again."""
    rise = plan.levels[NLL] - plan.nll[PRESENT]
    if not rise <= HOPELESS or abs(rise) <= least_fall(plan.nll[PRESENT]):
        return _fail(plan)
    plan.counts[N_SWEPT], plan.counts[IS_STILL] = 0, 0
    plan.counts[NEXT], plan.counts[AFTER] = DESCEND, DESCENDED
    return NOTHING


@kernel
def _descended(plan: Plan) -> int:
    """Take what the sweeps led to as the best of the walk, or perhaps as the one that is changed next."""
    counts, nll, present = plan.counts, plan.levels[NLL], plan.nll[PRESENT]
    is_first, is_still = counts[MODE] == FIRST, counts[IS_STILL] != 0
    if is_first and not is_still:
        counts[HAS_WALKED] = 1
        counts[N_VAIN] += 1
        return _begin_next(plan)
    if is_first or is_still and falls(nll, plan.nll[BEST]):
        counts[QUIET], counts[N_TASKS] = 0, -1
        _arrive(plan)
        return NOTHING
    if counts[MODE] == RANDOM and is_still and abs(nll - present) > least_fall(present):
        if nll < present - WORSE_BY * math.log1p(-draw_uniform(plan.stream)):
            _take_work(plan)
            counts[STRAYED] = 1
    return _fail(plan)


@kernel
def _confirmed(plan: Plan) -> int:
    """Take the best of all walks with its statistics fresh from the data."""
    _take_work(plan)
    _copy(plan, PRESENT, BEST)
    _copy(plan, PRESENT, OF_ALL)
    if math.isfinite(plan.levels[LOWEST]):
        plan.counts[N_EQUAL] = 1  # no start was better
    plan.levels[LOWEST], plan.counts[NEXT] = plan.nll[BEST], END_TRIAL
    return NEWS


@kernel
def _task(plan: Plan) -> int:
    """Split a cluster, or merge it with a neighbour, until neither lowers the nll."""
    counts = plan.counts
    if counts[N_TASKS] < 0:
        _list_tasks(plan)
    if counts[N_TASKS] == 0 or _is_known(plan):
        counts[TRIED], counts[QUIET], counts[MODE], counts[NEXT] = counts[ARRIVALS], 0, RANDOM, CHANGE
        return NOTHING
    counts[N_TRIALS] += 1
    counts[N_TASKS] -= 1
    k, division = divmod(plan.tasks[counts[N_TASKS]], 1 + SPLITS_TRIED)
    if division > 0:
        return _choose(plan, k, 1, 2)
    return _choose(plan, k, 2, 1) if plan.n_clusters[PRESENT] > 1 else _fail(plan)


@kernel
def _change(plan: Plan) -> int:
    """Try random changes until a number of them bring no gain."""
    counts, stream, n_clusters = plan.counts, plan.stream, plan.n_clusters[PRESENT]
    patience = max(counts[IN_VAIN] // counts[N_EQUAL], 1)
    is_done, leash = counts[QUIET] >= patience or _is_known(plan), max(patience // 3, 1)
    if counts[STRAYED] != 0 and (is_done or counts[QUIET] % leash == leash - 1):
        _return_to(plan, BEST)
        n_clusters = plan.n_clusters[PRESENT]
    if is_done:
        counts[NEXT] = BEGIN_ROUND
        return NOTHING
    counts[N_TRIALS] += 1
    draw, kind = draw_uniform(stream), 0
    while draw >= CHANGES[kind][0]:
        kind += 1
    if kind == DISSOLVED:
        if n_clusters < 2:
            return _fail(plan)
        plan.chosen[0], counts[N_CHOSEN] = draw_integer(stream, n_clusters), 1
        plan.work.labels[:] = plan.partitions[PRESENT]
        return _scatter(plan, plan.chosen[0], _gather(plan))
    n_wanted = 2 + draw_integer(stream, MOST_CHOSEN - 1) if kind == HEATED else CHANGES[kind][1]
    by_size = draw_uniform(stream) < 0.5
    first = draw_integer(stream, plan.members.shape[0] if by_size else n_clusters)
    k = plan.partitions[PRESENT][first] if by_size else first
    return _choose(plan, k, n_wanted, CHANGES[kind][2])


@kernel
def _end_walk(plan: Plan) -> int:
    """Count a walk that has ended, after its best partition was combined with that of the walks before."""
    counts, levels = plan.counts, plan.levels
    counts[HAS_WALKED] = 1
    counts[AGREES] = 0 if falls(levels[LOWEST], plan.nll[BEST]) else 1
    is_same = counts[AGREES] != 0 and levels[LOWEST] == levels[BEFORE]
    if not math.isfinite(levels[BEFORE]) or is_same:
        return _finish_walk(plan)
    _copy(plan, BEST, OTHER)
    counts[MODE] = RECOMBINING
    return _recombine(plan, ONE, OTHER)


@kernel
def _recombine(plan: Plan, target: int, source: int) -> int:
    """Try every cluster of one of two walks' best partitions in the other one."""
    _copy(plan, target, BEST)
    _return_to(plan, target)
    plan.counts[SOURCE], plan.counts[SOURCE_CLUSTER], plan.counts[NEXT] = source, 0, TRANSPLANT
    return NOTHING


@kernel
def _transplant_next(plan: Plan) -> int:
    """Try the next cluster of a walk's best partition in that of another one, then the other way round."""
    source = plan.counts[SOURCE]
    if plan.counts[SOURCE_CLUSTER] < plan.n_clusters[source]:
        return _transplant(plan)
    return _recombine(plan, OTHER, ONE) if source == OTHER else _finish_walk(plan)


@kernel
def _finish_walk(plan: Plan) -> int:
    """Count how many walks agree, and how many have been in vain."""
    counts, lowest, before = plan.counts, plan.levels[LOWEST], plan.levels[BEFORE]
    gained = lowest < before if math.isfinite(before) else counts[N_EQUAL] == 1
    counts[N_AGREE] = 1 if gained else counts[N_AGREE] + counts[AGREES]
    counts[N_VAIN] = 0 if gained else counts[N_VAIN] + 1
    return _begin_next(plan)


@kernel
def _begin_next(plan: Plan) -> int:
    """Go on at the next origin, unless the search is over."""
    plan.counts[ORIGIN] = (plan.counts[ORIGIN] + 1) % plan.origins.shape[0]
    plan.counts[NEXT] = BEGIN_WALK
    return OVER if is_over(plan) else NOTHING


@kernel
def _begin_walk(plan: Plan) -> int:
    """Sweep from an origin until no point moves."""
    counts, levels = plan.counts, plan.levels
    levels[BEFORE] = levels[LOWEST]
    _copy(plan, OF_ALL, ONE)
    plan.work.labels[:] = plan.origins[counts[ORIGIN]]
    counts[MODE], counts[TRIED], counts[NEXT], counts[AFTER] = FIRST, -1, DESCEND, DESCENDED
    return _load(plan)


@kernel
def _begin_round(plan: Plan) -> int:
    """Try every cluster, then random changes, again and again while these bring gains."""
    counts = plan.counts
    ends = counts[TRIED] == counts[ARRIVALS] or _is_known(plan)
    counts[MODE], counts[N_TASKS], counts[NEXT] = ONE_BY_ONE, -1, END_WALK if ends else TASK
    return NOTHING


@kernel
def _confirm(plan: Plan) -> int:
    """Sweep over the best of all walks with its statistics fresh from the data."""
    plan.work.labels[:] = plan.partitions[BEST]
    plan.counts[NEXT], plan.counts[AFTER] = DESCEND, CONFIRMED
    return _load(plan)


@kernel
def _end_trial(plan: Plan) -> int:
    """Go on as the part of the search does in which the trial was."""
    mode = plan.counts[MODE]
    after = TRANSPLANT
    if mode == FIRST:
        after = BEGIN_ROUND
    elif mode == ONE_BY_ONE:
        after = TASK
    elif mode == RANDOM:
        after = CHANGE
    plan.counts[NEXT] = after
    return OVER if is_over(plan) else NOTHING


@kernel
def next_instruction(plan: Plan) -> int:
    """Go on with the search up to where statistics of clusters are needed; return what is to be done with them.

    Called again after :data:`OVER`, with a larger budget, it goes on.
    """
    instruction = NOTHING
    while instruction == NOTHING:
        step = plan.counts[NEXT]
        if step == REFINE:
            instruction = _refine(plan)
        elif step == DESCEND:
            instruction = _descend(plan, plan.counts[AFTER])
        elif step == SETTLED:
            instruction = _settled(plan)
        elif step == DESCENDED:
            instruction = _descended(plan)
        elif step == NEAREST:
            _choose_neighbours(plan)
            plan.counts[NEXT] = CHOSEN
        elif step == CHOSEN:
            instruction = _change_chosen(plan)
        elif step == CHANGE:
            instruction = _change(plan)
        elif step == TASK:
            instruction = _task(plan)
        elif step == END_TRIAL:
            instruction = _end_trial(plan)
        elif step == TRANSPLANT:
            instruction = _transplant_next(plan)
        elif step == CONFIRM:
            instruction = _confirm(plan)
        elif step == CONFIRMED:
            instruction = _confirmed(plan)
        elif step == BEGIN_ROUND:
            instruction = _begin_round(plan)
        elif step == END_WALK:
            instruction = _end_walk(plan)
        else:
            instruction = _begin_walk(plan)
    return instruction
