"""The first two tabs of the Posterior page: convergence of the chains, and the number of clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis import posterior
from dpviz.analysis.posterior import RafteryLewis, Verdict
from dpviz.analysis.posterior.chains import autocorrelation_where_moving
from dpviz.analysis.sampling import Series
from dpviz.analysis.second_opinion import groups_in_words
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.figures import posterior_chains as figures
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.posterior import parts
from dpviz.ui.posterior.findings import MOST_DRAWS, Pooled
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.exports import snippet
from dpviz.ui.shell import links

"""Options of the charts."""
SCALARS = {"K": "the number of clusters K", "nll": "nll"}
"""Series that are always judged: their names in charts and in sentences."""
MOST_LAGS, MOST_BINS, DRAWS_PER_BIN = 100, 20, 10
MOST_SIZES = 20
"""Clusters whose sizes are drawn, the largest first."""


def scalars(sampled: Sampled) -> dict[str, FloatArray]:
    """K, nll and what is learned of every chain (C, T), as long as the shortest, the initial states left out."""
    end = sampled.n_sweeps + 1
    return {
        "K": np.array([trace.n_clusters[1:end] for trace in sampled.traces], dtype=np.float64),
        "nll": np.array([trace.nll[1:end] for trace in sampled.traces]),
        **{symbol_of(sampled.setup.config, name)[0]: values for name, values in learned_values(sampled).items()},
    }


def learned_values(sampled: Sampled) -> dict[str, FloatArray]:
    """Learned hyperparameters of every chain (C, T) by name, as long as the shortest, the initial values left out."""
    end = sampled.n_sweeps + 1
    names = [name for name, _ in sampled.setup.config.hyperpriors or ()]
    return {name: np.array([trace.hyperparameters[name][1:end] for trace in sampled.traces]) for name in names}


def symbol_of(config: RunConfig, name: str) -> tuple[str, str]:
    """Return a hyperparameter's symbol, and its name in sentences."""
    assert config.partition is not None
    parameter = config.partition.learnable[name]
    return parameter.symbol, f"{parameter.words.lower()} {parameter.symbol}"


def scalar_words(sampled: Sampled) -> dict[str, str]:
    """Return the names of the judged series, in charts and in sentences."""
    config = sampled.setup.config
    return SCALARS | dict(symbol_of(config, name) for name, _ in config.hyperpriors or ())


def judged(sampled: Sampled, burn_in: int) -> Verdict:
    """Judge the chains by K, nll and every hyperparameter that they learn.

    Raises
    ------
    InvalidParameterError
        If the shortest chain is no longer than the burn-in.
    """
    words = scalar_words(sampled)
    judged_by = {words[name]: values for name, values in scalars(sampled).items()}
    return posterior.verdict(judged_by, burn_in, has_split_merge=sampled.setup.config.split_merge > 0)


def draw_series(series: Series, burn_in: int, key: str, last: int | None = None) -> None:
    """Draw K and nll over the sweeps, of growing chains up to the last that they are to do."""
    panels = {"Clusters K": series.n_clusters, "nll (nats)": series.nll}
    chart(figures.traces(panels, burn_in, last=last), key)


def series_of(sampled: Sampled) -> Series:
    """Return the series of finished chains."""
    return Series(tuple(trace.n_clusters for trace in sampled.traces), tuple(trace.nll for trace in sampled.traces))


def show(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw the tab on the chains themselves."""
    values, verdict = scalars(sampled), judged(sampled, burn_in)
    st.markdown("**What every chain visits.** Chains that have found the same mode overlap.")
    draw_series(series_of(sampled), burn_in, "posterior traces")
    left_out = f"The shaded first {burn_in:,} sweeps are left out of everything else. " if burn_in else ""
    st.caption(f"{left_out}Axes span what comes after them; a start far off leaves the picture.")
    words = scalar_words(sampled)
    name = widgets.select("Judge by", "posterior.scalar", list(words), format_func=words.__getitem__, width=240)
    chosen = values[name]
    n_kept = chosen.shape[1] - burn_in
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Ranks.** If the chains agree, every chain has as many low as high values: level bars.")
        n_bins = int(min(max(n_kept // DRAWS_PER_BIN, 2), MOST_BINS))
        counts = posterior.rank_histogram(chosen, n_bins, burn_in)
        chart(figures.rank_plots(counts), "posterior ranks")
        st.caption(
            f"{n_bins} bins over the ranks of {counted(n_kept, 'sweep')} of each chain among all; the dotted line is "
            "level."
        )
    with right:
        st.markdown(
            "**Autocorrelation.** Between values some sweeps apart: the sooner it falls to 0, the more the draws tell."
        )
        curves = autocorrelation_where_moving(chosen, MOST_LAGS, burn_in)
        chart(figures.autocorrelations(curves), "posterior memory")
        moving = int(np.isfinite(curves).all(axis=1).sum())
        still = len(curves) - moving
        st.caption(
            f"Lags 0 to {curves.shape[1] - 1:d}."
            + (f" Chains that never move have no line: {still:d} of {len(curves)}." if still else "")
        )
    _numbers(verdict, words, values, burn_in)
    _open_chain(prepared, sampled, burn_in)
    with st.expander("The code that does it", icon=":material/code:"):
        st.code(code(prepared, sampled, burn_in), language="python")


def code(prepared: PreparedData, sampled: Sampled, burn_in: int) -> str:
    """Return Python that runs the same chains, judges them and summarises them."""
    end = (
        "from dpviz.analysis import posterior",
        "from dpviz.analysis.sampling import Chains, different_starts, pooled_draws",
        f"chains = Chains(X, different_starts(config, {len(sampled.traces)}, len(X)))",
        "for _ in chains.advance(n_threads=2):",
        "    pass",
        "traces = chains.traces()",
        'scalars = {"the number of clusters K": [t.n_clusters[1:] for t in traces]}',
        'scalars["nll"] = [t.nll[1:] for t in traces]',
        *_learned_lines(sampled),
        f"print(posterior.verdict(scalars, {burn_in}, has_split_merge=config.split_merge > 0).text)",
        f"draws, chain, sweep = pooled_draws(traces, {burn_in}, {MOST_DRAWS})",
        "summary = posterior.summary_partition(draws)",
        "print(summary.n_clusters, summary.expected_loss)",
    )
    return snippet(prepared, sampled.setup.config, end)


def _numbers(verdict: Verdict, names: Mapping[str, str], values: Mapping[str, FloatArray], burn_in: int) -> None:
    """Table of the diagnostics, and of the lengths that Raftery and Lewis ask for."""
    rows = {}
    for name, words in names.items():
        found = verdict.diagnostics[words]
        needed = [lewis(chain, burn_in) for chain in values[name]]
        rows[name] = {
            "R-hat": diagnostic_in_words(found.rhat, ".3f"),
            "ESS, bulk": diagnostic_in_words(found.ess_bulk, ",.0f"),
            "ESS, tail": diagnostic_in_words(found.ess_tail, ",.0f"),
            "Sweeps to leave out": worst([None if each is None else each.burn_in for each in needed]),
            "Sweeps needed after": worst([None if each is None else each.n_needed for each in needed]),
        }
    st.markdown("**In numbers.** R-hat near 1: the chains agree. ESS: how many independent draws they are worth.")
    st.table(pd.DataFrame(rows).T)
    st.caption(
        "R-hat and effective sample sizes (ESS) as in Vehtari et al. (2021). The last two columns are Raftery and "
        "Lewis’s, as in the 2014 paper (quantile 0.025 within ±0.1 with probability 0.95), of the chain that needs "
        "most; – where a chain crosses that quantile too seldom, or never, to tell."
    )


def lewis(chain: FloatArray, burn_in: int) -> RafteryLewis | None:
    """Return how long one chain must be; None if it is too short to tell."""
    try:
        return posterior.raftery_lewis(chain[burn_in:])
    except DpvizError:
        return None


def worst(lengths: list[int | None]) -> str:
    """Return the largest, or a dash unless all are known."""
    known = [length for length in lengths if length is not None]
    return f"{max(known):,}" if known and len(known) == len(lengths) else "–"


def _learned_lines(sampled: Sampled) -> list[str]:
    return [
        f'scalars["{symbol_of(sampled.setup.config, name)[1]}"] = [t.hyperparameters["{name}"][1:] for t in traces]'
        for name, _ in sampled.setup.config.hyperpriors or ()
    ]


def diagnostic_in_words(value: float, form: str) -> str:
    """Write a diagnostic; a dash where it is undefined."""
    if math.isinf(value):
        return "∞"
    return "–" if math.isnan(value) else format(value, form)


def chain_config(sampled: Sampled, chain: int, burn_in: int) -> RunConfig:
    """Return the configuration of one chain with its burn-in, for other pages and the library."""
    config = sampled.traces[chain].config
    thin = min(config.thin, config.n_sweeps - burn_in)
    return RunConfig.from_dict({**config.to_dict(), "burn_in": burn_in, "thin": thin})


def _open_chain(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chain = widgets.select(
            "One chain",
            "posterior.open.chain",
            list(range(len(sampled.traces))),
            format_func=figures.chain_name,
            width=140,
        )
        links.open_button(
            chain_config(sampled, chain, burn_in), prepared.choice, "posterior.open", "Watch it in Explore"
        )


def show_n_clusters(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw the tab on the number of clusters."""
    counts = scalars(sampled)["K"]
    law = posterior.law_of_n_clusters(counts, burn_in)
    known = prepared.dataset.labels
    marks = {} if known is None else {"known groups": len(np.unique(known))}
    below = np.cumsum(law.probabilities)
    low, high = law.values[below > 0.025][0], law.values[below >= 0.975][0]
    spread = f"K is {low:d}" if low == high else f"K lies between {low:d} and {high:d}"
    st.markdown(
        f"Most probable are **K = {law.mode:d}** clusters (probability {law.probability_of(law.mode):.2f}); with 95 % "
        f"probability {spread}; the mean is {law.mean:.2f}."
    )
    st.markdown(
        "**How many clusters.** Bars are all chains together, dots each alone: where dots spread, chains differ."
    )
    chart(figures.law_of_n_clusters(law, marks), "posterior law")
    n_kept = counts.shape[1] - burn_in
    words = f"Shares of {counted(n_kept, 'sweep')} of each of {counted(len(counts), 'chain')}."
    st.caption(escape_markdown(f"{words} Clusters of one point count too."))
    pooled = parts.pooled(sampled, burn_in)
    labels = pooled.draws.labels
    st.caption(escape_markdown(groups_in_words([labels[pooled.chains == chain] for chain in np.unique(pooled.chains)])))
    _sizes(pooled)


def _sizes(pooled: Pooled) -> None:
    """Draw how large the largest, the second largest, … cluster is."""
    most = int(min(max(pooled.draws.n_clusters.max(), 2), MOST_SIZES))
    st.markdown(
        "**How large they are.** From the largest to the smallest: sizes that the draws agree about have short lines."
    )
    sizes = posterior.ranked_sizes(pooled.draws, most)
    chart(figures.ranked_sizes(sizes), "posterior sizes")
    words = (
        f"Mean size of the largest, the second largest, … cluster, 0 where a draw has fewer; lines hold 90 % of the "
        f"draws: {parts.draws_in_words(pooled)}."
    )
    st.caption(escape_markdown(words))
