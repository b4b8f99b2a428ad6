"""The Data page in a real browser: drawing, uploading, themes, narrow screens, hostile names."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from boxes import themed
from browsing import DATA_PAGE, downloaded, settled
from playwright.sync_api import Locator, Page, expect

from dpviz.datasets import KINDS
from dpviz.figures.assumed import WIDTH
from dpviz.ui.session.shelf import KEPT_SECONDS

ROOT = Path(__file__).parents[2]
WAYS = ("Synthesize", "Bundled", "Load", "Draw")

pytestmark = pytest.mark.browser


def go(page: Page, way: str) -> None:
    page.get_by_test_id("stButtonGroup").first.get_by_text(way, exact=True).click()


def canvas(page: Page) -> Locator:
    """The drawing surface, painted."""
    surface = page.get_by_role("application")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\d points?\."))).to_be_visible()
    surface.scroll_into_view_if_needed()
    return surface


def click_at(surface: Locator, *places: tuple[float, float]) -> None:
    """Click at shares of the width and height."""
    box = surface.bounding_box()
    assert box is not None
    for across, down in places:
        surface.click(position={"x": across * box["width"], "y": down * box["height"]})


def expect_points(page: Page, n_points: int) -> None:
    """Python has so many points."""
    expect(page.get_by_text(f"{n_points:,} points × 2 columns", exact=True)).to_be_visible()


def test_kinds_show_what_they_assume(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Load")
    page.get_by_label("Or paste rows").fill("a,b\n1.5,2\n2.5,7\n3.25,9\n")
    page.get_by_label("Or paste rows").press("Control+Enter")
    page.get_by_role("button", name="What each kind assumes").click()
    pictures = page.get_by_role("img", name="two clusters")
    expect(pictures).to_have_count(len(KINDS))
    widths = pictures.evaluate_all("images => images.map((image) => image.naturalWidth)")
    assert widths == [WIDTH] * len(KINDS)


def test_points_brush_undo_and_erase_reach_python(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Draw")
    surface = canvas(page)
    click_at(surface, (0.2, 0.2), (0.5, 0.5), (0.8, 0.3))
    expect_points(page, 3)
    page.get_by_role("button", name="Blob").click()
    page.get_by_label("Points per dab").fill("20")
    page.get_by_role("button", name="Brush colour orange").click()
    click_at(surface, (0.4, 0.6))
    expect_points(page, 23)
    page.get_by_text("Use the brush colours as true labels").click()
    expect(page.get_by_text("2 labelled groups")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect_points(page, 3)
    page.get_by_role("button", name="Redo").click()
    expect_points(page, 23)
    page.get_by_role("button", name="Erase").click()
    page.get_by_label("Size").fill("0.5")
    click_at(surface, (0.2, 0.2))
    expect_points(page, 22)
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("0 points.")).to_be_visible()
    expect(page.get_by_text("With 2 points or more")).to_be_visible()


def test_the_first_point_is_where_it_was_clicked(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Draw")
    click_at(canvas(page), (0.25, 0.25), (0.5, 0.5))
    expect_points(page, 2)
    file = downloaded(page, page.get_by_role("button", name="Download as clustered (CSV)"))
    lines = file.read_text(encoding="utf-8").split()
    assert lines[0] == "x,y"
    points = [[float(number) for number in line.split(",")] for line in lines[1:]]
    assert points == [[pytest.approx(-4, abs=0.1), pytest.approx(3, abs=0.1)], pytest.approx([0, 0], abs=0.1)]


def test_the_canvas_is_drawn_on_with_the_keyboard(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Draw")
    surface = canvas(page)
    surface.focus()
    for key in ("Space", "Shift+ArrowRight", "Space", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect_points(page, 3)
    page.keyboard.press("Control+z")
    expect_points(page, 2)
    page.keyboard.press("Control+Shift+z")
    expect_points(page, 3)
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="Disc")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Brush colour green")).to_have_attribute("aria-pressed", "true")


def test_the_canvas_is_drawn_on_with_a_finger(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}", width=390, height=800, has_touch=True)
    go(page, "Draw")
    surface = canvas(page)
    box = surface.bounding_box()
    assert box is not None
    for across in (0.3, 0.6):
        page.touchscreen.tap(box["x"] + across * box["width"], box["y"] + 0.5 * box["height"])
    expect_points(page, 2)


def test_a_drawing_is_still_there_after_another_way_was_looked_at(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Draw")
    click_at(canvas(page), (0.2, 0.2), (0.5, 0.5), (0.8, 0.3))
    expect_points(page, 3)
    go(page, "Bundled")
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()
    go(page, "Draw")
    surface = canvas(page)
    expect(page.get_by_text("3 points.", exact=True)).to_be_visible()
    click_at(surface, (0.5, 0.8))
    expect_points(page, 4)


def test_a_file_is_uploaded_previewed_and_used(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Load")
    page.locator("input[type=file]").set_input_files(ROOT / "datasets" / "iris.csv")
    use = page.get_by_role("button", name="Use these data (150 rows × 4 columns)")
    expect(use).to_be_visible()
    expect(page.get_by_text("Circles of unequal radius")).to_have_count(0)  # it would be taken for the table's
    use.click()
    expect(page.get_by_text("These data are in use on every page.")).to_be_visible()
    expect(page.get_by_text("150 points × 4 columns")).to_be_visible()
    expect(page.get_by_text("3 labelled groups")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page).to_have_url(re.compile("session"))  # which a reload in the same browser follows


def test_numbers_of_a_preview_keep_their_digits(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    page.evaluate(  # cells are drawn on a canvas
        """() => {
            const fill = CanvasRenderingContext2D.prototype.fillText
            window.drawn = []
            CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
                window.drawn.push(text)
                return fill.call(this, text, ...place)
            }
        }"""
    )
    go(page, "Load")
    numbers = ["1e-300", "1e+149", "0.000123", "123456789.123"]
    rows = "\n".join(f"{number},{place}.5" for place, number in enumerate(numbers))
    page.get_by_label("Or paste rows").fill(f"a,b\n{rows}\n")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Use these data (4 rows × 2 columns)").wait_for()
    page.wait_for_function("(numbers) => numbers.every((number) => window.drawn.includes(number))", arg=numbers)


def test_what_to_do_next_with_a_pasted_table_is_in_sight(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}", width=1440, height=900)
    go(page, "Load")
    page.get_by_label("Or paste rows").fill("a,b\n" + "\n".join(f"{k % 7},{k * k % 11}" for k in range(40)))
    page.keyboard.press("Control+Enter")
    for words in ("Use these data (40 rows × 2 columns)", "Explore these data"):
        button = page.get_by_role("button", name=words)
        expect(button).to_be_visible()
        box = settled(page).get_by_role("button", name=words).bounding_box()
        assert box is not None and box["y"] + box["height"] <= 900, words
        button.click()
    expect(page.get_by_role("heading", name="MAP-DP on your table")).to_be_visible()


def test_hostile_names_are_plain_text_everywhere(open_page, address, tmp_path):
    name = "<img src=x onerror=window.hacked=1>"
    link = "<a href='javascript:window.hacked=1'>y</a>"
    rows = "".join(f"{number / 4},{number * number % 7},{name if number % 2 else 'b'}\n" for number in range(1, 40))
    file = tmp_path / "table.csv"
    file.write_text(f'"{name}","{link}",species\n{rows}', encoding="utf-8")
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Load")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name=re.compile("Use these data")).click()
    expect(page.get_by_text("2 labelled groups")).to_be_visible()
    for view in ("Columns", "Scatter matrix", "Correlations", "Labels"):
        page.get_by_test_id("stButtonGroup").nth(1).get_by_text(view, exact=True).click()
        expect(page.locator(".js-plotly-plot").nth(1)).to_be_visible()
        expect(page.locator(".js-plotly-plot text", has_text="<img").first).to_be_attached()
        assert page.locator("img[src=x], .js-plotly-plot a[href*=javascript]").count() == 0
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_canvas_follows_the_theme(open_page, address, scheme):
    page = open_page(f"{address}/{DATA_PAGE}", color_scheme=scheme)
    go(page, "Draw")
    surface = canvas(page).locator("xpath=..")
    title = page.locator(".js-plotly-plot text.xtitle").first
    for node, style in ((surface, "color"), (title, "fill")):
        if node is title:
            go(page, "Synthesize")  # beside an empty canvas there is no other picture
            expect(title).to_be_visible()
            themed(page, scheme)
        color = node.evaluate(f"node => getComputedStyle(node).{style}")
        brightness = sum(int(channel) for channel in re.findall(r"\d+", color)[:3]) / 3
        assert brightness < 150 if scheme == "light" else brightness > 200


def test_a_narrow_screen_never_scrolls_sideways(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}", width=390, height=800)
    for way in WAYS:
        go(page, way)
        if way == "Load":
            page.locator("input[type=file]").set_input_files(ROOT / "datasets" / "heart_cleveland.csv")
            page.get_by_role("button", name=re.compile("Use these data")).click()
            expect(page.get_by_text("These data are in use")).to_be_visible()
        if way == "Draw":
            canvas(page)
        else:  # beside an empty canvas there is no picture
            expect(page.locator(".js-plotly-plot").first).to_be_visible()
        widths = page.evaluate(
            "[document.documentElement, document.querySelector('[data-testid=stMain]')].map((node) => node.scrollWidth)"
        )
        assert max(widths) <= 390, way


def test_tables_leave_by_the_app_s_own_downloads_only(open_page, address):
    """Streamlit's download of a table writes formulas as they are."""
    page = open_page(f"{address}/{DATA_PAGE}")
    table = page.get_by_test_id("stDataFrame").first
    table.hover()
    expect(page.get_by_role("button", name="Search").first).to_be_visible()
    assert page.get_by_label(re.compile("^Download as CSV")).count() > 0
    expect(page.get_by_role("button", name=re.compile("^Download as CSV"))).to_have_count(0)


def test_a_reload_and_another_tab_have_the_table_and_its_run_until_it_is_forgotten(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    go(page, "Load")
    rows = "who,x,y\n" + "".join(f"anna{i},{i * i % 23}.5,{i * 7 % 19}.25\n" for i in range(60))
    page.get_by_label("Or paste rows").fill(rows)
    page.get_by_label("Or paste rows").press("Control+Enter")
    page.get_by_role("button", name="Use these data").click()
    page.get_by_role("button", name="Explore these data").click()
    heading = page.get_by_role("heading", name=re.compile("on your table"))
    expect(heading).to_be_visible()
    expect(page).to_have_url(re.compile("session"))
    page.reload()
    expect(heading).to_be_visible()
    expect(page.get_by_text("could not be restored")).to_be_hidden()
    cookie = next(one for one in page.context.cookies() if one["name"] == "dpviz_browser")
    assert cookie["httpOnly"] and cookie["value"] not in page.url
    assert cookie["value"] not in page.evaluate("document.cookie")
    assert cookie["expires"] > time.time() + KEPT_SECONDS  # so that the browser may be closed meanwhile

    tab = page.context.new_page()
    tab.goto(page.url)
    expect(tab.get_by_role("heading", name=re.compile("on your table"))).to_be_visible()
    tab.goto(f"{address}/{DATA_PAGE}")
    go(tab, "Load")
    tab.get_by_text("Kept of yours (1)").click()
    tab.get_by_role("button", name="Forget").click()
    expect(tab.get_by_text("Kept of yours")).to_be_hidden()
    page.reload()
    expect(page.get_by_text(re.compile("The link's data could not be restored"))).to_be_visible()
