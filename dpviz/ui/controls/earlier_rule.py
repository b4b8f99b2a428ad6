"""Rules of earlier versions, where a link or an earlier run brought another than the usual one."""

from __future__ import annotations

from dataclasses import replace

from dpviz.config import RunConfig
from dpviz.engine.options import COUNT_PRIOR
from dpviz.parameters import Parameter
from dpviz.ui.controls import widgets
from dpviz.ui.session import state


def earlier_rule(option: Parameter, key: str) -> str:
    """Return the value of an option that was set for a control, and offer the usual one.

    Parameters
    ----------
    option : Parameter
        With named choices.
    key : str
        Of the control, which is drawn only if its value is not the usual one.
    """
    if state.settings().get(key, option.default) == option.default:
        return str(option.default)
    words = dict(option.choices)
    chosen: str = widgets.select(
        option.words, key, list(words), option.default, format_func=words.__getitem__, help=option.explanation
    )
    return chosen


def with_count_prior(config: RunConfig, key: str) -> RunConfig:
    """Return a configuration with the rule for its prior of counts; without columns of counts there is no control."""
    kept = replace(config, count_prior=state.settings().get(key, COUNT_PRIOR.default))
    if kept.count_prior == COUNT_PRIOR.default:
        return kept
    return replace(config, count_prior=earlier_rule(COUNT_PRIOR, key))
