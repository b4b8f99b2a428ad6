"""Addresses stay short: hyperparameters are written as factors, and what does not fit is left out with a word."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz.analysis.parameters import hyperparameter_values
from dpviz.errors import DpvizError
from dpviz.parameters import FACTOR, Size
from dpviz.ui.compare.links import read_panels, write_panels
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell import links, page_link, prior_factors
from dpviz.ui.shell.page_link import MOST_CHARACTERS, TOO_LONG
from pages import address, close, opened, said, shown_run

WIDE, IRIS = (
    DataChoice("bundled", "breast_cancer_diagnostic", scaling="standardise"),
    DataChoice("bundled", "iris", scaling="standardise"),
)
SHORT = dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, n_init=1, init="single", effort=0.0)


def scaled(config: dpviz.RunConfig, choice: DataChoice, **factors: float) -> dpviz.RunConfig:
    """The configuration as the sliders of Explore make it."""
    own = hyperparameter_values(config, prepare(choice).X)
    return replace(config, prior={**dict(config.prior or ()), **{k: own[k] * f for k, f in factors.items()}})


@pytest.mark.parametrize("seed", range(20))
def test_a_multiple_of_the_data_s_own_survives_its_link_exactly_and_is_short(seed):
    rng = np.random.default_rng(seed)
    low, high = np.log(FACTOR.slider_range(Size(100, 64), 1.0)[:2])
    factor = float(f"{np.exp(rng.uniform(low, high)):.{rng.integers(1, 17)}g}")
    base = SHORT if seed % 2 else replace(SHORT, prior={"width": 0.25})
    for choice in (WIDE, IRIS):
        config = scaled(base, choice, psi0=factor)
        query = prior_factors.to_query(config, choice)
        assert len(json.dumps(query)) < 300 and prior_factors.from_query(query, choice) == config
    diagonal = scaled(replace(base, family="normal_gamma"), IRIS, b0=factor)
    assert prior_factors.from_query(prior_factors.to_query(diagonal, IRIS), IRIS) == diagonal


def test_other_arrays_are_written_as_they_are_and_old_links_keep_their_meaning():
    whole = replace(SHORT, prior={"psi0": np.diag([1.0, 2.0, 3.0, 4.0])})
    assert prior_factors.to_query(whole, IRIS) == whole.to_query()
    multiple = scaled(SHORT, IRIS, psi0=2.0)
    assert prior_factors.from_query(multiple.to_query(), IRIS) == multiple
    for plain in (SHORT, dpviz.RunConfig(), dpviz.RunConfig("kmeans"), replace(SHORT, prior={"c0": 2.0})):
        assert prior_factors.to_query(plain, IRIS) == plain.to_query()


@pytest.mark.parametrize(
    "factors",
    [
        "7",
        "[]",
        '{"psi0": "x"}',
        '{"psi0": true}',
        '{"psi0": 0}',
        '{"psi0": 1e999}',
        '{"psi0": NaN}',
        '{"c0": 2}',
        '{"other": 2}',
        "{" * 900,
        "x" * 5000,
    ],
)
def test_factors_of_strangers_are_refused(factors):
    with pytest.raises(DpvizError):
        prior_factors.from_query({**SHORT.to_query(), "factors": factors}, IRIS)


@pytest.mark.parametrize(
    "query",
    [
        {"family": "normal_wishart", "prior": '"auto"'},
        {"family": "normal_wishart"},
        {"algorithm": "kmeans"},
        {"family": "auto"},
        {"family": "mixed", "prior": "null"},
    ],
    ids=str,
)
def test_factors_are_refused_where_nothing_says_of_what(query):
    with pytest.raises(DpvizError, match="need a family by name"):
        prior_factors.from_query({"version": "8", **query, "factors": '{"psi0":2}'}, DataChoice("bundled", "iris"))


def test_explore_follows_and_writes_links_with_factors():
    config = scaled(SHORT, IRIS, psi0=2.0)
    app = opened("explore", **links.state_query(IRIS, config))
    assert shown_run(app).config.prior == config.prior and "factors" in address(app, "run")
    notices: list[str] = []
    panels = write_panels([config, config], IRIS)
    assert 'psi0\\\\":[[' not in panels and read_panels(panels, notices, IRIS) == [config, config] and not notices
    close(app)


def test_what_does_not_fit_into_an_address_is_left_out_with_a_word(monkeypatch):
    noise = np.random.default_rng(0).normal(size=(30, 30))
    own = replace(SHORT, prior={"psi0": noise @ noise.T + 30 * np.eye(30)})
    app = opened("explore", **links.state_query(WIDE, own))
    assert "run" in app.query_params and TOO_LONG not in said(app.main)
    close(app)
    panels = [replace(own, seed=seed) for seed in range(4)]
    app = opened("compare", data=WIDE, panels=write_panels(panels, WIDE))
    assert "panels" not in app.query_params and TOO_LONG in said(app.main)
    close(app)
    monkeypatch.setattr(page_link, "MOST_CHARACTERS", 4_000)
    app = opened("explore", **links.state_query(WIDE, own))
    assert shown_run(app).config.prior == own.prior
    assert "run" not in app.query_params and TOO_LONG in said(app.main)
    assert json.loads(address(app, "data"))["name"] == WIDE.name
    close(app)


def test_of_tune_the_starting_point_goes_first_where_not_everything_fits():
    base = prior_factors.to_query(scaled(SHORT, WIDE, psi0=2.0), WIDE)
    controls = {"concentration.method": "mapdp", "N0.from": 0.02, "N0.n": 3, "N0.to": 50.0}
    asked = {"tab": "N0", "version": 8, "held": {}, **controls, "base": base}
    app = opened("tune", data=WIDE, tune=asked)
    written = json.loads(address(app, "tune"))
    assert controls.items() <= written.items() and "base" not in written and TOO_LONG in said(app.main)
    close(app)


def test_the_proxy_that_hosts_are_told_of_takes_the_longest_address_that_is_written():
    words = (Path(__file__).parents[2] / "docs" / "host.md").read_text().split()
    size = words[words.index("`large_client_header_buffers") + 2]
    assert int(size.removesuffix("k`,")) * 1024 > 2 * MOST_CHARACTERS
