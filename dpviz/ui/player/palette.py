"""Cluster colours that stay apart for colour-blind readers, on light and on dark backgrounds."""

from __future__ import annotations

# The first six follow Okabe & Ito (2008), the rest Tol's muted scheme; the dark set has the same hues, lifted.
CLUSTER_COLORS: dict[str, tuple[str, ...]] = {
    "light": (
        "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9",
        "#882255", "#999933", "#332288", "#44aa99", "#8c6d62", "#aa4499",
    ),
    "dark": (
        "#4aa3e0", "#f2b134", "#2bc48f", "#e39ac3", "#f07b3a", "#8fd3ff",
        "#d0608f", "#c9c95a", "#9a8cf0", "#7fe0d0", "#c2a394", "#d98ad6",
    ),
}  # fmt: skip
