"""What ``import dpviz`` brings with it, and what it leaves until it is used."""

from __future__ import annotations

import functools
import pickle
import subprocess
import sys

import pytest

import dpviz

HEAVY = (
    "pandas",
    "sklearn",
    "pyarrow",
    "scipy.stats",
    "scipy.optimize",
    "scipy.spatial",
    "scipy.cluster",
    "streamlit",
    "plotly",
    "joblib",
    "python_calamine",
    "clevercsv",
)


SCORES = "m.nmi, m.nmi_max, m.ari, m.variation_of_information"
STEPS = {
    "import": "import dpviz",
    "configure": "dpviz.RunConfig('gibbs', family='normal_gamma'); dir(dpviz)",
    "load": "dpviz.datasets.load('iris'); dpviz.metrics.delta_k([0, 1], [0, 0])",
    "score": f"from dpviz import metrics as m; [score([0, 1, 1], [0, 0, 1]) for score in ({SCORES})]",
}
"""What a program does one after the other."""


def imported(*steps: str) -> list[set[str]]:
    """Names of the heavy modules that a program has imported after each of its steps."""
    look = f"print(*[name for name in {HEAVY} if name in sys.modules])"
    program = "\n".join(["import sys", *(f"{step}\n{look}" for step in steps)])
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return [set(line.split()) for line in done.stdout.split("\n")[:-1]]


@functools.cache
def in_one_process() -> dict[str, set[str]]:
    """Heavy modules after each of the steps above."""
    return dict(zip(STEPS, imported(*STEPS.values()), strict=True))


def after(step: str) -> set[str]:
    return in_one_process()[step]


def test_importing_dpviz_leaves_the_heavy_libraries_alone():
    assert after("import") == set()


def test_a_configuration_needs_none_of_them():
    assert after("configure") == set()


def test_data_do_not_bring_scikit_learn():
    assert "sklearn" not in after("load")


def test_the_scores_of_a_run_do_not_bring_scikit_learn():
    assert "sklearn" not in after("score")


def test_the_command_line_starts_without_what_its_commands_may_not_need():
    (found,) = imported("import dpviz.cli")
    assert found <= {"pandas", "pyarrow", "joblib"}


@pytest.mark.parametrize("name", ["MAPDP", "KMeans", "datasets", "metrics", "RunConfig"])
def test_a_deferred_name_can_be_imported_first(name):
    program = f"from dpviz import {name}; import dpviz; assert dpviz.{name} is {name}"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_that_are_deferred_are_listed_and_others_are_refused():
    assert set(dpviz.__all__) <= set(dir(dpviz))
    with pytest.raises(AttributeError, match="dpviz.*no attribute 'MAPDQ'"):
        dpviz.MAPDQ  # noqa: B018


def test_a_pickled_estimator_is_read_by_a_process_that_has_imported_nothing(tmp_path):
    model = dpviz.MAPDP(n_init=1, random_state=0, family="normal_wishart", prior=None).fit(
        [[0.0, 1.0], [0.5, 1.5], [9.0, 8.0], [9.5, 8.5]]
    )
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    program = "import pickle, sys; print(*pickle.load(open(sys.argv[1], 'rb')).labels_)"
    read = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "model.pickle"], check=True, capture_output=True, text=True
    )
    assert read.stdout.split() == [str(label) for label in model.labels_]


ALONE = """
import sys
from importlib import metadata

def required(name, known):
    # Names of a distribution and of all that it needs, without its extras.
    known.add(name)
    for line in metadata.requires(name) or []:
        wanted = requirements.Requirement(line)
        further = utils.canonicalize_name(wanted.name)
        if (wanted.marker is None or wanted.marker.evaluate({"extra": ""})) and further not in known:
            required(further, known)
    return known

from packaging import requirements, utils
core = required("dpviz", set())
modules = metadata.packages_distributions()

class Blocked:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        owners = {utils.canonicalize_name(owner) for owner in modules.get(top, ())}
        if owners and not owners & core:
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)

sys.meta_path.insert(0, Blocked())
for name in [name for name in sys.modules if name.partition(".")[0] == "packaging"]:
    del sys.modules[name]
"""
"""Lets a program import what ``pip install dpviz`` brings, and nothing else that is installed."""


def alone(program: str, status: int = 0) -> tuple[str, str]:
    """Run a program without any extra; return what it says on stdout and stderr."""
    done = subprocess.run([sys.executable, "-c", ALONE + program], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def test_the_library_works_without_what_only_the_app_needs():
    said, _ = alone("""
import numpy as np
import pandas as pd
import dpviz
from dpviz.analysis.merging import tree

iris = dpviz.datasets.load("iris")
fitted = dpviz.MAPDP().fit(iris.X)
dpviz.explain_assignment(iris.X, fitted.trace_, 0, 0)
tree(iris.X, fitted.trace_).labels(2)
dpviz.GibbsDP(n_sweeps=4, burn_in=2).fit(iris.X).score_samples(iris.X)
frame = pd.DataFrame({"a": np.tile([0.0, 1.0, 9.0, 8.0], 10), "b": list("xxyy") * 10})
print(fitted.n_clusters_ > 0, dpviz.MAPDP().fit(frame).n_clusters_)
dpviz.compare_traces([fitted.trace_], iris.X)
dpviz.lab(iris.X)
""")
    assert said.split() == ["True", "2"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("['app']", "the app needs streamlit"),
        ("['run', 'table.csv']", "reading a table of text needs clevercsv"),
        (
            "['tune', 'iris', '--parameter', 'power', '--values', '1.1', '--scheduler', 'tcp://127.0.0.1:9']",
            "--scheduler needs distributed",
        ),
    ],
)
def test_what_needs_an_extra_says_which_in_a_sentence(command, words, tmp_path):
    (tmp_path / "table.csv").write_text("a;b\n1;2\n3;4\n")
    program = f"import os, dpviz.cli\nos.chdir({str(tmp_path)!r})\nsys.exit(dpviz.cli.main({command}))"
    _, said = alone(program, status=1)
    assert words in said and "pip install 'dpviz[" in said and "Traceback" not in said


WITHOUT = """
import importlib.abc, runpy, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
{program}
"""
"""A program in a Python without a package."""


def without(package: str, program: str) -> str:
    """Say what a program says at its end, by an error, in a Python without a package."""
    code = WITHOUT.format(package=package, program=program)
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 1 and not done.stdout
    return done.stderr


@pytest.mark.parametrize("package", ["numba", "numpy", "scipy"])
def test_a_missing_package_is_said_with_what_to_install(package):
    *_, last = without(package, "import dpviz").splitlines()
    assert last.startswith(f"dpviz.errors.MissingPackageError: dpviz needs {package}, which")
    assert "'pip install dpviz'" in last and "'make setup'" in last


@pytest.mark.parametrize("package", ["numba", "joblib", "threadpoolctl"])  # before and after the library is imported
def test_the_command_says_in_one_line_which_package_is_missing(package):
    said = without(package, "sys.argv[:] = ['dpviz']; from dpviz.cli import main")
    assert said.startswith(f"dpviz: dpviz needs {package}, which") and said.count("\n") == 1


def test_a_module_that_dpviz_itself_lacks_is_no_missing_package():
    (last,) = without("pandas", "import dpviz, dpviz.nothing").splitlines()[-1:]
    assert last == "ModuleNotFoundError: No module named 'dpviz.nothing'"
