"""A stored run whose numbers are not those of its data is refused in a short sentence, wherever both are at hand."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import cli
from configs import usual_config

import dpviz
from dpviz.datasets.preparation import scaled_columns
from dpviz.engine.stored_check import check_result
from dpviz.errors import LONGEST_MESSAGE, DpvizError, InvalidParameterError, TraceFormatError
from dpviz.report import report
from dpviz.text import LONGEST_QUOTED, quoted
from dpviz.ui.explore.loading import load_run
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished

HUGE = "x" * 19_000_000
IRIS = DataChoice("bundled", "iris", scaling="standardise")
X = prepare(IRIS).X
CONFIG = usual_config(family="normal_gamma", n_init=2, effort=0.3)


@pytest.fixture(scope="module")
def run() -> dpviz.Trace:
    return dpviz.run(X, CONFIG)


def with_series(text: str, name: str, change: Callable[[np.ndarray], np.ndarray]) -> str:
    document = json.loads(text)
    entry = document["arrays"][name]
    values = np.frombuffer(zlib.decompress(base64.b64decode(entry["data"])), dtype=entry["dtype"])
    entry["data"] = base64.b64encode(zlib.compress(change(values.copy()).astype(entry["dtype"]).tobytes())).decode()
    return json.dumps(document)


def with_field(text: str, **fields: Any) -> str:
    return json.dumps({**json.loads(text), **fields})


def in_config(text: str, **fields: Any) -> str:
    document = json.loads(text)
    document["config"] |= fields
    return json.dumps(document)


def replaced_at(place: int, value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(values: np.ndarray) -> np.ndarray:
        values[place] = value
        return values

    return change


FALSE = {
    "nll is another": lambda text: with_series(text, "nll", lambda nll: nll - 5_000),
    "nll is a little off": lambda text: with_series(text, "nll", lambda nll: nll * 1.00001),
    "objective is another": lambda text: with_series(text, "objective", lambda costs: costs + 0.1),
    "unit is another": lambda text: with_field(text, scaling_nats=2_000.0),
    "other prior": lambda text: in_config(text, partition={"kind": "chinese_restaurant", "concentration": 0.5}),
}
"""Runs that fit together, and not with their data."""
DAMAGED = {
    "nll is minus infinity": lambda text: with_series(text, "nll", replaced_at(-1, -np.inf)),
    "nll is infinite at first": lambda text: with_series(text, "nll", replaced_at(0, np.inf)),
    "nll is no number": lambda text: with_series(text, "nll", replaced_at(-1, np.nan)),
    "objective is infinite": lambda text: with_series(text, "objective", replaced_at(-1, -np.inf)),
    "seconds are infinite": lambda text: with_series(text, "seconds", replaced_at(-1, np.inf)),
    "more points than there are move": lambda text: with_series(text, "n_moved", replaced_at(1, 10**9)),
    "a merge where clusters became more": lambda text: with_field(text, moves=[[1, "merge"]]),
    "a split where clusters stay": lambda text: with_field(text, moves=[[2, "split"]]),
    "unit is no number": lambda text: with_field(text, scaling_nats=float("nan")),
    "endless number": lambda text: with_field(text, chosen_start=10**4_000),
    "endless stride": lambda text: with_field(text, stride=10**4_000),
    "long format": lambda text: with_field(text, format=HUGE),
    "long digest": lambda text: with_field(text, data=HUGE),
    "long move": lambda text: with_field(text, moves=[[1, HUGE]]),
    "long start": lambda text: with_field(text, starts=[[HUGE, 1, 1.0, 1]]),
    "long flag": lambda text: with_field(text, converged=HUGE),
    "long algorithm": lambda text: in_config(text, algorithm=HUGE),
    "long family": lambda text: in_config(text, family=HUGE),
    "long kind of column": lambda text: in_config(text, kinds=[HUGE] * 4),
    "long option": lambda text: in_config(text, **{HUGE: 1}),
    "long hyperparameter": lambda text: in_config(text, prior={"c0": HUGE}),
    "long partition prior": lambda text: in_config(text, partition={"kind": HUGE}),
    "long parameter": lambda text: in_config(text, partition={"kind": "chinese_restaurant", HUGE: 1}),
    "long transform": lambda text: in_config(text, transform=HUGE),
    "long array": lambda text: json.dumps({**json.loads(text), "arrays": {HUGE: {}}}),
    "long type": lambda text: text.replace('"dtype":"<f8"', f'"dtype":"{HUGE}"', 1),
}


def told(call: Callable[[], object]) -> str:
    with pytest.raises(DpvizError) as caught:
        call()
    return str(caught.value)


def on_explore(text: str) -> Finished:
    shown = Finished(IRIS, CONFIG, prepare(IRIS), dpviz.Trace.from_json(text))
    return load_run(text.encode(), shown)


def is_short(message: str) -> bool:
    return len(message) < 600 and "\n" not in message


@pytest.mark.parametrize("false", FALSE)
def test_a_run_that_is_not_of_its_data_is_refused(run, false):
    text = FALSE[false](run.to_json())
    trace, prepared = dpviz.Trace.from_json(text), prepare(IRIS)
    for message in (
        told(lambda: check_result(X, trace)),
        told(lambda: report(prepared.dataset, trace, X, most_work=0)),
        told(lambda: on_explore(text)),
    ):
        assert message.startswith("this stored run does not fit its data: ") and message.count(".  ") == 0
        assert is_short(message) and "cluster the data again." in message


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_run_that_makes_no_sense_is_refused_in_a_short_sentence(run, damaged):
    text = DAMAGED[damaged](run.to_json())
    message = told(lambda: dpviz.Trace.from_json(text))
    assert is_short(message), message[:1000]


@pytest.mark.parametrize("command", ["report", "predict", "figure"])
@pytest.mark.parametrize("false", ["nll is another", "nll is minus infinity", "long family"])
def test_the_command_line_refuses_it(command, false, tmp_path, capsys):
    table, stored = tmp_path / "own.csv", tmp_path / "run.json"
    pd.DataFrame(dpviz.datasets.load("iris").X, columns=list("abcd")).to_csv(table, index=False)
    assert cli("run", table, "--init single --n-init 1 --out", stored) == 0
    out = tmp_path / {"report": "page.html", "predict": "rows.csv", "figure": "figure.svg"}[command]
    asked = [command, str(stored), *([str(table)] if command == "predict" else []), "--data", str(table)]
    if command == "figure":
        asked += ["--part", "curve"]
    assert cli(asked, "--out", out) == 0
    out.unlink()
    stored.write_text({**FALSE, **DAMAGED}[false](stored.read_text()))
    capsys.readouterr()
    assert cli(asked, "--out", out) != 0
    said = capsys.readouterr().err
    assert not out.exists() and len(said) < 800 and "Traceback" not in said and "this stored run" in said


@pytest.mark.parametrize(
    "key, value",
    [
        ("notes", [HUGE]),
        ("shown", {"numbers": [1, 2], "names": {"1": HUGE}}),
        (
            "reading",
            {
                "names": [HUGE],
                "kinds": ["continuous"],
                "label": None,
                "gaps": False,
                "scaling": "none",
                "repair": False,
                "choices": {},
            },
        ),
        (
            "reading",
            {
                "names": ["a"],
                "kinds": ["continuous"],
                "label": None,
                "gaps": False,
                "scaling": "none",
                "repair": False,
                "choices": {"separator": HUGE},
            },
        ),
    ],
)
def test_what_a_run_carries_beside_itself_is_no_endless_text(run, key, value):
    from dpviz.analysis.stored_names import stored_names
    from dpviz.analysis.stored_notes import stored_notes
    from dpviz.analysis.stored_reading import stored_reading

    text = with_field(run.to_json(), **{key: value})
    read = {"notes": stored_notes, "reading": stored_reading, "shown": lambda text: stored_names(text, np.arange(2))}
    assert is_short(told(lambda: read[key](text)))


def test_costs_of_a_run_stored_before_are_converted_to_the_unit_of_the_table(tmp_path):
    table, stored, page = tmp_path / "own.csv", tmp_path / "run.json", tmp_path / "page.html"
    data = dpviz.datasets.load("iris").X * [100.0, 0.1, 3.0, 1.0]
    pd.DataFrame(data, columns=list("abcd")).to_csv(table, index=False)
    options = "--scaling standardise --init single --n-init 1 --transform none"
    assert cli("run", table, options, "--out", stored) == 0
    now = json.loads(stored.read_text())
    trace = dpviz.Trace.from_json(stored.read_text())
    spread = data.std(axis=0)
    assert now.pop("scaling_nats") == pytest.approx(len(data) * np.log(spread).sum(), rel=1e-12)
    before = with_series(json.dumps(now), "nll", lambda nll: nll - trace.scaling_nats)
    before = with_series(before, "objective", lambda costs: costs - trace.scaling_nats)
    assert dpviz.Trace.from_json(before).nll[-1] == pytest.approx(trace.nll[-1] - trace.scaling_nats)
    stored.write_text(before)
    assert cli("report", stored, "--data", table, "--quick --out", page) == 0
    assert f"−ln p(data, partition) is {trace.nll[-1]:,.2f} nats." in page.read_text()


def test_a_run_of_explore_that_was_stored_before_is_converted(run):
    loaded = on_explore(run.to_json()).trace
    spread = scaled_columns(dpviz.datasets.load("iris"), "standardise").preparation.spread
    assert loaded.nll[-1] == pytest.approx(run.nll[-1] + len(X) * np.log(spread).sum(), rel=1e-12)
    assert on_explore(loaded.to_json()).trace.nll[-1] == pytest.approx(loaded.nll[-1], rel=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "gibbs", "n_sweeps": 25, "burn_in": 5},
        {"algorithm": "gibbs", "n_sweeps": 25, "burn_in": 5, "hyperpriors": {"concentration": "gamma(1,0.3)"}},
        {
            "algorithm": "gibbs",
            "n_sweeps": 25,
            "burn_in": 5,
            "sampler": "explicit_parameters",
            "family": "normal_wishart",
        },
        {"temperature": 0.7},
        {"coarsening": 40.0},
        {"family": "normal_wishart", "directions": 2},
        {"algorithm": "kmeans"},
        {"algorithm": "em"},
        {"algorithm": "dpmeans"},
    ],
)
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_genuine_runs_fit_their_data(options, gaps, seed):
    with_model = options.get("algorithm") not in ("kmeans", "em", "dpmeans")
    model = {"family": "normal_gamma", "prior": None, "init": "single"} if with_model else {}
    config, data = dpviz.RunConfig(**{**model, **options, "seed": seed}), X.copy()
    if gaps and with_model and config.directions is None and config.sampler == "collapsed":  # which need no whole rows
        data[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
        data = data[~np.isnan(data).all(axis=1)]
    trace = dpviz.Trace.from_json(dpviz.run(data, config).to_json())
    check_result(data, trace)


@pytest.mark.parametrize("algorithm", ["kmeans", "em", "dpmeans"])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_results_without_an_nll_are_checked_too(algorithm, unit):
    config = dpviz.RunConfig(algorithm, **({"penalty": 9.0 * unit**2} if algorithm == "dpmeans" else {}))
    trace = dpviz.Trace.from_json(dpviz.run(unit * X, config).to_json())
    check_result(unit * X, trace)
    labels = trace.labels.copy()
    first, second = (np.flatnonzero(labels[trace.result_row] == k)[0] for k in np.unique(labels[-1])[:2])
    labels[trace.result_row, [first, second]] = labels[trace.result_row, [second, first]]
    cheaper = trace.objective - 0.01 * np.abs(trace.objective).max()
    for forged in (replace(trace, objective=cheaper), replace(trace, labels=labels)):
        with pytest.raises(TraceFormatError, match="does not fit its data"):
            check_result(unit * X, forged)


@pytest.mark.parametrize(
    "options", [{"algorithm": "gibbs", "n_sweeps": 40, "burn_in": 5}, {"temperature": 1.0, "max_sweeps": 30}], ids=str
)
def test_no_other_state_can_be_made_the_lowest(options):
    config = usual_config(family="normal_gamma", init="single", n_init=1, **options)
    trace = dpviz.Trace.from_json(dpviz.run(X, config).to_json())
    check_result(X, trace)
    worse = int(np.argmax(trace.nll[10:])) + 10
    assert trace.nll[worse] > trace.nll[trace.result_sweep] + 1
    raised = np.where(np.arange(len(trace.nll)) == worse, trace.nll, trace.nll + 1e4)
    with pytest.raises(TraceFormatError, match=r"nll of (its result|sweep \d+) is"):
        check_result(X, replace(trace, nll=raised))


def test_a_value_is_quoted_on_one_line_and_cut():
    assert quoted("a\nb") == r"'a\nb'" and quoted({"a": 1}) == "{'a': 1}"
    for value in (HUGE, HUGE.encode(), [HUGE], list(range(10_000)), {"a": HUGE}):
        assert len(quoted(value)) <= LONGEST_QUOTED and quoted(value).endswith("…")


def test_a_name_that_only_the_family_knows_to_be_wrong_is_cut(run):
    trace = dpviz.Trace.from_json(in_config(run.to_json(), prior={HUGE: 1}))
    assert is_short(told(lambda: check_result(X, trace)))


def test_no_message_is_endless():
    for error in (DpvizError(HUGE), InvalidParameterError(f"a {HUGE}"), TraceFormatError(HUGE)):
        assert len(str(error)) <= LONGEST_MESSAGE
    assert str(DpvizError("a short one")) == "a short one" and str(DpvizError()) == ""
