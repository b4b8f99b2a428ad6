"""The chains as files, and the few lines that make an ArviZ DataTree of them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpviz.engine.trace import Trace

MOST_CELLS = 20_000_000
"""Draws × points that are written as text."""
FILE = "dpviz-chains.zip"
CODE = f"""import zipfile
import dpviz
with zipfile.ZipFile("{FILE}") as chains:
    traces = [dpviz.Trace.from_json(chains.read(name).decode()) for name in sorted(chains.namelist())]
tree = traces[0].to_arviz(*traces[1:])  # pip install 'dpviz[arviz]'
"""


def offer(traces: Sequence[Trace], burn_in: int) -> None:
    """Offer the chains, each as a stored run, with the burn-in of the page; and say how ArviZ gets them."""
    if sum(trace.labels.size for trace in traces) > MOST_CELLS:
        st.caption(
            "These chains are too long for a file. For ArviZ run “The code that does it”, and then "
            "`traces[0].to_arviz(*traces[1:])`."
        )
        return
    st.caption("The chains as stored runs; as an ArviZ DataTree, for its plots and diagnostics, by this:")
    st.code(CODE, language="python")
    st.download_button(
        "Chains (ZIP)",
        lambda: zipped(traces, burn_in),
        file_name=FILE,
        mime="application/zip",
        key="posterior.take.chains",
        on_click="ignore",
        icon=":material/folder_zip:",
    )


def zipped(traces: Sequence[Trace], burn_in: int) -> bytes:
    """Return a ZIP with each chain as a stored run, whose draws begin after so many sweeps."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for number, trace in enumerate(traces, 1):
            left_out = min(burn_in, trace.config.n_sweeps - 1)
            own = replace(trace, config=replace(trace.config, burn_in=left_out))
            file.writestr(f"chain-{number:02d}.json", own.to_json())
    return written.getvalue()
