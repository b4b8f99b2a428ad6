"""The rule for the prior of counts, where a link or an earlier run brought another than the usual one."""

from __future__ import annotations

from dataclasses import replace

from dpviz.config import RunConfig
from dpviz.engine.options import COUNT_PRIOR
from dpviz.ui.controls import widgets
from dpviz.ui.session import state


def with_count_prior(config: RunConfig, key: str) -> RunConfig:
    """Return a configuration with the rule that was set for a control, and offer the usual one.

    Parameters
    ----------
    config : RunConfig
    key : str
        Of the control, which is drawn only for columns of counts, and only if its value is not the usual one.
    """
    kept = replace(config, count_prior=state.settings().get(key, COUNT_PRIOR.default))
    if kept.count_prior == COUNT_PRIOR.default:
        return kept
    words = dict(COUNT_PRIOR.choices)
    chosen: str = widgets.select(
        COUNT_PRIOR.words, key, list(words), COUNT_PRIOR.default, format_func=words.__getitem__,
        help=COUNT_PRIOR.explanation,
    )  # fmt: skip
    return replace(config, count_prior=chosen)
