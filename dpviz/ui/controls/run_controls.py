"""The algorithms as people choose them, and the sidebar controls that make a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from dpviz.config import STARTS, RunConfig
from dpviz.engine.kernels.seeding import farthest_first_penalty
from dpviz.families import FAMILIES, Family
from dpviz.families.base import FloatArray
from dpviz.partition import PARTITION_PRIORS, ChineseRestaurant, PartitionPrior
from dpviz.ui.controls import widgets
from dpviz.ui.controls.prior_picture import show_beliefs
from dpviz.ui.session import naming, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData

EXPLANATIONS = {
    "kmeans": "Assigns every point to the nearest of K centres, moves the centres, repeats. K is yours to guess.",
    "dpmeans": "K-means that opens a new cluster when every centre is further than √λ away.",
    "mapdp": "Moves each point to its most probable cluster, or a new one. Finds K itself, stops when nothing moves.",
    "gibbs": "Draws each point's cluster at random by its probability: a chain that visits partitions in proportion "
    "to their posterior.",
    "pcrp": "Gibbs sampling with a powered Chinese restaurant: r > 1 starves the tiny clusters that the plain one "
    "keeps alive.",
    "em": "Fits a mixture of K Gaussians by soft assignments. K is yours to guess.",
}
AUTOMATIC = (
    "Automatic: four times one cluster, then K-means labels with 2 to 12 clusters. With two restarts or more, the best "
    "of them is improved by splitting and merging whole clusters, as long as the nll falls."
)
CUSTOM_PRIOR = "custom prior"
MOST_SINGLETONS = 2000


def default_family(X: FloatArray) -> str:
    """Full covariances where there are points enough to learn them, else independent features."""
    n_points, n_features = X.shape
    return "normal_wishart" if n_points >= 5 * n_features * (n_features + 1) / 2 else "normal_gamma"


@st.cache_resource(max_entries=64, show_spinner=False)
def default_penalty(choice: DataChoice, _X: FloatArray) -> float:
    """λ at which farthest-first traversal finds three clusters, rounded (Kulis & Jordan 2012, Sec. 5)."""
    centred = np.ascontiguousarray(_X - _X.mean(axis=0))
    penalty = farthest_first_penalty(centred, min(3, len(centred)))
    return float(f"{penalty:.2g}") if penalty > 0 else 1.0


def apply(config: RunConfig, choice: DataChoice) -> None:
    """Set all controls so that they make ``config``; call it before they are drawn."""
    key = naming.data_key(choice)
    values: dict[str, Any] = {
        "run.method": naming.method_of(config),
        "run.n_clusters": config.n_clusters,
        "run.n_components": config.n_components,
        f"run.penalty.{key}": config.penalty,
        "run.sweep": config.sweep,
        f"run.family.{key}": config.family,
        "run.sampler": config.sampler,
        f"run.init.{config.algorithm}": config.init if isinstance(config.init, str) else STARTS[config.algorithm][0],
        "run.init_clusters": config.init_clusters or 0,
        f"run.order.{config.algorithm}": config.order,
        f"run.n_init.{config.algorithm}": config.n_init,
        "run.max_sweeps": config.max_sweeps,
        "run.n_sweeps": config.n_sweeps,
        "run.burn_in": config.burn_in,
        "run.thin": config.thin,
        f"run.temperature.{config.algorithm}": config.temperature or 0.0,
        "run.seed": config.seed,
    }
    partition = config.partition
    if partition is not None and partition.name in naming.PLAIN_PRIORS:
        values["run.partition"] = partition.name
        for parameter in partition.parameters:
            values[f"run.partition.{partition.name}.{parameter.name}"] = getattr(partition, parameter.name)
    state.put(values)
    state.settings()[f"{CUSTOM_PRIOR}.{key}.{config.family}"] = config.prior
    for hyperparameter in FAMILIES[config.family].hyperparameters:  # the sliders start from the data's own prior
        for store in (state.settings(), st.session_state):
            store.pop(_prior_key(key, config.family, hyperparameter.name), None)


def method_control() -> str:
    """Choose the algorithm; returns its method name."""
    method: str = widgets.select(
        "Algorithm", "run.method", list(naming.METHODS), "kmeans", format_func=naming.METHODS.__getitem__
    )
    st.caption(EXPLANATIONS[method])
    return method


def run_controls(prepared: PreparedData) -> RunConfig:
    """Draw all controls of a run and return the configuration they stand for."""
    method = method_control()
    options: dict[str, Any] = {"algorithm": "gibbs" if method == "pcrp" else method}
    if method in ("kmeans", "em"):
        name = "n_clusters" if method == "kmeans" else "n_components"
        most = min(30, len(prepared.X))
        options[name] = (
            int(
                widgets.slider("Clusters K", f"run.{name}", min(3, most), 1, most, 1, help="How many clusters to make.")
            )
            if most > 1
            else 1
        )
    elif method == "dpmeans":
        options |= _dp_means_controls(prepared)
    else:
        options["partition"] = _partition_controls(method, len(prepared.X))
        options |= _family_controls(prepared)
    options |= _search_controls(method, options, len(prepared.X))
    return RunConfig(**options)


def _dp_means_controls(prepared: PreparedData) -> dict[str, Any]:
    typical = default_penalty(prepared.choice, prepared.X)
    penalty = widgets.log_slider(
        "Penalty λ",
        f"run.penalty.{naming.data_key(prepared.choice)}",
        typical,
        typical / 1000,
        typical * 100,
        help="A point further than √λ from every centre opens a cluster. Squared units of the data.",
    )
    sweep = widgets.select(
        "A sweep ends",
        "run.sweep",
        ["full", "until_birth"],
        format_func={"full": "after every point", "until_birth": "when a cluster is born"}.__getitem__,
    )
    return {"penalty": penalty, "sweep": sweep}


def prior_sliders(key: str, name: str, start: Mapping[str, Any]) -> PartitionPrior:
    """Draw a slider per parameter of a partition prior; they begin at the given values, else at the usual ones."""
    values: dict[str, Any] = {}
    for parameter in PARTITION_PRIORS[name].parameters:
        given, own = start.get(parameter.name, parameter.default), f"{key}.{parameter.name}"
        if parameter.slider_range is None:
            values[parameter.name] = given
            continue
        low, high = parameter.slider_range
        label, about = _labelled(parameter.name, parameter.symbol), parameter.explanation
        if parameter.integer:
            value: float = int(widgets.slider(label, own, int(given), int(low), int(high), 1, help=about))
        elif parameter.name == "concentration" and low > 0:
            value = widgets.log_slider(label, own, float(given), low, high, help=about)
        else:
            value = widgets.slider(label, own, float(given), low, high, 0.01, help=about)
        values[parameter.name] = value
    return PARTITION_PRIORS[name](**values)


def _partition_controls(method: str, n_points: int) -> PartitionPrior:
    """Choose the partition prior and its parameters from their metadata."""
    if method == "pcrp":
        name = "powered"
    else:
        names = [n for n in naming.PLAIN_PRIORS if method == "mapdp" or n != "powered"]
        name = widgets.select(
            "Partition prior",
            "run.partition",
            names,
            ChineseRestaurant.name,
            format_func=lambda n: PARTITION_PRIORS[n].title,
            help="What is believed about cluster numbers and sizes before seeing any data.",
        )
    usual = {"concentration": 1.0 if method == "pcrp" else 3.0, "power": 1.1}
    prior = prior_sliders(f"run.partition.{name}", name, usual)
    st.caption(
        f"Before seeing data this expects {expected_clusters(prior, n_points)} clusters among {n_points:,} points."
    )
    return prior


def _labelled(name: str, symbol: str) -> str:
    """Name of a control in words, with the symbol that formulas and titles use."""
    words = {"n_components": "Most clusters possible"}.get(name, name.replace("_", " ").capitalize())
    return f"{words} {symbol}"


@st.cache_resource(max_entries=256, show_spinner=False)
def expected_clusters(prior: PartitionPrior, n_points: int) -> str:
    """Exact prior mean of K in words; the recursion behind it refuses some sizes."""
    try:
        return f"{prior.mean_n_clusters(n_points):.3g}"
    except ValueError:
        return "an unknown number of"


def _prior_key(key: str, family: str, parameter: str) -> str:
    return f"run.prior.{key}.{family}.{parameter}"


def _family_controls(prepared: PreparedData) -> dict[str, Any]:
    """Choose the component family and its hyperparameters."""
    key = naming.data_key(prepared.choice)
    family = widgets.select(
        "Clusters look like",
        f"run.family.{key}",
        list(FAMILIES),
        default_family(prepared.X),
        format_func=lambda name: FAMILIES[name].title.partition(" (")[0],
        help="How points scatter inside a cluster. Full covariance: ellipses of any direction; independent features: "
        "ellipses along the axes; spherical: circles of one given width; known covariance: copies of one ellipse.",
    )
    picture = st.container()
    with st.expander("Prior of a cluster's shape"):
        prior = _prior_controls(prepared, FAMILIES[family], key)
    with picture:
        show_beliefs(prepared, RunConfig(family=family, prior=prior))
    return {"family": family, "prior": prior}


def _prior_controls(prepared: PreparedData, family: type[Family], key: str) -> dict[str, Any] | None:
    """Sliders for scalars, and factors on what empirical Bayes gives for vectors and matrices."""
    held = f"{CUSTOM_PRIOR}.{key}.{family.name}"
    custom = state.settings().get(held)
    if custom:
        st.info("The hyperparameters came with a link or a run.")
        if not st.button("Use the data's own instead", key=f"{held}.reset"):
            return dict(custom)
        state.settings()[held] = None
    default = family.default_prior(prepared.X)
    prior: dict[str, Any] = {}
    for parameter in family.hyperparameters:
        name = _prior_key(key, family.name, parameter.name)
        if parameter.shape == "scalar":
            typical = float(f"{default[parameter.name]:.4g}")
            above = prepared.X.shape[1] - 1 if parameter.name == "a0" and family.name == "normal_wishart" else 0.0
            label = f"{parameter.symbol}: {parameter.explanation}"
            chosen = widgets.log_slider(label, name, typical, above + (typical - above) / 100, typical * 1000)
            if chosen != typical:
                prior[parameter.name] = chosen
        elif parameter.lower == -np.inf and parameter.shape == "vector":
            st.caption(f"{parameter.symbol}: {parameter.explanation}; the mean of the data.")
        else:
            label = f"{parameter.symbol}: {parameter.explanation}. Times what the data suggest:"
            factor = widgets.log_slider(label, name, 1.0, 0.001, 100.0)
            if factor != 1.0:
                prior[parameter.name] = np.asarray(default[parameter.name]) * factor
    return prior or None


def _search_controls(method: str, options: dict[str, Any], n_points: int) -> dict[str, Any]:
    """Start, order, length, seed."""
    algorithm = options["algorithm"]
    chosen: dict[str, Any] = {}
    with st.expander("Start, order, length"):
        starts = list(STARTS[algorithm])
        if n_points > MOST_SINGLETONS and "singletons" in starts:
            starts.remove("singletons")  # its first sweep weighs every point against every other
        chosen["init"] = widgets.select(
            "Start", f"run.init.{algorithm}", starts, format_func=naming.STARTS_IN_WORDS.__getitem__,
            help=AUTOMATIC if algorithm == "mapdp" else None,
        )  # fmt: skip
        if algorithm in ("mapdp", "gibbs") and chosen["init"] in ("kmeans++", "random"):
            n_clusters = widgets.number(
                "Starting clusters (0: as the prior expects)", "run.init_clusters", 0, 0, n_points
            )
            chosen["init_clusters"] = n_clusters or None
        if algorithm in ("mapdp", "gibbs", "dpmeans"):
            chosen["order"] = widgets.select(
                "Visiting order",
                f"run.order.{algorithm}",
                list(naming.ORDERS_IN_WORDS),
                {"mapdp": "permuted", "gibbs": "shuffled", "dpmeans": "index"}[algorithm],
                format_func=naming.ORDERS_IN_WORDS.__getitem__,
                help="In which order a sweep visits the points; the result may depend on it.",
            )
        n_init = {"mapdp": 10, "gibbs": 1, "dpmeans": 1, "em": 3}.get(algorithm, 10)
        chosen["n_init"] = widgets.number("Restarts (the best is shown)", f"run.n_init.{algorithm}", n_init, 1, 200)
        if algorithm == "gibbs":
            chosen |= _chain_controls(method)
        else:
            most = {"kmeans": 300, "dpmeans": 500}.get(algorithm, 200)
            chosen["max_sweeps"] = widgets.number("At most this many sweeps", "run.max_sweeps", most, 1, 5000)
        if algorithm in ("mapdp", "gibbs") and chosen.get("sampler", "collapsed") == "collapsed":
            default = 0.0 if algorithm == "mapdp" else 1.0
            temperature = widgets.slider(
                "Temperature",
                f"run.temperature.{algorithm}",
                default,
                0.0,
                2.0,
                0.05,
                help="0 takes the most probable cluster, 1 samples the posterior, between is in between.",
            )
            chosen["temperature"] = temperature
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with right:
        st.button(":material/casino:", key="run.dice", help="Another seed", on_click=_roll, width="stretch")
    with left:
        chosen["seed"] = widgets.number("Seed", "run.seed", 0, 0, 2**32 - 1, help="Same seed, same run.")
    return chosen


def _roll() -> None:
    state.put({"run.seed": int(np.random.default_rng().integers(100_000))})


def _chain_controls(method: str) -> dict[str, Any]:
    n_sweeps = widgets.number("Sweeps", "run.n_sweeps", 300, 2, 100_000)
    burn_in = widgets.number("Burn-in, not kept as draws", "run.burn_in", min(100, n_sweeps - 1), 0, n_sweeps - 1)
    thin = widgets.number("Keep every … sweep", "run.thin", 1, 1, n_sweeps - burn_in)
    samplers = {"collapsed": "Everything integrated out", "explicit_parameters": "Explicit cluster parameters"}
    if state.settings().get("run.partition") == "finite_dirichlet" and method == "gibbs":
        samplers["explicit_weights"] = "Explicit weights and parameters"
    sampler = widgets.select("Sampler", "run.sampler", list(samplers), format_func=samplers.__getitem__)
    return {"n_sweeps": n_sweeps, "burn_in": burn_in, "thin": thin, "sampler": sampler}
