"""One server of the app for all browser tests, one Chromium for all of a worker's; a fresh page and empty storage."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest
from browsing import CHROMIUM, CHROMIUM_ARGUMENTS, Open, Servers, all_servers, answering
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from dpviz.laboratory import lab_page

WAIT_MILLISECONDS = 120_000  # other people's machines are slow; nothing waits longer than it must
PAGES = pytest.StashKey[list[tuple[Page, list[str]]]]()
"""The pages that a test has opened, and what each of them has said."""
SERVERS = pytest.StashKey[Servers]()
"""What all workers open, where there are several."""

UNWANTED = [
    "ScriptStreaming",
    "SpareRendererForSitePerProcess",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "LensOverlay",
    "HttpsFirstBalancedModeAutoEnable",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AimEnabled",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "PreconnectToSearch",
]
"""Features of Chromium that are off: the first, which compiles scripts again that the process has compiled; the second,
which starts a process that no page uses; and those that Playwright turns off, because Chromium heeds only the last list
it is given."""
SHORT_LIVES = [
    "--process-per-site",
    f"--disable-features={','.join(UNWANTED)}",
    "--js-flags=--no-turbofan --no-maglev",
    "--kiosk",
    "--animation-duration-scale=0",
    "--in-process-gpu",
]
"""For pages that live for seconds, one after the other: all share a process, and what it has loaded and compiled, and
no script is compiled once more so that it may be quicker later. The browser lays out and paints no toolbar for each
of them, moves no tabs about, and hands pictures to no process of their own."""


_SHOWN = """() => ({
  address: location.href,
  window: `${innerWidth} × ${innerHeight}`,
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  script: document.querySelector("[data-testid=stApp]")?.dataset.testScriptState,
  connection: document.querySelector("[data-testid=stApp]")?.dataset.testConnectionState,
  stale: document.querySelectorAll("[data-stale=true]").length,
  charts: [...document.querySelectorAll(".js-plotly-plot")].map((chart) => [
    chart._fullLayout?.width, chart._fullLayout?.font.color, chart.closest("[data-stale=true]") !== null]),
  moving: document.getAnimations().filter((animation) => animation.playState === "running").map((animation) =>
    [animation.animationName, animation.effect?.target?.outerHTML.slice(0, 200), animation.currentTime]),
  unfinished: performance.getEntriesByType("resource").filter((entry) => !entry.responseEnd).map((entry) => entry.name),
  text: document.body.innerText.slice(0, 3000),
})"""
"""What tells why a page is not what a test waits for."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failure what its pages show: some happen on other people's machines only."""
    report = yield
    pages = item.stash.get(PAGES, [])
    if report.failed and call.when == "call":
        for page, said in pages:
            try:  # unlike evaluating, waiting ends if the page answers nothing
                found = page.wait_for_function(_SHOWN, timeout=5_000).json_value()
                shown = "\n".join(f"{name}: {value}" for name, value in found.items())
            except PlaywrightError as error:
                shown = str(error)
            report.sections.append(("What the page shows", "\n".join([shown, *said])))
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start the servers before the first worker, and tell each worker where they are."""
    stash = node.config.stash
    if SERVERS not in stash:
        stack = ExitStack()
        node.config.add_cleanup(stack.close)
        stash[SERVERS] = stack.enter_context(all_servers())
    node.workerinput["servers"] = tuple(stash[SERVERS])


@pytest.fixture(scope="session")
def file(tmp_path_factory) -> Path:
    """The lab, in a file."""
    path = tmp_path_factory.mktemp("lab") / "lab.html"
    path.write_text(lab_page(), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def servers(request) -> Iterator[Servers]:
    """The servers that other workers use as well, or own ones."""
    shared = getattr(request.config, "workerinput", {}).get("servers")
    with all_servers() if shared is None else nullcontext(Servers(*shared)) as found:
        yield found


@pytest.fixture(scope="session")
def embedder(servers) -> str:
    """Address of a site of another name, which may show the app in a frame."""
    return servers.embedder


@pytest.fixture(scope="session")
def address(servers) -> str:
    """Address of the whole app, with the headers that people get it with: no page may need what they forbid."""
    return answering(servers.app)


@pytest.fixture(scope="session")
def server(servers) -> str:
    """Address of a page with nothing but players."""
    return answering(servers.players)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium of the system, in which all pages of a profile share a process."""
    expect.set_options(timeout=WAIT_MILLISECONDS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=[*CHROMIUM_ARGUMENTS, *SHORT_LIVES])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def first_page(browser) -> Page:
    """The page that keeps the process of a profile alive, and with it the scripts that were loaded and compiled.

    It is empty and has no server; only its address counts, whose site is that of all servers of the tests.
    """
    page = browser.new_context().new_page()
    page.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://127.0.0.1/")
    return page


@pytest.fixture(scope="session")
def storage(first_page) -> CDPSession:
    """What clears the storage of the shared profile."""
    return first_page.context.new_cdp_session(first_page)


@pytest.fixture
def profile(first_page, storage) -> Iterator[BrowserContext]:
    """A profile that has visited nothing, as far as pages can tell: no cookies, nothing stored, no other page."""
    yield first_page.context
    for page in first_page.context.pages:
        if page is not first_page:
            page.close()
    storage.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})


@pytest.fixture
def open_page(request, browser, profile) -> Iterator[Open]:
    """Return a function that opens an address, by itself one of the players' server; errors in the page fail the test.

    Touch, being offline and the like are of a profile: these pages get one of their own.
    """
    errors: list[str] = []
    contexts = []
    pages = request.node.stash.setdefault(PAGES, [])

    def open_address(
        address="",
        width=1280,
        height=900,
        color_scheme=None,
        reduced_motion=None,
        **context_options,
    ):
        context = profile
        if context_options:
            context = browser.new_context(**context_options)
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MILLISECONDS)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        page.on("pageerror", lambda error: errors.append(str(error)))
        said: list[str] = []
        pages.append((page, said))
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("requestfailed", lambda failed: said.append(f"failed: {failed.url}: {failed.failure}"))
        page.goto(address if ":" in address else f"{request.getfixturevalue('server')}/{address}")
        return page

    yield open_address
    for context in contexts:
        context.close()
    assert errors == []
