"""Detect the separator, quotation and escape characters and the decimal mark of a text.

Commas, spaces and points separate cells, decimals or thousands. Where the consistency of the rows alone would cut
numbers apart, the separator is the one that leaves whole numbers.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from dpviz.datasets.tables.cell_values import GAPS
from dpviz.datasets.tables.dialect import (
    MAX_NUMBER_LENGTH,
    SAMPLE_ROWS,
    SEPARATORS,
    Dialect,
    is_even,
    is_missing,
    is_number,
    single_spaced,
    split_rows,
)
from dpviz.datasets.tables.measures import bare
from dpviz.errors import InvalidDataError, extra

_NEVER_IN_NUMBERS = ("\t", ";", "|")
_IN_NUMBERS = (" ", "", ",")  # in the order of preference if commas are found
_TITLES = {" ": "separated by spaces", "": "one in each line", ",": "separated by commas"}
_DETECTION_CHARACTERS = 20_000
_QUOTED_START = re.compile(r'^"[^"\n]*"(.)', re.MULTILINE)
_NO_COMMA_BETWEEN = re.compile("[^,] ")
_BETWEEN_MARKS = re.compile(rf"[^{''.join(_NEVER_IN_NUMBERS)}\r\n]+")
_BETWEEN_SPACES = re.compile(r'"[^"\r\n]*"|[^ ,"\r\n]+')
_BETWEEN_COMMAS = re.compile(r"[^,\r\n]+")
_LAST_WORD = re.compile(r"\d[ \t](\D+)$")
_AROUND_NUMBERS = re.compile(r"[()<>≤≥~≈]|(?<=\d)[\u2212-](?=\D|$)")
_QUOTED = re.compile(r'"[^"]*"')
_COMMA_BETWEEN = re.compile(r"(?<!\d),|,(?![\d\u2212\u2013-])")  # one that is not after a digit and before one, or “,-”
_COMMA_WITHIN = re.compile(r"(?<![\d.])\d+,(?=\d)(?!\d+\.\d)|(?:^|\s),|,(?:\s|$)|[^\W\d_],(?=[^\W\d_])")
_COMMA = re.compile(",(?! )")
_DECIMAL_WITHIN = re.compile(r"(?<![\d.,])\d+([.,])(?!\d{3}(?!\d))\d+(?![\d.,])")  # not such as 1,234
_MOST_TITLES = 3  # lines above or below a short table that are none of its rows
_PADDED = re.compile(r"[+-]?0\d")
_GAP_OF_COLUMNS = re.compile(r"[^\s.:!?…”\"')] {2,}\S")  # not one after a sentence
_NUMBERS_IN_PROSE = 10  # words to a number, at least
_WIDE_GAP = re.compile(rf"\d[{GAPS.replace(' ', '')}]\d{{3}}")
# Runs on which CleverCSV's own patterns for numbers, addresses and dates take quadratic time.
_LONG_RUN = re.compile(r"""([^\s,;|"'~`\\]{40})[^\s,;|"'~`\\]+""")


def find_dialect(sample: str) -> Dialect:
    """Find the dialect that gives rows of one pattern with cells of known types, by CleverCSV's consistency measure.

    Its time grows faster than the length of a cell, so it gets only the first lines, and of a long run of characters
    without spaces and separators the first 40: neither changes the separator.

    References
    ----------
    van den Burg, Nazábal and Sutton (2019), Wrangling messy CSV files by detecting row and type patterns, Data Mining
    and Knowledge Discovery 33, section 4.
    """
    with extra("app", "reading a table of text"):
        import clevercsv

    start = _start(sample)
    found = clevercsv.Detector().detect(start, delimiters=SEPARATORS, method="consistency")
    separator = (found.delimiter if found else "") or _separator_of_quoted_cells(start)
    separator = _between_whole_numbers(start, separator)
    if separator == " " and _is_prose(start):
        separator = ""
    if found is None:
        return Dialect(separator)
    return Dialect(separator, _quote(start, separator, found.quotechar or '"'), found.escapechar or "")


def _start(sample: str) -> str:
    lines = islice(io.StringIO(_LONG_RUN.sub(r"\1", sample[: 10 * _DETECTION_CHARACTERS]), newline=""), SAMPLE_ROWS)
    start = "".join(lines)
    if len(start) > _DETECTION_CHARACTERS:
        start = start[: max(start.rfind("\n", 0, _DETECTION_CHARACTERS), 0) or _DETECTION_CHARACTERS]
    return _without_units(start)


def _without_units(sample: str) -> str:
    """Leave bare numbers of numbers with units, whose marks separate as few cells as those of other numbers.

    Without a mark that never stands in numbers, the last word of the lines may also be a cell, as in “21 m” and “34 f”.
    """
    if any(mark in sample for mark in _NEVER_IN_NUMBERS):
        return _BETWEEN_MARKS.sub(lambda cell: _bare_in_marks(cell[0], known=False), sample)
    sample = _BETWEEN_SPACES.sub(lambda cell: _bare_in_marks(cell[0]), sample)
    first, *below = sample.splitlines() or [""]
    ends = {end[1] for line in below if (end := _LAST_WORD.search(line))}
    named_apart = "," not in first and len(first.split()) == len(below[0].split()) if below else False
    if len(ends) > 1 or (named_apart and not is_number(bare(first.strip()))):
        return sample
    return _BETWEEN_COMMAS.sub(lambda cell: _bare_in_marks(cell[0]), sample)


def _bare_in_marks(cell: str, *, known: bool = True) -> str:
    """Return a cell with a bare number, in quotation marks if it stood in such.

    Negative numbers may be written as ``(1,5)`` or ``1,5-`` too; ``known`` is as for :func:`bare`.
    """
    cell = cell.strip()
    mark = '"' if len(cell) > 1 and cell[0] == cell[-1] == '"' else ""
    number = bare(_AROUND_NUMBERS.sub("", cell[1:-1] if mark else cell).strip(), known=known)
    return f"{mark}{number}{mark}" if is_number(number) else cell


def _separator_of_quoted_cells(sample: str) -> str:
    """Return the character after a quoted cell at the start of a line, if splitting at it gives rows of equal length.

    The consistency measure prefers a single column if most cells hold unusual text, however well it is quoted.
    """
    followers = (match[1] for match in _QUOTED_START.finditer(sample) if match[1] in SEPARATORS)
    separator = next(followers, "")
    return separator if separator and is_even(sample, separator) else ""


def _quote(sample: str, separator: str, found: str) -> str:
    """Return the quotation mark at the start of more cells: the detected one, or a double one, despite apostrophes."""
    cells = [cell.lstrip() for line in sample.splitlines() for cell in (line.split(separator) if separator else [line])]
    return max('"', found, key=lambda mark: sum(cell.startswith(mark) for cell in cells))


def _between_whole_numbers(sample: str, found: str) -> str:
    """Return the separator that leaves numbers whole, or the one that was found."""
    if found in (*_NEVER_IN_NUMBERS, ",") and _is_list_in_a_cell(sample):
        return ","
    if found in _NEVER_IN_NUMBERS:
        return _in_most_lines(sample, found)
    if found == " " and (all(map(_has_commas_between, sample.splitlines())) or _has_commas_apart(sample)):
        found = ","
    for separator in _NEVER_IN_NUMBERS:
        if separator in sample and _keeps_numbers_whole(sample, separator, found):
            return separator
    for separator in _NEVER_IN_NUMBERS:
        if _stands_evenly(sample, separator, found):
            return separator
    possible = [separator for separator in _IN_NUMBERS if _gives_numbers(sample, separator)]
    if found != ",":
        return found if found in possible or not possible else possible[0]
    if " " in possible:
        return " "
    first = next(iter(sample.splitlines()), "").strip()
    without_name = is_number(first) and ("," not in possible or bool(_WIDE_GAP.search(sample)))
    return "" if "" in possible and ("," not in first or without_name) else ","


def _is_list_in_a_cell(sample: str) -> bool:
    """Whether other marks separate parts of a cell, as in “a;b”: the first line has commas alone, as many as others.

    Marks that cut the lines below into as many cells as the first has names separate those, and commas are decimal.
    """
    first, *below = _unquoted_lines(sample) or [""]
    marks = [mark for mark in _NEVER_IN_NUMBERS if any(mark in line for line in below)]
    n_commas = _equal_commas([first, *below])
    if not marks or not n_commas or any(mark in first for mark in marks):
        return False
    return not any({line.count(mark) for line in below} == {n_commas} for mark in marks)


def _in_most_lines(sample: str, found: str) -> str:
    """Return a separator that stands evenly, and in more lines or more often than the one that was found; else that."""
    lines = _unquoted_lines(sample)
    often = {
        mark: (sum(mark in line for line in lines), sum(line.count(mark) for line in lines))
        for mark in _NEVER_IN_NUMBERS
    }
    others = [mark for mark in _NEVER_IN_NUMBERS if often[mark] > often[found]]
    commas = "," if often[found][0] < len(lines) - _MOST_TITLES and _has_commas_apart(sample) else found
    return next((mark for mark in others if _stands_evenly(sample, mark, found)), commas)


def _has_commas_between(line: str) -> bool:
    """Return whether a comma stands in front of every space in a line."""
    return ", " in line and not _NO_COMMA_BETWEEN.search(line.strip())


def _has_commas_apart(sample: str) -> bool:
    """Return whether all lines have equally many commas, none of which is a decimal mark or joins words."""
    lines = _unquoted_lines(sample)
    return len(lines) > 1 and _equal_commas(lines) > 0 and not any(map(_COMMA_WITHIN.search, lines[1:]))


def _keeps_numbers_whole(sample: str, separator: str, cut: str) -> bool:
    """Return whether most rows have equally many cells, some of which are numbers that another separator cuts."""
    rows = [row for row in _split(sample, separator) if row != [""]]
    width, number = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    below = [row for row in rows if len(row) == width][1:]
    if width < 2 or not below or number <= len(rows) / 2:
        return False
    if cut == " " and any(_is_run_of_numbers(cell) for row in below for cell in row):
        return False
    columns = [[cell for cell in column if not is_missing(cell)] for column in zip(*below, strict=True)]
    numeric = [column for column in columns if column and all(map(is_number, column))]
    if not cut:
        return len(numeric) == width
    return any(cut == " " or any(cut in cell for cell in column) for column in numeric)


def _stands_evenly(sample: str, separator: str, found: str) -> bool:
    """Return whether a separator cuts all lines but titles into equally many cells, and commas only cut numbers.

    Whatever stands around the digits, as in “± 0,2” or “48,5° N”: the units that are known are not needed for it.
    """
    rows = [row for row in _split(sample, separator) if any(row)]
    cut = [row for row in rows if len(row) > 1]
    if len(cut) < max(2, len(rows) - max(_MOST_TITLES, len(rows) // 10)) or len(set(map(len, cut))) > 1:
        return False
    if sum(any(column) for column in zip(*cut, strict=True)) < 2:  # as at the end of every line
        return False
    if found == " " and any(_is_run_of_numbers(cell) for row in cut[1:] for cell in row):
        return False
    lines = _unquoted_lines(sample)
    inside = [line for line in lines if separator in line]
    if not any(f"{separator} " in line for line in inside):
        inside = [line.replace(", ", " ") for line in inside]  # commas of a sentence
    commas_cut = _equal_commas(inside) and any(map(_COMMA_BETWEEN.search, inside))
    return not commas_cut and (len(inside) == len(lines) or not _equal_commas(lines))


def _equal_commas(lines: list[str]) -> int:
    """Return the number of commas before other characters than spaces, if it is that of all lines; else 0."""
    numbers = {len(_COMMA.findall(line)) for line in lines}
    return numbers.pop() if len(numbers) == 1 else 0


def _unquoted_lines(sample: str) -> list[str]:
    """Return the lines that are not blank, with a mark for each quoted cell."""
    return [_QUOTED.sub('"', line) for line in sample.splitlines() if line.strip()]


def _is_run_of_numbers(cell: str) -> bool:
    return " " in cell and not is_number(cell) and all(map(is_number, cell.split()))


def _gives_numbers(sample: str, separator: str) -> bool:
    """Return whether all rows are equally long and all cells below the first row are numbers of one decimal mark."""
    rows = _split(single_spaced(sample) if separator == " " else sample, separator)
    below = rows[1:]
    if not below or len(rows[0]) < (2 if separator else 1) or any(len(row) != len(rows[0]) for row in below):
        return False
    present = [cell for row in below for cell in row if not is_missing(cell)]
    if any(_PADDED.match(cell) for cell in present):
        return False
    return bool(present) and any(all(is_number(cell, mark) for cell in present) for mark in ".,")


def _is_prose(sample: str) -> bool:
    """Return whether lines are of sentences: most differ in their number of words, few of which are numbers."""
    rows = _split(single_spaced(sample), " ")[1:]
    words = [word for row in rows for word in row]
    if not words or _GAP_OF_COLUMNS.search(sample):
        return False
    ((_, n_alike),) = Counter(map(len, rows)).most_common(1)
    return 2 * n_alike <= len(rows) and _NUMBERS_IN_PROSE * sum(map(is_number, words)) < len(words)


def _split(sample: str, separator: str) -> list[list[str]]:
    try:
        return split_rows(sample, separator)
    except InvalidDataError:
        return []


def notes_on_separator(sample: str, separator: str) -> list[str]:
    """Say how else a table without names could be separated, if its numbers do not tell.

    Parameters
    ----------
    sample : str
    separator : str
        As detected.
    """
    if separator not in _IN_NUMBERS:
        return []
    start = _start(sample)
    others = [_TITLES[other] for other in _IN_NUMBERS if other != separator and _gives_numbers(start, other)]
    if not others:
        return []
    return [
        f"Cells were taken to be {_TITLES[separator]}; without names above them, they could also be "
        f"{' or '.join(others)}. Choose the separator if so."
    ]


def find_decimal(cells: Sequence[str], separator: str) -> str:
    """Find the decimal mark that most cells show: those that are numbers with it, and none with the other.

    A number with a unit is a number. Cells such as ``1,234`` show none: if all are such, numbers within text tell, and
    then semicolons, which spreadsheets write between cells if the comma is the decimal mark.
    """
    cells = [bare(cell) for cell in cells]
    shown = {mark: sum(_shows(cell, mark) for cell in cells) for mark in ".,"}
    if shown["."] == shown[","] == 0:
        within = {match[1] for cell in cells for match in _DECIMAL_WITHIN.finditer(cell[:MAX_NUMBER_LENGTH])}
        if len(within) == 1:
            return within.pop()
    if shown["."] == shown[","] == 0 and separator == ";":
        return "," if any("," in cell and is_number(cell, ",") for cell in cells) else "."
    return "," if shown[","] > shown["."] else "."


def decimal_of_texts(cells: Sequence[str], asked: str | None = None) -> tuple[str, list[str]]:
    """Find the one decimal mark of the numbers that a workbook or an array holds as text.

    Parameters
    ----------
    cells : sequence of str
        Cells that are held as text.
    asked : {".", ","}, optional
        What was asked for.

    Returns
    -------
    decimal : str
        Empty if no number among them has a point or comma.
    notes : list of str
        What points or commas could also be, if no number tells and nothing was asked for.
    """
    marked = [cell for cell in cells if ("." in cell or "," in cell) and is_number(bare(cell))]
    if asked is not None or not marked:
        return (asked or "") if marked else "", []
    decimal = find_decimal(marked, "")
    return decimal, notes_on_marks(marked, decimal)


def _shows(cell: str, mark: str) -> bool:
    return is_number(cell, mark) and not is_number(cell, {".": ",", ",": "."}[mark])


def notes_on_marks(cells: Sequence[str], decimal: str) -> list[str]:
    """Say what points or commas could also be, if no number tells.

    Parameters
    ----------
    cells : sequence of str
    decimal : str
        As detected.
    """
    numbers = [cell for cell in map(bare, cells) if is_number(cell)]
    if any(_shows(cell, mark) for cell in numbers for mark in ".,"):
        return []
    notes, other = [], {".": "comma", ",": "point"}[decimal]
    for mark, name in ((".", "point"), (",", "comma")):
        example = next((cell for cell in numbers if mark in cell), None)
        read, perhaps = f"decimal {name}s", "separate thousands"
        if mark != decimal:
            read, perhaps = "thousands separators", f"be decimal {name}s"
        if example is not None:
            notes.append(
                f"{name.capitalize()}s were read as {read}; they could also {perhaps}, as in “{example}”. Choose the "
                f"decimal {other} if so."
            )
    return notes
