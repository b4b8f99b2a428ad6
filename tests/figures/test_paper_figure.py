"""Figures for papers: what is drawn is where the data are, in the size that was asked for, with texts as texts."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed

import dpviz
from dpviz.datasets import Dataset
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.player.palette import CLUSTER_COLORS
from dpviz.report import paper_figure

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def run():
    data = dpviz.datasets.load("old_faithful")
    return data, dpviz.run(data.X, dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, effort=0.02))


def dots(drawing: bytes) -> list[tuple[str, float, float]]:
    """Colour and place of every point, in points of print."""
    found = []
    for use in ElementTree.fromstring(drawing).iter(f"{SVG}use"):
        fill = re.search(r"fill: (#\w+)", use.get("style", ""))
        if fill and "fill-opacity: 0.75" in use.get("style", ""):
            found.append((fill[1], float(use.get("x", "nan")), float(use.get("y", "nan"))))
    return found


def texts(drawing: bytes) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


@pytest.mark.parametrize("width", [89.0, 183.0])
def test_points_are_where_the_data_are(run, width):
    data, trace = run
    drawing = paper_figure(data, trace, width=width)
    root = ElementTree.fromstring(drawing)
    assert float(root.get("width", "").removesuffix("pt")) == pytest.approx(width / 25.4 * 72, abs=1e-3)
    drawn, labels = dots(drawing), trace.result_labels
    rows = np.concatenate([np.flatnonzero(labels == k) for k in np.argsort(-np.bincount(labels), kind="stable")])
    assert [colour for colour, *_ in drawn] == [CLUSTER_COLORS["light"][labels[row]] for row in rows]
    for d, sign in ((0, 1), (1, -1)):
        places, values = np.array([dot[1 + d] for dot in drawn]), data.X[rows, d]
        slope, start = np.polyfit(values, places, 1)
        np.testing.assert_allclose(slope * values + start, places, atol=2e-3)
        assert np.sign(slope) == sign
    named = texts(drawing)
    assert {*data.feature_names} <= {*named}
    assert {f"cluster {k} ({n})" for k, n in enumerate(np.bincount(labels))} <= {*named}


def test_a_pdf_has_its_font_and_its_size(run):
    data, trace = run
    page = paper_figure(data, trace, format="pdf", part="curve")
    assert page.startswith(b"%PDF") and b"/FontFile2" in page
    box = [float(number) for number in re.search(rb"/MediaBox \[([^\]]*)\]", page)[1].split()]
    assert box[2] == pytest.approx(89 / 25.4 * 72, abs=1e-3)
    assert paper_figure(data, trace, format="pdf", part="curve") == page


def test_axes_have_units_dates_and_words_and_nothing_is_read_as_a_formula(tmp_path):
    rng = np.random.default_rng(0)
    group = np.arange(60) % 2
    frame = pd.DataFrame(
        {
            "cost $x$ & <y>": [f"{value:.1f} cm" for value in rng.normal(9 * group, 1)],
            "when": (pd.to_datetime("2024-01-01") + pd.to_timedelta(99 * group + np.arange(60), "D")).astype(str),
            "word": np.where(group, "blå", "rot"),
        }
    )
    frame.loc[5, "when"] = None
    table, stored, out = tmp_path / "t.csv", tmp_path / "run.json", tmp_path / "f.svg"
    frame.to_csv(table, index=False)
    columns = typed("--features", [",".join(frame)])
    assert cli("run", table, columns, "--effort 0 --n-init 1 --quiet --out", stored) == 0
    asked = ["figure", str(stored), "--data", str(table), "--out", str(out)]
    assert cli(asked, "--columns 'when,cost $x$ & <y>'") == 0
    named = texts(out.read_bytes())
    assert "cost $x$ & <y> (cm)" in named and any(re.fullmatch(r"2024-0\d", text) for text in named)
    assert len(dots(out.read_bytes())) == 59
    assert cli(asked, "--columns word") == 0
    assert {"blå", "rot", "rows"} <= {*texts(out.read_bytes())}
    assert cli(asked) == 0
    assert any(re.fullmatch(r"Principal component 1 \(\d+ % of variance\)", text) for text in texts(out.read_bytes()))
    assert len(dots(out.read_bytes())) == 60
    assert cli(asked[:-1], tmp_path / "f.png") == 1


def test_the_curve_is_the_nll(run):
    data, trace = run
    drawing = paper_figure(data, trace, part="curve")
    paths = [path.get("d", "") for path in ElementTree.fromstring(drawing).iter(f"{SVG}path")]
    (curve,) = [path for path in paths if len(re.findall("[ML]", path)) == len(trace.nll)]
    heights = np.array(re.findall(r"[ML] [\d.-]+ ([\d.-]+)", curve), dtype=float)
    assert np.corrcoef(heights, trace.nll)[0, 1] == pytest.approx(-1)


def test_what_cannot_be_drawn_is_named(run, monkeypatch):
    data, trace = run
    with pytest.raises(InvalidParameterError, match="Clustered were"):
        paper_figure(data, trace, columns=["nothing"])
    with pytest.raises(InvalidParameterError, match="40 to 400"):
        paper_figure(data, trace, width=9000)
    with pytest.raises(InvalidParameterError, match="272 rows"):
        paper_figure(Dataset(X=np.ones((3, 2)), name="x"), trace)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DpvizError, match=r"pip install 'dpviz\[figures\]'"):
        paper_figure(data, trace)
