"""The methods of the lab, as configurations that knobs complete, and the knobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.options import OPTIONS
from dpviz.families.base import WIDTH
from dpviz.families.mixed import Mixed
from dpviz.live.knobs import Knob, knob_of
from dpviz.parameters import Parameter
from dpviz.partition import ChineseRestaurant, PartitionPrior, PitmanYor, PoweredChineseRestaurant
from dpviz.words import say, say_name

MOST_CLUSTERS = 12
"""As many as have a colour of their own."""
FEWEST_SWEEPS, USUAL_SWEEPS, MOST_SWEEPS = 10, 60, 300
"""Sweeps of a chain; the other methods end by themselves."""
MOST_SWEEPS_OF_SEARCH = 100
USUAL_CONCENTRATION, USUAL_WIDTH = 0.3, 0.125


@dataclass(frozen=True)
class Method:
    """A method of the lab.

    Attributes
    ----------
    name, title : str
        What the address of the page calls it, and people.
    config : RunConfig
        With every knob at its usual place.
    knobs : tuple of str
        Names of its knobs.
    """

    name: str
    title: str
    config: RunConfig
    knobs: tuple[str, ...]

    @property
    def has_model(self) -> bool:
        """Whether it has a density, rather than distances alone."""
        return ALGORITHMS[self.config.algorithm].uses_model

    def of_columns(self, kinds: Sequence[str], has_width: bool) -> Method:
        """Return the method for columns that are each of its own kind, of which some may have a width."""
        prior = {WIDTH.name: USUAL_WIDTH} if has_width else None
        config = replace(self.config, family=Mixed.name, kinds=tuple(kinds), prior=prior)
        return replace(self, config=config, knobs=tuple(name for name in self.knobs if has_width or name != WIDTH.name))

    def written(self) -> dict[str, Any]:
        """As the page reads it; the configuration says all that knobs change."""
        config = {**self.config.to_dict(), "n_init": self.config.n_init}
        if "concentration" in self.knobs:
            config["partition"] = self.config.partition.to_dict()
        method = ALGORITHMS[self.config.algorithm]
        meanings = [say_name(own) for own in method.shape_meanings]
        return {
            "name": self.name,
            "title": say_name(self.title),
            "config": config,
            "knobs": list(self.knobs),
            "objective": method.objective,
            "meanings": meanings,
        }


def _of_prior(prior: type[PartitionPrior], name: str) -> Parameter:
    return next(parameter for parameter in prior.parameters if parameter.name == name)


def _knobs() -> tuple[Knob, ...]:
    concentration = _of_prior(ChineseRestaurant, "concentration")
    power, discount = _of_prior(PoweredChineseRestaurant, "power"), _of_prior(PitmanYor, "discount")
    return (
        knob_of(OPTIONS["n_clusters"], ("n_clusters",), 1, MOST_CLUSTERS, 3, 1),
        knob_of(OPTIONS["penalty"], ("penalty",)),
        knob_of(concentration, ("partition", "concentration"), 0.01, 100.0, USUAL_CONCENTRATION),
        knob_of(power, ("partition", "power"), 1.0, 2.0, 1.1, 0.01),
        knob_of(discount, ("partition", "discount"), 0.0, 0.9, 0.25, 0.01),
        knob_of(replace(WIDTH, title=say("server.width")), ("prior", "width"), 0.002, 8.0, USUAL_WIDTH),
        knob_of(OPTIONS["temperature"], ("temperature",), 0.0, 2.0, 0.0, 0.05),
        knob_of(
            replace(OPTIONS["n_sweeps"], explanation=say("lab_page.length_of_chain")),
            ("n_sweeps",),
            FEWEST_SWEEPS,
            MOST_SWEEPS,
            USUAL_SWEEPS,
            10,
        ),
    )


def _methods() -> tuple[Method, ...]:
    of_model: dict[str, Any] = {"family": "normal_wishart", "prior": {"width": USUAL_WIDTH}}
    chain: dict[str, Any] = {**of_model, "init": "single", "n_init": 1, "n_sweeps": USUAL_SWEEPS, "burn_in": 0}
    restaurant = ChineseRestaurant(USUAL_CONCENTRATION)
    found = (
        (
            "kmeans",
            "K-means",
            RunConfig("kmeans", init="kmeans++", n_init=1, max_sweeps=MOST_SWEEPS_OF_SEARCH),
            ("n_clusters",),
        ),
        (
            "dpmeans",
            "DP-means",
            RunConfig("dpmeans", init="single", n_init=1, order="permuted", max_sweeps=MOST_SWEEPS_OF_SEARCH),
            ("penalty",),
        ),
        (
            "mapdp",
            "MAP-DP",
            RunConfig(
                "mapdp",
                **of_model,
                partition=restaurant,
                init="kmeans++",
                n_init=10,
                order="permuted",
                max_sweeps=MOST_SWEEPS_OF_SEARCH,
            ),
            ("concentration", "width", "temperature"),
        ),
        ("gibbs", "Gibbs", RunConfig("gibbs", **chain, partition=restaurant), ("concentration", "width", "n_sweeps")),
        (
            "powered",
            "Powered CRP",
            RunConfig("gibbs", **chain, partition=PoweredChineseRestaurant(USUAL_CONCENTRATION, power=1.1)),
            ("concentration", "power", "width", "n_sweeps"),
        ),
        (
            "pitman_yor",
            "Pitman–Yor",
            RunConfig("gibbs", **chain, partition=PitmanYor(USUAL_CONCENTRATION, discount=0.25)),
            ("concentration", "discount", "width", "n_sweeps"),
        ),
    )
    return tuple(Method(*parts) for parts in found)


KNOBS, METHODS = _knobs(), _methods()
FIRST_METHODS = ("kmeans", "mapdp")
"""What the lab begins with, side by side."""
