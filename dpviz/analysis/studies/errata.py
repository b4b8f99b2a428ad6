"""Printed formulas and sentences that are wrong, with what is right; each is proven by numbers in the tests."""

from __future__ import annotations

from typing import NamedTuple

OF_2014, OF_2016, OF_2018 = "Raykov et al. (2014)", "Raykov et al. (2016)", "Lu, Li & Dunson (2018)"


class Erratum(NamedTuple):
    """One of them.

    Attributes
    ----------
    name : str
        A short key.
    papers : tuple of (str, str)
        Each paper that has it, and where.
    printed, right : str
        As LaTeX.
    why : str
        What is wrong, and what follows from it, in a sentence or two.
    """

    name: str
    papers: tuple[tuple[str, str], ...]
    printed: str
    right: str
    why: str


ERRATA = (
    Erratum(
        "objective",
        ((OF_2014, "eq. 16"), (OF_2016, "eq. 12")),
        r"E = -\sum_i \ln f(x_i \mid \theta_{z_i}^{-i}) - K \ln N_0 - \sum_k \ln \Gamma(N_k) - C(N_0, N)"
        r"\text{ never increases}",
        r"-\ln p(X, z) = -\sum_k \ln m(X_k) - K \ln N_0 - \sum_k \ln \Gamma(N_k) - C(N_0, N)\text{ never increases}",
        "E has the density of each point given all others of its cluster, the product of which is a pseudo-likelihood. "
        "It does increase in some sweeps. What no step increases is −ln of the joint law, with the marginal likelihood "
        "m of the points of each cluster: the nll of these pages.",
    ),
    Erratum(
        "stop",
        ((OF_2014, "Algorithm 1"),),
        r"\textbf{while } \Delta[-\log p(x, z \mid \alpha)] < \epsilon",
        r"\textbf{while } \lvert\Delta[-\log p(x, z \mid \alpha)]\rvert > \epsilon",
        "As printed the loop goes on where nothing changes any more, and so never ends.",
    ),
    Erratum(
        "prediction",
        ((OF_2014, "eq. 18"),),
        r"\arg\min_k \left[\log p(x_{N+1} \mid k) - \log p(k \mid z_N, \alpha)\right]",
        r"\arg\min_k \left[-\log p(x_{N+1} \mid k) - \log p(k \mid z_N, \alpha)\right]",
        "A minus is missing: as printed a new point goes where it is least probable.",
    ),
    Erratum(
        "exponential",
        ((OF_2016, "eq. 21"),),
        r"\alpha_k^{-i} = \alpha_0 + \sum_j x_j, \quad \beta_k^{-i} = \beta_0 + N_k^{-i}",
        r"\alpha_k^{-i} = \alpha_0 + N_k^{-i}, \quad \beta_k^{-i} = \beta_0 + \sum_j x_j",
        "Both updates are swapped: these are those of Poisson counts (eq. 28). The shape counts points, the rate adds "
        "up their values.",
    ),
    Erratum(
        "poisson",
        ((OF_2016, "eq. 29"),),
        r"-\ln f(x \mid \theta) = -\ln \tbinom{\alpha + \beta - 1}{\beta} - \alpha \ln(1 - x) - \beta \ln x",
        r"-\ln f(x \mid \theta) = -\ln \tbinom{x + \alpha - 1}{x} - \alpha \ln \tfrac{\beta}{\beta + 1}"
        r" + x \ln(\beta + 1)",
        "Count and parameters have changed places: as printed it is finite for no count.",
    ),
    Erratum(
        "concentration",
        ((OF_2016, "eq. 35"),),
        r"p(\ln N_0 \mid N, K) \propto \frac{\Gamma(N_0)}{\Gamma(N_0 + N)} N_0^{K + a - 1} e^{-b N_0}",
        r"p(\ln N_0 \mid N, K) \propto \frac{\Gamma(N_0)}{\Gamma(N_0 + N)} N_0^{K + a} e^{-b N_0}",
        "The printed density is that of N0. The one of ln N0, which is said to be log-concave with one maximum, has a "
        "further N0. Without it and with one cluster the mode is at N0 = 0 for a ≤ 1.",
    ),
    Erratum(
        "three_customers",
        ((OF_2018, "Sec. 2"),),
        r"p(z_3 = 2 \mid z_1 = 1, z_2 = 1) < p(z_3 = 1 \mid z_1 = 1, z_2 = 2)",
        r"p(z_1 = 1, z_2 = 1, z_3 = 2) < p(z_1 = 1, z_2 = 2, z_3 = 1)\text{ for } r > 1",
        "The printed inequality holds only if α² + α < 2ʳ, and for α < 1 for the exchangeable r = 1 as well. It is the "
        "probabilities of the two seatings that differ by order, for every α.",
    ),
    Erratum(
        "sequence",
        ((OF_2018, "eq. 2"),),
        r"p(z_i = k \mid z_{-i}) \propto N_{k,-i}^r\text{ is how customers seat themselves}",
        r"p(z) \propto \alpha^K \prod_k \Gamma(N_k)^r",
        "For r ≠ 1 these are two laws. The conditionals of eq. 2, which the sampler draws from, belong to an "
        "exchangeable law of the N points; customers who come one after the other have another one, which depends on "
        "their order.",
    ),
)
"""In the order of the papers."""
