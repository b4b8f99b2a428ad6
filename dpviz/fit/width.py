"""The width of a cluster: the factor on the usual spread under which the partition found is most probable.

The usual prior expects a cluster as wide as all the data (FORMULAS §5), which hides many narrow clusters, and in many
columns has too little weight. MAP-DP is run at widths 8, 4, 2, 1, ½, … and the one of lowest nll is taken: empirical
Bayes by the exact joint probability. All widths get a few starts and try each other's partitions; then the best one and
its neighbours are searched, until all neighbours of the best have been searched. Of mixed tables, where the width is
that of the real columns alone, every fourth width gets starts, and only the best one is searched.

A continuous density has no bound. Where whole clusters hold a single value of a column (two values, a spike at zero,
heavy rounding), or columns depend on each other exactly, nll falls without bound as the width goes to 0, whatever the
quality of the clusters. For one partition the limit shows it: there nll is linear in the logarithm of the width, and
its slope has the sign of (directions without any spread × points) against (prior shapes × clusters). Widths whose
partition diverges in this sense are not chosen; the usual one, 1, and wider ones always can be. A column of which
nearly all of a cluster is one value counts as if all were: the rest would only delay the divergence.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import ROWS_PER_COLUMN, Problem, check_data, check_kinds
from dpviz.engine.rescore import partition_nll
from dpviz.engine.search import Search
from dpviz.errors import IllConditionedError, require
from dpviz.families import family_class
from dpviz.families.base import WIDTH, Family
from dpviz.families.directions import Directions
from dpviz.families.powers import Powers
from dpviz.fit.steps import drained, in_threads
from dpviz.hurdles import end_of, ends_of

WIDTHS = tuple(2.0**-power for power in range(-3, 10))
"""The widths that are tried."""
LIMIT = (2.0**-20, 2.0**-22)
"""Widths between which a diverging partition still gains; for narrower ones rounding dominates."""
STARTS, EFFORT = 3, 0.02
"""Starts at every width, from one cluster and from two, and the search at the best ones.

Where one cluster is best after these, another one begins with many clusters: of two rings none are found from below.
"""
STARTED_IF_MIXED = slice(2, None, 4)
"""Which widths get starts in mixed tables, where sweeps take long: 2, ⅛ and 1/128."""
MOST_POINTS, FEWEST_POINTS, SAMPLE_OPERATIONS = 5000, 500, 2e6
"""Larger data are sampled to this many points; to the second number at least if each point is expensive."""
FEW_COMPLETE = "Too few rows are complete ({0:,} of {1:,}) to choose a width, so that the usual one is kept."
EDGE = "The width {0:.4g} is the last of those tried: clusters that are {1} still may have a lower nll."
DEPENDENT = (
    "Within clusters some columns are exact combinations of others, so that no width is too narrow; leave one out."
)
WILD = "{0} holds values so far from all others that these are nearly equal beside them; check them."
NO_BOUND = "Ever narrower clusters have a lower nll of these data, without bound, so that wider ones are kept."
ROUNDED, WILD_SPREAD = 1e-7, 1e-3
"""Shares that are next to none: of the largest singular value of standardised columns, and of a deviation."""
NEARLY_ALL = 0.8
"""Share of a cluster's points on one value of a column from which the column has no spread there."""
FEW_VALUES = 10
SPIKE = 10.0
"""Times more points than a column's typical value has."""

Steps = Generator[None, None, "WidthChoice"]


class Table(NamedTuple):
    """Checked rows X (N, D), and the names of the columns; none if they have no names."""

    X: FloatArray
    names: Sequence[str] = ()

    def under(self, config: RunConfig) -> Table:
        """Return the coordinates in which a configuration looks for clusters; a word for what is open changes nothing.

        Raises
        ------
        InvalidDataError, InvalidParameterError
            If numbers have no power, or rows no place along so many directions.
        """
        X, names = self
        if isinstance(config.transform, tuple):
            powers = Powers.given(config.transform)
            powers.check(X, names)
            X = powers.of(X)
        if isinstance(config.directions, int):
            X = Directions.of(X, config.directions).leading(X)
            names = [f"direction {number + 1}" for number in range(config.directions)]
        return self if X is self.X else Table(check_data(X, gaps=True), names)

    def for_all(self, config: RunConfig) -> Table:
        """Return the same rows for all candidates of a configuration: the nll of others cannot be compared.

        They are all rows where a column would have no value left among fewer.
        """
        drawn = _drawn(self.X, min(sample_size(name, self.X.shape[1]) for name in config.candidates), config.seed)
        return self if np.isnan(drawn).all(axis=0).any() else Table(drawn, self.names)


@dataclass(frozen=True, eq=False)
class WidthTrial:
    """Result at one width.

    Attributes
    ----------
    width : float
    nll : float
        Lowest found (nats); of the sample if there is one.
    labels : ndarray of int (N,)
    runs_off : bool
        Whether the partition gains without bound from ever narrower clusters; determined only if the nll is lower than
        that of the chosen width.
    """

    width: float
    nll: float
    labels: IntArray
    runs_off: bool = False

    @property
    def n_clusters(self) -> int:
        """Clusters of the partition."""
        return len(np.unique(self.labels))


@dataclass(frozen=True, eq=False)
class WidthChoice:
    """A configuration with the width that was chosen.

    Attributes
    ----------
    config : RunConfig
        The given one, with ``prior={"width": s}`` added to its prior, or with all hyperparameters of a learned shape.
    trials : tuple of WidthTrial
        All widths, the widest first; none if the configuration has no width, or too few rows are complete.
    notes : tuple of str
        Sentences on columns that rule out narrower widths, and on a choice at the edge of those tried.
    collapses : bool
        Whether narrower widths of lower nll were ruled out, since it falls there without bound.
    runner_up : RunnerUp, optional
        The model that came second by short runs, where other families or powers were tried.
    """

    config: RunConfig
    trials: tuple[WidthTrial, ...] = ()
    notes: tuple[str, ...] = field(default=())
    collapses: bool = False
    runner_up: RunnerUp | None = None

    @property
    def width(self) -> float | None:
        """The chosen one; None if the configuration has none, or a learned shape."""
        return (self.config.prior_dict or {}).get(WIDTH.name) if self.trials else None

    def saying(self, *notes: str) -> WidthChoice:
        """Return the choice with further notes, each of which is said once."""
        return replace(self, notes=(*self.notes, *(note for note in notes if note not in self.notes)))

    @property
    def found(self) -> WidthTrial | None:
        """The trial of the chosen width; None if there is none."""
        return next((trial for trial in self.trials if trial.width == self.width), None)


class RunnerUp(NamedTuple):
    """By how many nats a model was behind the chosen one in short runs, or ahead (< 0), and its choice."""

    behind: float
    choice: WidthChoice


def has_width(config: RunConfig) -> bool:
    """Whether a width would change anything: the family has one, and its prior is not given in full."""
    if not ALGORITHMS[config.algorithm].uses_model:
        return False
    given = config.prior_dict or {}
    return any(set(family_class(name).scaled_under(config.prior_dict)) - set(given) for name in config.candidates)


def propose(data: Table, so_far: WidthChoice) -> Steps:
    """Choose the width, unless hyperparameters are given or that was done where families were compared."""
    if not is_open(so_far.config.prior):
        return so_far
    X, names = data.under(so_far.config)
    return (yield from width_steps(X, so_far.config, names))


def choose_width(X: Any, config: RunConfig, names: Sequence[str] = ()) -> WidthChoice:
    """Choose the width of lowest nll, by short runs of MAP-DP.

    Parameters
    ----------
    X : array_like (N, D)
        More than 5,000 points are sampled with the configuration's seed. Of data whose missing cells are filled in the
        complete rows decide.
    config : RunConfig
        Of an algorithm with a model; gibbs uses the width that MAP-DP finds. Given hyperparameters stay.
    names : sequence of str, optional
        Names of the columns, for the notes.

    Returns
    -------
    WidthChoice
        The configuration unchanged if the family has no width, or the prior is given in full.

    Raises
    ------
    DpvizError
        If data and configuration contradict each other, or the algorithm has no model.
    """
    with_model = [name for name, algorithm in ALGORITHMS.items() if algorithm.uses_model]
    require(config.algorithm in with_model, "algorithm", config.algorithm, f"one of {', '.join(with_model)}")
    data = check_data(X, gaps=True)
    check_kinds(config, data)
    return drained(width_steps(data, config, names))


def width_steps(
    X: FloatArray, config: RunConfig, names: Sequence[str] = (), begun: Sequence[WidthTrial] = (), searched: bool = True
) -> Steps:
    """Choose as :func:`choose_width` does, yielding after every sweep and every tried change of clusters.

    Parameters
    ----------
    X : ndarray (N, D)
        Checked.
    config, names
        As for :func:`choose_width`.
    begun : sequence of WidthTrial, optional
        Trials of an earlier choice without searches, to continue from.
    searched : bool
        Whether the best widths are searched, rather than only started.
    """
    if not has_width(config):
        return WidthChoice(config.provisional)
    complete = ~np.isnan(X).any(axis=1)
    if config.provisional.fills_in and not complete.all():
        if complete.sum() < ROWS_PER_COLUMN * X.shape[1]:
            return WidthChoice(config.provisional, notes=(FEW_COMPLETE.format(complete.sum(), len(X)),))
        X = X[complete]
    sample = short_run(X, config)
    trials = yield from _tried(sample, begun, searched)
    best = _best(trials)
    refused = [trial for trial in trials if trial.runs_off and trial.width < 1 and not trial.nll >= best.nll]
    notes = notes_on(sample.X, config, refused[0].labels, names) if refused else ()
    if best.width in (edges := (WIDTHS[0], WIDTHS[-1])):
        notes += (EDGE.format(best.width, "wider" if best.width == edges[0] else "narrower"),)
    return WidthChoice(at_width(config, best.width), tuple(trials), notes, bool(refused))


def quick(config: RunConfig) -> RunConfig:
    """Return the configuration of a short run of MAP-DP for the same model."""
    return RunConfig(
        "mapdp",
        family=config.family,
        partition=config.partition,
        prior=config.provisional.prior,
        kinds=config.kinds,
        missing=config.missing,
        seed=config.seed,
        n_init=STARTS,
        effort=EFFORT,
    )


def at_width(config: RunConfig, width: float) -> RunConfig:
    """Return the configuration with a width added to its prior."""
    given = {} if is_open(config.prior) else dict(config.prior or ())
    return replace(config, prior={**given, WIDTH.name: width})


def columns_with_width(config: RunConfig, n_features: int) -> IntArray:
    """Return the positions of the columns that a width scales: of a mixed table the real ones."""
    return family_class(config.family).columns_with_width(config.prior_dict, n_features)


def sample_size(family: str, n_features: int) -> int:
    """Return the size of the sample; smaller if scoring a point takes long."""
    affordable = SAMPLE_OPERATIONS / family_class(family).operations(n_features)
    return int(min(max(affordable, FEWEST_POINTS), MOST_POINTS))


def sampled(X: FloatArray, config: RunConfig) -> FloatArray:
    """Return the sampled points (n, D)."""
    return _drawn(X, sample_size(config.family, X.shape[1]), config.seed)


def _drawn(X: FloatArray, most: int, seed: int) -> FloatArray:
    if len(X) <= most:
        return X
    return X[np.sort(np.random.default_rng(seed).choice(len(X), most, replace=False))]


def sampled_problem(X: FloatArray, config: RunConfig) -> Problem:
    """Check sampled points (n, D) under the configuration of a short run, once for all further ones.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    data = check_data(X, gaps=True, lists=True)
    family = family_class(config.family)
    family.check_data(data)
    return Problem(data, config, held_by=family)


def short_run(X: FloatArray, config: RunConfig) -> Problem:
    """Return what a short run of MAP-DP for the same model searches: points of X (N, D), checked once for all."""
    config = quick(config)
    return sampled_problem(sampled(X, config), config)


def _tried(sample: Problem, begun: Sequence[WidthTrial], searches: bool) -> Generator[None, None, list[WidthTrial]]:
    """Run MAP-DP at the widths unless that was done, then search at the best and its neighbours if requested."""
    problems = [sample.under(at_width(sample.config, width)) for width in WIDTHS]
    trials = list(begun) or (yield from _started(problems))
    searched, reach = set[int](), 1 if _scales_all(sample) else 0
    offered = {(position, trial.labels.tobytes()) for position, trial in enumerate(trials)}
    while True:
        yield from _offer_all(problems, trials, offered)
        _mark(sample, trials)
        best = trials.index(_best(trials))
        near = {best - reach, best, best + reach} & set(range(len(trials))) - searched
        if not near or not searches:
            return trials
        fuller = [trial_steps(problems[position], WIDTHS[position]) for position in sorted(near)]
        for position, found in zip(sorted(near), (yield from in_threads(fuller, len(sample.X))), strict=True):
            if found.nll < trials[position].nll:
                trials[position] = found
        searched |= near


def _started(problems: Sequence[Problem]) -> Generator[None, None, list[WidthTrial]]:
    """Run MAP-DP at every width; of a mixed table at some, whose partitions are those of the nearest others too."""
    positions = range(len(WIDTHS))[slice(None) if _scales_all(problems[0]) else STARTED_IF_MIXED]
    for n_init in (STARTS, STARTS + 1):
        runs = [trial_steps(problems[at], WIDTHS[at], effort=0.0, n_init=n_init) for at in positions]
        found = dict(zip(positions, (yield from in_threads(runs, len(problems[0].X))), strict=True))
        if min(found.values(), key=lambda trial: trial.nll).n_clusters > 1:
            break
    trials = []
    for position, problem in enumerate(problems):
        nearest = found[min(positions, key=lambda other: abs(other - position))]
        if position not in found and np.isfinite(nearest.nll):
            yield
            nearest = replace(nearest, nll=_nll_of(problem, nearest.labels))
        trials.append(replace(nearest, width=WIDTHS[position]))
    return trials


def _nll_of(problem: Problem, labels: IntArray) -> float:
    """Return the nll of a partition; infinite at a width at which its digits are lost."""
    try:
        return float(partition_nll(problem, [labels])[0])
    except IllConditionedError:
        return np.inf


def trial_steps(problem: Problem, width: float, **changes: Any) -> Generator[None, None, WidthTrial]:
    """Run a problem, with changes of its configuration, yielding after every sweep, and return its result."""
    problem = problem.under(replace(problem.config, **changes)) if changes else problem
    try:
        problem.working  # noqa: B018  (building it checks the hyperparameters)
    except IllConditionedError:  # no width for these data
        return WidthTrial(width, np.inf, np.zeros(len(problem.X), dtype=np.int64))
    search = Search(problem)
    for _ in search.records():
        yield
    trace = search.trace()
    return WidthTrial(width, float(trace.nll[trace.result_sweep]), trace.result_labels.astype(np.int64))


def found_steps(X: FloatArray, choice: WidthChoice) -> Generator[None, None, WidthTrial]:
    """Return what a choice found on data X (N, D), by a short run if it needed none."""
    return choice.found or (yield from trial_steps(sampled_problem(X, quick(choice.config)), 1.0))


def _best(trials: Sequence[WidthTrial]) -> WidthTrial:
    """Return the trial of lowest nll among those that can be chosen; the usual width if none has a finite one."""
    allowed = [trial for trial in trials if np.isfinite(trial.nll) and (trial.width >= 1 or not trial.runs_off)]
    usual = next(trial for trial in trials if trial.width == 1)
    return min(allowed, key=lambda trial: trial.nll, default=usual)


def _mark(sample: Problem, trials: list[WidthTrial]) -> None:
    """Test which trials diverge, from the lowest nll to the first that does not."""
    for position in sorted(range(len(trials)), key=lambda position: trials[position].nll):
        diverges = runs_off(sample.X, sample.config, trials[position].labels)
        trial = trials[position] = replace(trials[position], runs_off=diverges)
        if np.isfinite(trial.nll) and (trial.width >= 1 or not trial.runs_off):
            return


def _scales_all(problem: Problem) -> bool:
    """Whether the width is that of every column."""
    n_features = problem.X.shape[1]
    return len(columns_with_width(problem.config, n_features)) == n_features


def _offer_all(
    problems: Sequence[Problem], trials: list[WidthTrial], offered: set[tuple[int, bytes]]
) -> Generator[None, None, None]:
    """Try each partition at the next width, from the widest to the narrowest and back, and descend if it is better.

    ``offered`` holds the partitions that a width has had, none of which can be better than its present one.
    """
    forth = [(position, position - 1) for position in range(1, len(trials))]
    back = [(position, position + 1) for position in reversed(range(len(trials) - 1))]
    for position, neighbour in (*forth, *back):
        own, other, here = trials[position], trials[neighbour], problems[position]
        yield
        key = position, other.labels.tobytes()
        if not np.isfinite(own.nll) or key in offered:
            continue
        offered.add(key)
        if partition_nll(here, [other.labels])[0] < own.nll:
            descended = yield from trial_steps(here, own.width, init=other.labels, n_init=1)
            if descended.nll < own.nll:
                trials[position] = descended


def runs_off(X: FloatArray, config: RunConfig, labels: IntArray) -> bool:
    """Whether the nll of a partition (N,) of X (N, D) falls without bound as the width goes to 0."""
    scaled = columns_with_width(config, X.shape[1])
    if not len(scaled) or family_class(config.family).kind == "count":  # a probability is bounded
        return False
    snapped = X.copy()
    for rows, column, value in _without_spread(_that_a_width_scales(X, config), scaled, labels):
        snapped[rows, column] = value
    own = family_class(config.family).from_prior((config.prior_dict or {}) | {WIDTH.name: 1.0}, X)
    try:
        wider, narrower = (_nll_at(snapped, config, own, width, labels) for width in LIMIT)
    except IllConditionedError:  # towards the limit its digits are lost
        return True
    return not narrower >= wider  # NaN too


def _nll_at(X: FloatArray, config: RunConfig, family: Family, width: float, labels: IntArray) -> float:
    """Negative log joint probability under a family narrowed to a width, regardless of X."""
    usual = family.as_prior
    prior = {**(family.narrowed(usual, width) or usual), **(config.prior_dict or {})}
    prior.pop(WIDTH.name, None)
    # values of X in other cells at most: the family has seen them
    problem = Problem(X, replace(config, prior=prior), held_by=type(family))
    return float(partition_nll(problem, [labels])[0])


def notes_on(X: FloatArray, config: RunConfig, labels: IntArray, names: Sequence[str]) -> tuple[str, ...]:
    """Say which columns of X (N, D) have no spread within clusters (N,), or depend on each other there."""
    columns, X = columns_with_width(config, X.shape[1]), _that_a_width_scales(X, config)
    without = sorted({column for _, column, _ in _without_spread(X, columns, labels)})
    if without:
        return tuple(_note(X[:, column], _named(column, names)) for column in without)
    if any(_depend(X[labels == k][:, columns]) for k in np.unique(labels)):
        return (DEPENDENT,)
    wild = [_named(column, names) for column in columns if _has_wild_values(X[:, column])]
    return tuple(WILD.format(name) for name in wild) or (NO_BOUND,)


def _that_a_width_scales(X: FloatArray, config: RunConfig) -> FloatArray:
    """Return X (N, D) without the cells at ends of hurdles and shares, of which a width says nothing."""
    kinds = family_class(config.family).kinds_under(config.prior_dict, X.shape[1])
    kinds = config.kinds if config.kinds and len(config.kinds) == len(kinds) else kinds
    all_ends = [ends_of(kind) for kind in kinds]
    at_end = [end_of(x, ends) < len(ends) for x, ends in zip(X.T, all_ends, strict=True)]
    return np.where(np.column_stack(at_end), np.nan, X)


def _depend(X: FloatArray) -> bool:
    """Whether columns of a cluster (n, D) are exact combinations of others, as far as its rows can tell."""
    complete = X[~np.isnan(X).any(axis=1)]
    if len(complete) <= X.shape[1]:
        return False
    centred = complete - complete.mean(axis=0)
    sizes = np.linalg.svd(centred / np.maximum(centred.std(axis=0), np.finfo(np.float64).tiny), compute_uv=False)
    return bool(sizes[-1] <= ROUNDED * sizes[0])


def _has_wild_values(column: FloatArray) -> bool:
    """Whether the spread of a column (N,) is that of a few values, beside which all others are nearly equal."""
    known = column[~np.isnan(column)]
    low, high = np.quantile(known, (0.1, 0.9))
    return bool(high - low <= WILD_SPREAD * known.std())


def _without_spread(X: FloatArray, columns: IntArray, labels: IntArray) -> Iterator[tuple[IntArray, int, float]]:
    """Rows of a cluster, column and value if (nearly) all points, more than there are columns, have that value."""
    for k in np.unique(labels):
        rows = np.flatnonzero(labels == k)
        if len(rows) <= len(columns):
            continue
        for column in map(int, columns):
            known = rows[~np.isnan(X[rows, column])]
            if len(known) <= len(columns):
                continue
            values, counts = np.unique(X[known, column], return_counts=True)
            most = int(np.argmax(counts))
            if counts[most] >= NEARLY_ALL * len(known):
                yield known, column, float(values[most])


def _named(column: int, names: Sequence[str]) -> str:
    return f"Column “{names[column]}”" if len(names) > column else f"Column {column}"


def _note(column: FloatArray, name: str) -> str:
    """Say what rules out narrower widths, in no number of the column, which may be scaled."""
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    if len(values) == 1:
        return f"{name} takes 1 value; leave it out."
    if len(values) <= FEW_VALUES:
        return f"{name} takes {len(values)} values; treat it as categorical, or leave it out."
    most = int(np.argmax(counts))
    if counts[most] > SPIKE * np.median(counts):
        which, taken = ("one", "") if most > 0 else ("its lowest", "if that is zero, take it unscaled as hurdle; else ")
        share = f"{100 * counts[most] / len(column):.0f} % of the rows"
        return f"{name} has {which} value in {share}; {taken}treat it as categorical, or leave it out."
    steps = np.diff(values) / np.min(np.diff(values))
    if np.allclose(steps, np.round(steps), rtol=0, atol=1e-6):
        return f"{name} is rounded to even steps, which hide whether clusters are narrower."
    return f"{name} repeats too many values for narrower clusters; leave out rows that are there several times."
