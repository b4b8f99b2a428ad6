"""Terms and symbols in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable

GLOSSARY: dict[str, str] = {
    "ARI": "Adjusted Rand index of two partitions: 1 if they are the same, about 0 if they agree by chance. A group "
    "in pieces usually costs it more than it costs NMI.",
    "Assignment z": "Which cluster each point belongs to; all of them together are a partition of the points.",
    "Burn-in": "Sweeps at the beginning of a chain that are left out, since they still depend on where it began.",
    "Chain": "The partitions that a sampler draws one after the other, each from the one before.",
    "Chinese restaurant process (CRP)": "A prior of partitions: given all others, a guest joins a table of n with "
    "weight n and an empty one with weight N0. Its law does not depend on the order of the guests.",
    "Concentration N0": "Weight of a new cluster beside the numbers of points in the others. It is no number of "
    "clusters: before the data are seen, about N0 · ln(1 + N/N0) clusters are expected among N points, if N0 is 1 or "
    "more. The K of the best partition depends little on it where groups lie apart; the posterior of K does.",
    "Converged": "Of a method that optimises: no single point would move any more, though there may be better "
    "partitions. Of chains: they no longer depend on where they began, and cannot be told apart.",
    "Cost": "What is drawn of a run, sweep by sweep: nll where clusters are probability models, squared distances to "
    "centres for K-means and DP-means. Methods that optimise lower it, but for the first sweep of a start from one "
    "cluster; in a chain it goes up and down. Costs of different kinds, data or priors cannot be compared.",
    "Dirichlet process (DP)": "A prior of distributions with infinitely many components, of which N points occupy a "
    "number that grows about as N0 ln N; their partition is a Chinese restaurant process.",
    "DP-means": "K-means that opens a cluster for a point farther than λ (squared) from every centre.",
    "E-M": "Fits a mixture of Gaussians with a given number of components; points belong to each of them in part.",
    "Effective sample size": "How many independent draws would tell a mean as well as the draws of a chain, which are "
    "alike if they follow each other.",
    "Family": "What a cluster looks like: a normal distribution, counts, durations, categories.",
    "Fit": "−ln of the marginal likelihood of the points, given their clusters: an average over all parameters that "
    "each cluster might have, so that further clusters do not fit better at no charge.",
    "Gaussian": "A normal distribution: a bell curve, in the plane an ellipse with blurred borders.",
    "Gibbs sampling": "Draws each point's cluster by its probability given all the others. After burn-in its sweeps "
    "are draws from the posterior of partitions that depend on each other; averages over them tend to posterior "
    "averages.",
    "K": "The number of clusters.",
    "K-means": "Moves each point to the nearest of K centres and each centre to the mean of its points, in turns, "
    "until nothing moves; K has to be told.",
    "MAP-DP": "Maximum a posteriori clustering with a Dirichlet process, like a K-means that may open clusters: moves "
    "each point to its most probable cluster, or a new one, until nothing moves.",
    "Mixture": "A distribution that is a weighted sum of components, such as Gaussians; a cluster holds the points of "
    "one.",
    "Mixture of finite mixtures": "A prior of mixtures with one on the number of components, instead of infinitely "
    "many.",
    "Monte Carlo error": "Standard error of what a chain tells, since it has so many sweeps only: about two of three "
    "runs are that close. It cannot be told of a value that the chain never left.",
    "nll (nats)": "−ln p(X, z), where p is the joint density of data and partition, the partition's prior included: "
    "up to a constant the negative log posterior of the partition. Lower is more probable; a difference of 1 nat is a "
    "factor of e ≈ 2.7.",
    "NMI": "Normalised mutual information of two partitions: 1 if they are the same, 0 if one says nothing of the "
    "other. It forgives groups in pieces more than ARI does.",
    "Objective": "What a method minimises; of K-means the sum of squared distances of points to their centres.",
    "Partition prior": "How probable a partition is before the data are seen.",
    "Pitman–Yor": "Like the CRP, with a discount that makes many small clusters more likely.",
    "Posterior": "How probable something is after the data are seen.",
    "Power r": "In the powered CRP, given all others, a table of n attracts with weight n to the power r; above 1 "
    "small ones fade. It is no order of arrival: to seat guests one by one by these weights has another law.",
    "Predictive density": "How probable a value is as the next member of a cluster, given the members it has.",
    "Principal component": "The direction in which the points vary most, or most beside those before it.",
    "Prior": "How probable something is before the data are seen.",
    "R-hat": "Compares the spread of a number over all chains with that within each: near 1 if they cannot be told "
    "apart. For results it should be below 1.01.",
    "Rings": "In the pictures a cross is a cluster's centre as the model expects it, the solid ring holds half of the "
    "points that it expects there, the dashed one 95 %; a legend says where they mean something else. With few points "
    "in it, the prior counts as well, and a cluster of one point is not centred there. K-means has no model: its "
    "rings show how its points are spread.",
    "Seed": "Number from which all random numbers of a run, or of drawn data, follow: the same seed, the same result.",
    "Sweep": "One visit to every point.",
    "Weights": "Shares of a mixture's components, which add up to 1.",
    "Width": "The variance that is expected in one cluster before its points are seen, as a share of that of all the "
    "data.",
}
"""Every term by name, in alphabetical order."""

IN_TEXTS: dict[str, str] = {
    "ARI": "ARI",
    "burn-in": "Burn-in",
    "chain": "Chain",
    "chains": "Chain",
    "Chinese restaurant": "Chinese restaurant process (CRP)",
    "components": "Mixture",
    "Dirichlet process": "Dirichlet process (DP)",
    "DP-means": "DP-means",
    "Gaussian": "Gaussian",
    "Gibbs": "Gibbs sampling",
    "K-means": "K-means",
    "MAP-DP": "MAP-DP",
    "marginal likelihood": "Fit",
    "mixture": "Mixture",
    "mixture of finite mixtures": "Mixture of finite mixtures",
    "Monte Carlo error": "Monte Carlo error",
    "Monte Carlo errors": "Monte Carlo error",
    "N0": "Concentration N0",
    "nats": "nll (nats)",
    "nll": "nll (nats)",
    "NMI": "NMI",
    "objective": "Objective",
    "posterior": "Posterior",
    "power r": "Power r",
    "prior": "Prior",
    "R-hat": "R-hat",
    "sweep": "Sweep",
    "sweeps": "Sweep",
    "weights": "Weights",
    "width": "Width",
}
"""Terms by the words that stand for them in texts."""

_WORDS = re.compile(rf"(?<![\w-])({'|'.join(sorted(map(re.escape, IN_TEXTS), key=len, reverse=True))})(?![\w-])")


def anchor(term: str) -> str:
    """Return the name of a term's place in the page of terms."""
    return re.sub(r"\W+", "-", term.lower()).strip("-")


def first_uses(words: str, seen: set[str], write: Callable[[str, str], str]) -> str:
    """Rewrite the first use of each term in a text.

    Parameters
    ----------
    words : str
    seen : set of str
        Terms that were used before; those of this text are added.
    write : callable
        Given the words that stand for a term, and the term, returns what replaces them.
    """

    def written(match: re.Match[str]) -> str:
        term = IN_TEXTS[match[0]]
        if term in seen:
            return match[0]
        seen.add(term)
        return write(match[0], term)

    return _WORDS.sub(written, words)
