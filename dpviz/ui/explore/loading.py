"""Stored runs on Explore: which of the data at hand each was made from, and its clusters as they were shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from dpviz.analysis.stored_choice import stored_undecided
from dpviz.analysis.stored_merge import merged_labels, merged_order
from dpviz.analysis.stored_names import ShownAs, stored_names
from dpviz.analysis.stored_notes import stored_notes
from dpviz.config import RunConfig
from dpviz.datasets.views import SCALINGS
from dpviz.engine.fewer_rows import bounded
from dpviz.engine.improve import canonical_labels
from dpviz.engine.recording import MOST_RECORDED
from dpviz.engine.search import was_stopped
from dpviz.engine.stored import fingerprint
from dpviz.engine.stored_check import check_result
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError, TraceFormatError
from dpviz.ui.controls.run_controls import in_terms_of_controls
from dpviz.ui.explore.cluster_names import LONGEST_NAME
from dpviz.ui.session import trees
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, for_distances, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Level
from dpviz.ui.shell.links import AS_THEY_ARE

MOST_MEGABYTES = 50
"""Largest file with a stored run, in 2²⁰ bytes."""
MOST_BYTES = 150_000_000
"""Most memory that the arrays of a stored run may take."""


def load_run(stored: bytes, finished: Finished) -> Finished:
    """Return a stored run on the data that are shown.

    Its rows, directions and powers of columns are its own, whatever the data were chosen with.

    Raises
    ------
    DpvizError
        If the text is not a stored run, or belongs to other data.
    """
    if len(stored) > MOST_MEGABYTES << 20:
        raise TraceFormatError(f"This file has {len(stored) / 2**20:,.0f} MB; up to {MOST_MEGABYTES} MB are read.")
    try:
        text = stored.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TraceFormatError("This file is not a stored run: it is not text.") from error
    trace = Trace.from_json(text, n_points=_numbers_of_rows(finished.choice), most_bytes=MOST_BYTES)
    prepared, config = _made_from(trace, finished.prepared), trace.config
    prepared = replace(prepared, choice=replace(prepared.choice, axes=finished.choice.axes))
    stopped = was_stopped(check_result(prepared.X, trace), trace)
    trace = prepared.units.trace(trace)
    own, controls = bounded(trace, MOST_RECORDED), in_terms_of_controls(config)
    asked = None if controls == config else controls
    return Finished(
        prepared.choice,
        config,
        prepared,
        own,
        stopped,
        asked=asked,
        notes=stored_notes(text),
        is_loaded=True,
        stored_undecided=stored_undecided(text),
    )


def _numbers_of_rows(choice: DataChoice) -> set[int]:
    """Return how many rows the data have, and how many of them are complete."""
    base, counts = replace(choice.of_every_method(), directions=0), set()
    for gaps in (True, False):
        with suppress(DpvizError):  # no row is complete
            counts.add(len(prepare(replace(base, gaps=gaps)).X))
    return counts


def _made_from(trace: Trace, shown: PreparedData) -> PreparedData:
    """Return the data that are shown as a stored run had them."""
    for prepared in _ways(trace.config, shown):
        if len(prepared.X) == trace.n_points and trace.data in ("", fingerprint(prepared.X)):
            return prepared
    raise DpvizError(
        "The stored run was made from other data than those that are chosen, though there are as many points. "
        "Choose its own data and their scaling first."
    )


def _ways(config: RunConfig, shown: PreparedData) -> Iterator[PreparedData]:
    """Yield the data that are shown as a run with these settings may have had them, the likeliest first."""
    base, model = shown.choice.of_every_method(), config.uses_model
    wanted = [config.transform or "", *([] if config.transform else [AS_THEY_ARE])]
    powers = wanted if model else list(dict.fromkeys((base.transform, "", AS_THEY_ARE)))  # which only divide, there
    directions = config.directions or 0 if model else base.directions
    for scaling in dict.fromkeys((base.scaling, *SCALINGS)):
        for gaps in (base.gaps, not base.gaps) if model else (base.gaps,):
            for power in powers:
                try:
                    prepared = prepare(
                        replace(base, scaling=scaling, gaps=gaps, transform=power, directions=directions)
                    )
                    yield prepared if model else for_distances(prepared, config.algorithm)
                except DpvizError:  # these data cannot be had so
                    continue


def joined_as_stored(stored: bytes, loaded: Finished) -> tuple[Finished, str]:
    """Return a run loaded from a text with clusters joined and named as it says, and why they are not joined, if so.

    Raises
    ------
    TraceFormatError
        If what they were joined to is damaged, or their numbers and names are.
    """
    text = stored.decode("utf-8-sig")
    joined = merged_labels(text, loaded.trace.result_labels)
    shown = stored_names(text, loaded.trace.result_labels, joined)
    if joined is None:
        return _named(loaded, shown), ""
    level = Level(len(np.unique(joined)), merged_order(text))
    try:
        scale = trees.at_level(loaded, level, "The stored run")
    except DpvizError as error:
        return loaded, str(error)
    if scale is not None and not np.array_equal(canonical_labels(scale.labels), canonical_labels(joined)):
        return loaded, "The stored run's clusters were joined in another way than by its prices, so none are joined."
    return _named(replace(loaded, scale=scale), shown), ""


def _named(loaded: Finished, shown: ShownAs | None) -> Finished:
    """Give clusters the names that they had, whatever their numbers are now."""
    if shown is None:
        return loaded
    number_now = partial(loaded.number, sweep=loaded.trace.result_sweep)
    now = {number: number_now(label) for label, number in shown.numbers.items()}
    names = {now[number]: name[:LONGEST_NAME] for number, name in shown.names.items() if number in now}
    return replace(loaded, names=names)
