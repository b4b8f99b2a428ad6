"""Eight tables as people have them go the whole way by command and library, to one answer and a report that is true.

The way through the app is in ``tests/browser/test_practice_in_browser.py``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from numpy.testing import assert_allclose, assert_array_equal
from practice_tables import KINDS, Practice, practice

import dpviz
from dpviz.analysis.labelled_table import labelled_table
from dpviz.analysis.merging import tree
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.table_units import TableUnits
from dpviz.datasets import Dataset
from dpviz.datasets.preparation import scaled_columns
from dpviz.datasets.tables import decide, read_table, to_dataset
from dpviz.report import cluster_table
from dpviz.ui.controls.both_answers import begun_with

SKEWED = "customers"
"""Whose groups no family with the usual settings finds: their clusters are not bell-shaped."""


@dataclass(frozen=True, eq=False)
class Way:
    """What a table became by command, and by the library."""

    table: Practice
    folder: Path
    stored: dpviz.Trace
    data: Dataset
    X: np.ndarray
    trace: dpviz.Trace

    @property
    def labels(self) -> np.ndarray:
        """Clusters of the rows."""
        return self.trace.result_labels

    @property
    def page(self) -> str:
        """The report."""
        return (self.folder / "report.html").read_text("utf-8")

    def tables(self, title: str) -> list[pd.DataFrame]:
        """The tables of the report below a heading, as texts."""
        part = self.page.partition(f"<h2>{title}</h2>")[2].partition("</section>")[0]
        found = []
        for table in re.findall(r"<table>(.*?)</table>", part, re.DOTALL):
            rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
            plain = [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in rows]
            found.append(pd.DataFrame(plain[1:], columns=plain[0]).set_index(plain[0][0]))
        return found


@pytest.fixture(scope="module", params=list(KINDS))
def way(request, tmp_path_factory) -> Way:
    table, folder = practice(request.param), tmp_path_factory.mktemp("practice")
    file, run = folder / table.name, folder / "run.json"
    file.write_bytes(table.content)
    for out in (run, folder / "clusters.csv"):
        assert cli("run", file, "--repair --quiet --out", out) == 0
    assert cli("report", run, "--data", file, "--out", folder / "report.html") == 0
    assert cli("predict", run, file, "--data", file, "--out", folder / "again.csv") == 0

    read = read_table(table.content, table.name, repair=True)
    decision, data = decide(read.frame), to_dataset(read, gaps=True)
    kinds, begun = data.kinds, begun_with(data, decision.scaling)
    scaling = "spread" if "transform" in begun and decision.scaling != "none" else decision.scaling
    made = scaled_columns(data, scaling)
    X, kinds = made.X, kinds if scaling == "none" else ()
    trace = dpviz.run(X, replace(dpviz.RunConfig(partition="auto").with_kinds(kinds), **begun))
    trace = TableUnits(X, made.preparation).trace(trace)
    return Way(table, folder, dpviz.Trace.from_json(run.read_text()), data, X, trace)


def test_the_same_seed_draws_the_same_bytes():
    for kind in KINDS:
        assert practice(kind).content == practice(kind).content != practice(kind, 1).content


def test_command_and_library_end_in_the_same_answer(way):
    assert_array_equal(way.labels, way.stored.result_labels)
    assert_array_equal(way.trace.nll, way.stored.nll)
    assert way.trace.data == way.stored.data  # the same numbers to the bit
    if way.table.groups is None:
        assert way.labels.max() == 0
    elif SKEWED not in way.table.name:
        assert dpviz.metrics.ari(way.table.groups, way.labels) == 1


def test_ids_stay_out_and_come_back_beside_the_clusters(way):
    assert not {"ring", "respondent", "plot", "sample", "patient_id", "Lfd. Nr.", "customer"} & set(
        way.data.feature_names
    )
    written = pd.read_csv(way.folder / "clusters.csv", dtype=str, keep_default_na=False)
    by_library = labelled_table(way.data, way.trace, way.X)
    assert list(written) == list(by_library)
    assert written["cluster"].astype(int).tolist() == way.labels.tolist()
    assert_allclose(written["probability"].astype(float), by_library["probability"], rtol=1e-12)
    own = pd.DataFrame(read_table(way.table.content, way.table.name, repair=True).frame)
    for name in own.columns.difference(["admitted"]):
        if not pd.api.types.is_numeric_dtype(own[name].dtype):
            assert written[name].tolist() == own[name].fillna("").tolist(), name
        else:
            numbers = pd.to_numeric(written[name])
            assert_array_equal(numbers, own[name].to_numpy(np.float64, na_value=np.nan), name)
    if "admitted" in own:
        dates = [line.split(",")[1] for line in way.table.content.decode().splitlines()[1:]]
        assert pd.to_datetime(written["admitted"]).dt.strftime("%d.%m.%Y").tolist() == dates


def test_rows_of_the_table_are_predicted_as_the_library_does(way):
    by_command = pd.read_csv(way.folder / "again.csv")
    found = Predictor(way.X, way.trace).predict(way.X)
    assert by_command["cluster"].astype(str).tolist() == [
        "new" if place == len(found.labels) else str(found.labels[place]) for place in found.clusters
    ]
    assert found.probabilities is not None
    assert_allclose(by_command["probability"], found.probabilities.max(axis=1), rtol=1e-12)


def test_the_report_has_the_answer_that_was_computed(way):
    text = " ".join(unescape(re.sub(r"<[^>]*>", " ", way.page)).split())
    sizes = np.bincount(way.labels)
    assert f"−ln p(data, partition) is {way.trace.nll[way.trace.result_sweep]:,.2f} nats" in text
    assert f"{way.data.n_points} rows and {way.data.n_features} columns: {', '.join(way.data.feature_names)}" in text
    overview, columns = way.tables("Answer")
    assert overview["n"].astype(int).tolist() == sizes.tolist()
    assert overview["share"].tolist() == [f"{share:.1%}" for share in sizes / sizes.sum()]
    assert columns.index.tolist() == list(way.data.feature_names)
    if way.data.labels is not None:
        assert f"ARI {dpviz.metrics.ari(way.data.labels, way.labels):.3f}" in text


def test_the_report_describes_clusters_by_the_cells_of_the_file(way):
    frame = read_table(way.table.content, way.table.name, repair=True).frame
    described, (_, columns) = cluster_table(way.data, way.labels), way.tables("Answer")
    for name in way.data.feature_names:
        for place, own in enumerate(cells for _, cells in frame[name].groupby(way.labels)):
            shown = columns[f"cluster {place}"][name] if place < columns.shape[1] else None
            row = described.iloc[place]
            if not pd.api.types.is_numeric_dtype(own.dtype):
                usual = own.value_counts()
                assert row[f"{name} share"] == pytest.approx(usual.iloc[0] / own.count())
                assert shown is None or shown.endswith(f"({usual.iloc[0] / own.count():.0%})")
                continue
            values = own.to_numpy(np.float64, na_value=np.nan)
            deviation = np.nanstd(values, ddof=1) if np.isfinite(values).sum() > 1 else np.nan
            units = (" (days since 1 January 1970)", " (days)") if name == "admitted" else ("", "")
            assert row[f"{name} mean{units[0]}"] == pytest.approx(np.nanmean(values)), name
            assert row[f"{name} SD{units[1]}"] == pytest.approx(deviation, nan_ok=True), name
            if shown is not None and deviation > 0 and name != "admitted":
                number, spread = (float(part.replace(",", "").replace("−", "-")) for part in shown.split(" ± "))
                assert number == pytest.approx(np.nanmean(values), abs=0.1 * deviation)
                assert spread == pytest.approx(deviation, rel=0.06)
    if "admitted" in way.data.feature_names:
        begun = pd.Series(pd.to_datetime(frame["admitted"], unit="D")).groupby(way.labels).mean().dt.round("D")
        assert [cell[:10] for cell in columns.loc["admitted"]] == begun.dt.strftime("%Y-%m-%d").tolist()


def test_the_report_has_the_merges_other_seeds_and_other_methods_that_were_computed(way):
    config, sweep = way.trace.config, way.trace.result_sweep
    merges = tree(way.X, way.trace)
    for scales in way.tables("At other scales"):
        for k, cost in scales["costs more (nats)"].items():
            labels = merges.labels(int(k))
            begun = replace(config, init=tuple(labels.tolist()), n_init=1, max_sweeps=1)
            more = dpviz.run(way.X, begun).nll[0] - way.trace.in_units(0.0).nll[sweep]  # as it begins, by no tree
            assert float(cost.replace(",", "").replace("−", "-")) == pytest.approx(more, rel=1e-3, abs=1e-6)
            sizes = np.bincount(labels)
            assert (int(scales["smallest"][k]), int(scales["largest"][k])) == (sizes.min(), sizes.max())
    again = [dpviz.run(way.X, replace(config, seed=config.seed + extra)) for extra in (1, 2, 3)]
    counts = sorted({int(run.n_clusters[run.result_sweep]) for run in again})
    scores = [dpviz.metrics.ari(way.labels, run.result_labels) for run in again]
    said = f"find {' or '.join(map(str, counts))} cluster{'s' * (counts != [1])}, ARI with the answer as found"
    assert f"3 runs with other seeds {said} {min(scores):.3f} to {max(scores):.3f}." in way.page
    several = not set(way.data.kinds) <= {"continuous", "duration"}
    for others in way.tables("What other methods say"):
        told = dpviz.RunConfig("kmeans", n_clusters=int(way.labels.max()) + 1, n_init=10)
        found = kmeans_by_command(way, told) if several else dpviz.run(way.X, told).result_labels
        assert others["ARI with the answer"].iloc[0] == f"{dpviz.metrics.ari(way.labels, found):.4g}"


def kmeans_by_command(way: Way, told: dpviz.RunConfig) -> np.ndarray:
    """Clusters of K-means, to which the command line makes columns of several kinds comparable."""
    config, out = way.folder / "kmeans.config.json", way.folder / "kmeans.json"
    config.write_text(told.to_json())
    columns = f"--features={','.join(way.data.feature_names)}"
    file = str(way.folder / way.table.name)
    asked = typed("run", [file], "--repair --quiet", [columns], "--config", config, "--out", out)
    assert cli(asked) == 0
    return dpviz.Trace.from_json(out.read_text()).result_labels
