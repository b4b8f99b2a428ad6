"""One server of the app and one Chromium for all browser tests; a fresh browser profile for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import APP, CHROMIUM, CHROMIUM_ARGUMENTS, Open, page_server
from playwright.sync_api import Browser, Page, expect, sync_playwright

WAIT_MILLISECONDS = 30_000  # other people's machines are slow; nothing waits longer than it must


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Address of the whole app."""
    with page_server(APP) as server:
        yield server


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of a page with nothing but players."""
    with page_server() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium of the system."""
    expect.set_options(timeout=WAIT_MILLISECONDS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser, server: str) -> Iterator[Open]:
    """Return a function that opens an address of the server; errors in the page fail the test."""
    errors: list[str] = []
    contexts = []

    def open_address(address: str = "", width: int = 1280, height: int = 900, **context_options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **context_options)  # type: ignore[arg-type]
        context.set_default_timeout(WAIT_MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address if "://" in address else f"{server}/{address}")
        return page

    yield open_address
    for context in contexts:
        context.close()
    assert errors == []
