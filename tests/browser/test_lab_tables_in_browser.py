"""Tables pasted into the lab: read as dpviz reads files, or refused; how is said, and links keep what was pasted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Open, import_modules
from lab_facts import facts_of
from number_tables import written_numbers
from playwright.sync_api import Page, expect

from dpviz.cli import main
from dpviz.datasets.tables import read_text
from dpviz.laboratory import lab_page

pytestmark = pytest.mark.browser

READ = """([facts, texts]) => {
  const refusal = (error) => ({ refused: error.message, kind: error.constructor.name });
  return texts.map((text) => { try { return tableOf(text, facts); } catch (error) { return refusal(error); } });
}"""
SAME = ("1,2\n3,4", "x;2019\n1;2\n3;4", "a,b\n1.5,2\n3,4", "1,5 2,5\n3,5 4,5", '"a","b"\n"1,5",2\n"2,5",3')
"""Texts that every reader reads alike."""
WAYS = ("taken as a cell; if “", "; if they separate thousands", "Thousands separators were removed in")
REFUSED = {
    "1\u00a0234,5\n2\u00a0345,6": "Every line is a single number",
    "1 234,5\n2 345,6": "Commas or spaces could separate the cells",
    "1,2\n3,05": "“05” begins with a zero",
    "NA,1\n2,3": "Row 1, column 1: “NA” is no number",
    "<1,2\n3,4": "Row 1, column 1: “<1” is no number",
    "a;b\n9007199254740993;1\n2;3": "is too long to be exact",
    "a;b\n2e30;1\n2;3": "Row 1, a: “2e30” is beyond ±1e+30. Rescale the column.",
    "a;b\n1e-200;1\n2e-200;3": "The values of a differ by 1e-200 only",
    'a;"b\n1;2': "A quotation mark is out of place",
    "1,2": "There is one row, and clusters need more",
}
SAID = {
    "income\tspending\n45,200\t1,250\n61,000\t980\n": (
        [[45200, 1250], [61000, 980]],
        "2 rows of 2 columns were read, with names above them. Thousands separators were removed in “income”, "
        "“spending”: “45,200” is 45200.",
    ),
    "45.200;34\n61.000;40": (
        [[45.2, 34], [61, 40]],
        "2 rows of 2 columns were read, without names. Points were read as decimal marks in “column 1”: “45.200” is "
        "45.2; if they separate thousands, remove them and paste again.",
    ),
    "a;b\n45,200;34\n61,000;40": (
        [[45.2, 34], [61, 40]],
        "2 rows of 2 columns were read, with names above them. Commas were read as decimal marks in “a”: “45,200” is "
        "45.2; if they separate thousands, remove them and paste again.",
    ),
    "1,5\n2,5\n3,75": (
        [[1, 5], [2, 5], [3, 75]],
        "3 rows of 2 columns were read, without names. Every piece between commas was taken as a cell; if “1,5” is one "
        "number, separate the cells by semicolons.",
    ),
    "2019,2020,2021\n1.5,2.5,3.5\n": (
        [[2019, 2020, 2021], [1.5, 2.5, 3.5]],
        "2 rows of 3 columns were read, without names; the first, 2019, 2020, 2021, is one, too.",
    ),
}


@pytest.fixture(scope="module")
def lab() -> str:
    return lab_page()


def readings(page: Page, lab: str, texts: list[str]) -> list[dict[str, Any]]:
    """What the lab's own reader makes of texts."""
    import_modules(page, "laboratory/assets/table.js")
    found: list[dict[str, Any]] = page.evaluate(READ, [facts_of(lab), texts])
    assert {one["kind"] for one in found if "refused" in one} <= {"Unreadable"}
    return found


def test_no_number_is_read_otherwise_than_from_a_file(open_page: Open, lab: str) -> None:
    tables = [written_numbers(seed) for seed in range(1_000)]
    found = readings(open_page("about:blank"), lab, [table.text for table in tables])
    read = [(table, one) for table, one in zip(tables, found, strict=True) if "refused" not in one]
    assert len(read) > 600
    for table, one in read:
        X = np.array(one["rows"], dtype=float)
        if not table.holds(X):  # as a file of that text is read, and never without a word
            assert np.array_equal(X, read_text(table.text).frame.to_numpy(float)), table.text
            assert any(words in one["said"] for words in WAYS), (table.text, one["said"])
    clear = [t for t in tables if t.X.shape[1] > 1 and not t.is_cut]
    assert {id(t) for t, _ in read} > {id(t) for t in clear if t.separator != " " and ", " not in t.separator}


def test_what_can_be_read_in_two_ways_is_said_or_refused(open_page: Open, lab: str) -> None:
    texts = [*SAME, *REFUSED, *SAID]
    found = dict(zip(texts, readings(open_page("about:blank"), lab, texts), strict=True))
    for text in SAME:
        assert found[text]["rows"] == read_text(text).frame.to_numpy(float).tolist()
    for text, words in REFUSED.items():
        assert words in found[text]["refused"]
    for text, (rows, words) in SAID.items():
        assert (found[text]["rows"], found[text]["said"]) == (rows, words)
        assert rows == read_text(text).frame.to_numpy(float).tolist()


def test_a_pasted_table_comes_back_from_its_link_whatever_its_columns_are_called(
    open_page: Open, lab: str, tmp_path: Path
) -> None:
    file = tmp_path / "lab.html"
    file.write_text(lab, encoding="utf-8")
    page = open_page(f"{file.as_uri()}#v=1&data=table&rows=1_2~3_4~9_9&names=a~b&methods=mapdp")
    box, read = page.get_by_label("Rows of numbers"), page.get_by_role("button", name="Cluster these rows")
    box.fill("weight~kg\t5%\t“=&#\n45,200\t1\t2\n61,000\t3\t4\n980\t9\t9\n1\t1\t1\n")
    read.click()
    expect(page.get_by_text("“45,200” is 45200")).to_be_visible()
    page.wait_for_function("() => location.hash.includes('45200')")
    shown = page.locator(".panel-status").first
    expect(shown).to_contain_text("sweep")
    before = shown.inner_text()
    box.fill("a\tb\n1e200\t1\n2\t3\n")
    read.click()
    expect(page.get_by_role("alert")).to_contain_text("“1e200” is beyond ±1e+30")
    expect(page.get_by_text("“45,200” is 45200")).to_be_hidden()
    named = page.url
    assert shown.inner_text() == before and "45200" in named
    box.fill("a\tb\n1e30\t1\n-1e30\t3\n0\t1e29\n")  # what is taken can also be drawn
    read.click()
    expect(page.get_by_text("3 rows of 2 columns were read, with names above them.")).to_be_visible()
    page.wait_for_function("() => location.hash.includes('rows=1e%2B30')")
    again = open_page(named)
    expect(again.get_by_role("combobox", name="Up", exact=True).locator("option")).to_have_text(
        ["weight~kg", "5%", "“=&#"]
    )
    expect(again.locator("#notice")).to_be_hidden()


def costs_of(page: Page) -> dict[str, Any]:
    """Every cost and density that the lab says of the first panel."""
    status = page.locator(".panel-status").first
    expect(status).to_contain_text("sweep")
    found: dict[str, Any] = {"said": status.inner_text()}
    found["scripted"] = page.evaluate("async () => (await lab.run(lab.configuration(0))).nll")
    found["curve"] = page.evaluate("() => Array.from(shown.run.panels[0].nll)")
    overlay = page.locator(".stage .overlay").first
    overlay.focus()
    overlay.press("g")
    ghost = page.wait_for_function("() => shown.ghost.answer?.pulls.length > 0 && shown.ghost")
    found["fits"] = np.exp(ghost.evaluate("({ answer }) => answer.pulls.map(([, , fit]) => fit)"))
    page.evaluate("() => shown.channel.setTriggerValue('point', { panel: 0, index: 7 })")
    prices = page.locator("#why tbody td:nth-child(2)")
    expect(prices.first).to_be_visible()
    found["prices"] = prices.all_inner_texts()
    page.get_by_role("button", name="Slow motion", exact=True).click()
    page.wait_for_function("() => shown.run.panels[0].event_costs")
    for name in ("event_costs", "event_nll"):
        found[name] = page.evaluate(f"() => Array.from(shown.run.panels[0].{name})")
    return found


def test_costs_of_a_scaled_table_are_those_of_the_same_table_pasted(open_page: Open, tmp_path: Path) -> None:
    table, out = tmp_path / "own.csv", tmp_path / "own.html"
    X = np.round(np.random.default_rng(5).normal([170, 60], [10, 0.2], (40, 2)) + np.repeat([[0], [90]], 20, axis=0), 2)
    table.write_text("hgt,wgt\n" + "".join(f"{a},{b}\n" for a, b in X), encoding="utf-8")
    assert main(["lab", "--data", str(table), "--out", str(out)]) == 0
    rows = "~".join(f"{a}_{b}" for a, b in X)
    doors = ["data=given", f"data=table&names=hgt~wgt&rows={rows}"]
    pages = [open_page("about:blank") for _ in doors]
    for page, door in zip(pages, doors, strict=True):
        page.add_init_script(
            "globalThis.dpvizLive = { keeps: () => false, shown(player) { globalThis.shown = player; } }"
        )
        page.goto(f"{out.as_uri()}#v=1&methods=gibbs&seed=1&{door}")
    ours, theirs = map(costs_of, pages)
    for name in ("said", "prices"):
        assert ours[name] == theirs[name]
    for name in ("scripted", "curve", "fits", "event_costs", "event_nll"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-5, err_msg=name)

    given = pages[0]  # a point is moved nowhere: other data of the same unit, also from its link
    place = given.evaluate(
        "() => { const { x, y } = shown.run.panels[0]; return { panel: 0, index: 0, x: x[0], y: y[0] }; }"
    )
    given.evaluate("(place) => shown.channel.setTriggerValue('moved', place)", place)
    expect(given.get_by_role("combobox", name="Data")).to_have_value("edited")
    given.wait_for_function("() => location.hash.includes('row_nats')")
    again = open_page(given.url)
    for page in (given, again):
        expect(page.locator(".panel-status").first).to_have_text(ours["said"])
    expect(again.locator("#notice")).to_be_hidden()
