"""Summaries of a posterior over partitions, for draws (S, N) from any program and series of its chains."""

from dpviz.analysis.posterior.allocation import (
    LawOfClusters,
    attachment,
    law_of_n_clusters,
    point_uncertainty,
    ranked_sizes,
)
from dpviz.analysis.posterior.ball import CredibleBall, credible_ball
from dpviz.analysis.posterior.certain import CertainClusters, certain_clusters
from dpviz.analysis.posterior.chains import ChainDiagnostics, autocorrelation, chain_diagnostics, rank_histogram
from dpviz.analysis.posterior.co_clustering import CoClustering, co_clustering, display_order
from dpviz.analysis.posterior.draws import Draws, as_draws
from dpviz.analysis.posterior.losses import LOSSES, Loss, expected_loss, expected_losses_of_draws, losses
from dpviz.analysis.posterior.raftery_lewis import RafteryLewis, raftery_lewis
from dpviz.analysis.posterior.summary import Summary, summary_partition
from dpviz.analysis.posterior.together import pairs_in_one_cluster
from dpviz.analysis.posterior.verdict import Verdict, verdict

__all__ = [
    "LOSSES",
    "CertainClusters",
    "ChainDiagnostics",
    "CoClustering",
    "CredibleBall",
    "Draws",
    "LawOfClusters",
    "Loss",
    "RafteryLewis",
    "Summary",
    "Verdict",
    "as_draws",
    "attachment",
    "autocorrelation",
    "certain_clusters",
    "chain_diagnostics",
    "co_clustering",
    "credible_ball",
    "display_order",
    "expected_loss",
    "expected_losses_of_draws",
    "law_of_n_clusters",
    "losses",
    "pairs_in_one_cluster",
    "point_uncertainty",
    "raftery_lewis",
    "rank_histogram",
    "ranked_sizes",
    "summary_partition",
    "verdict",
]
