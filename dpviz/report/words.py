"""The model and the method in words, with the papers that they come from."""

from __future__ import annotations

import dpviz
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.engine.trace import Trace
from dpviz.fit.automatic import words_for
from dpviz.text import counted

PAPERS = {
    "mapdp": "Raykov, Boukouvalas, Baig & Little (2016). What to do when K-means clustering fails. PLoS ONE 11(9). "
    "doi:10.1371/journal.pone.0162259",
    "gibbs": "Neal (2000). Markov chain sampling methods for Dirichlet process mixture models. Journal of "
    "Computational and Graphical Statistics 9(2), 249–265. doi:10.1080/10618600.2000.10474879",
    "dpmeans": "Kulis & Jordan (2012). Revisiting K-means: new algorithms via Bayesian nonparametrics. ICML. "
    "arXiv:1111.0352",
    "powered": "Lu, Li & Dunson (2018). Reducing over-clustering via the powered Chinese restaurant process. "
    "arXiv:1802.05392",
    "mixture_of_finite_mixtures": "Miller & Harrison (2018). Mixture models with a prior on the number of components. "
    "Journal of the American Statistical Association 113(521), 340–356. doi:10.1080/01621459.2016.1255636",
    "pitman_yor": "Pitman & Yor (1997). The two-parameter Poisson–Dirichlet distribution derived from a stable "
    "subordinator. The Annals of Probability 25(2), 855–900. doi:10.1214/aop/1024404422",
}
"""Where algorithms and partition priors were published, by their names."""


def model_in_words(trace: Trace) -> list[str]:
    """Return sentences on what was assumed of clusters, and how many of them.

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    list of str
    """
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    if not algorithm.uses_model:
        title = f"{method_of(config).title} ({algorithm.describe(config)})"
        return [f"{title} has no model of a cluster. {algorithm.explanation}"]
    prior = config.prior_dict or {}
    given = ", ".join(f"{name} = {value:.4g}" for name, value in sorted(prior.items()) if isinstance(value, float))
    rest = f" Given are {given}; other hyperparameters follow from the data." if given else ""
    where = (
        "Clusters differ along the first {} of the standardised columns; along the others all rows are one Gaussian."
    )
    count = config.directions
    along = [] if count is None else [where.format(counted(count, "principal direction"))]
    return [
        *along,
        f"A cluster is: {words_for(config)}.{rest or ' Its hyperparameters follow from the data.'}",
        "The number of clusters is not given. "
        f"Partition prior: {config.partition.title}, {config.partition.describe()}.",
    ]


def search_in_words(trace: Trace) -> str:
    """Say how the result was found, and whether the method ended by itself."""
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    if algorithm.is_chain:
        return (
            f"A chain of {counted(trace.n_sweeps, 'sweep')}, of which the first {config.burn_in:,} are left out; the "
            f"result is its kept draw of lowest nll, sweep {trace.result_sweep:,}."
        )
    ended = "no single point would move any more" if trace.converged else "not converged: its sweeps were used up"
    starts = f"the best of {len(trace.starts)} starts" if len(trace.starts) > 1 else "one start"
    more = f", and a search worth {counted(trace.n_trial_sweeps, 'sweep')}" if trace.n_trial_sweeps else ""
    return f"{method_of(config).title}: {starts}{more}; {ended}."


def methods_paragraph(trace: Trace, n_points: int, n_features: int) -> str:
    """Write the paragraph for a paper's section on methods."""
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    title = method_of(config).title
    what = f"{n_points:,} rows and {counted(n_features, 'column')} were clustered by {title}"
    if not algorithm.uses_model:
        return f"{what} ({algorithm.describe(config)}, seed {config.seed}) with dpviz {dpviz.__version__}."
    return (
        f"{what} with the component family “{words_for(config)}” and the partition prior {config.partition.title} "
        f"({config.partition.describe()}), seed {config.seed}, with dpviz {dpviz.__version__}. "
        f"{search_in_words(trace)} The partition has "
        f"{counted(int(trace.n_clusters[trace.result_sweep]), 'cluster')} and a negative log likelihood of "
        f"{trace.nll[trace.result_sweep]:,.2f} nats."
    )


def citations(trace: Trace) -> list[str]:
    """Return the papers of the method and of its prior, and dpviz itself."""
    config, algorithm = trace.config, ALGORITHMS[trace.config.algorithm]
    names = [config.algorithm, *([config.partition.name] if algorithm.uses_model else [])]
    return [*(PAPERS[name] for name in names if name in PAPERS), f"dpviz {dpviz.__version__} (software)."]
