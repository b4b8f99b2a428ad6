"""What the engine must compute, written as plainly as possible; nothing here imports the package under test.

Marginal likelihoods are the joint densities of all points at once (a normal, a Student t, a matrix t, an urn from which
all draws are made in turn), not the updated posteriors that the engine uses; a predictive is a ratio of two of them. A
partition prior is one function of the cluster sizes, normalised by enumeration. A sweep takes a point out, scores every
seat, and puts it back.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache, lru_cache

import numpy as np
from scipy import stats
from scipy.special import betaln, gammaln, i0e, logsumexp, multigammaln

# --- log marginal likelihoods (nats) of the points X (n, D) as one cluster --------------------------------------------


def normal_wishart(X, m0, c0, a0, psi0):
    """Matrix t: rows correlated by 1 1ᵀ/c0 through the common mean, columns by Ψ0."""
    n, n_features = X.shape
    shared = np.eye(n) + 1 / c0
    shifted = X - m0
    inner = np.eye(n) + np.linalg.solve(shared, shifted @ np.linalg.solve(psi0, shifted.T))
    return (
        multigammaln((a0 + n) / 2, n_features)
        - multigammaln(a0 / 2, n_features)
        - n * n_features / 2 * math.log(math.pi)
        - n / 2 * np.linalg.slogdet(psi0)[1]
        - n_features / 2 * np.linalg.slogdet(shared)[1]
        - (a0 + n) / 2 * np.linalg.slogdet(inner)[1]
    )


def normal_gamma(X, m0, c0, a0, b0):
    """Student t over the n values of each feature, with scale matrix b0/a0 · (I + 1 1ᵀ/c0)."""
    n = len(X)
    total = 0.0
    for column, m, b in zip(X.T, m0, b0, strict=True):
        scale = b / a0 * (np.eye(n) + 1 / c0)
        squared = (column - m) @ np.linalg.solve(scale, column - m)
        total += (
            gammaln(a0 + n / 2)
            - gammaln(a0)
            - n / 2 * math.log(2 * a0 * math.pi)
            - 0.5 * np.linalg.slogdet(scale)[1]
            - (a0 + n / 2) * math.log1p(squared / (2 * a0))
        )
    return total


def normal_known_covariance(X, mu0, sigma0, sigma_hat):
    """Normal over all n D numbers, with covariance Σ̂ within a point and Σ0 between any two."""
    n = len(X)
    covariance = np.kron(np.eye(n), sigma_hat) + np.kron(np.ones((n, n)), sigma0)
    shifted = (X - mu0).ravel()
    squared = shifted @ np.linalg.solve(covariance, shifted)
    return -0.5 * (shifted.size * math.log(2 * math.pi) + np.linalg.slogdet(covariance)[1] + squared)


def spherical_normal(X, mu0, sigma0_sq, sigma_hat_sq):
    identity = np.eye(X.shape[1])
    return normal_known_covariance(X, mu0, sigma0_sq * identity, sigma_hat_sq * identity)


def exponential(X, alpha0, beta0):
    """Multivariate Lomax: all durations share a factor that is gamma distributed."""
    n = len(X)
    total = 0.0
    for column, alpha, beta in zip(X.T, alpha0, beta0, strict=True):
        total += sum(math.log(alpha + i) for i in range(n)) - n * math.log(beta)
        total -= (alpha + n) * math.log1p(math.fsum(column) / beta)
    return total


def poisson(X, alpha0, beta0):
    """The sum is negative binomial; given it, every event falls on each of the n points alike."""
    n = len(X)
    total = 0.0
    for column, alpha, beta in zip(X.T, alpha0, beta0, strict=True):
        total += stats.nbinom.logpmf(column.sum(), alpha, beta / (beta + n))
        total += stats.multinomial.logpmf(column, column.sum(), np.full(n, 1 / n))
    return total


def urn(draws, counts):
    """Pólya's urn: log probability of drawing these colours in turn, each put back with another of its kind."""
    counts, total = list(counts), 0.0
    for colour in draws:
        total += math.log(counts[colour] / sum(counts))
        counts[colour] += 1
    return total


def geometric(X, alpha0, beta0):
    """An urn of successes and failures: each point is x failures, then a success."""
    total = 0.0
    for column, alpha, beta in zip(X.T, alpha0, beta0, strict=True):
        total += urn([outcome for x in column for outcome in [1] * int(x) + [0]], (alpha, beta))
    return total


def negative_binomial(X, alpha0, beta0, dispersion):
    """Success probabilities integrated out by the beta function; each count is one of Γ(x + r)/(Γ(r) x!) ways."""
    total = 0.0
    for column, alpha, beta, phi in zip(X.T, alpha0, beta0, dispersion, strict=True):
        r = 1 / phi
        total += betaln(alpha + len(column) * r, beta + column.sum()) - betaln(alpha, beta)
        total += sum(gammaln(x + r) - gammaln(r) - gammaln(x + 1) for x in column)
    return total


def binomial(X, alpha0, beta0, trials):
    """The same urn, in as many ways as successes can be placed among the trials."""
    total = 0.0
    for column, alpha, beta, t in zip(X.T, alpha0, beta0, trials, strict=True):
        outcomes = [outcome for x in column for outcome in [0] * int(x) + [1] * int(t - x)]
        total += urn(outcomes, (alpha, beta)) + sum(math.log(math.comb(int(t), int(x))) for x in column)
    return total


def categorical(X, n_categories, alpha0):
    """An urn of as many colours as there are categories; alpha0 may have a row per column."""
    rows = np.broadcast_to(alpha0, (X.shape[1], np.shape(alpha0)[-1]))
    return sum(urn(column.astype(int), row[:n]) for column, n, row in zip(X.T, n_categories, rows, strict=True))


def circular(X, period, resolution, m0, n0, s0):
    """Mean directions are summed over an even grid, exact for what is periodic, and concentrations over theirs."""
    means, total = np.linspace(0, 2 * np.pi, 4096, endpoint=False), 0.0
    for x, p, step, m, n, s in zip(X.T, period, resolution, m0, n0, s0, strict=True):
        sharpest = (p / (2 * np.pi * step)) ** 2
        kappas = np.array([0.0, *(0.5 * 2.0**j for j in range(18) if 0.5 * 2.0**j <= sharpest * (1 + 1e-9))])[:, None]
        flat = np.log(i0e(kappas)) + kappas
        before = kappas * (n - s) * np.cos(means - 2 * np.pi * m / p) - n * flat
        after = before + sum(kappas * np.cos(2 * np.pi * cell / p - means) - flat for cell in x)
        total += logsumexp(after) - logsumexp(before) - len(x) * math.log(p)
    return total


def hurdle(X, alpha0, beta0, m0, c0, a0, b0):
    """An urn of zeros and positive values, whose logarithms are a real column of their own; densities per unit of x."""
    total = 0.0
    for x, alpha, beta, m, c, a, b in zip(X.T, alpha0, beta0, m0, c0, a0, b0, strict=True):
        positive = x[x > 0]
        total += urn([0 if value == 0 else 1 for value in x], (alpha, beta)) - math.fsum(np.log(positive))
        total += normal_gamma(np.log(positive)[:, None], [m], c, a, [b]) if len(positive) else 0.0
    return total


def share(X, alpha0, omega0, beta0, m0, c0, a0, b0, whole):
    """An urn of zeros, wholes and others, whose logits are a real column of their own; densities per unit of x."""
    total = 0.0
    for x, alpha, omega, beta, m, c, a, b, top in zip(X.T, alpha0, omega0, beta0, m0, c0, a0, b0, whole, strict=True):
        others = x[(x != 0) & (x != top)]
        total += urn([0 if value == 0 else 1 if value == top else 2 for value in x], (alpha, omega, beta))
        total += math.fsum(math.log(top / (value * (top - value))) for value in others)
        logits = np.log(others / (top - others))
        total += normal_gamma(logits[:, None], [m], c, a, [b]) if len(others) else 0.0
    return total


def multinomial(X, alpha0, total):
    """An urn from which the counts of all rows are drawn one by one, and the ways in which each row can be ordered."""
    outcomes = [v for row in X for v, count in enumerate(row) for _ in range(int(count))]
    ways = [math.lgamma(row.sum() + 1) - sum(math.lgamma(count + 1) for count in row) for row in X]
    return urn(outcomes, alpha0) + math.fsum(ways)


def counted_multinomial(X, alpha0, total, total_alpha0, total_beta0, total_dispersion):
    """The same, and the totals a column of their own."""
    of_totals = negative_binomial(X.sum(axis=1)[:, None], [total_alpha0], [total_beta0], [total_dispersion])
    return multinomial(X, alpha0, total) + of_totals


MIXED = (
    ("normal_gamma", normal_gamma),
    ("normal_wishart", normal_wishart),
    ("exponential", exponential),
    ("poisson", poisson),
    ("geometric", geometric),
    ("binomial", binomial),
    ("categorical", categorical),
    ("circular", circular),
    ("hurdle", hurdle),
    ("multinomial", multinomial),
    ("counted_multinomial", counted_multinomial),
    ("share", share),
)


def mixed(X, columns, **hyperparameters):
    """Columns by the number of their family, independent of those of other families."""
    total = 0.0
    for code, (name, log_marginal) in enumerate(MIXED):
        if code in columns:
            own = {key.removeprefix(f"{name}_"): v for key, v in hyperparameters.items() if key.startswith(f"{name}_")}
            total += log_marginal(X[:, np.asarray(columns) == code], **own)
    return total


LOG_MARGINALS = {
    "normal_wishart": normal_wishart,
    "normal_gamma": normal_gamma,
    "spherical_normal": spherical_normal,
    "normal_known_covariance": normal_known_covariance,
    "exponential": exponential,
    "categorical": categorical,
    "binomial": binomial,
    "poisson": poisson,
    "geometric": geometric,
    "negative_binomial": negative_binomial,
    "circular": circular,
    "hurdle": hurdle,
    "share": share,
    "multinomial": multinomial,
    "counted_multinomial": counted_multinomial,
    "mixed": mixed,
}


ALONG_COLUMNS = {
    "normal_gamma": ("m0", "b0"),
    "spherical_normal": ("mu0",),
    "exponential": ("alpha0", "beta0"),
    "poisson": ("alpha0", "beta0"),
    "geometric": ("alpha0", "beta0"),
    "binomial": ("alpha0", "beta0", "trials"),
    "categorical": ("n_categories",),
    "negative_binomial": ("alpha0", "beta0", "dispersion"),
    "circular": ("period", "resolution", "m0", "n0", "s0"),
    "hurdle": ("alpha0", "beta0", "m0", "c0", "a0", "b0"),
    "share": ("alpha0", "omega0", "beta0", "m0", "c0", "a0", "b0", "whole"),
}
"""Families of independent columns, and which of their hyperparameters have an entry per column."""


def with_gaps(X, family, hyperparameters):
    """The cells that there are, column by column; NaN cells are left out."""
    if family == "mixed":
        codes, total = np.asarray(hyperparameters["columns"]), 0.0
        for code, (name, _) in enumerate(MIXED):
            own = {k.removeprefix(f"{name}_"): v for k, v in hyperparameters.items() if k.startswith(f"{name}_")}
            total += with_gaps(X[:, codes == code], name, own) if code in codes else 0.0
        return total
    total = 0.0
    for d, column in enumerate(X.T):
        along = [k for k, v in hyperparameters.items() if k in ALONG_COLUMNS[family] or np.ndim(v) == 2]
        own = {k: v[d : d + 1] if k in along else v for k, v in hyperparameters.items()}
        cells = column[~np.isnan(column), None]
        total += LOG_MARGINALS[family](cells, **own) if len(cells) else 0.0
    return total


# --- partition priors: ln p(z) up to a constant, from the cluster sizes alone -----------------------------------------


def chinese_restaurant(sizes, concentration):
    return len(sizes) * math.log(concentration) + sum(math.lgamma(n) for n in sizes)


def powered(sizes, concentration, power):
    return len(sizes) * math.log(concentration) + power * sum(math.lgamma(n) for n in sizes)


def generalized(sizes, concentration, log_g):
    return len(sizes) * math.log(concentration) + sum(log_g[j - 1] for n in sizes for j in range(1, n))


def pitman_yor(sizes, concentration, discount):
    opened = sum(math.log(concentration + k * discount) for k in range(1, len(sizes)))
    return opened + sum(math.lgamma(n - discount) - math.lgamma(1 - discount) for n in sizes)


def finite_dirichlet(sizes, concentration, n_components):
    if len(sizes) > n_components:
        return -math.inf
    share = concentration / n_components
    arrangements = math.lgamma(n_components + 1) - math.lgamma(n_components - len(sizes) + 1)
    return arrangements + sum(math.lgamma(n + share) - math.lgamma(share) for n in sizes)


def log_pmf_components(k, law):
    """Ln p(k) of k = 1, 2, … components under 'bnb(r,α,β)', 'poisson(r)' or 'geometric(p)' for their number minus 1."""
    name, _, numbers = law.rstrip(")").partition("(")
    own, j = [float(number) for number in numbers.split(",")], k - 1
    if name == "geometric":
        return math.log(own[0]) + j * math.log1p(-own[0])
    if name == "poisson":
        return j * math.log(own[0]) - own[0] - gammaln(j + 1)
    r, a, b = own
    return gammaln(r + j) - gammaln(j + 1) - gammaln(r) + betaln(a + r, b + j) - betaln(a, b)


@cache
def log_v(n, t, gamma, law):
    """Ln of Σ k!/(k − t)! · Γ(γk) / Γ(γk + n) · p(k) over k ≥ t, term by term (Miller & Harrison 2018, eq. 3.2)."""
    k = np.arange(max(t, 1), t + {"p": 1_000, "g": 20_000, "b": 200_000}[law[0]], dtype=float)
    choices = gammaln(k + 1) - gammaln(k - t + 1)
    return float(logsumexp(choices + gammaln(gamma * k) - gammaln(gamma * k + n) + log_pmf_components(k, law)))


def finite_mixtures(sizes, gamma, n_components):
    total = log_v(int(sum(sizes)), len(sizes), gamma, n_components)
    return total + sum(math.lgamma(n + gamma) - math.lgamma(gamma) for n in sizes)


PARTITION_LOG_WEIGHTS = {
    "chinese_restaurant": chinese_restaurant,
    "powered": powered,
    "generalized": generalized,
    "pitman_yor": pitman_yor,
    "finite_dirichlet": finite_dirichlet,
    "finite_mixtures": finite_mixtures,
}

PARTITION_PARAMETERS = {}
"""Parameters of each prior, by name; what uses this module fills them in, since it imports nothing itself."""


def partition_log_weight(prior, sizes):
    """Ln p(z) + constant under one of the priors of ``PARTITION_PARAMETERS``."""
    return PARTITION_LOG_WEIGHTS[prior](sizes, **PARTITION_PARAMETERS[prior])


def set_partitions(n):
    """All partitions of n points as an array of labels (B_n, n), numbered by first appearance."""
    rows = [[0]]
    for _ in range(n - 1):
        rows = [[*row, label] for row in rows for label in range(max(row) + 2)]
    return np.array(rows)


def seated_one_by_one(labels, alpha, g):
    """Probability that customers who come one by one sit down like this, with a weight g(n) of a table of n."""
    probability = 1.0
    for i, label in enumerate(labels):
        sizes = Counter(labels[:i])
        total = alpha + sum(map(g, sizes.values()))
        probability *= (g(sizes[label]) if sizes[label] else alpha) / total
    return probability


def shapes(n, largest=None):
    """All ways to write n as a sum of sizes, each in falling order."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in shapes(n - first, first):
            yield (first, *rest)


@lru_cache
def log_normaliser(prior, n):
    """Log sum of the weights of all partitions of n points: every shape, times the partitions that have it."""
    terms = []
    for sizes in shapes(n):
        orderings = sum(math.lgamma(size + 1) for size in sizes)
        repeats = sum(math.lgamma(count + 1) for count in Counter(sizes).values())
        terms.append(math.lgamma(n + 1) - orderings - repeats + partition_log_weight(prior, sizes))
    return float(logsumexp(terms))


# --- the joint, and sweeps over it ------------------------------------------------------------------------------------


class Model:
    """Joint density of the data X (N, D) and their partition; marginals are kept per subset of points."""

    def __init__(self, X, family, hyperparameters, prior):
        self.X, self.prior = X, prior
        self._family, self._hyperparameters = family, hyperparameters
        self._known = {frozenset(): 0.0}

    def log_marginal(self, members):
        key = frozenset(members)
        if key not in self._known:
            members = self.X[sorted(key)]
            if np.isnan(members).any():
                found = with_gaps(members, self._family, self._hyperparameters)
            else:
                found = LOG_MARGINALS[self._family](members, **self._hyperparameters)
            self._known[key] = float(found)
        return self._known[key]

    def log_joint(self, labels):
        """Ln p(X, z) in nats, up to the prior's normaliser."""
        blocks = blocks_of(labels)
        return partition_log_weight(self.prior, [len(b) for b in blocks]) + sum(map(self.log_marginal, blocks))

    def nll(self, labels):
        """Exact −ln p(X, z)."""
        return log_normaliser(self.prior, len(labels)) - self.log_joint(labels)

    def objective(self, labels):
        """The papers' E: each point's density given its fellows in place of the marginals (2016 eq. 12)."""
        blocks = blocks_of(labels)
        log_prior = partition_log_weight(self.prior, [len(b) for b in blocks]) - log_normaliser(self.prior, len(labels))
        return -log_prior - sum(self.log_marginal(b) - self.log_marginal(b - {i}) for b in blocks for i in b)

    def posterior(self, partitions, temperature=1.0):
        """Probability of each row of ``set_partitions(N)``, ∝ p(X, z)^(1/T)."""
        log_joint = np.array([self.log_joint(labels) for labels in partitions]) / temperature
        return np.exp(log_joint - logsumexp(log_joint))

    def scores(self, blocks, i, starting=None):
        """Log joint (+ constant) with point i in each of ``blocks``, which are without it, and last in a new one.

        The block ``starting`` is weighed as if one point sat there (first sweep of a single start, 2016 App. B).
        """
        sizes = [len(block) for block in blocks]
        scores = []
        for k, block in enumerate(blocks):
            seated = [*sizes[:k], sizes[k] + 1, *sizes[k + 1 :]]
            score = partition_log_weight(self.prior, seated) - partition_log_weight(self.prior, sizes)
            if k == starting:  # join(1) in place of join(n): their ratio, by two partitions of n + 2 points
                smaller = partition_log_weight(self.prior, [2, sizes[k]])
                score += smaller - partition_log_weight(self.prior, [1, sizes[k] + 1])
            scores.append(score + self.log_marginal(block | {i}) - self.log_marginal(block))
        opened = partition_log_weight(self.prior, [*sizes, 1]) - partition_log_weight(self.prior, sizes)
        return np.array([*scores, opened + self.log_marginal({i})])

    def sweep(self, labels, order, temperature=0.0, uniforms=None, first_sweep_rule=False):
        """Visit every point once; labels are 0 … K − 1 from the oldest to the youngest cluster, before and after.

        Temperature 0 takes the highest score, of equals the present cluster's and then the oldest one's; otherwise
        ``uniforms`` choose along the cumulative probabilities, in the same order.
        """
        blocks = blocks_of(labels)
        first = blocks[0] if first_sweep_rule else None
        for position, i in enumerate(order):
            home = next(block for block in blocks if i in block)
            home.remove(i)
            others = [block for block in blocks if block]
            starting = next((k for k, block in enumerate(others) if block is first), None)
            scores = self.scores(others, i, starting)
            seats = [*others, home if not home else set()]
            candidates = sorted(range(len(seats)), key=lambda k, seats=seats, home=home: seats[k] is not home)
            ranked = scores[candidates]
            if temperature == 0:
                chosen = int(np.argmax(ranked))
            else:
                cumulative = np.cumsum(np.exp((ranked - ranked.max()) / temperature))
                chosen = int(np.searchsorted(cumulative, uniforms[position] * cumulative[-1], side="right"))
            seat = seats[candidates[chosen]]
            seat.add(int(i))
            blocks = [block for block in blocks if block]
            if not any(block is seat for block in blocks):
                blocks.append(seat)
        after = np.empty(len(labels), dtype=np.int64)
        for k, block in enumerate(blocks):
            after[list(block)] = k
        return after


def blocks_of(labels):
    """Members of each cluster as sets, in the order of the labels."""
    labels = np.asarray(labels).tolist()
    blocks = [set() for _ in range(max(labels) + 1)]
    for i, label in enumerate(labels):
        blocks[label].add(i)
    return blocks
