"""What the tabs of the Tune page are called: on the page, in links, and as sections of its report."""

RECOMMENDATION, GRID = "Recommendation", "Parameters"
CONCENTRATION, POWER, COUNTS = "Concentration N0", "Power r", "λ or K"
PRIOR, MODELS, COARSENING, SEARCH = "Cluster prior", "Model", "Coarsening α", "Search"
TABS = {
    RECOMMENDATION: "recommendation",
    GRID: "grid",
    CONCENTRATION: "N0",
    POWER: "r",
    COUNTS: "counts",
    PRIOR: "prior",
    MODELS: "models",
    COARSENING: "alpha",
    SEARCH: "search",
}
"""Names on the page and in the report, and those in links."""
PENALTY, N_CLUSTERS = "λ for DP-means", "K for K-means and E-M"
"""The two parts of the tab about λ and K."""
