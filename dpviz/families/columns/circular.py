"""Von Mises family: hours, weekdays, directions, and all that begins again after a period.

Within a cluster an angle θ is von Mises about a mean direction μ, with density exp(κ cos(θ − μ))/(2π I₀(κ)). A priori μ
is anywhere, and the concentration κ one of 0, ½, 1, 2, 4, … with equal weights, up to 1/δ² where values are given in
steps of δ: without that bound every value of a few would be a cluster of its own. So both are integrated out exactly.
With R the length of the sum of n unit vectors, their marginal is the mean over these κ of I₀(κR)/(2π I₀(κ))ⁿ, and
depends on how values lie to each other alone: not on where the turn begins (Mardia & Jupp 2000, "Directional
Statistics", §3.5 and §10.4; FORMULAS §8.2).

Statistics are the direction of the sum and what its length lacks, n − R = Σ 2 sin²((θ − direction)/2): a sum of squares
that keeps its digits where values are close together, as n and R would not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import i0e, i1e, logsumexp

from dpviz._jit import inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import InvalidParameterError
from dpviz.families.base import Formula, WorkingData, require_values
from dpviz.families.columns.base import ColumnFamily, positive_numbers
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.shapes import Shapes
from dpviz.parameters import Parameter
from dpviz.periods import CIRCULAR as KIND
from dpviz.periods import LONGEST_PERIOD, SHORTEST_PERIOD, circular, is_within_turn, period_of, usual_period

TURN = 2.0 * math.pi
LEAST_CONCENTRATION = 0.5
MOST_CONCENTRATIONS = 18
"""Besides 0: ½, 1, 2, … 65,536, of which a cluster is .2° wide, as one minute of a day is."""
_CONCENTRATIONS = LEAST_CONCENTRATION * 2.0 ** np.arange(MOST_CONCENTRATIONS)
_LOG_HEIGHTS = -np.log(i0e(_CONCENTRATIONS))
"""κ − ln I₀(κ): by how much a density exceeds that of the uniform one at its peak (nats)."""
LEAST_FINEST = 100.0
"""Bound on the concentrations of numbers without steps where they are too few for 1/δ², δ being the mean distance."""
_STEPS = (1.0, 1 / 2, 1 / 4, 1 / 10, 1 / 12, 1 / 20, 1 / 60, 1 / 100, 1 / 1_000, 1 / 3_600)
_IN_STEPS = 1e-6
_NEGLIGIBLE = 60.0
"""Nats below the largest at which a term is nothing to a sum."""
_SHOWN = 361


@dataclass(frozen=True, eq=False)
class CircularShapes(Shapes):
    """Densities on the axis of one column, which go on where the turn begins again.

    Attributes
    ----------
    directions : ndarray (M,)
        Angles of the peaks.
    counts, spreads : ndarray (M,)
        n and n − R of a predictive.
    concentrations : ndarray (M,)
        κ of a von Mises density; NaN for a predictive.
    n_concentrations : int
        How many κ, besides 0, a predictive knows.
    unit, origin : float
        A displayed place is (angle − origin) · unit.
    """

    directions: FloatArray
    counts: FloatArray
    spreads: FloatArray
    concentrations: FloatArray
    n_concentrations: int
    unit: float
    origin: float = 0.0

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return "directions", "counts", "spreads", "concentrations"

    @property
    def n_features(self) -> int:
        """One column."""
        return 1

    def projected(self, directions: FloatArray, origin: FloatArray) -> CircularShapes | None:
        """Return the densities along one axis in other units; None in the plane."""
        if directions.shape != (1, 1) or directions[0, 0] == 0:
            return None
        shapes = (self.directions, self.counts, self.spreads, self.concentrations, self.n_concentrations)
        moved = self.origin + float(origin[0]) / self.unit
        return CircularShapes(*shapes, self.unit * float(directions[0, 0]), moved)

    def grid(self, x: FloatArray) -> FloatArray:
        """Return places all over the turn, and closer ones about the directions."""
        turn = np.sort(self._shown(np.linspace(0.0, TURN, _SHOWN)))
        near = self._shown(np.mod(self.directions, TURN)[:, None] + np.linspace(-0.05, 0.05, 41)).ravel()
        near = near[(near > turn[0]) & (near < turn[-1])]
        return np.unique(np.concatenate([turn, near, [x.min(), x.max()]]))

    def _shown(self, angles: FloatArray) -> FloatArray:
        return (angles - self.origin) * self.unit

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the densities (M, G) per unit of the axis."""
        angles = grid / self.unit + self.origin
        apart = 2.0 * np.sin(0.5 * (angles - self.directions[:, None])) ** 2
        one = -self.concentrations[:, None] * apart - np.log(TURN * i0e(self.concentrations))[:, None]
        known = np.isnan(self.concentrations)
        counts, spreads = np.where(known, self.counts, 0.0)[:, None], np.where(known, self.spreads, 0.0)[:, None]
        found = _log_predictives(counts, spreads, apart, self.n_concentrations) - math.log(TURN)
        return np.exp(np.where(known[:, None], found, one)) / abs(self.unit)


@dataclass(frozen=True, eq=False)
class VonMisesDirections:
    """Parameters of one component.

    Attributes
    ----------
    means : ndarray (D,)
        Angles μ.
    concentrations : ndarray (D,)
        κ.
    periods : ndarray (D,)
        Of the columns, in their units.
    """

    means: FloatArray
    concentrations: FloatArray
    periods: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        apart = 2.0 * np.sin(0.5 * (TURN / self.periods * X - self.means)) ** 2
        return np.asarray((-self.concentrations * apart - np.log(self.periods * i0e(self.concentrations))).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw values (n_points, D) from 0 to a period."""
        angles = random_state.vonmises(self.means, self.concentrations, (n_points, len(self.means)))
        return _within_turn(angles * (self.periods / TURN), self.periods)

    def shapes(self) -> CircularShapes | None:
        """Return the density if there is one column."""
        if len(self.means) > 1:
            return None
        return CircularShapes(
            self.means, np.zeros(1), np.zeros(1), self.concentrations, 0, float(self.periods[0]) / TURN
        )


@dataclass(frozen=True)
class AngularWorkingData(WorkingData):
    """Values as angles, 0 ≤ θ < 2π.

    Attributes
    ----------
    own : Circular
        The family in the units of the data, which says what values are possible.
    """

    own: Circular = None  # type: ignore[assignment]  # always given; the fields before it have defaults

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D), or raise InvalidDataError."""
        self.own.check_points(X)
        return self.own.angles(X)


@dataclass(frozen=True, eq=False)
class Circular(ColumnFamily):
    """Per column: θ ~ von Mises(μ, κ), μ uniform or about m0, κ one of 0, ½, 1, 2, … up to (period/2π resolution)².

    Attributes
    ----------
    period : ndarray (D,)
        After which values begin again: 24 for hours, 360 for degrees; > 0.
    resolution : ndarray (D,)
        In which steps values are given, in their units, > 0: no cluster is narrower.
    m0 : ndarray (D,)
        Direction of what the prior has seen.
    n0, s0 : ndarray (D,)
        How many points that was, ≥ 0, and by how much the sum of their unit vectors is shorter than n0; 0 ≤ s0 ≤ n0.
    """

    period: FloatArray
    resolution: FloatArray
    m0: FloatArray
    n0: FloatArray
    s0: FloatArray

    name: ClassVar[str] = "circular"
    title: ClassVar[str] = "Hours and angles, independent columns (von Mises)"
    kind: ClassVar[str] = KIND
    support: ClassVar[str] = "numbers within one turn"
    has_own_distances: ClassVar[bool] = True
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="period",
            symbol="P",
            explanation="after which values begin again: 24 for hours, 360 for degrees",
            lower=SHORTEST_PERIOD,
            lower_allowed=True,
            upper=LONGEST_PERIOD,
            log=True,
            role="count",
            shape=("D",),
        ),
        Parameter(
            name="resolution",
            symbol="δ",
            explanation="steps in which values are given: no cluster is narrower",
            lower=SHORTEST_PERIOD,
            lower_allowed=True,
            upper=LONGEST_PERIOD,
            log=True,
            role="count",
            shape=("D",),
        ),
        Parameter(
            name="m0",
            symbol="m₀",
            explanation="direction that the prior expects clusters in, if n₀ is not 0",
            lower=-LONGEST_PERIOD,
            upper=LONGEST_PERIOD,
            role="location",
            shape=("D",),
        ),
        Parameter(
            name="n0",
            symbol="n₀",
            explanation="how many points the prior is worth: with 0 clusters may lie anywhere",
            lower=0.0,
            lower_allowed=True,
            upper=1e12,
            explore=(0.0, 20.0),
            shape=("D",),
        ),
        Parameter(
            name="s0",
            symbol="s₀",
            explanation="how far these points are spread: 0 if all are at m₀, n₀ if they are all around",
            lower=0.0,
            lower_allowed=True,
            upper=1e12,
            explore=(0.0, 20.0),
            shape=("D",),
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Expect no direction, and no cluster narrower than the steps in which the values are given.

        Without a period the values are taken for radians, hours or degrees, whichever is the first to hold them.
        """
        period = _usual_periods(X)
        none = np.zeros(X.shape[1])
        return {"period": period, "resolution": resolutions(X, period), "m0": none, "n0": none, "s0": none}

    @classmethod
    def default_prior_beside(cls, given: Mapping[str, Any], X: FloatArray) -> dict[str, Any]:
        """Find the resolution in the given period."""
        period = positive_numbers(given.get("period"), X.shape[1])
        return cls.default_prior(X) | ({} if period is None else {"resolution": resolutions(X, period)})

    @classmethod
    def prior_of_kinds(cls, kinds: Sequence[str]) -> dict[str, Any]:
        """Return the periods that kinds such as ``"circular 24"`` name, if all do."""
        periods = [period_of(kind) for kind in kinds]
        return {} if None in periods else {"period": np.array(periods)}

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column with its period."""
        return tuple(circular(float(period)) for period in self.period[:n_features])

    def check(self, n_features: int) -> None:
        """Raise if the prior's points are spread further than they can be."""
        if np.any(self.s0 > self.n0):
            raise InvalidParameterError(
                f"prior['s0'] = {self.s0.tolist()} must be at most prior['n0'] = {self.n0.tolist()}: as many unit "
                "vectors as n0 are that much shorter, in all, than n0."
            )

    def check_points(self, X: FloatArray) -> None:
        """Raise unless every value of X (n, D) is within one turn, as from 0 to 360 or from −180 to 180 degrees."""
        for d, period in enumerate(self.period):
            allowed = np.ones(X.shape, dtype=bool)
            allowed[:, d] = is_within_turn(X[:, d], period)
            bound = f"within one turn, from {-period / 2:g} to {period:g}"
            advice = f"Take the rest after division by {period:g}, or correct prior['period']."
            require_values(X, allowed, self.name, bound, advice)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Points on a circle for each column, whose periods are guessed."""
        return _on_circles(X * (TURN / _usual_periods(X)))

    def places(self, X: FloatArray) -> FloatArray:
        """Points on a circle for each column: cosine and sine of its angles."""
        return _on_circles(self.angles(X))

    def angles(self, X: FloatArray) -> FloatArray:
        """Return values X (n, D) as angles, 0 ≤ θ < 2π."""
        return np.ascontiguousarray(_within_turn(X * (TURN / self.period), TURN))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw hours about three times of the day, one of them midnight."""
        rng = np.random.default_rng([seed, n_features])
        hours = np.array([0.0, 9.0, 15.0])[rng.permuted(np.tile([0, 1, 2], (n_features, 1)), axis=1).T]
        return np.mod(hours[np.arange(n_points) % 3] + rng.normal(0.0, 1.5, (n_points, n_features)), 24.0)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {
            "period": np.full(n_features, 24.0),
            "resolution": np.linspace(0.4, 0.9, n_features),
            "m0": np.linspace(5.0, 17.0, n_features),
            "n0": np.linspace(1.7, 0.6, n_features),
            "s0": np.linspace(1.1, 0.2, n_features),
        }

    # --- the model ----------------------------------------------------------------------------------------------------

    @property
    def n_concentrations(self) -> IntArray:
        """How many concentrations (D,) there are besides 0: those up to 1/δ²."""
        finest = (self.period / (TURN * self.resolution)) ** 2
        reached = np.floor(np.log2(finest / LEAST_CONCENTRATION) + 1e-9) + 1
        return np.clip(reached, 0, MOST_CONCENTRATIONS).astype(np.int64)

    def posterior(self, X: FloatArray) -> Circular:
        """Hyperparameters after the points X (n, D): the prior's sum of unit vectors, and theirs."""
        angles, before = self.angles(X), TURN / self.period * self.m0
        length = self.n0 - self.s0
        cosines = length * np.cos(before) + np.cos(angles).sum(axis=0)
        sines = length * np.sin(before) + np.sin(angles).sum(axis=0)
        direction = np.arctan2(sines, cosines)
        spread = 2.0 * length * np.sin(0.5 * (before - direction)) ** 2
        spread = self.s0 + spread + 2.0 * (np.sin(0.5 * (angles - direction)) ** 2).sum(axis=0)
        m0 = _within_turn(direction * (self.period / TURN), self.period) if len(X) else self.m0
        count = self.n0 + len(X)
        return Circular(self.period, self.resolution, m0, count, np.minimum(spread, count))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log densities (nats) of each entry of X (n, D)."""
        apart = 2.0 * np.sin(0.5 * TURN / self.period * (X - self.m0)) ** 2
        columns = zip(self.n0, self.s0, apart.T, self.n_concentrations, strict=True)
        found = [_log_predictives(n, spread, own, int(most)) for n, spread, own, most in columns]
        return np.column_stack(found) - np.log(self.period)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D)."""
        after = self.posterior(X)
        columns = zip(after.n0, after.s0, self.n0, self.s0, self.n_concentrations, strict=True)
        ratios = [log_mass(n, s, int(most)) - log_mass(n0, s0, int(most)) for n, s, n0, s0, most in columns]
        return float(np.sum(ratios) - len(X) * np.log(self.period).sum())

    def draw(self, random_state: np.random.Generator) -> VonMisesDirections:
        """Draw concentrations, and the mean directions given them, column by column."""
        means, concentrations = np.empty(len(self.period)), np.empty(len(self.period))
        for d, most in enumerate(self.n_concentrations):
            log_terms = _log_terms(self.n0[d], self.s0[d], int(most))
            chances = np.exp(log_terms - logsumexp(log_terms))
            chosen = random_state.choice(len(chances), p=chances / chances.sum())
            concentrations[d] = 0.0 if chosen == 0 else _CONCENTRATIONS[chosen - 1]
            length = self.n0[d] - self.s0[d]
            means[d] = random_state.vonmises(TURN / self.period[d] * self.m0[d], concentrations[d] * length)
        return VonMisesDirections(means, concentrations, self.period)

    def resultant(self) -> FloatArray:
        """Mean (D,) of the cosine of the angle between one more point and m0."""
        found = np.zeros(len(self.period))
        for d, most in enumerate(self.n_concentrations):
            log_terms = _log_terms(self.n0[d], self.s0[d], int(most))[1:]
            kappa, length = _CONCENTRATIONS[:most], self.n0[d] - self.s0[d]
            shares = np.exp(log_terms - log_mass(self.n0[d], self.s0[d], int(most)))
            found[d] = np.sum(shares * i1e(kappa) / i0e(kappa) * i1e(kappa * length) / i0e(kappa * length))
        return found

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \ln\frac{P_d\,M(n_d, R_d)}{M(n_d+1, R_d^+)},\quad"
            r" M(n, R) = \sum_\kappa \frac{I_0(\kappa R)}{I_0(\kappa)^n},\ \kappa = 0, \tfrac12, 1, 2, \dots"
        )
        columns = {"x": x, "P": self.period, "direction": self.m0, "n": self.n0, "R": self.n0 - self.s0}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> CircularShapes | None:
        """Predictives of slots 0 … K − 1 as densities, if there is one column."""
        if working.X.shape[1] > 1:
            return None
        assert isinstance(working, AngularWorkingData)
        kept, own = slice(len(sizes)), working.own
        return CircularShapes(
            state.location[0, kept].copy(),
            self.n0[0] + sizes,
            state.weight * state.rest[0, kept],
            np.full(len(sizes), np.nan),
            int(own.n_concentrations[0]),
            float(own.period[0]) / TURN,
        )

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 150.0 * n_features

    def working(self, X: FloatArray) -> AngularWorkingData:
        """Move to angles."""
        unit, turn = TURN / self.period, np.full(len(self.period), TURN)
        family = Circular(turn, self.resolution * unit, self.m0 * unit, self.n0, self.s0)
        return AngularWorkingData(family, self.angles(X), self.places(X), float(np.log(unit).sum()), self)


# --- periods and steps ------------------------------------------------------------------------------------------------


def resolutions(X: FloatArray, period: FloatArray) -> FloatArray:
    """Return in which steps the values of each column (D,) are given, with NaN where cells are missing.

    These are fractions of 1, as minutes of an hour are, or of a degree. Numbers without steps have their mean distance
    if they were all around, or less where they are few. Where the turn begins does not matter.
    """
    return np.array([_resolution(x[~np.isnan(x)], float(p)) for x, p in zip(X.T, period, strict=True)])


def _resolution(x: FloatArray, period: float) -> float:
    beyond = np.mod(x - x[0], period) if len(x) else x
    for unit in (1.0, period / 360.0):
        for step in _STEPS:
            multiples = beyond / (unit * step)
            if unit * step < period / 2 and np.all(np.abs(multiples - np.round(multiples)) < _IN_STEPS):
                return unit * step
    return period / max(len(x), TURN * math.sqrt(LEAST_FINEST))


def _usual_periods(X: FloatArray) -> FloatArray:
    """Return the first usual period (D,) in which the values of each column are within a turn."""
    low, high = np.fmin.reduce(X, axis=0, initial=0.0), np.fmax.reduce(X, axis=0, initial=0.0)
    return np.array([usual_period(*bounds) for bounds in zip(low, high, strict=True)])


def _within_turn(x: FloatArray, period: Any) -> FloatArray:
    """Return numbers, 0 ≤ x < period, with the same place on the circle."""
    rest = np.mod(x, period)
    return np.asarray(np.where(rest < period, rest, 0.0))  # a tiny negative number rounds to the period itself


def _on_circles(angles: FloatArray) -> FloatArray:
    """Return cosines and sines (N, 2 D) of angles (N, D)."""
    return np.ascontiguousarray(np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(angles), -1))


# --- marginals --------------------------------------------------------------------------------------------------------


def _log_terms(n: Any, spread: Any, n_concentrations: int) -> FloatArray:
    """Return ln I₀(κR)/I₀(κ)ⁿ (nats) for κ = 0 and the first others, along the last axis."""
    n, spread = np.asarray(n)[..., None], np.asarray(spread)[..., None]
    kappa, heights = _CONCENTRATIONS[:n_concentrations], _LOG_HEIGHTS[:n_concentrations]
    others = n * heights - kappa * spread + np.log(i0e(kappa * (n - spread)))
    return np.concatenate([np.zeros((*others.shape[:-1], 1)), others], axis=-1)


def log_mass(n: Any, spread: Any, n_concentrations: int) -> FloatArray:
    """Return ln Σ_κ I₀(κR)/I₀(κ)ⁿ (nats), R = n − spread, for κ = 0 and the first others."""
    return np.asarray(logsumexp(_log_terms(n, spread, n_concentrations), axis=-1))


def _log_predictives(n: Any, spread: Any, apart: FloatArray, n_concentrations: int) -> FloatArray:
    """Log predictives (nats), beyond that of the uniform law, of angles whose cosine from the direction is 1 − apart.

    One more unit vector makes the sum √((R + 1)² − 2 R apart) long.
    """
    length = n - spread
    longer = np.sqrt(np.maximum((length + 1.0) ** 2 - 2.0 * length * apart, 0.0))
    more = spread + 2.0 * length * apart / (longer + length + 1.0)
    return log_mass(n + 1.0, more, n_concentrations) - log_mass(n, spread, n_concentrations)


# --- the kernels ------------------------------------------------------------------------------------------------------
# The location is the direction of the sum of the prior's and the cells' unit vectors, the rest what its length lacks.
# A cell adds at most 2 to that, so that what is left without it has an error of 1e-15 at most: no more than 1e-10 nats.

_SPLIT, _FAR, _ROOT_OF_TURN = 8.0, 64.0, 1.0 / math.sqrt(TURN)
_KAPPAS, _HEIGHTS = np.append(0.0, _CONCENTRATIONS), np.append(0.0, _LOG_HEIGHTS)
"""With κ = 0 before the others."""


def _numbers(text: str) -> FloatArray:
    return np.array(text.split(), dtype=np.float64)


_LOW = _numbers("""
    5.756343549971158e-08 -1.9605355798072802e-07 2.6976358640240506e-07 -8.116079319127796e-07 3.40935547077e-06
    -9.76433648437099e-06 2.4985714125591586e-05 -6.490538614466838e-05 0.00016258438689552198
    -0.00038338037399145245 0.0008562115441786015 -0.0018116250443864482 0.003617168791684433 -0.006792499052117555
    0.011960065865279956 -0.019682629038771108 0.030177914346756683 -0.042985953837125 0.05677703172948707
    -0.06954119515076042 0.0792752259288991 -0.08496338094411138 0.08734341617467478 -0.08904344135998037
    0.09451562853996405 -0.11300432688621193 0.20700192122398667
""")
_HIGH = _numbers("""
    -3.1309239645338495e-10 -6.800268496457799e-10 1.3785330432725119e-09 4.128198686596344e-09
    -1.0061832367291857e-09 -1.0791208322295336e-08 -8.84879420663213e-09 6.321633881645194e-09
    2.2179786770872475e-08 3.9668994191640696e-08 8.861109502342432e-08 2.973080348686192e-07
    1.4838576212445109e-06 1.1143037354929722e-05 0.0001362160740353235 0.0033605519835957147 0.4021765094450102
""")
"""Chebyshev series as polynomials, of e⁻ᶻ I₀(z) in z/4 − 1 up to 8 and of √z e⁻ᶻ I₀(z) in 16/z − 1 beyond."""


@kernel
def scaled_bessel(z: float) -> float:
    """Return e⁻ᶻ I₀(z) for z ≥ 0, with a relative error below 1e-13; far out by Hankel's expansion."""
    if z > _FAR:
        root = 1.0 / math.sqrt(z)
        u = 0.125 * root * root
        last = u * (459.375 + u * (7441.875 + u * (150077.8125 + u * 3623307.1875)))
        return (1.0 + u * (1.0 + u * (4.5 + u * (37.5 + last)))) * (root * _ROOT_OF_TURN)
    value = 0.0
    if z <= _SPLIT:
        t = 0.25 * z - 1.0
        for coefficient in _LOW:
            value = value * t + coefficient
        return value
    t = 16.0 / z - 1.0
    for coefficient in _HIGH:
        value = value * t + coefficient
    return value / math.sqrt(z)


@inlined
def _log_term(n: float, spread: float, j: int) -> float:
    """Log of term j = 0, 1, 2, …, whose κ is 0, ½, 1, …, but for its Bessel function."""
    return n * _HEIGHTS[j] - _KAPPAS[j] * spread


@inlined
def _bessel_term(length: float, j: int) -> float:
    return scaled_bessel(_KAPPAS[j] * length) if j > 0 else 1.0


@kernel
def mass(n: float, spread: float, n_concentrations: int) -> Pair:
    """Return ln Σ_κ I₀(κR)/I₀(κ)ⁿ, R = n − spread, as a number (nats) and a factor between 1e-7 and 20.

    Without their Bessel functions, which change little, terms rise with κ and then fall: those about the largest, near
    κ = n/(2 spread), are all that matter, and with many points it is one or two.
    """
    length, top = n - spread, n_concentrations
    if spread > 1e-9 * n:
        top = min(math.frexp(n / spread)[1], n_concentrations)
    highest = _log_term(n, spread, top)
    while top < n_concentrations and _log_term(n, spread, top + 1) > highest:
        top += 1
        highest = _log_term(n, spread, top)
    while top > 0 and _log_term(n, spread, top - 1) > highest:
        top -= 1
        highest = _log_term(n, spread, top)
    total = _bessel_term(length, top)
    for step in (-1, 1):
        j = top + step
        while 0 <= j <= n_concentrations:
            below = _log_term(n, spread, j) - highest
            if below < -_NEGLIGIBLE:
                break
            total += math.exp(below) * _bessel_term(length, j)
            j += step
    return highest, total


@inlined
def _length(state: Any, d: int, n: float, rest: float) -> float:
    """Length of the sum of the prior's and n cells' unit vectors."""
    return max(state.prior[d, 0] + n - rest, 0.0)


@inlined
def _mass_of(state: Any, d: int, n: float, rest: float) -> Pair:
    weight = state.weight
    return mass(weight * (state.prior[d, 0] + n), weight * rest, int(state.prior[d, 3]))


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    number, factor = _mass_of(state, d, n, rest)
    return state.shift[d] - state.weight * math.log(TURN) - number - math.log(factor)


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return rest


@inlined
def _spread_with(length: float, rest: float, delta: float) -> float:
    """Return what the length of a sum lacks with one more unit vector, at an angle delta from it."""
    half = math.sin(0.5 * delta)
    lost = 4.0 * length * half * half
    longer = math.sqrt(max((length + 1.0) * (length + 1.0) - lost, 0.0))
    return rest + lost / (longer + length + 1.0)


@inlined
def _spread_without(length: float, rest: float, delta: float) -> float:
    """Return what it lacks without one of its unit vectors, at an angle delta from it."""
    half = math.sin(0.5 * delta)
    gained = 4.0 * length * half * half
    shorter = math.sqrt((length - 1.0) * (length - 1.0) + gained)
    left = rest - gained / (shorter + length - 1.0) if length > 1.0 else rest - (shorter + 1.0 - length)
    return max(left, 0.0)


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    constant, rest = cached
    more = _spread_with(_length(state, d, n, rest), rest, x - location)
    number, factor = _mass_of(state, d, n + 1.0, more)
    return constant + number, factor


@inlined
def _left_out(state: Any, x: float, d: int, n: float, location: float, rest: float, cached: Pair) -> Pair:
    """Divide the marginal of all cells, which the constant knows, by that of the others."""
    rest = _spread_without(_length(state, d, n, rest), rest, x - location)
    number, factor = _mass_of(state, d, n - 1.0, rest)
    unit = state.shift[d] - state.weight * math.log(TURN)
    return 2.0 * unit - cached[0] - number, 1.0 / factor


@inlined
def _with_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    delta, length = x - location, _length(state, d, n, rest)
    turned = math.atan2(math.sin(delta), length + math.cos(delta))
    return location + turned, _spread_with(length, rest, delta)


@inlined
def _without_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    delta, length = x - location, _length(state, d, n + 1.0, rest)
    turned = math.atan2(math.sin(delta), length - math.cos(delta))
    return location - turned, _spread_without(length, rest, delta)


@inlined
def _empty(state: Any, d: int) -> Pair:
    return state.prior[d, 2], state.prior[d, 1]


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    n = state.n_cells[d, k]
    number, factor = _mass_of(state, d, n, state.rest[d, k])
    before, its_factor = _mass_of(state, d, 0.0, state.prior[d, 1])
    return number - before + math.log(factor / its_factor) - state.weight * n * math.log(TURN)


CIRCULAR = Kind(
    families=(Circular,),
    numbers=lambda family: prior_numbers(family.n0, family.s0, family.m0, family.n_concentrations),
    decades=lambda family, n_points: np.full(len(family.period), 8.0),
    spreads=("n0", "s0"),
    constant=_constant,
    factor=_factor,
    cell=_cell,
    left_out=_left_out,
    with_cell=_with_cell,
    without_cell=_without_cell,
    empty=_empty,
    log_marginal=_log_marginal,
)
