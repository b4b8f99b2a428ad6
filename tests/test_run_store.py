"""Finished runs that the processes of a server share on disk: found by any, falsified by none, bounded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.stored import digest
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError
from dpviz.ui.explore import page as explore
from dpviz.ui.session import jobs, run_store
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.kept import OwnData
from dpviz.ui.session.run_store import RunStore, StoredRun
from dpviz.ui.shell import links
from pages import opened, shown_run

ROOT = Path(__file__).resolve().parents[1]
SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=60, seed=4)
CONFIG = RunConfig("mapdp", n_init=2, init="single", seed=5, family="normal_wishart", prior=None)
CHAIN = RunConfig("gibbs", n_sweeps=12, burn_in=2, split_merge=1, family="normal_gamma", prior=None, seed=2)
DATA = SMALL.to_json()


@pytest.fixture(autouse=True)
def shared() -> Iterator[jobs.SharedRuns]:
    """Nothing that other tests ran, no store that they used, and none left for them."""
    jobs.SHARED.clear()
    yield jobs.SHARED
    jobs.SHARED.store = None
    jobs.SHARED.clear()


@pytest.fixture(scope="module")
def run() -> Trace:
    return dpviz.run(prepare(SMALL).X, CONFIG)


def stored(trace: Trace, asked: RunConfig | None = None) -> StoredRun:
    return StoredRun(trace, asked, ("a note",))


def found(store: RunStore, config: RunConfig = CONFIG, data: DataChoice = SMALL) -> StoredRun | None:
    return store.find(data.to_json(), config, lambda: prepare(data).X)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.run"))


def unread() -> None:
    raise AssertionError("the data are loaded only where there is a file")


@pytest.mark.parametrize("config", [CONFIG, CHAIN], ids=["mapdp", "gibbs"])
def test_what_is_stored_comes_back_whole(tmp_path: Path, config: RunConfig) -> None:
    trace = dpviz.run(prepare(SMALL).X, config)
    store = RunStore(tmp_path / "made when needed")
    assert store.find(DATA, config, unread) is None  # type: ignore[arg-type]
    store.put(DATA, config, stored(trace))
    back = found(store, config)
    assert back is not None and back.notes == ("a note",) and back.asked is None
    assert back.trace.config == config and digest(back.trace) == digest(trace)
    assert back.trace.total_seconds == trace.total_seconds


def test_one_run_is_found_by_what_was_asked_and_by_what_was_chosen(tmp_path: Path, shared: jobs.SharedRuns) -> None:
    shared.store = RunStore(tmp_path)
    asked = RunConfig("mapdp", n_init=2, init="single", seed=5, effort=0.0)
    job = jobs.Job(SMALL, asked)
    list(job.steps())
    job.finish(stopped=False)
    made = job.result
    assert made is not None and made.asked == asked != made.config and len(files(tmp_path)) == 2
    for config, left, notes in ((asked, asked, made.notes), (made.config, None, ())):
        shared.clear()
        again = jobs.finished_run(replace(SMALL, axes=("x2", "x1")), config)
        assert again is not None and again.trace is not made.trace
        assert (again.config, again.asked, again.notes) == (made.config, left, notes)
        assert again.choice.axes == ("x2", "x1") and digest(again.trace) == digest(made.trace)
        assert shared.holds(again)


WRITE = """
import sys
from pathlib import Path
from dpviz.config import RunConfig
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.run_store import RunStore, default_folder
jobs.SHARED.store = RunStore(Path(sys.argv[1]))
job = jobs.Job(DataChoice.from_json(sys.argv[2]), RunConfig.from_json(sys.argv[3]))
list(job.steps())
job.finish(stopped=False)
print(default_folder())
"""


def test_a_link_shows_at_once_what_another_process_ran(
    tmp_path: Path, shared: jobs.SharedRuns, run: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [sys.executable, "-c", WRITE, str(tmp_path), DATA, CONFIG.to_json()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    written = subprocess.run(arguments, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    assert written.stdout.strip() == str(run_store.default_folder())  # the same program, so the same folder
    shared.store = RunStore(tmp_path)

    def begun(*arguments: object, **options: object) -> None:
        raise AssertionError("nothing needs to run")

    monkeypatch.setattr(explore, "Job", begun)
    app = opened("explore", **links.state_query(SMALL, CONFIG))
    seen = shown_run(app)
    assert seen.config == CONFIG
    np.testing.assert_array_equal(seen.trace.labels, run.labels)
    np.testing.assert_array_equal(seen.trace.nll, run.nll)


def forged(content: bytes, **facts: object) -> bytes:
    """A stored run that says something else, with a digest to match: what only who may write to the folder can make."""
    body = content[len(run_store._MAGIC) + run_store._DIGEST_BYTES :]
    line, _, text = body.partition(b"\n")
    trace = facts.pop("trace", text)
    assert isinstance(trace, bytes)
    body = json.dumps(json.loads(line) | facts).encode() + b"\n" + trace
    return run_store._MAGIC + run_store.hashlib.blake2b(body, digest_size=run_store._DIGEST_BYTES).digest() + body


def other_labels(trace: Trace) -> bytes:
    return replace(trace, labels=trace.labels[:, ::-1].copy()).to_json().encode()


def test_a_damaged_file_is_never_shown_and_removed(tmp_path: Path, run: Trace) -> None:
    store = RunStore(tmp_path)
    store.put(DATA, CONFIG, stored(run))
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    damaged = [b"", whole[:10], whole[: len(run_store._MAGIC) + 5], whole[: len(whole) // 2], whole[:-1], whole + b"x"]
    for position in np.linspace(0, len(whole) - 1, 60).astype(int):
        damaged.append(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
    for content in damaged:
        path.write_bytes(content)
        assert found(store) is None
        assert not path.exists()
    path.write_bytes(whole)
    assert found(store) is not None


def test_a_file_that_claims_to_be_another_run_is_never_shown(tmp_path: Path, run: Trace) -> None:
    store = RunStore(tmp_path)
    store.put(DATA, CONFIG, stored(run))
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    assert forged(whole) == whole
    other_data = SMALL.with_options(seed=9)
    other_config = replace(CONFIG, seed=6)
    of_others = dpviz.run(prepare(other_data).X, CONFIG).to_json().encode()
    claims = {
        "another key": forged(whole, key="x"),
        "no key": run_store._MAGIC + b"0" * run_store._DIGEST_BYTES + b"{}\n",
        "other labels": forged(whole, trace=other_labels(run)),
        "other data": forged(whole, trace=of_others, digest=digest(Trace.from_json(of_others.decode()))),
        "asked for something else": forged(whole, asked=other_config.to_json()),
        "notes that are no texts": forged(whole, notes=[1]),
        "a configuration that is none": forged(whole, asked="{}}"),
        "no run": forged(whole, trace=b"[]"),
        "bytes that are no text": forged(whole, trace=b"\xff"),
    }
    for what, content in claims.items():
        path.write_bytes(content)
        assert found(store) is None, what
        assert not path.exists(), what
    for config, data in ((other_config, SMALL), (CONFIG, other_data)):  # under a name that is not its own
        store.put(data.to_json(), config, stored(run))
        (path,) = files(tmp_path)
        path.write_bytes(whole)
        assert found(store, config, data) is None and not path.exists()


def test_what_a_user_brought_or_stopped_is_not_stored(tmp_path: Path, shared: jobs.SharedRuns, run: Trace) -> None:
    shared.store, own = RunStore(tmp_path), OwnData()
    own.keep("own", prepare(SMALL).dataset)
    shared.put(jobs.Finished(DataChoice("session", "own"), CONFIG, prepare(SMALL), run))
    job = jobs.Job(SMALL, CONFIG)
    next(job.steps())
    job.finish(stopped=True)
    assert not files(tmp_path)
    with pytest.raises(InvalidParameterError, match="another browser"):  # only who has the data finds the run
        shared.get(DataChoice("session", "own"), CONFIG)


def test_runs_that_a_file_cannot_hold_are_left_out(tmp_path: Path, run: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path)
    mixture = RunConfig("em", n_components=2)
    trace = dpviz.run(prepare(SMALL).X, mixture)
    assert trace.parameters  # which are drawn, and not stored
    store.put(DATA, mixture, stored(trace))
    store.put(DATA, CONFIG, stored(run, replace(CONFIG, effort=3.0)))  # went on from another run
    monkeypatch.setattr(run_store, "MOST_LABEL_BYTES", run.labels.nbytes - 1)
    store.put(DATA, CONFIG, stored(run))
    monkeypatch.undo()
    monkeypatch.setattr(run_store, "MOST_FILE_BYTES", 100)
    store.put(DATA, CONFIG, stored(run))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_costs_nobody_the_run(tmp_path: Path, run: Trace) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    store = RunStore(blocked)
    store.put(DATA, CONFIG, stored(run))
    assert found(store) is None and blocked.read_bytes() == b""


def test_the_runs_used_longest_ago_make_room(tmp_path: Path, run: Trace) -> None:
    sizing = RunStore(tmp_path / "sizing")
    sizing.put(DATA, CONFIG, stored(run))
    size = files(tmp_path / "sizing")[0].stat().st_size
    folder = tmp_path / "bounded"
    store = RunStore(folder, most_bytes=int(3.5 * size))
    names = [f"data {number}" for number in range(4)]
    paths = {}
    for age, name in enumerate(names[:3]):
        store.put(name, CONFIG, stored(run))
        (paths[name],) = set(files(folder)) - set(paths.values())
        os.utime(paths[name], (0, time.time() - 1000 + age))
    os.utime(paths[names[0]])  # used again
    store.put(names[3], CONFIG, stored(run))
    left = files(folder)
    assert sum(path.stat().st_size for path in left) <= 3.5 * size
    assert paths[names[0]] in left and paths[names[2]] in left and paths[names[1]] not in left and len(left) == 3


def test_old_runs_and_what_was_never_finished_are_removed(tmp_path: Path, run: Trace) -> None:
    store = RunStore(tmp_path, most_seconds=1000.0)
    store.put("old", CONFIG, stored(run))
    (old,) = files(tmp_path)
    abandoned, begun = tmp_path / "run_a.part", tmp_path / "run_b.part"
    foreign = [tmp_path / name for name in ("notes.txt", "marathon.run", "thesis.part")]
    for path in (abandoned, begun, *foreign):
        path.write_bytes(b"x")
    for path in (old, abandoned, *foreign):
        os.utime(path, (0, 0))
    linked = tmp_path / f"{'0' * 32}.run"
    linked.symlink_to(foreign[0])
    store.put("new", CONFIG, stored(run))
    assert not old.exists() and not abandoned.exists()
    assert begun.exists() and linked.is_symlink() and all(path.read_bytes() == b"x" for path in foreign)
    assert len(set(files(tmp_path)) - {linked, *foreign}) == 1


def test_using_a_run_keeps_it_young(tmp_path: Path, run: Trace) -> None:
    store = RunStore(tmp_path)
    store.put(DATA, CONFIG, stored(run))
    (path,) = files(tmp_path)
    os.utime(path, (0, 0))
    assert found(store) is not None and path.stat().st_mtime > 0


def test_many_writers_and_readers_leave_no_half_runs(tmp_path: Path, run: Trace) -> None:
    size = len(run_store._pack("key", stored(run)))
    stores = [RunStore(tmp_path, most_bytes=5 * size) for _ in range(4)]  # as in as many processes
    wrong: list[object] = []

    def work(store: RunStore, seed: int) -> None:
        order = np.random.default_rng(seed)
        try:
            for _ in range(25):
                if order.random() < 0.5:
                    store.put(DATA, CONFIG, stored(run))
                    store.put(f"data {order.integers(8)}", CONFIG, stored(run))
                back = found(store)
                if back is not None and digest(back.trace) != digest(run):
                    wrong.append(back)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(store, seed)) for seed, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    stores[0].put(DATA, CONFIG, stored(run))
    assert found(stores[1]) is not None
    assert not list(tmp_path.glob("*.part"))
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 5 * size
