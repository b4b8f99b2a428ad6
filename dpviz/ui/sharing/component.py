"""A link on the page: to copy, as a QR code, and as a frame for another site."""

from __future__ import annotations

import html
from pathlib import Path

import streamlit as st

from dpviz.course.qr import code
from dpviz.ui.mounting import component
from dpviz.ui.sharing.short_links import Address

_FOLDER = Path(__file__).parent / "assets"
LOCAL = (
    "Only this machine can open this address. For phones, start the app with `--serve --host 0.0.0.0`, open it by the "
    "machine's name or its address in your network, and share again."
)


def link(address: Address, key: str, embed: str = "", title: str = "") -> None:
    """Show an address with its QR code, and buttons to copy it and to show it on the whole screen.

    Parameters
    ----------
    address : Address
    key : str
        Of the element.
    embed : str
        Address for a frame on another site; no frame is offered if it is empty.
    title : str
        Shown above the code on the whole screen.
    """
    made = code(address.url)
    frame = f'<iframe src="{html.escape(embed)}" width="100%" height="800" title="dpviz"></iframe>' if embed else ""
    _component()(
        key=key,
        data={"url": address.url, "size": made.size, "path": made.path, "frame": frame, "title": title},
    )
    if address.is_local:
        st.warning(LOCAL, icon=":material/wifi_off:")


_component = component(
    "dpviz_share",
    lambda: (_FOLDER / "share.js").read_text(encoding="utf-8"),
    lambda: (_FOLDER / "share.css").read_text(encoding="utf-8"),
)
