"""Customers who come one by one: what the order does where a prior is not exchangeable (2018 Sec. 2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.partition import PartitionPrior


def log_probability_of_seating(prior: PartitionPrior, tables: Sequence[int]) -> float:
    """Return ln of the probability that customers who come one by one, in this order, sit down like this.

    Under priors that are not :attr:`~dpviz.partition.PartitionPrior.consistent`, such as the powered restaurant, it
    depends on the order (Lu, Li & Dunson 2018, eq. 2 read as a sequence).

    Parameters
    ----------
    prior : PartitionPrior
    tables : sequence of int (N,)
        Table of each customer, in the order in which they come.

    Returns
    -------
    float
        Nats.
    """
    sizes: dict[int, int] = {}
    total = 0.0
    for table in tables:
        if sizes:
            weights = prior.log_seat_weights(np.array(list(sizes.values())))
            place = list(sizes).index(table) if table in sizes else -1
            total += float(weights[place] - np.logaddexp.reduce(weights))
        sizes[table] = sizes.get(table, 0) + 1
    return total


def law_of_sizes(weights: Sequence[float], concentration: float) -> dict[tuple[int, ...], float]:
    """Return how probable all sizes of tables are when customers come one by one (Lu, Li & Dunson 2018, eq. 3).

    There are as many as ways to write N as a sum: 627 for twenty customers, and 5,604 for thirty.

    Parameters
    ----------
    weights : sequence of float (N,)
        g(1), g(2), …, g(N): those of a table by its customers.
    concentration : float
        α, that of a new table.

    Returns
    -------
    dict of tuple of int to float
        Probability of each, with sizes in falling order.
    """
    laws: dict[tuple[int, ...], float] = {(1,): 1.0}
    for _ in weights[1:]:
        after: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for sizes, probability in laws.items():
            share = probability / (concentration + sum(weights[size - 1] for size in sizes))
            after[(*sizes, 1)] += share * concentration
            for size, n_alike in Counter(sizes).items():
                first = sizes.index(size)
                after[(*sizes[:first], size + 1, *sizes[first + 1 :])] += share * n_alike * weights[size - 1]
        laws = dict(after)
    return laws


def mean_sizes(law: Mapping[tuple[int, ...], float]) -> FloatArray:
    """Return the expected customers (N,) at the largest table, at the second largest and so on.

    Parameters
    ----------
    law : mapping of tuple of int to float
        As :func:`law_of_sizes` returns it, of N customers.
    """
    means = np.zeros(sum(next(iter(law))))
    for sizes, probability in law.items():
        means[: len(sizes)] += probability * np.array(sizes)
    return means


def log_weights_by_stretches(knots: Sequence[int], powers: Sequence[float], n: int) -> FloatArray:
    """Return ln g(1), …, ln g(n) of a weight whose power changes at some sizes, as ndarray (n,).

    Parameters
    ----------
    knots : sequence of int
        Sizes from which on each power holds, up to the next; rising from 1, where g is 1.
    powers : sequence of float
        As many.
    n : int
    """
    logs, begins = np.log(np.arange(1, n + 1)), np.log(knots)
    ends = [*begins[1:], np.inf]
    return np.sum([p * (np.clip(logs, a, b) - a) for p, a, b in zip(powers, begins, ends, strict=True)], axis=0)
