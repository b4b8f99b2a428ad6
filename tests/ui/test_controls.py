"""Controls that remember: across pages, against what a browser has chosen meanwhile, and when a run is cut short."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.config import RunConfig
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell import links
from dpviz.ui.shell.navigation import PAGES
from pages import checked, go_to, opened, opened_in_app, run, set_to, settled, until

KINDS = (
    *("selectbox", "toggle", "number_input", "slider", "select_slider"),
    *("segmented_control", "pills", "multiselect"),
)
QUICK = RunConfig("mapdp", n_init=1, effort=0.0, seed=11, family="normal_wishart", prior=None)
BLOBS = DataChoice("synthetic", "spherical", (("n", 120),))


def controls(app: AppTest) -> list[Any]:
    return [control for kind in KINDS for control in app.get(kind)]


class Browser:
    """What a browser shows in controls: their defaults when they are new, and after that what it is told."""

    def __init__(self) -> None:
        self.shown: dict[str, Any] = {}
        self.told: list[str] = []

    def follow(self, app: AppTest) -> Browser:
        protos = [control.proto for control in controls(app)]
        known = {proto.id: self.shown[proto.id] for proto in protos if proto.id in self.shown}
        self.shown = {proto.id: _default(proto) for proto in protos} | known
        self.shown |= {proto.id: _told(proto) for proto in protos if proto.set_value}
        self.told = [proto.label for proto in protos if proto.set_value]
        return self

    def differs(self, app: AppTest) -> dict[str, tuple[Any, Any]]:
        """Controls that show something else than the session holds."""
        pairs = {control.label: (self.shown[control.id], held(control)) for control in controls(app)}
        return {label: pair for label, pair in pairs.items() if pair[0] != pair[1]}


def _default(proto: Any) -> Any:
    default = proto.default
    if not hasattr(proto, "options"):
        return list(default) if hasattr(default, "__len__") else default
    options = [getattr(option, "content", option) for option in proto.options]
    places = [default] if isinstance(default, int) else default
    return list(default) if not options else [options[int(place)] for place in places]


def _told(proto: Any) -> Any:
    if hasattr(proto, "raw_values"):
        return list(proto.raw_values)
    if not hasattr(proto, "raw_value"):
        return proto.value
    return [proto.raw_value] if isinstance(proto.raw_value, str) else list(proto.raw_value or proto.value)


def held(control: Any) -> Any:
    """What a session holds, as a browser would send it."""
    state = control._widget_state
    value = getattr(state, state.WhichOneof("value"))
    if isinstance(value, str):
        return [value]
    return list(value.data) if hasattr(value, "data") else value


@pytest.mark.parametrize("name", PAGES)
def test_a_run_in_which_nothing_was_set_tells_the_browser_nothing(name):
    """Otherwise it would undo what the reader chose while it went on."""
    app = opened(name)
    browser = Browser().follow(app)
    browser.follow(run(app))
    assert browser.told == [] and browser.differs(app) == {}


def test_the_browser_shows_on_every_page_what_the_session_holds():
    """Controls that are on several pages too, and those that were left and are come back to."""
    app = opened_in_app("explore", **links.state_query(BLOBS, RunConfig("dpmeans", penalty=7.25, seed=11)))
    browser = Browser().follow(app)
    seen: set[str] = set()
    for name in [*PAGES, *PAGES]:
        run(go_to(app, name))
        browser.follow(app)
        assert browser.differs(app) == {}
        seen |= {control.type for control in controls(app)}
    assert len(seen) > 5, seen


def test_what_the_reader_changed_after_a_link_is_there_after_another_page():
    app = opened_in_app("explore", **links.state_query(BLOBS, QUICK))
    assert app.number_input(key="run.seed").value == 11
    settled(set_to(app, "run.seed", 12))
    run(go_to(app, "papers"))
    run(go_to(app, "priors"))
    settled(run(go_to(app, "explore")))
    assert app.number_input(key="run.seed").value == 12


def _cut_short() -> None:
    """A script that sets controls from outside in its first run, which is cut short, like the one after it."""
    import streamlit as st

    from dpviz.ui.controls import widgets
    from dpviz.ui.session import state

    turn = st.session_state["turn"] = st.session_state.get("turn", 0) + 1
    if turn == 2:
        state.put({"one": "c", "two": 7, "three": 0.5, "four": True})
        state.forget(["five"])
    widgets.select("One", "one", ["a", "b", "c"])
    widgets.number("Two", "two", 3, 0, 9)
    widgets.slider("Three", "three", 0.1, 0.0, 1.0, 0.1)
    widgets.toggle("Four", "four")
    widgets.log_slider("Five", "five", 1.0, 0.1, 10.0)
    if turn in (2, 3):
        st.rerun()
    state.delivered()


def test_what_is_set_from_outside_reaches_the_browser_even_if_runs_are_cut_short():
    app = checked(AppTest.from_function(_cut_short, default_timeout=600).run())
    browser = Browser().follow(app)
    app.select_slider(key="five").set_value(5.0)
    app.selectbox(key="one").set_value("b")
    run(app)  # the browser hears of the third of these runs only
    browser.follow(app)
    assert set(browser.told) == {"One", "Two", "Three", "Four", "Five"}
    values = [app.session_state[key] for key in ("one", "two", "three", "four", "five")]
    assert values == ["c", 7, 0.5, True, 1.0]
    set_to(app, "one", "a")
    assert browser.follow(app).told == [] and app.session_state["one"] == "a"


def _interrupted() -> None:
    """A script that sets controls from outside, and is interrupted before its end as often as it runs."""
    import streamlit as st

    from dpviz.ui.controls import widgets
    from dpviz.ui.session import state

    if "turn" not in st.session_state:
        state.put({"one": "b", "two": 7})
    elif st.session_state["turn"] == 3:
        state.put({"one": "c", "two": 2})
    st.session_state["turn"] = st.session_state.get("turn", 0) + 1
    widgets.segments("One", "one", ["a", "b", "c"])
    widgets.number("Two", "two", 3, 0, 9)


def test_what_a_reader_sets_while_a_page_is_being_drawn_counts_more_than_what_the_page_set():
    app = checked(AppTest.from_function(_interrupted, default_timeout=600).run())
    set_to(app, "one", "a")  # its two is what the page has just set
    assert (app.session_state["one"], app.session_state["two"]) == ("a", 7)
    set_to(app, "two", 5)
    assert (app.session_state["one"], app.session_state["two"]) == ("a", 5)
    run(app)  # which sets both again
    assert (app.session_state["one"], app.session_state["two"]) == ("c", 2)
    app.segmented_control(key="one").set_value("a")
    app.number_input(key="two").set_value(5)
    run(app)  # a browser that never received them still has these
    assert (app.session_state["one"], app.session_state["two"]) == ("c", 2)
    set_to(app, "one", "b")
    assert (app.session_state["one"], app.session_state["two"]) == ("b", 2)


def _changing_bounds() -> None:
    import streamlit as st

    from dpviz.ui.controls import widgets
    from dpviz.ui.session import state

    most = st.session_state.setdefault("most", 9)
    widgets.number("Two", "two", 8, 0, most)
    widgets.slider("Three", "three", 2, 0, most, 1)
    widgets.log_slider("Four", "four", float(most), 0.1, 10.0 * most)
    widgets.several("Five", "five", list(range(most)), [0])
    state.delivered()


def test_controls_follow_bounds_that_change():
    app = checked(AppTest.from_function(_changing_bounds, default_timeout=600).run())
    browser = Browser().follow(app)
    set_to(app, "five", [1, 7])
    app.session_state["most"] = 5
    run(app)
    assert [app.session_state[key] for key in ("two", "three", "four", "five")] == [5, 2, 5.0, [1]]
    assert set(browser.follow(app).told) == {"Two", "Four", "Five"}
    set_to(app, "four", 3.0)
    app.session_state["most"] = 7
    run(app)
    assert browser.follow(app).told == []
    assert [app.session_state[key] for key in ("two", "three", "four", "five")] == [5, 2, 3.0, [1]]
    set_to(app, "five", [])
    assert run(app).session_state["five"] == [] and browser.follow(app).told == []
    set_to(app, "five", [6])
    app.session_state["most"] = 4
    run(app)
    assert app.session_state["five"] == [0] and "Five" in browser.follow(app).told


def _changing_words() -> None:
    import streamlit as st

    from dpviz.ui.controls import widgets
    from dpviz.ui.session import state

    words, best = st.session_state.setdefault("words", "old"), st.session_state.setdefault("best", 1)
    widgets.select("One", "one", [1, 2, 3], 2, format_func=lambda number: f"{words} {number}")
    widgets.select("Two", "two", [1, 2, 3], best, follows=True)
    state.delivered()


def test_a_list_shows_the_words_of_now_and_may_follow_its_default():
    app = checked(AppTest.from_function(_changing_words, default_timeout=600).run())
    browser = Browser().follow(app)
    app.session_state["words"] = "new"
    browser.follow(run(app))
    assert browser.told == ["One"] and list(browser.shown.values()) == [["new 2"], ["1"]]
    app.session_state["best"] = 3
    browser.follow(run(app))
    assert browser.told == ["Two"] and app.session_state["two"] == 3 and browser.differs(app) == {}
    set_to(app, "two", 2)
    app.session_state["best"] = 1
    assert run(app).session_state["two"] == 2 and browser.follow(app).told == []


def test_lists_of_runs_and_clusters_show_those_of_now():
    panels = [RunConfig("kmeans", n_clusters=k, n_init=1).to_query() for k in (2, 3)]
    app = opened("compare", data=BLOBS, panels=panels)
    browser = Browser().follow(app)
    slider = next(slider for slider in app.slider if slider.label == "Clusters K" and slider.value == 3)
    browser.shown[slider.id] = [4.0]
    until(slider.set_value(4).run(), lambda app: browser.follow(app) and not app.get("progress"))
    assert browser.differs(app) == {}
    assert "K = 4" in browser.shown[app.selectbox(key="compare.second").id][0]
