"""Nothing, the whole, or a share between: percent of a budget, marks on a scale from 0 to 100, parts of a day.

Within a cluster a cell is 0 or the whole with chances of its own, and where it is neither, its logit is normal with
unknown mean and variance: a hurdle with two ends (FORMULAS §8.4). The chances of the three are Dirichlet, which is the
same as two yes/no columns with beta priors: is it 0, and if not, is it the whole. The density of a share x of a whole T
is that of its logit times T/(x (T − x)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, require_values
from dpviz.families.columns.base import example_groups, positive_numbers, weight_parameter
from dpviz.families.columns.binomial import BINOMIAL, Binomial, log_ways
from dpviz.families.columns.hurdle import (
    APART,
    HURDLE,
    Cells,
    Hurdle,
    HurdleShapes,
    cells_at,
    log_marginal_on_line,
)
from dpviz.families.columns.kinds import Pair, no_own_term
from dpviz.hurdles import BAR_OF_SHARES, ROUNDED, to_ends, usual_wholes
from dpviz.parameters import Parameter
from dpviz.periods import LONGEST_PERIOD, SHORTEST_PERIOD, share, whole_of
from dpviz.periods import SHARE as KIND

EXAMPLE_WHOLE = 4.0
_SMALLEST = 1e-300
"""Stands for a logarithm that is 0 in columns where 0 says that a cell is the whole."""


@dataclass(frozen=True, eq=False)
class Share(Hurdle):
    """Per column: 0, the whole or neither by (p0, p1, p) ~ Dirichlet; else logit(x/whole) ~ N(μ, 1/τ) as of a hurdle.

    Attributes
    ----------
    omega0 : ndarray (D,)
        Wholes that the prior has seen, > 0, beside alpha0 zeros and beta0 others.
    whole : ndarray (D,)
        The largest possible value: 1 for shares, 100 for percent; > 0.
    """

    omega0: FloatArray
    whole: FloatArray

    name: ClassVar[str] = "share"
    title: ClassVar[str] = "Nothing, the whole, or a share, independent columns (logit-normal with two ends)"
    kind: ClassVar[str] = KIND
    support: ClassVar[str] = "numbers from 0 to the whole"
    end_weights: ClassVar[tuple[str, ...]] = ("alpha0", "omega0")
    n_apart: ClassVar[int] = 3
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "prior zeros: expected is a share of α₀/(α₀ + ω₀ + β₀)", "weight"),
        weight_parameter("omega0", "ω₀", "prior wholes: expected is a share of ω₀/(α₀ + ω₀ + β₀)", "weight"),
        weight_parameter("beta0", "β₀", "prior values between: α₀ + ω₀ + β₀ small lets clusters roam", "weight"),
        *(parameter for parameter in Hurdle.hyperparameters if parameter.name in ("m0", "c0", "a0")),
        replace(
            next(parameter for parameter in Hurdle.hyperparameters if parameter.name == "b0"),
            explanation="prior spread: logits in a cluster have a variance of b₀/(a₀ − 1)",
        ),
        Parameter(
            name="whole",
            symbol="T",
            explanation="largest possible value: 1 for shares, 100 for percent",
            lower=SHORTEST_PERIOD,
            lower_allowed=True,
            upper=LONGEST_PERIOD,
            log=True,
            role="count",
            shape=("D",),
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Give the shares of both ends two trials' worth in all, and logits what real columns get (FORMULAS §5).

        Without a whole the values are taken for shares of 1 or of 100, whichever is the first to hold them.
        """
        whole = usual_wholes(X)
        return {**cls.prior_of_cells(cells_at(to_ends(X, whole), whole)), "whole": whole}

    @classmethod
    def default_prior_beside(cls, given: Mapping[str, Any], X: FloatArray) -> dict[str, Any]:
        """Find the logits in the given whole."""
        whole = positive_numbers(given.get("whole"), X.shape[1])
        return cls.default_prior(X) if whole is None else cls.prior_of_cells(cells_at(to_ends(X, whole), whole))

    @classmethod
    def prior_of_kinds(cls, kinds: Sequence[str]) -> dict[str, Any]:
        """Return the wholes that kinds such as ``"share 100"`` name, if all do."""
        wholes = [whole_of(kind) for kind in kinds]
        return {} if None in wholes else {"whole": np.array(wholes)}

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column with its whole."""
        return tuple(share(float(whole)) for whole in self.whole[:n_features])

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless no value is negative, but for rounding."""
        require_values(X, X >= -ROUNDED * usual_wholes(X), cls.name, "a number ≥ 0", "Choose columns of shares.", names)

    def check_points(self, X: FloatArray) -> None:
        """Raise unless every value of X (n, D) is from 0 to its column's whole, but for rounding."""
        self.check_data(X)
        for d, whole in enumerate(self.whole):
            allowed = np.ones(X.shape, dtype=bool)
            allowed[:, d] = X[:, d] <= whole * (1 + ROUNDED)
            bound, advice = f"at most the whole, {whole:g}", "Correct the data or prior['whole']."
            require_values(X, allowed, self.name, bound, advice)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Shares of each column's spread."""
        width = X.std(axis=0) if len(X) else np.ones(X.shape[1])
        return np.asarray(X / np.where(width > 0, width, 1.0))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw shares of 4 about three levels, the lower with more zeros and the higher with more wholes."""
        levels, rng = example_groups(n_points, n_features, seed)
        shares = levels / (1.5 + levels)
        between = 1 / (1 + np.exp(-rng.normal(np.log(levels), 0.7)))
        at_end = rng.random(levels.shape) < 0.4
        return np.where(at_end, rng.random(levels.shape) < shares, between) * EXAMPLE_WHOLE

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        omega0 = np.linspace(0.4, 0.8, n_features)
        return {**super().example_prior(n_features), "omega0": omega0, "whole": np.full(n_features, EXAMPLE_WHOLE)}

    # --- the model ----------------------------------------------------------------------------------------------------

    def cells(self, X: FloatArray) -> Cells:
        """Return what the cells of X (n, D) are."""
        return cells_at(X, self.whole)

    def apart(self, X: FloatArray) -> FloatArray:
        """Return working data (n, 3D): logits, whether cells are zero, and of others the log of the logit's slope.

        This is 0 where a cell is the whole. What misses an end by rounding alone is at it.
        """
        Y, ends, log_slopes = self.cells(to_ends(X, self.whole))
        others = np.where(ends == 1, 0.0, np.where(log_slopes == 0, _SMALLEST, log_slopes))
        return np.ascontiguousarray(np.hstack([Y, np.where(np.isnan(X), np.nan, ends == 0), others]))

    def values(self, Y: FloatArray, at_end: IntArray) -> FloatArray:
        """Return cells (n, D) from their logits and from which end they are at, 2 if at none."""
        shares = np.clip(1 / (1 + np.exp(-np.clip(Y, -700, 700))), 1e-300, 1 - 2.0**-53)
        return np.choose(at_end, [np.zeros(Y.shape), np.ones(Y.shape), shares]) * self.whole

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \ln(\alpha_d+\omega_d+\beta_d) - \begin{cases} \ln\alpha_d & x_d = 0 \\"
            r" \ln\omega_d & x_d = T_d \\ \ln\beta_d + \ln t_{\nu_d}(y_d \mid m_d, s_d)"
            r" + \ln\frac{T_d}{x_d (T_d - x_d)} & \text{else, } y_d = \ln\frac{x_d}{T_d - x_d} \end{cases}"
        )
        degrees, scale = self.student()
        columns = {
            "x": x, "T": self.whole, "α": self.alpha0, "ω": self.omega0, "β": self.beta0, "m": self.m0, "s": scale,
            "ν": degrees,
        }  # fmt: skip
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def shapes_of(
        self, ends: FloatArray, locations: FloatArray, spreads: FloatArray, degrees: FloatArray, most: float
    ) -> HurdleShapes:
        """Return shapes on the axis of the only column."""
        whole = float(self.whole[0])
        return HurdleShapes(ends, locations, spreads, degrees, BAR_OF_SHARES * whole, whole)

    # --- the kernels --------------------------------------------------------------------------------------------------

    def of_ends(self) -> tuple[Any, ...]:
        """Return the families of the columns that say which cells are zero, and which of the others are the whole."""
        ones = np.ones(len(self.whole), dtype=np.int64)
        return Binomial(self.alpha0, self.omega0 + self.beta0, ones), Wholes(self.omega0, self.beta0, ones)


class ShareApart(Share):
    """The same, of rows of working data (n, 3D)."""

    n_entries: ClassVar[int] = 3

    def cells(self, X: FloatArray) -> Cells:
        """Return what the cells of working data are."""
        Y, is_zero, log_slopes = np.split(X, 3, axis=1)
        return Cells(Y, np.where(is_zero == 0, np.where(log_slopes == 0, 1.0, 2.0), 0.0 * is_zero), log_slopes)


APART[Share] = ShareApart


class Wholes(Binomial):
    """Beside shares that are not zero: is it the whole, one trial; what is not has a term of its own."""


# --- the kernels ------------------------------------------------------------------------------------------------------
# A cell of the columns of wholes is 0 where it is one, and else the term of its own, which is never 0.


@inlined
def _cell_of_wholes(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    return cached[0] + log_ways(state, 1.0 if x == 0.0 else 0.0, d, n, location), 1.0


@inlined
def _with_cell_of_wholes(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    return location + (1.0 if x == 0.0 else 0.0), rest


@inlined
def _without_cell_of_wholes(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    return location - (1.0 if x == 0.0 else 0.0), rest


@inlined
def _itself(state: Any, x: float, d: int) -> float:
    return x


SHARE = replace(
    HURDLE,
    families=(Share, ShareApart),
    beside=Share.of_ends,
    own_term=no_own_term,
    log_marginal=log_marginal_on_line,
)
WHOLES = replace(
    BINOMIAL,
    families=(Wholes,),
    rows=None,
    decades=None,
    log_sizes=None,
    has_factorials=False,
    cell=_cell_of_wholes,
    with_cell=_with_cell_of_wholes,
    without_cell=_without_cell_of_wholes,
    own_term=_itself,
)
