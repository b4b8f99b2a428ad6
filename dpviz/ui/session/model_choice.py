"""The automatic choice of a model, family and width of a cluster: made once for all pages and sessions, in a thread."""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from dataclasses import replace
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.fit.automatic import choice_operations, choice_steps
from dpviz.fit.timing import Estimate, pace
from dpviz.fit.transforms import unasked
from dpviz.fit.width import WidthChoice
from dpviz.ui.session.background import Stage, Work
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.computation import FINISHED
from dpviz.ui.session.tasks import Staged

USUAL_STEPS = 2000
"""Steps of a choice, for its progress."""
WORDS = "choosing how clusters look, by short runs"
KEPT = "The model was chosen {0}, and is kept."
CHOOSE_AGAIN = "Short runs choose anew how clusters look, for the settings as they are now."
REFUSED = "The model of the run before could not be kept, so that it was chosen anew: {0}"

Key = tuple[DataChoice, RunConfig]


class Chosen(NamedTuple):
    """The choice of short runs.

    Attributes
    ----------
    config : RunConfig
        Settings that hold it.
    notes : tuple of str
        Reasons why no narrower width was chosen.
    seconds : float
        Duration of the choice.
    """

    config: RunConfig
    notes: tuple[str, ...]
    seconds: float

    def held_by(self, config: RunConfig) -> RunConfig:
        """Return a configuration with the choice filled in."""
        return config.with_model_of(self.config)


class KeptModel(NamedTuple):
    """A model that was chosen for other settings, and stays while numbers beside it turn.

    Attributes
    ----------
    choice : DataChoice
        Data for which it was chosen.
    asked : RunConfig
        Settings for which it was chosen.
    made : RunConfig
        Settings that hold it.
    notes : tuple of str
        What was said of the choice.
    """

    choice: DataChoice
    asked: RunConfig
    made: RunConfig
    notes: tuple[str, ...] = ()

    def held_by(self, config: RunConfig) -> RunConfig:
        """Return a configuration with the model.

        Raises
        ------
        DpvizError
            If they contradict each other.
        """
        return config.with_model_of(self.made)

    def is_of(self, choice: DataChoice, config: RunConfig) -> bool:
        """Whether it is what short runs choose for these data and settings."""
        return key_of(self.choice, self.asked) == key_of(choice, config)

    def said_of(self, choice: DataChoice) -> tuple[str, ...]:
        """Return sentences on a run of some data with it: when it was chosen, and what was said of the choice."""
        assert self.asked.partition is not None
        when = f"at {self.asked.partition.describe()}, seed {self.asked.seed}"
        if self.choice.data != choice.data:
            when = "before points were moved"
        return (KEPT.format(when), *self.notes)


class Asked(NamedTuple):
    """A run that is asked for.

    Attributes
    ----------
    choice : DataChoice
    config : RunConfig
        Settings of the controls.
    kept : KeptModel, optional
        Model that is not left to the data, but kept from a run before.
    """

    choice: DataChoice
    config: RunConfig
    kept: KeptModel | None = None

    @property
    def key(self) -> tuple[DataChoice, RunConfig, KeptModel | None]:
        """All that defines its result, in any session: nothing but the axes is left out."""
        return self.choice.data, self.config, self.kept

    @property
    def to_run(self) -> RunConfig:
        """The settings with the model that is kept, if one is and if they may have it."""
        return to_run(self.config, self.kept)

    def is_like(self, other: Asked) -> bool:
        """Whether data and settings are the same, regardless of the axes shown."""
        return self.key[:2] == other.key[:2]


_running: WeakValueDictionary[Key, Work] = WeakValueDictionary()
_beginning: dict[Key, Lock] = {}
_lock = Lock()


def key_of(choice: DataChoice, config: RunConfig) -> Key:
    """Return data and the part of a configuration that determines a choice: its model, and the seed of short runs."""
    model = RunConfig(
        "mapdp",
        family=config.family,
        partition=config.partition,
        prior=config.prior,
        kinds=config.kinds,
        missing=config.missing,
        seed=config.seed,
        directions=config.directions,
        transform=config.transform,
    )
    return choice.data, model


def is_refusal(note: str) -> bool:
    """Whether a sentence on a choice says that a model could not be kept."""
    return note.startswith(REFUSED.partition("{")[0])


def only_turned(choice: DataChoice, before: RunConfig, config: RunConfig) -> bool:
    """Whether settings ask the same of a choice as others did, but for numbers of the partition prior and the seed."""
    same = before.algorithm == config.algorithm and type(before.partition) is type(config.partition)
    turned = replace(before, partition=config.partition, seed=config.seed)
    return same and key_of(choice, turned) == key_of(choice, config)


def to_run(config: RunConfig, kept: KeptModel | None) -> RunConfig:
    """Return a configuration with the model that is kept, if one is and if it may have it."""
    try:
        return config if kept is None else kept.held_by(config)
    except DpvizError:
        return config


def known(choice: DataChoice, config: RunConfig) -> Chosen | None:
    """Return what was chosen for these data, on any page, in any session."""
    found: Chosen | None = FINISHED.find(("model", key_of(choice, config)))
    return found


def work_of(config: RunConfig, prepared: PreparedData) -> Estimate:
    """Estimate a choice."""
    operations = choice_operations(config, *prepared.X.shape)
    return Estimate(operations, operations / pace(config.provisional))


def choosing(prepared: PreparedData, config: RunConfig) -> Generator[float, None, Chosen]:
    """Choose the open settings of an automatic configuration and keep them for all; a known choice takes no step.

    Yields
    ------
    float
        Operations of every step, roughly.

    Raises
    ------
    DpvizError
        If data and configuration contradict each other.
    """
    begun, chosen = time.perf_counter(), known(prepared.choice, config)
    if chosen is not None:
        return chosen
    steps = choice_steps(prepared.X, config, prepared.clustered.feature_names)
    each = choice_operations(config, *prepared.X.shape) / USUAL_STEPS
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: WidthChoice = end.value
            break
        yield each
    seconds = time.perf_counter() - begun
    begun = prepared.choice.source == "session"  # such tables begin with transformations that nobody asked for
    notes = unasked(found.notes) if begun else found.notes
    chosen = Chosen(found.config, notes, seconds)
    FINISHED.put(("model", key_of(prepared.choice, config)), chosen)  # own data have names that no one can guess
    return chosen


def staged(prepared: PreparedData, config: RunConfig) -> Generator[Stage, None, Chosen]:
    """Choose as :func:`choosing` does, and report progress; the number of remaining steps is unknown."""
    steps, n_steps = choosing(prepared, config), 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Chosen = end.value
            return found
        n_steps += 1
        yield Stage(1 - math.exp(-n_steps / (USUAL_STEPS / 2)), WORDS.capitalize())


def begin(prepared: PreparedData, config: RunConfig, at_once: float) -> Work:
    """Start a choice, or join the one in progress for another page or session.

    Parameters
    ----------
    prepared : PreparedData
    config : RunConfig
        An automatic one.
    at_once : float
        Operations that are done before this returns.
    """
    key = key_of(prepared.choice, config)
    with _lock:
        beginning = _beginning.setdefault(key, Lock())
    with beginning:
        work = _running.get(key)
        if work is None or work.over:
            each = choice_operations(config, *prepared.X.shape) / USUAL_STEPS
            work = _running[key] = Work(Staged(lambda: staged(prepared, config), each), at_once)
    with _lock:
        _beginning.pop(key, None)
    return work
