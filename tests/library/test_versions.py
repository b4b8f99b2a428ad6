"""Version 8 of configurations is read, at every door; earlier ones are refused in one sentence, and nothing is lost."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from command_line import cli
from streamlit.testing.v1 import AppTest
from version_8 import ADDRESSES, CHAIN, DATA, STORED

import dpviz
from dpviz.config_versions import VERSION
from dpviz.errors import TraceFormatError
from dpviz.ui.explore import export_panel
from dpviz.ui.session import computation
from pages import address, close, in_app, opened, plain, press, run, said, settled, shown_run

X = np.array([[0.0], [0.25], [0.5], [9.0], [9.25]])
SETTLED = {
    "count_prior": "relative",
    "category_prior": "fitted",
    "imputation": "seen_cells",
    "split_merge_proposal": "sequential",
}
"""Rules that could be chosen when this version was first written, as all followed them who did not choose."""
OTHERS = {
    "count_prior": "exposure",
    "category_prior": "one_each",
    "imputation": "present_cluster",
    "split_merge_proposal": "restricted_scans",
}
READS = f"this dpviz reads version {VERSION}: make the run again."
REFUSED = f"This configuration is of version 3; {READS}"


@pytest.fixture(autouse=True)
def _nothing_shared():
    computation.forget_all()


def of_version(text: str, version: int | None) -> str:
    """Return a text with all its configurations of another version, or of none."""
    pattern, written = r'(\\?")version\\?":(\\?"?)8\\?"?,', "" if version is None else rf"\1version\1:\g<2>{version}\2,"
    changed, count = re.subn(pattern, written, text)
    assert count
    return changed


def with_rules(text: str, rules: dict[str, str]) -> str:
    """Return a text whose configurations have rules, too."""
    added = "".join(f'"{name}":"{rule}",' for name, rule in rules.items())
    return text.replace('"algorithm"', f'{added}"algorithm"')


def of_links(app: AppTest) -> list[str]:
    """What the page says of its address."""
    return [plain(warning.value) for warning in app.warning if warning.icon == ":material/link_off:"]


def stored(**config: Any) -> str:
    document = json.loads(STORED)
    return json.dumps(document | {"config": document["config"] | config})


# --- version 8 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, SETTLED])
def test_a_run_stored_today_is_the_run_that_it_was(rules):
    trace = dpviz.Trace.from_json(stored(**rules))
    assert (trace.config.family, trace.config.prior) == ("normal_wishart", None)
    again = dpviz.run(X, trace.config)
    np.testing.assert_array_equal(again.labels, trace.labels)
    np.testing.assert_allclose(again.nll, trace.nll, rtol=1e-12)
    assert not SETTLED.keys() & json.loads(trace.to_json())["config"].keys()


@pytest.mark.parametrize("rules", [{}, SETTLED])
@pytest.mark.parametrize("page", ADDRESSES)
def test_an_address_of_today_is_followed_and_stays(page, rules):
    app = opened(page, **{name: with_rules(text, rules) for name, text in ADDRESSES[page].items()})
    assert not of_links(app) and not app.error and not app.exception
    for name, text in ADDRESSES[page].items():
        assert json.loads(address(app, name)) == json.loads(text), name
    close(app)


def test_an_address_of_today_shows_its_run():
    app = opened("explore", **ADDRESSES["explore"])
    config = dpviz.RunConfig.from_query(json.loads(CHAIN))
    assert shown_run(app).config == config and config.first_sweep == "all_points" and config.n_sweeps == 40
    close(app)


# --- other versions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [*range(1, 8), 9, 0, "two", True, None, [2], 1.5, 8.5])
def test_other_versions_are_refused_by_their_number(version):
    sentence = re.escape(f"This configuration is of version {version}; {READS}")
    with pytest.raises(TraceFormatError, match=f"^{sentence}$"):
        dpviz.RunConfig.from_dict({"version": version, "algorithm": "mapdp"})
    with pytest.raises(TraceFormatError, match=f"^{sentence}$"):
        dpviz.RunConfig.from_json(json.dumps({"version": version, "algorithm": "mapdp"}))
    with pytest.raises(TraceFormatError, match=f"^{sentence}$"):
        dpviz.RunConfig.from_query({"version": json.dumps(version), "algorithm": "mapdp"})
    with pytest.raises(TraceFormatError, match=f"^{sentence}$"):
        dpviz.Trace.from_json(stored(version=version))


@pytest.mark.parametrize("read", [dpviz.RunConfig.from_dict, dpviz.RunConfig.from_query])
def test_what_names_no_version_is_of_the_first(read):
    with pytest.raises(
        TraceFormatError, match=f"^This configuration names no version, as those of version 1; {READS}$"
    ):
        read({"algorithm": "mapdp"})


@pytest.mark.parametrize("name", OTHERS)
def test_a_rule_that_is_no_longer_followed_is_refused(name):
    sentence = (
        f"This configuration has {name} = {OTHERS[name]!r}, which could be chosen once; this dpviz follows "
        f"{SETTLED[name]!r} alone: make the run again."
    )
    options = {"version": 8, "algorithm": "mapdp", name: OTHERS[name]}
    for read, written in (
        (dpviz.RunConfig.from_dict, options),
        (dpviz.RunConfig.from_json, json.dumps(options)),
        (dpviz.RunConfig.from_query, {**options, "version": "8"}),
        (dpviz.Trace.from_json, stored(**{name: OTHERS[name]})),
    ):
        with pytest.raises(TraceFormatError, match=f"^{re.escape(sentence)}$"):
            read(written)  # type: ignore[operator]
    with pytest.raises(TraceFormatError, match=f"{name} = None"):
        dpviz.RunConfig.from_dict({**options, name: None})


def refused_once(app: AppTest, sentence: str) -> None:
    """The page says why in one place, and shows what it begins with."""
    (told,) = of_links(app)
    assert told.endswith(sentence)
    assert not app.error and not app.exception


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        (3, f"This configuration is of version 3; {READS}"),
        (7, f"This configuration is of version 7; {READS}"),
        (None, f"This configuration names no version, as those of version 1; {READS}"),
    ],
)
@pytest.mark.parametrize("page", ADDRESSES)
def test_an_address_of_another_version_is_refused_in_one_sentence(page, version, sentence):
    of_page = {name: text for name, text in ADDRESSES[page].items() if "version" in text}
    app = opened(page, **ADDRESSES[page] | {name: of_version(text, version) for name, text in of_page.items()})
    refused_once(app, sentence)
    close(app)
    fresh = opened(page, data=DATA)
    assert not app.exception
    for name in of_page:
        assert address(app, name) == address(fresh, name)
    close(fresh)


@pytest.mark.parametrize("page", ["explore", "compare", "predict", "posterior"])
def test_an_address_with_another_rule_is_refused(page):
    rule = {"category_prior": "one_each"}
    app = opened(page, **{name: with_rules(text, rule) for name, text in ADDRESSES[page].items()})
    assert "category_prior = 'one_each', which could be chosen once" in said(app)
    assert not app.error and not app.exception
    close(app)


def test_the_tabs_of_tune_refuse_a_starting_point_of_another_version_and_keep_the_rest():
    values = json.loads(ADDRESSES["tune"]["tune"]) | {"base": {"version": "3", "algorithm": "mapdp"}}
    app = run(in_app("tune", data=DATA, tune=values))
    refused_once(app, f"The link's starting point could not be restored. {REFUSED}")
    settled(app)
    assert json.loads(address(app, "tune")) == json.loads(ADDRESSES["tune"]["tune"])
    close(app)


def test_explore_refuses_a_stored_run_of_another_version_and_keeps_the_one_shown():
    app = in_app("explore", **ADDRESSES["explore"])
    app.session_state[export_panel.OPEN] = True
    shown = shown_run(settled(run(app)))
    run(app.file_uploader(key="load.run").set_value(("run.json", stored(version=3).encode(), "application/json")))
    settled(press(app, "load.go"))
    assert [plain(error.value) for error in app.error] == [REFUSED] and not app.exception
    assert shown_run(app).config == shown.config
    close(app)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"version": 3, "algorithm": "mapdp"}', "run iris --config OLD"),
        (of_version(STORED, 3), "predict OLD iris --data iris"),
    ],
)
def test_the_command_line_refuses_other_versions(text, words, tmp_path, capsys):
    old = tmp_path / "old.json"
    old.write_text(text)
    assert cli([old if word == "OLD" else word for word in words.split()]) == 1
    assert capsys.readouterr().err == f"dpviz: {REFUSED}\n"
