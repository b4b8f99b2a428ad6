"""The tabs of the Posterior page on partitions: co-clustering, one summary, other answers, the density."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis import posterior
from dpviz.analysis.posterior import CredibleBall, Loss
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.families import FAMILIES
from dpviz.figures import posterior_chains as chain_figures
from dpviz.figures import posterior_partitions as figures
from dpviz.figures.data import MOST_POINTS, shown_rows
from dpviz.player.alignment import match_labels
from dpviz.text import counted, escape_markdown, signed
from dpviz.ui.controls import merges, widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.posterior import findings, parts, scales
from dpviz.ui.posterior.agreement import learned_values, scalars
from dpviz.ui.posterior.findings import DENSITY_DRAWS, LOSS_WORDS, Answer, Density, Findings
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import PreparedData, for_distances, prepare

PROBABILITIES = (0.5, 0.8, 0.9, 0.95, 0.99)
SUMMARY, HORIZONTAL = "The summary", "Farthest from it in the ball"
FEWEST, MOST = "Fewest clusters in the ball", "Most clusters in the ball"
CERTAIN = "Only what is certain"
BAND = 0.9
"""Probability of the band around a density."""


def show_together(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw the co-clustering matrix."""
    draws = parts.pooled(sampled, burn_in)
    found = parts.computed(
        "together", (sampled, burn_in), partial(findings.together, draws), draws.draws.labels.size // 8
    )
    if found is None:
        return
    n_points = draws.draws.n_points
    sample = (
        f"a sample of {len(found.points):,} of the {n_points:,} points"
        if len(found.points) < n_points
        else "all points"
    )
    st.markdown("**Who is with whom.** Bright squares are groups that stay together; haze between them is uncertainty.")
    chart(figures.co_clustering(found), "posterior together")
    block = -(-len(found.points) // figures.MOST_CELLS)
    blocks = f" A cell is the mean over {block} × {block} pairs." if block > 1 else ""
    words = (
        f"Share of the draws in which two points have one cluster: {parts.draws_in_words(draws)}; {sample}, in an "
        f"order that puts those that are often together side by side. Drag over a part to enlarge it.{blocks}"
    )
    st.caption(escape_markdown(words))


def _settings() -> tuple[Loss, float]:
    """Choose the loss of the summary, and the probability of the ball."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        loss: Loss = widgets.select(
            "Loss",
            "posterior.loss",
            list(LOSS_WORDS),
            format_func=LOSS_WORDS.__getitem__,
            width=250,
            help="The summary is the partition whose mean loss over the draws is lowest, as far as a search finds it.",
        )
        probability = widgets.select(
            "Probability",
            "posterior.probability",
            list(PROBABILITIES),
            0.95,
            format_func="{:.0%}".format,
            width=120,
            help="Of the credible ball, and of what counts as certain.",
        )
    return loss, probability


def summarised(sampled: Sampled, burn_in: int) -> tuple[Findings | None, Loss, float]:
    """Draw the settings of the summary and compute it; None while that runs."""
    loss, probability = _settings()
    draws = parts.pooled(sampled, burn_in)
    key = (sampled, burn_in, loss, probability)
    begin = partial(findings.summarised, draws, loss, probability)
    return parts.computed("summary", key, begin, draws.draws.labels.size), loss, probability


def found_so_far(sampled: Sampled, burn_in: int) -> Findings | None:
    """Return the summary of these draws with its last settings, if it is computed already."""
    kept = state.settings()
    key = (sampled, burn_in, kept.get("posterior.loss"), kept.get("posterior.probability"))
    found: Findings | None = parts.known("summary", key)
    return None if found is None else scales.known(found)


def show_summary(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw the summary partition, and its credible ball."""
    as_found, loss, probability = summarised(sampled, burn_in)
    if as_found is None:
        return
    config = at_means(sampled, burn_in)
    may_join = has_nll(prepared, sampled)
    found = scales.at_scale(prepared, sampled, config, as_found) if may_join else as_found
    summary, ball, certain = found.summary, found.ball, found.certain
    unit = "bits" if loss == "variation_of_information" else "of at most 1"
    st.markdown(
        f"One partition for all draws has **{counted(as_found.summary.n_clusters, 'cluster')}**; its mean loss is "
        f"{as_found.summary.expected_loss:.4g} {unit}. {probability:.0%} of the draws lie within {ball.radius:.4g} "
        f"{distance_unit(ball)} of it."
    )
    if found.merges is not None:
        paid = merges.nats(found.merges.cost(summary.n_clusters))
        st.markdown(
            f"Joined to **{counted(summary.n_clusters, 'cluster')}**: this {paid}, and the mean loss is "
            f"{summary.expected_loss:.4g}."
        )
    display = prepared.display(summary.partition.astype(np.int64))
    left, right = st.columns(2, gap="medium")
    with left:
        views = {
            SUMMARY: summary.partition,
            HORIZONTAL: ball.horizontal[0],
            FEWEST: ball.upper_vertical[0],
            MOST: ball.lower_vertical[0],
            CERTAIN: certain.labels,
        }
        view = widgets.select("Look at", "posterior.view", list(views), width=280)
        labels = found.numbers if view == SUMMARY else matched(views[view], found.as_found)
        chart(figures.partition(display, labels, legend=False), "posterior partition")
        st.caption(escape_markdown(_about(view, found, probability)))
    with right:
        st.markdown("**Where it is unsure.** The brighter a point, the more the draws disagree about its cluster.")
        uncertain = figures.uncertainty(display, found.uncertainty, found.numbers)
        chart(uncertain, "posterior uncertainty")
        n_sure = int(np.count_nonzero(found.uncertainty == 0))
        words = (
            f"What each point adds to the expected variation of information, in bits: at most "
            f"{found.uncertainty.max():.3g}, on average {found.uncertainty.mean():.3g}; {counted(n_sure, 'point')} "
            f"with the same companions in all draws. From {parts.draws_in_words(found.pooled)}."
            f"{_drawn_points(prepared)}"
        )
        st.caption(escape_markdown(words))
    if may_join:
        scales.show(prepared, config, as_found, found)


def _drawn_points(prepared: PreparedData) -> str:
    """Say which points are drawn, and where, if that is not plain."""
    sampled = f" {MOST_POINTS:,} of {len(prepared.X):,} points are drawn." if len(prepared.X) > MOST_POINTS else ""
    gaps = " Missing cells stand at the mean of their column." if prepared.clustered.incomplete.any() else ""
    return sampled + gaps


def distance_unit(ball: CredibleBall) -> str:
    """Return the unit of distances from the summary."""
    return "bits (variation of information)" if ball.loss == "variation_of_information" else "(Binder’s loss)"


def labels_from(partition: object) -> IntArray:
    """Return labels as int64."""
    return np.asarray(partition).astype(np.int64)


def matched(labels: object, reference: object) -> IntArray:
    """Give clusters the numbers, and so the colours, of the summary’s clusters that they overlap most; −1 stays."""
    given, summary = labels_from(labels), labels_from(reference)
    inside = given >= 0
    result = given.copy()
    if inside.any():
        result[inside] = match_labels(given[inside], summary[inside])
    return result


def _about(view: str, found: Findings, probability: float) -> str:
    """Describe a view of the summary and its ball."""
    summary, ball, certain = found.summary, found.ball, found.certain
    if view == CERTAIN:
        return (
            f"{certain.n_points:,} of {len(certain.labels):,} points, chosen so that their clusters are the same, all "
            f"at once, in {certain.share_searched:.0%} of one half of the draws ({probability:.0%} were asked for); in "
            f"the other half they are in {certain.probability:.0%}. The other points are small and grey."
        )
    if view == SUMMARY:
        if found.merges is not None:
            words = f"{counted(summary.n_clusters, 'cluster')}, joined from {found.merges.n_leaves}"
            return f"{words}. Each union has the colour of its largest part; other views are as they were found."
        return (
            f"{counted(summary.n_clusters, 'cluster')}. The best single draw has a mean loss of "
            f"{summary.best_draw_loss:.4g}, the summary {summary.expected_loss:.4g}. Colours of the other views are "
            "those of the clusters here."
        )
    shown = {HORIZONTAL: ball.horizontal, FEWEST: ball.upper_vertical, MOST: ball.lower_vertical}[view]
    ties = f" One of {len(shown)} that are equally far." if len(shown) > 1 else ""
    away = ball.distance(shown[0])
    return (
        f"{counted(int(shown[0].max()) + 1, 'cluster')}, {away:.4g} {distance_unit(ball)} from the summary. "
        f"The ball holds {ball.inside.mean():.1%} of the draws.{ties}"
    )


def _known_groups(prepared: PreparedData) -> str:
    """Return a digest of the known groups, which other data with the same numbers may not have; empty without any."""
    labels = prepared.dataset.labels
    return "" if labels is None else hashlib.blake2b(repr(labels.tolist()).encode(), digest_size=16).hexdigest()


def show_answers(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw the place of MAP-DP's and K-means' answers, and of the known groups, in the posterior."""
    found, _, probability = summarised(sampled, burn_in)
    if found is None:
        return
    config, n_clusters = at_means(sampled, burn_in), found.summary.n_clusters
    has_gaps = bool(prepared.clustered.incomplete.any())
    plain = for_distances(prepare(replace(prepared.choice, fill=prepared.choice.fill or has_gaps)))
    answers = parts.computed(
        "answers",
        (config, sampled.data, _known_groups(prepared), n_clusters),
        partial(findings.other_answers, prepared, plain.X, config, n_clusters),
        found.pooled.draws.labels.size,
    )
    if answers is None:
        return
    joined = scales.at_scale(prepared, sampled, config, found)
    if joined.merges is not None:
        k = joined.summary.n_clusters
        more = prepared.units.scaling_nats(config)
        name, nll = f"summary, joined to {k}", float(joined.merges.nll[0] + joined.merges.cost(k)) + more
        answers = [*answers, Answer(name, joined.summary.partition.astype(np.int64), nll)]
    law = posterior.law_of_n_clusters(scalars(sampled)["K"], burn_in)
    st.markdown(
        "**Where other answers lie.** Those outside the ball, or with an improbable K, are unlikely a posteriori."
    )
    st.table(answers_table(found, answers, law))
    lowest = min(float(trace.nll[burn_in + 1 :].min()) for trace in sampled.traces)
    columns = " and the columns as on Compare" if plain.choice.mixed or plain.choice.numbers else ""
    filled = ", missing cells filled in" if has_gaps else ""
    st.caption(
        f"K-means is given the summary’s K = {n_clusters}{columns}{filled}; MAP-DP has the model of the chains. "
        f"The lowest nll of all draws is {signed(lowest, ',.2f')} nats; MAP-DP looks for the lowest there is, "
        "one point of the posterior, which need not be where most of it lies."
        + (
            " Answers are scored at the posterior means of what is learned, draws at their own values."
            if sampled.setup.config.hyperpriors
            else ""
        )
    )
    left, right = st.columns(2, gap="medium")
    with left:
        marks = {answer.name: answer.n_clusters for answer in answers}
        st.markdown("**Their numbers of clusters** in the posterior law of K.")
        chart(chain_figures.law_of_n_clusters(law, marks), "posterior answers law")
    with right:
        away = {answer.name: found.ball.distance(answer.labels) for answer in answers}
        st.markdown("**Their distances** from the summary, beside those of the draws.")
        unit = "bits" if found.ball.loss == "variation_of_information" else "Binder’s loss"
        figure = figures.distances(found.ball.distances, found.ball.radius, away, unit, 340)
        chart(figure, "posterior answers distance")
    held = f"The ball holds {found.ball.inside.mean():.1%} of {parts.draws_in_words(found.pooled)}"
    st.caption(escape_markdown(f"{held}; {probability:.0%} were asked for."))


def at_means(sampled: Sampled, burn_in: int) -> RunConfig:
    """Return the configuration of the chains with learned hyperparameters fixed at their posterior means."""
    config = sampled.setup.config
    assert config.partition is not None
    means = {name: float(values[:, burn_in:].mean()) for name, values in learned_values(sampled).items()}
    return replace(config, hyperpriors=None, partition=config.partition.with_values(means)) if means else config


def answers_table(found: Findings, answers: list[Answer], law: posterior.LawOfClusters) -> pd.DataFrame:
    """One row per answer: K, the probability of K, distance from the summary, whether it is in the ball, nll."""
    rows = {
        answer.name: {
            "K": str(answer.n_clusters),
            "P(K)": f"{law.probability_of(answer.n_clusters):.3f}",
            "Distance": f"{found.ball.distance(answer.labels):.4g}",
            "In the ball": "yes" if found.ball.contains(answer.labels) else "no",
            "nll (nats)": signed(answer.nll, ",.2f") if np.isfinite(answer.nll) else "impossible",
        }
        for answer in answers
    }
    return pd.DataFrame(rows).T


def has_density(prepared: PreparedData, sampled: Sampled) -> bool:
    """Whether a density of these columns can be drawn: of one or two real ones."""
    is_real = prepared.X.shape[1] <= 2 and FAMILIES[sampled.setup.config.family].kind == "real"
    return is_real and has_nll(prepared, sampled)


def has_nll(prepared: PreparedData, sampled: Sampled) -> bool:
    """Whether partitions have an nll by themselves: not where missing cells are filled in."""
    return not (sampled.setup.config.fills_in and prepared.clustered.incomplete.any())


def show_density(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Draw the posterior predictive density of one or two columns."""
    draws = parts.pooled(sampled, burn_in)
    found = parts.computed(
        "density",
        (sampled, burn_in),
        partial(findings.density, prepared, sampled.setup.config, draws, BAND),
        min(draws.draws.n_draws, DENSITY_DRAWS) * len(prepared.X),
    )
    if found is None:
        return
    st.markdown("**Where one more point would fall,** over all clusterings, and how this varies between draws.")
    names = prepared.clustered.feature_names
    if len(names) == 1:
        known = prepared.X[~np.isnan(prepared.X[:, 0]), 0]
        figure = figures.density_curve(known, found.axes[0], found.bands, names[0])
        chart(figure, "posterior density")
    else:
        _draw_maps(prepared, found)
    st.caption(
        f"Mean over {found.n_draws} draws of all chains; the band leaves out the lowest and the highest "
        f"{(1 - BAND) / 2:.0%} of the draws, at every place by itself."
    )


def _draw_maps(prepared: PreparedData, found: Density) -> None:
    """Draw the density of two columns, and beside it the width of its band."""
    first, second = prepared.clustered.feature_names
    axes, bands = (found.axes[0], found.axes[1]), found.bands
    left, right = st.columns(2, gap="medium")
    with left:
        some = prepared.X[shown_rows(len(prepared.X))]
        which = "complete points" if np.isnan(some).any() else "points"
        st.markdown(f"Posterior predictive density, and the {which}.")
        chart(figures.density_map(bands.mean, axes, (first, second), some), "posterior density")
    with right:
        st.markdown("Width of its band: bright where the draws differ most.")
        chart(figures.density_map(bands.upper - bands.lower, axes, (first, second)), "posterior density band")
