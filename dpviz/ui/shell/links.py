"""Links that restore a state exactly, and the handling of hostile ones.

``?data=…&run=…`` hold the data choice and the configuration as JSON, ``sweep`` the playhead, ``scale`` how many
clusters are left when some are joined (none are without it), ``ui`` the layout. The configuration makes exactly the run
that is shown; if its model was chosen for other settings, ``kept`` holds these, so that it can be chosen again. An
unreadable part is replaced by the default, with a notice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from dpviz.config import RunConfig
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.families.automatic import ANY
from dpviz.text import escape_markdown, read_json
from dpviz.ui.controls import run_controls
from dpviz.ui.session import drawn, model_choice, state
from dpviz.ui.session.chosen_data import LONGEST_LINK, DataChoice, is_here, prepare
from dpviz.ui.session.model_choice import KeptModel
from dpviz.ui.session.scale import Level, Scale
from dpviz.ui.shell import navigation, prior_factors
from dpviz.ui.shell.page_link import Addresses, as_text, fits, write

PARAMETERS = ("data", "run", "kept", "sweep", "scale")
LAYOUTS = ("full", "min", "present")
MOST_POINTS = 100_000
"""Links to larger synthetic data are not followed: a link must not start a long computation."""
_NOTICES, _SWEEP, _RUN, _SCALE, _KEPT = "link notices", "link sweep", "link run", "link scale", "link kept"
_LAYOUT = "link layout"
_ORDERED, _ARRIVED, _TO_SAY = "link ordered", "link arrived", "link to say"
_ADDRESSES = Addresses("links known")
END = 99_999_999
"""More sweeps than any run has: the playhead goes to the last one."""
AS_THEY_ARE = (1.0,)
"""Columns in which nothing is transformed, as was found to be best; they are not moved when they are scaled."""
ROWS_LEFT_OUT = (
    "This run is of the complete rows, so rows with missing cells are left out on every page now. To have them back, "
    "keep them again on the Data page."
)
DRAWING_GONE = (
    "The hand-drawn points of this address are gone: a drawing stays in the browser tab it was made in, and this tab "
    "does not have it. The default data are shown instead. Draw again on the Data page, under Draw."
)


LOST = (
    "Your data are no longer here: they were forgotten in another tab, or others needed their room. The default data "
    "are shown instead; yours can be loaded again on the Data page."
)


class _Notice(NamedTuple):
    """A message about a link, and whether it offers to draw."""

    text: str
    offers_canvas: bool = False


def state_query(
    choice: DataChoice,
    config: RunConfig | None,
    sweep: int | None = None,
    scale: Scale | None = None,
    kept: KeptModel | None = None,
) -> dict[str, str]:
    """Query parameters that restore this state; that of own data in the browser that brought them."""
    query = {"data": choice.to_json()}
    if config is not None:
        to_run = config if kept is None else kept.held_by(config)
        query["run"] = as_text(prior_factors.to_query(to_run, choice))
    if kept is not None and kept.choice.data == choice.data:
        query["kept"] = as_text(kept.asked.to_query())
    if sweep is not None:
        query["sweep"] = str(sweep)
    if scale is not None:
        query["scale"] = str(scale.level)
    return query


def link(
    choice: DataChoice, config: RunConfig, sweep: int, scale: Scale | None = None, kept: KeptModel | None = None
) -> str:
    """Relative link to this exact state."""
    return "?" + urlencode(state_query(choice, config, sweep, scale, kept))


def lead_on() -> None:
    """Lead a link to a run, or to the embedded player, on to Explore, which was the first page: they name no page."""
    if any(key in st.query_params for key in PARAMETERS) or st.query_params.get("ui") == "min":
        otherwise = "Open the Explore page to see the run of this link."
        navigation.go_to("explore", otherwise, {key: st.query_params[key] for key in st.query_params})


def restore() -> None:
    """Follow the link this session was opened with, once; call it first on every page."""
    query = {key: st.query_params[key] for key in PARAMETERS if key in st.query_params}
    st.session_state[_ARRIVED] = bool(query) and _ADDRESSES.is_link(_as_text(query))
    notices: list[_Notice] = st.session_state.pop(_TO_SAY, [])
    st.session_state.setdefault(_NOTICES, []).extend(notices)
    if not arrived():
        return
    choice = _read_data(query, notices)
    _ADDRESSES.note(_as_text(query))
    if choice is None:
        st.session_state[_ARRIVED] = False
        return
    state.choose_data(choice)
    config = _read_run(query, choice, notices)
    config, kept = _read_kept(query, config, choice, notices)
    if config is not None:
        config, choice = _fitting(config, choice, notices)
        state.choose_data(choice)
        run_controls.apply(config, choice)
    st.session_state[_RUN], st.session_state[_KEPT] = config, (config, kept)
    st.session_state[_SWEEP] = _read_sweep(query, notices)
    st.session_state[_SCALE] = (config, _read_scale(query, config, notices))
    st.session_state[_NOTICES] = notices


def _fitting(config: RunConfig, choice: DataChoice, notices: list[_Notice]) -> tuple[RunConfig, DataChoice]:
    """Return a link's run, and the data with its directions and transformations; without them if the data allow none.

    The data may be others than the link was made of, and no setting beside a run would change that.
    """
    own = _with_model_of(config, choice)
    try:
        n_columns = prepare(own).X.shape[1]
        if isinstance(own.transform, tuple) and own.transform != AS_THEY_ARE and len(own.transform) != n_columns:
            raise InvalidParameterError(f"It has {len(own.transform)} powers, and the data {n_columns} columns.")
    except DpvizError as error:
        words = "The directions or transformations of the link's run do not fit these data, so they are left out."
        notices.append(_Notice(f"{words} {_sentence(error)}"))
        return replace(config, directions=None, transform=None), replace(choice, directions=0, transform="")
    return config, own


def _with_model_of(config: RunConfig, choice: DataChoice) -> DataChoice:
    """Return the data with the directions and transformations of a link's run, which their part need not name."""
    if not config.uses_model:
        return choice
    own = config.directions
    number = own == ANY or isinstance(own, int) and own <= 1000
    fits = own is None or number and not choice.n_components
    choice = replace(choice, directions=own or 0) if fits else choice
    if choice.n_components:
        return choice
    as_they_are = AS_THEY_ARE if choice.transform else ""
    return replace(choice, transform=as_they_are if config.transform is None else config.transform)


def _as_text(query: Mapping[str, str]) -> str:
    return str(sorted(query.items()))


def arrived() -> bool:
    """Whether this script run follows a link, so that its settings are not this reader's own."""
    return bool(st.session_state.get(_ARRIVED))


def remember(
    choice: DataChoice, config: RunConfig | None = None, scale: Scale | None = None, kept: KeptModel | None = None
) -> bool:
    """Keep the address bar in step with what is shown; return whether it holds all of that."""
    query = state_query(choice, config, scale=scale, kept=kept)
    whole = fits(query)
    if not whole:
        query = state_query(choice, None)
    write(query if config is None else {key: query.get(key) for key in PARAMETERS})
    _ADDRESSES.note(_as_text({key: st.query_params[key] for key in PARAMETERS if key in st.query_params}))
    return whole


def take_sweep() -> int | None:
    """Return the sweep the link asked for, once."""
    sweep: int | None = st.session_state.pop(_SWEEP, None)
    return sweep


def take_run() -> RunConfig | None:
    """Return the configuration the link asked for, once."""
    config: RunConfig | None = st.session_state.pop(_RUN, None)
    return config


def take_kept(config: RunConfig) -> tuple[KeptModel | None] | None:
    """Return what the link's run has from other settings, a model or nothing, once; None if no link asked for it."""
    return _take_of(_KEPT, config)


def take_scale(config: RunConfig) -> Level | None:
    """Return the scale that a link asked for of this run, once; None if no link asked for one of it."""
    (level,) = _take_of(_SCALE, config) or (None,)
    return level


def _take_of(key: str, config: RunConfig) -> Any:
    """Return what the link asked for of a run, alone in a tuple, once; None if it asked for none of it."""
    asked = st.session_state.get(key, (None, None))
    if asked[0] != config:
        return None
    del st.session_state[key]
    return asked[1:]


def lead_to(config: RunConfig) -> None:
    """Let the scale that a link asked for be that of the run that is shown instead of the link's own."""
    asked: tuple[RunConfig | None, Level] | None = st.session_state.get(_SCALE)
    if asked is not None:
        st.session_state[_SCALE] = (config, asked[1])


def open_button(
    config: RunConfig, choice: DataChoice, key: str, label: str = "", sweep: int = END, scale: Scale | None = None
) -> None:
    """Offer to open exactly this run in Explore: it starts at once, however long it takes, and shows its result.

    Parameters
    ----------
    config : RunConfig
    choice : DataChoice
    key, label : str
        Of the button; without a label of its own it is the main one of its place.
    sweep : int
        Position of the playhead, by default the last sweep.
    scale : Scale, optional
        At which its result is shown.
    """
    kind, words = ("secondary", label) if label else ("primary", "Open this run in Explore")
    if st.button(words, key=key, icon=":material/play_circle:", type=kind):  # type: ignore[arg-type]
        open_run(config, choice, sweep, scale)


def open_run(config: RunConfig, choice: DataChoice, sweep: int = END, scale: Scale | None = None) -> None:
    """Open exactly this run in Explore, as :func:`open_button` does."""
    before, choice = state.chosen_data(), _with_model_of(config, choice)
    if before.gaps and not choice.gaps and (before.source, before.name) == (choice.source, choice.name):
        st.session_state[_TO_SAY] = [_Notice(ROWS_LEFT_OUT)]
    state.choose_data(choice)
    run_controls.apply(config, choice)
    order(config)
    otherwise = "The run is set up; open the Explore page to see it."
    query = state_query(choice, config, sweep, scale)
    _ADDRESSES.forget(_as_text(query))  # the sweep is read from it, the second time too
    navigation.go_to("explore", otherwise, query)


def explore_button(key: str) -> None:
    """Offer to explore the data in use, however long a run on them takes."""
    if st.button("Explore these data", type="primary", icon=":material/play_circle:", key=key):
        order()
        navigation.go_to("explore", "Start the whole app to explore these data.")


def order(config: RunConfig | None = None) -> None:
    """Ask Explore to run a configuration, or the one it sets up for the data, however long it takes."""
    st.session_state[_ORDERED] = (config,)


def take_order(config: RunConfig) -> bool:
    """Whether a button on another page asked for the run of a configuration; told once."""
    ordered: tuple[RunConfig | None] | None = st.session_state.pop(_ORDERED, None)
    return ordered is not None and ordered[0] in (None, config)


def notice(text: str) -> None:
    """Show a message about a link until the reader closes it."""
    notices: list[_Notice] = st.session_state.setdefault(_NOTICES, [])
    if _Notice(text) not in notices:
        notices.append(_Notice(text))
        st.rerun()


def replace_lost_data() -> None:
    """Show the default data, and say so on the page, if the reader's own are gone: forgotten elsewhere, or for room."""
    if not is_here(state.chosen_data()):
        state.choose_data(DataChoice())
        st.session_state.setdefault(_NOTICES, []).append(_Notice(LOST))


def show_notices() -> None:
    """Show which parts of a link could not be followed, until the reader closes the message."""
    notices: list[_Notice] = st.session_state.get(_NOTICES, [])
    for number, said in enumerate(notices):
        with st.container(horizontal=True, vertical_alignment="center", key=f"link notice row {number}"):
            st.warning(escape_markdown(said.text), icon=":material/link_off:", width="stretch")
            if said.offers_canvas and st.button("Draw", icon=":material/draw:", key=f"link draw {number}"):
                notices.remove(said)
                drawn.ask_for_canvas()
                navigation.go_to("data", "Open the Data page and choose Draw.")
            st.button(
                "",
                icon=":material/close:",
                help="Put this notice away",
                key=f"link notice {number}",
                on_click=notices.remove,
                args=(said,),
                width="content",
            )


def layout() -> str:
    """Return the layout that this session's address asked for: full, min (embedded) or present (large type)."""
    asked = st.query_params.get("ui", st.session_state.get(_LAYOUT, "full"))
    return asked if asked in LAYOUTS else "full"


def keep_layout() -> None:
    """Carry the layout from page to page: the navigation leads to addresses without it.

    Call it last: the first addresses that a page writes may come while the browser is still at that of the page before.
    """
    if "ui" in st.query_params:
        st.session_state[_LAYOUT] = layout()
    elif layout() != "full":
        write({"ui": layout()})


def player_scale() -> float:
    """Return how much larger than usual a player's text is in this layout, beside the page's own size."""
    return 1.2 if layout() == "present" else 1.0


def _read_data(query: Mapping[str, str], notices: list[_Notice]) -> DataChoice | None:
    """Return the data that a link asks for; None if the session has moved on while the request was on its way."""
    if "data" not in query:
        return state.chosen_data()
    try:
        choice = DataChoice.from_json(query["data"])
        if drawn.is_earlier(choice):
            return None
        if drawn.is_drawing(choice) and not is_here(choice):
            found = drawn.bring_back(choice)
            if found is None:
                notices.append(_Notice(DRAWING_GONE, offers_canvas=True))
            return found or DataChoice()
        n = dict(choice.options).get("n", 0)
        if isinstance(n, int | float) and n > MOST_POINTS:
            words = f"The link asks for {n:,} points; links may ask for {MOST_POINTS:,}. Defaults are shown."
            notices.append(_Notice(words))
            return DataChoice()
        return _as_far_as_they_allow(choice, notices)
    except DpvizError as error:
        words = f"The link's data could not be restored, so the default data are shown. {_sentence(error)}"
        notices.append(_Notice(words))
        return DataChoice()


def _as_far_as_they_allow(choice: DataChoice, notices: list[_Notice]) -> DataChoice:
    """Return a link's data, without its directions and transformations where the data allow none such."""
    try:
        prepare(choice)
    except DpvizError as error:
        without = replace(choice, directions=0, transform="")
        prepare(without)
        words = "The link's directions or transformations do not fit its data, so they are left out."
        notices.append(_Notice(f"{words} {_sentence(error)}"))
        return without
    return choice


def _read_run(query: Mapping[str, str], choice: DataChoice, notices: list[_Notice]) -> RunConfig | None:
    if "run" not in query:
        return None
    try:
        if len(query["run"]) > LONGEST_LINK:
            raise DpvizError("It is too long.")
        return prior_factors.from_query(read_json(query["run"]), choice)
    except (DpvizError, ValueError, RecursionError) as error:
        words = f"The link's run could not be restored, so the default run is shown. {_sentence(error)}"
        notices.append(_Notice(words))
        return None


def _read_kept(
    query: Mapping[str, str], config: RunConfig | None, choice: DataChoice, notices: list[_Notice]
) -> tuple[RunConfig | None, KeptModel | None]:
    """Return a link's run as its controls ask for it, and the model that it has from the settings of ``kept``."""
    if config is None or "kept" not in query:
        return config, None
    try:
        if len(query["kept"]) > LONGEST_LINK:
            raise DpvizError("They are too long.")
        values = read_json(query["kept"])
        if not isinstance(values, dict):
            raise DpvizError("They are not an object.")
        asked = RunConfig.from_query(values)
        settings = config.with_model_of(asked)
        if config.is_automatic or not asked.is_automatic or not model_choice.only_turned(choice, asked, settings):
            raise DpvizError("They leave nothing to the data that this run could have from them.")
        if settings.with_model_of(config) != config:
            raise DpvizError("Its model is none that they can have.")
    except (DpvizError, ValueError, RecursionError) as error:
        words = f"The settings for which the model of the link's run was chosen could not be read. {_sentence(error)}"
        notices.append(_Notice(words))
        return config, None
    return settings, KeptModel(choice, asked, config)


def _sentence(error: Exception) -> str:
    """Say what is wrong with a part of a link; a parser's message on unreadable text would not help."""
    said = str(error)[:300] if isinstance(error, DpvizError) else "A part of it may be missing; copy it again."
    return said[:1].upper() + said[1:]


def _read_sweep(query: Mapping[str, str], notices: list[_Notice]) -> int | None:
    text = query.get("sweep", "")
    if text.isascii() and text.isdigit() and len(text) < 9:
        return int(text)
    if text:
        notices.append(_Notice("The link's sweep is not a number; the run is shown at its end."))
    return None


def _read_scale(query: Mapping[str, str], config: RunConfig | None, notices: list[_Notice]) -> Level:
    text = query.get("scale")
    if text is None or config is None and "run" in query:  # a run that is unreadable is said to be so
        return Level()
    if config is None:
        notices.append(_Notice("The link has a scale but no run to show at it; clusters are shown as they are found."))
        return Level()
    try:
        return Level.read(text)
    except DpvizError as error:
        words = "The link's scale could not be read, so clusters are shown as the run found them."
        notices.append(_Notice(f"{words} {_sentence(error)}"))
        return Level()
