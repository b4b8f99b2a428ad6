"""What visitors of a server share: the same link for the same address, classes of bounded size, and what is refused."""

from __future__ import annotations

import re
import threading

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


@pytest.fixture
def kept(clock) -> Board:
    return Board(clock)


def test_the_same_address_has_the_same_short_link_and_leads_back(kept, clock):
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


def test_an_address_whose_digest_begins_like_another_s_gets_a_longer_link(kept, monkeypatch):
    monkeypatch.setattr(board_module, "_SHORTEST_ID", 1)
    monkeypatch.setattr(board_module, "_IS_ID", re.compile("[0-9a-z]+"))
    made = {kept.shorten("explore", {"run": str(number)}): str(number) for number in range(100)}
    assert len(made) == 100 and {len(short) for short in made} >= {1, 2}
    assert all(kept.follow(short)[1] == {"run": number} for short, number in made.items())


def test_links_make_room_for_others_in_the_order_of_their_use(kept, clock, monkeypatch):
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
def test_an_id_that_nobody_made_says_so(kept, short):
    with pytest.raises(NotKeptError):
        kept.follow(short)
    assert kept.find(short, "me") is None


def test_each_seat_answers_once_and_may_change_its_mind_until_the_answer_is_revealed(kept):
    code = kept.open("spheres", GUESSES, "lecturer")
    assert len(code) == 5 and set(code) <= set(LETTERS) and written_code(f" {code[:2].lower()} {code[2:]}\n") == code
    for seat, guess in [("a", 5), ("b", 5), ("c", 100), ("a", 7)]:
        kept.answer(code, "spheres", seat, guess)
    assert kept.counts(code) == {5: 1, 7: 1, 100: 1} and kept.answered(code, "a") == 7
    with pytest.raises(NotKeptError, match="Another window"):
        kept.reveal(code, "spheres", "a")  # a student cannot
    kept.end(code, "a")
    found = kept.find(code, "a")
    assert found is not None and not found.revealed and not found.is_own
    kept.reveal(code, "spheres", "lecturer")
    with pytest.raises(NotKeptError, match="was revealed"):
        kept.answer(code, "spheres", "a", 9)
    assert [lesson.code for lesson in kept.own("lecturer")] == [code] and kept.own("a") == []
    kept.end(code, "lecturer")
    assert kept.find(code, "a") is None and kept.counts(code) == {} and kept.answered(code, "a") is None
    with pytest.raises(NotKeptError, match="has ended"):
        kept.answer(code, "spheres", "a", 9)


def test_a_class_that_goes_on_takes_answers_to_its_new_question_alone(kept):
    code = kept.open("spheres", GUESSES, "lecturer")
    kept.answer(code, "spheres", "a", 5)
    with pytest.raises(NotKeptError, match="Another window"):  # it is not revealed yet
        kept.ask(code, "spheres", "density", range(4), "lecturer")
    kept.reveal(code, "spheres", "lecturer")
    with pytest.raises(NotKeptError, match="Another window"):
        kept.ask(code, "spheres", "density", range(4), "a")  # a student cannot
    assert kept.counts(code) == {5: 1}
    kept.ask(code, "spheres", "density", range(4), "lecturer")
    found = kept.find(code, "a")
    assert found is not None and (found.chapter, found.revealed) == ("density", False)
    assert kept.counts(code) == {} and kept.answered(code, "a") is None
    with pytest.raises(NotKeptError, match="another question"):
        kept.answer(code, "spheres", "a", 3)
    with pytest.raises(InvalidParameterError, match="guess"):
        kept.answer(code, "density", "a", 5)
    kept.answer(code, "density", "a", 3)
    for step in (
        lambda: kept.ask(code, "spheres", "density", range(4), "lecturer"),  # a window that shows what was before
        lambda: kept.reveal(code, "spheres", "lecturer"),
    ):
        with pytest.raises(NotKeptError, match="Another window"):
            step()
    found = kept.find(code, "a")
    assert kept.counts(code) == {3: 1} and found is not None and not found.revealed


@pytest.mark.parametrize("guess", [0, 101, -1, 2**70, 0.5, True, "5", None])
def test_an_answer_that_nobody_can_give_is_refused(kept, guess):
    code = kept.open("spheres", GUESSES, "lecturer")
    with pytest.raises(InvalidParameterError, match="from 1 to 100"):
        kept.answer(code, "spheres", "a", guess)  # type: ignore[arg-type]
    assert kept.counts(code) == {}


def test_a_class_holds_so_many_answers_and_those_there_can_still_be_changed(kept, monkeypatch):
    monkeypatch.setattr(board_module, "MOST_ANSWERS", 10)
    code = kept.open("spheres", GUESSES, "lecturer")
    for seat in range(10):
        kept.answer(code, "spheres", str(seat), 1)
    with pytest.raises(NotKeptError, match="as many as one may have"):
        kept.answer(code, "spheres", "another", 1)
    kept.answer(code, "spheres", "3", 2)
    assert kept.counts(code) == {1: 9, 2: 1}


def test_classes_are_few_and_those_that_nobody_looks_at_make_room(kept, clock, monkeypatch):
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
    kept.answer(own[0], "spheres", "student", 1)
    kept.open("spheres", GUESSES, "three")
    assert kept.find(own[0], "one") is None and kept.counts(own[0]) == {}
    assert all(kept.find(code, "one") for code in own[1:])
    clock.now += CLASS_SECONDS
    assert kept.own("one") == [] and kept.find(own[1], "student") is None


def test_what_is_stored_names_nobody(kept):
    codes = [kept.open("spheres", GUESSES, "secret-of-lecturer") for _ in range(2)]
    for code in codes:
        kept.answer(code, "spheres", "secret-of-student", 5)
    rows = kept._rows.execute("SELECT seat FROM answers").fetchall()
    assert len({seat for (seat,) in rows}) == 2  # nor can classes tell that it is the same one
    assert b"secret-of" not in kept._rows.serialize()


def test_what_has_ended_or_is_too_old_is_overwritten(kept, clock):
    ended, old = (kept.open(f"{name}-chapter", GUESSES, "lecturer") for name in ("ended", "old"))
    kept.shorten("explore", {"run": "old-link"})
    stored = kept._rows.serialize
    assert all(word in stored() for word in (b"ended-chapter", b"old-chapter", b"old-link"))
    kept.end(ended, "lecturer")
    assert b"ended-chapter" not in stored() and b"old-chapter" in stored()
    clock.now += CLASS_SECONDS
    with pytest.raises(NotKeptError, match="has ended"):
        kept.answer(old, "old-chapter", "student", 5)  # is undone, and the forgetting is not
    assert b"old-chapter" not in stored() and b"old-link" in stored()
    clock.now += LINK_SECONDS
    assert kept.own("lecturer") == [] and b"old-link" not in stored()


def test_a_class_that_is_too_old_tells_nothing(kept, clock):
    code = kept.open("spheres", GUESSES, "lecturer")
    kept.answer(code, "spheres", "student", 5)
    clock.now += CLASS_SECONDS
    assert kept.counts(code) == {} and kept.answered(code, "student") is None


def test_threads_of_a_server_share_its_board(kept):
    code = kept.open("spheres", GUESSES, "lecturer")

    def answers(name):
        for seat in range(50):
            kept.answer(code, "spheres", f"{name} {seat}", 1 + seat)

    threads = [threading.Thread(target=answers, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept.counts(code) == {1 + seat: 8 for seat in range(50)}
