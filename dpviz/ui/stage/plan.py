"""The definition of a comparison: the data, every panel's configuration, and the rows it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.datasets.views import SPREAD
from dpviz.families import FAMILIES
from dpviz.families.automatic import AUTOMATIC
from dpviz.families.base import WIDTH
from dpviz.text import counted
from dpviz.ui.session.chosen_data import DataChoice, for_distances, prepare, rows_of
from dpviz.ui.session.model_choice import KeptModel, to_run
from dpviz.ui.stage.panels import Common


@dataclass(frozen=True)
class Plan:
    """Everything that defines a comparison.

    Attributes
    ----------
    choice : DataChoice
        Without axes, which are chosen after the runs.
    own : tuple of (RunConfig or str)
        The panels' own settings, or why they are invalid.
    common : Common
    configs : tuple of (RunConfig or None)
        Configurations to run: the own settings with the common ones, and models that are kept.
    kept : tuple of (KeptModel or None)
        Models that panels keep from runs before, panel by panel; empty if none does.
    """

    choice: DataChoice
    own: tuple[RunConfig | str, ...]
    common: Common
    configs: tuple[RunConfig | None, ...]
    kept: tuple[KeptModel | None, ...] = ()

    @classmethod
    def make(cls, choice: DataChoice, own: Sequence[RunConfig | str], common: Common) -> tuple[Plan, list[str]]:
        """Apply the common settings; return the plan and messages about those that could not be applied.

        Raises
        ------
        DpvizError
            If the data are too few for the common start.
        """
        whole, given = prepare(choice), [c for c in own if isinstance(c, RunConfig)]
        rows = [rows_of(prepare(data_of(choice, config)), whole) for config in given]
        applied, remarks = common.applied(given, whole.clustered.filled().X, rows)
        left = iter(applied)
        configs = tuple(next(left) if isinstance(c, RunConfig) else None for c in own)
        return cls(choice.data, tuple(own), common, configs), remarks

    def keeping(self, models: Sequence[KeptModel | None]) -> Plan:
        """Return the plan with models kept from runs before, one or none for every panel."""
        if not any(models):
            return self
        configs = [config and to_run(config, kept) for config, kept in zip(self.configs, models, strict=True)]
        return replace(self, configs=tuple(configs), kept=tuple(models))

    @property
    def models(self) -> tuple[KeptModel | None, ...]:
        """What every panel keeps."""
        return self.kept or (None,) * len(self.configs)

    @property
    def as_asked(self) -> Plan:
        """The plan as the controls ask for it: the data choose what they leave open."""
        configs = [
            config if config is None or kept is None else config.with_model_of(kept.asked)
            for config, kept in zip(self.configs, self.models, strict=True)
        ]
        return replace(self, configs=tuple(configs), kept=())

    @property
    def exact_own(self) -> tuple[RunConfig | str, ...]:
        """The panels' own settings, such as make exactly these runs wherever they go."""
        both = zip(self.own, self.models, strict=True)
        return tuple(own if isinstance(own, str) else to_run(own, kept) for own, kept in both)

    def repeated(self, shift: int, choice: DataChoice | None = None) -> tuple[RunConfig | None, ...]:
        """Return the same runs with ``shift`` added to every seed, on these data or on others of their kind."""
        plan, _ = Plan.make(
            choice or self.choice,
            [replace(c, seed=(c.seed + shift) % 2**32) if isinstance(c, RunConfig) else c for c in self.own],
            self.common if self.common.seed is None else replace(self.common, seed=(self.common.seed + shift) % 2**32),
        )
        return plan.configs


def data_of(choice: DataChoice, config: RunConfig) -> DataChoice:
    """Return the data as a method uses them: complete and as numbers unless it has a model."""
    if config.uses_model:
        return choice
    return for_distances(prepare(choice), config.algorithm).choice


def shared_rows(rows: Sequence[IntArray]) -> list[IntArray]:
    """Return, for every run, the positions among its own rows of the rows that all runs use.

    Parameters
    ----------
    rows : sequence of ndarray of int
        Rows of the whole table that each run uses, ascending.
    """
    shared = reduce(np.intersect1d, rows)
    return [np.searchsorted(own, shared) for own in rows]


_SCALED = {
    "none": "not scaled",
    "standardise": "standardised",
    "robust": "robustly scaled",
    SPREAD: "divided to variance 1",
}


def scaled(choice: DataChoice) -> str:
    """Describe the preparation of the columns before clustering."""
    if not choice.n_components:
        return _SCALED[choice.way] if choice.way in _SCALED else _SCALED[choice.scaling]
    whitened = ", whitened" if choice.whiten else ""
    return f"{_SCALED[choice.scaling]}, {choice.n_components} principal components{whitened}"


def family_in_words(config: RunConfig) -> str:
    """Return a short name of the component family; empty for methods that have none."""
    if not config.uses_model:
        return ""
    title = "chosen by cost"
    if config.family != AUTOMATIC:
        title = FAMILIES[config.family].title_under(config.prior_dict, config.kinds).split(" (")[0]
    title = title.removeprefix("Normal, ")
    width = (config.prior_dict or {}).get(WIDTH.name)
    title = title if width is None else f"{title}, width {width:.4g}"
    title = title if config.directions is None else f"{title}, {counted(config.directions, 'direction')}"
    if config.transform is not None:
        title = f"{title}, columns transformed{' if that costs less' if config.transform == AUTOMATIC else ''}"
    return title if config.coarsening is None else f"{title}, coarsened at α = {config.coarsening:.4g}"
