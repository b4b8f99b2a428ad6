"""The stages that choose a model under given powers of the columns and given directions."""

from __future__ import annotations

from dpviz.config import RunConfig
from dpviz.families.automatic import SHAPE
from dpviz.fit import family, shape, width
from dpviz.fit.width import Steps, Table, WidthChoice


def model_steps(data: Table, config: RunConfig) -> Steps:
    """Choose family, width and, if that is asked for, shape, yielding as a whole choice does."""
    so_far = yield from family.propose(data, WidthChoice(config))
    so_far = yield from width.propose(data, so_far)
    return (yield from shape.propose(data, so_far)) if config.prior == SHAPE else so_far
