"""Cluster colours that stay apart for colour-blind readers, on light and on dark backgrounds."""

from __future__ import annotations

from dpviz.errors import require

# The first six follow Okabe & Ito (2008), the rest Tol's muted scheme; the dark set has the same hues, lifted.
CLUSTER_COLORS: dict[str, tuple[str, ...]] = {
    "light": (
        "#0072b2",
        "#e69f00",
        "#009e73",
        "#cc79a7",
        "#d55e00",
        "#56b4e9",
        "#882255",
        "#999933",
        "#332288",
        "#44aa99",
        "#8c6d62",
        "#aa4499",
    ),
    "dark": (
        "#4aa3e0",
        "#f2b134",
        "#2bc48f",
        "#e39ac3",
        "#f07b3a",
        "#8fd3ff",
        "#d0608f",
        "#c9c95a",
        "#9a8cf0",
        "#7fe0d0",
        "#c2a394",
        "#d98ad6",
    ),
}
N_COLORS = len(CLUSTER_COLORS["light"])
PANEL_SHARES = (0, 0.35, 0, 0.35, 0, 0.35)
"""Share of the background in the grey of each panel's lines; colours are those of clusters, dashes tell panels apart.
``theme.js`` has the same."""
_INK = {"light": ((27, 36, 48), (255, 255, 255)), "dark": ((232, 236, 241), (15, 19, 26))}
"""Text and background of the theme."""

# Clusters beyond the colours repeat them with another pattern, named as plotly names patterns of bars; the player
# draws the same four as hatches of bars and as marker shapes (circle, ring, cross, triangle).
CLUSTER_PATTERNS = ("", "/", "x", ".")
N_MARKS = N_COLORS * len(CLUSTER_PATTERNS)
"""Clusters that colour and pattern tell apart."""


def track_color(track: int, *, dark: bool = False) -> str:
    """Colour of a cluster in the player, for charts outside it.

    Parameters
    ----------
    track : int
        The cluster's track, ≥ 0 (the player calls it "cluster track + 1").
    dark : bool
        Whether the background is dark.

    Returns
    -------
    str
        "#rrggbb". Two clusters of the same sweep share it only if the sweep has more clusters than colours.

    Raises
    ------
    InvalidParameterError
        If ``track`` is negative.
    """
    require(track >= 0, "track", track, "a track of a cluster, ≥ 0")
    return CLUSTER_COLORS["dark" if dark else "light"][track % N_COLORS]


def panel_color(number: int, *, dark: bool = False) -> str:
    """Grey of one of several panels in the player's curves, for charts outside it.

    Neighbours differ; dashes tell all apart, since colours mean clusters.

    Parameters
    ----------
    number : int
        Position of the panel, from 0.
    dark : bool
        Whether the background is dark.

    Returns
    -------
    str
        "#rrggbb".

    Raises
    ------
    InvalidParameterError
        If there is no such panel.
    """
    require(0 <= number < len(PANEL_SHARES), "number", number, f"a panel from 0 to {len(PANEL_SHARES) - 1}")
    text, background = _INK["dark" if dark else "light"]
    share = PANEL_SHARES[number]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(text, background, strict=True))


def track_pattern(track: int) -> str:
    """Pattern that distinguishes clusters of one colour, for plotly's ``marker.pattern.shape``.

    Parameters
    ----------
    track : int
        The cluster's track, ≥ 0.

    Returns
    -------
    str
        One of :data:`CLUSTER_PATTERNS`; empty (plain) for the first clusters, as many as there are colours.

    Raises
    ------
    InvalidParameterError
        If ``track`` is negative.
    """
    require(track >= 0, "track", track, "a track of a cluster, ≥ 0")
    return CLUSTER_PATTERNS[track // N_COLORS % len(CLUSTER_PATTERNS)]
