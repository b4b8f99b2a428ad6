"""The lab: one file that loads nothing, small enough to send, and knobs that configurations understand."""

from __future__ import annotations

import errno
import html
import os
import re
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from lab_facts import content_of, facts_of

import dpviz
import dpviz.player
from dpviz.browser import module_bytes
from dpviz.browser.layout import COLUMNS
from dpviz.config import RunConfig
from dpviz.course import CHAPTERS, offline
from dpviz.course.handout import checked_address
from dpviz.course.qr import code
from dpviz.course.site import write_site
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidDataError
from dpviz.families.columns.placing import column_numbers
from dpviz.files import SITE_START
from dpviz.laboratory import KNOBS, METHODS, lab_page
from dpviz.laboratory.page import MOST_POINTS

MOST_BYTES = 800_000


@pytest.fixture(scope="module")
def page():
    return lab_page()


def test_the_page_is_small_and_names_no_address(page):
    assert len(page.encode()) <= MOST_BYTES
    assert set(re.findall(r"(?:https?|wss?|ftp)://[^\"'` ]*", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<link|<img|<iframe|\ssrc=|@import|\bfetch\(|XMLHttpRequest|sendBeacon|EventSource", page)


def test_its_policy_forbids_every_request(page):
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', page)
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives == {
        "default-src": "'none'",
        "script-src": "'unsafe-inline' 'wasm-unsafe-eval'",
        "style-src": "'unsafe-inline'",
        "img-src": "data: blob:",
        "worker-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_methods_are_written_as_configurations_read_them(page):
    for method, written in zip(METHODS, facts_of(page)["methods"], strict=True):
        assert RunConfig.from_dict(written["config"]) == method.config
        for knob in KNOBS:
            if knob.name in method.knobs and knob.usual is not None:
                place = written["config"]
                for step in knob.path[:-1]:
                    place = place[step]
                usual = place.get(knob.path[-1], getattr(method.config, knob.path[-1], None))
                assert usual == knob.usual or knob.name in ("power", "discount"), (method.name, knob.name)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_both_ends_of_every_knob_can_be_run(method):
    X = dpviz.datasets.synthesize("moons", 40, 0).X
    for knob in KNOBS:
        if knob.name not in method.knobs or knob.low is None:
            continue
        for value in (knob.low, knob.high):
            changed = method.config.to_dict()
            changed["partition"] = method.config.partition.to_dict()
            place = changed
            for step in knob.path[:-1]:
                place = place[step]
            place[knob.path[-1]] = int(value) if knob.step >= 1 else value
            trace = dpviz.run(X, RunConfig.from_dict(changed))
            assert 1 <= trace.n_clusters[-1] <= 40


def test_scenarios_come_with_their_groups(page):
    sets = facts_of(page)["sets"]
    assert {"spherical_unequal_radius", "elliptical_rotated", "null_gaussian", "moons"} <= {one["name"] for one in sets}
    for one in sets:
        for seed, draw in enumerate(one["draws"]):
            data = dpviz.datasets.synthesize(one["name"], len(draw["rows"]), seed)
            np.testing.assert_allclose(draw["rows"], data.X, atol=5e-4)
            assert dpviz.metrics.ari(np.array(draw["groups"]), data.labels) == 1.0 and draw["penalty"] > 0


def test_own_data_come_first_and_are_exact(tmp_path, capsys):
    table = tmp_path / "own.csv"
    table.write_text("first,second,third,kind\n0.1,2,3.25,a\n0.7,1,9.5,b\n0.30000000000000004,4,1.5,a\n")
    out = tmp_path / "own.html"
    assert cli("lab --data", table, "--scaling none --out", out) == 0
    assert capsys.readouterr().out == f"{out}\n"
    first = facts_of(out.read_text(encoding="utf-8"))["sets"][0]
    assert (first["name"], first["axes"]) == ("given", ["first", "second", "third"])
    assert first["draws"][0]["rows"] == [[0.1, 2, 3.25], [0.7, 1, 9.5], [0.30000000000000004, 4, 1.5]]
    assert first["draws"][0]["groups"] == [0, 1, 0]


def test_the_command_writes_a_page_or_says_why_not(tmp_path, capsys):
    for out, said in (
        (tmp_path / "lab.txt", "must end in .html"),
        (tmp_path / "none" / "lab.html", "cannot be written"),
        (tmp_path, "must end in .html"),
    ):
        assert cli("lab --out", out) == 1
        assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    words = tmp_path / "words.csv"
    words.write_text("a,b,c\n" + "".join(f"{i},red{i % 7},{i * i}\n" for i in range(30)))
    asked = typed("--data", words, "--features a,b,c --scaling standardise")
    assert cli("lab", asked, "--out", tmp_path / "lab.html") == 1
    assert "text is in “b”" in capsys.readouterr().err
    assert cli("lab --data nothing.csv --out", tmp_path / "lab.html") == 1
    assert not Path(tmp_path / "lab.html").exists()


HOURS = ["23.5", "0.25", "9", "9.5", "17", "16.5"]
SPENT = ["0", "3.5", "0", "12.25", "7", "0"]


def hours(folder, *more):
    """A file of when rows began and what was spent, and other columns."""
    table = folder / "hours.csv"
    columns = [["start", *HOURS * 6], ["spent", *SPENT * 6], *more]
    table.write_text("\n".join(map(",".join, zip(*columns, strict=True))) + "\n", encoding="utf-8")
    return table


AS_HOURS = "--kind start=circular:24 --kind spent=hurdle"


def test_hours_and_amounts_that_may_be_0_are_what_they_are(tmp_path):
    height = ["height", *(f"{170 + 7 * np.sin(i):.2f}" for i in range(36))]
    table, out = hours(tmp_path, height), tmp_path / "own.html"
    assert cli("lab --data", table, AS_HOURS, "--out", out) == 0
    page = out.read_text(encoding="utf-8")
    given, kinds = facts_of(page)["sets"][0], ("circular 24", "hurdle", "continuous")
    X = np.array(given["draws"][0]["rows"])
    np.testing.assert_array_equal(X[:6, 0], np.array(HOURS, dtype=float))
    own = given["own"]
    assert own["periods"] == [24, 0, 0] and "start (circular 24), spent (hurdle), height (continuous)" in own["said"]
    methods = [RunConfig.from_dict(method["config"]) for method in own["methods"]]
    assert [method["name"] for method in own["methods"]] == ["mapdp", "gibbs", "powered", "pitman_yor"]
    for config in methods:
        assert (config.family, config.kinds, config.prior_dict["width"]) == ("mixed", kinds, 0.125)
    problem = Problem.check(X, replace(methods[0], prior=None))
    numbers = np.frombuffer(zlib.decompress(content_of(page, "own-columns")))
    np.testing.assert_array_equal(numbers[: problem.coordinates.size], problem.coordinates.ravel())
    assert own["nCoordinates"] == problem.coordinates.shape[1] and own["nPoints"] == len(X) == 36
    np.testing.assert_array_equal(numbers[problem.coordinates.size :], column_numbers(problem.working))
    assert zlib.decompress(content_of(page, "columns")) == module_bytes(COLUMNS)


def test_a_lab_of_numbers_brings_no_engine_for_other_columns(page):
    assert 'id="columns"' not in page and 'id="own-columns"' not in page
    counts = dpviz.datasets.dataset.Dataset(X=np.eye(3), name="x", kinds=("count",) * 3, guessed=("x1", "x2", "x3"))
    assert "own" not in facts_of(lab_page(counts))["sets"][0]
    named = replace(counts, guessed=())
    assert facts_of(lab_page(named))["sets"][0]["own"]["tables"]["width"]["choices"] == [1.0]  # none has a width


def test_columns_of_their_own_kinds_that_it_cannot_take_are_refused(tmp_path, capsys):
    out = tmp_path / "lab.html"
    assert cli("lab --data", hours(tmp_path), AS_HOURS, "--scaling standardise --out", out) == 1
    assert "Scaled, start would be a plain number, and it is circular 24" in capsys.readouterr().err
    X = np.column_stack([np.arange(300.0) % 24, np.arange(300.0)])
    table = dpviz.datasets.dataset.Dataset(X=X, name="x", kinds=("circular 24", "categorical"))
    for wrong, why in (
        (table, "up to 200 categories in all columns, and these data have 300"),
        (replace(table, kinds=("circular 24", "parts")), "takes no parts of a whole, and x2 is one"),
        (replace(table, kinds=("circular 24", "hurdle"), X=X - 1.0), "a number ≥ 0"),
        (replace(table, X=np.where(X == 7, np.nan, X), gaps=True), "cells of these data are missing"),
    ):
        with pytest.raises(InvalidDataError, match=why):
            lab_page(wrong)
    assert not out.exists()


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "cells of these data are missing"),
        (np.array([[1e31, 1.0], [2.0, 3.0]]), "values up to ±1e\\+30"),
        (np.array([[1.0], [2.0]]), "2 to 30 columns, and these data have 1"),
        (np.zeros((MOST_POINTS + 1, 2)), "1 to 20,000 rows, and these data have 20,001"),
    ],
)
def test_data_that_it_cannot_take_are_refused(X, said):
    with pytest.raises(InvalidDataError, match=said):
        lab_page(dpviz.datasets.dataset.Dataset(X=X, name="x", gaps=bool(np.isnan(X).any())))


def test_a_notebook_gets_the_page_with_its_own_table():
    X, species = dpviz.datasets.load("iris").X[:, :3], ["a", "b"] * 75
    film = dpviz.lab(X, species, ["u", "v", "w"])
    given = facts_of(film.page)["sets"][0]
    assert given["axes"] == ["u", "v", "w"] and given["draws"][0]["rows"] == X.tolist()
    assert given["draws"][0]["groups"] == [0, 1] * 75
    assert film._repr_html_().startswith("<iframe srcdoc=") and "allow-scripts" in film._repr_html_()
    assert facts_of(dpviz.lab().page)["sets"][0]["name"] != "given"
    hours = dpviz.lab(np.mod(X[:, :2], 24.0), kinds=["circular 24", "continuous"])
    assert facts_of(hours.page)["sets"][0]["own"]["periods"] == [24, 0]
    with pytest.raises(dpviz.DpvizError, match="kinds = 'circular 24' must be a list of words"):
        dpviz.lab(X, kinds="circular 24")
    with pytest.raises(InvalidDataError, match="2 to 30 columns"):
        dpviz.lab(X[:, :1])


@pytest.fixture
def quick_course(monkeypatch):
    """Pages of chapters that have no more than their beginning and a link."""
    for name, made in (
        ("play", lambda chapter: chapter),
        ("answer_sheet", lambda played: SITE_START),
        ("index_page", lambda *_: SITE_START),
    ):
        monkeypatch.setattr(offline, name, made)
    for name in ("chapter_page", "worksheet"):
        monkeypatch.setattr(offline, name, lambda played, number, home="": f'{SITE_START}<a href="{home}">')


@pytest.mark.usefixtures("quick_course")
def test_a_site_is_a_folder_whose_links_stay_in_it(tmp_path, capsys):
    assert cli("site --out", tmp_path / "site", "--address https://example.org/a&b") == 0
    written = [Path(name) for name in capsys.readouterr().out.split()]
    assert len(written) == 2 * len(CHAPTERS) + 6 and all(path.is_file() for path in written)
    first, lab, handout, chapter = written[:4]
    for page, n_links, n_others in ((first, 6, 16), (lab, 0, 0), (chapter, 1, 0)):  # views of itself, and papers
        found = re.findall(r'href="([^"#]+)"', page.read_text(encoding="utf-8"))
        links = [link for link in found if not link.startswith(("?", "https://doi.org/"))]
        assert all((page.parent / link).resolve() in written for link in links)
        assert len(links) == n_links and len(found) - n_links == n_others
    text = handout.read_text(encoding="utf-8")
    urls = [html.unescape(link) for link in re.findall(r'href="([^"]*)"', text)]
    assert urls[1] == "https://example.org/a&b/lab.html" and text.count("<svg") == len(urls) == len(CHAPTERS) + 2
    for url in urls:
        place = tmp_path / "site" / url.removeprefix("https://example.org/a&b/")
        assert place.is_dir() or place in written
        assert code(url).path in text and html.escape(f'<iframe src="{html.escape(url)}"') in text


ADL = {"": "http://www.imsproject.org/xsd/imscp_rootv1p1p2", "adl": "http://www.adlnet.org/xsd/adlcp_rootv1p2"}


@pytest.mark.usefixtures("quick_course")
def test_a_package_for_learning_systems_lists_pages_that_are_in_it_and_every_one_of_its_files(tmp_path, capsys):
    out = tmp_path / "dpviz.zip"
    assert cli("site --out", out) == 0 and capsys.readouterr().out == f"{out}\n"
    with zipfile.ZipFile(out) as archive:
        names, root = archive.namelist(), ElementTree.fromstring(archive.read("imsmanifest.xml"))
        assert archive.testzip() is None
    resources = {one.attrib["identifier"]: one for one in root.find("resources", ADL)}
    assert sorted(one.attrib["href"] for one in root.iterfind(".//file", ADL)) == sorted({*names} - {"imsmanifest.xml"})
    assert all(one.attrib["identifierref"] in resources for one in root.iterfind(".//dependency", ADL))
    items = root.findall("organizations/organization/item", ADL)
    pages = [resources[item.attrib["identifierref"]] for item in items]
    assert [page.attrib["href"] for page in pages] == [
        "index.html",
        "lab.html",
        *(f"course/{offline.file_name(number)}" for number in range(1, len(CHAPTERS) + 1)),
    ]
    assert [page.attrib[f"{{{ADL['adl']}}}scormtype"] for page in pages] == ["asset", "asset", *["sco"] * len(CHAPTERS)]
    assert [item.findtext("title", None, ADL) for item in items][2:] == [
        f"{number}. {chapter.title}" for number, chapter in enumerate(CHAPTERS, start=1)
    ]
    first = out.read_bytes()
    assert cli("site --out", out) == 0 and out.read_bytes() == first  # it knows its own
    out.write_bytes(b"PK of another")
    assert cli("site --out", out) == 1 and "is no page that dpviz wrote" in capsys.readouterr().err
    assert cli("site --out", out, "--force") == 0 and out.read_bytes() == first
    assert cli("site --out", out, "--address https://example.org/") == 1 and out.read_bytes() == first


@pytest.mark.parametrize("given", ["https://a.org/d", "https://a.org/d/", "https://a.org/d/index.html"])
def test_the_address_is_that_of_the_folder_whatever_page_was_copied(given):
    assert checked_address(given) == "https://a.org/d/"


@pytest.mark.parametrize(
    "address",
    [
        "example.org",
        "ftp://example.org/",
        "https://",
        "https://a/?b",
        "https://a/#b",
        "https://a b/",
        "javascript:alert(1)",
        "https://ü/",
        "https://[",
        "https://a:x/",
        "https://a/" + "x" * 500,
    ],
)
def test_an_address_that_is_none_is_refused_before_anything_is_written(tmp_path, capsys, address):
    assert cli("site --out", tmp_path / "site", "--address", [address]) != 0
    assert "the address of a folder" in capsys.readouterr().err and not (tmp_path / "site").exists()


def contents(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("quick_course")
@pytest.mark.parametrize("name", ["index.html", "lab.html", "course/worksheets/answers.html"])
def test_a_site_replaces_its_own_pages_and_no_others_unless_told_to(name, tmp_path, capsys):
    site = tmp_path / "site"
    assert cli("site --out", site) == 0
    written = contents(site)
    (site / "index.html").write_text(f"{SITE_START}of an older version", encoding="utf-8")
    assert cli("site --out", site) == 0 and contents(site) == written
    (site / name).write_text("<!doctype html><title>My own page</title>", encoding="utf-8")
    (site / "course" / "01-spheres.html").unlink()
    kept = contents(site)
    capsys.readouterr()
    assert cli("site --out", site) == 1
    said = capsys.readouterr()
    assert f"{site / name} is no page that dpviz wrote" in said.err and "--force" in said.err and said.out == ""
    assert contents(site) == kept
    assert cli("site --out", site, "--force") == 0 and contents(site) == written


@pytest.mark.usefixtures("quick_course")
def test_a_site_that_cannot_be_made_whole_changes_nothing(tmp_path, capsys, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text(f"{SITE_START}of an older version", encoding="utf-8")
    (site / "course").write_text("MINE", encoding="utf-8")
    kept = contents(site)
    assert cli("site --out", site) == 1
    assert f"{site / 'course'} cannot be written" in capsys.readouterr().err and contents(site) == kept

    def full(path, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(offline, "write_whole", full)
    empty = tmp_path / "empty"
    empty.mkdir()
    for place in (empty, tmp_path / "new" / "site"):
        with pytest.raises(OSError, match=r"index\.html cannot be written: No space left on device\."):
            write_site(place)
    assert list(empty.iterdir()) == [] and not (tmp_path / "new").exists()


@pytest.mark.usefixtures("quick_course")
def test_a_site_without_an_address_has_no_way_in_for_phones_left_from_one(tmp_path):
    handout = tmp_path / "share.html"
    assert cli("site --out", tmp_path, "--address https://example.org/") == 0 and handout.exists()
    assert cli("site --out", tmp_path) == 0 and not handout.exists()
    handout.write_text("MINE", encoding="utf-8")
    assert cli("site --out", tmp_path) == 0 and handout.read_text(encoding="utf-8") == "MINE"


@pytest.mark.usefixtures("quick_course")
def test_pages_with_data_or_runs_of_a_user_are_replaced_only_when_told_to(tmp_path, capsys):
    X = np.arange(20.0).reshape(10, 2) ** 2
    film = dpviz.player.compare_traces([dpviz.run(X, RunConfig(algorithm="dpmeans", penalty=9.0))], X)
    for saved in (dpviz.lab(X), film):
        out = tmp_path / "site" / "index.html"
        out.parent.mkdir(exist_ok=True)
        saved.save(out)
        for command in ("site", "course", "lab"):
            assert cli([command], "--out", out if command == "lab" else out.parent) == 1
            assert f"{out} is no page that dpviz wrote, or has data or runs of yours" in capsys.readouterr().err
        assert out.read_text(encoding="utf-8") == saved.page and list(out.parent.iterdir()) == [out]


@pytest.mark.usefixtures("quick_course")
@pytest.mark.parametrize("options", [[], "--force"])
@pytest.mark.parametrize(
    ("command", "name"),
    [("site", "index.html"), ("site", "course"), ("course", "worksheets"), ("course", "01-spheres.html")],
)
def test_no_link_leads_a_site_out_of_its_folder(command, name, options, tmp_path, capsys):
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    (elsewhere / "page.html").write_text(SITE_START, encoding="utf-8")
    out.mkdir()
    (out / name).symlink_to(elsewhere / "page.html" if name.endswith(".html") else elsewhere)
    assert cli([command], "--out", out, options) == 1
    assert f"leads out of {out} by a link" in capsys.readouterr().err
    assert contents(elsewhere) == {str(elsewhere / "page.html"): SITE_START.encode()}
    assert list(out.iterdir()) == [out / name]


def test_the_lab_replaces_its_own_page_and_no_other_unless_told_to(tmp_path, capsys, monkeypatch, page):
    monkeypatch.chdir(tmp_path)
    own = Path("lab.html")
    own.write_text("MINE", encoding="utf-8")
    assert cli("lab") == 1
    assert "lab.html is no page that dpviz wrote" in capsys.readouterr().err and own.read_text() == "MINE"
    for options in (["--force"], []):
        assert cli("lab", options) == 0 and own.read_text(encoding="utf-8") == page


def test_what_is_said_of_scaling_is_what_is_done(tmp_path, capsys):
    table = tmp_path / "own.csv"
    table.write_text("a,b\n" + "".join(f"{i / 7},{i * i / 3}\n" for i in range(20)), encoding="utf-8")
    for scaling, said in (("auto", "Columns are standardised"), ("none", "Columns are not scaled, as asked")):
        out = tmp_path / f"{scaling}.html"
        assert cli("lab --data", table, f"--scaling {scaling} --out", out) == 0
        words = capsys.readouterr().err
        assert said in words and ("not scaled" in words) == (scaling == "none")
        X = np.array(facts_of(out.read_text(encoding="utf-8"))["sets"][0]["draws"][0]["rows"])
        assert np.allclose(X.std(axis=0), 1) == (scaling == "auto")


@pytest.mark.parametrize(
    ("scaling", "said"), [("auto", " (standardised)"), ("robust", " (robustly scaled)"), ("none", "")]
)
def test_scaled_columns_are_named_so_and_come_with_what_gives_costs_the_table_s_units(tmp_path, scaling, said):
    table, out = tmp_path / "own.csv", tmp_path / "own.html"
    X = np.round(np.random.default_rng(3).normal([170, 60], [10, 0.2], (40, 2)), 2)
    pd.DataFrame(X, columns=["hgt", "wgt"]).to_csv(table, index=False)
    assert cli("lab --data", table, f"--scaling {scaling} --out", out) == 0
    facts = facts_of(out.read_text(encoding="utf-8"))
    given = facts["sets"][0]
    assert given["axes"] == [f"hgt{said}", f"wgt{said}"]
    (draw,) = given["draws"]
    for method in METHODS:
        has_density = method.config.algorithm in facts["densities"]
        config = replace(method.config, init="single", n_init=1) if has_density else method.config
        own, of_table = (dpviz.run(rows, config) for rows in (np.array(draw["rows"]), X))
        assert has_density == np.isfinite(of_table.nll[-1])
        if has_density:
            assert own.nll[0] + len(X) * draw["rowNats"] == pytest.approx(of_table.nll[0], abs=1e-6), method.name


def test_columns_of_a_frame_keep_their_names_in_a_notebook():
    frame = pd.DataFrame(np.eye(4)[:, :3], columns=["height", "weight~kg", 3])
    axes = [
        facts_of(lab.page)["sets"][0]["axes"] for lab in (dpviz.lab(frame), dpviz.lab(frame, None, ["u", "v", "w"]))
    ]
    assert axes == [["height", "weight~kg", "3"], ["u", "v", "w"]]


def test_titles_of_data_cannot_end_the_script():
    data = dpviz.datasets.dataset.Dataset(X=np.eye(2), name="</script><b>", feature_names=("</script>", "&"))
    page = lab_page(data)
    assert "</script><b>" not in page and facts_of(page)["sets"][0]["axes"] == ["</script>", "&"]
