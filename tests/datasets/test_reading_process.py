"""Reading in another process and in turns: a damaged file ends only that process, and nobody is passed over."""

from __future__ import annotations

import datetime
import io
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import steps

from dpviz import cli
from dpviz.datasets.tables import infer_kinds, isolated, read_isolated, read_table
from dpviz.datasets.tables.read import read_here
from dpviz.datasets.tables.turns import Turns
from dpviz.errors import InvalidDataError, MemoryLimitError
from dpviz.ui.session import uploads
from dpviz.ui.session.uploads import Held

# --- damaged Parquet files -------------------------------------------------------------------------------------------


def parquet(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, compression="none", store_schema=False)
    return stream.getvalue()


def damaged_parquet() -> bytes:
    """A file whose schema declares its column as required, while its statistics count missing values."""
    good = parquet(pa.table({"a": [1.5, 2.5, None], "t": ["x", "y", "z"]}))
    optional, required = b"\x25\x02\x18\x01a", b"\x25\x00\x18\x01a"
    assert good.count(optional) == 1
    return good.replace(optional, required)


def test_this_damage_ends_the_process_that_reads_it(tmp_path):
    (tmp_path / "t.parquet").write_bytes(damaged_parquet())
    program = (
        "import sys, pathlib; from dpviz.datasets.tables.read import read_here\n"
        "read_here(pathlib.Path(sys.argv[1]).read_bytes(), 't.parquet')"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path / "t.parquet")], stderr=subprocess.DEVNULL)
    assert ended.returncode < 0


def test_the_library_survives_it_and_says_what_happened():
    for read in (read_table, read_isolated):
        with pytest.raises(InvalidDataError, match="file is damaged: .* signal SIGABRT") as raised:
            read(damaged_parquet(), "t.parquet")
        assert "memory" not in str(raised.value)


def test_the_command_line_survives_it(tmp_path, capsys):
    file = tmp_path / "t.parquet"
    file.write_bytes(damaged_parquet())
    assert cli.main(["run", str(file)]) == 1
    assert "signal SIGABRT" in capsys.readouterr().err


def test_what_the_start_of_python_prints_is_no_part_of_the_answer(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys; print('hello'); sys.stdout.flush(); print('again')")
    monkeypatch.syspath_prepend(str(tmp_path))
    table = read_isolated(parquet(pa.table({"a": [1.5, 2.5]})), "t.parquet")
    assert table.frame["a"].tolist() == [1.5, 2.5]
    with pytest.raises(InvalidDataError, match="file is damaged"):
        read_isolated(damaged_parquet(), "t.parquet")
    with pytest.raises(InvalidDataError, match="image"):
        read_isolated(b"\x89PNG and so on", "t.csv")


def test_columns_of_one_name_are_refused_by_that_name():
    for other in (pa.array([0, 86_400_000], pa.timestamp("ms")), pa.array([[1.5], [2.5]]), pa.array(["x", "y"])):
        data = parquet(pa.table([pa.array([1.5, 2.5]), other, pa.array([3.5, 4.5])], ["a", "a", "b"]))
        with pytest.raises(InvalidDataError, match="Several columns are called “?a”?; give every column its own name"):
            read_isolated(data, "t.parquet")


def test_a_script_without_a_guard_runs_once(tmp_path):
    """Where processes are not forked, they would import the script again."""
    (tmp_path / "t.parquet").write_bytes(parquet(pa.table({"a": [1.5, 2.5]})))
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import multiprocessing
        multiprocessing.set_start_method("spawn")
        print("runs")
        from dpviz.datasets.tables import read_table
        with open("t.parquet", "rb") as file:
            print(len(read_table(file.read(), "t.parquet").frame))
        """)
    )
    ran = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["runs", "2"]


def test_what_the_library_reads_in_another_process_can_be_changed():
    table = read_table(parquet(pa.table({"a": [1.5, 2.5], "n": [1, 2], "t": ["x", "y"]})), "t.parquet")
    table.frame.loc[0, "a"] = 7.0
    table.frame["n"].to_numpy(copy=True)[0] = 9
    assert table.frame["a"].tolist() == [7.0, 2.5]


def run_instead(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    start = subprocess.Popen
    monkeypatch.setattr(
        isolated.subprocess, "Popen", lambda _, **options: start([sys.executable, "-c", program], **options)
    )


@pytest.mark.parametrize(
    ("program", "error", "message"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", InvalidDataError, "damaged.*SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", MemoryLimitError, "system ended the program"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", MemoryLimitError, "60 seconds of computing"),
        (
            "import os, sys; sys.stderr.write('what():  std::bad_alloc'); sys.stderr.flush(); os.abort()",
            MemoryLimitError,
            "more than 3 GB of memory",
        ),
        ("raise SystemExit(9)", InvalidDataError, "status 9"),
    ],
)
def test_every_end_is_told_apart(monkeypatch, program, error, message):
    run_instead(monkeypatch, program)
    with pytest.raises(error, match=message):
        read_isolated(b"a,b\n1,2\n", "t.csv")


def test_a_process_that_has_answered_cannot_break_down(monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import atexit, os; atexit.register(os.abort)")
    monkeypatch.syspath_prepend(tmp_path)
    assert len(read_isolated(b"a,b\n1,2\n3,4\n", "t.csv").frame) == 2


# --- turns -----------------------------------------------------------------------------------------------------------


def test_two_files_of_one_session_leave_room_for_a_third_of_somebody_else():
    turns = Turns(2)
    slow, also_slow = turns.ask("greedy"), turns.ask("greedy")
    assert turns.begin(slow) and not turns.begin(also_slow)
    small = turns.ask("other")
    assert turns.begin(small)
    turns.end("other")
    assert not turns.begin(also_slow)  # its session's first is still being read
    turns.end("greedy")
    assert turns.begin(also_slow)


def test_nobodys_second_file_passes_anothers_first():
    turns = Turns(1)
    tickets = [turns.ask(owner) for owner in ("a", "a", "a", "b", "c", "b")]
    order = []
    for _ in tickets:
        (begun,) = [ticket for ticket in tickets if ticket not in order and turns.begin(ticket)]
        order.append(begun)
        turns.end("aaabcb"[tickets.index(begun)])
    assert ["aaabcb"[tickets.index(ticket)] for ticket in order] == ["a", "b", "c", "a", "b", "a"]
    late, new = turns.ask("a"), turns.ask("d")
    assert not turns.begin(late) and turns.begin(new)


def test_callers_without_a_session_do_not_wait_for_each_other():
    turns = Turns(2)
    first, second = turns.ask(""), turns.ask("")
    assert turns.begin(first) and turns.begin(second)


def test_owners_are_not_remembered_for_ever():
    turns = Turns(1)
    for owner in range(3_000):
        assert turns.begin(turns.ask(f"session {owner}"))
        turns.end(f"session {owner}")
    assert len(turns._served) == 1_000 and not turns._waiting and not turns._working


def test_who_waits_too_long_or_fails_gives_the_turn_back():
    turns = Turns(1)
    with turns.taken("a", 1), pytest.raises(MemoryLimitError, match="Other files are being read"):
        with turns.taken("b", 0.01):
            raise AssertionError
    with pytest.raises(KeyError), turns.taken("a", 1):
        raise KeyError
    assert not turns._waiting and not turns._working


def test_threads_are_woken_in_turn():
    turns, order = Turns(1), list[str]()

    def work(owner):
        with turns.taken(owner, 60):
            order.append(owner)

    threads = [threading.Thread(target=work, args=(f"{number % 5}",)) for number in range(40)]
    with turns.taken("first", 1):
        for thread in threads:
            thread.start()
        while len(turns._waiting) < 40:  # all have asked
            threading.Event().wait(0.01)
    for thread in threads:
        thread.join(60)
    assert all(sorted(order[start : start + 5]) == list("01234") for start in range(0, 40, 5))


def test_a_table_of_a_session_is_read_in_the_turn_of_the_session(monkeypatch):
    class Context:
        session_id = "me"

    asked: list[str] = []
    taken = Turns.taken
    monkeypatch.setattr(uploads, "get_script_run_ctx", Context)
    monkeypatch.setattr(
        Turns, "taken", lambda turns, owner, seconds: (asked.append(owner), taken(turns, owner, seconds))[1]
    )
    assert len(uploads.read(Held("a,b\n1,2\n"), "", repair=True).frame) == 1
    assert asked == ["me"]


# --- repeated values -------------------------------------------------------------------------------------------------


def columns() -> dict[str, pa.Array]:
    """Columns of values that recur, with gaps."""
    n = 4_000
    days = np.datetime64("2020-01-01", "s") + (np.arange(n) % 30).astype("timedelta64[D]")
    texts = np.array(["1,234.5", "red", " 7 ", "NA", "2,5", "9007199254740993"], object)[np.arange(n) % 6]
    whole = pa.array(np.arange(n) % 7)
    return {
        "day": pa.array(days).cast(pa.timestamp("ms")),
        "day with gaps": pa.array([None if i % 9 == 4 else day for i, day in enumerate(days.tolist())]),
        "zone": pa.array(days).cast(pa.timestamp("ms", "UTC")),
        "date": pa.array(days).cast(pa.date32()),
        "texts": pa.array(texts, pa.large_string()),
        "numbers in text": pa.array(np.array(["1,5", "2,5", "-"], object)[np.arange(n) % 3], pa.string()),
        "percent": pa.array(np.array(["5%", "7.5 %"], object)[np.arange(n) % 2], pa.string()),
        "codes": pa.array(np.array(["007", "8"], object)[np.arange(n) % 2], pa.string()),
        "whole in text": pa.array(np.array(["3", "8"], object)[np.arange(n) % 2], pa.string()),
        "true": pa.array(np.arange(n) % 2 == 0),
        "decimal": whole.cast(pa.decimal128(20, 1)),
        "huge": pa.array([None, 2**53 + 1] * (n // 2)),
        "categories": pa.array(np.array(["x", None], object)[np.arange(n) % 2], pa.string()).dictionary_encode(),
    }


def days_since_1970(value: datetime.date) -> float:
    """Days, of moments with their fraction, by the calendar of the standard library."""
    if not isinstance(value, datetime.datetime):
        return float((value - datetime.date(1970, 1, 1)).days)
    return (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)


@pytest.mark.parametrize("name", columns())
def test_reading_every_distinct_value_once_is_reading_every_value(name):
    """The second implementation reads the same cells as text, where each is looked at by itself."""
    column = columns()[name]
    written = column.cast(pa.large_string()).to_pylist()
    table = read_here(parquet(pa.table({"a": column})), "t.parquet")
    if pa.types.is_temporal(column.type):
        days = [None if cell is None else days_since_1970(cell) for cell in column.to_pylist()]
        assert table.frame["a"].astype(object).where(table.frame["a"].notna(), None).tolist() == days
        return
    shuffled = "\n".join(["a", *(f'"{cell or ""}"' for cell in written)])
    same = read_here(shuffled.encode(), "t.csv", separator="", decimal=".", header=True)
    pd.testing.assert_series_equal(table.frame["a"], same.frame["a"])
    assert [note for note in table.notes if "“a”" in note] == [note for note in same.notes if "“a”" in note]


def test_repeated_dates_are_written_once_not_once_per_row(monkeypatch):
    """A small file holds millions of equal dates: only the distinct ones are written as text and looked at."""
    n = 200_000
    day = np.datetime64("2020-01-01", "s")
    content = parquet(pa.table({f"d{number}": np.full(n, day) for number in range(4)}))
    looked_at = 0
    match = pa.compute.match_substring_regex

    def counted(cells, *rest):
        nonlocal looked_at
        looked_at += len(cells)  # type: ignore[arg-type]
        return match(cells, *rest)

    monkeypatch.setattr(pa.compute, "match_substring_regex", counted)
    table = read_here(content, "t.parquet")
    assert set(infer_kinds(table.frame).values()) == {"constant"}
    assert table.frame.shape == (n, 4) and looked_at < 1_000


def test_dates_whose_text_would_be_too_large_are_read_as_days():
    many = {f"d{number}": np.full(900_000, np.datetime64("2020-01-01", "ns")) for number in range(20)}
    frame = read_here(parquet(pa.table(many)), "t.parquet").frame
    assert frame.shape == (900_000, 20) and set(frame.dtypes) == {np.dtype(np.float64)}
    assert (frame.iloc[[0, -1]] == 18_262).all(axis=None)


@pytest.mark.parametrize("kind", ["dates", "wide", "words"])
def test_twice_the_rows_take_no_more_than_twice_the_steps(kind):
    row = {"dates": "2020-01-01 12:30:00,1.5\n", "wide": ",".join(["2020-01-01"] * 200) + "\n", "words": "ab c,2\n"}[
        kind
    ]
    counted = [
        steps.lines_run(lambda n=n: read_here((row * n).encode(), "t.csv", repair=True), "datasets/tables")
        for n in (300, 600)
    ]
    assert counted[1] <= 2.2 * counted[0] + 2_000
