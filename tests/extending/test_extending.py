"""What is added from outside, by one module and one registration: how it runs, predicts, is stored and exported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from command_line import cli
from configs import usual_config
from extending.registered import FOLDER, known, registered, toys  # noqa: F401
from joblib.externals.loky import get_reusable_executor
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import dpviz
from dpviz import RunConfig
from dpviz.analysis.comparison import SharedStart, score_table
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.hyperparameters import coordinate_search
from dpviz.engine.algorithms import base as algorithms
from dpviz.engine.algorithms.base import Algorithm
from dpviz.engine.initialise import StartKind
from dpviz.engine.moves import Moves, Score
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import cluster_shapes
from dpviz.engine.slow_motion import slow_motion
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.estimators.base import TracedClusterer
from dpviz.partition import AUTOMATIC_PARTITION
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.exports import labelled_csv, snippet
from dpviz.ui.session.jobs import Finished

ROOT = FOLDER.parents[1]
KICKS = DataChoice("bundled", "horse_kicks")
MODELS = {
    "mapdp, family": {"algorithm": "mapdp", "family": "toy_counts"},
    "gibbs, family": {"algorithm": "gibbs", "family": "toy_counts", "n_sweeps": 30, "burn_in": 10},
    "mapdp, prior": {"algorithm": "mapdp", "family": "normal_gamma", "partition": 0.05},
    "gibbs, prior": {"algorithm": "gibbs", "partition": 0.05, "n_sweeps": 30, "burn_in": 10},
    "mapdp, both": {"algorithm": "mapdp", "family": "toy_counts", "partition": 0.05, "prior": {"c0": 0.7}},
    "gibbs, explicit": {
        "algorithm": "gibbs",
        "family": "toy_counts",
        "n_sweeps": 9,
        "burn_in": 3,
        "sampler": "explicit_parameters",
    },
}
every_model = pytest.mark.parametrize("model", MODELS)


def configured(toys: SimpleNamespace, model: str, **changes: object) -> RunConfig:  # noqa: F811
    options = dict(MODELS[model])
    if "partition" in options:
        options["partition"] = toys.Partitions(options["partition"])
    return RunConfig(**{"family": "normal_wishart", "prior": None, **options, "seed": 3, **changes})


def medians(n_clusters: int = 4, step: float = 0.5, **options: object) -> RunConfig:
    return RunConfig("toy_medians", n_clusters=n_clusters, options={"step": step}, **options)


def counts(n_features: int = 2) -> np.ndarray:
    return dpviz.FAMILIES["toy_counts"].example_data(60, n_features)


def test_nothing_is_left_of_what_was_registered():
    before = known()
    with registered():
        added = {name: set(keys) - set(before[name]) for name, keys in known().items()}
        assert all(len(keys) == 1 for keys in added.values()), added
        assert list(known()["pages"])[-1] == "toy"
    assert known() == before
    with pytest.raises(InvalidParameterError, match="toy_counts"):
        usual_config(family="toy_counts")
    with pytest.raises(InvalidParameterError, match="toy_medians"):
        usual_config("toy_medians")


# --- the engine -------------------------------------------------------------------------------------------------------


@every_model
def test_models_run_sweep_by_sweep_and_explain_themselves(toys, model):  # noqa: F811
    X, config = counts(), configured(toys, model)
    trace = dpviz.run(X, config)
    records = list(dpviz.iterate(X, config))
    assert len(records) == trace.n_sweeps + 1 >= 2
    assert_array_equal([record.nll for record in records], trace.nll)
    assert_array_equal(records[-1].labels, trace.labels[-1])
    table = dpviz.explain_assignment(X, trace, -1, 7)
    assert table.index[-1] == -1 and table["probability"].sum() == pytest.approx(1)
    family = Problem.check(X, config).family
    own, labels = trace.labels[-1][7], trace.labels_at(-1)
    for label in set(labels.tolist()) - {own}:
        exact = family.posterior(X[labels == label]).log_predictive(X[7:8])[0]
        assert table.loc[label, "neg_log_predictive"] == pytest.approx(-exact, abs=1e-9)
    if config.sampler == "collapsed":
        slow = slow_motion(X, trace, 1)
        assert_array_equal(np.sort(slow.points), np.arange(len(X)))
        after = trace.labels_at(0)
        after[slow.points] = slow.to_labels
        assert dpviz.metrics.ari(after, trace.labels_at(1)) == pytest.approx(1)


@pytest.mark.parametrize("n_features", [1, 2])
def test_a_family_s_shapes_are_bars_of_one_column_or_nothing(toys, n_features):  # noqa: F811
    X = counts(n_features)
    trace = dpviz.run(X, usual_config(family="toy_counts"))
    problem = Problem.check(X, trace.config)
    shapes = cluster_shapes(problem, trace, np.arange(len(trace.labels)))
    if n_features > 1:
        assert shapes is None
        return
    assert shapes is not None and len(shapes.labels) == np.sum(trace.n_clusters)
    last = shapes.rows == len(trace.labels) - 1
    for label, bars in zip(shapes.labels[last], shapes.shapes.probabilities[last], strict=True):
        family = problem.family.posterior(X[trace.labels[-1] == label])
        exact = np.exp(family.log_predictive(np.arange(len(bars), dtype=float)[:, None]))
        assert_allclose(bars, exact, rtol=1e-10)


@pytest.mark.parametrize("init", ["kmeans++", "random"])
@pytest.mark.parametrize("n_clusters", [1, 5, 60])
def test_an_algorithm_starts_with_as_many_clusters_as_it_was_asked_for(
    toys,  # noqa: F811
    init,
    n_clusters,
):
    X = counts()
    trace = dpviz.run(X, medians(n_clusters, init=init, n_init=2))
    assert trace.n_clusters[0] == n_clusters and len(np.unique(trace.labels[0])) == n_clusters
    alike = np.repeat(X[:3], 20, axis=0)  # fewer distinct points than clusters
    assert dpviz.run(alike, medians(5, init=init)).n_clusters[0] == 5


def test_an_algorithm_runs_and_refuses_what_it_has_not(toys):  # noqa: F811
    X = np.random.default_rng(1).normal(size=(90, 3)) + 4 * np.repeat(np.eye(3), 30, axis=0)
    trace = dpviz.run(X, medians(3))
    assert trace.converged and np.all(np.diff(trace.objective) <= 1e-9) and np.isnan(trace.nll).all()
    assert dpviz.metrics.nmi(np.repeat(np.arange(3), 30), trace.result_labels) > 0.9
    records = list(dpviz.iterate(X, medians(3)))
    assert_array_equal([record.objective for record in records], trace.objective)
    with pytest.raises(InvalidParameterError, match="toy_medians.* does not explain"):
        dpviz.explain_assignment(X, trace, -1, 0)
    with pytest.raises(InvalidParameterError, match="no single visits to replay"):
        slow_motion(X, trace, 1)
    assert cluster_shapes(Problem.check(X, trace.config), trace, np.arange(3)) is None
    labels = np.arange(90) % 3
    assert_array_equal(dpviz.run(X, medians(3, init=labels)).labels_at(0), labels)
    with pytest.raises(InvalidParameterError, match="init has 3 clusters, but n_clusters = 4"):
        dpviz.run(X, medians(4, init=labels))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0.0}, "step = 0.0 must be a number > 0 and <= 1"),
        ({"step": "far"}, "step = 'far' must be"),
        ({"stride": 1.0}, "options = 'stride' must be one of step"),
    ],
)
def test_options_of_an_algorithm_are_checked(toys, options, message):  # noqa: F811
    with pytest.raises(InvalidParameterError, match=message):
        usual_config("toy_medians", options=options)


@pytest.mark.parametrize(
    ("row", "value"), [(2, -1.0), (5, 0.5), (0, 1e300)], ids=["negative", "fractional", "no longer whole"]
)
def test_data_a_family_cannot_have_are_refused_by_name(
    toys,  # noqa: F811
    row,
    value,
):
    X = counts()
    X[row, 1] = value
    message = f"holds {value:g} in row {row}; for family = 'toy_counts' it must be a whole number from 0 to 2^53"
    with pytest.raises(InvalidDataError, match=re.escape(f"column “kicks” {message}")):
        toys.Counts.check_data(X, ["years", "kicks"])
    if value < 1e150:
        with pytest.raises(InvalidDataError, match=re.escape(f"column 1 of X {message}")):
            dpviz.run(X, usual_config(family="toy_counts"))


# --- configurations and stored runs -----------------------------------------------------------------------------------


def test_configurations_travel_as_json_and_in_links(toys):  # noqa: F811
    configs = [
        *(configured(toys, model) for model in MODELS),
        medians(),
        medians(step=1.0),
        usual_config("toy_medians"),
    ]
    for config in configs:
        assert RunConfig.from_json(config.to_json()) == config
        assert RunConfig.from_query(json.loads(json.dumps(config.to_query()))) == config
    assert medians().option("step") == 0.5 and usual_config("toy_medians").option("step") == 1.0
    assert medians().with_option("step", 0.25) == medians(step=0.25)


@pytest.mark.parametrize("model", [*MODELS, "medians"])
def test_runs_are_stored_and_loaded(toys, model):  # noqa: F811
    trace = dpviz.run(counts(), medians() if model == "medians" else configured(toys, model))
    loaded = Trace.from_json(trace.to_json())
    assert loaded.config == trace.config
    assert_array_equal(loaded.labels, trace.labels)
    assert_array_equal(loaded.objective, trace.objective)


# --- estimators -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [dpviz.MAPDP, dpviz.GibbsDP])
def test_estimators_take_family_and_prior_from_outside(toys, estimator):  # noqa: F811
    X, new = counts(), counts()[::-1][:20] + 1
    short = {"n_sweeps": 30, "burn_in": 10} if estimator is dpviz.GibbsDP else {}
    fitted = estimator(family="toy_counts", partition=toys.Partitions(0.05), random_state=0, **short).fit(X)
    assert fitted.n_clusters_ == len(np.unique(fitted.labels_)) and fitted.predict(new).shape == (20,)
    values = np.arange(400.0)
    one = estimator(family="toy_counts", partition=toys.Partitions(0.05), random_state=0, **short).fit(X[:, :1])
    assert np.exp(one.score_samples(values[:, None])).sum() == pytest.approx(1, abs=1e-6)
    assert np.isfinite(fitted.score(new))


def test_an_algorithm_s_own_estimator(toys):  # noqa: F811
    X = np.random.default_rng(4).normal(size=(60, 2))  # no two centres are equally far from a point
    estimator = clone(toys.KMedians(n_clusters=4, step=0.5, random_state=7)).fit(X)
    assert estimator.trace_.config == replace(medians(), seed=7) and estimator.converged_
    assert_array_equal(estimator.predict(X), estimator.labels_)
    assert not hasattr(estimator, "score_samples")
    with pytest.raises(InvalidParameterError, match="step = 2"):
        toys.KMedians(step=2.0).fit(X)


class Idle(Algorithm):
    """The least an algorithm can be."""

    name, title, explanation, starts = "idle", "Idle", "Does nothing.", ("single",)
    defaults = MappingProxyType({"init": "single", "n_init": 1})

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> Idle.Stepper:
        return self.Stepper(len(problem.X))

    class Stepper:
        def __init__(self, n_points: int) -> None:
            self.n_points = n_points

        def score(self) -> Score:
            return Score(np.zeros(self.n_points, dtype=np.int64), np.array([self.n_points]), 1, np.nan, 0.0)

        def step(self, sweep: int) -> tuple[Moves, bool]:
            return Moves(), True


class IdleEstimator(TracedClusterer):
    _algorithm = "idle"

    def __init__(self, max_sweeps: int = 3, random_state: object = None) -> None:
        self.max_sweeps, self.random_state = max_sweeps, random_state


def test_an_algorithm_that_says_nothing_of_further_points_is_fitted_all_the_same(toys):  # noqa: F811
    algorithms.register(Idle)
    estimator = IdleEstimator(random_state=0).fit(counts())
    assert estimator.n_clusters_ == 1
    with pytest.raises(InvalidParameterError, match="says nothing of points that it has not seen"):
        estimator.predict(counts())


# --- comparing and tuning ---------------------------------------------------------------------------------------------


def test_runs_are_compared(toys):  # noqa: F811
    X = counts()
    configs = {"a": configured(toys, "mapdp, both"), "b": configured(toys, "mapdp, family"), "c": medians()}
    table = score_table(X, {name: dpviz.run(X, config) for name, config in configs.items()}, np.arange(60) % 3)
    assert table["nll_group"].tolist()[:2] == ["a", "b"] and table["nll_group"].isna()["c"]
    start = SharedStart.draw(X, 4, 0)
    assert start.refusal(medians(4)) is None and "its K is 3" in str(start.refusal(medians(3)))


def test_grids_vary_parameters_of_all_three(toys):  # noqa: F811
    X, both = counts(), configured(toys, "mapdp, both", init="single", n_init=1)
    for base, name, values in [
        (medians(), "step", (0.25, 0.5)),
        (medians(), "n_clusters", (2, 3)),
        (both, "openness", (0.01, 0.1)),
        (both, "c0", (0.2, 0.4)),
        (both, "r0", (0.5, 2.0)),
    ]:
        folds = 3 if base is both else 0
        cells = sorted(run_grid(X, Grid(base, (Axis(name, values),), folds), n_jobs=1), key=lambda cell: cell.index)
        assert [cell.values for cell in cells] == [(value,) for value in values]
        for cell in cells:
            trace = dpviz.run(X, cell.config)
            assert trace.objective[-1] == cell.objective
            assert np.isfinite(cell.held_out) == (base is both)
    assert cells[0].config != cells[1].config


def test_grids_run_in_other_processes_too(toys):  # noqa: F811
    X, both = counts(), configured(toys, "mapdp, both", init="single", n_init=1)
    get_reusable_executor().shutdown()  # processes of earlier tests do not know where the toys are
    for base, axis in [(medians(n_init=1), Axis("step", (0.25, 0.5))), (both, Axis("openness", (0.01, 0.1)))]:
        there = {c.values: c.objective for c in run_grid(X, Grid(base, (axis,)), n_jobs=2, cache=None)}
        assert there == {c.values: c.objective for c in run_grid(X, Grid(base, (axis,)), n_jobs=1, cache=None)}


def test_the_search_for_a_prior_fits_scales_and_the_prior_s_own_number(toys):  # noqa: F811
    config = replace(configured(toys, "mapdp, both"), prior=None, init="single", n_init=1)
    steps = list(coordinate_search(counts(), config, max_passes=1))
    assert {step.parameter for step in steps[1:]} == {"openness", "r0"}
    assert np.all(np.diff([step.nll for step in steps]) <= 0)


# --- exports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["mapdp, family", "mapdp, both", "gibbs, prior", "medians"])
def test_the_snippet_reproduces_the_run(toys, model, capsys):  # noqa: F811
    config = medians() if model == "medians" else configured(toys, model)
    prepared = prepare(KICKS)
    names: dict[str, object] = {}
    exec(compile(snippet(prepared, config), "snippet", "exec"), names)
    assert names["config"] == config and capsys.readouterr().out
    assert_array_equal(names["trace"].labels, dpviz.run(prepared.X, config).labels)


def test_the_snippet_imports_what_it_needs(toys):  # noqa: F811
    """In a new process, where nothing of outside is registered yet."""
    for config in (configured(toys, "mapdp, both"), medians()):
        done = python(snippet(prepare(KICKS), config))
        assert done.returncode == 0, done.stderr


def test_rows_are_exported_with_their_clusters(toys):  # noqa: F811
    prepared = prepare(KICKS)
    for config in (configured(toys, "mapdp, both"), medians()):
        trace = dpviz.run(prepared.X, config)
        lines = labelled_csv(Finished(KICKS, config, prepared, trace), trace.n_sweeps).decode().splitlines()
        assert len(lines) == 1 + len(prepared.X) and "cluster" in lines[0].split(",")


# --- the command line and other processes -----------------------------------------------------------------------------


def python(code: str, arguments: Sequence[str] = (), **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own that finds dpviz and the toys."""
    paths = os.pathsep.join([str(FOLDER), str(ROOT)])
    given = {**os.environ, "PYTHONPATH": paths, **environment}
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=given, cwd=ROOT)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return python("import sys, toys; from dpviz.cli import main; sys.exit(main())", arguments)


def test_the_command_line_runs_what_comes_from_outside(
    tmp_path,
    toys,  # noqa: F811
    capsys,
):
    """First in a process of its own, which imports what comes from outside by its name."""
    out = tmp_path / "run.json"
    done = command("run", "horse_kicks", "--family", "toy_counts", "--prior", "c0=0.7", "--out", str(out))
    assert done.returncode == 0, done.stderr
    config = Trace.from_json(out.read_text()).config
    assert (config.family, config.prior_dict) == ("toy_counts", {"c0": 0.7})
    stored = tmp_path / "config.json"
    stored.write_text(configured(toys, "mapdp, both").to_json())
    assert cli("run horse_kicks --config", stored, "--openness 0.02 --out", out) == 0
    assert Trace.from_json(out.read_text()).config.partition == toys.Partitions(0.02)
    medians_of_iris = "run iris --algorithm toy_medians --n-clusters 5 --step 0.5"
    assert cli(medians_of_iris, "--out", out) == 0
    trace = Trace.from_json(out.read_text())
    assert trace.config == replace(medians(5), partition=AUTOMATIC_PARTITION) and trace.n_clusters[0] == 5
    assert "Traceback" not in capsys.readouterr().err


def test_the_command_line_says_what_is_wrong(
    toys,  # noqa: F811
    capsys,
):
    assert cli("run iris --family toy_counts") == 1
    assert "must be a whole number from 0" in capsys.readouterr().err
    assert cli("run iris --algorithm toy_medians --step 3") == 1
    assert "step = 3" in capsys.readouterr().err


def test_the_command_line_compares_and_tunes_what_comes_from_outside(
    tmp_path,
    toys,  # noqa: F811
):
    out = tmp_path / "table.csv"
    compare = "compare horse_kicks --algorithms mapdp,toy_medians --family toy_counts --step 0.5"
    assert cli(compare, "--jobs 1 --out", out) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()] == ["algorithm", "mapdp", "toy_medians"]
    tune = "tune horse_kicks --algorithm toy_medians --parameter step --values 0.25,0.5"
    assert cli(tune, "--jobs 1 --out", out) == 0
    assert len(out.read_text().splitlines()) == 3


KERNEL = """
import numpy as np, sys
from dpviz.engine.kernels.collapsed_sweep import score_places
from dpviz.families import FAMILIES
family = FAMILIES[sys.argv[1]]
X = np.array([[1.0], [2.0]])
family = family.from_prior(family.example_prior(1), X)
state, scores = family.bind(X, 1), np.empty((2, 1))
score_places(state, X, np.zeros(1, dtype=np.int64), 0, scores)
print(repr(float(scores[1, 0])), repr(float(family.log_predictive(X)[1])))
"""


def test_compiled_kernels_of_a_family_from_outside_are_kept_apart(tmp_path):
    """A process without the family must load its own; one with an edited family must not meet the old kernels."""
    module = tmp_path / "outside.py"
    source = (FOLDER / "toy_family.py").read_text()
    module.write_text(source)
    environment = {"DPVIZ_CACHE_DIR": str(tmp_path / "cache")}
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import outside\n{KERNEL}"

    first = python(code, ["toy_counts"], **environment)
    assert first.returncode == 0, first.stderr
    compiled, readable = map(float, first.stdout.split())
    assert compiled == pytest.approx(readable)

    plain = python(KERNEL, ["normal_gamma"], **environment)
    assert plain.returncode == 0, plain.stderr

    module.write_text(source.replace("return scale + shape", "return 1000 + scale + shape"))
    edited = python(code, ["toy_counts"], **environment)
    assert edited.returncode == 0, edited.stderr
    assert float(edited.stdout.split()[0]) == pytest.approx(compiled + 1000)


# --- the how-tos ------------------------------------------------------------------------------------------------------


def howto(title: str) -> str:
    """A section of the contributor's guide."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return guide.partition(f"\n## How to add {title}\n")[2].partition("\n## ")[0]


def code_blocks(section: str) -> list[str]:
    """Indented blocks; those inside a list are indented further."""
    blocks = re.findall(r"(?:^(?: {4,}).*\n|^\n(?= {4}))+", section, re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") for block in blocks]


@pytest.mark.parametrize(
    ("title", "file", "n_blocks"),
    [
        ("a component family", "toy_family.py", 3),
        ("a partition prior", "toy_prior.py", 2),
        ("an algorithm", "toy_algorithm.py", 2),
        ("a page", "toy_page.py", 3),
    ],
)
def test_the_code_of_a_how_to_is_that_of_the_toy(title, file, n_blocks):
    sources = [(FOLDER / name).read_text(encoding="utf-8") for name in (file, "toy_app.py")]
    blocks = code_blocks(howto(title))
    assert len(blocks) == n_blocks and f"`tests/extending/{file}`" in howto(title)
    for block in blocks:
        assert any(unindented(block) in unindented(source) for source in sources), block


@pytest.mark.parametrize(
    ("title", "files"),
    [
        ("a chapter", ["dpviz/words/en.toml", "dpviz/course/chapters/k_means.py"]),
        ("a lesson", ["dpviz/words/en.toml", "dpviz/ui/stage/lessons.py"]),
        ("an export", ["dpviz/ui/explore/export_panel.py"]),
    ],
)
def test_the_code_of_a_how_to_is_that_of_the_package(title, files):
    sources, section = [(ROOT / name).read_text(encoding="utf-8") for name in files], howto(title)
    assert all(f"`{name}`" in section for name in files)
    assert all((ROOT / name).exists() for name in re.findall(r"`((?:dpviz|docs|tests)/[^`]+)`", section))
    blocks = [block for block in code_blocks(section) if not block.startswith(".venv/")]
    assert blocks
    for block in blocks:
        assert any(unindented(block) in unindented(source) for source in sources), block


def unindented(code: str) -> str:
    """Lines of code without indentation and blank lines."""
    return "\n".join(line.strip() for line in code.splitlines() if line.strip())


def test_how_tos_name_everything_that_a_toy_defines(toys):  # noqa: F811
    for title, toy in [
        ("a component family", toys.Counts),
        ("a partition prior", toys.Partitions),
        ("an algorithm", toys.Medians),
    ]:
        base, section = toy.__mro__[1], howto(title)
        annotated = {name for above in base.__mro__ for name in vars(above).get("__annotations__", ())}
        own = {name for name in vars(toy) if hasattr(base, name) or name in annotated}
        own -= {name for name in own if name.startswith("_") and name != "__post_init__"}
        assert len(own) > 8 and base.__abstractmethods__ <= own
        unnamed = {name for name in own if not re.search(rf"`{name}`", section)}
        assert unnamed == set(), f"{title}: {unnamed}"
    for name in ("_algorithm", "__init__"):
        assert f"`{name}`" in howto("an algorithm") and name in vars(toys.KMedians)
    verbs = {
        "log_predictive",
        "log_leave_one_out",
        "add_point",
        "remove_point",
        "clear_slot",
        "rebuild",
        "log_marginal",
    }
    assert verbs <= set(re.findall(r"\w+", howto("a component family")))
