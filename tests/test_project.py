"""The rules of the project itself: layers, what files may say, pinned dependencies."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import metadata
from importlib.util import resolve_name
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]

# Bottom first; "dpviz" stands for the public names of dpviz/__init__.py. An import may go down or stay level.
LAYERS = [
    {"_jit", "errors"},
    {"families", "partition", "datasets", "metrics"},
    {"engine", "config"},
    {"estimators"},
    {"analysis"},
    {"dpviz"},
    {"cli"},
    {"figures"},
    {"ui"},
    {"pages", "app"},
]
ONLY_IN = {"streamlit": {"ui", "pages", "app"}, "plotly": {"figures"}, "numba": {"_jit"}}


def imported_names(module: str, is_package: bool, source: str) -> Iterator[str]:
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def part_of(name: str) -> str:
    parts = name.split(".")
    if parts[0] != "dpviz":
        return parts[0]
    known = set().union(*LAYERS)
    return parts[1] if len(parts) > 1 and parts[1] in known else "dpviz"


def layer_violations(root: Path) -> list[str]:
    rank = {part: height for height, parts in enumerate(LAYERS) for part in parts}
    found = []
    for path in [*root.glob("app.py"), *root.glob("pages/**/*.py"), *root.glob("dpviz/**/*.py")]:
        names = path.relative_to(root).with_suffix("").parts
        is_package = names[-1] == "__init__"
        module = ".".join(names[:-1] if is_package else names)
        part = part_of(module)
        if part == "dpviz" and module != "dpviz":
            found.append(f"{module} belongs to no layer")
        for name in imported_names(module, is_package, path.read_text(encoding="utf-8")):
            target = part_of(name)
            if part not in ONLY_IN.get(target, {part}) or rank.get(target, 0) > rank[part]:
                found.append(f"{module} imports {name}")
    return found


def test_imports_only_go_down() -> None:
    assert layer_violations(ROOT) == []


@pytest.mark.parametrize(
    ("path", "source", "violation"),
    [
        ("dpviz/engine/run.py", "from dpviz.figures import scatter", "dpviz.engine.run imports dpviz.figures.scatter"),
        ("dpviz/engine/run.py", "from ..ui import x", "dpviz.engine.run imports dpviz.ui.x"),
        ("dpviz/analysis/studies.py", "from dpviz import MAPDP", "dpviz.analysis.studies imports dpviz.MAPDP"),
        ("dpviz/families/__init__.py", "from .. import ui", "dpviz.families imports dpviz.ui"),
        ("dpviz/figures/sizes.py", "def f():\n    import streamlit as st", "dpviz.figures.sizes imports streamlit"),
        ("dpviz/ui/controls.py", "import plotly.express", "dpviz.ui.controls imports plotly.express"),
        ("pages/learn.py", "from numba import njit", "pages.learn imports numba.njit"),
        ("dpviz/engine/run.py", "import pages.learn", "dpviz.engine.run imports pages.learn"),
        ("dpviz/stray.py", "", "dpviz.stray belongs to no layer"),
    ],
)
def test_an_import_that_breaks_the_layers_is_found(tmp_path: Path, path: str, source: str, violation: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(source, encoding="utf-8")
    assert layer_violations(tmp_path) == [violation]


UNWANTED = re.compile(
    r"\b(?:pypi\.(?:org|io)|pythonhosted\.org|anaconda\.(?:org|com)|npmjs\.(?:com|org))"  # registry hosts
    r"|--(?:(?:extra-)?index-url|find-links|trusted-host)"
    r"|(?<![\w.$})~-])/(?:home|Users|root|work|opt|mnt|srv|tmp|private)/\w"  # places on one machine
)


def project_files() -> Iterator[Path]:
    ignored = [".git", *(ROOT / ".gitignore").read_text(encoding="utf-8").split()]
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not any(fnmatch(part, name.rstrip("/")) for part in parts for name in ignored):
            yield path


def test_files_name_no_registry_and_no_place_on_one_machine() -> None:
    found = []
    for path in project_files():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in UNWANTED.finditer(text)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "unwanted"),
    [
        ("see https://" + "pypi" + ".org/project", True),
        ("--index" + "-url=x", True),
        ('open("/' + 'home/someone/data.csv")', True),
        ("file://" + "/opt" + "/wheels", True),
        ("/usr/bin/chromium, /dev/null, /_stcore/health", False),
        ("https://doi.org/10.1371/journal.pone.0162259", False),
        ("~/work/notes and $HOME/work/notes", False),
    ],
)
def test_what_counts_as_a_registry_or_a_place_on_one_machine(text: str, unwanted: bool) -> None:
    assert bool(UNWANTED.search(text)) is unwanted


def pinned_versions() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [re.fullmatch(r"([\w.-]+)==([\w.!+-]+)", line) for line in lines if not line.startswith("#")]
    assert None not in pins, "constraints.txt holds a line that is not name==version"
    return {canonicalize_name(pin[1]): pin[2] for pin in pins if pin}


def needed(requirements: list[str], extras: set[str]) -> list[Requirement]:
    parsed = [Requirement(text) for text in requirements]
    return [r for r in parsed if not r.marker or any(r.marker.evaluate({"extra": e}) for e in extras or {""})]


def test_constraints_pin_every_dependency_direct_and_indirect() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = needed(project["dependencies"] + project["optional-dependencies"]["dev"], set())
    pins = pinned_versions()
    followed: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        assert name in pins, f"{requirement} is not pinned: run make constraints"
        assert pins[name] in requirement.specifier, f"the pin {name}=={pins[name]} does not meet {requirement}"
        if (name, extras) not in followed:
            followed.add((name, extras))
            waiting += needed(metadata.requires(name) or [], set(extras))
