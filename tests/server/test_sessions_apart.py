"""Sessions of one server: shared results come from the engine only, never from a user's own data or files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.datasets.tables.transfer import fingerprint
from dpviz.engine import stored
from dpviz.engine.trace import Trace
from dpviz.ui.explore import export_panel, finished_run
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, prepare
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.shell import links
from pages import opened, page, press, run, said, set_to, settled, shown_run

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=70, seed=3)
CONFIG = usual_config(n_init=2, init="single", seed=5)


@pytest.fixture(autouse=True)
def _nothing_shared():
    """What other tests ran is not there already, nor is there later what these made up."""
    for clear in (jobs.SHARED.clear, finished_run.PAYLOADS.clear):
        clear()
    yield
    finished_run.PAYLOADS.clear()


@pytest.fixture
def payloads(monkeypatch) -> list[bytes]:
    """Everything that players were given."""
    given: list[bytes] = []
    show = finished_run.player

    def recorded(payload, **options):
        given.append(payload)
        return show(payload, **options)

    monkeypatch.setattr(finished_run, "player", recorded)
    return given


def falsified(trace: Trace) -> str:
    """A stored run with the settings, data, length and result of an honest one, and with another way there."""
    labels, nll = trace.labels.copy(), trace.nll.copy()
    before = np.arange(len(labels)) != trace.result_row
    labels[before] = labels[before][:, np.random.default_rng(0).permutation(trace.n_points)]
    nll[np.arange(len(nll)) != trace.result_sweep] += 1000
    return replace(trace, labels=labels, nll=nll).to_json()


def load(app: AppTest, text: str) -> AppTest:
    app.session_state[export_panel.OPEN] = True
    run(app)
    app.file_uploader(key="load.run").set_value(("run.json", text.encode(), "application/json"))
    run(app)
    return settled(press(app, "load.go"))


def test_a_run_from_a_file_never_stands_in_for_the_engines(payloads):
    honest = dpviz.run(prepare(SMALL).X, CONFIG)
    other = links.state_query(SMALL, replace(CONFIG, seed=6))
    forger = load(opened("explore", **other), falsified(honest))
    assert shown_run(forger).config == CONFIG
    forged = payloads[-1]

    visitor = opened("explore", **links.state_query(SMALL, CONFIG))
    seen = shown_run(visitor)
    np.testing.assert_array_equal(seen.trace.labels, honest.labels)
    assert payloads[-1] == finished_run._built(seen, [], None) != forged

    run(load(forger, falsified(honest)))
    assert payloads[-1] == forged  # whoever loads a file goes on seeing it
    assert payloads[-1] != finished_run._built(seen, [], None)


def test_sessions_that_open_one_link_share_what_the_engine_made(payloads):
    query = links.state_query(SMALL, CONFIG)
    first = opened("explore", **query)
    payload = payloads[-1]
    second = opened("explore", **query)
    assert payloads[-1] is payload
    assert shown_run(first).trace is shown_run(second).trace


def test_one_run_is_found_by_what_was_asked_and_by_what_was_chosen():
    asked = RunConfig("mapdp", n_init=2, init="single", seed=5, effort=0.0)
    job = jobs.Job(Asked(SMALL, asked))
    list(job.steps())
    job.finish(stopped=False)
    made = job.result
    assert made is not None and made.asked == asked != made.config
    for config, left, notes in ((asked, asked, made.notes), (made.config, None, ())):
        again = jobs.finished_run(Asked(replace(SMALL, axes=("x2", "x1")), config))
        assert again is not None and again.trace is made.trace and jobs.SHARED.holds(again)
        assert (again.config, again.asked, again.notes) == (made.config, left, notes)
        assert again.choice.axes == ("x2", "x1")


def test_a_stopped_run_is_never_shared():
    job = jobs.Job(Asked(SMALL, CONFIG))
    steps = job.steps()
    for _ in range(2):
        next(steps)
    job.finish(stopped=True)
    assert job.result is not None and not jobs.SHARED.holds(job.result)
    assert jobs.finished_run(Asked(SMALL, CONFIG)) is None
    whole = jobs.Job(Asked(SMALL, CONFIG))
    list(whole.steps())
    whole.finish(stopped=False)
    assert whole.result is not None and jobs.SHARED.holds(whole.result) and not jobs.SHARED.holds(job.result)
    loaded = replace(whole.result, trace=Trace.from_json(falsified(whole.result.trace)))
    assert not jobs.SHARED.holds(loaded)


def test_the_digest_of_a_run_tells_apart_all_that_a_file_can_change():
    config = usual_config("gibbs", n_sweeps=5, burn_in=1, events_sweep=1, split_merge=1)
    trace = dpviz.run(prepare(SMALL).X, config)
    digests = {stored.digest(trace)}
    for name in stored._TYPES:
        held = getattr(trace, name)
        array = np.zeros((len(trace.labels), 2)) if held is None else held.copy()  # nothing is filled in here
        array.flat[-1] += 1
        digests.add(stored.digest(replace(trace, **{name: array})))
        digests.add(stored.digest(replace(trace, **{name: array[:-1]})))
    digests.add(stored.digest(replace(trace, config=replace(trace.config, seed=1))))
    digests.add(stored.digest(replace(trace, events=None)))
    digests.add(stored.digest(replace(trace, generator=(1, 3, 0, 0))))
    digests.add(stored.digest(replace(trace, converged=not trace.converged)))
    assert len(digests) == 2 * len(stored._TYPES) + 5
    assert stored.digest(Trace.from_json(trace.to_json())) == stored.digest(trace)


def own_frames(app: AppTest) -> list[pd.DataFrame | None]:
    return [dataset.frame for dataset in app.session_state["own data"].values()]


def test_own_data_have_no_name_in_common_with_those_of_another_session():
    content = b"name,x,y\n" + b"".join(b"anna%d,%d,%d\n" % (i, i * i, 7 * i % 5) for i in range(30))
    names = []
    for secret in (b"anna", b"bert"):  # the same numbers to cluster, beside what only the owner may see
        app = run(page("data"))
        set_to(app, "data way", "Load")
        app.file_uploader(key="data file").set_value(("t.csv", content.replace(b"anna", secret), "text/csv"))
        run(app)
        press(app, "data use")
        names.append(app.session_state["data choice"].name)
        (frame,) = own_frames(app)
        assert frame is not None and frame["name"][0] == secret.decode() + "0"
        assert "30 points × 2 columns" in said(app)
    assert len(set(names)) == 2
    again = run(page("data"))
    set_to(again, "data way", "Load")
    again.file_uploader(key="data file").set_value(("t.csv", content, "text/csv"))
    run(again)
    press(again, "data use")
    assert again.session_state["data choice"].name not in names


def test_data_that_differ_in_anything_have_different_names():
    frame = pd.DataFrame({"x": [1.0, 4.0, 9.0], "who": ["a", "b", None]})
    X = frame[["x"]].to_numpy()
    rows = np.arange(3)
    one = Dataset(X=X, name="t", frame=frame, rows=rows)
    others = [
        replace(one, frame=frame.assign(who=["a", "c", None])),
        replace(one, frame=frame.assign(who=["a", "b", ""])),
        replace(one, frame=frame.rename(columns={"who": "whom"})),
        replace(one, frame=None, rows=None),
        replace(one, X=X + 1),
        replace(one, notes=("changed",)),
        replace(one, labels=np.array([0, 1, 1])),
    ]
    assert len({keep_session_dataset(dataset).name for dataset in [one, *others]}) == 8
    assert keep_session_dataset(one) == keep_session_dataset(replace(one))
    assert fingerprint(frame) == fingerprint(frame.copy()) != fingerprint(frame[["who", "x"]])
