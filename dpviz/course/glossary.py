"""Terms and symbols in plain words."""

from __future__ import annotations

GLOSSARY: dict[str, str] = {
    "ARI": "Adjusted Rand index of two partitions: 1 if they are the same, about 0 if they agree by chance. A group in "
    "pieces usually costs it more than it costs NMI.",
    "Assignment z": "Which cluster each point belongs to; all of them together are a partition of the points.",
    "Burn-in": "Sweeps at the beginning of a chain that are left out, since they still depend on where it began.",
    "Chinese restaurant process (CRP)": "A prior of partitions: a guest joins a table of n with weight n and an empty "
    "one with weight N0. Its law does not depend on the order of the guests.",
    "Concentration N0": "Weight of a new cluster. The more, the more clusters are expected before seeing data: about "
    "N0 · ln(1 + N/N0) among N points.",
    "Converged": "No single point would move any more. There may be better partitions all the same.",
    "DP-means": "K-means that opens a cluster for a point farther than λ (squared) from every centre.",
    "E-M": "Fits a mixture of Gaussians with a given number of components; points belong to each of them in part.",
    "Family": "What a cluster looks like: a normal distribution, counts, durations, categories.",
    "Gibbs sampling": "Draws each point's cluster by its probability given all the others; its sweeps are draws from "
    "the posterior of partitions.",
    "K": "The number of clusters.",
    "MAP-DP": "Moves each point to its most probable cluster, or a new one, until nothing moves.",
    "nll (nats)": "Negative log likelihood −ln p(X, z) of data and partition together; lower is more probable. A "
    "difference of 1 nat is a factor of e ≈ 2.7.",
    "NMI": "Normalised mutual information of two partitions: 1 if they are the same, 0 if one says nothing of the "
    "other.",
    "Partition prior": "How probable a partition is before the data are seen.",
    "Pitman–Yor": "Like the CRP, with a discount that makes many small clusters more likely.",
    "Posterior": "How probable something is after the data are seen.",
    "Power r": "In the powered CRP a table of n attracts with weight n to the power r; above 1 small ones fade.",
    "Predictive density": "How probable a value is as the next member of a cluster, given the members it has.",
    "Sweep": "One visit to every point.",
    "Width": "How wide one cluster is expected to be, as a share of all the data.",
}
"""Every term by name, in alphabetical order."""
