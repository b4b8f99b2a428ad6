"""Tables pasted into the lab: read as dpviz reads files, or refused; how is said."""

from __future__ import annotations

from typing import Any

import numpy as np
from lab_facts import facts_of
from modules import evaluate
from number_tables import written_numbers

from dpviz.datasets.tables import read_text
from dpviz.laboratory import lab_page

READ = """([facts, texts]) => {
  const refusal = (error) => ({ refused: error.message, kind: error.constructor.name });
  return texts.map((text) => { try { return tableOf(text, facts); } catch (error) { return refusal(error); } });
}"""
SAME = ("1,2\n3,4", "x;2019\n1;2\n3;4", "a,b\n1.5,2\n3,4", "1,5 2,5\n3,5 4,5", '"a","b"\n"1,5",2\n"2,5",3')
"""Texts that every reader reads alike."""
WAYS = ("taken as a cell; if “", "; if they separate thousands", "Thousands separators were removed in")
REFUSED = {
    "1\u00a0234,5\n2\u00a0345,6": "Every line is a single number",
    "1 234,5\n2 345,6": "Commas or spaces could separate the cells",
    "1,2\n3,05": "“05” begins with a zero",
    "NA,1\n2,3": "Row 1, column 1: “NA” is no number",
    "<1,2\n3,4": "Row 1, column 1: “<1” is no number",
    "a;b\n9007199254740993;1\n2;3": "is too long to be exact",
    "a;b\n2e30;1\n2;3": "Row 1, a: “2e30” is beyond ±1e+30. Rescale the column.",
    "a;b\n1e-200;1\n2e-200;3": "The values of a differ by 1e-200 only",
    'a;"b\n1;2': "A quotation mark is out of place",
    "1,2": "There is one row, and clusters need more",
}
SAID = {
    "income\tspending\n45,200\t1,250\n61,000\t980\n": (
        [[45200, 1250], [61000, 980]],
        "2 rows of 2 columns were read, with names above them. Thousands separators were removed in “income”, "
        "“spending”: “45,200” is 45200.",
    ),
    "45.200;34\n61.000;40": (
        [[45.2, 34], [61, 40]],
        "2 rows of 2 columns were read, without names. Points were read as decimal marks in “column 1”: “45.200” is "
        "45.2; if they separate thousands, remove them and paste again.",
    ),
    "a;b\n45,200;34\n61,000;40": (
        [[45.2, 34], [61, 40]],
        "2 rows of 2 columns were read, with names above them. Commas were read as decimal marks in “a”: “45,200” is "
        "45.2; if they separate thousands, remove them and paste again.",
    ),
    "1,5\n2,5\n3,75": (
        [[1, 5], [2, 5], [3, 75]],
        "3 rows of 2 columns were read, without names. Every piece between commas was taken as a cell; if “1,5” is one "
        "number, separate the cells by semicolons.",
    ),
    "2019,2020,2021\n1.5,2.5,3.5\n": (
        [[2019, 2020, 2021], [1.5, 2.5, 3.5]],
        "2 rows of 3 columns were read, without names; the first, 2019, 2020, 2021, is one, too.",
    ),
}


def readings(texts: list[str]) -> list[dict[str, Any]]:
    """What the lab's own reader makes of texts."""
    found: list[dict[str, Any]] = evaluate(["laboratory/assets/table.js"], READ, [facts_of(lab_page()), texts])
    assert {one["kind"] for one in found if "refused" in one} <= {"Unreadable"}
    return found


def test_no_number_is_read_otherwise_than_from_a_file():
    tables = [written_numbers(seed) for seed in range(1_000)]
    found = readings([table.text for table in tables])
    read = [(table, one) for table, one in zip(tables, found, strict=True) if "refused" not in one]
    assert len(read) > 600
    for table, one in read:
        X = np.array(one["rows"], dtype=float)
        if not table.holds(X):  # as a file of that text is read, and never without a word
            assert np.array_equal(X, read_text(table.text).frame.to_numpy(float)), table.text
            assert any(words in one["said"] for words in WAYS), (table.text, one["said"])
    clear = [t for t in tables if t.X.shape[1] > 1 and not t.is_cut]
    assert {id(t) for t, _ in read} > {id(t) for t in clear if t.separator != " " and ", " not in t.separator}


def test_what_can_be_read_in_two_ways_is_said_or_refused():
    texts = [*SAME, *REFUSED, *SAID]
    found = dict(zip(texts, readings(texts), strict=True))
    for text in SAME:
        assert found[text]["rows"] == read_text(text).frame.to_numpy(float).tolist()
    for text, words in REFUSED.items():
        assert words in found[text]["refused"]
    for text, (rows, words) in SAID.items():
        assert (found[text]["rows"], found[text]["said"]) == (rows, words)
        assert rows == read_text(text).frame.to_numpy(float).tolist()
