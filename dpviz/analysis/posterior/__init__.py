"""What draws from a posterior over partitions say, for draws (S, N) of any program and series of its chains."""

from dpviz.analysis.posterior.draws import Draws, as_draws
from dpviz.analysis.posterior.losses import LOSSES, Loss, expected_loss, expected_losses_of_draws, losses
from dpviz.analysis.posterior.summary import Summary, summary_partition

__all__ = [
    "LOSSES",
    "Draws",
    "Loss",
    "Summary",
    "as_draws",
    "expected_loss",
    "expected_losses_of_draws",
    "losses",
    "summary_partition",
]
