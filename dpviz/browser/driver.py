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
    CHOICE,
    CHOSEN,
    CONCENTRATION,
    DRAWS,
    HAS_CONVERGED,
    IS_IMPROVED,
    IS_OVER,
    KEPT,
    KMEANS,
    LABELS,
    LATEST,
    LAW_OF_CONCENTRATION,
    LAW_OF_SECOND,
    MAX_SWEEPS,
    N_POINTS,
    N_ROW,
    N_ROWS,
    N_STARTS,
    ONE_POINT,
    OPERATIONS,
    ORDER,
    PARTITION,
    PENALTY,
    PERMUTED,
    PRESENT,
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
    STATES,
    TEMPERATURE,
    THIN,
    UNTIL_BIRTH,
)
from dpviz.browser.models import (
    Tables,
    centred_coordinates,
    first_of_growth,
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
from dpviz.engine.kernels.search_plan import HOME_IS_OLD, LOWEST, NEWS, OF_ALL, OVER, Plan, share, spent
from dpviz.engine.kernels.seeding import centres_at, labels_at
from dpviz.engine.kernels.split_merge import propose_splits_and_merges
from dpviz.families.gaussian.placing import dividing
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
assert KEPT >= 2 * ROOM


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


class Model(NamedTuple):
    """Weights and law of a partition prior beside a family's state.

    Attributes
    ----------
    weights : Weights
    law : PartitionLaw
    log_jacobian : float
    """

    weights: Weights
    law: PartitionLaw
    log_jacobian: float


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
    state, X
        Of the family, in working coordinates.
    coordinates : ndarray (N, D)
        The data as starts measure distances in them.
    model : Model
        That starts begin with.
    best : Record
        Of several starts the best that has ended.
    ends : Ends
    """

    state: Any
    X: FloatArray
    coordinates: FloatArray
    model: Model
    best: Record
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
    end = first_of_growth(settings)
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
) -> None:
    """Rebuild the statistics, score the state and record it, with the ``present`` parameters of the partition prior."""
    labels, sizes, _, counters = clusters
    n_clusters, totals, numbers = counters[N_OPEN], np.empty(2), np.empty(6)
    pending = np.empty(X.shape[0], np.int64)
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
def _seated(state: Any, X: FloatArray, model: Model, order: IntArray, heat: float, stream: StreamArray) -> IntArray:
    """Return the labels (N,) of a sequential start."""
    n_points = X.shape[0]
    uniforms, labels = draw_uniforms(stream, n_points), np.full(n_points, -1)
    sizes, weights = np.zeros(n_points + 2, np.int64), model.weights
    seat(state, X, labels, sizes, order, 0, weights.log_join, weights.log_open, heat, uniforms)
    return labels


@kernel
def begun_start(job: Job, settings: FloatArray, values: FloatArray, start: int, record: Record) -> Started:
    """Record what a start begins with, and return it."""
    state, X, coordinates, model, _, _ = borrowed(job)
    n_points, stream = X.shape[0], seeded_stream(int(settings[SEED]), start)
    order = draw_permutation(stream, n_points) if int(settings[ORDER]) == PERMUTED else np.arange(n_points)
    first = draw_permutation(stream, n_points) if int(settings[ORDER]) == SHUFFLED else order
    if int(settings[START]) == SEQUENTIAL:
        labels = _seated(state, X, model, first, inverse_of(settings[TEMPERATURE]), stream)
    else:
        automatic = int(settings[START]) == AUTO
        n_clusters = automatic_clusters(settings, start) if automatic else starting_clusters(settings, values)
        labels = _starting_labels(settings, values, coordinates, n_clusters, stream)
    clusters = clusters_of(labels)
    if weighs_one_point(settings, start):
        clusters.counters[STARTING_SLOT] = 0
    started = Started(clusters, order, settings.copy(), np.zeros(3), stream)
    _score_state(state, X, clusters, model, started.present, record, 0)
    started.reached[LOWEST_KEPT] = _kept_score(settings, record, 0, 4, math.inf)
    return started


@kernel
def goes_on(settings: FloatArray, started: Started) -> bool:
    """Whether a start has another sweep."""
    return bool(started.reached[AT] < settings[MAX_SWEEPS] and started.reached[CONVERGED] == 0.0)


@kernel
def next_sweep(
    job: Job,
    settings: FloatArray,
    values: FloatArray,
    model: Model,
    started: Started,
    record: Record,
    events: IntArray,
) -> Model:
    """Do and record the next sweep of a start, and its visits in ``events`` (N, 3) or (0, 3); return its model then."""
    state, X, _, _, _, _ = borrowed(job)
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
        model = present_model(model, settings, values, present)
    _score_state(state, X, clusters, model, present, record, row)
    lowest = _kept_score(settings, record, row, 4, reached[LOWEST_KEPT])
    reached[AT], reached[LOWEST_KEPT], reached[CONVERGED] = row, lowest, temperature == 0.0 and counters[N_MOVED] == 0
    return model


@kernel
def present_model(model: Model, settings: FloatArray, values: FloatArray, present: FloatArray) -> Model:
    """Return a start's model with the parameters that it has drawn last, which ``present`` (len(SETTINGS),) holds."""
    return _under(model, partition_of(present, values)) if learns(settings) else model


@kernel
def inverse_of(temperature: float) -> float:
    """Return the inverse temperature, which is 0 at temperature 0."""
    return 0.0 if temperature == 0.0 else 1.0 / temperature


@kernel
def _copy(record: Record, other: Record, n_rows: int, n_points: int) -> None:
    """Copy the rows of a record to another."""
    last = (n_rows - 1) * N_ROW
    n_sizes = int(record.rows[last + 6] + record.rows[last + 7])
    other.labels[: n_rows * n_points] = record.labels[: n_rows * n_points]
    other.sizes[:n_sizes] = record.sizes[:n_sizes]
    other.rows[: n_rows * N_ROW] = record.rows[: n_rows * N_ROW]


@kernel
def record_of(n_points: int, n_sweeps: int) -> Record:
    """Return room for so many sweeps."""
    size = (n_sweeps + 1) * n_points
    return Record(np.empty(size, np.int32), np.empty(size, np.int32), np.empty((n_sweeps + 1) * N_ROW))


@kernel
def _another(settings: FloatArray) -> Record:
    """Return a record for the best of several starts so far; an empty one if there is only one start."""
    several = settings[N_STARTS] > 1.0
    return record_of(int(settings[N_POINTS]) if several else 0, int(settings[MAX_SWEEPS]) if several else 0)


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
def _note_start(
    settings: FloatArray,
    record: Record,
    best: Record,
    start: int,
    n_rows: int,
    score: float,
    converged: float,
    summary: FloatArray,
) -> None:
    """Note how a start has ended: the best so far is kept, and after the last start left in the record."""
    n_points, is_last = int(settings[N_POINTS]), start + 1 == int(settings[N_STARTS])
    if start == 0 or is_lower(score, summary[SCORE]):
        summary[N_ROWS], summary[CHOSEN], summary[HAS_CONVERGED], summary[SCORE] = n_rows, start, converged, score
        if not is_last:
            _copy(record, best, n_rows, n_points)
    elif is_last:
        _copy(best, record, int(summary[N_ROWS]), n_points)


@kernel
def begun(family: Any, settings: FloatArray, values: FloatArray) -> Job:
    """Return what a run begins with."""
    n_points, n_starts, is_searched = int(settings[N_POINTS]), int(settings[N_STARTS]), searches(settings)
    coordinates = centred_coordinates(points_of(settings, values))[0]
    state, X, log_jacobian, _ = placed_by(family, settings, values, (2 if is_searched else 1) * (n_points + 2))
    model, ends = (
        model_of(state, X, settings, values, log_jacobian),
        no_ends(n_starts, n_points if is_searched else 0),
    )
    return Job(state, X, coordinates, model, _another(settings), ends)


@kernel
def _sweep_on(
    job: Job,
    settings: FloatArray,
    values: FloatArray,
    record: Record,
    place: FloatArray,
    most: float,
) -> float:
    """Go on with the present start; return how many of the operations are left, more than 0 if it has ended."""
    started = kept(place, begun_start, (job, settings, values, 0, record))
    model, no_events = present_model(job.model, settings, values, started.present), np.empty((0, 3), np.int64)
    while most > 0.0 and goes_on(settings, started):
        model = next_sweep(job, settings, values, model, started, record, no_events)
        most -= job.X.shape[0] * (started.clusters.counters[N_OPEN] + 1) * settings[OPERATIONS]
    return most


@kernel
def _end_start(
    job: Job, settings: FloatArray, values: FloatArray, record: Record, summary: FloatArray, place: FloatArray
) -> None:
    """Note how the present start has ended, and begin what comes next."""
    state, X, _, _, best, ends = job
    reached = kept(place, begun_start, (job, settings, values, 0, record)).reached
    start, n_points, last, score = int(summary[LATEST]), X.shape[0], int(reached[AT]), reached[LOWEST_KEPT]
    if not math.isfinite(score):
        score = record.rows[last * N_ROW + 4]
    if reached[CONVERGED] != 0.0 and searches(settings):
        note_end(ends, record.labels[last * n_points : (last + 1) * n_points], score)
    _note_start(settings, record, best, start, last + 1, score, reached[CONVERGED], summary)
    is_last = start + 1 == int(settings[N_STARTS])
    if is_last and not (searches(settings) and summary[HAS_CONVERGED] != 0.0):
        summary[IS_OVER] = 1.0
        return
    forget(place, begun_start, (job, settings, values, 0, record))
    if is_last:
        keep(place, plan_of(settings, dividing(state, X, points_of(settings, values)), ends))
        summary[STAGE] = SEARCHES
    else:
        keep(place, begun_start(job, settings, values, start + 1, record))
        summary[LATEST] = start + 1


@kernel
def _search_on(job: Job, settings: FloatArray, record: Record, summary: FloatArray, plan: Plan, most: float) -> None:
    """Continue the best start by a slice of a search, as :func:`dpviz.engine.improve.improvements` does."""
    state, X, _, model, _, _ = borrowed(job)
    n_points, row, is_first = X.shape[0], int(summary[N_ROWS]) - 1, math.isinf(plan.levels[LOWEST])
    found = advance(state, X, model.weights, model.law, n_points * model.log_jacobian, plan, most, 0)
    summary[SHARE] = max(summary[SHARE], share(plan))
    if found == OVER or row + 2 > int(settings[MAX_SWEEPS]):
        summary[IS_OVER] = 1.0
        if summary[IS_IMPROVED] != 0.0:  # the sweep that ended the last improvement: it moved no point
            last = record.labels[row * n_points : (row + 1) * n_points].astype(np.int64)
            _score_state(state, X, clusters_of(last), model, settings, record, row + 1)
            summary[N_ROWS] = row + 2
    elif found == NEWS and not is_first:
        clusters = clusters_of(plan.partitions[OF_ALL].copy())
        _count_moves(record, row, clusters)
        _score_state(state, X, clusters, model, settings, record, row + 1)
        plan.counts[HOME_IS_OLD] = 1
        summary[N_ROWS], summary[IS_IMPROVED], summary[SCORE] = row + 2, 1.0, record.rows[(row + 1) * N_ROW + 4]


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
    seen: IntArray,
) -> Any:
    """Run one start of K-means or DP-means in centred coordinates X (N, D).

    Return its number of rows, its objective, and whether it converged; ``seen`` (N,) or (0,) is filled with the
    visiting order of its last sweep.
    """
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
        if seen.shape[0] > 0:
            seen[:] = order
        before = clusters.sizes
        clusters, counts = hard_sweep(X, order, clusters, rule)
        numbers[1], numbers[2], numbers[3] = counts[0], counts[1], counts[2]
        if rule.keeps_empty:
            numbers[2], numbers[3] = run_empty_and_filled(before, clusters.sizes)
        converged = counts[0] == 0 and counts[3] == 0.0


@kernel
def run(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    sizes: SmallArray,
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
    labels, sizes : int32 arrays ((T + 1) N,)
        Filled row by row, T the most sweeps.
    rows : ndarray ((T + 1) len(ROW),)
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
    record, second = Record(labels, sizes, rows), place[ROOM:]
    if summary[STAGE] == BEGINS:
        first = begun(family, settings, values)
        keep(place, first)
        keep(second, begun_start(first, settings, values, 0, record))
        summary[STAGE] = STARTING
    job, left = kept(place, begun, (family, settings, values)), most
    while left > 0.0 and summary[IS_OVER] == 0.0:
        if summary[STAGE] == STARTING:
            left = _sweep_on(job, settings, values, record, second, left)
            if left > 0.0:
                _end_start(job, settings, values, record, summary, second)
        else:
            plan = kept(second, plan_of, (settings, job.X, job.ends))
            before = spent(plan)
            _search_on(job, settings, record, summary, plan, left)
            left -= spent(plan) - before
    if summary[IS_OVER] == 0.0 and most >= 0.0:
        return 1
    if summary[STAGE] == STARTING:
        forget(second, begun_start, (job, settings, values, 0, record))
    else:
        forget(second, plan_of, (settings, job.X, job.ends))
    forget(place, begun, (family, settings, values))
    return 0


@kernel
def run_centres(
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    sizes: SmallArray,
    rows: FloatArray,
    summary: FloatArray,
    place: FloatArray,
    most: float,
) -> int:
    """Do the same for K-means and DP-means, which have no family, and are soon over."""
    X, scale = centred_coordinates(points_of(settings, values))
    record, best, unseen = Record(labels, sizes, rows), _another(settings), np.empty(0, np.int64)
    for start in range(int(settings[N_STARTS])):
        n_rows, score, converged = hard_start(settings, values, X, scale, start, record, unseen)
        _note_start(settings, record, best, start, n_rows, score, converged, summary)
    return 0
