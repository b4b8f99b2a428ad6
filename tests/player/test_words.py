"""Every text of lab, lessons and course is in one file per language, and nowhere else."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_up_language import NAMES, SLAVIC, pseudo, spoken_in, untranslated
from written_texts import Written, keys_in, python_texts, script_texts

import dpviz
from dpviz import cli
from dpviz.config import RunConfig
from dpviz.datasets import SCENARIOS, synthesize
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS
from dpviz.errors import InvalidParameterError
from dpviz.laboratory.methods import METHODS as LAB_METHODS
from dpviz.live import knobs_of
from dpviz.partition import (
    ChineseRestaurant,
    FiniteDirichlet,
    MixtureOfFiniteMixtures,
    PitmanYor,
    PoweredChineseRestaurant,
)
from dpviz.words import read, say, say_count, say_list, spoken, with_words
from dpviz.words.__main__ import main as check
from dpviz.words.catalogue import ENGLISH, placeholders, problems

PACKAGE = Path(dpviz.__file__).parent
LESSONS = [PACKAGE / "ui" / page / "lessons.py" for page in ("stage", "live")]
ON_PAGES = [path for page in ("learn", "classroom") for path in (PACKAGE / "ui" / page).glob("*.py")]
PARTS = ("course", "film", "laboratory", "live", "player", "story")
FOR_AUTHORS = {"blocks.py", "data.py", "notebook.py"}
"""Modules of the player that refuse what a program gives them."""
PYTHON = [
    *LESSONS,
    *ON_PAGES,
    *(path for part in PARTS for path in (PACKAGE / part).rglob("*.py") if path.name not in FOR_AUTHORS),
]
FOLDERS = [*(f"{part}/assets" for part in (*PARTS, "ui/live", "ui/draw")), "player/drawing", "stage"]
SCRIPTS = [path for folder in FOLDERS for path in (PACKAGE / folder).glob("*.js")]
OF_MACHINES = {
    *("All", "Chapter", "Run", "Comparison", "lessons opened", "dpviz course"),
    *("course engine", "trial …", "lead …", "lead up …", "learn chapter", "learn guesses"),
    *("challenge canvas", "challenges solved", "challenge seed", "seat of this session"),
    *(
        "class answer changing",
        "class attended",
        "class ended",
        "class film played",
        "class step not taken",
        "class link",
    ),
}
"""Keys of choices, of the session and of components."""
FORMATS = {
    "system-ui, sans-serif",
    "ADL SCORM",
    "12px sans-serif",
    'style="fill: light-dark(…, …)"',
    "width: 100%; height: auto; max-width: …; max-height: …; object-fit: contain; object-position: left",
}
"""Of types, colours, packages and what a page may do."""


def texts_outside(path: Path, source: str) -> list[Written]:
    found = script_texts(source) if path.suffix == ".js" else python_texts(source)
    return [written for written in found if written.text not in NAMES | OF_MACHINES | FORMATS]


@pytest.mark.parametrize("path", [*PYTHON, *SCRIPTS], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_text_for_people_is_outside_the_file_of_a_language(path):
    assert texts_outside(path, path.read_text(encoding="utf-8")) == [], (
        "write it into dpviz/words/en.toml, and say(…) its key"
    )


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("laboratory/assets/controls.js", 'say("lab.address_is_link")', '"Copied"'),
        ("laboratory/assets/controls.js", 'say("lab.slow_motion")', "`Slow ${motion}`"),
        ("live/assets/strip.js", 'say("live.from_here")', '"From here"'),
        ("live/assets/live.js", 'this.strip.say(say("strip.not_computed"', "this.strip.say((`Not computed: ${error}`"),
        ("laboratory/page.py", "{lead}", "Move a knob and look."),
        ("laboratory/page.py", '"{controls}"', '"Data and knobs"'),
        ("laboratory/page.py", 'say("lab_page.cells_missing")', '"Cells are missing."'),
        ("live/facts.py", 'say("server.method_on_server", method=title)', 'f"{title} runs elsewhere."'),
        ("ui/stage/lessons.py", 'if leads_on else ""', 'if leads_on else "Next lesson"'),
        ("ui/learn/lessons.py", 'say("lessons.kind")', '"Kind"'),
        ("ui/learn/page.py", 'say("learn.again")', '"Predict again"'),
        ("ui/classroom/lecture.py", 'say("classroom.end")', '"End the class"'),
        ("course/chapters/k_means.py", 'say("chapters.how-many.chart")', '"Objective by K"'),
        ("course/chapters/shared.py", 'told["lesson"]', '"Centres go where squares are."'),
        ("course/chapter.py", 'say("course.predicted_right", said=said)', 'f"You said {said}, and so it is."'),
        ("course/worksheets.py", "<h1>{number}.", "<h1>Chapter {number}."),
        ("course/offline.py", '<button type="submit">{button}', '<button type="submit">Reveal'),
        ("course/index.py", 'say("index.title")', '"At a glance"'),
        ("course/assets/tally.js", 'say("bench.range_in"', "(`${range} of all`"),
        ("course/assets/bench.js", 'say("bench.film")', '"The film"'),
        ("player/drawing/tools.js", 'say("canvas.about_blob")', '"Sprays a cloud"'),
        ("player/assets/toolbar.js", 'say("player.more")', '"More controls"'),
        ("player/assets/texts.js", 'say("player.no_point_moved")', '"no point moved"'),
    ],
)
def test_a_text_that_is_written_elsewhere_is_found(name, old, new):
    source = (PACKAGE / name).read_text(encoding="utf-8")
    changed = source.replace(old, new)
    assert changed != source and texts_outside(PACKAGE / name, changed)


def sources() -> Iterator[Path]:
    """Files that may say something."""
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js")]:
        if ".generated." not in path.name and "words" in path.read_text(encoding="utf-8"):
            yield path


def test_every_text_is_used_and_every_text_that_is_used_is_there():
    texts = read(ENGLISH).texts
    sections = {key.partition(".")[0] for key in texts}
    written = {key for path in sources() for key in keys_in(path) if key.partition(".")[0] in sections}
    patterns = [re.compile(re.escape(key).replace("…", r"[\w-]+") + "$") for key in written]
    patterns += [re.compile(re.escape(key) + r"\.") for path in sources() for key in sections_of(path)]
    unused = {
        key for key in texts if not key.startswith("names.") and not any(pattern.match(key) for pattern in patterns)
    }
    assert unused == set()
    said = {key for path in sources() for key in called_with(path)}
    assert {key for key in said if "…" not in key and key not in texts} == set()


def sections_of(path: Path) -> set[str]:
    """Sections that a module takes whole."""
    calls = re.findall(r'say_section\("([\w.]+)"\)', path.read_text(encoding="utf-8"))
    return set(calls) if path.suffix == ".py" and path.parent.name != "words" else set()


SAID = re.compile(r'(?<![.\w])say(Count)?\("([\w.]+)"(?:, [^"{}]*?)?(?:, )?(\{[^{}]*\})?\)')
"""A call in a script: whether by number, the key, and the values."""


def called_with(path: Path) -> dict[str, set[str]]:
    """Keys of the texts that a source says, with the names of the values that it gives."""
    source, found = path.read_text(encoding="utf-8"), {}
    if path.suffix == ".js":
        for by_number, key, values in SAID.findall(source):
            found[key] = {*re.findall(r"[{,] (\w+)(?=[:, ])", values), *(["n"] if by_number else [])}
        return found
    for node in ast.walk(ast.parse(source)):
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if called in ("say", "say_html", "say_count") and isinstance(node.args[0], ast.Constant):
            values = {str(keyword.arg) for keyword in node.keywords}
            found[str(node.args[0].value)] = values | ({"n"} if called == "say_count" else set())
    return found


def test_the_browser_names_prices_as_the_server_does():
    assert (say("live.price_place"), say("live.price_seat")) == ALGORITHMS["mapdp"].costs == ALGORITHMS["gibbs"].costs


def test_every_text_gets_the_values_that_it_has_places_for():
    texts = read(ENGLISH).texts
    for path in sources():
        for key, values in called_with(path).items():
            forms = texts[key] if isinstance(texts[key], tuple) else (texts[key],)
            needed = {re.split(r"[.:\[]", name.strip("{}"))[0] for form in forms for name in placeholders(form)}
            if values and "None" not in values:  # without any a text is a template, filled in later
                assert needed <= values, (path.name, key)
            elif path.suffix == ".js":
                assert not needed, (path.name, key)


def test_the_english_file_is_whole():
    english = read(ENGLISH)
    assert problems(english, english) == []
    assert all(key[6:] == text for key, text in english.texts.items() if key.startswith("names."))


PRIORS = [
    ChineseRestaurant(1.0),
    PoweredChineseRestaurant(1.0, 1.1),
    PitmanYor(1.0, 0.1),
    FiniteDirichlet(1.0, 5),
    MixtureOfFiniteMixtures(),
]


def test_what_knobs_and_scenarios_are_called_can_be_translated():
    X = synthesize("moons", 40, 0).X
    configs = [RunConfig("kmeans", n_clusters=2), RunConfig("dpmeans", penalty=1.0)]
    model = {"family": "normal_wishart", "prior": {"width": 0.1}, "init": "single", "n_init": 1}
    configs += [RunConfig("gibbs", **model, partition=prior, temperature=0.5) for prior in PRIORS]
    knobs = [knob for config in configs for knob in knobs_of(config, X)]
    assert {knob.name for knob in knobs} >= {
        "n_clusters",
        "penalty",
        "power",
        "discount",
        "gamma",
        "width",
        "temperature",
    }
    words = {knob.explanation for knob in knobs} | {knob.words.removesuffix(knob.symbol).strip() for knob in knobs}
    words |= {scenario.title for scenario in SCENARIOS.values()}
    words |= {meaning for method in ALGORITHMS.values() for meaning in method.shape_meanings}
    words |= {method.title for method in [*METHODS.values(), *LAB_METHODS]}
    known = {key[6:] for key in read(ENGLISH).texts if key.startswith("names.")}
    assert words - known - {say("server.width"), ""} == set()


class Visible(HTMLParser):
    """What a page shows without its scripts: text, and what is said of pictures and controls."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside.append(tag)
        self.texts += [value or "" for name, value in attrs if name in ("aria-label", "title", "placeholder", "alt")]

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.inside):
            self.texts.append(data)


LAB = """
import json, sys, zlib
from dpviz.laboratory.page import _facts, _scenarios, lab_page
facts = _facts()
told = [[knob["words"], knob["explanation"]] for knob in facts["knobs"]]
told += [[method["title"], *method["meanings"]] for method in facts["methods"]]
told += [[one["title"]] for one in _scenarios()]
print(json.dumps({"page": lab_page(), "told": sum(told, [])}))
"""


def test_a_lab_in_another_language_has_no_english_left(tmp_path):
    found = spoken_in(pseudo(tmp_path), LAB)
    page = str(found["page"])
    assert '<html lang="zz">' in page and page.count("⟦") > 100
    assert "⟦From the start⟧" in page and "From the start" not in page.replace("⟦From the start⟧", "")
    assert f"const formOf = (n) => Number({SLAVIC});" in page
    visible = Visible(page)
    assert "⟦dpviz lab⟧" in visible.texts
    assert untranslated([*visible.texts, *map(str, found["told"])]) == []  # type: ignore[call-overload]


CHAPTER = """
import json
import os
from dpviz.course import CHAPTERS, play
from dpviz.course.bench import _facts
from dpviz.course.offline import chapter_page
chapter = CHAPTERS[0]
facts = _facts(chapter)
told = [facts["text"], facts["counted"]["words"], *(turn["words"] for turn in facts["turns"])]
told += [turn["explanation"] for turn in facts["turns"]] + [run["words"] for run in facts["runs"]]
told += [claim["says"] for claim in facts["claims"]]
told += [bound["words"] for claim in facts["claims"] for bound in claim["bounds"]]
print(json.dumps({"page": chapter_page(play(chapter), 1), "told": told}))
"""


def test_a_chapter_in_another_language_has_no_english_left(tmp_path):
    found = spoken_in(pseudo(tmp_path), CHAPTER)
    page = str(found["page"])
    marks = json.loads(page.partition('id="marks">')[2].partition("</script>")[0])["marks"]
    visible = Visible(page)
    assert (
        '<html lang="zz">' in page and "⟦Where K-means puts its centres⟧" in " ".join(visible.texts) and len(marks) > 20
    )
    said = [mark["words"] for mark in marks.values()]
    assert untranslated([*visible.texts, *said, *map(str, found["told"])]) == []  # type: ignore[call-overload]


DESCRIBED = """
import json
import os
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import describe
from dpviz.partition import PoweredChineseRestaurant
powered = RunConfig("gibbs", partition=PoweredChineseRestaurant(1.0, power=1.1), n_sweeps=9, burn_in=0)
configs = [RunConfig("kmeans", n_clusters=3), RunConfig("mapdp", coarsening=50.0), powered]
print(json.dumps({"told": [describe(config) for config in configs]}))
"""


def test_a_run_is_described_in_the_language_of_the_process(tmp_path):
    assert spoken_in("en", DESCRIBED)["told"] == [
        "K-means · K = 3 · seed 0",
        "MAP-DP · N0 = 3 · coarsened at α = 50 · seed 0",
        "Powered CRP · N0 = 1, r = 1.1 · seed 0",
    ]
    assert spoken_in(pseudo(tmp_path), DESCRIBED)["told"] == [
        "⟦K-means⟧ · K = 3 · ⟦seed 0⟧",
        "⟦MAP-DP⟧ · N0 = 3 · ⟦coarsened at α = 50⟧ · ⟦seed 0⟧",
        "⟦Powered CRP⟧ · N0 = 1, r = 1.1 · ⟦seed 0⟧",
    ]


def test_english_pages_would_be_noticed():
    assert untranslated(["⟦Seeds of ⟦MAP-DP⟧⟧", "Gibbs", "⟦a⟧ · 3", "Move a knob", "Seed", "⟦x⟧ and then y"]) == [
        "Move a knob",
        "Seed",
        "⟦x⟧ and then y",
    ]


def test_forms_follow_the_rule_of_the_language(tmp_path, monkeypatch):
    assert [say_count("server.points_on_server", n, most=5).split()[1] for n in (0, 1, 2)] == [
        "points",
        "point",
        "points",
    ]
    assert say_list(["a"]) == "a" and say_list(["a", "b", "c"]) == "a, b and c"
    own = pseudo(tmp_path, **{"server.points_on_server": ["{n} bod {most}", "{n} body {most}", "{n} bodů {most}"]})
    monkeypatch.setenv("DPVIZ_LANGUAGE", str(own))
    spoken.cache_clear()
    try:
        said = [say_count("server.points_on_server", n, most=9) for n in (1, 3, 11, 1021)]
    finally:
        spoken.cache_clear()
    assert said == ["1 bod 9", "3 body 9", "11 bodů 9", "1,021 bod 9"]


FAULTS = [
    ({"lab.copied": None}, "lab.copied: is missing"),
    ({"lab.copied": "Kopiert {x}"}, "lab.copied: has the placeholders {x} and needs none"),
    ({"live.seed": "Keim"}, "live.seed: has the placeholders none and needs {seed}"),
    ({"live.seed": "Keim {seed:d}"}, "live.seed: has the placeholders {seed:d} and needs {seed}"),
    ({"live.seed": "Keim {seed"}, "live.seed: has a brace that is no placeholder"),
    ({"live.n_seeds": ["{n} Keim", "{n} Keime"]}, "live.n_seeds: must be a list of 3 forms"),
    ({"live.n_seeds": "{n} Keime"}, "live.n_seeds: must be a list of 3 forms"),
    ({"lab.copied": " "}, "lab.copied: is empty"),
]


@pytest.mark.parametrize(("changes", "fault"), FAULTS)
def test_a_file_that_is_not_whole_is_refused_by_key(
    tmp_path,
    monkeypatch,
    capsys,
    changes,
    fault,
):
    path = pseudo(tmp_path, **changes)
    assert check([str(path)]) == 1
    assert fault in capsys.readouterr().out
    assert refusal(monkeypatch, str(path)).startswith(
        f"DPVIZ_LANGUAGE = {path} chooses Brackets, whose file is not whole: {fault}"
    )


def test_german_is_whole_and_no_sentence_of_it_is_english():
    german, english = read(ENGLISH.with_name("de.toml")), read(ENGLISH)
    assert problems(german, english) == []
    alike = [key for key, text in german.texts.items() if text == english.texts[key] and not key.startswith("names.")]
    sentences = [key for key in alike if len(str(german.texts[key]).split()) > 4]
    assert [key for key in sentences if not key.endswith(".papers")] == []
    assert len(alike) < 0.1 * len(german.texts)


def refusal(monkeypatch: pytest.MonkeyPatch, language: str) -> str:
    """How a language is refused."""
    monkeypatch.setenv("DPVIZ_LANGUAGE", language)
    spoken.cache_clear()
    try:
        with pytest.raises(InvalidParameterError) as caught:
            say("lab.copied")
    finally:
        spoken.cache_clear()
    return str(caught.value)


def test_an_unknown_key_and_a_whole_file_are_told_apart(tmp_path, capsys):
    path = pseudo(tmp_path)
    assert check([str(path)]) == 0 and "0 to mend" in capsys.readouterr().out
    path.write_text(f'lab.copy = "Kopie"\n{path.read_text(encoding="utf-8")}', encoding="utf-8")
    assert check([str(path)]) == 1 and "lab.copy: is unknown" in capsys.readouterr().out
    assert check([]) == 2


def test_a_mark_of_an_editor_is_read_over_and_another_encoding_named(tmp_path, monkeypatch):
    path = pseudo(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8-sig")
    assert check([str(path)]) == 0
    path.write_text(text, encoding="utf-16")
    assert "Save it in UTF-8." in refusal(monkeypatch, str(path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read"),
        ("a = ", "cannot be read"),
        ('[language]\nname = "x"\n', "lacks code under [language]"),
        ('[language]\nname = "x"\ncode = "xx"\nplural = "alert(n)"\n', "has plural = 'alert(n)', which must be"),
        (
            '[language]\nname = "x"\ncode = "x\\"><b>"\nplural = "n"\n',
            "has code = 'x\"><b>', which must be a",
        ),
        ('[language]\nname = "x"\ncode = ""\nplural = "n"\n', "has code = '', which must be"),
        ("a = " + 10_000 * "[", "too deep to follow"),
        (".".join(10_000 * "a") + " = 1", "too deep to follow"),
        ("a = " + 10_000 * "9", "cannot be read"),
        ('[language]\nname = "x"\ncode = "xx"\nplural = "n/(n-100)"\n', "has plural = 'n/(n-100)', which must be"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, monkeypatch, text, words):
    path = tmp_path / "xx.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert words in refusal(monkeypatch, str(path))
    assert "must be one of de, en, or the path of a file such as de.toml" in refusal(monkeypatch, "xx")


def test_a_language_file_that_is_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "xx.toml")
    assert "cannot be read" in refusal(monkeypatch, str(tmp_path / "xx.toml"))


def test_scripts_get_the_texts_that_they_say_and_no_others():
    source = """\
const told = [say("lab.copied"), say("live.seed", { seed: 1 }), sayCount("strip.clusters", 2)];
const chosen = [say(long ? "lab.read_commas" : "lab.read_years"), say(`lab.nothing_${what}`)];"""
    script = with_words(source)
    assert script.endswith(f";\n{source}")
    kept = json.loads(script.partition("const dpvizWords = ")[2].partition(";\n")[0])
    nothing = {key for key in read(ENGLISH).texts if key.startswith("lab.nothing_")}
    named = {"lab.copied", "live.seed", "strip.clusters", "lab.read_commas", "lab.read_years"}
    assert set(kept) == named | nothing and len(nothing) > 2
    assert kept["lab.copied"] == "Copied" and kept["strip.clusters"] == ["{n} cluster", "{n} clusters"]


def test_a_text_cannot_end_a_script_or_break_out_of_its_quotes(tmp_path, monkeypatch):
    said = 'a "b" </script> `${c}` \\ d'
    monkeypatch.setenv("DPVIZ_LANGUAGE", str(pseudo(tmp_path, **{"lab.copied": said.replace("{c}", "{{c}}")})))
    spoken.cache_clear()
    try:
        script = with_words('say("lab.copied")')
    finally:
        spoken.cache_clear()
    written = script.partition("const dpvizWords = ")[2].partition(";\n")[0]
    assert "</" not in script and json.loads(written) == {"lab.copied": said.replace("{c}", "{{c}}")}


ATTACK = """"'></title></style></script><img src=x onerror=alert(1)><!--"""
PAGES = """
import json
from dpviz.course import CHAPTERS, play
from dpviz.course.handout import handout_page
from dpviz.course.index import index_page
from dpviz.course.offline import chapter_page, terms_page
from dpviz.course.site import _led_to, _places
from dpviz.course.worksheets import answer_sheet, worksheet
from dpviz.laboratory.page import lab_page
from dpviz.story import story_page
numbers = next(chapter for chapter in CHAPTERS if not chapter.question.answers)
played = [play(numbers), *(play(chapter) for chapter in CHAPTERS if chapter.name in ("luck", "sampling"))]
charted = [one for one in played if one.chart is not None]
pages = [page for one in played for page in (chapter_page(one, 1, "home.html"), worksheet(one, 1))]
pages += [index_page(played, ["a", "b"], ["c", "d"]), answer_sheet(played), terms_page("home.html"), lab_page()]
pages += [handout_page("https://a.test/", _places()), story_page(), story_page(_led_to(True))]
print(json.dumps({"pages": pages, "charts": len(charted)}))
"""


class Planted(HTMLParser):
    """Elements, and comments, that no page of ours has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img" or any(name.startswith("on") for name, _ in attrs):
            self.found.append(tag)

    def handle_comment(self, data: str) -> None:
        self.found.append(data)


def test_no_text_of_a_language_becomes_an_element_of_a_page(tmp_path):
    texts = read(ENGLISH).texts
    changes = {key: ATTACK + text if isinstance(text, str) else 3 * [ATTACK + text[-1]] for key, text in texts.items()}
    found = spoken_in(pseudo(tmp_path, **changes), PAGES)
    pages = list(found["pages"])  # type: ignore[call-overload]
    for page in pages:
        assert "alert(1)" in page and Planted(page).found == []
    assert len(pages) == 13 and found["charts"] == 2


def test_the_app_is_not_started_in_a_language_that_there_is_not(monkeypatch, capsys):
    monkeypatch.setenv("DPVIZ_LANGUAGE", "xx")
    monkeypatch.setattr("dpviz.cli.commands.streamlit_command", lambda *_, **__: pytest.fail("it was started"))
    spoken.cache_clear()
    try:
        assert cli.main(["app"]) != 0
    finally:
        spoken.cache_clear()
    assert "DPVIZ_LANGUAGE = xx must be one of de, en" in capsys.readouterr().err
