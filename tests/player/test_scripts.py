"""The scripts of pages: bundles of the modules that are there, which load nothing."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from dpviz import scripts
from dpviz.scripts import BUNDLES, MADE, PACKAGE, bundle, digest, script

SOURCES = {name: made["sources"] for name, made in json.loads(MADE.read_text(encoding="utf-8")).items()}
ALONE = {f"ui/{name}.js" for name in ("draw/assets/keep", "sharing/assets/share", "shell/assets/frame")}
"""Scripts of components that import nothing."""
PAGES = {"chapter", "lab", "standalone", "story"}


def test_the_bundles_are_made_of_these_modules():
    made = json.loads(MADE.read_text(encoding="utf-8"))
    assert set(made) == set(BUNDLES) and {path.name for path in MADE.parent.iterdir()} == {
        MADE.name,
        *(bundle(name).name for name in BUNDLES),
    }
    stale = [name for name, sources in SOURCES.items() if made[name]["digest"] != digest(name, sources)]
    assert stale == [], "bundles are stale: run make script"


@pytest.mark.parametrize("changed", ["words/say.js", "bundles/guess.generated.js"])
def test_a_change_of_a_module_or_a_bundle_makes_it_stale(tmp_path, monkeypatch, changed):
    before = digest("guess", SOURCES["guess"])
    for source in [*SOURCES["guess"], "bundles/guess.generated.js"]:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / source, tmp_path / source)
    monkeypatch.setattr(scripts, "PACKAGE", tmp_path)
    monkeypatch.setattr(scripts, "FOLDER", tmp_path / "bundles")
    assert digest("guess", SOURCES["guess"]) == before
    with (tmp_path / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert digest("guess", SOURCES["guess"]) != before


def test_every_module_and_every_style_that_one_imports_is_in_a_bundle():
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.js") if path.parent != MADE.parent}
    bundled = {source for sources in SOURCES.values() for source in sources}
    assert {source for source in bundled if source.endswith(".js")} | ALONE == found
    assert all(BUNDLES[name] in sources for name, sources in SOURCES.items())


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_loads_nothing_and_cannot_end_its_script(name):
    text = script(name)
    assert not re.search(r"^import\b|\bimport\(|\brequire\(|sourceMappingURL", text, re.MULTILINE)
    assert not re.search("</script|<!--", text, re.IGNORECASE)
    exported = re.findall(r"^export \{\n?(.*?)\n?\};", text, re.MULTILINE | re.DOTALL)
    if name in PAGES:
        assert exported == []
    else:
        assert (" as default" in exported[0]) == (name != "engine")
