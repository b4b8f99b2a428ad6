"""Where powers pay, for the reader's own number of points, power and distance: exact, over twenty draws."""

from __future__ import annotations

import functools

import numpy as np
import streamlit as st

from dpviz.analysis.studies import study_named
from dpviz.analysis.studies.one_cluster import Balance, against_one, limit_of_break_even
from dpviz.config import RunConfig
from dpviz.datasets import synthesize
from dpviz.datasets.model_scenarios import AUTHORS_DEVIATIONS, AUTHORS_WEIGHTS
from dpviz.figures.powered_studies import differences_by_power
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.setting import Setting, control, whole, within
from dpviz.ui.papers.tables import places

STUDY = "lu2018-where-powers-pay"
_POINTS, _POWER, _FACTOR = "papers.powers.n", "papers.powers.r", "papers.powers.factor"
N_DRAWS = 20
FEWEST, MOST, LARGEST_POWER = 50, 2_000, 2.0
NEAREST, FARTHEST = 0.5, 2.0
SETTINGS: tuple[Setting, ...] = (
    control("n", _POINTS, whole(FEWEST, MOST)),
    control("r", _POWER, within(1, LARGEST_POWER)),
    control("distance", _FACTOR, within(NEAREST, FARTHEST)),
)


def show() -> None:
    """Draw three sliders, what they say, and the difference over the powers."""
    first, middle, last = places("papers.powers")
    with first:
        st.markdown("**Your own three numbers**")
        n_points = int(widgets.slider("Points N", _POINTS, 300, FEWEST, MOST, 50))
        power = widgets.slider("Power r", _POWER, 1.1, 1.0, LARGEST_POWER, 0.01)
        factor = widgets.slider("Distance of the means", _FACTOR, 1.0, NEAREST, FARTHEST, 0.05)
    balances = [_balance(n_points, factor, seed) for seed in range(N_DRAWS)]
    for sentence in sentences(balances, n_points, power, factor):
        last.markdown(escape_markdown(sentence))
    with middle:
        chart(differences_by_power(balances, power, LARGEST_POWER), "papers.powers.figure")


def sentences(balances: list[Balance], n_points: int, power: float, factor: float) -> list[str]:
    """Say which of the two is the more probable, in how many draws, and where that turns."""
    differences = np.array([own.difference(power) for own in balances])
    turns = [own.break_even for own in balances]
    n_one = int(np.sum(differences < 0))
    mean = float(differences.mean())
    left, middle, right = _means(factor)
    limit = limit_of_break_even(AUTHORS_WEIGHTS, (left, middle, right), AUTHORS_DEVIATIONS)
    return [
        f"With {n_points:,} points, means {left:.3g}, {middle:.3g} and {right:.3g} and r = {power:.2f}, one cluster "
        f"has an nll {abs(mean):,.1f} nats {'below' if mean < 0 else 'above'} that of the true groups, averaged over "
        f"{len(balances)} draws. It is the more probable in {n_one} of {len(balances)}.",
        f"That turns at r = {np.mean(turns):.2f} on average, and between {min(turns):.2f} and {max(turns):.2f}. With "
        f"ever more points it tends to {limit:.2f}: what one Gaussian for all loses per point, over the entropy of the "
        "groups’ weights.",
    ]


def _means(factor: float) -> tuple[float, float, float]:
    """Return the means of the groups."""
    return 0.0, 2 * factor, 5 * factor


def _balance(n_points: int, factor: float, seed: int) -> Balance:
    """Weigh the groups of a draw, with the prior of the study, against one cluster."""
    _, middle, right = _means(factor)
    data = synthesize("powered_sim_1_authors", n=n_points, seed=seed, middle=middle, right=right)
    return against_one(data, _config())


@functools.cache
def _config() -> RunConfig:
    """Return a configuration of the study: all have one prior."""
    study = study_named(STUDY)
    return study.cells(**study.size("quick"))[0].config
