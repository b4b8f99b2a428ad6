"""Load a table: upload or paste it, see how it was read, correct the columns, use it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpviz.analysis.own_table import with_dates
from dpviz.datasets import KINDS
from dpviz.datasets.tables import ENCODINGS, EXTENSIONS, ROLES, Table
from dpviz.datasets.tables.circles import COMMON_PERIODS
from dpviz.datasets.tables.proposals import Change, Proposal, accept, last_rows
from dpviz.figures.assumed import ASSUMED, picture
from dpviz.hurdles import USUAL_WHOLES
from dpviz.periods import circular, period_of, share, word_of
from dpviz.shares import KINDS_OF_PARTS, PARTS, PARTS_AND_TOTAL
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.data.columns import DESCRIPTION, IN_SIGHT, Converted, LoadedTable, carried, converted
from dpviz.ui.data.look import GRID, digits_of, first_rows
from dpviz.ui.data.own import show_own
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, session_datasets, source_of
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.uploads import Held, read, take
from dpviz.ui.shell import links

ROWS_PREVIEWED = 100
MANY_NOTES = 10
_MOST_EDITS = 20
_PLACE = "data"
_UPLOAD, _EDITS = f"{_PLACE} upload", "data column edits"
_DETECT = "detect"
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "spaces", "": "nothing (one column)"}
_DECIMALS = {".": "point", ",": "comma"}
_HEADERS = {True: "column names", False: "values"}
_HEADER_ROWS = {1: "only the first", **{number: f"the first {number}" for number in range(2, 7)}}
_READINGS: dict[str, Mapping[Any, str]] = {
    "separator": _SEPARATORS,
    "decimal": _DECIMALS,
    "header": _HEADERS,
    "header_rows": _HEADER_ROWS,
    "encoding": ENCODINGS,
}
_TITLES = {
    "separator": "Separator",
    "decimal": "Decimal",
    "header": "First line",
    "header_rows": "Rows of headings",
    "encoding": "Encoding",
}
_PASTED = ("separator", "decimal", "header", "header_rows")
_OF_FORMAT = {
    "text": tuple(_READINGS),
    "excel": ("header", "header_rows"),
}  # and the decimal mark of numbers that are text
_FORMATS = {"text": "text", "excel": "a workbook", "parquet": "a Parquet file", "numpy": "a NumPy file"}
_LEFT_OUT = tuple(role for role in ROLES if role != "label")  # which has a column of its own


@dataclass(frozen=True)
class Upload:
    """A file or pasted text, kept for the session so that it can be read again with other settings.

    Attributes
    ----------
    filename : str
        Empty for pasted text.
    held : Held
        Its content, unless it was dropped.
    pasted : bool
        Whether it is text.
    digest : str
        Digest of name and content.
    """

    filename: str
    held: Held
    pasted: bool
    digest: str

    @classmethod
    def of(cls, filename: str, content: bytes | str) -> Upload:
        """Name the content by its digest."""
        raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        name = filename.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(raw, digest_size=16, key=hashlib.blake2b(name, digest_size=32).digest())
        return cls(filename, Held(content), isinstance(content, str), digest.hexdigest())

    @classmethod
    def taken(cls, file: Any, before: Upload | None) -> Upload | None:
        """Return the file of an uploader, or the copy kept earlier if only its name is left there."""
        if file is None:
            return None
        return cls.of(file.name, take(file)) if isinstance(file, UploadedFile) else before


class _Edited(NamedTuple):
    """The columns of an upload: the editor they are in, what was guessed, where it began, and what is in it now."""

    key: str
    guessed: pd.DataFrame
    start: pd.DataFrame
    edited: pd.DataFrame


class _Source(NamedTuple):
    """What data were made from: the table, how it was read, and its columns as the reader corrected them."""

    upload: Upload
    settings: dict[str, Any]
    edited: _Edited


_TABLES: Kept[LoadedTable] = Kept(400_000_000)
_CONVERTED: Kept[Converted] = Kept(400_000_000)


def _load(upload: Upload, asked: dict[str, Any]) -> LoadedTable:
    return _TABLES.get((upload.digest, *asked.items()), lambda: _read(upload, asked))


def _read(upload: Upload, asked: dict[str, Any]) -> LoadedTable:
    options = {**asked, "repair": True}
    reading = {option: value for option, value in options.items() if option != "accepted"}
    table = accept(read(upload.held, upload.filename, **reading), asked.get("accepted", ()))
    named = {} if upload.pasted else {"filename": upload.filename}
    table = replace(table, reading=(*named.items(), *options.items()))
    loaded = LoadedTable.of(table)
    pa.default_memory_pool().release_unused()
    return loaded


def load_form(choice: DataChoice) -> bool:
    """Show the ways to load a table, and how it was read; a button makes all pages show it.

    Returns whether that table is in use, and its button leads on to Explore.
    """
    left, right = st.columns(GRID, gap="large")
    with left:
        file_field("A file with a table", _PLACE, help="Nothing in it is executed.")
    with right:
        text_field("Or paste rows", _PLACE, placeholder="Rows copied from a spreadsheet …")
        show_own(choice, forget_tables)
    _bring_back(choice)
    upload = taken(_PLACE)
    return upload is not None and _preview(upload, choice)


def file_field(title: str, place: str, **options: Any) -> None:
    """Take a file; :func:`taken` returns the latest of files and texts of a place."""
    st.file_uploader(title, key=f"{place} file", on_change=_take_file, args=(place,), **options)
    st.caption(f"Text, workbooks, Parquet and NumPy files: {', '.join(EXTENSIONS)}.")


def text_field(title: str, place: str, **options: Any) -> None:
    """Take pasted rows."""
    st.text_area(title, key=f"{place} pasted", height=104, on_change=_take_text, args=(place,), **options)


def _take_file(place: str) -> None:
    st.session_state[f"{place} upload"] = Upload.taken(st.session_state[f"{place} file"], taken(place))


def _take_text(place: str) -> None:
    text = st.session_state[f"{place} pasted"]
    st.session_state[f"{place} upload"] = Upload.of("", text) if text.strip() else None


def taken(place: str) -> Upload | None:
    """Return the file or text that a place shows."""
    upload: Upload | None = st.session_state.get(f"{place} upload")
    return upload


def _bring_back(choice: DataChoice) -> None:
    """Show the table again that the data in use were made from, as it was read and corrected, after a reload."""
    source = source_of(choice.name)
    if isinstance(source, _Source) and _UPLOAD not in st.session_state:
        st.session_state[_UPLOAD] = source.upload
        state.put(source.settings)
        st.session_state.setdefault(_EDITS, {})[source.upload.digest] = source.edited


def _source(upload: Upload) -> _Source:
    settings = {key: value for key, value in state.settings().items() if upload.digest in key}
    return _Source(upload, settings, st.session_state[_EDITS][upload.digest])


def forget_tables(names: Iterable[str]) -> None:
    """Let go of the tables that data were made from; call it before the data are forgotten."""
    gone, kept = list(names), session_datasets()
    still = {
        source.upload.digest for name in kept if name not in gone and isinstance(source := source_of(name), _Source)
    }
    for source in map(source_of, gone):
        if isinstance(source, _Source) and source.upload.digest not in still:
            for store in (_TABLES, _CONVERTED):
                for key in store.keys():
                    if source.upload.digest in repr(key):
                        store.forget(key)
            source.upload.held.drop()
            if st.session_state.get(_UPLOAD) == source.upload:
                del st.session_state[_UPLOAD]


def _preview(upload: Upload, choice: DataChoice) -> bool:
    """Show a table and its columns; return whether it leads on."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(upload.filename or 'Pasted text')}**", width="content")
        onwards = st.container(width="content")  # what to do next is in sight at once, though it is known last
    asked = asked_reading(upload)
    if accepted := _accepted(upload):
        asked["accepted"] = accepted
    loaded, leads_on = None, False
    with errors_shown(), st.spinner("Reading the table …"):
        loaded = _load(upload, asked)
    if loaded is None:
        reading_controls(upload)
        _offer_back(upload)
        return False
    left, right = st.columns(GRID, gap="large")
    with left:
        _show_table(loaded.table, upload, asked)
    with right:
        gaps = loaded.without_gaps is not None and widgets.toggle(
            "Keep rows with missing cells",
            f"data keep {upload.digest}",
            True,
            help="MAP-DP and Gibbs need no complete rows. On pages that do you choose whether these rows are left out "
            "or filled in.",
        )
        columns = _edit_columns(upload, asked, loaded, gaps)
        _offer_back(upload)  # before what may fail with what was accepted
    with errors_shown():
        request = repr((upload.digest, asked, columns.values.tolist(), gaps))
        with st.spinner("Preparing the columns …"):
            made = _CONVERTED.get(request, lambda: converted(loaded, columns, gaps))
        _propose(upload, made.decision.proposals)
        if made.decision.why_parts:
            st.button(
                f"Take the {len(made.decision.may_be_parts)} columns of counts as parts of a whole",
                key="data parts",
                help=escape_markdown(made.decision.why_parts),
                on_click=_take_as,
                args=(upload, made.decision.may_be_parts, PARTS),
            )
        if parts := [name for name, kind in made.decision.features if kind in KINDS_OF_PARTS]:
            kept = dict(made.decision.features)[parts[0]] == PARTS_AND_TOTAL
            st.button(
                "Leave the totals of the parts out" if kept else "Keep the totals of the parts, too",
                key="data totals",
                help="Kept, a row's total is one more column, of counts that vary more than Poisson's. If all columns "
                "are parts, short runs then say, by nll, whether totals tell groups apart.",
                on_click=_take_as,
                args=(upload, parts, PARTS if kept else PARTS_AND_TOTAL),
            )
        with onwards:
            leads_on = _lead_on(upload, made, choice, repaired=bool(loaded.table.repairs))
        _say_decisions(made, loaded.table.repairs)
    return leads_on


def _size(n_rows: int, n_columns: int) -> str:
    return f"{counted(n_rows, 'row')} × {counted(n_columns, 'column')}"


def _show_table(table: Table, upload: Upload, asked: Mapping[str, Any]) -> None:
    note_sheets(table, upload, asked)
    _sheet_control(upload)
    st.caption(f"{_size(*table.frame.shape)}. {_how_read(table)}")
    shown = with_dates(table.frame.head(ROWS_PREVIEWED), table.units)
    shown = first_rows(shown, ROWS_PREVIEWED)
    st.dataframe(shown, height=255, key="data preview", column_config=digits_of(shown))
    if len(table.frame) > ROWS_PREVIEWED:
        st.caption(f"The first {ROWS_PREVIEWED} rows.")
    _reading_controls(upload, _readings_of(table, upload))


def asked_reading(upload: Upload) -> dict[str, Any]:
    """Return how the reader wants an upload to be read, where it is not as detected."""
    options = _PASTED if upload.pasted else (*_READINGS, "sheet")
    return {option: value for option in options if (value := _asked(option, upload)) is not None}


def note_sheets(table: Table, upload: Upload, asked: Mapping[str, Any]) -> None:
    """Remember the sheets among which the reader may choose."""
    if "sheet" not in asked:
        state.settings()[_reading_key("sheets", upload)] = (table.sheet, table.sheets)


def reading_controls(upload: Upload, table: Table | None = None) -> None:
    """Offer other ways to read an upload: those of its table's format, or all if it could not be read."""
    everything = _PASTED if upload.pasted else tuple(_READINGS)
    _sheet_control(upload)
    _reading_controls(upload, everything if table is None else _readings_of(table, upload))


def _readings_of(table: Table, upload: Upload) -> Sequence[str]:
    if upload.pasted:
        return _PASTED
    of_format = _OF_FORMAT.get(table.format, ())
    return (*of_format, "decimal") if table.decimal and "decimal" not in of_format else of_format


def _reading_key(option: str, upload: Upload) -> str:
    return f"data {option} {upload.digest}"


def _asked(option: str, upload: Upload) -> Any:
    key = _reading_key(option, upload)
    value = state.value(key, _DETECT)
    found_out, _ = _sheets(upload)
    return None if value == (found_out if option == "sheet" else _DETECT) or value == _DETECT else value


def _sheets(upload: Upload) -> tuple[str, tuple[str, ...]]:
    """Return the default sheet and all sheets; nothing if there are none."""
    found: tuple[str, tuple[str, ...]] = state.settings().get(_reading_key("sheets", upload), ("", ()))
    return found


def _sheet_control(upload: Upload) -> None:
    found_out, sheets = _sheets(upload)
    if len(sheets) > 1:
        widgets.select("Sheet", _reading_key("sheet", upload), sheets, found_out)


def _how_read(table: Table) -> str:
    if table.format != "text":
        sheet = f", sheet “{escape_markdown(table.sheet)}”" if table.sheet else ""
        marks = f"; numbers that are text with a decimal {_DECIMALS[table.decimal]}" if table.decimal else ""
        return f"Read as {_FORMATS[table.format]}{sheet}{marks}."
    names = "the first line names the columns" if table.header else "the first line holds values"
    names = f"the first {table.header_rows} rows are headings" if table.header_rows > 1 else names
    encoding = ENCODINGS.get(table.encoding.removesuffix("-sig"), table.encoding)
    return (
        f"Read as {encoding} text; cells separated by {_SEPARATORS[table.separator]}, "
        f"decimal {_DECIMALS[table.decimal]}; {names}."
    )


def _reading_controls(upload: Upload, options: Sequence[str]) -> None:
    if not options:
        return
    with st.expander("Read it differently"):
        for number, option in enumerate(options):
            if number % 2 == 0:
                places = st.columns(2)
            words = _READINGS[option]
            with places[number % 2]:
                widgets.select(
                    _TITLES[option],
                    _reading_key(option, upload),
                    [_DETECT, *words],
                    format_func=lambda value, words=words: "As detected" if value == _DETECT else words[value],
                )


def _edit_columns(upload: Upload, asked: dict[str, Any], loaded: LoadedTable, gaps: bool) -> pd.DataFrame:
    first = " Those that leave a choice come first." if len(loaded.columns) > IN_SIGHT else ""
    st.caption(
        "Correct what each column holds, tick those to cluster, and the one that names the true groups, if any." + first
    )
    _show_kinds()
    key = f"data columns {upload.digest} {sorted(asked.items())} {gaps}"
    guessed = loaded.guessed(gaps)
    edits: dict[str, _Edited] = st.session_state.setdefault(_EDITS, {})
    latest = edits.pop(upload.digest, None)
    if latest is None:
        latest = _Edited(key, guessed, guessed, guessed)
    elif latest.key != key or key not in st.session_state:  # another reading, or the page was left meanwhile
        start = carried(guessed, latest.guessed, latest.edited)
        latest = _Edited(key, guessed, start, start)
    column = st.column_config
    edited = st.data_editor(
        latest.start,
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(guessed), 330),
        disabled=["Column", "Or", "Missing", "Distinct", "Examples", DESCRIPTION],
        column_config={
            "Kind": column.SelectboxColumn(options=[*KINDS, *_numbered(guessed["Kind"]), *_LEFT_OUT], required=True),
            "Or": column.TextColumn(help="Kinds that the column could have as well: look here first."),
            "Cluster": column.CheckboxColumn(width="small"),
            "Label": column.CheckboxColumn(width="small"),
            "Missing": column.NumberColumn(width="small"),
            "Distinct": column.NumberColumn(width="small"),
        },
    )
    edits[upload.digest] = latest._replace(edited=edited)  # as the last of all
    while len(edits) > _MOST_EDITS:  # drop the oldest: sessions must not grow without bound
        edits.pop(next(iter(edits)))
    return edited


def _show_kinds() -> None:
    """Offer the list of kinds, with what each assumes."""
    with st.popover("What each kind assumes", icon=":material/area_chart:"):
        rows = [(kind, f"![two clusters]({picture(kind)})", words) for kind, (words, _) in ASSUMED.items()]
        st.table(pd.DataFrame(rows, columns=["kind", "two clusters", "within a cluster"]).set_index("kind"))


def _take_as(upload: Upload, names: Sequence[str], kind: str) -> None:
    """Edit the kinds of some columns, as by hand."""
    edits: dict[str, _Edited] = st.session_state[_EDITS]
    latest = edits[upload.digest]
    before, parts = latest.edited, latest.edited["Column"].isin(names)
    edited = before.assign(Kind=before["Kind"].mask(parts, kind), Cluster=before["Cluster"] | parts)
    st.session_state.pop(latest.key, None)  # or the editor would change them back
    edits[upload.digest] = latest._replace(edited=edited)


def _numbered(kinds: Iterable[str]) -> list[str]:
    """Return the kinds with a number that can be chosen: of common wholes and periods, and those that were guessed."""
    usual = (*map(share, USUAL_WHOLES), *map(circular, COMMON_PERIODS))
    return list(dict.fromkeys([*usual, *(kind for kind in kinds if word_of(kind) != kind)]))


def _accepted_key(upload: Upload) -> str:
    """Name what was accepted of a table as it is read now: another sheet or reading has other rows and columns."""
    return f"{_reading_key('accepted', upload)} {sorted(asked_reading(upload).items())}"


def _accepted(upload: Upload) -> tuple[Change, ...]:
    accepted: tuple[Change, ...] = state.settings().get(_accepted_key(upload), ())
    return accepted


def _accept(upload: Upload, *changes: Change) -> None:
    state.settings()[_accepted_key(upload)] = changes


def _propose(upload: Upload, proposals: Sequence[Proposal]) -> None:
    """Offer a click for every proposal."""
    accepted = _accepted(upload)
    for number, proposal in enumerate(proposals):
        do, given = (_accept, (*accepted, proposal.change)) if proposal.change else (_head, (proposal.header_rows,))
        st.button(
            escape_markdown(_in_words(proposal)),
            key=f"data accept {number}",
            help=escape_markdown(proposal.line),
            on_click=do,
            args=(upload, *given),
        )


def _offer_back(upload: Upload) -> None:
    if _accepted(upload) or _asked("header_rows", upload) is not None:
        st.button("Take accepted proposals back", key="data accept none", on_click=_take_back, args=(upload,))


def _in_words(proposal: Proposal) -> str:
    """Say what a click on a proposal does."""
    if proposal.change is None:
        return f"Take the first {proposal.header_rows} rows as headings"
    column, value = proposal.change
    if value is None:
        return "Delete copied rows"
    if isinstance(value, str) and (period := period_of(value)) is not None:
        return f"Wrap “{column}” to one turn of {period:g}"
    if isinstance(value, str):
        return f"Read “{column}” with the {value}"
    return f"Take {value:g} in “{column}” for missing" if column else f"Leave out {last_rows(value)}"


def _head(upload: Upload, n_rows: Any) -> None:
    """Read an upload again with so many rows of headings, and with what was accepted before."""
    accepted = _accepted(upload)
    state.put({_reading_key("header_rows", upload): n_rows})
    _accept(upload, *accepted)


def _take_back(upload: Upload) -> None:
    _accept(upload)
    _head(upload, _DETECT)


def _list(notes: Sequence[str]) -> None:
    with st.container(height=260 if len(notes) > MANY_NOTES else "content"):
        st.markdown("\n".join(f"- {escape_markdown(note)}" for note in notes))


def _say_decisions(made: Converted, repairs: Sequence[str]) -> None:
    """List what was decided, assumed and changed."""
    dataset, lines = made.dataset, made.lines()
    if repairs:
        st.warning("This is not a clean table. Repairs, by line:", icon=":material/build:")
        _list(repairs)
    st.markdown("**What is decided**")
    _list(lines)
    notes = [note for note in dataset.notes if note not in (*repairs, *lines)]
    if notes:
        st.markdown("**What was assumed or changed**")
        _list(notes)


def _lead_on(upload: Upload, made: Converted, choice: DataChoice, repaired: bool) -> bool:
    """Offer to use the table; once it is in use, which is returned, to explore it."""
    dataset = made.dataset
    in_use = choice.source == "session" and session_datasets().get(choice.name) is dataset
    if in_use:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":material/check: These data are in use on every page.", width="content")
            links.explore_button("data explore")
        return True
    size = _size(dataset.n_points, dataset.n_features)
    how = "Accept the repairs and use" if repaired else "Use"
    st.button(f"{how} these data ({size})", type="primary", key="data use", on_click=_use, args=(upload, made))
    return False


def _use(upload: Upload, made: Converted) -> None:
    kept = keep_session_dataset(made.dataset, source=_source(upload))
    state.choose_data(replace(kept, scaling=made.decision.scaling, gaps=made.decision.gaps, **made.begun))
