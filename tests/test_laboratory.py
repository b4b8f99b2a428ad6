"""The lab: one file that loads nothing, small enough to send, and knobs that configurations understand."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz.cli import main
from dpviz.config import RunConfig
from dpviz.course import CHAPTERS, offline
from dpviz.errors import InvalidDataError
from dpviz.laboratory import KNOBS, METHODS, lab_page
from dpviz.laboratory.page import MOST_POINTS

MOST_BYTES = 700_000


@pytest.fixture(scope="module")
def page():
    return lab_page()


def facts_of(page):
    """What the page holds for its script."""
    written = re.search(r'id="lab-data">([^<]*)<', page)
    assert written is not None
    return json.loads(zlib.decompress(base64.b64decode(written[1])))


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
    assert main(["lab", "--data", str(table), "--scaling", "none", "--out", str(out)]) == 0
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
        assert main(["lab", "--out", str(out)]) == 1
        assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    words = tmp_path / "words.csv"
    words.write_text("a,b,c\n" + "".join(f"{i},red{i % 7},{i * i}\n" for i in range(30)))
    for scaling in ("auto", "standardise"):
        asked = ["--data", str(words), "--features", "a,b,c", "--scaling", scaling]
        assert main(["lab", *asked, "--out", str(tmp_path / "lab.html")]) == 1
        assert "text is in “b”" in capsys.readouterr().err
    assert main(["lab", "--data", "nothing.csv", "--out", str(tmp_path / "lab.html")]) == 1
    assert not Path(tmp_path / "lab.html").exists()


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "cells of these data are missing"),
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
    with pytest.raises(InvalidDataError, match="2 to 30 columns"):
        dpviz.lab(X[:, :1])


def test_a_site_is_a_folder_whose_links_stay_in_it(tmp_path, capsys, monkeypatch):
    for name, made in (("play", lambda chapter: chapter), ("answer_sheet", lambda played: "")):
        monkeypatch.setattr(offline, name, made)
    for name in ("chapter_page", "worksheet"):
        monkeypatch.setattr(offline, name, lambda played, number, home="": f'<a href="{home}">')
    assert main(["site", "--out", str(tmp_path / "site")]) == 0
    written = [Path(name) for name in capsys.readouterr().out.split()]
    assert len(written) == 2 * len(CHAPTERS) + 4 and all(path.is_file() for path in written)
    for page in written[:3]:
        links = [link for link in re.findall(r'href="([^"]*)"', page.read_text(encoding="utf-8")) if link]
        assert all((page.parent / link).resolve() in written for link in links)
        assert len(links) == {"index.html": len(CHAPTERS) + 3, "lab.html": 0}.get(page.name, 1)


def test_titles_of_data_cannot_end_the_script():
    data = dpviz.datasets.dataset.Dataset(X=np.eye(2), name="</script><b>", feature_names=("</script>", "&"))
    page = lab_page(data)
    assert "</script><b>" not in page and facts_of(page)["sets"][0]["axes"] == ["</script>", "&"]
