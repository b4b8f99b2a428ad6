"""How runs are written as numbers: what the driver reads and fills, and what a caller writes and reads."""

from __future__ import annotations

from dpviz.engine.kernels.seeding import STRATEGIES

SETTINGS = (
    "algorithm", "n_points", "n_features", "start", "n_clusters", "seed", "n_starts", "order", "max_sweeps",
    "temperature", "burn_in", "thin", "one_point", "penalty", "until_birth", "width", "partition",
    "concentration", "second", "n_components", "split_merge",
    "law", "law_first", "law_second", "law_origin", "second_law", "second_first", "second_second", "second_origin",
    "effort", "operations",
)  # fmt: skip
"""The numbers of a run, in this order; NaN stands for what is not given."""
(
    ALGORITHM, N_POINTS, N_FEATURES, START, N_CLUSTERS, SEED, N_STARTS, ORDER, MAX_SWEEPS,
    TEMPERATURE, BURN_IN, THIN, ONE_POINT, PENALTY, UNTIL_BIRTH, WIDTH, PARTITION,
    CONCENTRATION, SECOND, N_COMPONENTS, SPLIT_MERGE,
    LAW_OF_CONCENTRATION, _, _, _, LAW_OF_SECOND, _, _, _,
    EFFORT, OPERATIONS,
) = range(len(SETTINGS))  # fmt: skip

ALGORITHMS = ("kmeans", "dpmeans", "mapdp", "gibbs")
KMEANS, DPMEANS, MAPDP, GIBBS = range(len(ALGORITHMS))
STARTS = (*STRATEGIES[:-1], "auto", "sequential", "labels", "centres")
"""In the place of the last strategy, K-means with a number of clusters for each of several starts."""
SINGLE, _, _, _, AUTO, SEQUENTIAL, LABELS, CENTRES = range(len(STARTS))
ORDERS = ("index", "permuted", "shuffled")
INDEX, PERMUTED, SHUFFLED = range(len(ORDERS))
ENGINE, COLUMNS = "engine", "columns"
"""The modules: of the families below, and of tables of columns, each of its own kind."""
FAMILIES = ("normal_wishart", "normal_gamma", "spherical_normal", "normal_known_covariance")
CENTRES_ONLY = "centres"
"""In the place of a family in names of entries, for algorithms without a model."""
PARTITIONS = ("chinese_restaurant", "pitman_yor", "finite_dirichlet", "powered", "generalized")
CHINESE, PITMAN_YOR, FINITE, POWERED, GENERALIZED = range(len(PARTITIONS))

LAWS = ("gamma", "beta")
"""Of hyperparameters that a chain learns, by the numbers of their kinds; one that is not shifted has no origin."""

PLACES = {
    "normal_wishart": {"m0": "location", "c0": "weight", "a0": "shape", "psi0": "spread"},
    "normal_gamma": {"m0": "location", "c0": "weight", "a0": "shape", "b0": "spread"},
    "spherical_normal": {"mu0": "location", "sigma_hat_sq": "spread", "sigma0_sq": "between"},
    "normal_known_covariance": {"mu0": "location", "sigma_hat": "spread", "sigma0": "between"},
}
"""In which block after the data each hyperparameter of a family is written, where it takes the first places.

These are location, weight, shape, spread and between, of D, 1, 1, D² and D² numbers, NaN where the data choose."""

ROW = ("n_clusters", "n_moved", "n_born", "n_died", "nll", "objective", "n_sizes", "concentration", "second")
"""The numbers of a recorded sweep; ``n_sizes`` counts clusters without points that keep a number; NaN is none."""
N_ROW, NLL, OBJECTIVE, N_SIZES, LEARNED = len(ROW), 4, 5, 6, 7
"""Numbers of a row, and where some of them are; of those that are learned the first."""
SUMMARY = ("n_rows", "chosen_start", "converged", "score", "stage", "latest", "improved", "share", "over", "writing")
"""What is known of a run so far: its best start's rows, number and end, the lowest score that counts, and how far it
is: the present start, whether the search has found better, its progress from 0 to 1, whether all is over, and in which
half of a record of several starts the next one is written; the best is in the other."""
N_ROWS, CHOSEN, HAS_CONVERGED, SCORE, STAGE, LATEST, IS_IMPROVED, SHARE, IS_OVER, WRITING = range(len(SUMMARY))
BEGINS, STARTING, SEARCHES = range(3)
"""Stages of a run."""
KEPT = 1024
"""Numbers in whose place a job is kept, and in the second half the present start, or the search."""
SHAPE = ("label", "x", "y", "xx", "xy", "yy", "inner", "outer")
"""The numbers of a cluster's shape in the displayed plane: its label, centre, scale matrix and two radii."""
N_SHAPE = len(SHAPE)
MOST_SHAPES = 40
"""Partitions of more clusters get no shapes: they would be indistinguishable."""
ENDED = -2
"""In place of visits, of a sweep that the run did not reach."""
