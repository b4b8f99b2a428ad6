"""A verdict on several chains from their diagnostics, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.posterior.chains import SHORTEST, ChainDiagnostics, as_chains, chain_diagnostics
from dpviz.analysis.posterior.draws import Floats
from dpviz.errors import require, require_kind
from dpviz.text import counted

HIGHEST_RHAT = 1.01
"""Chains with a larger R-hat disagree (Vehtari et al. 2021)."""

ESS_PER_CHAIN = 100
"""Fewer effective draws per chain make R-hat and the effective sample sizes themselves unreliable (same paper)."""

STEADY_RHAT = 1.1
"""If the halves of a chain disagree by less than this but other chains by more, it is stuck in its own mode."""


@dataclass(frozen=True)
class Verdict:
    """Whether chains have converged, and what to do if not.

    Attributes
    ----------
    settled : bool
        The chains agree and hold enough independent draws.
    text : str
        One or two sentences.
    diagnostics : dict of str to ChainDiagnostics
        By the name of the scalar.
    """

    settled: bool
    text: str
    diagnostics: dict[str, ChainDiagnostics]


def verdict(scalars: Mapping[str, ArrayLike], burn_in: int = 0, has_split_merge: bool = False) -> Verdict:
    """Judge chains by some of their scalars, such as the number of clusters and nll.

    Parameters
    ----------
    scalars : mapping of str to array_like of float, shape (T,) or (C, T)
        Name for the text, and one value per sweep and chain; at least one scalar.
    burn_in : int
        Number of values at the start of each chain that are left out.
    has_split_merge : bool
        Whether the chains propose splits and merges already, so that the advice is to propose more.

    Returns
    -------
    Verdict

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    require_kind("has_split_merge", has_split_merge, bool, "True or False")
    require_kind("scalars", scalars, Mapping, "a mapping from names to series")
    require(len(scalars) > 0, "scalars", dict(scalars), "at least one series")
    chains = {name: as_chains(series, burn_in, f"scalars[{name!r}]") for name, series in scalars.items()}
    diagnostics = {name: chain_diagnostics(values) for name, values in chains.items()}
    shapes = {values.shape for values in chains.values()}
    require(len(shapes) == 1, "scalars", sorted(shapes), "of one shape", "Take all scalars from the same chains.")
    n_chains, n_draws = shapes.pop()
    settled = False
    if n_draws < SHORTEST:
        text = f"Too short to judge: {counted(n_draws, 'draw')} per chain after burn-in. Run longer."
    elif n_chains == 1:
        text = "One chain cannot show what it has missed: start several from different places and compare them."
    else:
        remedy = "propose more splits and merges" if has_split_merge else "switch on split–merge moves"
        problem = _disagreement(chains, diagnostics, remedy) or _shortage(n_chains, diagnostics)
        settled, text = not problem, problem or _agreement(chains, diagnostics)
    return Verdict(settled, text, diagnostics)


def _disagreement(chains: Mapping[str, Floats], diagnostics: Mapping[str, ChainDiagnostics], remedy: str) -> str:
    """Say which scalar the chains disagree about most, if any."""
    name = max(diagnostics, key=lambda each: np.nan_to_num(diagnostics[each].rhat, nan=1.0, posinf=math.inf))
    rhat = diagnostics[name].rhat
    if not rhat > HIGHEST_RHAT:
        return ""
    if rhat < STEADY_RHAT:
        about = f"These chains do not agree about {name} yet (R-hat {_above(rhat)}, at most {HIGHEST_RHAT} is wanted)"
        return f"{about}: run longer, or {remedy}."
    about = f"These chains disagree about {name} (R-hat {'is infinite' if math.isinf(rhat) else f'{rhat:.2f}'})"
    if all(_steady(chain) for chain in chains[name]):
        return f"{about}, and each stays where it is: {remedy}. Running longer alone may not help."
    return f"{about}: run longer, or {remedy}."


def _above(rhat: float) -> str:
    """Write an R-hat above the bound with as many digits as show that it is above."""
    digits = next(n for n in range(3, 18) if float(f"{rhat:.{n}f}") > HIGHEST_RHAT)
    return f"{rhat:.{digits}f}"


def _steady(chain: Floats) -> bool:
    """Return whether the two halves of one chain agree roughly."""
    half = len(chain) // 2
    halves = chain_diagnostics(np.array([chain[:half], chain[-half:]]))
    return halves.constant or bool(halves.rhat < STEADY_RHAT)


def _shortage(n_chains: int, diagnostics: Mapping[str, ChainDiagnostics]) -> str:
    """Say which scalar has too few independent draws, if any."""
    sizes = {name: min(each.ess_bulk, each.ess_tail) for name, each in diagnostics.items() if not each.constant}
    if not sizes:
        return ""
    name = min(sizes, key=lambda each: sizes[each])
    wanted = ESS_PER_CHAIN * n_chains
    if sizes[name] >= wanted:
        return ""
    times = math.ceil(wanted / sizes[name])
    return (
        f"These chains agree, but hold only about {sizes[name]:.0f} independent draws of {name}; "
        f"{wanted} are wanted: run about {times} times as long."
    )


def _agreement(chains: Mapping[str, Floats], diagnostics: Mapping[str, ChainDiagnostics]) -> str:
    """Say how well the chains agree, and what never changed."""
    fixed = [f"{name} is {chains[name][0, 0]:g}" for name, each in diagnostics.items() if each.constant]
    moving = [each for each in diagnostics.values() if not each.constant]
    sentences = []
    if moving:
        smallest = min(min(each.ess_bulk, each.ess_tail) for each in moving)
        largest = max(each.rhat for each in moving)
        sentences.append(
            f"These chains agree (R-hat at most {largest:.3f}) and are worth about {smallest:.0f} independent draws."
        )
    if fixed:
        sentences.append(
            f"In every draw of every chain {' and '.join(fixed)}: certain, if the chains started from different places."
        )
    return " ".join(sentences)
