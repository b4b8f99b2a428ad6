"""The model that all runs of a page share: chosen from the data, the usual prior, or from a link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import method_of
from dpviz.errors import DpvizError
from dpviz.families import default_family
from dpviz.families.automatic import AUTOMATIC, SHAPE
from dpviz.families.base import WIDTH
from dpviz.families.mixed import Mixed
from dpviz.fit.transforms import TRANSFORMED
from dpviz.fit.width import has_width
from dpviz.fit.words import words_for
from dpviz.text import escape_markdown
from dpviz.ui.controls.cluster_controls import ABOUT_SHAPE, LEARN_SHAPE, can_learn
from dpviz.ui.controls.computed import say_it_waits
from dpviz.ui.controls.family_control import family_control, kinds_for
from dpviz.ui.controls.setting import Setting
from dpviz.ui.session import jobs, model_choice, naming, state
from dpviz.ui.session.background import Work, watch
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.computation import expected_in_words

MOST_LINKED = 4
"""Most models that one link may contain."""
_OF_COLUMNS = ("directions", "transform")
ABOUT_USUAL = "Every cluster is expected to be as wide as all the data (width 1), which overlooks many narrow ones."
_WORK, _ASKED = "model choice", "model choice asked for"


# --- what a page begins with ------------------------------------------------------------------------------------------


def begun(page: str, config: RunConfig, prepared: PreparedData) -> RunConfig:
    """Return a page's default settings: the automatic choice where the data may choose, or the usual prior."""
    asked = asked_prior(page, prepared.choice)
    if config.is_automatic and asked is None:
        family = _usual_family(config, prepared) if config.family == AUTOMATIC else config.family
        return replace(config, family=family, prior=None)
    own = config.family == AUTOMATIC and not config.kinds  # of real columns only diagonal ones leave cells out
    if own and prepared.clustered.incomplete.any():
        config = replace(config, family=default_family(prepared.X))
    learns = asked == SHAPE and config.prior == AUTOMATIC and can_learn(config.family, config.kinds)
    return replace(config, prior=SHAPE) if learns else config


def _usual_family(config: RunConfig, prepared: PreparedData) -> str:
    """Return the family of the columns' kinds or, of real columns, the one for which there are enough rows."""
    return config.candidates[0] if config.kinds else default_family(prepared.X)


def with_family(page: str, key: str, begun: RunConfig, prepared: PreparedData, **layout: Any) -> RunConfig:
    """Let the reader choose how clusters look, and return the model to be held.

    Hyperparameters belong to one family, so that another one than a page began with has none.
    """
    family, prior = family_control(key, prepared, begun.family, **layout), asked_prior(page, prepared.choice)
    if family == begun.family:
        prior = begun.prior
    elif not (can_learn(family) if prior == SHAPE else family != AUTOMATIC):
        prior = AUTOMATIC
    return replace(begun, family=family, kinds=kinds_for(family, prepared), prior=prior)


# --- what it is given -------------------------------------------------------------------------------------------------


def give(page: str, config: RunConfig, choice: DataChoice) -> None:
    """Let a page begin with a model of these data."""
    state.settings()[given_key(page)] = (naming.data_key(choice), config)


def given(page: str, choice: DataChoice) -> RunConfig | None:
    """Return the model of these data that a page was given; None if it was given none."""
    taken: tuple[str, RunConfig] | None = state.settings().get(given_key(page))
    return taken[1] if taken is not None and taken[0] == naming.data_key(choice) else None


def given_key(page: str) -> str:
    """Name what a page was given."""
    return f"{page}.given"


# --- what is asked for ------------------------------------------------------------------------------------------------


def asked_prior(page: str, choice: DataChoice) -> str | None:
    """Return which prior a link or the reader asked for on a page of these data; the usual one is None."""
    data, prior = state.settings().get(_asked_key(page), ("", AUTOMATIC))
    return prior if data == naming.data_key(choice) else AUTOMATIC


def ask_for(page: str, choice: DataChoice, prior: str | None) -> None:
    """Let the data choose the width of clusters on a page, or their shape, or use the usual prior: None.

    That has the family chosen by hand or the usual one for the data; if the data choose again, they do so without the
    model of a link.
    """
    settings = state.settings()
    _, former = settings.get(_asked_key(page), ("", AUTOMATIC))
    settings[_asked_key(page)] = naming.data_key(choice), prior
    families = [key for key in settings if key.startswith(f"{page}.") and "family" in key.split(".")]
    if prior is None:
        state.forget([key for key in families if settings[key] == AUTOMATIC])
        return
    settings.pop(_linked_key(page), None)
    if former is None:
        state.forget(families)


def _asked_key(page: str) -> str:
    return f"{page}.asked prior"


# --- what a link holds ------------------------------------------------------------------------------------------------


def link_name(config: RunConfig) -> str:
    """Name an automatic choice as links do: by its method and the family asked for."""
    return f"{method_of(config).name}.{config.family}"


def settings_of_link(page: str, choice: DataChoice) -> tuple[Setting, ...]:
    """Return what a link says of a page's model: another prior, and the chosen width, if there is one."""

    def read_usual(given: Any) -> None:
        ask_for(page, choice, AUTOMATIC)
        if given is True:
            ask_for(page, choice, None)

    def read_shape(given: Any) -> None:
        if given is True and asked_prior(page, choice) is not None:
            ask_for(page, choice, SHAPE)

    return (
        Setting("usual", read_usual, lambda: asked_prior(page, choice) is None or None, default=False),
        Setting("shape", read_shape, lambda: asked_prior(page, choice) == SHAPE or None),
        Setting(
            "held", partial(_keep_linked, page, choice), lambda: state.settings().get(_held_key(page), {}), default={}
        ),
    )


def _keep_linked(page: str, choice: DataChoice, models: Any) -> None:
    """Keep the models of a link.

    Raises
    ------
    DpvizError
        If one is none that short runs choose.
    """
    taken = {}
    for name, query in list(models.items())[:MOST_LINKED] if isinstance(models, dict) else ():
        if not isinstance(query, dict):
            raise DpvizError("A model in the link is not an object.")
        model = RunConfig.from_query(query)
        if not _can_be_chosen(model):
            raise DpvizError("A model of the link is none that short runs choose: a family and the width of a cluster.")
        taken[name] = (model, tuple(name for name in _OF_COLUMNS if name in query))
    state.settings()[_linked_key(page)] = (choice.data, taken)


def linked_families(page: str) -> list[str]:
    """Return the families that were asked for where a link holds what was chosen."""
    _, models = state.settings().get(_linked_key(page), (None, {}))
    return [name.partition(".")[2] for name in models]


def _can_be_chosen(model: RunConfig) -> bool:
    """Whether a model is one that short runs may choose."""
    own = dict(model.prior or ()) if model.algorithm == "mapdp" and not model.is_automatic else {"": None}
    if model.family == Mixed.name:
        own.pop("columns", None)
    width = own.pop(WIDTH.name, WIDTH.default)
    return not own and isinstance(width, float) and WIDTH.allows(width)


def _linked(page: str, config: RunConfig, choice: DataChoice) -> RunConfig | None:
    """Return the configuration with the model that a link holds for it.

    A link may say nothing of directions and transformation, which are then chosen for its width.
    """
    data, models = state.settings().get(_linked_key(page), (None, {}))
    same = data == choice.data and config.prior == AUTOMATIC
    model, said = (models.get(link_name(config)) if same else None) or (None, ())
    if model is None or model.family not in config.candidates:
        return None
    columns = {name: getattr(model, name) for name in said if isinstance(getattr(config, name), str)}
    return replace(config, family=model.family, prior=model.prior, **columns)


def _as_linked(config: RunConfig, held: RunConfig) -> dict[str, Any]:
    model = RunConfig("mapdp").with_model_of(held)
    open_here = [name for name in _OF_COLUMNS if getattr(config, name) is not None]
    none_found = {name: "null" for name in open_here if getattr(held, name) is None}
    return {link_name(config): model.to_query() | none_found}


def _linked_key(page: str) -> str:
    return f"{page}.linked models"


def _held_key(page: str) -> str:
    return f"{page}.held model"


# --- what is held -----------------------------------------------------------------------------------------------------


def held_model(page: str, config: RunConfig, prepared: PreparedData) -> RunConfig | None:
    """Return a configuration with the model that all runs of a page share; None while short runs still choose it.

    Meanwhile it draws their progress. Short choices start by themselves, longer ones at a click.

    Parameters
    ----------
    page : str
        Name of the page.
    config : RunConfig
        Its model, the partition prior and the seed for which the model is chosen; returned unchanged if it leaves
        nothing to the data.
    prepared : PreparedData

    Raises
    ------
    DpvizError
        If data and configuration contradict each other.
    """
    state.settings()[_held_key(page)] = {}
    if not config.is_automatic:
        return config
    held = _held(page, config, prepared)
    if held is not None:
        if config.prior == AUTOMATIC:  # a shape has many numbers: who opens a link learns the same
            state.settings()[_held_key(page)] = _as_linked(config, held)
        st.session_state.pop(_WORK, None)  # it refers to the data
    return held


def _held(page: str, config: RunConfig, prepared: PreparedData) -> RunConfig | None:
    """Return an automatic configuration with the model from a link or from short runs, or start these."""
    held = _linked(page, config, prepared.choice) or _known(config, prepared.choice)
    if held is not None:
        return held
    work = _work(prepared, config)
    if work is None and _starts(config, prepared):
        work = _begin(prepared, config)
    if work is None:
        _offer(page, config, prepared)
        return None
    if work.error:
        raise DpvizError(work.error)
    held = _known(config, prepared.choice)
    if held is None:
        _watch(page, work, prepared.choice)
    return held


def in_words(config: RunConfig, held: RunConfig, prepared: PreparedData) -> str:
    """Say which model is held, and who chose it; of powers nothing that :func:`notes_on` says."""
    chosen = _chosen(config, held, prepared.choice)
    told = chosen is not None and any(note.startswith(TRANSFORMED) for note in chosen.notes)
    words = words_for(replace(held, transform=None) if told else held, prepared.clustered.feature_names)
    if config.is_automatic:
        return f"{words}, {'as the link has it' if chosen is None else 'chosen by nll'}"
    own = [name for name, _ in held.prior or ()]
    if WIDTH.name in own and set(own) <= {WIDTH.name, "columns"}:
        return words
    if own:
        return f"own {', '.join(own)}"
    return f"{words}, width 1 (the usual prior)" if has_width(held) else "shape prior from the data"


def notes_on(config: RunConfig, held: RunConfig, choice: DataChoice) -> tuple[str, ...]:
    """Return sentences on columns that ruled out a narrower width."""
    chosen = _chosen(config, held, choice)
    return () if chosen is None else chosen.notes


def is_changed(page: str, config: RunConfig, held: RunConfig, choice: DataChoice) -> bool:
    """Whether the reader or a link replaced the model that the data choose."""
    if config.is_automatic:
        return config.prior == SHAPE or _chosen(config, held, choice) is None
    return asked_prior(page, choice) is None and has_width(held)


def _chosen(config: RunConfig, held: RunConfig, choice: DataChoice) -> model_choice.Chosen | None:
    """Return the choice that a held model comes from, if it comes from one."""
    chosen = model_choice.known(choice, config) if config.is_automatic else None
    return chosen if chosen is not None and chosen.held_by(config) == held else None


def usual_button(page: str, choice: DataChoice) -> None:
    """Offer the usual prior instead of the automatic choice."""
    st.button(
        "Usual prior",
        key=f"{page}.usual prior",
        type="tertiary",
        icon=":material/width:",
        help=ABOUT_USUAL,
        on_click=ask_for,
        args=(page, choice, None),
    )


def other_priors(page: str, asked: RunConfig, choice: DataChoice) -> None:
    """Offer the usual prior instead of an automatic choice, and to learn clusters' shape instead of their width."""
    if asked.is_automatic:
        usual_button(page, choice)
    if asked.prior == AUTOMATIC and can_learn(asked.family, asked.kinds):
        st.button(
            LEARN_SHAPE,
            key=f"{page}.shape prior",
            type="tertiary",
            icon=":material/pentagon:",
            help=ABOUT_SHAPE,
            on_click=ask_for,
            args=(page, choice, SHAPE),
        )


def offer_to_choose(said: str, page: str, words: str, choose: Callable[..., None], *arguments: Any) -> None:
    """Say which models are kept from runs before, and offer by these words to choose them again."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"{page}.kept"):
        st.caption(escape_markdown(said), width="content")
        st.button(
            words,
            key=f"{page}.choose",
            type="tertiary",
            icon=":material/refresh:",
            help=model_choice.CHOOSE_AGAIN,
            on_click=choose,
            args=arguments,
            width="content",
        )


def _known(config: RunConfig, choice: DataChoice) -> RunConfig | None:
    chosen = model_choice.known(choice, config)
    return None if chosen is None else chosen.held_by(config)


def _work(prepared: PreparedData, config: RunConfig) -> Work | None:
    """Return this session's choice of this model while it runs, or once it failed."""
    key, work = st.session_state.get(_WORK, (None, None))
    same = key == model_choice.key_of(prepared.choice, config)
    return work if same and (work.error or not work.over) else None


def _begin(prepared: PreparedData, config: RunConfig) -> Work:
    with st.spinner(escape_markdown(f"{model_choice.WORDS.capitalize()} …")):
        work = model_choice.begin(prepared, config, jobs.QUICK_OPERATIONS)
    st.session_state[_WORK] = (model_choice.key_of(prepared.choice, config), work)
    return work


def _starts(config: RunConfig, prepared: PreparedData) -> bool:
    """Whether a choice is short, or was asked for."""
    asked = st.session_state.get(_ASKED) == model_choice.key_of(prepared.choice, config)
    return asked or model_choice.work_of(config, prepared).operations < jobs.UNASKED_OPERATIONS


def _ask(config: RunConfig, choice: DataChoice) -> None:
    st.session_state[_ASKED] = model_choice.key_of(choice, config)


def _offer(page: str, config: RunConfig, prepared: PreparedData) -> None:
    """Let the reader start a choice that takes long."""
    expected = expected_in_words(model_choice.work_of(config, prepared))
    words = f"Short runs choose how clusters look and how wide they are. They take {expected}."
    say_it_waits(words)
    with st.container(horizontal=True):
        st.button(
            "Choose",
            key=f"{page}.choose",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_ask,
            args=(config, prepared.choice),
        )
        usual_button(page, prepared.choice)


def _watch(page: str, work: Work, choice: DataChoice) -> None:
    """Draw the progress of a choice. Other sessions may wait for it too, so it can be left but not stopped."""
    watch(
        work,
        key=f"{page}.leave choice",
        stop_words="Usual prior",
        about=ABOUT_USUAL,
        leave=lambda: ask_for(page, choice, None),
    )
