"""Whole runs from flat arrays: what :func:`dpviz.run` does for a configuration that leaves nothing to choose.

Nothing but kernels is called, and no text, dictionary or exception is used, so that it can be compiled for places
without Python. Slots are as many as points, so no state ever has to grow.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.layout import (
    ALGORITHM,
    AUTO,
    BURN_IN,
    CENTRES,
    CHINESE,
    CHOICE,
    CONCENTRATION,
    DRAWS,
    KMEANS,
    LABELS,
    LAW_OF_CONCENTRATION,
    LAW_OF_SECOND,
    MAX_SWEEPS,
    N_POINTS,
    N_ROW,
    N_STARTS,
    ONE_POINT,
    ORDER,
    PARTITION,
    PENALTY,
    PERMUTED,
    PRESENT,
    SECOND,
    SEED,
    SEQUENTIAL,
    SHUFFLED,
    SINGLE,
    SPLIT_MERGE,
    START,
    STATES,
    TEMPERATURE,
    THIN,
    UNTIL_BIRTH,
)
from dpviz.browser.models import (
    Tables,
    centred_coordinates,
    first_of_tables,
    most_clusters,
    partition_of,
    placed_by,
    points_of,
    restaurant_of,
    starting_centres,
    starting_clusters,
)
from dpviz.browser.searching import Ends, no_ends, note_end, plan_of, searches
from dpviz.engine.initialise import AUTO_SINGLES, auto_clusters, seat
from dpviz.engine.kernels.collapsed_sweep import (
    N_BORN,
    N_COUNTERS,
    N_DIED,
    N_MOVED,
    N_OPEN,
    STARTING_SLOT,
    Clusters,
    PartitionLaw,
    Visits,
    Weights,
    close_ranks,
    collapsed_sweep,
    evaluate,
    is_lower,
    log_probability,
    prior_predictives,
    renumber,
)
from dpviz.engine.kernels.hard import (
    HardClusters,
    HardRule,
    assigned_to_nearest,
    cluster_centres,
    hard_clusters,
    hard_sweep,
    run_empty_and_filled,
    sum_of_squares,
)
from dpviz.engine.kernels.matching import most_matched
from dpviz.engine.kernels.search import advance
from dpviz.engine.kernels.search_plan import HOME_IS_OLD, LOWEST, NEWS, OF_ALL, OVER, PAUSED
from dpviz.engine.kernels.seeding import centres_at, labels_at
from dpviz.engine.kernels.split_merge import propose_splits_and_merges
from dpviz.numerics.stream import (
    StreamArray,
    draw_permutation,
    draw_uniforms,
    seeded_stream,
)
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


class Record(NamedTuple):
    """What a run fills; see :mod:`layout`.

    Attributes
    ----------
    labels : int32 array ((T + 1) N,)
    sizes : int32 array ((T + 1) N,)
    rows : ndarray ((T + 1) len(ROW),)
    """

    labels: SmallArray
    sizes: SmallArray
    rows: FloatArray


class Watched(NamedTuple):
    """A sweep whose visits are recorded.

    Attributes
    ----------
    sweep : int
        0 for none.
    events : ndarray (N, 3) or (0, 3)
        Filled with (point, from, to) of a collapsed sweep; of a hard one with the points in visiting order.
    """

    sweep: int
    events: IntArray


class Model(NamedTuple):
    """What every start of collapsed sweeps shares.

    Attributes
    ----------
    weights : Weights
    law : PartitionLaw
    log_jacobian : float
    """

    weights: Weights
    law: PartitionLaw
    log_jacobian: float


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
def _write(record: Record, row: int, labels: IntArray, sizes: IntArray, numbers: FloatArray) -> None:
    """Record a state: labels (N,), sizes (K,), and the first six numbers of its row."""
    n_points, first = labels.shape[0], 0
    if row > 0:
        before = (row - 1) * N_ROW
        first = int(record.rows[before + 6] + record.rows[before + 7])
    record.labels[row * n_points : (row + 1) * n_points] = labels
    record.sizes[first : first + sizes.shape[0]] = sizes
    record.rows[row * N_ROW : row * N_ROW + 6] = numbers
    record.rows[row * N_ROW + 6], record.rows[row * N_ROW + 7] = sizes.shape[0], first
    record.rows[row * N_ROW + PRESENT] = record.rows[row * N_ROW + PRESENT + 1] = math.nan


@kernel
def _given_labels(settings: FloatArray, values: FloatArray) -> IntArray:
    """Return the starting labels (N,) that follow data and hyperparameters."""
    end = first_of_tables(settings)
    labels = values[end - int(settings[N_POINTS]) : end].astype(np.int64)
    renumber(labels)
    return labels


@kernel
def _starting_labels(
    settings: FloatArray, values: FloatArray, coordinates: FloatArray, n_clusters: int, stream: StreamArray
) -> IntArray:
    """Return the labels (N,) of all starts but sequential ones."""
    if int(settings[START]) == LABELS:
        return _given_labels(settings, values)
    return labels_at(coordinates, int(settings[START]), n_clusters, stream)


@kernel
def _kept_score(settings: FloatArray, record: Record, row: int, column: int, lowest: float) -> float:
    """Return the lowest score that counts for the choice between starts, the state in ``row`` included."""
    choice, sweep = int(settings[CHOICE]), row
    counts = choice == STATES
    if choice == DRAWS:
        burn_in = int(settings[BURN_IN])
        counts = sweep > burn_in and (sweep - burn_in) % int(settings[THIN]) == 0
    return min(lowest, record.rows[row * N_ROW + column]) if counts else lowest


@kernel
def _score_state(
    state: Any,
    X: FloatArray,
    clusters: Clusters,
    model: Model,
    present: FloatArray,
    record: Record,
    row: int,
    pending: IntArray,
) -> None:
    """Rebuild the statistics, score the state and record it, with the ``present`` parameters of the partition prior."""
    labels, sizes, _, counters = clusters
    n_clusters, totals, numbers = counters[N_OPEN], np.empty(2), np.empty(6)
    evaluate(state, X, labels, sizes, n_clusters, model.weights.log_prior_predictive, pending, totals)
    log_prior, shift = log_probability(model.law, sizes[:n_clusters]), X.shape[0] * model.log_jacobian
    numbers[0] = n_clusters
    numbers[1], numbers[2], numbers[3] = counters[N_MOVED], counters[N_BORN], counters[N_DIED]
    numbers[4], numbers[5] = -(log_prior + totals[0] + shift), -(log_prior + totals[1] + shift)
    _write(record, row, labels, sizes[:n_clusters], numbers)
    record.rows[row * N_ROW + PRESENT] = present[CONCENTRATION]
    record.rows[row * N_ROW + PRESENT + 1] = present[SECOND]


@kernel
def clusters_of(labels: IntArray) -> Clusters:
    """Return the partition with a slot per point, and a last one for scratch."""
    n_points = labels.shape[0]
    sizes, active, counters = np.zeros(n_points + 1, np.int64), np.arange(n_points + 1), np.zeros(N_COUNTERS, np.int64)
    n_clusters = 0
    for i in range(n_points):
        sizes[labels[i]] += 1
        n_clusters = max(n_clusters, labels[i] + 1)
    counters[N_OPEN], counters[STARTING_SLOT] = n_clusters, -1
    return Clusters(labels, sizes, active, counters)


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
def unwatched() -> Watched:
    """Return no sweep."""
    return Watched(0, np.empty((0, 3), np.int64))


@kernel
def _seated(state: Any, X: FloatArray, model: Model, order: IntArray, heat: float, stream: StreamArray) -> IntArray:
    """Return the labels (N,) of a sequential start."""
    n_points = X.shape[0]
    uniforms, labels = draw_uniforms(stream, n_points), np.full(n_points, -1)
    sizes, weights = np.zeros(n_points + 2, np.int64), model.weights
    seat(state, X, labels, sizes, order, 0, weights.log_join, weights.log_open, heat, uniforms)
    return labels


@kernel
def collapsed_start(
    state: Any,
    X: FloatArray,
    settings: FloatArray,
    values: FloatArray,
    coordinates: FloatArray,
    model: Model,
    start: int,
    record: Record,
    watched: Watched,
) -> Any:
    """Run one start; return its number of rows, its score, and whether it converged."""
    n_points, stream = X.shape[0], seeded_stream(int(settings[SEED]), start)
    temperature, shuffled = settings[TEMPERATURE], int(settings[ORDER]) == SHUFFLED
    inverse_temperature = 0.0 if temperature == 0.0 else 1.0 / temperature
    order = draw_permutation(stream, n_points) if int(settings[ORDER]) == PERMUTED else np.arange(n_points)
    first = draw_permutation(stream, n_points) if shuffled else order
    if int(settings[START]) == SEQUENTIAL:
        labels = _seated(state, X, model, first, inverse_temperature, stream)
    else:
        automatic = int(settings[START]) == AUTO
        n_clusters = automatic_clusters(settings, start) if automatic else starting_clusters(settings, values)
        labels = _starting_labels(settings, values, coordinates, n_clusters, stream)
    clusters = clusters_of(labels)
    counters, pending, no_events = clusters.counters, np.empty(n_points, np.int64), np.empty((0, 3), np.int64)
    if weighs_one_point(settings, start):
        counters[STARTING_SLOT] = 0
    present = settings.copy()
    _score_state(state, X, clusters, model, present, record, 0, pending)
    lowest, converged, row = _kept_score(settings, record, 0, 4, math.inf), False, 0
    while row < int(settings[MAX_SWEEPS]) and not converged:
        if shuffled:
            order = draw_permutation(stream, n_points)
        uniforms = draw_uniforms(stream, n_points if temperature != 0.0 else 0)
        counters[N_MOVED] = counters[N_BORN] = counters[N_DIED] = 0
        row += 1
        events = watched.events if row == watched.sweep else no_events
        visits = Visits(order, uniforms, inverse_temperature, events)
        collapsed_sweep(state, X, clusters, model.weights, visits, 0, False)
        counters[STARTING_SLOT] = -1
        close_ranks(labels, clusters.sizes, clusters.active, counters[N_OPEN])
        log_join, n_proposals = model.weights.log_join, int(settings[SPLIT_MERGE])
        propose_splits_and_merges(state, X, clusters, log_join, model.law, n_proposals, stream)
        if learns(settings):
            draw_hyperparameters(present, values, clusters.sizes[: counters[N_OPEN]], stream)
            model = _under(model, partition_of(present, values))
        _score_state(state, X, clusters, model, present, record, row, pending)
        lowest = _kept_score(settings, record, row, 4, lowest)
        converged = temperature == 0.0 and counters[N_MOVED] == 0
    score = lowest if math.isfinite(lowest) else record.rows[row * N_ROW + 4]
    return row + 1, score, converged


@kernel
def _copy(record: Record, other: Record, n_rows: int, n_points: int) -> None:
    """Copy the rows of a record to another."""
    last = (n_rows - 1) * N_ROW
    n_sizes = int(record.rows[last + 6] + record.rows[last + 7])
    other.labels[: n_rows * n_points] = record.labels[: n_rows * n_points]
    other.sizes[:n_sizes] = record.sizes[:n_sizes]
    other.rows[: n_rows * N_ROW] = record.rows[: n_rows * N_ROW]


@kernel
def _another(record: Record, n_starts: int) -> Record:
    """Return a record of the same size, for the best start so far; an empty one if there is only one start."""
    several = 1 if n_starts > 1 else 0
    return Record(
        np.empty(several * record.labels.shape[0], np.int32),
        np.empty(several * record.sizes.shape[0], np.int32),
        np.empty(several * record.rows.shape[0]),
    )


@kernel
def _under(model: Model, tables: Tables) -> Model:
    """Return the model with another partition prior."""
    weights = Weights(tables.log_join, tables.log_open, model.weights.log_prior_predictive)
    return Model(weights, tables.law, model.log_jacobian)


@kernel
def model_of(state: Any, X: FloatArray, settings: FloatArray, values: FloatArray, log_jacobian: float) -> Model:
    """Return weights and law of a partition prior beside a family's state."""
    tables, predictives = partition_of(settings, values), np.empty(X.shape[0])
    prior_predictives(state, X, predictives)
    return Model(Weights(tables.log_join, tables.log_open, predictives), tables.law, log_jacobian)


@kernel
def _collapsed_starts(
    state: Any,
    X: FloatArray,
    settings: FloatArray,
    values: FloatArray,
    coordinates: FloatArray,
    log_jacobian: float,
    record: Record,
    summary: FloatArray,
) -> None:
    """Run all starts, and leave the best in the record."""
    model, nothing = model_of(state, X, settings, values, log_jacobian), unwatched()
    n_starts, best = int(settings[N_STARTS]), _another(record, int(settings[N_STARTS]))
    best_score, ends, n_points = math.nan, no_ends(n_starts, X.shape[0]), X.shape[0]
    for start in range(n_starts):
        n_rows, score, converged = collapsed_start(
            state, X, settings, values, coordinates, model, start, record, nothing
        )
        if converged and searches(settings):
            note_end(ends, record.labels[(n_rows - 1) * n_points : n_rows * n_points], score)
        if start == 0 or is_lower(score, best_score):
            best_score = score
            summary[0], summary[1], summary[2] = n_rows, start, converged
            if start < n_starts - 1:
                _copy(record, best, n_rows, n_points)
    if summary[1] < n_starts - 1:
        _copy(best, record, int(summary[0]), n_points)
    if searches(settings) and summary[2] != 0.0:
        _improve(state, X, settings, model, ends, record, summary)


@kernel
def _improve(
    state: Any, X: FloatArray, settings: FloatArray, model: Model, ends: Ends, record: Record, summary: FloatArray
) -> None:
    """Continue the best start by a search, as :func:`dpviz.engine.improve.improvements` does."""
    n_points, row, most = X.shape[0], int(summary[0]) - 1, int(settings[MAX_SWEEPS])
    plan, pending = plan_of(settings, X, ends), np.empty(X.shape[0], np.int64)
    shift, found, improved = n_points * model.log_jacobian, PAUSED, np.empty(0, np.int64)
    while found != OVER:
        is_first = math.isinf(plan.levels[LOWEST])
        found = advance(state, X, model.weights, model.law, shift, plan, math.inf, 0)
        if row + 2 > most:
            break
        if found == NEWS and not is_first:
            improved, row = plan.partitions[OF_ALL].copy(), row + 1
            clusters = clusters_of(improved)
            _count_moves(record, row - 1, clusters)
            _score_state(state, X, clusters, model, settings, record, row, pending)
            plan.counts[HOME_IS_OLD] = 1
    if improved.shape[0] > 0:  # the sweep that ended the last improvement: it moved no point
        row += 1
        _score_state(state, X, clusters_of(improved), model, settings, record, row, pending)
    summary[0] = row + 1


@kernel
def _count_moves(record: Record, row: int, clusters: Clusters) -> None:
    """Count how a partition differs from that of a row, after clusters are matched."""
    counters, n_before, n_points = clusters.counters, int(record.rows[row * N_ROW]), clusters.labels.shape[0]
    n_matched = min(n_before, counters[N_OPEN])
    before = record.labels[row * n_points : (row + 1) * n_points].astype(np.int64)
    counters[N_MOVED] = n_points - most_matched(before, clusters.labels)
    counters[N_BORN], counters[N_DIED] = counters[N_OPEN] - n_matched, n_before - n_matched


@kernel
def hard_rule(settings: FloatArray, scale: float) -> HardRule:
    """Return what sweeps in centred coordinates do."""
    fixed = int(settings[ALGORITHM]) == KMEANS
    penalty = math.inf if fixed else settings[PENALTY] / scale**2
    return HardRule(penalty, fixed, not fixed and settings[UNTIL_BIRTH] != 0.0)


@kernel
def _given_centres(settings: FloatArray, values: FloatArray, scale: float) -> FloatArray:
    """Return the starting centres (K, D) in centred coordinates."""
    centres, means = starting_centres(settings, values), column_means(points_of(settings, values))
    return (centres - means) / scale


@kernel
def _hard_beginning(
    settings: FloatArray, values: FloatArray, X: FloatArray, scale: float, rule: HardRule, stream: StreamArray
) -> HardClusters:
    """Return the clusters that a start begins with."""
    start, n_clusters = int(settings[START]), starting_clusters(settings, values)
    if not rule.keeps_empty or start == LABELS:
        labels = _starting_labels(settings, values, X, n_clusters, stream)
        return hard_clusters(X, labels, cluster_centres(X, labels, np.zeros((labels.max() + 1, X.shape[1])))[0])
    if start == CENTRES:
        centres = _given_centres(settings, values, scale)
    else:
        centres = centres_at(X, start, n_clusters, stream)
    clusters = hard_clusters(X, assigned_to_nearest(X, centres), centres)
    moved: HardClusters = hard_sweep(X, np.arange(X.shape[0]), clusters, rule)[0]  # moves only the centres
    return moved


@kernel
def hard_start(
    settings: FloatArray,
    values: FloatArray,
    X: FloatArray,
    scale: float,
    start: int,
    record: Record,
    watched: Watched,
) -> Any:
    """Run one start of K-means or DP-means in centred coordinates X (N, D); return as :func:`collapsed_start`."""
    n_points, stream = X.shape[0], seeded_stream(int(settings[SEED]), start)
    shuffled, rule = int(settings[ORDER]) == SHUFFLED, hard_rule(settings, scale)
    order = draw_permutation(stream, n_points) if int(settings[ORDER]) == PERMUTED else np.arange(n_points)
    clusters = _hard_beginning(settings, values, X, scale, rule, stream)
    numbers = np.zeros(6)
    row, converged = 0, False
    while True:
        opened = 0.0 if rule.keeps_empty else rule.penalty * clusters.sizes.shape[0]
        numbers[0], numbers[4] = np.count_nonzero(clusters.sizes), math.nan
        numbers[5] = (sum_of_squares(X, clusters.labels, clusters.centres) + opened) * scale**2
        _write(record, row, clusters.labels, clusters.sizes, numbers)
        if converged or row == int(settings[MAX_SWEEPS]):
            return row + 1, numbers[5], converged
        if shuffled:
            order = draw_permutation(stream, n_points)
        row += 1
        if row == watched.sweep:
            watched.events[:, 0] = order
        before = clusters.sizes
        clusters, counts = hard_sweep(X, order, clusters, rule)
        numbers[1], numbers[2], numbers[3] = counts[0], counts[1], counts[2]
        if rule.keeps_empty:
            numbers[2], numbers[3] = run_empty_and_filled(before, clusters.sizes)
        converged = counts[0] == 0 and counts[3] == 0.0


@kernel
def _hard_starts(
    settings: FloatArray, values: FloatArray, X: FloatArray, scale: float, record: Record, summary: FloatArray
) -> None:
    """Run all starts, and leave the best in the record."""
    n_starts, best, nothing = int(settings[N_STARTS]), _another(record, int(settings[N_STARTS])), unwatched()
    best_score = math.nan
    for start in range(n_starts):
        n_rows, score, converged = hard_start(settings, values, X, scale, start, record, nothing)
        if start == 0 or is_lower(score, best_score):
            best_score = score
            summary[0], summary[1], summary[2] = n_rows, start, converged
            if start < n_starts - 1:
                _copy(record, best, n_rows, X.shape[0])
    if summary[1] < n_starts - 1:
        _copy(best, record, int(summary[0]), X.shape[0])


@kernel
def run(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    sizes: SmallArray,
    rows: FloatArray,
    summary: FloatArray,
) -> int:
    """Run a configuration and record its best start; return 0.

    Parameters
    ----------
    family : NamedTuple
        Tells by its type which family; it holds nothing.
    settings : ndarray (len(SETTINGS),)
    values : ndarray (N D + D + 2 + 2 D² + N + 2 (N + 1) + 1 + K D,)
        Data, hyperparameters, starting labels, tables of the partition prior (log_join, log_open, ln Z; of a
        generalised restaurant ln g from 1 on), and starting centres of K-means if they are given; what is not used may
        be anything.
    labels, sizes : int32 arrays ((T + 1) N,)
        Filled row by row, T the most sweeps.
    rows : ndarray ((T + 1) len(ROW),)
    summary : ndarray (len(SUMMARY),)
    """
    record, n_slots = Record(labels, sizes, rows), (2 if searches(settings) else 1) * (int(settings[N_POINTS]) + 2)
    coordinates = centred_coordinates(points_of(settings, values))[0]
    state, X, log_jacobian, _ = placed_by(family, settings, values, n_slots)
    _collapsed_starts(state, X, settings, values, coordinates, log_jacobian, record, summary)
    return 0


@kernel
def run_centres(
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    sizes: SmallArray,
    rows: FloatArray,
    summary: FloatArray,
) -> int:
    """Do the same for K-means and DP-means, which have no family."""
    coordinates, scale = centred_coordinates(points_of(settings, values))
    _hard_starts(settings, values, coordinates, scale, Record(labels, sizes, rows), summary)
    return 0
