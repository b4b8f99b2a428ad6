"""How clusters look and what is believed of them: missing cells, the family, and its hyperparameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.parameters import hyperparameter_values
from dpviz.config import RunConfig
from dpviz.config_values import is_open
from dpviz.engine.algorithms.base import Algorithm
from dpviz.engine.options import OPTIONS
from dpviz.families import FAMILIES
from dpviz.families.automatic import AUTOMATIC, SHAPE
from dpviz.families.base import WIDTH
from dpviz.fit.width import has_width
from dpviz.parameters import FACTOR, Size
from dpviz.ui.controls import widgets
from dpviz.ui.controls.cluster_controls import can_learn, shape_control, width_control
from dpviz.ui.controls.family_control import family_control, kinds_for
from dpviz.ui.controls.keys import Keys
from dpviz.ui.controls.prior_picture import show_prior_picture
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import PreparedData

ABOUT_MISSING = (
    "MAP-DP and Gibbs need no complete rows. Cells that are left out add nothing to any cost: exact for families "
    "whose columns are independent within a cluster. Filled in, they get a value in every sweep, from the members of a "
    "cluster and the row's other cells: Gibbs draws it, which is exact for every family. MAP-DP chooses a row's "
    "cluster by the cells that are seen, and fills in the most probable values there, which is not exact: such values "
    "have no scatter of their own, so that clusters come out narrower. What is exact is so if cells "
    "are missing at random: what is seen may decide which are missing, not their own values. The two ways have "
    "different nll, which are not comparable; where MAP-DP fills cells in, a sweep may raise it."
)
MISSING_IN_WORDS = {
    "auto": "Left out where the family's columns are independent, else filled in.",
    "marginalise": "Left out: only families of independent columns can do that.",
    "impute": "Filled in, in every sweep; below the run a table shows the cells. MAP-DP fills real columns only, and "
    "ends without its search.",
}
USUAL = "usual"
"""Stands for an automatic family with the usual hyperparameters, which no control makes."""
COUNTS_IN_WORDS = "counts that vary as Poisson's and over-dispersed ones"


def apply(config: RunConfig, keys: Keys) -> None:
    """Set the controls of hyperparameters to those of a configuration; what no control makes stays as it is given."""
    state.forget(  # sliders start from the data's own prior
        keys.of_data("prior", config.family, parameter.name) for parameter in (WIDTH, *config.hyperparameters)
    )
    width = _width_alone(config)
    state.settings()[keys.of_data("custom prior", config.family)] = None if width else config.prior or USUAL
    if width and has_width(config):
        state.put({keys.of_data("prior", config.family, WIDTH.name): width})


def _width_alone(config: RunConfig) -> float | str | None:
    """Return the width if the prior consists of nothing else and the slider can show it."""
    if is_open(config.prior):
        return AUTOMATIC
    if config.family == AUTOMATIC:
        return None
    if config.prior is None:
        return float(WIDTH.default)
    prior = dict(config.prior or ())
    width = prior.get(WIDTH.name)
    on_slider = len(prior) == 1 and isinstance(width, float) and has_width(config) and WIDTH.allows(width)
    return width if on_slider else None


def missing_controls(keys: Keys, prepared: PreparedData) -> dict[str, str]:
    """Choose how missing cells are treated, if there are any."""
    option = OPTIONS["missing"]
    if not prepared.clustered.incomplete.any():
        return {"missing": str(option.default)}
    words = dict(option.choices)
    chosen: str = widgets.select(
        option.words,
        keys.of_data("missing"),
        list(words),
        option.default,
        format_func=words.__getitem__,
        help=ABOUT_MISSING,
    )
    st.caption(MISSING_IN_WORDS[chosen])
    return {"missing": chosen}


def family_controls(
    keys: Keys, prepared: PreparedData, known: Mapping[str, Any], algorithm: Algorithm
) -> dict[str, Any]:
    """Choose the component family and its hyperparameters, where partition prior and missing cells are ``known``."""
    missing = known["missing"]
    family = family_control(keys.of_data("family"), prepared, missing=missing, algorithm=algorithm.name)
    if family == AUTOMATIC:
        return _automatic_controls(keys, kinds_for(family, prepared))
    kinds = kinds_for(family, prepared)
    fills_in = RunConfig(family=family, prior=None, kinds=kinds, missing=missing).fills_in
    if not (fills_in and prepared.clustered.incomplete.any()):
        FAMILIES[family].check_data(prepared.X, prepared.clustered.feature_names)
    picture = st.container()
    model = RunConfig("mapdp", family=family, prior=None, kinds=kinds, partition=known["partition"], missing=missing)
    model = replace(model, **prepared.choice.model)
    prior = _prior_controls(keys, prepared, model)
    chosen = replace(model, partition=None, prior=prior)
    if not chosen.is_automatic and st.session_state[keys.own("priors")]:
        with picture:
            show_prior_picture(prepared, chosen)
    return {"family": family, "prior": prior, "kinds": kinds}


def _automatic_controls(keys: Keys, kinds: tuple[str, ...] | None) -> dict[str, Any]:
    """Say what a run chooses from the data, or offer to drop the prior from a link."""
    custom = _custom_prior(keys.of_data("custom prior", AUTOMATIC))
    if custom is None:
        st.caption(
            f"Short runs choose between {'full and diagonal covariances' if kinds is None else COUNTS_IN_WORDS}, and "
            "how wide a cluster is, by their nll. Choose a family to set its prior yourself."
        )
        learns = kinds is None and shape_control(keys.of_data("shape"))
        return {"family": AUTOMATIC, "prior": SHAPE if learns else AUTOMATIC, "kinds": kinds}
    return {"family": AUTOMATIC, "prior": None if custom == USUAL else dict(custom), "kinds": kinds}


def _custom_prior(held: str) -> Any:
    """Return the prior from a link, unless the reader drops it."""
    custom = state.settings().get(held)
    if not custom:
        return None
    st.info("The hyperparameters came with a link or a run.")
    if not st.button("Use the data's own instead", key=f"{held}.reset"):
        return custom
    state.settings()[held] = None
    return None


def _prior_controls(keys: Keys, prepared: PreparedData, config: RunConfig) -> dict[str, Any] | str | None:
    """Draw the width first, then sliders for numbers, and factors on the empirical Bayes values of arrays."""
    custom = _custom_prior(keys.of_data("custom prior", config.family))
    if custom is not None:
        return dict(custom)
    if can_learn(config.family) and shape_control(keys.of_data("shape")):
        return SHAPE
    default, size = hyperparameter_values(config, prepared.X), Size(*prepared.X.shape)
    prior: dict[str, Any] = {}
    width_key = keys.of_data("prior", config.family, WIDTH.name)
    width = width_control(width_key) if has_width(config) else WIDTH.default
    if width not in (WIDTH.default, AUTOMATIC):
        prior[WIDTH.name] = width
        default = hyperparameter_values(replace(config, prior=prior), prepared.X)
    for parameter in config.hyperparameters:
        name = keys.of_data("prior", config.family, parameter.name)
        label = f"{parameter.symbol}: {parameter.explanation}"
        if not parameter.varies:
            whose = "the mean of the data" if parameter.role == "location" else "as in the data"
            st.caption(f"{label}; {whose}.")
        elif not parameter.shape:
            typical = float(f"{default[parameter.name]:.4g}")
            chosen = widgets.log_slider(label, name, typical, *parameter.slider_range(size, typical))
            if chosen != typical:
                prior[parameter.name] = chosen
        else:
            label = f"{label}. Times what the data suggest:"
            factor = widgets.log_slider(label, name, 1.0, *FACTOR.slider_range(size, 1.0))
            if factor != 1.0:
                prior[parameter.name] = np.asarray(default[parameter.name]) * factor
    return prior or (AUTOMATIC if width == AUTOMATIC else None)
