"""Every page with its controls at their ends and in odd combinations, chosen at random.

``make fuzz`` takes many more walks: DPVIZ_FUZZ multiplies their number. Every walk is named by its page and seed.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from test_controls import BLOBS, Browser, controls, held

from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell.navigation import PAGES
from pages import close, page, run, until

ROUNDS = int(os.environ.get("DPVIZ_FUZZ", "1"))
STEPS = 5
OF_OPTIONS = ("selectbox", "select_slider", "button_group", "multiselect")
FAR = 1e9
"""Stands for an end that a field does not have."""
DATA = (
    BLOBS,
    DataChoice("synthetic", "crp_mixture").with_options(n=30),
    DataChoice("synthetic", "spherical_unequal_radius"),
    DataChoice("bundled", "iris", scaling="standardise"),
)


def choose_an_end(control: Any, rng: random.Random) -> str:
    """Set a control to one of its ends or options, as a browser would send it; return what to."""
    if control.type in OF_OPTIONS:
        sets = [[option] for option in control.options] + ([[], control.options] if _takes_several(control) else [])
        chosen = rng.choice(sets)
        sent = WidgetState(id=control.id)
        if control.type == "selectbox":
            sent.string_value = chosen[0]
        else:
            sent.string_array_value.data[:] = chosen
        control.__class__ = type("Chosen", (type(control),), {"_widget_state": sent})  # it would format values itself
        return str(chosen)
    if control.type == "toggle":
        return str(control.set_value(not control.value).value)
    kind = type(control.value)
    low, high = (FAR * sign if end is None else end for sign, end in ((-1, control.min), (1, control.max)))
    return str(control.set_value(kind(rng.choice([max(low, -FAR), min(high, FAR)]))).value)


def _takes_several(control: Any) -> bool:
    return control.type == "multiselect" or (control.type == "button_group" and control.proto.click_mode)


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("name", PAGES)
def test_no_choice_breaks_a_page_and_it_shows_what_was_chosen(name, seed):
    rng = random.Random(f"{name} {seed}")
    browser = Browser()
    app = page(name, data=rng.choice(DATA))
    run(app)
    for _ in range(STEPS):
        until(app, lambda app: browser.follow(app) and not app.get("progress"))
        assert browser.differs(app) == {}
        usable = [control for control in controls(app) if not (control.disabled or control.form_id)]
        if not usable:
            break
        control = rng.choice(usable)
        print(f"{control.label or control.key}: {choose_an_end(control, rng)}")  # shown if what follows fails
        browser.shown[control.id] = held(control)
        run(app)
    close(app)
