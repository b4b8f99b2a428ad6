"""The app as a whole: what is chosen on one page is what the others show."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.ui.session.chosen_data import DataChoice

APP = Path(__file__).parent.parent / "app.py"
PAGES = ("explore", "compare", "tune", "data")


def chosen(app: AppTest) -> DataChoice:
    return app.session_state["data choice"]


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(APP), default_timeout=120).run()


def test_opens_on_a_run_that_is_ready_to_play(app: AppTest) -> None:
    assert not app.exception and not app.error
    assert len(app.get("bidi_component")) == 1
    assert app.session_state["finished run"].trace.n_sweeps > 1


@pytest.mark.parametrize("route", [("tune", "explore", "tune"), ("compare", "explore", "data", "explore")])
def test_chosen_data_outlive_a_change_of_page(app: AppTest, route: tuple[str, ...]) -> None:
    app.button_group(key="data.source").set_value("bundled").run()
    app.selectbox(key="data.name.bundled").set_value("ruspini").run()
    assert chosen(app).name == "ruspini"
    for page in route:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception
        assert chosen(app).name == "ruspini", f"lost on {page}"


@pytest.mark.parametrize("page", PAGES)
def test_every_page_stands_alone(page: str) -> None:
    alone = AppTest.from_file(str(APP.parent / "pages" / f"{page}.py"), default_timeout=120).run()
    assert not alone.exception and not alone.error
