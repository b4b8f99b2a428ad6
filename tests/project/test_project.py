"""The rules of the project itself: layers, circles, what files may say, one version, pinned dependencies."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from importlib import metadata
from importlib.util import resolve_name
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dpviz
from dpviz.analysis.studies.results import SHOWING

ROOT = Path(__file__).resolve().parents[2]

# Bottom first; "dpviz" stands for the public names of dpviz/__init__.py. An import may go down or stay level.
LAYERS = [
    {
        "_jit",
        "cache_folder",
        "kernel_sources",
        "errors",
        "arrays",
        "parameters",
        "hurdles",
        "periods",
        "text",
        "words",
        "limits",
        "files",
        "papers",
        "server",
        "scripts",
        "shares",
        "starting",
        "web_page",
        "whole_numbers",
    },
    {"numerics"},
    {"families", "partition", "datasets", "metrics"},
    {"engine", "config", "config_values", "config_versions"},
    {"fit", "browser"},
    {"player"},
    {"live"},
    {"estimators"},
    {"analysis", "laboratory", "film", "story"},
    {"dpviz"},
    {"course", "report"},
    {"cli"},
    {"figures"},
    {"ui"},
    {"pages", "app"},
]
ONLY_IN = {"streamlit": {"ui", "pages", "app"}, "plotly": {"figures"}, "numba": {"_jit"}}


def named_in_a_call(node: ast.AST) -> str:
    """Name of the module that a call imports, as far as it is written there; empty for everything else."""
    if not isinstance(node, ast.Call) or not node.args:
        return ""
    function, name = node.func, node.args[0]
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    written = isinstance(name, ast.Constant) and isinstance(name.value, str)
    return str(name.value).rstrip(".") if written and called in ("import_module", "__import__") else ""


def imported_names(module: str, is_package: bool, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names that statements import, in functions too, and calls of import_module or __import__ with a text."""
    package = module if is_package else module.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif name := named_in_a_call(node):
            yield resolve_name(name, package)


def module_of(path: Path, root: Path) -> tuple[str, bool]:
    """Return the dotted name of a file, and whether it is a package."""
    names = path.relative_to(root).with_suffix("").parts
    is_package = names[-1] == "__init__"
    return ".".join(names[:-1] if is_package else names), is_package


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
        module, is_package = module_of(path, root)
        part = part_of(module)
        if part == "dpviz" and module != "dpviz":
            found.append(f"{module} belongs to no layer")
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in imported_names(module, is_package, nodes):
            target = part_of(name)
            if part not in ONLY_IN.get(target, {part}) or rank.get(target, 0) > rank[part]:
                found.append(f"{module} imports {name}")
    return found


def test_imports_only_go_down():
    assert layer_violations(ROOT) == []


@pytest.mark.parametrize(
    ("path", "source", "violation"),
    [
        (
            "dpviz/engine/search.py",
            "from dpviz.figures import scatter",
            "dpviz.engine.search imports dpviz.figures.scatter",
        ),
        ("dpviz/engine/search.py", "from ..ui import x", "dpviz.engine.search imports dpviz.ui.x"),
        ("dpviz/analysis/studies.py", "from dpviz import MAPDP", "dpviz.analysis.studies imports dpviz.MAPDP"),
        ("dpviz/families/__init__.py", "from .. import ui", "dpviz.families imports dpviz.ui"),
        ("dpviz/figures/sizes.py", "def f():\n    import streamlit as st", "dpviz.figures.sizes imports streamlit"),
        ("dpviz/ui/controls.py", "import plotly.express", "dpviz.ui.controls imports plotly.express"),
        ("pages/learn.py", "from numba import njit", "pages.learn imports numba.njit"),
        ("dpviz/engine/search.py", "import pages.learn", "dpviz.engine.search imports pages.learn"),
        ("dpviz/engine/x.py", 'def f():\n    import_module("dpviz.player").f()', "dpviz.engine.x imports dpviz.player"),
        ("dpviz/engine/x.py", 'importlib.import_module(f"dpviz.ui.{n}")', "dpviz.engine.x imports dpviz.ui"),
        ("dpviz/engine/x.py", '__import__("streamlit")', "dpviz.engine.x imports streamlit"),
        ("dpviz/engine/x.py", 'import_module("..figures", __package__)', "dpviz.engine.x imports dpviz.figures"),
        ("dpviz/engine/x.py", "def f():\n    from dpviz.fit import run", "dpviz.engine.x imports dpviz.fit.run"),
        ("dpviz/stray.py", "", "dpviz.stray belongs to no layer"),
    ],
)
def test_an_import_that_breaks_the_layers_is_found(tmp_path, path, source, violation):
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(source, encoding="utf-8")
    assert layer_violations(tmp_path) == [violation]


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs when a module is imported: no bodies of functions, nothing that only type checkers read."""
    yield node
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        children = ()
    elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        children = node.orelse
    for child in children:
        yield from run_on_import(child)


def ancestry(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def imports(root: Path, walk: Callable[[ast.AST], Iterator[ast.AST]]) -> dict[str, set[str]]:
    """Map every module of dpviz to those it imports; importing a module also imports the packages it is in."""
    files = {module_of(path, root): path for path in root.glob("dpviz/**/*.py")}
    modules = {module for module, _ in files}
    graph = {}
    for (module, is_package), path in files.items():
        nodes = walk(ast.parse(path.read_text(encoding="utf-8")))
        known = [ancestry(name) & modules for name in imported_names(module, is_package, nodes)]
        explicit = {max(names, key=len) for names in known if names}
        begun = ancestry(module)  # the packages around a module have begun to be imported before it
        implicit = {package for name in explicit for package in ancestry(name)} & modules - begun
        graph[module] = explicit | implicit
    return graph


def first_circle(root: Path) -> list[str]:
    try:
        TopologicalSorter(imports(root, run_on_import)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        news = graph[waiting.pop()] - found
        found |= news
        waiting += news
    return found


def knots(root: Path) -> list[list[str]]:
    """Groups of modules that need each other, by any import: on loading, in functions, or only for types."""
    graph = {module: needed - {module} for module, needed in imports(root, ast.walk).items()}
    reached = {module: reachable(graph, module) for module in graph}
    groups = {tuple(sorted({m for m in reached[a] if a in reached[m]})) for a in graph}
    return [list(group) for group in sorted(groups) if group]


def test_no_imports_go_round_in_a_circle():
    assert first_circle(ROOT) == []


def test_no_modules_need_each_other_not_even_for_types_or_within_functions():
    assert knots(ROOT) == []


def test_of_the_folders_that_versions_of_results_leave_out_studies_know_texts_alone():
    used = reachable(imports(ROOT, ast.walk), "dpviz.analysis.studies")
    assert {name.split(".")[1] for name in used - {"dpviz"}} & SHOWING == {"words"}


LOADED_BY_NAME = {"dpviz/__init__.py", "dpviz/cli/cluster.py"}
"""Files that import modules of dpviz by a text: for public names on first use, and what Dask's workers load."""


def test_modules_of_the_project_are_imported_by_statements():
    named = set()
    for path in ROOT.glob("dpviz/**/*.py"):
        names = map(named_in_a_call, ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        if any(name.partition(".")[0] in ("", "dpviz") and name for name in names):
            named.add(str(path.relative_to(ROOT)))
    assert named == LOADED_BY_NAME


CIRCLES = [
    ({"a": "from dpviz.b import f", "b": "import dpviz.a"}, {"dpviz.a", "dpviz.b"}),
    (
        {"a": "from . import b", "b": "from dpviz import c", "c": "if x:\n    import dpviz.a"},
        {"dpviz." + m for m in "abc"},
    ),
    ({"p/__init__": "from dpviz.p.q import f", "p/q": "from dpviz.p import g"}, {"dpviz.p", "dpviz.p.q"}),
    (
        {
            "p/__init__": "from dpviz.p.q import f",
            "p/q": "import dpviz.a",
            "p/r": "",
            "a": "from dpviz.p.r import h",
        },
        {"dpviz.p", "dpviz.p.q", "dpviz.a"},
    ),
    (
        {
            "p/__init__": "from dpviz.p import q",
            "p/q": "from dpviz.p import r",
            "p/r": "from dpviz import a",
            "a": "",
        },
        set(),
    ),
    (
        {"a": "import dpviz.b", "b": "if TYPE_CHECKING:\n    pass\nelse:\n    import dpviz.a"},
        {"dpviz.a", "dpviz.b"},
    ),
]
HIDDEN_CIRCLES = [
    "def f():\n    import dpviz.a",
    "if TYPE_CHECKING:\n    from dpviz.a import A",
    'def f():\n    return import_module("dpviz.a")',
]


def write_modules(root: Path, sources: dict[str, str]) -> None:
    for name, source in sources.items():
        path = root / "dpviz" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")


@pytest.mark.parametrize(("sources", "circle"), CIRCLES)
def test_a_circle_of_imports_is_found(tmp_path, sources, circle):
    write_modules(tmp_path, sources)
    assert set(first_circle(tmp_path)) == circle
    assert {module for knot in knots(tmp_path) for module in knot} == circle


@pytest.mark.parametrize("source", HIDDEN_CIRCLES)
def test_a_circle_that_does_not_show_on_loading_is_a_knot(tmp_path, source):
    write_modules(tmp_path, {"a": "import dpviz.b", "b": source, "c": "import dpviz.a"})
    assert first_circle(tmp_path) == []
    assert knots(tmp_path) == [["dpviz.a", "dpviz.b"]]


COMPILERS = {"kernel", "inlined", "generic", "optional", "implements"}
"""What marks a function of ``dpviz._jit`` as one that is compiled."""
MOST_ARGUMENTS = 10


def compiles(marker: ast.expr) -> bool:
    """Whether a decorator, with arguments of its own or without, marks what it is applied to."""
    if isinstance(marker, ast.Call):
        return compiles(marker.func)
    return marker.attr in COMPILERS if isinstance(marker, ast.Attribute) else getattr(marker, "id", "") in COMPILERS


def compiled_functions(root: Path) -> dict[str, int]:
    """Arguments of every compiled function of the package, decorated or passed to a decorator by its name."""
    found = {}
    for path in root.glob("dpviz/**/*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        calls = [node for node in nodes if isinstance(node, ast.Call) and compiles(node.func)]
        passed = {argument.id for call in calls for argument in call.args if isinstance(argument, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and (node.name in passed or any(map(compiles, node.decorator_list))):
                taken = node.args
                place = f"{module_of(path, root)[0]}.{node.name}, line {node.lineno}"
                found[place] = len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)
    return found


def test_compiled_functions_take_few_arguments():
    """What belongs together comes as one ``NamedTuple``, in Python and where other languages call what is compiled."""
    found = compiled_functions(ROOT)
    assert {place: n for place, n in found.items() if n > MOST_ARGUMENTS} == {}
    assert len(found) > 150


@pytest.mark.parametrize(
    "source",
    [
        "@kernel\ndef f({0}): ...",
        "@_jit.inlined\ndef f({0}): ...",
        "@generic\ndef f(*, {0}): ...",
        "@implements(add_point, State)\ndef f({0}): ...",
        "def f({0}): ...\ndef g(state_class):\n    implements(add_point, state_class)(f)",
    ],
)
def test_arguments_of_every_compiled_function_are_counted(tmp_path, source):
    (tmp_path / "dpviz").mkdir()
    (tmp_path / "dpviz" / "x.py").write_text(source.format(", ".join("abcdefghijk")), encoding="utf-8")
    assert [n for place, n in compiled_functions(tmp_path).items() if place.startswith("dpviz.x.f")] == [11]


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


def test_files_that_begin_with_a_dot_are_read_too():
    found = {str(path.relative_to(ROOT)) for path in project_files()}
    dotted = {".ci/run", ".github/workflows/ci.yml", ".github/ISSUE_TEMPLATE/bug_report.yml", ".pre-commit-config.yaml"}
    assert dotted <= found


def test_files_name_no_registry_and_no_place_on_one_machine():
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
def test_what_counts_as_a_registry_or_a_place_on_one_machine(text, unwanted):
    assert bool(UNWANTED.search(text)) is unwanted


def test_tests_in_a_browser_are_those_of_one_folder():
    """For ``make test`` looks nowhere else, so as not to import every other test once more."""
    tests = ROOT / "tests"
    marked = {path for path in tests.rglob("test_*.py") if re.search(r"\bpytest\.mark\.browser\b", path.read_text())}
    assert marked == set((tests / "browser").glob("test_*.py"))
    assert "-m browser -n auto --dist worksteal tests/browser" in (ROOT / "Makefile").read_text()


def test_no_two_files_of_tests_have_one_name():
    """For their folders are no packages: the second of a name would be taken for the first."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    by_name = {path.name: path for path in files}
    assert [path for path in files if path.name != "conftest.py" and by_name[path.name] != path] == []


def test_what_is_checked_while_one_works_is_of_every_layer():
    names = (ROOT / "tests" / "check.txt").read_text(encoding="utf-8").split()
    for name in names:
        file, _, function = name.partition("::")
        assert (ROOT / file).is_file(), name
        assert f"def {function}" in (ROOT / file).read_text(encoding="utf-8"), name
    imported = "\n".join((ROOT / name.partition("::")[0]).read_text(encoding="utf-8") for name in names)
    rooms = ("numerics", "partition", "families", "engine", "fit", "analysis", "datasets", "player", "cli", "ui")
    assert [room for room in rooms if f"dpviz.{room}" not in imported] == []


def test_the_citation_gives_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [dpviz.__version__]


def pinned_versions() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [re.fullmatch(r"([\w.-]+)==([\w.!+-]+)", line) for line in lines if not line.startswith("#")]
    assert None not in pins, "constraints.txt holds a line that is not name==version"
    return {canonicalize_name(pin[1]): pin[2] for pin in pins if pin}


def needed(requirements: list[str], extras: set[str]) -> list[Requirement]:
    parsed = [Requirement(text) for text in requirements]
    return [r for r in parsed if not r.marker or any(r.marker.evaluate({"extra": e}) for e in extras or {""})]


def test_constraints_pin_every_dependency_direct_and_indirect():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = needed(project["dependencies"] + project["optional-dependencies"]["dev"], set())
    pins = pinned_versions()
    followed: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if name == project["name"]:  # an extra made of others
            waiting += needed([text for extra in extras for text in project["optional-dependencies"][extra]], set())
            continue
        assert name in pins, f"{requirement} is not pinned: run make constraints"
        assert pins[name] in requirement.specifier, f"the pin {name}=={pins[name]} does not meet {requirement}"
        if (name, extras) not in followed:
            followed.add((name, extras))
            waiting += needed(metadata.requires(name) or [], set(extras))
