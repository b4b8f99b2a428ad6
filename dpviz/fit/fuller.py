"""The last word on a model: of the two best by short runs, the one of lower nll in fuller ones.

A short run stops long before the search of the run that follows would, and models differ in how much is left to find.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from dpviz.config import RunConfig
from dpviz.families.powers import Powers
from dpviz.fit.steps import in_threads
from dpviz.fit.width import Steps, Table, WidthChoice, WidthTrial, quick, sampled_problem, trial_steps
from dpviz.fit.words import words_for
from dpviz.text import counted

EFFORT = 0.25
"""Length of the search of each of the two, as a factor on the usual one, whatever the effort of the run to come."""
CLOSE = 0.1
"""Nats a row by which the two may differ in short runs: what is further behind is not followed."""
WORTH = (2.0, 0.01)
"""Nats, and nats per row, that a power must gain over a simpler one: none, then the logarithm."""
SAID = "Followed further, nll is {1:,.1f} nats lower with {0} than with {2}: {3}{4}."
NO_POWERS, POWERS, THESE_AND_OTHERS = "columns as they are", "powers of columns", ["these powers", "other powers"]
REVERSED = "; in short runs it was {0:,.1f} nats higher"


def least_gain(n_points: int) -> float:
    """Return by how much (nats) a power must lower nll of so many rows to be taken over a simpler one."""
    return WORTH[0] + WORTH[1] * n_points


def settle(data: Table, choice: WidthChoice) -> Steps:
    """Return a choice or its runner-up, whichever has the lower nll after a quarter of the search that a run makes.

    Powers that the other does not have must lower it by :func:`least_gain`.

    Parameters
    ----------
    data : Table
        In the units of the columns.
    choice : WidthChoice
        Returned without its runner-up, if that is too far behind.
    """
    alone, rival = replace(choice, runner_up=None), choice.runner_up
    if rival is None:
        return alone
    part = data.for_all(choice.config).for_all(rival.choice.config)
    if not abs(rival.behind) <= CLOSE * len(part.X):
        return alone
    models = (alone.config, rival.choice.config)
    own, other = yield from in_threads([_fuller(part, config) for config in models], len(part.X))
    if not np.isfinite(own.nll - other.nll):
        return alone
    asked = [0.0 if _is_plain(config) else least_gain(len(part.X)) for config in models]
    wins = other.nll + asked[1] < own.nll + asked[0]
    return (replace(rival.choice, runner_up=None) if wins else alone).saying(
        _in_words(models, (own, other), rival.behind, data.names)
    )


def _in_words(
    models: tuple[RunConfig, RunConfig], found: tuple[WidthTrial, WidthTrial], behind: float, names: Sequence[str]
) -> str:
    """Say which of two models has the lower nll, by what they differ in; the second was ``behind`` in short runs."""
    if found[1].nll < found[0].nll:
        models, found, behind = models[::-1], found[::-1], -behind
    said = [words_for(replace(config, transform=None), names) for config in models]
    if models[0].transform != models[1].transform:
        powers = [NO_POWERS if _is_plain(config) else POWERS for config in models]
        powers = THESE_AND_OTHERS if powers[0] == powers[1] else powers
        said = powers if said[0] == said[1] else [f"{one} with {of}" for one, of in zip(said, powers, strict=True)]
    n_clusters = [counted(one.n_clusters, "cluster") for one in found]
    both = f"{n_clusters[0]} either way" if n_clusters[0] == n_clusters[1] else " against ".join(n_clusters)
    reverse = REVERSED.format(-behind) if behind < 0 else ""
    return SAID.format(said[0], found[1].nll - found[0].nll, said[1], both, reverse)


def _is_plain(config: RunConfig) -> bool:
    """Whether no column is transformed."""
    return all(power == 1.0 for power in config.transform or ())


def _fuller(part: Table, config: RunConfig) -> Generator[None, None, WidthTrial]:
    """Search for a quarter as long as a run would, and return the nll (nats) in the units of the columns."""
    problem = sampled_problem(part.under(config).X, replace(quick(config), n_init=None, effort=EFFORT))
    found = yield from trial_steps(problem, 1.0)
    if config.transform is None:
        return found
    return replace(found, nll=found.nll - float(Powers.given(config.transform).log_jacobian(part.X).sum()))
