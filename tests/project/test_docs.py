"""The documents: their code runs, the commands that they name are there, and their links lead somewhere."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.pictures import PICTURES
from dpviz.analysis.studies import STUDIES
from dpviz.cli import parser

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
"""For those who use dpviz."""
DOCUMENTS = [*GUIDES, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "datasets/README.md"]
PROGRAM = re.compile(r"([A-Z_]+=\S+ )*(\.venv/bin/)?(?=(dpviz|make|python -m) (?! )|--)")
"""What stands before a command; more blanks after it are those of a list of folders."""
MOST_LINES = 120
"""Of the README: what is longer is for one kind of reader."""
every_guide = pytest.mark.parametrize("name", GUIDES)
every_document = pytest.mark.parametrize("name", DOCUMENTS)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prose(text: str) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```$|^ {4}[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)


def commands(text: str) -> Iterator[list[str]]:
    """Words of every line of an indented block, and of every piece of code in a sentence."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)
    for line in [*lines, *(" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text))]:
        if found := PROGRAM.match(line):
            yield shlex.split(line[found.end() :], comments=True)


def options(found: argparse.ArgumentParser) -> set[str]:
    """Every option of a parser and of its commands."""
    own = set(found._option_string_actions)
    inner = [action for action in found._actions if isinstance(action, argparse._SubParsersAction)]
    return own.union(*(options(command) for action in inner for command in action.choices.values()))


def fault(words: list[str]) -> str:
    """What is wrong with a command; empty if nothing is. One or two words name a command, and are none themselves."""
    program, *rest = words
    if program.startswith("--"):
        return "" if program in options(parser()) else "no command has this option"
    if program == "make":
        targets = re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE)
        return "" if any(word in targets for word in rest) else "make has no such target"
    if program == "python":
        files = [word for word in rest[2:] if word.startswith("tests/")]
        there = importlib.util.find_spec(rest[1]) and all(any(ROOT.glob(name)) for name in files)
        return "" if there else "there is no such module, or no such test"
    try:
        rest = [next(iter(STUDIES)) if word == "NAME" else word for word in rest]
        parser().parse_args([*rest, "--help"] if len(rest) == 1 else rest)
    except SystemExit as ended:
        return "" if ended.code == 0 else "dpviz does not take this"
    return ""


def anchors(text: str) -> set[str]:
    """Where links lead to in a document: its headings in small letters, without signs, with dashes for blanks."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(name: str) -> list[str]:
    """Links to files of the checkout that are not there, or to headings that they do not have."""
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose(text_of(name)))):
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not re.match(r"[a-z]+:", link) and not (
            target.exists() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))
        ):
            found.append(link)
    return found


@every_guide
def test_code_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "guide"}
    for block in python_blocks(text_of(name)):
        exec(compile(block, name, "exec"), names)


def test_the_readme_and_most_guides_have_code():
    assert {name for name in GUIDES if python_blocks(text_of(name))} >= {
        "README.md",
        "docs/developer.md",
        "docs/practitioner.md",
        "docs/statistician.md",
    }


@pytest.mark.parametrize("name", [*GUIDES, "CONTRIBUTING.md", "SECURITY.md"])  # the changelog names what was, too
def test_commands_are_taken(name, capsys):
    faults = {shlex.join(words): fault(words) for words in commands(text_of(name))}
    assert {command: why for command, why in faults.items() if why} == {}


@every_document
def test_links_lead_somewhere(name):
    assert broken_links(name) == []


def test_every_picture_is_one_that_the_command_makes():
    shown = {name for document in DOCUMENTS for name in re.findall(r"!\[[^]]*\]\(.*?(\w+)\.png\)", text_of(document))}
    assert shown == set(PICTURES)


def test_the_readme_is_short_and_leads_to_every_guide():
    text = text_of("README.md")
    assert len(text.splitlines()) <= MOST_LINES
    assert all(f"]({name})" in text for name in GUIDES[1:])


def test_what_texts_say_to_read_is_there():
    sources = [*(ROOT / "dpviz").rglob("*.py"), *(ROOT / name for name in DOCUMENTS), ROOT / "dpviz/words/en.toml"]
    named = {
        (document, heading)
        for source in sources
        for document, heading in re.findall(r"([\w/]+(?:\.md)|README), “([^”]+)”", source.read_text(encoding="utf-8"))
    }
    assert named
    for document, heading in named:
        assert f"# {heading}\n" in text_of(document.removesuffix(".md") + ".md"), (document, heading)
