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
    "openpyxl",
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


def test_importing_dpviz_leaves_the_heavy_libraries_alone() -> None:
    assert after("import") == set()


def test_a_configuration_needs_none_of_them() -> None:
    assert after("configure") == set()


def test_data_do_not_bring_scikit_learn() -> None:
    assert "sklearn" not in after("load")


def test_the_scores_of_a_run_do_not_bring_scikit_learn() -> None:
    assert "sklearn" not in after("score")


def test_the_command_line_starts_without_what_its_commands_may_not_need() -> None:
    (found,) = imported("import dpviz.cli")
    assert found <= {"pandas", "pyarrow", "joblib"}


@pytest.mark.parametrize("name", ["MAPDP", "KMeans", "datasets", "metrics", "RunConfig"])
def test_a_deferred_name_can_be_imported_first(name: str) -> None:
    program = f"from dpviz import {name}; import dpviz; assert dpviz.{name} is {name}"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_that_are_deferred_are_listed_and_others_are_refused() -> None:
    assert set(dpviz.__all__) <= set(dir(dpviz))
    with pytest.raises(AttributeError, match="dpviz.*no attribute 'MAPDQ'"):
        dpviz.MAPDQ  # noqa: B018


def test_a_pickled_estimator_is_read_by_a_process_that_has_imported_nothing(tmp_path) -> None:
    model = dpviz.MAPDP(n_init=1, random_state=0, family="normal_wishart", prior=None).fit(
        [[0.0, 1.0], [0.5, 1.5], [9.0, 8.0], [9.5, 8.5]]
    )
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    program = "import pickle, sys; print(*pickle.load(open(sys.argv[1], 'rb')).labels_)"
    read = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "model.pickle"], check=True, capture_output=True, text=True
    )
    assert read.stdout.split() == [str(label) for label in model.labels_]
