"""The export panel: link, rows with labels, the run itself, code, a page that works offline."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import streamlit as st

from dpviz.engine.algorithms.base import describe
from dpviz.player import standalone_html
from dpviz.report import ONE_COLUMN, TWO_COLUMNS, paper_figure
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.explore import report_offer
from dpviz.ui.explore.loading import MOST_MEGABYTES
from dpviz.ui.session import exports
from dpviz.ui.session.jobs import Finished
from dpviz.ui.shell import links
from dpviz.ui.stage import scales

OPEN = "take"
"""Key of the panel, and where a session keeps whether it is open."""
_PARTS = {"Clusters": "clusters", "Course of the run": "curve"}
_WIDTHS = {f"{width:g} mm": width for width in (ONE_COLUMN, TWO_COLUMNS)}


def show(finished: Finished, payload: bytes, sweep: int, on_load: Callable[[bytes, Finished], None]) -> None:
    """Draw the panel, closed until it is asked for.

    Parameters
    ----------
    finished : Finished
    payload : bytes
        What the player shows.
    sweep : int
        Where the playhead rested.
    on_load : callable
        Called with the bytes of a stored run and the present one.
    """
    with st.expander("Take it away", key=OPEN, on_change="rerun"):
        if once_opened(OPEN):
            _draw(finished, payload, finished.shown_sweep(sweep), on_load)


def _draw(finished: Finished, payload: bytes, sweep: int, on_load: Callable[[bytes, Finished], None]) -> None:
    if finished.choice.source == "session":
        st.caption("These are your own data: the link opens in this browser only, as long as the server has them.")
    if finished.stopped:
        st.caption(
            "This run was stopped early. The link and the Python code make the whole run, which may end elsewhere; the "
            "files hold what is shown."
        )
    goes_on = isinstance(finished.settings.init, str) and not isinstance(finished.config.init, str)
    if goes_on:
        st.caption(
            "This run went on from the clusters of a picture. The link makes it from its method's start, and may end "
            "elsewhere; code and files hold what is shown."
        )
    if finished.scale is not None:
        words = scales.joined_in_words(finished.scale)
        st.caption(
            escape_markdown(
                f"{words}: tables, run, page, code and link have the joined clusters, tables and run those found too."
            )
        )
    st.caption("Link to this run:" if finished.stopped or goes_on else "Link to this exact state:")
    address = (st.context.url or "").partition("?")[0]
    link = links.link(finished.choice, finished.settings, sweep, finished.scale, finished.kept)
    st.code(address + link, language=None, wrap_lines=True)
    every = st.toggle("One column per sweep in the CSV", key="csv.every")
    _file(
        f"Rows with labels of sweep {sweep} (CSV)",
        lambda: exports.labelled_csv(finished, sweep, every),
        "dpviz-labels.csv",
        "text/csv",
        "take.csv",
    )
    result = finished.trace.result_sweep
    if finished.trace.is_chain and sweep != result:
        _file(
            f"Rows with labels of the result, sweep {result} (CSV)",
            lambda: exports.labelled_csv(finished, result),
            "dpviz-result.csv",
            "text/csv",
            "take.csv.result",
        )
    _file("The run (JSON)", lambda: exports.run_json(finished), "dpviz-run.json", "application/json", "take.json")
    _file(
        "The player as a page that works offline (HTML)",
        lambda: standalone_html(payload, describe(finished.config)),
        "dpviz-run.html",
        "text/html",
        "take.html",
    )
    report_offer.show(finished)
    _figure(finished)
    st.caption("Python that makes the whole run:" if finished.stopped else "Python that reproduces this run:")
    st.code(exports.code_of(finished), language="python", wrap_lines=True)
    st.caption("Pictures (PNG, SVG) and video (WebM) are in the player's own menu.")
    most = min(MOST_MEGABYTES, st.get_option("server.maxUploadSize"))
    stored = st.file_uploader(
        "Load a stored run (JSON) of these data", type="json", key="load.run", max_upload_size=most
    )
    if stored is not None and st.button("Show the stored run", key="load.go"):
        on_load(stored.getvalue(), finished)


def _figure(finished: Finished) -> None:
    """Offer the result as a figure for a paper; or say what is missing for one."""
    if find_spec("matplotlib") is None:
        st.caption("A figure for a paper (SVG, PDF) needs matplotlib on the server: `pip install 'dpviz[figures]'`.")
        return
    st.caption(
        "Figure for a paper: texts stay texts, axes have the units of the data; the clusters of the result on the "
        "columns chosen as axes, or else on principal components."
    )
    with st.container(horizontal=True):
        part = widgets.segments("Figure of", "take.figure.part", list(_PARTS))
        width = widgets.segments("Width", "take.figure.width", list(_WIDTHS))
    svg, pdf = (partial(_drawn, finished, kind, _PARTS[part], _WIDTHS[width]) for kind in ("svg", "pdf"))
    _file("Figure (SVG)", svg, "dpviz-figure.svg", "image/svg+xml", "take.figure.svg")
    _file("Figure (PDF)", pdf, "dpviz-figure.pdf", "application/pdf", "take.figure.pdf")


def _drawn(finished: Finished, kind: str, part: str, width: float) -> bytes:
    numbers = finished.numbers_of_result()
    own = finished.prepared.dataset if not finished.choice.n_components else finished.prepared.clustered
    axes = [axis for axis in finished.choice.axes if axis in own.feature_names]
    return paper_figure(
        own,
        finished.trace,
        finished.prepared.X,
        format=kind,
        part=part,
        width=width,
        columns=axes,
        joined=None if finished.scale is None else finished.scale.labels,
        names=[finished.name_of(number) for number in numbers],
        colours=[number - 1 for number in numbers],
    )


def _file(label: str, content: Callable[[], str | bytes], name: str, mime: str, key: str) -> None:
    """Offer a file, which is made when it is asked for."""
    st.download_button(label, content, file_name=name, mime=mime, key=key, width="stretch", on_click="ignore")
