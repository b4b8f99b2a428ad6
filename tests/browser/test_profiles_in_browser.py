"""The profile that browser tests share: none finds what another left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

LEAVE = """() => {
  localStorage.setItem("left", "1");
  sessionStorage.setItem("left", "1");
  document.cookie = "left=1";
}"""
FIND = "() => [localStorage.getItem('left'), sessionStorage.getItem('left'), document.cookie.includes('left')]"


@pytest.mark.parametrize("visit", ["first", "second"])
def test_nothing_is_left_of_another_test(open_page, visit):
    page = open_page()
    file = open_page(Path(__file__).as_uri())
    assert len(page.context.pages) == 3  # these, and the empty one that stays
    for place in (page, file):
        assert place.evaluate(FIND) == [None, None, False]
        place.evaluate(LEAVE)
    page.reload()
    assert page.evaluate(FIND) == ["1", "1", True]
    assert open_page(file.url).evaluate(FIND)[0] == "1"  # which only the end of the test clears


def test_pages_differ_by_what_was_asked_for(open_page):
    plain, other = open_page(), open_page(width=500, height=400, color_scheme="dark", reduced_motion="reduce")
    seen = """() => [innerWidth, innerHeight, matchMedia("(prefers-color-scheme: dark)").matches,
                     matchMedia("(prefers-reduced-motion: reduce)").matches]"""
    assert plain.evaluate(seen) == [1280, 900, False, False]
    assert other.evaluate(seen) == [500, 400, True, True]
    assert open_page(has_touch=True).evaluate("() => navigator.maxTouchPoints") == 1
