"""What a server keeps: bounded in bytes, for each session and for all, and what was dropped is said."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.ui.session import chosen_data, history, kept
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.kept import Kept, OwnData
from pages import page, press, run, said, set_to


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50)), max_size=60))
def test_results_take_no_more_room_than_allowed_and_the_last_used_stay(asked):
    results: Kept[tuple[int, int]] = Kept(100, lambda value: value[1])
    used: list[int] = []
    for key, size in asked:
        value = results.get(key, lambda key=key, size=size: (key, size))
        assert value[0] == key
        used = [other for other in used if other != key] + [key]
        assert results._making == {}
        assert results.n_bytes <= max(100, value[1])
        assert results.keys() == used[-len(results) :]


def test_a_result_too_large_is_kept_alone_and_small_ones_are_not_kept_without_end():
    results: Kept[bytes] = Kept(100, len)
    results.get("small", lambda: b"x" * 60)
    results.get("large", lambda: b"x" * 500)
    assert (len(results), results.n_bytes) == (1, 500)
    for number in range(kept.MOST_RESULTS + 5):
        results.get(number, bytes)
    assert len(results) == kept.MOST_RESULTS
    results.clear()
    assert results.n_bytes == 0


def test_what_was_made_elsewhere_is_found_again_and_the_least_used_make_room():
    results: Kept[str] = Kept(100, len, most=2)
    assert results.find("a") is None
    results.put("a", "x" * 10)
    results.put("b", "y" * 10)
    assert results.find("a") == "x" * 10  # which makes it the last used
    results.put("c", "z" * 10)
    assert results.find("b") is None and results.find("a") is not None
    results.put("a", "w" * 95)
    assert results.find("a") == "w" * 95 and results.find("c") is None
    assert results.get("a", lambda: "made anew") == "w" * 95


def test_what_many_sessions_ask_for_at_once_is_made_once_and_errors_are_not_kept():
    results: Kept[object] = Kept(100, lambda _: 1)
    begun, gate, made, found = threading.Event(), threading.Event(), list[int](), list[object]()

    def make():
        made.append(1)
        begun.set()
        gate.wait()
        return object()

    threads = [threading.Thread(target=lambda: found.append(results.get("key", make))) for _ in range(5)]
    for thread in threads:
        thread.start()
    begun.wait()
    gate.set()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and len(set(map(id, found))) == 1
    with pytest.raises(ZeroDivisionError):
        results.get("other", lambda: 1 / 0)
    assert results.get("other", lambda: 7) == 7


def table(title: str, n_rows: int) -> Dataset:
    """Data of 16 bytes per row: 8 as loaded, 8 as clustered."""
    return Dataset(X=np.arange(float(n_rows))[:, None], name="t", title=title)


@pytest.fixture
def small(monkeypatch):
    """Room for 100 rows in a session, for 250 in all."""
    monkeypatch.setattr(kept, "MOST_SESSION_BYTES", 1_600)
    monkeypatch.setattr(kept, "MOST_BYTES", 4_000)
    monkeypatch.setattr(kept, "_sessions", type(kept._sessions)())
    yield


@pytest.mark.usefixtures("small")
def test_a_session_drops_what_it_used_longest_ago():
    own = OwnData()
    for name in "abc":
        own.keep(name, table(name.upper(), 30))
    own.use("a")
    own.keep("d", table("D", 30))
    assert list(own) == ["a", "c", "d"] and own.dropped == ("B",)
    assert own.n_bytes == 3 * 30 * 16
    own.keep("e", table("E", 1_000))  # alone it is kept, whatever it takes
    assert list(own) == ["e"] and set(own.dropped) == {"A", "C", "D"}
    own.keep("f", table("F", 10))
    assert list(own) == ["f"] and own.dropped == ("E",)
    own.keep("g", table("G", 10), replacing="f")
    assert list(own) == list(own.made) == ["g"] and own.dropped == ()


@pytest.mark.usefixtures("small")
def test_sessions_make_room_for_each_other_and_give_it_back_when_they_end():
    first, second, third = OwnData(), OwnData(), OwnData()
    first.keep("a", table("A", 90))
    second.keep("b", table("B", 90))
    first.use("a")
    third.keep("c", table("C", 90))
    assert (list(first), list(second), list(third)) == (["a"], [], ["c"])
    assert second.dropped == ("B",) and first.dropped == third.dropped == ()
    assert "b" not in second.made
    del first
    gc.collect()
    second.keep("d", table("D", 90))
    assert list(third) == ["c"] and list(second) == ["d"]


@pytest.mark.usefixtures("small")
def test_what_is_dropped_is_let_go():
    own, dataset = OwnData(), table("A", 90)
    alive = ref(dataset)
    own.keep("a", dataset)
    del dataset
    own.made["a"].get("scaled", lambda: np.zeros(5))
    own.keep("b", table("B", 90))
    gc.collect()
    assert alive() is None


def test_the_size_of_data_counts_their_table():
    frame = pd.DataFrame({"x": np.arange(100.0), "t": ["word" * 5] * 100})
    own = OwnData()
    own.keep("plain", Dataset(X=frame[["x"]].to_numpy(), name="t"))
    assert own.n_bytes == 1_600
    own.keep("plain", Dataset(X=frame[["x"]].to_numpy(), name="t", frame=frame, rows=np.arange(100)))
    assert 1_600 + 800 + 800 + 2_000 <= own.n_bytes <= 1_600 + 800 + 800 + 2_000 + 2_000


@pytest.mark.usefixtures("small")
def test_runs_on_data_that_were_dropped_are_let_go_too(monkeypatch):
    held: dict[str, Any] = {}
    for module in (chosen_data, history):
        monkeypatch.setattr(module.st, "session_state", held)
    config = RunConfig("kmeans", n_clusters=2, n_init=1)
    finished = []
    for title in ("A", "B"):
        choice = chosen_data.keep_session_dataset(table(title, 90))
        prepared = chosen_data.prepare(choice)
        finished.append(Finished(choice, config, prepared, dpviz.run(prepared.X, config)))
        history.add(finished[-1])
        chosen_data.prepare(DataChoice("bundled", "iris"))
    assert [run.choice for run in history.runs()] == [finished[1].choice]
    assert not chosen_data.is_here(finished[0].choice) and chosen_data.is_here(DataChoice())


def use(app: AppTest, name: str, rows: Callable[[int], str]) -> AppTest:
    content = "a,b\n" + "".join(rows(i) for i in range(40))
    app.file_uploader(key="data file").set_value((name, content.encode(), "text/csv"))
    run(app)
    return press(app, "data use")


@pytest.mark.usefixtures("tables_read_here")
def test_the_pages_say_what_was_dropped(monkeypatch):
    monkeypatch.setattr(kept, "MOST_SESSION_DATA", 1)
    app = run(page("data"))
    set_to(app, "data way", "Load")
    use(app, "first [a](b).csv", lambda i: f"{i * i},{i % 7}\n")
    assert "To make room" not in said(app)
    use(app, "second.csv", lambda i: f"{i * i},{i % 5}\n")
    assert "To make room, the server dropped “first [a](b)”. Load it again to use it." in said(app)
    assert any("\\[a\\]" in info.value for info in app.info)
    explore = page("explore")
    for key in ("own data", "data choice"):
        explore.session_state[key] = app.session_state[key]
    assert "To make room" in said(run(explore))
