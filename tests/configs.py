"""Configurations that most tests have: a family by name under its usual prior, so that the data choose nothing."""

from __future__ import annotations

from typing import Any

from dpviz.config import RunConfig


def usual_config(algorithm: str = "mapdp", family: str = "normal_wishart", **settings: Any) -> RunConfig:
    """A run under the usual prior of a family."""
    return RunConfig(algorithm, family=family, prior=None, **settings)
