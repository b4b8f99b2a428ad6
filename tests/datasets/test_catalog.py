"""The bundled data sets: files as documented, every entry loads, nothing is dropped in silence."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.metrics import normalized_mutual_info_score
from sklearn.mixture import GaussianMixture

import dpviz.datasets.digits as digits
from dpviz.cache_folder import cache_root
from dpviz.datasets import KINDS, Dataset, entries, load, names
from dpviz.datasets.catalog import data_folder
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError

README = (data_folder() / "README.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\S+)\n(.*?)(?=^### |\Z)", README, flags=re.MULTILINE | re.DOTALL))
DIGITS = "mnist_digits_1_to_4"


def read_csv(name: str) -> pd.DataFrame:
    return pd.read_csv(data_folder() / f"{name}.csv")


def test_the_folder_holds_the_documented_files_and_no_others():
    data_files = {path.stem for path in data_folder().iterdir() if path.suffix in (".csv", ".npz")}
    assert data_files == set(names()) == set(SECTIONS)
    assert len(names()) == 24
    others = {path.name for path in data_folder().iterdir() if path.suffix not in (".csv", ".npz")}
    assert others == {"README.md", "catalog.toml", f"{DIGITS}.LICENCE.txt"}
    assert "CC BY-SA 3.0" in (data_folder() / f"{DIGITS}.LICENCE.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_the_readme_gives_the_checksum_and_origin_of_every_file(name):
    file = data_folder() / re.search(r"- File: `([^`]+)`", SECTIONS[name]).group(1)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert re.findall(r"- sha256: `([0-9a-f]{64})`", SECTIONS[name]) == [digest]
    entry = entries()[name]
    for told in (entry.description, entry.source, entry.licence, entry.citation, *entry.notes):
        assert told in SECTIONS[name]


@pytest.mark.parametrize("name", names())
def test_every_entry_loads_as_a_complete_table(name):
    data = load(name)
    assert data.name == name and data.title and data.watch and data.source and data.licence and data.citation
    assert np.isfinite(data.X).all() and data.X.dtype == np.float64 and not data.X.flags.writeable
    assert len(data.kinds) == len(data.feature_names) == data.n_features and set(data.kinds) <= set(KINDS)
    for column, kind in enumerate(data.kinds):
        values = data.X[:, column]
        if kind in ("count", "ordinal", "binary", "categorical"):
            assert np.array_equal(values, np.round(values)) and values.min() >= 0
        if kind in ("binary", "categorical"):
            assert values.max() < len(data.category_names[column])
        if kind == "duration":
            assert values.min() >= 0


@pytest.mark.parametrize("name", [name for name in names() if name != DIGITS])
def test_rows_features_and_notes_agree_with_the_file(name):
    data, raw = load(name), read_csv(name)
    features = [column for column in raw if column not in ("id", "label")]
    pd.testing.assert_frame_equal(data.frame.isna(), raw.isna())
    left_out = set(features) - set(data.feature_names)
    assert left_out == (
        {c for c in features if raw[c].isna().any()} if entries()[name].drop_incomplete_columns else set()
    )
    complete = raw[list(data.feature_names)].notna().all(axis=1).to_numpy()
    assert np.array_equal(data.rows, np.flatnonzero(complete))
    told = " ".join(data.notes)
    assert (f"{(~complete).sum()} of {len(raw)} rows" in told) == (not complete.all())
    assert all(column in told for column in left_out)
    if "label" in raw:
        assert [data.label_names[code] for code in data.labels] == raw["label"].astype(str)[complete].tolist()
    for column, feature in enumerate(data.feature_names):
        kept, codes, category_names = raw[feature][complete], data.X[:, column], data.category_names[column]
        if not category_names:
            assert np.array_equal(codes, kept.to_numpy(dtype=float))
        elif pd.api.types.is_string_dtype(kept):
            assert [category_names[int(code)] for code in codes] == kept.tolist()


@pytest.mark.parametrize(
    ("name", "shape", "n_groups", "n_dropped"),
    [("wine", (178, 13), 3, 0), ("breast_cancer_original", (683, 9), 2, 16), ("soybean_307", (266, 35), 15, 41)]
    + [("house_votes_84", (232, 16), 2, 203), ("heart_cleveland", (297, 13), 5, 6), ("dermatology", (358, 34), 6, 8)]
    + [("parkinson_early_biomarkers", (130, 32), 3, 0), ("zoo", (101, 16), 7, 0)],
)
def test_sizes_after_dropping_incomplete_rows(name, shape, n_groups, n_dropped):
    data = load(name)
    assert data.X.shape == shape and len(data.label_names) == n_groups
    assert len(data.frame) - data.n_points == n_dropped
    assert set(data.labels) == set(range(n_groups))


def test_codes_that_differ_from_the_file_keep_their_meaning():
    grades = load("breast_cancer_original")
    assert np.array_equal(grades.X, read_csv("breast_cancer_original").iloc[grades.rows, :9].to_numpy() - 1)
    assert grades.category_names[0][0] == "1"
    slope = load("heart_cleveland").feature_names.index("st_slope")
    heart = load("heart_cleveland")
    assert np.array_equal(heart.X[:, slope] + 1, heart.frame["st_slope"].iloc[heart.rows])
    assert heart.category_names[slope] == ("up", "flat", "down")
    zoo = load("zoo")
    legs = zoo.feature_names.index("legs")
    assert [int(zoo.category_names[legs][int(code)]) for code in zoo.X[:, legs]] == zoo.frame["legs"].tolist()
    soybean = load("soybean_307")
    assert np.array_equal(soybean.X, soybean.frame[list(soybean.feature_names)].iloc[soybean.rows].to_numpy())
    assert soybean.category_names[0][:2] == ("April", "May")


def test_constant_columns_and_lost_groups_are_told():
    early = load("parkinson_early_biomarkers")
    constant = [name for name, values in zip(early.feature_names, early.X.T, strict=True) if np.ptp(values) == 0]
    assert constant == ["antiparkinsonian", "antipsychotic", "levodopa_equivalent_mg"]
    assert any("same value in every row" in note and ", ".join(constant) in note for note in early.notes)
    assert any("4 of 19 groups have no complete row" in note for note in load("soybean_307").notes)


@pytest.mark.parametrize(
    "name",
    ["pima", "wine.csv", "../wine", "/etc/passwd", "..\\wine", "wine\0", "", "WINE", None, 3, ["wine"], "w" * 9999],
)
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(InvalidParameterError, match="old_faithful") as caught:
        load(name)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 800


def test_options_are_for_the_digits_only():
    with pytest.raises(InvalidParameterError, match="wine has no options"):
        load("wine", n=10)
    with pytest.raises(InvalidParameterError, match="colour"):
        load(DIGITS, colour="red")


# --- digits ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def fresh_cache(monkeypatch, tmp_path) -> Path:
    monkeypatch.setenv("DPVIZ_CACHE_DIR", str(tmp_path))
    digits._embedding.cache_clear()
    yield tmp_path
    digits._embedding.cache_clear()


def test_digits_are_standardised_principal_components_of_the_chosen_images(fresh_cache):
    data = load(DIGITS, n=400, n_components=2, seed=5)
    with np.load(data_folder() / f"{DIGITS}.npz") as archive:
        row_of = {index: row for row, index in enumerate(archive["train_index"].tolist())}
        rows = [row_of[index] for index in data.frame["train_index"]]
        pixels, true_digits = archive["images"][rows].reshape(400, -1).astype(float), archive["labels"][rows]
    assert len(set(rows)) == 400
    assert [data.label_names[code] for code in data.labels] == [str(digit) for digit in true_digits]
    scores = PCA(2, svd_solver="full").fit_transform(pixels)
    expected = scores / scores.std(axis=0)
    expected *= np.sign((expected * data.X).sum(axis=0))
    assert_allclose(data.X, expected, rtol=1e-6, atol=1e-8)


def mixture_score(data: Dataset) -> float:
    found = GaussianMixture(4, n_init=3, random_state=0).fit_predict(data.X)
    return float(normalized_mutual_info_score(data.labels, found))


def test_three_components_of_3000_digits_score_what_the_paper_prints(fresh_cache):
    scores = [mixture_score(load(DIGITS, n=3000, seed=seed)) for seed in range(3)]
    assert np.mean(scores) == pytest.approx(0.651, abs=0.03)


def test_the_spectral_embedding_is_another_embedding_of_the_same_quality(fresh_cache):
    linear, spectral = load(DIGITS, seed=1), load(DIGITS, seed=1, method="spectral")
    assert np.array_equal(linear.labels, spectral.labels) and not np.allclose(linear.X, spectral.X)
    assert_allclose(spectral.X.std(axis=0), 1)
    assert mixture_score(spectral) == pytest.approx(mixture_score(linear), abs=0.05)


def test_neighbours_separate_the_digits_better_than_principal_components(fresh_cache):
    linear = load(DIGITS, seed=1)
    near = load(DIGITS, seed=1, method="neighbours", n_components=4)
    assert np.array_equal(linear.labels, near.labels) and near.X.shape == (1000, 4)
    assert_allclose(near.X.std(axis=0), 1)
    assert mixture_score(near) > mixture_score(linear) + 0.05


def test_the_embedding_is_stored_without_pickle_and_read_back(fresh_cache):
    first = load(DIGITS, n=100).X
    (stored,) = fresh_cache.rglob("*.npy")
    assert_array_equal(np.load(stored, allow_pickle=False), first)
    np.save(stored, first + 1)  # what is read next can only come from the disk
    digits._embedding.cache_clear()
    assert_array_equal(load(DIGITS, n=100).X, first + 1)


def test_embeddings_on_disk_take_bounded_room(fresh_cache, monkeypatch):
    one = 100 * 3 * 8 + 128
    monkeypatch.setattr(digits, "MAX_STORED_BYTES", 3 * one)
    ours = cache_root()
    ours.mkdir()
    (ours / "digits_left.unfinished").write_bytes(b"x" * one)  # by a process that was ended while it wrote
    others = [ours / "another.npy", ours / "digits_of_mine.npy", fresh_cache / "digits_left.unfinished"]
    for path in others:
        path.write_bytes(b"x" * one)
    names = []
    for seed in range(6):
        load(DIGITS, n=100, seed=seed)
        stored = [path for path in ours.glob("digits_*") if path not in others]
        names.append(max(stored, key=lambda path: path.stat().st_mtime_ns).name)
        assert sum(path.stat().st_size for path in stored) <= 3 * one
    assert {path.name for path in stored} == set(names[-3:])
    assert all(path.exists() for path in others)
    monkeypatch.setattr(digits, "MAX_STORED_BYTES", 0)
    assert load(DIGITS, n=100, seed=9).X.shape == (100, 3)


@pytest.mark.parametrize("content", [b"", b"junk", b"\x93NUMPY\x01\x00v\x00", "wrong shape", "not finite", "pickled"])
def test_a_spoiled_cache_file_is_computed_again(content, fresh_cache):
    first = load(DIGITS, n=100).X
    (stored,) = fresh_cache.rglob("*.npy")
    if isinstance(content, bytes):
        stored.write_bytes(content)
    else:
        wrong = {"wrong shape": first[:5], "not finite": first * np.nan, "pickled": np.array([[{}]], dtype=object)}
        np.save(stored, wrong[content], allow_pickle=True)
    digits._embedding.cache_clear()
    assert_array_equal(load(DIGITS, n=100).X, first)


def test_no_cache_folder_is_no_obstacle(monkeypatch, fresh_cache):
    blocked = fresh_cache / "a_file"
    blocked.write_text("not a folder", encoding="ascii")
    monkeypatch.setenv("DPVIZ_CACHE_DIR", str(blocked / "below"))
    assert load(DIGITS, n=60).X.shape == (60, 3)
    assert blocked.read_text(encoding="ascii") == "not a folder"


@pytest.mark.parametrize(
    "options",
    [{"n": 49}, {"n": 8001}, {"n": 3001, "method": "spectral"}, {"n": 100.0}, {"n": True}, {"n_components": 0}]
    + [{"n_components": 51}, {"method": "tsne"}, {"method": None}, {"seed": -1}, {"seed": 2**32}, {"n": float("nan")}],
)
def test_digit_options_out_of_range(options):
    with pytest.raises(InvalidParameterError, match=next(iter(options))):
        load(DIGITS, **options)


# --- the Dataset itself ----------------------------------------------------------------------------------------------


def test_a_dataset_copies_and_locks_its_arrays_and_fills_in_names():
    X, labels = np.array([[1, 2], [3, 4]]), np.array([0, 1])
    data = Dataset(X=X, labels=labels, name="mine")
    X[0, 0], labels[0] = 99, 1
    assert data.X[0, 0] == 1 and data.labels[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 5
    assert (data.feature_names, data.kinds, data.label_names) == (("x1", "x2"), ("continuous",) * 2, ("0", "1"))
    assert (data.title, data.n_points, data.n_features, data.category_names) == ("mine", 2, 2, ((), ()))


@pytest.mark.parametrize(
    "X",
    [[], [1.0, 2.0], [[]], [[np.nan]], [[1.0, np.inf]], [["a"]], [[1 + 2j]], [[None]], [[10**400]], np.zeros((2, 0)), 7]
    + [np.array(["2020-01-01"], dtype="datetime64[D]")[:, None]],
)
def test_tables_that_cannot_be_clustered_are_refused(X):
    with pytest.raises(InvalidDataError, match="^X "):
        Dataset(X=X, name="mine")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [("labels", [0]), ("labels", [0, -1]), ("labels", [0.0, 1.0]), ("labels", [0, 10**12]), ("label_names", ("a",))]
    + [("feature_names", ("a",)), ("feature_names", ("a", "a")), ("feature_names", "ab"), ("kinds", ("continuous",))]
    + [
        ("kinds", ("continuous", "colour")),
        ("category_names", (("a",), ())),
        ("name", ""),
        ("name", 3),
        ("watch", None),
    ]
    + [("rows", [0, 1]), ("notes", "one"), ("frame", [[1, 2]])],
)
def test_descriptions_that_do_not_fit_are_refused_by_name(field, value):
    with pytest.raises(DpvizError, match=field):
        Dataset(**{"X": [[1.0, 2.0], [3.0, 4.0]], "name": "mine", field: value})


def test_rows_must_lie_in_the_frame():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    assert Dataset(X=[[1.0], [3.0]], name="mine", frame=frame, rows=[0, 2]).rows.tolist() == [0, 2]
    with pytest.raises(InvalidParameterError, match="rows"):
        Dataset(X=[[1.0], [3.0]], name="mine", frame=frame, rows=[0, 3])
