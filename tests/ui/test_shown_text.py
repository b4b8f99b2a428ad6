"""Text that came from outside is shown in one way, escaped; nothing else reaches a page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shown_text import Source
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.errors import InvalidDataError
from dpviz.text import escape_markdown, percent
from dpviz.ui.data import upload
from dpviz.ui.session import chosen_data, jobs
from pages import checked, close, opened, page, press, run, set_to, settled

PACKAGE = Path(dpviz.__file__).parent

REVIEWED = {
    "advice.py": ["name", "parameter", "'\\n'.join((f'- {limit}'", "f'Found by starting from the partition at"],
    "answer.py": ["f'##### The point goes to {name}, with probability", "_densities("],  # a name escaped, numbers
    "background.py": ["stop_words", "about"],
    "cluster_names.py": ["f'Cluster {number}'"],
    "export_panel.py": ["f'Rows with labels of the result, sweep {result}"],
    "coarsening.py": ["said"],
    "concentration_and_power.py": ["sentences", "said"],
    "data_controls.py": ["parameter.name.replace('_', ' ').capitalize()"],
    "drawing.py": ["f'With {drawn.FEWEST} points or more"],
    "exports.py": ["k"],
    "folding.py": ["lesson.title"],
    "folds.py": ["f'{measured_words("],
    "grid.py": ["said", "name"],
    "guide.py": ["agreement"],
    "jobs.py": ["own"],  # Finished.number(own, sweep) shows nothing
    "lecture.py": [
        "f'#### {escape_markdown(chapter.title)} · {",  # a code of letters that the server chose
        "f'##### {say_count(",  # numbers
        "f'##### {outcome}",  # numbers, and the run's answer escaped
        "say_count('classroom.when_forgotten'",
    ],
    "guess.py": ["played.prompt"],  # a chapter's own
    "questions.py": ["say('classroom.is_set_up'"],
    "short_links.py": ["f'Open the page {navigation.PAGES[page].title}"],
    "weights.py": ["f'Power of g {stretch}'"],  # between numbers of its own
    "page.py": [
        "_meanings(",  # terms of the glossary, escaped
        "name",
        "picture.described(name)",
        "f'#### {number}. {",
    ],
    "remarks.py": [
        "_moves_in_words(",
        "ended",
        "f'{n_points:,} points × {columns}.{gaps} {codes} {watch}",  # codes are escaped
    ],
    "models.py": ["said"],
    "recommendation.py": [
        "said[0]",
        "f'##### {said[0]}'",
        "f'**How sure?** {confidence(",
        "'\\n'.join((f'- {reason}'",
        "f'**{_title(",
        "name",
    ],
    "cluster_counts.py": ["_found(asked, penalty, "],
    "results.py": ["(first, second)", "f'**{points} in cluster", "f'★ is the best of its column."],
    "model_control.py": ["model_choice.CHOOSE_AGAIN"],
    "prior_controls.py": ["f'{label}; {whose}.'", "label"],  # symbols of hyperparameters
    "run_controls.py": ["f'More: {further_words}'"],  # symbols of options
    "runs.py": ["name"],
    "search_quality.py": ["said[0]", "'\\n\\n'.join(said[1:])"],
    "sources.py": ["f'**{heading}.** {escape_markdown(text)}'"],
    "finished_run.py": ["f'Click {"],
    "upload.py": [
        "f'{_size(*table.frame.shape)}. {_how_read(table)}'",
        "_TITLES[option]",
        "latest.start",
        "f'{how} these data ({size})'",
    ],
    "merges.py": [
        "tick + mark_in_words(",
        "words",
        "suggestion(tree, found)",
        "price(tree, n_clusters, found)",
        "meaning",
    ],
    "partitions.py": ["f'Joined to **{counted("],
    "scales.py": [
        "merges.price(",
        "merges.mark_in_words(",
        "merges.suggestion(tree, FOUND)",
        "merges.MEANINGS[",
        "found",
        "tree",
        "name",
    ],  # Picture.title(name) shows nothing
    "table.py": ["f'Log densities are in nats, per unit {known.prepared.preparation.unit}"],
    "together.py": ["b''.join(parts)"],  # written to a socket
    "why.py": ["f'The {shown} cheapest of {len(table)}"],
}
"""What the search cannot follow, read by hand: sentences of the app itself about its own parameters and numbers."""

LIVE = "[go](https://x.test) ![see](https://x.test/i.png) https://x.test **b** :red[r] $x$ <b>"


def test_nothing_from_outside_is_shown_unescaped():
    written = Source(sorted(PACKAGE.rglob("*.py"))).unescaped(PACKAGE / "ui")
    found = [line.replace('f"', "f'") for line in written]  # of which marks an f-string has, Pythons think differently
    new = [
        line
        for line in found
        if not any(line.split(" ", 1)[1].startswith(start) for start in REVIEWED.get(line.partition(":")[0], []))
    ]
    assert new == [], "show it by escape_markdown(…), or read it by hand and add it to REVIEWED"


@pytest.mark.parametrize(
    ("body", "harmful"),
    [
        ("st.error(str(error))", True),
        ("try:\n        pass\n    except ValueError as error:\n        st.error(error)", True),
        ('st.error(f"{error} Try again.")', True),
        ("st.markdown(dataset.title)", True),
        ('words = "a" if x else dataset.title\n    st.info(words)', True),
        ('words = []\n    words.append(dataset.title)\n    st.info(" ".join(words))', True),
        ("left.button(label=name)", True),
        ('st.caption(f"{name:.300}")', True),
        ("st.caption(told(dataset))", True),
        ("shown(dataset.title)", True),
        ('st.caption("fixed", help=notes)', True),
        ("failed = st.session_state.get(KEY)\n    st.error(failed[2])", True),
        ("st.error(escape_markdown(str(error)))", False),
        ('st.caption(f"{len(rows):,} of {trace.n_points} and {share:.1%}")', False),
        ('words = "a" if x else escape_markdown(title)\n    st.info(f"**{words}**")', False),
        ("st.caption(counted_in_words(3))", False),
        ('shown("Choose")', False),
    ],
)
def test_the_search_tells_harmful_from_harmless(tmp_path, body, harmful):
    (tmp_path / "ui").mkdir()
    helpers = (
        "def told(dataset):\n    return f'about {dataset.title}'\n\n"
        "def counted_in_words(number):\n    return f'{number:,} rows' if number else 'none'\n\n"
        "def shown(words):\n    st.warning(words)\n\n"
    )
    file = tmp_path / "ui" / "made_up.py"
    file.write_text(helpers + f"def made_up(dataset):\n    {body}\n")
    assert bool(Source([file]).unescaped(tmp_path / "ui")) == harmful


@given(st.text(st.characters(codec=None), max_size=60))
@example("\ud800")
@example("a \udfff[b](c) \U0001f600")
def test_escaped_text_can_be_sent_and_holds_no_live_mark(text):
    shown = escape_markdown(text)
    shown.encode("utf-8")
    assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]()<>*_`$:!#]", shown)


def test_escaped_text_is_on_one_line_which_parts_no_number_from_its_unit():
    assert escape_markdown(f" a\n b\u2028c\t{percent(0.05)} ") == "a b c 5\u202f\\%"


def live_in(app: AppTest) -> list[str]:
    """Texts of a page that hold the hostile message without being escaped."""
    kinds = ("markdown", "caption", "error", "warning", "info", "success", "button", "expander")
    elements = [element for kind in kinds for element in app.get(kind)]
    shown = [str(getattr(element, name, "")) for element in elements for name in ("value", "label", "help")]
    return [text for text in shown if "[go](" in text]


@pytest.mark.parametrize("name", ["explore", "compare", "tune", "posterior", "predict", "data"])
def test_an_error_with_a_link_in_it_stays_text_on_every_page(name, monkeypatch):
    def refuse(*_):
        raise InvalidDataError(LIVE)

    monkeypatch.setattr("dpviz.ui.session.chosen_data._prepare", refuse)
    for cleared in (chosen_data.SHARED, jobs.SHARED):
        cleared.clear()
    app = checked(page(name).run())
    assert any("\\[go\\]" in str(error.value) for error in app.error)
    assert live_in(app) == []


def test_an_error_of_a_run_stays_text(monkeypatch):
    def refuse(*_, **__):
        raise InvalidDataError(LIVE)

    app = settled(opened("explore"))
    monkeypatch.setattr("dpviz.ui.session.jobs.Job", refuse)
    app.number_input(key="run.seed").set_value(91)
    app.run()
    if app.button(key="run.go").label == "Run":
        press(app, "run.go")
    assert any("\\[go\\]" in str(error.value) for error in checked(app).error)
    assert live_in(app) == []


SURROGATES = {
    "data": ["\ud800", {"source": "\udfff"}, {"source": "bundled", "name": "\ud800"}],
    "run": [
        "\ud800",
        {"version": "8", "algorithm": "\ud800"},
        {"version": "8", "\ud800": "1"},
        {"version": "\ud800"},
        {"version": "8", "init": "\ud800"},
        {"version": "8", "partition": '{"kind":"\\ud800"}'},
    ],
    "panels": ["\ud800", ["\ud800"], [{"version": "8", "algorithm": "\ud800"}], [{"version": "8", "\udc00": "1"}]],
    "same": ["\ud800", {"\ud800": 1}, {"effort": "\ud800"}],
    "tune": ["\ud800", {"version": 8, "\ud800": "\ud800"}],
    "posterior": ["\ud800", {"\ud800": "\ud800"}, {"run": {"version": "8", "\ud800": "\ud800"}, "tab": "\ud800"}],
    "predict": [
        "\ud800",
        {"\ud800": "\ud800"},
        {"run": {"version": "8", "\ud800": "1"}, "tab": "\ud800", "point": ["\ud800"]},
    ],
}
"""Values of the address with half characters in them, which no page can be sent."""
MORE_DATA = [
    {"source": "synthetic", "name": "moons", "options": {"noise": "\ud800"}},
    {"source": "synthetic", "name": "moons", "options": {"\ud800": 1}},
    {"source": "synthetic", "name": "moons", "axes": ["\ud800", "x2"]},
    {"source": "synthetic", "name": "moons", "scaling": "\ud800"},
    {"source": "session", "name": "\ud800"},
    {"\ud800": "moons"},
]


@pytest.mark.parametrize("name", ["explore", "compare", "tune", "posterior", "predict", "data"])
def test_half_characters_in_a_link_crash_no_page(name, monkeypatch):
    if name == "compare":
        monkeypatch.setattr("dpviz.ui.session.jobs.QUICK_OPERATIONS", 0.0)  # its runs are not over at once in any case
    else:
        close(opened(name))  # the run it opens with is there from now on, and shown below
    hostile = {**SURROGATES, "data": [*SURROGATES["data"], *MORE_DATA]}
    for number in range(max(map(len, hostile.values()))):  # each parameter is read whatever became of the others
        link = {key: json.dumps(values[number % len(values)]) for key, values in hostile.items()}
        close(checked(page(name, **link).run()))


@pytest.mark.usefixtures("tables_read_here")
def test_half_characters_in_the_name_of_a_file_or_in_pasted_text_are_survived():
    assert upload.Upload.of("\ud800.csv", b"a,b\n1,2\n").digest != upload.Upload.of("\ud801.csv", b"a,b\n1,2\n").digest
    app = run(page("data"))
    set_to(app, "data way", "Load")
    app.file_uploader(key="data file").set_value(
        ("t.csv", "a,\ud800b\n1,2\n3,5\n".encode("utf-16", "surrogatepass"), "")
    )
    run(app)
