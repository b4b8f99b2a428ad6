"""Rules of earlier versions, where a link or an earlier run brought another than the usual one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.engine.options import PRIOR_RULES
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


def settings_of_rules(config: RunConfig, key_of: Callable[[str], str]) -> dict[str, Any]:
    """Return what sets the controls of :func:`with_rules` to the rules of a configuration."""
    return {key_of(name): value for name, value in config.rules.items()}


def with_rules(config: RunConfig, key_of: Callable[[str], str]) -> RunConfig:
    """Return a configuration with the rules that were set for the controls, and offer the usual ones.

    Parameters
    ----------
    config : RunConfig
    key_of : callable
        Returns the key of the control of a rule, by its name. It is drawn only if there are columns that the rule is
        about, and only if its value is not the usual one.
    """
    for rule in PRIOR_RULES.values():
        key = key_of(rule.name)
        held: dict[str, Any] = {rule.name: state.settings().get(key, rule.default)}
        kept = replace(config, **held)
        if getattr(kept, rule.name) != rule.default:
            kept = replace(config, **{rule.name: earlier_rule(rule, key)})  # type: ignore[arg-type]
        config = kept
    return config
