"""Customers who come one by one: what the order does where a prior is not exchangeable (2018 Sec. 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
