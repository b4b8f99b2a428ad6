"""What visitors of a server share: the same link for the same address, classes of bounded size, and what is refused."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dpviz.errors import InvalidParameterError, NotKeptError
from dpviz.ui.session import board as board_module
from dpviz.ui.session.board import (
    CLASS_SECONDS,
    LEFT_SECONDS,
    LETTERS,
    LINK_SECONDS,
    MOST_CLASSES_OF_ONE,
    MOST_LINK_CHARACTERS,
    Board,
    written_code,
)

GUESSES = range(1, 101)


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "file"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Board:
    made = Board(tmp_path / "board.sqlite" if request.param == "file" else None, clock)
    request.addfinalizer(made.close)
    return made


def test_the_same_address_has_the_same_short_link_and_leads_back(kept: Board, clock: Clock) -> None:
    query = {"data": '{"name":"ü\ud800"}', "run": "{}"}
    short = kept.shorten("explore", query)
    assert len(short) == 8 and kept.shorten("explore", dict(reversed(query.items()))) == short
    assert kept.follow(short) == ("explore", query)
    assert kept.shorten("compare", query) != short
    clock.now += LINK_SECONDS - 1
    kept.follow(short)  # and lives on
    clock.now += LINK_SECONDS - 1
    kept.follow(short)
    clock.now += LINK_SECONDS + 1
    with pytest.raises(NotKeptError, match="revives it"):
        kept.follow(short)
    assert kept.shorten("explore", query) == short


def test_an_address_whose_digest_begins_like_another_s_gets_a_longer_link(
    kept: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "_SHORTEST_ID", 1)
    monkeypatch.setattr(board_module, "_IS_ID", re.compile("[0-9a-z]+"))
    made = {kept.shorten("explore", {"run": str(number)}): str(number) for number in range(100)}
    assert len(made) == 100 and {len(short) for short in made} >= {1, 2}
    assert all(kept.follow(short)[1] == {"run": number} for short, number in made.items())


def test_links_make_room_for_others_in_the_order_of_their_use(
    kept: Board, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "MOST_LINKS", 3)
    first, second, third = (kept.shorten("explore", {"run": name}) for name in "abc")
    clock.now += 1
    kept.follow(first)
    clock.now += 1
    kept.shorten("explore", {"run": "d"})
    kept.follow(first)
    with pytest.raises(NotKeptError):
        kept.follow(second) and kept.follow(third)
    monkeypatch.setattr(board_module, "MOST_LINK_BYTES", 1000)
    clock.now += 1
    large = kept.shorten("explore", {"run": "x" * 900})
    with pytest.raises(NotKeptError):
        kept.follow(first)
    assert kept.follow(large)[1]["run"] == "x" * 900
    with pytest.raises(NotKeptError, match="Copy the address itself"):
        kept.shorten("explore", {"run": "x" * MOST_LINK_CHARACTERS})


@pytest.mark.parametrize("short", ["", "x" * 10_000, "'; DROP TABLE links; --", "\0", "%", "\ud800"])
def test_an_id_that_nobody_made_says_so(kept: Board, short: str) -> None:
    with pytest.raises(NotKeptError):
        kept.follow(short)
    assert kept.find(short, "me") is None


def test_each_seat_answers_once_and_may_change_its_mind_until_the_answer_is_revealed(kept: Board) -> None:
    code = kept.open("spheres", GUESSES, "lecturer")
    assert len(code) == 5 and set(code) <= set(LETTERS) and written_code(f" {code[:2].lower()} {code[2:]}\n") == code
    for seat, guess in [("a", 5), ("b", 5), ("c", 100), ("a", 7)]:
        kept.answer(code, seat, guess)
    assert kept.counts(code) == {5: 1, 7: 1, 100: 1} and kept.answered(code, "a") == 7
    kept.reveal(code, "a")  # a student cannot
    kept.end(code, "a")
    found = kept.find(code, "a")
    assert found is not None and not found.revealed and not found.is_own
    kept.reveal(code, "lecturer")
    with pytest.raises(NotKeptError, match="was revealed"):
        kept.answer(code, "a", 9)
    assert [lesson.code for lesson in kept.own("lecturer")] == [code] and kept.own("a") == []
    kept.end(code, "lecturer")
    assert kept.find(code, "a") is None and kept.counts(code) == {} and kept.answered(code, "a") is None
    with pytest.raises(NotKeptError, match="has ended"):
        kept.answer(code, "a", 9)


@pytest.mark.parametrize("guess", [0, 101, -1, 2**70, 0.5, True, "5", None])
def test_an_answer_that_nobody_can_give_is_refused(kept: Board, guess: object) -> None:
    code = kept.open("spheres", GUESSES, "lecturer")
    with pytest.raises(InvalidParameterError, match="from 1 to 100"):
        kept.answer(code, "a", guess)  # type: ignore[arg-type]
    assert kept.counts(code) == {}


def test_a_class_holds_so_many_answers_and_those_there_can_still_be_changed(
    kept: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "MOST_ANSWERS", 10)
    code = kept.open("spheres", GUESSES, "lecturer")
    for seat in range(10):
        kept.answer(code, str(seat), 1)
    with pytest.raises(NotKeptError, match="as many as one may have"):
        kept.answer(code, "another", 1)
    kept.answer(code, "3", 2)
    assert kept.counts(code) == {1: 9, 2: 1}


def test_classes_are_few_and_those_that_nobody_looks_at_make_room(
    kept: Board, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "MOST_CLASSES", 4)
    own = [kept.open("spheres", GUESSES, "one") for _ in range(MOST_CLASSES_OF_ONE)]
    with pytest.raises(NotKeptError, match="End one of them first"):
        kept.open("spheres", GUESSES, "one")
    clock.now += 1
    kept.open("density", range(4), "two")
    with pytest.raises(NotKeptError, match="end by themselves after 4 hours"):
        kept.open("spheres", GUESSES, "three")
    clock.now += LEFT_SECONDS + 1
    for code in own[1:]:
        kept.find(code, "one")  # the lecturer looks
    kept.answer(own[0], "student", 1)
    kept.open("spheres", GUESSES, "three")
    assert kept.find(own[0], "one") is None and kept.counts(own[0]) == {}
    assert all(kept.find(code, "one") for code in own[1:])
    clock.now += CLASS_SECONDS
    assert kept.own("one") == [] and kept.find(own[1], "student") is None


def test_what_is_stored_names_nobody(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "board.sqlite"
    kept = Board(path, clock)
    codes = [kept.open("spheres", GUESSES, "secret-of-lecturer") for _ in range(2)]
    for code in codes:
        kept.answer(code, "secret-of-student", 5)
    rows = kept._connection.execute("SELECT seat FROM answers").fetchall()  # type: ignore[union-attr]
    assert len({seat for (seat,) in rows}) == 2  # nor can classes tell that it is the same one
    kept.close()
    assert b"secret-of" not in path.read_bytes() and stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_has_ended_or_is_too_old_is_in_no_file(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "board.sqlite"
    kept = Board(path, clock)
    other = Board(path, clock)  # of another worker, so that no file goes when one is closed
    assert other.own("lecturer") == []
    ended, old = (kept.open(f"{name}-chapter", GUESSES, "lecturer") for name in ("ended", "old"))
    kept.shorten("explore", {"run": "old-link"})

    def files() -> bytes:
        return b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()))

    assert all(word in files() for word in (b"ended-chapter", b"old-chapter", b"old-link"))
    kept.end(ended, "lecturer")
    assert b"ended-chapter" not in files() and b"old-chapter" in files()
    clock.now += CLASS_SECONDS
    with pytest.raises(NotKeptError, match="has ended"):
        kept.answer(old, "student", 5)  # is undone, and the forgetting is not
    assert b"old-chapter" not in files() and b"old-link" in files()
    clock.now += LINK_SECONDS
    assert other.own("lecturer") == [] and b"old-link" not in files()
    kept.close(), other.close()


def test_a_class_that_is_too_old_tells_nothing(kept: Board, clock: Clock) -> None:
    code = kept.open("spheres", GUESSES, "lecturer")
    kept.answer(code, "student", 5)
    clock.now += CLASS_SECONDS
    assert kept.counts(code) == {} and kept.answered(code, "student") is None


def test_workers_that_use_a_new_board_at_once_all_can(tmp_path: Path) -> None:
    begin = "import sys\nfrom pathlib import Path\nfrom dpviz.ui.session.board import Board\n"
    begin += "boards = [Board(Path(path)) for path in sys.argv[1:]]\nprint('ready', flush=True)\nsys.stdin.read(1)\n"
    begin += "for board in boards:\n    board.own('me')\n"
    paths = [str(tmp_path / f"{number}.sqlite") for number in range(30)]
    workers = [
        subprocess.Popen([sys.executable, "-c", begin, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    for worker in workers:
        assert worker.stdout is not None and worker.stdout.readline() == b"ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.close()
        worker.stdin = None
    assert [worker.communicate() and worker.returncode for worker in workers] == [0] * 3


def test_processes_share_a_board_and_one_that_is_killed_damages_nothing(tmp_path: Path) -> None:
    path = tmp_path / "board.sqlite"
    kept = Board(path)
    code = kept.open("spheres", GUESSES, "lecturer")
    write = "import sys\nfrom pathlib import Path\nfrom dpviz.ui.session.board import Board\n"
    write += "board = Board(Path(sys.argv[1]))\nnumber = 0\nwhile True:\n"
    write += "    board.answer(sys.argv[2], f'{sys.argv[3]} {number % 200}', 1 + number % 100)\n    number += 1\n"
    write += "    number == 2_000 and print('begun', flush=True)\n"
    command = [sys.executable, "-c", write, str(path), code]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in "abcd"]
    try:
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == b"begun\n"
    finally:
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
            writer.communicate()
    assert sum(kept.counts(code).values()) == 800
    kept.answer(code, "me", 5)
    again = Board(path)
    assert again.answered(code, "me") == 5
    again.end(code, "lecturer")
    assert kept.find(code, "me") is None
    kept.close(), again.close()


def test_threads_of_a_server_share_its_board(kept: Board) -> None:
    code = kept.open("spheres", GUESSES, "lecturer")

    def answers(name: int) -> None:
        for seat in range(50):
            kept.answer(code, f"{name} {seat}", 1 + seat)

    threads = [threading.Thread(target=answers, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept.counts(code) == {1 + seat: 8 for seat in range(50)}


def test_a_full_disk_and_a_damaged_file_are_said_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_module, "MOST_FILE_BYTES", 15 * 4096)
    small = Board(tmp_path / "small.sqlite")
    short = small.shorten("explore", {"run": "{}"})
    with pytest.raises(NotKeptError, match="full.*room in its temporary folder"):
        small.shorten("explore", {"run": "x" * 15_000 + "1"})
        small.shorten("explore", {"run": "x" * 15_000 + "2"})
        small.shorten("explore", {"run": "x" * 15_000 + "3"})
    assert small.follow(short) == ("explore", {"run": "{}"})
    small.close()
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"no database at all" * 1000)
    for path in (damaged, tmp_path / "nowhere" / "board.sqlite"):
        broken = Board(path)
        with pytest.raises(NotKeptError, match="cannot keep anything"):
            broken.open("spheres", GUESSES, "lecturer")
        broken.close()
