"""A class in real browsers: a camera reads the projector's code, a phone answers, and the projector shows it."""

from __future__ import annotations

from io import BytesIO

import pytest
import zxingcpp
from browsing import settled
from PIL import Image
from playwright.sync_api import expect

from dpviz.course import CHAPTERS, mark, play

pytestmark = pytest.mark.browser
HOW_MANY = play(CHAPTERS[1])


def test_a_class_from_the_projector_to_the_phone_and_back(open_page, address):
    lecturer = open_page(f"{address}/classroom?chapter=how-many", width=1280, height=800, locale="en")
    lecturer.get_by_role("button", name=f"Ask a class: {CHAPTERS[1].title}").click()
    lecturer.get_by_role("button", name="Full screen").focus()
    lecturer.keyboard.press("Enter")
    lecturer.wait_for_function("document.fullscreenElement !== null")
    with Image.open(BytesIO(lecturer.screenshot())) as picture:
        (seen,) = zxingcpp.read_barcodes(picture)
    lecturer.keyboard.press("Escape")
    lecturer.evaluate("document.fullscreenElement && document.exitFullscreen()")
    assert seen.text == lecturer.get_by_label("Link", exact=True).input_value() == lecturer.url
    lecturer.get_by_role("button", name="Copy: Link").focus()
    lecturer.keyboard.press("Enter")
    expect(lecturer.get_by_role("status").filter(has_text="Copied")).to_be_visible()

    phone = open_page(seen.text, width=390, height=844, color_scheme="dark", has_touch=True)
    settled(phone).get_by_text(HOW_MANY.chapter.question.answers[0]).tap()
    phone.get_by_role("button", name="Send my answer").tap()
    expect(phone.get_by_text("You answered")).to_be_visible()
    expect(lecturer.get_by_role("heading", name="1 answer")).to_be_visible()  # by itself
    phone.reload()
    expect(phone.get_by_text("You answered")).to_be_visible()  # and it is the same seat
    lecturer.get_by_role("button", name="Reveal").click()
    expect(phone.get_by_text(mark(HOW_MANY, 0).words)).to_be_visible()
    expect(lecturer.get_by_text("0 of 1 answer right")).to_be_visible()
    lecturer.get_by_role("button", name="End the class").click()
    expect(lecturer.get_by_text("its answers are forgotten")).to_be_visible()
    assert phone.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
