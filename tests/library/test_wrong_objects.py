"""What is no value of a parameter at all: every public function says which one it is and what it wants."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from configs import usual_config

import dpviz
from dpviz import datasets, metrics
from dpviz.analysis import (
    effort,
    elicitation,
    grids,
    posterior,
    prediction,
    prior_laws,
    profiles,
    sampling,
    search,
    selection,
)
from dpviz.analysis.grids import Axis, Grid
from dpviz.datasets import tables

X = np.random.default_rng(0).normal(size=(12, 2)).round(3)
LABELS = np.arange(12) % 3
DRAWS = np.array([LABELS, np.arange(12) % 2, LABELS, np.arange(12) // 4])
CHAINS = np.random.default_rng(1).normal(size=(2, 40))
CONFIG = usual_config(family="normal_gamma", n_init=1, init="single", effort=0.0)
CHAIN = usual_config("gibbs", "normal_gamma", n_sweeps=6, burn_in=1)
PRIOR = dpviz.ChineseRestaurant(1.0)
WRONG = {
    "a number": 5,
    "a negative number": -1,
    "half": 0.5,
    "nan": float("nan"),
    "text": "x",
    "nothing": None,
    "an array": np.arange(6.0).reshape(3, 2),
    "labels of others": np.arange(3),
    "an empty list": [],
    "a list of texts": ["a", "b"],
    "a dict": {"a": 1},
    "a frame": pd.DataFrame({"a": [1.0, 2.0]}),
    "rows of different lengths": [[1.0, 2.0], [3.0]],
    "an object": object(),
    "a class": int,
    "true": True,
    "a huge number": 10**400,
}


class Call(NamedTuple):
    """A public function and arguments with which it works."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    right: dict[str, Any] = {}  # noqa: RUF012
    """Arguments that are not replaced: data are tried in the tests of bad data."""


@cache
def trace() -> dpviz.Trace:
    return dpviz.run(X, CONFIG)


@cache
def chain() -> dpviz.Trace:
    return dpviz.run(X, CHAIN)


@cache
def with_filled_cells() -> tuple[np.ndarray, dpviz.Trace]:
    gaps = X.copy()
    gaps[3, 1] = np.nan
    return gaps, dpviz.run(gaps, usual_config(n_init=1, effort=0.0))


@cache
def cell() -> Any:
    base = dpviz.RunConfig("kmeans", n_clusters=2, n_init=1)
    (found,) = grids.latest_cells(grids.run_grid(X, Grid(base, (Axis("n_clusters", (2,)),)), n_jobs=1))
    return found


@cache
def calls() -> dict[str, Call]:
    """Every function by its name; arguments are small."""
    gaps, filled = with_filled_cells()
    of_draws = {"draws": DRAWS, "loss": "binder"}
    made: dict[str, Call] = {
        "dpviz.run": Call(dpviz.run, {"X": X, "config": CONFIG, "should_stop": None}),
        "dpviz.iterate": Call(dpviz.iterate, {"X": X, "config": CONFIG}),
        "dpviz.resume": Call(dpviz.resume, {"X": X, "trace": chain(), "n_sweeps": 7, "should_stop": None}),
        "dpviz.second_opinion": Call(
            dpviz.second_opinion, {"X": X, "trace": trace(), "n_sweeps": 4, "should_stop": None}
        ),
        "dpviz.explain_assignment": Call(dpviz.explain_assignment, {"X": X, "trace": trace(), "sweep": -1, "point": 0}),
        "dpviz.check_result": Call(dpviz.check_result, {"X": X, "trace": trace()}),
        "dpviz.imputed_cells": Call(dpviz.imputed_cells, {"X": gaps, "trace": filled}),
        "dpviz.compare_traces": Call(
            dpviz.compare_traces,
            {"traces": [trace()], "X": X, "labels": LABELS, "titles": ["a"], "feature_names": ["u", "v"], "notes": []},
        ),
        "dpviz.lab": Call(dpviz.lab, {"X": X}),
        "dpviz.RunConfig": Call(dpviz.RunConfig, dict(vars(CHAIN))),
        "dpviz.Beta": Call(dpviz.Beta, {"a": 1.0, "b": 2.0}),
        "dpviz.Gamma": Call(dpviz.Gamma, {"shape": 1.0, "rate": 2.0}),
        "dpviz.Shifted": Call(dpviz.Shifted, {"origin": 1.0, "law": dpviz.Gamma(1.0, 2.0)}),
        "dpviz.ChineseRestaurant": Call(dpviz.ChineseRestaurant, {"concentration": 1.0}),
        "dpviz.FiniteDirichlet": Call(dpviz.FiniteDirichlet, {"concentration": 1.0, "n_components": 4}),
        "dpviz.PitmanYor": Call(dpviz.PitmanYor, {"concentration": 1.0, "discount": 0.2}),
        "dpviz.PoweredChineseRestaurant": Call(dpviz.PoweredChineseRestaurant, {"concentration": 1.0, "power": 1.2}),
        "dpviz.GeneralizedChineseRestaurant": Call(
            dpviz.GeneralizedChineseRestaurant, {"concentration": 1.0, "log_g": (0.0, 0.5, 1.0)}
        ),
        "posterior.as_draws": Call(posterior.as_draws, {"draws": DRAWS}),
        "posterior.attachment": Call(posterior.attachment, {"draws": DRAWS, "partition": LABELS}),
        "posterior.autocorrelation": Call(posterior.autocorrelation, {"series": CHAINS, "max_lag": 5, "burn_in": 1}),
        "posterior.certain_clusters": Call(
            posterior.certain_clusters, {"draws": DRAWS, "probability": 0.9, "n_starts": 2, "random_state": 0}
        ),
        "posterior.chain_diagnostics": Call(posterior.chain_diagnostics, {"series": CHAINS, "burn_in": 1}),
        "posterior.co_clustering": Call(posterior.co_clustering, {"draws": DRAWS, "max_points": 9, "random_state": 0}),
        "posterior.credible_ball": Call(posterior.credible_ball, {**of_draws, "centre": LABELS, "probability": 0.9}),
        "posterior.display_order": Call(
            posterior.display_order, {"probabilities": posterior.co_clustering(DRAWS).probabilities}
        ),
        "posterior.expected_loss": Call(posterior.expected_loss, {**of_draws, "partition": LABELS}),
        "posterior.expected_losses_of_draws": Call(posterior.expected_losses_of_draws, of_draws),
        "posterior.law_of_n_clusters": Call(
            posterior.law_of_n_clusters, {"n_clusters": np.array([[1, 2, 3, 2]]), "burn_in": 1}
        ),
        "posterior.losses": Call(posterior.losses, {**of_draws, "partition": LABELS}),
        "posterior.pairs_in_one_cluster": Call(posterior.pairs_in_one_cluster, {"draws": DRAWS, "partition": LABELS}),
        "posterior.point_uncertainty": Call(posterior.point_uncertainty, {"draws": DRAWS, "partition": LABELS}),
        "posterior.raftery_lewis": Call(
            posterior.raftery_lewis, {"chain": CHAINS[0], "q": 0.5, "r": 0.4, "s": 0.5, "precision": 0.01}
        ),
        "posterior.rank_histogram": Call(posterior.rank_histogram, {"series": CHAINS, "n_bins": 4, "burn_in": 1}),
        "posterior.ranked_sizes": Call(posterior.ranked_sizes, {"draws": DRAWS, "n_largest": 3}),
        "posterior.summary_partition": Call(
            posterior.summary_partition, {**of_draws, "max_clusters": 3, "n_starts": 2, "random_state": 0}
        ),
        "posterior.verdict": Call(
            posterior.verdict, {"scalars": {"K": CHAINS}, "burn_in": 1, "has_split_merge": False}
        ),
        "effort.same_starts": Call(effort.same_starts, {"config": CONFIG, "n_starts": 2}),
        "elicitation.concentration_for": Call(
            elicitation.concentration_for, {"prior": PRIOR, "n_points": 20, "lower": 2, "upper": 4}
        ),
        "grids.run_grid": Call(
            grids.run_grid, {"X": X, "grid": Grid(CONFIG, (Axis("concentration", (1.0,)),))}, {"n_jobs": 1}
        ),
        "prediction.predict": Call(prediction.predict, {"X": X, "trace": trace()}, {"points": X[:2]}),
        "prediction.contribution_table": Call(
            prediction.contribution_table, {"X": X, "trace": trace(), "names": ("u", "v")}, {"point": X[0]}
        ),
        "prior_laws.growth_of_n_clusters": Call(prior_laws.growth_of_n_clusters, {"prior": PRIOR, "n_points": [2, 5]}),
        "prior_laws.seat": Call(prior_laws.seat, {"prior": PRIOR, "n_points": 5, "random_state": 0}),
        "profiles.column_tests": Call(
            profiles.column_tests,
            {"X": X, "labels": LABELS, "kinds": ("continuous", "continuous"), "names": ("u", "v")},
        ),
        "sampling.different_starts": Call(sampling.different_starts, {"config": CHAIN, "n_chains": 2, "n_points": 12}),
        "sampling.pooled_draws": Call(sampling.pooled_draws, {"traces": [chain()], "burn_in": 1, "most": 10}),
        "search.expected_best": Call(search.expected_best, {"nlls": [1.0, 2.0, 3.0]}),
        "selection.penalty_for": Call(selection.penalty_for, {"X": X, "n_clusters": 2}),
        "selection.bic": Call(selection.bic, {"cell": cell(), "n_features": 2}),
        "selection.best_by_bic": Call(selection.best_by_bic, {"cells": [cell()], "n_features": 2}),
        "selection.bic_grid": Call(selection.bic_grid, {"base": dpviz.RunConfig("kmeans"), "largest": 3}),
        "selection.best_cell": Call(selection.best_cell, {"cells": [cell()], "criterion": "objective"}),
        "selection.concentration_mode": Call(
            selection.concentration_mode, {"n_points": 20, "n_clusters": 3, "shape": 1.0, "rate": 0.1}
        ),
    }
    for name in metrics.__all__:
        arguments = {"labels_true": LABELS, "labels_pred": LABELS[::-1]}
        made[f"metrics.{name}"] = Call(getattr(metrics, name), arguments)
    return made


def done(call: Call, **changed: Any) -> None:
    result = call.function(**call.right | call.arguments | changed)
    if isinstance(result, Iterator):
        for _ in result:
            pass


TABLE = tables.read_text("u,v,w\n1.5,red,3\n2.5,blue,4\n3.25,red,4\n")


@cache
def calls_of_data() -> dict[str, Call]:
    """Every function that makes or reads data."""
    data = tables.to_dataset(TABLE)
    decision = tables.decide(TABLE.frame)
    content = b"u,v\n1,2\n3,4\n"
    chosen = {"kinds": {"u": "continuous"}, "features": ["u", "w"], "label": "v", "gaps": True}
    written = {"separator": ",", "decimal": ".", "header": True, "repair": False, "accepted": [("u", 3.0)]}
    weights = {"n_weights": 3, "random_state": 0, "sizes": [1, 2]}
    return {
        "datasets.display_coordinates": Call(
            datasets.display_coordinates, {"dataset": data, "choice": "columns", "columns": ["u"], "labels": [0, 1, 0]}
        ),
        "datasets.dot_stack": Call(datasets.dot_stack, {"values": [1.0, 2.0, 2.0], "n_bins": 9}),
        "datasets.fill": Call(datasets.fill, {"kinds": ["continuous", "continuous"]}, {"X": X}),
        "datasets.from_points": Call(datasets.from_points, {"points": X, "labels": LABELS}),
        "datasets.load": Call(datasets.load, {"name": "iris", "gaps": False}),
        "datasets.names": Call(datasets.names, {}),
        "datasets.pca": Call(datasets.pca, {"X": X, "n_components": 1, "whiten": True}),
        "datasets.one_hot": Call(datasets.one_hot, {"coding": "dummy"}, {"dataset": data}),
        "datasets.scale": Call(datasets.scale, {"method": "robust", "feature_names": ["u", "v"]}, {"X": X}),
        "datasets.synthesize": Call(datasets.synthesize, {"scenario": "crp_mixture", "n": 20, "seed": 1}),
        "tables.dataset_of": Call(tables.dataset_of, {"table": TABLE, "decision": decision, "name": "t"}),
        "tables.decide": Call(tables.decide, chosen, {"frame": TABLE.frame}),
        "tables.decide by itself": Call(tables.decide, {"frame": TABLE.frame}),
        "tables.export_csv": Call(tables.export_csv, {"frame": TABLE.frame}),
        "tables.infer_kinds": Call(tables.infer_kinds, {"frame": TABLE.frame}),
        "tables.read_isolated": Call(tables.read_isolated, {}, {"content": content, "filename": "a.csv"}),
        "tables.read_like": Call(tables.read_like, {"dataset": data}, {"read": lambda decimal: TABLE}),
        "tables.read_points": Call(tables.read_points, {"table": TABLE, "dataset": data}),
        "tables.read_table": Call(
            tables.read_table, {"data": content, "filename": "a.csv", "encoding": "utf-8", **written}
        ),
        "tables.read_text": Call(tables.read_text, written, {"pasted": content.decode()}),
        "tables.to_dataset": Call(tables.to_dataset, {"table": TABLE, "name": "t", **chosen}),
        "ChineseRestaurant.sample_weights": Call(PRIOR.sample_weights, weights),
        "MixtureOfFiniteMixtures.sample_weights": Call(dpviz.MixtureOfFiniteMixtures(1.0).sample_weights, weights),
        "RunConfig.from_query": Call(dpviz.RunConfig.from_query, {"query": CONFIG.to_query()}),
    }


def public(module: Any, name: str) -> set[str]:
    """Names of a package's functions; classes hold results, but for those with which runs are configured."""
    return {f"{name}.{one}" for one in module.__all__ if inspect.isfunction(getattr(module, one))}


def test_every_public_function_is_tried():
    assert public(dpviz, "dpviz") | public(posterior, "posterior") | public(metrics, "metrics") <= set(calls())
    assert public(datasets, "datasets") | public(tables, "tables") <= set(calls_of_data())
    for name, call in (calls() | calls_of_data()).items():
        done(call)
        unknown = set(call.arguments | call.right) - set(inspect.signature(call.function).parameters)
        assert not unknown, name


def complaint(call: Call, parameter: str, wrong: Any) -> str:
    """Say what is wrong with the answer to a wrong object; empty for a result or a sentence about the parameter."""
    try:
        done(call, **{parameter: wrong})
    except (ValueError, TypeError, UserWarning) as error:
        text = str(error)
        named = re.search(rf"(?<![a-z]){parameter}(?![a-z])", text)
        if not named or "ambiguous" in text or "unhashable" in text or "not supported between" in text:
            return f"{type(error).__name__}: {text[:150]}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return ""


def test_wrong_objects_are_named_in_a_sentence():
    found = {
        f"{name}({parameter}={said})": problem
        for name, call in (calls() | calls_of_data()).items()
        for parameter in call.arguments
        for said, wrong in WRONG.items()
        if (problem := complaint(call, parameter, wrong))
    }
    assert found == {}
