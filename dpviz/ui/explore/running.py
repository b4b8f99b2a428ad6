"""The run on Explore: begun, taken when it ends, left for another, and shown again."""

from __future__ import annotations

import streamlit as st

from dpviz.engine.algorithms.base import describe
from dpviz.errors import DpvizError
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import run_controls
from dpviz.ui.explore import edits
from dpviz.ui.explore.showing import PLACE, in_picture, job_of, showing
from dpviz.ui.session import computation, history, jobs, state
from dpviz.ui.session.background import TICK_SECONDS
from dpviz.ui.session.computation import Done, Failed
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.shell import links
from dpviz.ui.stage import guide, scales


def with_model(asked: Asked) -> Asked:
    """Return what is asked for with the model that it has from other runs, which short runs then need not choose."""
    given = showing().given
    if given is not None and given.is_like(asked):
        return asked._replace(kept=given.kept)
    return asked._replace(kept=jobs.kept_model(showing().finished, asked))


def start(asked: Asked) -> None:
    """Start a run, or go on with it; a quick one, and one that another session finished, are shown at once."""
    showing().error = None
    try:
        known = jobs.finished_run(asked)
        wanted = jobs.wanted(PLACE, asked, search=showing().search)
    except DpvizError as error:  # the data are not here, or not possible
        showing().error = (asked.key, str(error))
        return
    if known is not None:
        _leave()
        _take(known)
        return
    showing().search = None
    if not computation.is_of(wanted):
        _leave()
    with st.spinner("The run begins …"):  # checking many columns takes seconds
        computation.start(wanted)
    take_what_ended()


def take_what_ended() -> None:
    """Show the run in progress once it is over."""
    work = computation.current(PLACE)
    key, outcome = computation.taken(PLACE) or (None, None)
    if isinstance(outcome, Failed):
        showing().error = (key, outcome.message)
    elif isinstance(outcome, Done):
        _take(outcome.result)
        if not outcome.stopped and work is not None:
            showing().search = job_of(work).search  # the user may continue it


def _leave() -> None:
    """End the run in progress because another is wanted; what a long one has done is not lost."""
    work = computation.current(PLACE)
    if work is not None and not work.error:
        job = job_of(work)
        if jobs.expected(job.to_run, job.prepared).operations > jobs.UNASKED_OPERATIONS:
            showing().left.append(work)
    computation.leave(PLACE)


def take_what_was_left() -> None:
    """Add long runs that were left to those of this session, once they have done their last step."""
    ended = [work for work in showing().left if work.over]
    showing().left = [work for work in showing().left if not work.over]
    for finished in (job_of(work).result for work in ended):
        if finished is None or finished.trace.n_sweeps == 0:
            continue
        known = next((run for run in history.runs() if history.same_run(run, finished)), None)
        is_longer = known is None or known.trace.n_sweeps < finished.trace.n_sweeps
        if is_longer and history.add(finished, is_shown=False):
            done = f"{describe(finished.config)} was stopped after {counted(finished.trace.n_sweeps, 'sweep')}"
            st.toast(escape_markdown(f"{done}; it is among the runs of this session."), icon=":material/history:")


@st.fragment(run_every=TICK_SECONDS)
def await_what_was_left() -> None:
    """Draw the page again when runs that were left have done their last step."""
    if all(work.over for work in showing().left):
        st.rerun()


def _take(finished: Finished) -> None:
    finished = at_scale_of_link(edits.like_the_picture(history.with_names(finished)))
    showing().finished = finished
    given = showing().given
    if given is not None and given.is_like(finished.as_asked):
        showing().given = None
    showing().point = None
    history.add(finished)
    remember(finished)


def remember(finished: Finished) -> bool:
    """Let the address lead to a run; return whether it does."""
    return links.remember(finished.choice, finished.settings, finished.scale, finished.kept)


def at_scale_of_link(finished: Finished) -> Finished:
    """Return a run at the scale that a link asked for, if one asked for one of this run."""
    level = links.take_scale(finished.settings)
    if level is None:
        return finished
    finished, showing().why_no_scale = scales.as_asked(finished, level)
    return finished


def run(asked: Asked) -> None:
    """Run what the controls ask for, however long it takes."""
    showing().attempted = None
    start(with_model(asked))
    showing().attempted = asked  # only now: a script run that is cut short has attempted nothing


def is_current(asked: Asked) -> bool:
    """Whether the run in progress, or else the one shown, has these settings, regardless of the axes shown."""
    current = in_picture()
    return current is not None and asked.is_like(current.as_asked)


def use_lesson(lesson: Lesson, plays: bool) -> None:
    """Open a lesson, before any control is drawn; ``plays`` if its run starts by itself."""
    state.choose_data(lesson.choice)
    run_controls.apply(lesson.config, lesson.choice)
    guide.begin(PLACE, lesson)
    showing().open_next_at_start(plays)
    showing().given = asked = Asked(lesson.choice, lesson.config)
    start(asked)


def open_lesson(lesson: Lesson) -> None:
    """Open a lesson and play it, from a button beside the picture."""
    showing().redraws_all = True
    use_lesson(lesson, plays=True)


def show_again(finished: Finished) -> None:
    """Show a run that exists already; the controls follow in the next script run, before they are drawn."""
    showing().restored = finished
    st.rerun()


def back_to(finished: Finished) -> None:
    """Restore data, controls and picture of an earlier run."""
    state.choose_data(finished.choice)
    run_controls.apply(finished.settings, finished.choice)
    if finished.scale is not None:
        state.put({scales.ORDER: finished.scale.tree.order})
    _leave()
    showing().point = None
    showing().finished = finished
    showing().attempted = finished.as_asked
    remember(finished)


def run_again(asked: Asked) -> None:
    """Set the controls to other settings of the data that are shown, and run."""
    showing().redraws_all = True
    run_controls.apply(asked.config, asked.choice)
    run(asked)
