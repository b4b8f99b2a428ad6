"""Terms and symbols in plain words."""

from __future__ import annotations

GLOSSARY: dict[str, str] = {
    "ARI": "Adjusted Rand index of two partitions: 1 if they are the same, about 0 if they agree by chance. A group in "
    "pieces usually costs it more than it costs NMI.",
    "Assignment z": "Which cluster each point belongs to; all of them together are a partition of the points.",
    "Burn-in": "Sweeps at the beginning of a chain that are left out, since they still depend on where it began.",
    "Chinese restaurant process (CRP)": "A prior of partitions: a guest joins a table of n with weight n and an empty "
    "one with weight N0. Its law does not depend on the order of the guests.",
    "Concentration N0": "Weight of a new cluster beside the numbers of points in the others. It is no number of "
    "clusters: before the data are seen, about N0 · ln(1 + N/N0) clusters are expected among N points; the data then "
    "have the larger say, so that N0 may be far off and K still be right.",
    "Converged": "No single point would move any more. There may be better partitions all the same.",
    "Cost": "What a method lowers, sweep by sweep: nll where clusters are probability models, squared distances to "
    "centres for K-means and DP-means. Costs of different kinds cannot be compared.",
    "Dirichlet process (DP)": "A prior of mixtures with as many clusters as the data call for; under it the partition "
    "of N points is a Chinese restaurant process.",
    "DP-means": "K-means that opens a cluster for a point farther than λ (squared) from every centre.",
    "E-M": "Fits a mixture of Gaussians with a given number of components; points belong to each of them in part.",
    "Family": "What a cluster looks like: a normal distribution, counts, durations, categories.",
    "Gibbs sampling": "Draws each point's cluster by its probability given all the others; its sweeps are draws from "
    "the posterior of partitions.",
    "K": "The number of clusters.",
    "K-means": "Moves each point to the nearest of K centres and each centre to the mean of its points, in turns, "
    "until nothing moves; K has to be told.",
    "MAP-DP": "Maximum a posteriori clustering with a Dirichlet process, like a K-means that may open clusters: moves "
    "each point to its most probable cluster, or a new one, until nothing moves.",
    "nll (nats)": "Negative log likelihood −ln p(X, z) of data and partition together; lower is more probable. A "
    "difference of 1 nat is a factor of e ≈ 2.7.",
    "NMI": "Normalised mutual information of two partitions: 1 if they are the same, 0 if one says nothing of the "
    "other.",
    "Partition prior": "How probable a partition is before the data are seen.",
    "Pitman–Yor": "Like the CRP, with a discount that makes many small clusters more likely.",
    "Posterior": "How probable something is after the data are seen.",
    "Power r": "In the powered CRP a table of n attracts with weight n to the power r; above 1 small ones fade.",
    "Predictive density": "How probable a value is as the next member of a cluster, given the members it has.",
    "Rings": "In the pictures a cross is a cluster's centre as the model expects it, the solid ring holds half "
    "of the points that it expects there, the dashed one 95 %; a legend says where they mean something else. With few "
    "points in it, the prior counts as well, and a cluster of one point is not centred there.",
    "Seed": "Number from which all random numbers of a run, or of drawn data, follow: the same seed, the same result.",
    "Sweep": "One visit to every point.",
    "Width": "How wide one cluster is expected to be, as a share of all the data.",
}
"""Every term by name, in alphabetical order."""
