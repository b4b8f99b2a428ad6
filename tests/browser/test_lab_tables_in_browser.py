"""Tables pasted into the lab: links keep what was pasted, and costs have its units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from command_line import cli
from lab_facts import facts_of
from playwright.sync_api import Page, expect

import dpviz
from dpviz.config import RunConfig
from dpviz.laboratory import lab_page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def lab() -> str:
    return lab_page()


def test_a_pasted_table_comes_back_from_its_link_whatever_its_columns_are_called(open_page, lab, tmp_path):
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
    prices = page.locator("#why .bars span")
    expect(prices.first).to_be_visible()
    found["prices"] = prices.all_inner_texts()
    page.get_by_role("button", name="Slow motion", exact=True).click()
    page.wait_for_function("() => shown.run.panels[0].event_costs")
    for name in ("event_costs", "event_nll"):
        found[name] = page.evaluate(f"() => Array.from(shown.run.panels[0].{name})")
    return found


def test_costs_of_a_scaled_table_are_those_of_the_same_table_pasted(open_page, tmp_path):
    table, out = tmp_path / "own.csv", tmp_path / "own.html"
    X = np.round(np.random.default_rng(5).normal([170, 60], [10, 0.2], (40, 2)) + np.repeat([[0], [90]], 20, axis=0), 2)
    table.write_text("hgt,wgt\n" + "".join(f"{a},{b}\n" for a, b in X), encoding="utf-8")
    assert cli("lab --data", table, "--out", out) == 0
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


def visits(seed: int) -> np.ndarray:
    """When visits began, what was spent, how old who came was, and from where: three groups, one about midnight."""
    rng = np.random.default_rng(seed)
    groups = np.arange(90) % 3
    start = np.mod(np.array([0.2, 9.0, 17.0])[groups] + rng.normal(0, 1, 90), 24)
    spent = np.where(rng.random(90) < 0.3, 0.0, np.exp(1.0 + groups + rng.normal(0, 0.3, 90)))
    return np.column_stack(
        [np.round(start, 2), np.round(spent, 2), np.round(rng.normal(30 + 9 * groups, 5), 1), groups]
    )


def test_hours_and_amounts_that_may_be_0_are_clustered_as_the_library_does(open_page, tmp_path):
    table, out = tmp_path / "own.csv", tmp_path / "own.html"
    rows = "".join(f"{a},{b},{c},{'NSE'[int(d)]}\n" for a, b, c, d in visits(2))
    table.write_text(f"start,spent,age,from\n{rows}", encoding="utf-8")
    kinds = ("circular 24", "hurdle", "continuous", "categorical")
    asked = "--features start,spent,age,from --kind start=circular:24 --kind spent=hurdle"
    assert cli("lab --data", table, asked, "--out", out) == 0
    X = np.array(facts_of(out.read_text(encoding="utf-8"))["sets"][0]["draws"][0]["rows"])
    page = open_page("about:blank")
    page.add_init_script("globalThis.dpvizLive = { keeps: () => false, shown(player) { globalThis.shown = player; } }")
    page.goto(f"{out.as_uri()}#v=1&data=given&methods=mapdp~gibbs~powered&seed=3")
    said = page.get_by_text("start (circular 24), spent (hurdle), age (continuous), from (categorical)")
    expect(said).to_be_visible()
    chosen = page.get_by_role("combobox", name="Method", exact=True)
    expect(chosen.locator("option")).to_have_text(["MAP-DP", "Gibbs", "Powered CRP", "Pitman–Yor"])
    for panel in range(3):
        config = RunConfig.from_json(page.evaluate("(panel) => JSON.stringify(lab.configuration(panel))", panel))
        assert config.kinds == kinds and config.seed == 3
        trace = dpviz.run(X, config)
        page.wait_for_function("(panel) => globalThis.shown?.run?.panels[panel]?.n_sweeps > 0", arg=panel)
        nll = page.evaluate("(panel) => Array.from(shown.run.panels[panel].nll)", panel)
        np.testing.assert_allclose(nll, trace.nll, rtol=1e-12)
        found = page.evaluate("async (panel) => await lab.run(lab.configuration(panel))", panel)
        assert found["labels"] == trace.labels[-1].tolist()
        assert found["nll"] == pytest.approx(trace.nll[-1], rel=1e-12)
    assert page.evaluate("() => shown.run.panels[0].periods") == [24, 0]
    page.evaluate("() => shown.channel.setTriggerValue('point', { panel: 0, index: 7 })")
    expect(page.locator("#why .bars span").first).to_be_visible()
    page.get_by_role("button", name="Slow motion", exact=True).click()
    page.wait_for_function("() => shown.run.panels[0].event_costs")
    refused = "(config) => lab.run(config).catch((error) => error.message)"
    for wrong, why in (
        (RunConfig("kmeans", n_clusters=2, n_init=1), "has no use for columns"),
        (RunConfig("gibbs", family="normal_gamma", prior=None), "kinds = null is not computed"),
        (replace(config, kinds=("circular 12", *kinds[1:])), "kinds ="),
        (replace(config, prior={"circular_n0": 1.0}), "is not a hyperparameter of mixed"),
    ):
        assert why in page.evaluate(refused, wrong.to_json())
    page.get_by_role("combobox", name="Data").select_option("moons")
    expect(chosen.locator("option")).to_have_count(6)
    expect(page.locator(".panel-status").first).to_contain_text("sweep")
    expect(said).to_be_hidden()
