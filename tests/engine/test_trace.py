"""Traces: what a run keeps, how much room that takes, and stored runs, whole or hostile."""

from __future__ import annotations

import base64
import json
import tracemalloc
import zlib
from dataclasses import fields

import numpy as np
import pytest
from configs import usual_config
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal, assert_equal
from traces import same_trace
from version_8 import STORED

import dpviz
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError, MemoryLimitError, TraceFormatError
from dpviz.fit.run import iterate_starts
from examples import blobs

SERIES = ("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died", "seconds")
CONFIGS = {
    "mapdp": usual_config(n_init=6, seed=3, events_sweep=1),
    "gibbs": usual_config("gibbs", n_sweeps=12, burn_in=2, events_sweep=3, seed=1),
    "gibbs_thinned": usual_config("gibbs", n_sweeps=23, burn_in=5, thin=4, seed=2),
    "gibbs_restarts": usual_config("gibbs", "normal_gamma", n_sweeps=8, burn_in=2, n_init=5),
    "powered": usual_config("gibbs", n_sweeps=8, burn_in=2, partition=dpviz.PoweredChineseRestaurant(1.0, 1.2)),
    "explicit_parameters": usual_config("gibbs", n_sweeps=8, burn_in=2, sampler="explicit_parameters"),
    "explicit_weights": usual_config(
        "gibbs", n_sweeps=8, burn_in=2, sampler="explicit_weights", partition=dpviz.FiniteDirichlet(2.0, 5)
    ),
    "kmeans": dpviz.RunConfig("kmeans", n_clusters=4, n_init=3),
    "kmeans_empty": dpviz.RunConfig("kmeans", n_clusters=3, init=[[0.0, 0], [7, 7], [900, 900]]),
    "dpmeans": dpviz.RunConfig("dpmeans", penalty=5.0),
    "dpmeans_until_birth": dpviz.RunConfig("dpmeans", penalty=5.0, sweep="until_birth", order="shuffled", n_init=3),
    "em": dpviz.RunConfig("em", n_components=3, n_init=2, max_sweeps=15),
}


@pytest.fixture(scope="module")
def traces() -> dict[str, dpviz.Trace]:
    return {name: dpviz.run(blobs(), config) for name, config in CONFIGS.items()}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_record_passes_on_every_part_of_its_state_and_of_its_counts(name):
    for record in dpviz.iterate(blobs(), CONFIGS[name]):
        for part in (record.score, record.moves):
            assert all(getattr(record, field.name) is getattr(part, field.name) for field in fields(part))
        assert record.labels.dtype == np.min_scalar_type(len(record.sizes) - 1)


@pytest.mark.parametrize("name", CONFIGS)
def test_series_describe_the_labels(traces, name):
    trace, config = traces[name], CONFIGS[name]
    n_rows = trace.n_sweeps + 1
    assert all(getattr(trace, series).shape == (n_rows,) for series in SERIES)
    assert trace.seconds[0] == 0 and np.all(trace.seconds[1:] > 0)
    assert np.isnan(trace.nll).all() == (config.algorithm in ("kmeans", "dpmeans", "em"))
    assert np.isfinite(trace.objective).all()
    for sweep in trace.label_sweeps:
        labels = trace.labels_at(sweep)
        assert labels.dtype == np.int64
        assert_array_equal(np.bincount(labels, minlength=len(trace.sizes(sweep))), trace.sizes(sweep))
    for sweep in range(n_rows):
        assert trace.sizes(sweep).sum() == trace.n_points == 60
        assert np.count_nonzero(trace.sizes(sweep)) == trace.n_clusters[sweep]
    assert trace.n_moved[0] == trace.n_born[0] == trace.n_died[0] == 0


@pytest.mark.parametrize("name", CONFIGS)
def test_births_and_deaths_explain_the_number_of_clusters(traces, name):
    trace = traces[name]
    assert_array_equal(np.diff(trace.n_clusters), (trace.n_born - trace.n_died)[1:])
    assert np.all(trace.n_born <= trace.n_moved)


@pytest.mark.parametrize("name", ["mapdp", "gibbs", "powered", "explicit_parameters", "explicit_weights", "kmeans"])
def test_moved_points_are_at_least_those_whose_company_changed(traces, name):
    """Renaming clusters moves no point: a sweep without moves leaves the partition unchanged."""
    trace = traces[name]
    for sweep in range(1, trace.n_sweeps + 1):
        before, after = trace.labels_at(sweep - 1), trace.labels_at(sweep)
        together_before = before[:, None] == before
        together_after = after[:, None] == after
        assert (trace.n_moved[sweep] == 0) <= np.array_equal(together_before, together_after)
    assert not trace.converged or trace.n_moved[-1] == 0


def test_an_emptied_kmeans_cluster_is_counted_when_it_fills_again():
    X = np.array([[0.0], [0.1], [10.0], [10.1], [30.0]])
    trace = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=3, init=[[0.0], [12.0], [21.0]]))
    assert_array_equal(np.diff(trace.n_clusters), (trace.n_born - trace.n_died)[1:])
    started_empty = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=3, init=[[-9.0], [0.0], [20.5]]))
    assert started_empty.n_clusters[0] == 2
    assert_array_equal(np.diff(started_empty.n_clusters), (started_empty.n_born - started_empty.n_died)[1:])


@pytest.mark.parametrize("name", ["mapdp", "gibbs"])
def test_events_replay_the_sweep(traces, name):
    trace, sweep = traces[name], CONFIGS[name].events_sweep
    labels = trace.labels_at(sweep - 1)
    n_moved = 0
    for point, source, target in trace.events:
        assert labels[point] == source
        labels[point] = target
        n_moved += source != target
    assert n_moved == trace.n_moved[sweep]
    assert sorted(trace.events[:, 0]) == list(range(60))
    after = trace.labels_at(sweep)
    assert_array_equal(labels[:, None] == labels, after[:, None] == after)


def test_thinning_drops_label_rows_only(traces):
    trace = traces["gibbs_thinned"]
    assert_array_equal(trace.label_sweeps, [0, 1, 5, 9, 13, 17, 21])
    assert trace.n_sweeps == 23
    assert trace.nll.shape == (24,)
    full = dpviz.run(blobs(), usual_config("gibbs", n_sweeps=23, burn_in=5, seed=2))
    assert_array_equal(trace.nll, full.nll)
    assert_array_equal(trace.labels, full.labels[trace.label_sweeps])
    assert_array_equal(trace.sizes(2), full.sizes(2))
    with pytest.raises(InvalidParameterError, match="sweep = 2: its labels were not kept"):
        trace.labels_at(2)


def test_arrays_cannot_be_written(traces):
    trace = traces["mapdp"]
    for array in (trace.labels, trace.nll, trace.sizes(0), trace.events, trace.flat_sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_negative_sweeps_count_from_the_end(traces):
    trace = traces["kmeans"]
    assert_array_equal(trace.labels_at(-1), trace.labels_at(trace.n_sweeps))
    assert_array_equal(trace.sizes(-trace.n_sweeps - 1), trace.sizes(0))
    for sweep in (trace.n_sweeps + 1, -trace.n_sweeps - 2, 1.0, True, "1", None):
        with pytest.raises(InvalidParameterError, match=f"between 0 and {trace.n_sweeps}"):
            trace.sizes(sweep)


def test_frame_has_a_row_per_sweep(traces):
    trace = traces["gibbs_thinned"]
    frame = trace.to_frame()
    assert frame.index.name == "sweep"
    assert list(frame.index) == list(range(24))
    assert tuple(frame.columns) == SERIES
    for name in SERIES:
        assert_array_equal(frame[name].to_numpy(), getattr(trace, name))


def held_bytes(trace: dpviz.Trace) -> int:
    return sum(value.nbytes for value in vars(trace).values() if isinstance(value, np.ndarray))


def test_a_long_trace_is_small():
    X = blobs(4000)
    config = usual_config("gibbs", "spherical_normal", init="single")
    dpviz.run(blobs(), config)  # compiled code stays in memory
    tracemalloc.start()
    trace = dpviz.run(X, config)
    current, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert trace.labels.shape == (601, 4000)
    assert trace.labels.dtype == np.uint8
    assert held_bytes(trace) < 10e6
    assert current < 10e6  # nothing else is held on to


def test_labels_take_the_smallest_type_that_fits():
    X = np.arange(300.0)[:, None]
    for n_clusters, dtype in ((256, np.uint8), (257, np.uint16)):
        labels = np.minimum(np.arange(300), n_clusters - 1)
        config = dpviz.RunConfig("kmeans", n_clusters=n_clusters, init=labels, max_sweeps=1)
        assert dpviz.run(X, config).labels.dtype == dtype
    trace = dpviz.run(X, dpviz.RunConfig("dpmeans", penalty=0.2, init="single"))  # from 1 cluster to 300
    assert trace.labels.dtype == np.uint16
    assert trace.n_clusters[-1] == 300
    assert_array_equal(np.unique(trace.labels[-1]), np.arange(300))
    same_trace(dpviz.Trace.from_json(trace.to_json()), trace)


def test_a_run_that_would_not_fit_is_refused_with_its_size(monkeypatch):
    message = r"labels of 100,000 points over 10,000,000 recorded sweeps need 1000\.0 GB; the limit here is .*thin=m"
    with pytest.raises(MemoryLimitError, match=message):
        dpviz.run(np.zeros((100_000, 1)), usual_config("gibbs", n_sweeps=10_000_000))
    monkeypatch.setattr("dpviz.engine.problem._memory_limit", lambda: 660.0)
    config = usual_config("gibbs", "spherical_normal", n_sweeps=10, burn_in=0)
    assert dpviz.run(blobs(), config).n_sweeps == 10  # 60 points, 11 rows
    monkeypatch.setattr("dpviz.engine.problem._memory_limit", lambda: 659.0)
    with pytest.raises(MemoryLimitError, match="60 points over 10 recorded sweeps"):
        dpviz.run(blobs(), config)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_seed_gives_the_same_trace(traces, name):
    same_trace(dpviz.run(blobs(), CONFIGS[name]), traces[name], without="seconds")


@pytest.mark.parametrize("name", CONFIGS)
def test_iterate_yields_exactly_the_run(traces, name):
    trace = traces[name]
    records = list(dpviz.iterate(blobs(), CONFIGS[name]))
    assert [record.sweep for record in records] == list(range(trace.n_sweeps + 1))
    for record in records:
        for series in SERIES[:-1]:
            assert_equal(getattr(record, series), getattr(trace, series)[record.sweep])
        assert_array_equal(record.sizes, trace.sizes(record.sweep))
        if record.sweep in trace.label_sweeps:
            assert_array_equal(record.labels, trace.labels_at(record.sweep))
    assert records[-1].converged == trace.converged


def test_starts_are_listed_and_the_lowest_wins():
    for name in ("mapdp", "kmeans", "gibbs_restarts", "em"):
        config = CONFIGS[name]
        runs: dict[int, list] = {}
        for start, kind, record in iterate_starts(blobs(), config):
            runs.setdefault(start, []).append((str(kind), record))
        trace = dpviz.run(blobs(), config)
        assert len(trace.starts) == len(runs) == config.n_init
        for start, (init, n_clusters, nll, n_sweeps) in enumerate(trace.starts):
            kind, last = runs[start][-1]
            scores = [record.nll for _, record in runs[start]]
            if name == "gibbs_restarts":
                expected = min(scores[config.burn_in + 1 :])
            else:
                expected = last.objective if np.isnan(last.nll) else last.nll
            assert (init, n_clusters, nll, n_sweeps) == (kind, last.n_clusters, expected, last.sweep)
        assert trace.chosen_start == int(np.argmin([start.nll for start in trace.starts]))


@pytest.mark.parametrize("stop_after", [1, 2, 5, 13])
def test_a_cancelled_run_keeps_what_was_done(stop_after):
    config = usual_config("gibbs", n_sweeps=8, burn_in=2, n_init=2, seed=4)
    asked = iter(range(1, 100))
    trace = dpviz.run(blobs(), config, should_stop=lambda: next(asked) == stop_after)
    done = stop_after if stop_after <= 9 else 9
    assert len(trace.starts) == (1 if stop_after <= 9 else 2)
    assert sum(start.n_sweeps + 1 for start in trace.starts) == stop_after
    assert not trace.converged
    if stop_after <= 9:
        assert trace.n_sweeps == done - 1
        records = list(iterate_start(Problem.check(blobs(), config), 0))[:done]
        assert_array_equal(trace.nll, [record.nll for record in records])
    same_trace(dpviz.Trace.from_json(trace.to_json()), trace)


# --- stored runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONFIGS)
def test_json_loses_nothing_but_explicit_parameters(traces, name):
    trace = traces[name]
    copy = dpviz.Trace.from_json(trace.to_json())
    same_trace(copy, trace, without="parameters")
    assert copy.parameters == ()
    assert not copy.labels.flags.writeable
    assert json.loads(trace.to_json())["format"] == "dpviz-trace-1"


def packed(array: np.ndarray) -> dict:
    data = base64.b64encode(zlib.compress(array.tobytes())).decode()
    return {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape), "data": data}


def changed(trace: dpviz.Trace, **arrays: object) -> str:
    document = json.loads(trace.to_json())
    for name, value in arrays.items():
        document["arrays"][name] = packed(value) if isinstance(value, np.ndarray) else value
    return json.dumps(document)


def refused(text: object, match: str | None = None, **limits: int) -> None:
    with pytest.raises(TraceFormatError, match=match):
        dpviz.Trace.from_json(text, **limits)


def test_arrays_that_do_not_fit_together_are_refused(traces):
    trace = traces["mapdp"]
    last, flat, offsets = trace.n_sweeps, trace.flat_sizes, trace.size_offsets
    wide = trace.labels.astype("<u4")
    wide[0, 0] = 2**32 - 1
    swapped = trace.labels.copy()
    swapped[1] = 0
    wrapped = offsets.copy()
    wrapped[1:-1] = np.iinfo(np.int64).min
    negative = flat.copy()
    negative[-2:] += [-1000, 1000]
    events = trace.events.copy()
    events[0, 0] = 60
    for match, arrays in {
        "nll": {"nll": trace.nll[:-1]},
        "n_moved is negative": {"n_moved": -trace.n_moved - 1},
        "seconds is negative": {"seconds": np.full(last + 1, np.nan)},
        "one row per recorded sweep": {"label_sweeps": trace.label_sweeps[:-1]},
        "not increasing": {"label_sweeps": trace.label_sweeps[::-1].copy()},
        "out of range": {"label_sweeps": trace.label_sweeps + 1},
        "labels of sweep 0 do not": {"labels": wide},
        "labels of sweep 1 do not": {"labels": swapped},
        "do not match its sweeps": {"size_offsets": offsets[:-1]},
        "a sweep has no sizes": {"size_offsets": wrapped},
        "do not add up": {"flat_sizes": flat + np.int32(1)},
        "do not add": {"flat_sizes": negative},
        "numbers of clusters": {"n_clusters": trace.n_clusters + 1},
        "events": {"events": events},
        "its events": {"events": events[:, :2].copy()},
        "type '<f8'": {"labels": trace.labels.astype(float)},
        "type '<i8'": {"nll": trace.n_moved},
        r"shape \(60,\)": {"labels": trace.labels[0]},
        "unknown array 'colour'": {"colour": trace.nll},
    }.items():
        refused(changed(trace, **arrays), match)
    missing = json.loads(trace.to_json())
    del missing["arrays"]["nll"]
    refused(json.dumps(missing), "damaged")


def test_fields_that_do_not_fit_are_refused(traces):
    good = json.loads(traces["kmeans"].to_json())
    for name, values in {
        "format": ["dpviz-trace-0", None, 3, []],
        "config": [None, [], "mapdp", {"algorithm": "x"}, {"seed": -1}, {"unknown": 1}, {"prior": {"c0": "1"}}],
        "chosen_start": [-1, 99, "a", None, 1e400, {}],
        "starts": [[[]], [["a", 1]], [["a", 1e400, 0, 1]], 3, None, [[1, 2, "x", 3]], [["a", 10**400, 10**400, 0]]],
        "arrays": [None, [], {}, {"nll": 3}, "abc", {"nll": {}}],
    }.items():
        for value in values:
            with pytest.raises(dpviz.DpvizError):
                dpviz.Trace.from_json(json.dumps({**good, name: value}))
        without = {key: value for key, value in good.items() if key != name}
        refused(json.dumps(without))


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "|u1", "shape": [1, 2**62], "data": ""},
        {"dtype": "|u1", "shape": [-1, -60], "data": ""},
        {"dtype": "|u1", "shape": [1e400, 1], "data": ""},
        {"dtype": "|u1", "shape": ["a", 1], "data": ""},
        {"dtype": "|u1", "shape": 3, "data": ""},
        {"dtype": "|u1", "shape": [], "data": ""},
        {"dtype": "|O", "shape": [1, 60], "data": ""},
        {"dtype": ["|u1"], "shape": [1, 60], "data": ""},
        {"dtype": "|u1", "shape": [1, 60], "data": "not base64!"},
        {"dtype": "|u1", "shape": [1, 60], "data": "é"},
        {"dtype": "|u1", "shape": [1, 60], "data": "AAAA"},
        {"dtype": "|u1", "shape": [1, 60], "data": None},
        {"dtype": "|u1", "shape": [0, 60], "data": base64.b64encode(zlib.compress(b"")).decode()},
        {"dtype": "|u1", "shape": [1, 60]},
    ],
    ids=lambda entry: str(entry)[:60],
)
def test_hostile_arrays_are_refused(traces, entry):
    refused(changed(traces["mapdp"], labels=entry))


def packed_zeros(n_bytes: int) -> str:
    """A number of zero bytes, compressed."""
    compressor, block = zlib.compressobj(9), bytes(1 << 20)
    parts = [compressor.compress(block) for _ in range(n_bytes >> 20)]
    return base64.b64encode(
        b"".join([*parts, compressor.compress(bytes(n_bytes & 0xFFFFF)), compressor.flush()])
    ).decode()


def memory_of_refusal(text: str, match: str | None = None, **limits: int) -> int:
    """Return the most bytes that were held while this text was refused."""
    tracemalloc.start()
    refused(text, match, **limits)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_a_bomb_does_not_go_off(traces):
    data = packed_zeros(1 << 28)
    undeclared = {"dtype": "|u1", "shape": [1, 60], "data": data}
    declared = {"dtype": "|u1", "shape": [1 << 34, 60], "data": data}
    many = {name: {"dtype": "<f8", "shape": [1 << 27], "data": data} for name in ("nll", "objective")}
    for arrays in ({"labels": undeclared}, {"labels": declared}, many):
        assert memory_of_refusal(changed(traces["mapdp"], **arrays)) < 10e6


def test_labels_that_cannot_be_of_these_data_are_never_unpacked(traces):
    trace = traces["mapdp"]
    n_rows = trace.n_sweeps + 1
    data = packed_zeros(10**8)
    points = {"labels": {"dtype": "|u1", "shape": [n_rows, 10**9 // n_rows], "data": data}}
    sweeps = {"labels": {"dtype": "|u1", "shape": [10**9 // 60, 60], "data": data}}
    rows = {name: {"dtype": "<f8", "shape": [10**7], "data": data} for name in ("nll", "objective", "seconds")}
    for match, arrays, limits in (
        ("points, but the data have 60", points, {"n_points": 60}),
        ("one row per recorded sweep", sweeps, {"n_points": 60}),
        ("10000000 rows, nll", {"seconds": rows["seconds"]}, {}),
        ("n_clusters has .* rows, nll 10000000", rows, {"n_points": 60}),
        ("1,000 is the limit", {}, {"most_bytes": 1_000}),
    ):
        text = changed(trace, **arrays)
        assert memory_of_refusal(text, match, **limits) < 2 * len(text) + 1_000_000
    assert dpviz.Trace.from_json(trace.to_json(), n_points=60).n_points == 60


def test_a_run_of_countless_entries_is_refused_before_they_are_read(traces):
    document = json.loads(traces["mapdp"].to_json())
    for entries in ("[],", '{"a":{}},', "[" * 9, "1,2,"):
        text = json.dumps({**document, "starts": []}).replace('"starts": []', f'"starts": [{entries * 800_000}0')
        assert memory_of_refusal(text, "more than (1,100,000 entries|20,000 lists and objects)") < 100_000


def test_what_is_no_number_or_neither_true_nor_false_is_refused(traces):
    for name in ("mapdp", "gibbs", "kmeans"):
        trace = traces[name]
        for series in ("objective", *(["nll"] if name != "kmeans" else [])):
            values = getattr(trace, series).copy()
            values[-1] = np.nan
            refused(changed(trace, **{series: values}), "nll or objective is no finite number somewhere")
        for flag in ("converged", "search_exhausted"):
            refused(json.dumps({**json.loads(trace.to_json()), flag: "no"}), "'no' is neither true nor false")
        assert dpviz.Trace.from_json(trace.to_json()).converged == trace.converged


def test_what_a_damaged_run_says_is_short(traces):
    document = json.loads(traces["mapdp"].to_json())
    with pytest.raises(TraceFormatError) as refusal:
        dpviz.Trace.from_json(json.dumps({**document, "chosen_start": "x" * 100_000}))
    assert len(str(refusal.value)) < 400


def test_a_truncated_run_is_refused(traces):
    text = traces["gibbs"].to_json()
    for end in (0, 1, 10, len(text) // 3, len(text) // 2, len(text) - 1):
        refused(text[:end])
    document = json.loads(text)
    labels = document["arrays"]["labels"]
    labels["data"] = labels["data"][: len(labels["data"]) // 8 * 4]
    refused(json.dumps(document))


@pytest.mark.parametrize(
    "value", [None, 3, 1.5, [], {}, b"\xff\xfe", True, object()], ids=lambda value: type(value).__name__
)
def test_what_is_not_text_is_refused(value):
    refused(value)


def test_long_junk_is_refused():
    rng = np.random.default_rng(0)
    refused("".join(map(chr, rng.integers(32, 0x2FFF, size=1_000_000))))
    refused("[" * 1_000_000)
    refused('{"format":' * 100_000)
    refused("1" * 1_000_000)


@given(st.text(max_size=40) | st.binary(max_size=40))
def test_any_text_is_refused(text):
    refused(text)


@given(st.data())
@settings(max_examples=200)
def test_a_damaged_run_is_refused_or_still_consistent(traces, data):
    text = traces["mapdp"].to_json()
    position = data.draw(st.integers(0, len(text) - 1))
    character = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    try:
        trace = dpviz.Trace.from_json(text[:position] + character + text[position + 1 :])
    except dpviz.DpvizError:
        return
    for sweep in range(trace.n_sweeps + 1):
        assert_array_equal(np.bincount(trace.labels_at(sweep)), trace.sizes(sweep))


@pytest.mark.parametrize(
    ("amount", "of"),
    [
        ('"n_trial_sweeps":0', '"n_trial_sweeps":{}'),
        ('["single",2,', '["single",{},'),
        ("17.718588324055283,2]", "17.718588324055283,{}]"),
    ],
)
@pytest.mark.parametrize("number", [-1, 10**30])
def test_amounts_of_work_that_no_run_has_are_refused(amount, of, number):
    assert STORED.count(amount) == 1
    with pytest.raises(TraceFormatError, match="its numbers of sweeps and clusters are no amounts"):
        dpviz.Trace.from_json(STORED.replace(amount, of.format(number)))
