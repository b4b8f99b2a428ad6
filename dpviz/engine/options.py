"""The options that algorithms share: names, bounds and texts, for configurations, controls and the command line."""

from __future__ import annotations

from dataclasses import replace

from dpviz.parameters import Parameter, by_name

START_WORDS = {
    "auto": "Automatic (several kinds)",
    "single": "One cluster",
    "kmeans++": "K-means++ seeds",
    "sequential": "Points seated one by one",
    "singletons": "Every point alone",
    "random": "Random labels",
}
"""Names of the kinds of start."""
COUNTED_STARTS = ("kmeans++", "random")
"""Those that begin with a given number of clusters."""
LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE = 1e-3, 1000.0
LONGEST = 10_000_000
"""Most sweeps of a run."""
MOST_CLUSTERS = 30
"""Most clusters on sliders."""


def _count(name: str, lower: int, upper: int, **words: object) -> Parameter:
    return Parameter(
        name=name,
        lower=lower,
        lower_allowed=True,
        upper=upper,
        integer=True,
        number=False,
        **words,  # type: ignore[arg-type]
    )


N_CLUSTERS = Parameter(
    name="n_clusters",
    symbol="K",
    title="Clusters",
    explanation="How many clusters to make.",
    default=3,
    lower=1,
    lower_allowed=True,
    upper=1_000_000,
    integer=True,
    explore=(1, lambda size: min(MOST_CLUSTERS, size.n_points)),
)
N_COMPONENTS = replace(N_CLUSTERS, name="n_components", explanation="How many components the mixture has.")
PENALTY = Parameter(
    name="penalty",
    symbol="λ",
    explanation="A point further than √λ from every centre opens a cluster. Squared units of the data.",
    default=4.0,
    lower=0.0,
    log=True,
    around=(1000.0, 100.0),
    grid_factor=30.0,
)
SWEEP = Parameter(
    name="sweep",
    title="A sweep ends",
    explanation="Whether a sweep goes on after a cluster is born.",
    default="full",
    choices=(("full", "after every point"), ("until_birth", "when a cluster is born")),
)
TEMPERATURE = Parameter(
    name="temperature",
    explanation="0 takes the most probable cluster, 1 samples the posterior, between is in between.",
    default=0.0,
    lower=0.0,
    lower_allowed=True,
    upper=HIGHEST_TEMPERATURE,
    explore=(0.0, 2.0),
    step=0.05,
)
ORDER = Parameter(
    name="order",
    title="Visiting order",
    explanation="In which order a sweep visits the points; the result may depend on it.",
    default="index",
    choices=(("index", "As in the data"), ("permuted", "One random order"), ("shuffled", "A new order each sweep")),
)
SAMPLER = Parameter(
    name="sampler",
    explanation="What the sampler draws, and what it integrates out.",
    default="collapsed",
    choices=(
        ("collapsed", "Everything integrated out"),
        ("explicit_parameters", "Explicit cluster parameters"),
        ("explicit_weights", "Explicit weights and parameters"),
    ),
)
SPLIT_MERGE = _count(
    "split_merge",
    0,
    1000,
    title="Split–merge moves per sweep",
    explanation="Proposals to divide a cluster or to unite two, which moves of single points seldom achieve.",
    default=0,
)
INIT_CLUSTERS = _count(
    "init_clusters", 1, LONGEST, title="Starting clusters", explanation="Clusters at the start; else as expected."
)
FIRST_SWEEP = Parameter(
    name="first_sweep",
    title="In the first sweep the one cluster weighs",
    explanation="Weight of the cluster that a run starts with, until its first sweep is over: that of a single point, "
    "so that points leave it (2016, App. B), or that of its points, as in every other sweep.",
    default="one_point",
    choices=(("one_point", "As much as one point"), ("all_points", "As much as its points")),
)
N_INIT = _count("n_init", 1, 10_000, title="Restarts (the best is shown)", explanation="Number of independent starts.")
MAX_SWEEPS = _count(
    "max_sweeps", 1, LONGEST, title="At most this many sweeps", explanation="A run that has not converged ends there."
)
N_SWEEPS = _count(
    "n_sweeps", 1, LONGEST, title="Sweeps", explanation="Length of the chain, burn-in included.", default=600
)
BURN_IN = _count(
    "burn_in", 0, LONGEST, title="Burn-in, not kept as draws", explanation="Sweeps before the first draw.", default=100
)
THIN = _count("thin", 1, LONGEST, title="Keep every … sweep", explanation="Sweeps from draw to draw.", default=1)
EFFORT = Parameter(
    name="effort",
    title="Search effort",
    explanation="How long the search continues after its starts: 1 is usual, 4 four times that, 0 not at all.",
    default=1.0,
    lower=0.0,
    lower_allowed=True,
    upper=1000.0,
    explore=(0.0, 10.0),
    step=0.1,
    number=False,
)
MISSING = Parameter(
    name="missing",
    title="Missing cells",
    explanation="Treatment of missing cells: marginalise leaves them out, impute fills them in, auto does the "
    "first if columns are independent within a cluster, else the second",
    default="auto",
    choices=(("auto", "Automatic"), ("marginalise", "Left out"), ("impute", "Filled in")),
)
COARSENING = Parameter(
    name="coarsening",
    symbol="α",
    title="All points together count as fewer than so many",
    explanation="The likelihood of each point to the power α/(α + N), the partition prior as it is: small departures "
    "from the model's shapes make no clusters of their own, and with a small α nor do clear groups.",
    lower=1e-3,
    lower_allowed=True,
    upper=1e9,
    log=True,
    explore=(10.0, lambda size: 100.0 * size.n_points),
    number=False,
)
EVENTS_SWEEP = _count("events_sweep", 1, LONGEST, explanation="The sweep whose every visit is recorded.")
SEED = _count("seed", 0, 2**32 - 1, explanation="Same seed, same run.", default=0)

OPTIONS = by_name(
    (
        N_CLUSTERS,
        N_COMPONENTS,
        PENALTY,
        SWEEP,
        TEMPERATURE,
        ORDER,
        SAMPLER,
        INIT_CLUSTERS,
        N_INIT,
        MAX_SWEEPS,
        N_SWEEPS,
        BURN_IN,
        THIN,
        SPLIT_MERGE,
        EVENTS_SWEEP,
        SEED,
        EFFORT,
        MISSING,
        FIRST_SWEEP,
        COARSENING,
    )
)
"""Every option that is a field of ``RunConfig``, by name; ``init`` is a kind of start or an array instead."""
