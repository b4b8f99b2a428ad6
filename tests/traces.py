"""Whether two traces are the same."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.testing import assert_array_equal, assert_equal

import dpviz


def same_trace(one: dpviz.Trace, other: dpviz.Trace, without: str = "") -> None:
    """Every field is, but for those whose name ends in a word, such as what the clock says: ``seconds``."""
    for field in fields(dpviz.Trace):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if without and field.name.endswith(without):
            continue
        if isinstance(first, np.ndarray):
            assert_array_equal(first, second, strict=True, err_msg=field.name)
        else:
            assert_equal(first, second, err_msg=field.name)
