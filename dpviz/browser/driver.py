"""Whole runs from flat arrays: what :func:`dpviz.run` does for a configuration that leaves nothing to choose.

Nothing but kernels is called, and no text, dictionary or exception is used, so that it can be compiled for places
without Python. Slots are as many as points, so no state ever has to grow.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import ROOM, borrowed, forget, keep, kept, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.layout import (
    ALGORITHM,
    AUTO,
    BEGINS,
    BURN_IN,
    CENTRES,
    CHINESE,
    CHOSEN,
    CONCENTRATION,
    GIBBS,
    HAS_CONVERGED,
    IS_IMPROVED,
    IS_OVER,
    KEPT,
    LABELS,
    LATEST,
    LAW_OF_CONCENTRATION,
    LAW_OF_SECOND,
    LEARNED,
    MAX_SWEEPS,
    N_POINTS,
    N_ROW,
    N_ROWS,
    N_SIZES,
    N_STARTS,
    NLL,
    OBJECTIVE,
    ONE_POINT,
    OPERATIONS,
    ORDER,
    PARTITION,
    PERMUTED,
    SCORE,
    SEARCHES,
    SECOND,
    SEED,
    SEQUENTIAL,
    SHARE,
    SHUFFLED,
    SINGLE,
    SPLIT_MERGE,
    STAGE,
    START,
    STARTING,
    TEMPERATURE,
    THIN,
    UNTIL_BIRTH,
    WRITING,
)
from dpviz.browser.models import (
    Model,
    centred_coordinates,
    first_of_growth,
    model_of,
    most_clusters,
    penalty_of,
    placed_by,
    points_of,
    present_model,
    restaurant_of,
    starting_centres,
    starting_clusters,
)
from dpviz.browser.searching import Ends, no_ends, note_end, plan_of, searches
from dpviz.engine.initialise import AUTO_SINGLES, auto_clusters, seat
from dpviz.engine.kernels.collapsed_sweep import (
    N_BORN,
    N_DIED,
    N_MOVED,
    N_OPEN,
    STARTING_SLOT,
    Clusters,
    Visits,
    close_ranks,
    clusters_of,
    collapsed_sweep,
    evaluate,
    is_lower,
    log_probability,
)
from dpviz.engine.kernels.hard import (
    HardClusters,
    HardRule,
    SweepCounts,
    assigned_to_nearest,
    cluster_centres,
    hard_clusters,
    hard_objective,
    hard_sweep,
)
from dpviz.engine.kernels.matching import moves_between
from dpviz.engine.kernels.search import advance
from dpviz.engine.kernels.search_plan import HOME_IS_OLD, LOWEST, NEWS, OF_ALL, OVER, Plan, share, spent
from dpviz.engine.kernels.seeding import centres_at, labels_at
from dpviz.engine.kernels.split_merge import propose_splits_and_merges
from dpviz.families.gaussian.placing import dividing
from dpviz.numerics.stream import StreamArray, draw_permutation, draw_uniforms, seeded_stream
from dpviz.numerics.sums import column_means
from dpviz.partition._kernels import log_probability_of
from dpviz.partition._learning_kernels import (
    KIND,
    OF_GAMMA,
    ORIGIN,
    TRIED,
    begun_slice,
    draw_concentration,
    free_bounds,
    free_log_density,
    free_spread,
    from_free,
    slice_goes_on,
    to_free,
)

SmallArray = NDArray[np.int32]
assert KEPT >= 2 * ROOM


class Record(NamedTuple):
    """What a start fills; see :mod:`layout`. That of a run has one of these, or two halves, along a first axis.

    Attributes
    ----------
    labels : int32 array (T + 1, N)
    rows : ndarray (T + 1, len(ROW))
    """

    labels: SmallArray
    rows: FloatArray


class Started(NamedTuple):
    """A start of collapsed sweeps between two of these.

    Attributes
    ----------
    clusters : Clusters
    order : ndarray (N,)
        Visiting order of every sweep that does not draw its own.
    present : ndarray (len(SETTINGS),)
        The settings, with the parameters that were drawn last.
    reached : ndarray (3,)
        Its row, the lowest score that counts, and whether it has converged.
    stream : ndarray (6,)
    """

    clusters: Clusters
    order: IntArray
    present: FloatArray
    reached: FloatArray
    stream: StreamArray


AT, LOWEST_KEPT, CONVERGED = range(3)


class Job(NamedTuple):
    """What a run has from its beginning to its end.

    Attributes
    ----------
    settings, values : ndarray
    state, X
        Of the family, in working coordinates.
    coordinates : ndarray (N, D)
        The data as starts measure distances in them.
    model : Model
        That starts begin with.
    ends : Ends
    """

    settings: FloatArray
    values: FloatArray
    state: Any
    X: FloatArray
    coordinates: FloatArray
    model: Model
    ends: Ends


@kernel
def _draw_parameter(
    settings: FloatArray, values: FloatArray, sizes: IntArray, place: int, parameter: int, stream: StreamArray
) -> int:
    """Replace a parameter by a draw, if its law is given."""
    if math.isnan(settings[place]):
        return 0
    law = settings[place : place + ORIGIN + 1]
    if int(settings[PARTITION]) == CHINESE and law[KIND] == OF_GAMMA and math.isnan(law[ORIGIN]):
        settings[parameter] = draw_concentration(settings[parameter], law, sizes, stream)
        return 0
    low, high = free_bounds(law)
    step = begun_slice(min(max(to_free(law, settings[parameter]), low), high), free_spread(law), low, high)
    goes_on = True
    while goes_on:
        settings[parameter] = from_free(law, step[TRIED])
        log_density = free_log_density(law, step[TRIED]) + log_probability_of(restaurant_of(settings, values), sizes)
        goes_on = slice_goes_on(step, log_density, stream)
    return 0


@kernel
def draw_hyperparameters(settings: FloatArray, values: FloatArray, sizes: IntArray, stream: StreamArray) -> int:
    """Replace the learned parameters in the settings by draws given a partition with these sizes (K,)."""
    _draw_parameter(settings, values, sizes, LAW_OF_CONCENTRATION, CONCENTRATION, stream)
    _draw_parameter(settings, values, sizes, LAW_OF_SECOND, SECOND, stream)
    return 0


@kernel
def learns(settings: FloatArray) -> bool:
    """Whether a chain draws hyperparameters."""
    return not (math.isnan(settings[LAW_OF_CONCENTRATION]) and math.isnan(settings[LAW_OF_SECOND]))


@kernel
def record_of(settings: FloatArray, labels: SmallArray, rows: FloatArray) -> Record:
    """Return flat arrays as the record of a run, whose halves are as long as a start can be."""
    n_rows = int(settings[MAX_SWEEPS]) + 1
    return Record(labels.reshape((-1, n_rows, int(settings[N_POINTS]))), rows.reshape((-1, n_rows, N_ROW)))


@kernel
def half_of(record: Record, half: float) -> Record:
    """Return a half of a record."""
    return Record(record.labels[int(half)], record.rows[int(half)])


@kernel
def _starting_labels(
    settings: FloatArray, values: FloatArray, coordinates: FloatArray, start: int, stream: StreamArray
) -> IntArray:
    """Return the labels (N,) of all starts but sequential ones; given ones follow data and hyperparameters."""
    kind = int(settings[START])
    if kind == LABELS:
        end = first_of_growth(settings)
        return values[end - int(settings[N_POINTS]) : end].astype(np.int64)
    n_clusters = automatic_clusters(settings, start) if kind == AUTO else starting_clusters(settings, values)
    return labels_at(coordinates, kind, n_clusters, stream)


@kernel
def _lower(settings: FloatArray, record: Record, row: int, lowest: float) -> float:
    """Return the lowest score that counts for the choice between starts, the state in ``row`` included.

    Of a chain these are its kept draws, of MAP-DP at a temperature all states; else the last counts.
    """
    past, is_chain = row - settings[BURN_IN], int(settings[ALGORITHM]) == GIBBS
    counts = past > 0.0 and past % settings[THIN] == 0.0 if is_chain else settings[TEMPERATURE] != 0.0
    return min(lowest, record.rows[row, NLL]) if counts else lowest


@kernel
def _write(record: Record, row: int, clusters: Clusters, model: Model, present: FloatArray, totals: FloatArray) -> None:
    """Record a state of which a family's part of both scores is known, as :func:`evaluate` fills it."""
    labels, sizes, _, counters = clusters
    n_clusters, numbers = counters[N_OPEN], record.rows[row]
    log_prior, shift = log_probability(model.law, sizes[:n_clusters]), labels.shape[0] * model.log_jacobian
    record.labels[row] = labels
    numbers[: N_DIED + 1] = counters[: N_DIED + 1]  # N_OPEN comes first
    numbers[NLL], numbers[OBJECTIVE] = -(log_prior + totals[0] + shift), -(log_prior + totals[1] + shift)
    numbers[N_SIZES], numbers[LEARNED], numbers[LEARNED + 1] = n_clusters, present[CONCENTRATION], present[SECOND]


@kernel
def _score_state(
    state: Any, X: FloatArray, clusters: Clusters, model: Model, present: FloatArray, record: Record, row: int
) -> None:
    """Rebuild the statistics, score the state and record it, with the ``present`` parameters of the partition prior."""
    labels, sizes, _, counters = clusters
    totals, pending, in_new = np.empty(2), np.empty(X.shape[0], np.int64), model.weights.log_prior_predictive
    evaluate(state, X, labels, sizes, counters[N_OPEN], in_new, pending, totals)
    _write(record, row, clusters, model, present, totals)


@kernel
def automatic_clusters(settings: FloatArray, start: int) -> int:
    """Return the number of clusters of K-means from which an automatic start begins; 0 if it begins with one."""
    n_starts = int(settings[N_STARTS])
    counts = auto_clusters(int(settings[N_POINTS]), most_clusters(settings), n_starts - AUTO_SINGLES)
    place = start - (n_starts - counts.shape[0])
    return int(counts[place]) if place >= 0 else 0


@kernel
def weighs_one_point(settings: FloatArray, start: int) -> bool:
    """Whether the first sweep sees the one cluster with the weight of a single point (2016 App. B)."""
    kind = int(settings[START])
    is_single = kind == SINGLE or kind == AUTO and automatic_clusters(settings, start) == 0
    return bool(is_single and settings[ONE_POINT] != 0.0)


@kernel
def _seated(state: Any, X: FloatArray, model: Model, order: IntArray, heat: float, stream: StreamArray) -> IntArray:
    """Return the labels (N,) of a sequential start."""
    n_points = X.shape[0]
    uniforms, labels = draw_uniforms(stream, n_points), np.full(n_points, -1)
    sizes, weights = np.zeros(n_points + 2, np.int64), model.weights
    seat(state, X, labels, sizes, order, 0, weights.log_join, weights.log_open, heat, uniforms)
    return labels


@kernel
def begun_start(job: Job, start: int, record: Record) -> Started:
    """Record what a start begins with, and return it."""
    settings, values, state, X, coordinates, model, _ = borrowed(job)
    n_points, stream = X.shape[0], seeded_stream(int(settings[SEED]), start)
    order = draw_permutation(stream, n_points) if int(settings[ORDER]) == PERMUTED else np.arange(n_points)
    first = draw_permutation(stream, n_points) if int(settings[ORDER]) == SHUFFLED else order
    if int(settings[START]) == SEQUENTIAL:
        labels = _seated(state, X, model, first, inverse_of(settings[TEMPERATURE]), stream)
    else:
        labels = _starting_labels(settings, values, coordinates, start, stream)
    clusters = clusters_of(labels)
    if weighs_one_point(settings, start):
        clusters.counters[STARTING_SLOT] = 0
    started = Started(clusters, order, settings.copy(), np.zeros(3), stream)
    _score_state(state, X, clusters, model, started.present, record, 0)
    started.reached[LOWEST_KEPT] = _lower(settings, record, 0, math.inf)
    return started


@kernel
def goes_on(settings: FloatArray, started: Started) -> bool:
    """Whether a start has another sweep."""
    return bool(started.reached[AT] < settings[MAX_SWEEPS] and started.reached[CONVERGED] == 0.0)


@kernel
def next_sweep(job: Job, model: Model, started: Started, record: Record, events: IntArray) -> Model:
    """Do and record the next sweep of a start, and its visits in ``events`` (N, 3) or (0, 3); return its model then."""
    settings, values, state, X, _, _, _ = borrowed(job)
    clusters, order, present, reached, stream = borrowed(started)
    counters, temperature, row = clusters.counters, settings[TEMPERATURE], int(reached[AT]) + 1
    if int(settings[ORDER]) == SHUFFLED:
        order = draw_permutation(stream, X.shape[0])
    uniforms = draw_uniforms(stream, X.shape[0] if temperature != 0.0 else 0)
    counters[N_MOVED] = counters[N_BORN] = counters[N_DIED] = 0
    collapsed_sweep(
        state, X, clusters, model.weights, Visits(order, uniforms, inverse_of(temperature), events), 0, False
    )
    counters[STARTING_SLOT] = -1
    close_ranks(clusters.labels, clusters.sizes, clusters.active, counters[N_OPEN])
    n_proposals = int(settings[SPLIT_MERGE])
    propose_splits_and_merges(state, X, clusters, model.weights.log_join, model.law, n_proposals, stream)
    if learns(settings):
        draw_hyperparameters(present, values, clusters.sizes[: counters[N_OPEN]], stream)
        model = present_model(model, present, values)
    _score_state(state, X, clusters, model, present, record, row)
    lowest = _lower(settings, record, row, reached[LOWEST_KEPT])
    reached[AT], reached[LOWEST_KEPT], reached[CONVERGED] = row, lowest, temperature == 0.0 and counters[N_MOVED] == 0
    return model


@kernel
def inverse_of(temperature: float) -> float:
    """Return the inverse temperature, which is 0 at temperature 0."""
    return 0.0 if temperature == 0.0 else 1.0 / temperature


@kernel
def _note_start(summary: FloatArray, start: int, n_rows: int, score: float, converged: float) -> None:
    """Note how a start has ended; if it is the best so far, the next is written to the other half."""
    if start == 0 or is_lower(score, summary[SCORE]):
        summary[N_ROWS], summary[CHOSEN], summary[HAS_CONVERGED], summary[SCORE] = n_rows, start, converged, score
        summary[WRITING] = 1.0 - summary[WRITING]


@kernel
def begun(family: Any, settings: FloatArray, values: FloatArray) -> Job:
    """Return what a run begins with."""
    n_points, is_searched = int(settings[N_POINTS]), searches(settings)
    coordinates = centred_coordinates(points_of(settings, values))[0]
    state, X, log_jacobian, _ = placed_by(family, settings, values, 2 if is_searched else 1)
    model = model_of(state, X, settings, values, log_jacobian)
    ends = no_ends(int(settings[N_STARTS]), n_points if is_searched else 0)
    return Job(settings, values, state, X, coordinates, model, ends)


@kernel
def _sweep_on(job: Job, record: Record, place: FloatArray, most: float) -> float:
    """Go on with the present start; return how many of the operations are left, more than 0 if it has ended."""
    started, settings = kept(place, begun_start, (job, 0, record)), job.settings
    model, no_events = job.model, np.empty((0, 3), np.int64)
    if learns(settings):
        model = present_model(model, started.present, job.values)
    while most > 0.0 and goes_on(settings, started):
        model = next_sweep(job, model, started, record, no_events)
        most -= job.X.shape[0] * (started.clusters.counters[N_OPEN] + 1) * settings[OPERATIONS]
    return most


@kernel
def _end_start(job: Job, record: Record, summary: FloatArray, place: FloatArray) -> None:
    """Note how the present start has ended, and begin what comes next."""
    settings, own, start = job.settings, half_of(record, summary[WRITING]), int(summary[LATEST])
    reached = kept(place, begun_start, (job, 0, own)).reached
    last, score = int(reached[AT]), reached[LOWEST_KEPT]
    if not math.isfinite(score):
        score = own.rows[last, NLL]
    if reached[CONVERGED] != 0.0 and searches(settings):
        note_end(job.ends, own.labels[last].astype(np.int64), score)
    _note_start(summary, start, last + 1, score, reached[CONVERGED])
    is_last = start + 1 == int(settings[N_STARTS])
    if is_last and not (searches(settings) and summary[HAS_CONVERGED] != 0.0):
        summary[IS_OVER] = 1.0
        return
    forget(place, begun_start, (job, 0, own))
    if is_last:
        keep(place, plan_of(settings, dividing(job.state, job.X, points_of(settings, job.values)), job.ends))
        summary[STAGE] = SEARCHES
    else:
        keep(place, begun_start(job, start + 1, half_of(record, summary[WRITING])))
        summary[LATEST] = start + 1


@kernel
def _search_on(job: Job, record: Record, summary: FloatArray, plan: Plan, most: float) -> None:
    """Continue the best start by a slice of a search, as :func:`dpviz.engine.improve.improvements` does."""
    settings, _, state, X, _, model, _ = borrowed(job)
    row, is_first = int(summary[N_ROWS]), math.isinf(plan.levels[LOWEST])
    found = advance(state, X, model.weights, model.law, X.shape[0] * model.log_jacobian, plan, most, 0)
    summary[SHARE] = max(summary[SHARE], share(plan))
    if found == OVER or row >= int(settings[MAX_SWEEPS]):
        summary[IS_OVER] = 1.0
        if summary[IS_IMPROVED] != 0.0:  # the sweep that ended the last improvement: it moved no point
            last = clusters_of(record.labels[row - 1].astype(np.int64))
            _score_state(state, X, last, model, settings, record, row)
            summary[N_ROWS] = row + 1
    elif found == NEWS and not is_first:
        clusters = clusters_of(plan.partitions[OF_ALL].copy())
        moves = moves_between(record.labels[row - 1].astype(np.int64), clusters.labels)
        clusters.counters[N_MOVED], clusters.counters[N_BORN], clusters.counters[N_DIED] = moves
        _score_state(state, X, clusters, model, settings, record, row)
        plan.counts[HOME_IS_OLD] = 1
        summary[N_ROWS], summary[IS_IMPROVED], summary[SCORE] = row + 1, 1.0, record.rows[row, NLL]


@kernel
def hard_rule(settings: FloatArray, scale: float) -> HardRule:
    """Return what sweeps in centred coordinates do."""
    penalty = penalty_of(settings) / scale**2
    return HardRule(penalty, math.isinf(penalty), math.isfinite(penalty) and settings[UNTIL_BIRTH] != 0.0)


@kernel
def _hard_beginning(
    settings: FloatArray, values: FloatArray, X: FloatArray, scale: float, rule: HardRule, stream: StreamArray
) -> HardClusters:
    """Return the clusters that a start begins with."""
    start = int(settings[START])
    if not rule.keeps_empty or start == LABELS:
        labels = _starting_labels(settings, values, X, 0, stream)
        return hard_clusters(X, labels, cluster_centres(X, labels, np.zeros((labels.max() + 1, X.shape[1])))[0])
    if start == CENTRES:
        centres = (starting_centres(settings, values) - column_means(points_of(settings, values))) / scale
    else:
        centres = centres_at(X, start, starting_clusters(settings, values), stream)
    clusters = hard_clusters(X, assigned_to_nearest(X, centres), centres)
    moved: HardClusters = hard_sweep(X, np.arange(X.shape[0]), clusters, rule)[0]  # moves only the centres
    return moved


@kernel
def _write_hard(record: Record, row: int, clusters: HardClusters, counts: SweepCounts, objective: float) -> None:
    """Record a state of hard sweeps."""
    record.labels[row], numbers = clusters.labels, record.rows[row]
    numbers[:] = math.nan
    numbers[0], numbers[OBJECTIVE] = np.count_nonzero(clusters.sizes), objective
    numbers[N_MOVED], numbers[N_BORN], numbers[N_DIED] = counts.n_moved, counts.n_born, counts.n_died
    numbers[N_SIZES] = clusters.sizes.shape[0]


@kernel
def hard_start(
    settings: FloatArray,
    values: FloatArray,
    X: FloatArray,
    scale: float,
    start: int,
    record: Record,
    seen: IntArray,
) -> Any:
    """Run one start of K-means or DP-means in centred coordinates X (N, D).

    Return its number of rows, its objective, and whether it converged; ``seen`` (N,) or (0,) is filled with the
    visiting order of its last sweep.
    """
    n_points, stream = X.shape[0], seeded_stream(int(settings[SEED]), start)
    order, rule = np.arange(n_points), hard_rule(settings, scale)
    if int(settings[ORDER]) == PERMUTED:
        order = draw_permutation(stream, n_points)
    clusters, counts = _hard_beginning(settings, values, X, scale, rule, stream), SweepCounts(0, 0, 0, math.inf)
    row, converged = 0, False
    while True:
        objective = hard_objective(X, clusters, rule) * scale**2
        _write_hard(record, row, clusters, counts, objective)
        if converged or row == int(settings[MAX_SWEEPS]):
            return row + 1, objective, converged
        if int(settings[ORDER]) == SHUFFLED:
            order = draw_permutation(stream, n_points)
        if seen.shape[0] > 0:
            seen[:] = order
        clusters, counts = hard_sweep(X, order, clusters, rule)
        row, converged = row + 1, counts.n_moved == 0 and counts.largest_shift == 0.0


@kernel
def run(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    rows: FloatArray,
    summary: FloatArray,
    place: FloatArray,
    most: float,
) -> int:
    """Run a configuration, or go on with a run, and record its best start.

    Parameters
    ----------
    family : NamedTuple
        Tells by its type which family; it holds nothing.
    settings : ndarray (len(SETTINGS),)
    values : ndarray (N D + D + 2 + 2 D² + N + N + K D,)
        Data, hyperparameters, starting labels, ln g of a generalised restaurant from 1 on, and starting centres of
        K-means if they are given; what is not used may be anything.
    labels : int32 array (H (T + 1) N,)
        Filled row by row, T the most sweeps, in one half of H = 2 if there are several starts; else H is 1.
    rows : ndarray (H (T + 1) len(ROW),)
    summary : ndarray (len(SUMMARY),)
        Zeros at first.
    place : ndarray (KEPT,)
        Where the run is kept until the next call, with the same arrays.
    most : float
        Operations, after some more of which it pauses; below 0 it is given up, and nothing is kept.

    Returns
    -------
    int
        1 if it goes on, 0 if it is over.
    """
    record, second = record_of(settings, labels, rows), place[ROOM:]
    if summary[STAGE] == BEGINS:
        first = begun(family, settings, values)
        keep(place, first)
        keep(second, begun_start(first, 0, half_of(record, 0.0)))
        summary[STAGE] = STARTING
    job, left = kept(place, begun, (family, settings, values)), most
    while left > 0.0 and summary[IS_OVER] == 0.0:
        if summary[STAGE] == STARTING:
            left = _sweep_on(job, half_of(record, summary[WRITING]), second, left)
            if left > 0.0:
                _end_start(job, record, summary, second)
        else:
            plan = kept(second, plan_of, (settings, job.X, job.ends))
            before = spent(plan)
            _search_on(job, half_of(record, 1.0 - summary[WRITING]), summary, plan, left)
            left -= spent(plan) - before
    if summary[IS_OVER] == 0.0 and most >= 0.0:
        return 1
    if summary[STAGE] == STARTING:
        forget(second, begun_start, (job, 0, half_of(record, 0.0)))
    else:
        forget(second, plan_of, (settings, job.X, job.ends))
    forget(place, begun, (family, settings, values))
    return 0


@kernel
def run_centres(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    rows: FloatArray,
    summary: FloatArray,
    place: FloatArray,
    most: float,
) -> int:
    """Do the same for K-means and DP-means, which are soon over."""
    X, scale = centred_coordinates(points_of(settings, values))
    record, unseen = record_of(settings, labels, rows), np.empty(0, np.int64)
    for start in range(int(settings[N_STARTS])):
        own = half_of(record, summary[WRITING])
        n_rows, score, converged = hard_start(settings, values, X, scale, start, own, unseen)
        _note_start(summary, start, n_rows, score, converged)
    return 0
