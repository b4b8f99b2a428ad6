"""The state of a chain: clusters, hyperparameters and random numbers, which determine its further sweeps."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dpviz.arrays import IntArray

GeneratorState: TypeAlias = tuple[int, int, int, int]
"""State of numpy's PCG64: its two numbers of 128 bits, whether half a number of 64 bits is left over, and that half."""
_LARGEST = (2**128 - 1, 2**128 - 1, 1, 2**32 - 1)


class Position(NamedTuple):
    """The state of a chain after a sweep.

    Attributes
    ----------
    sweep : int
    labels : ndarray (N,)
        0 … K − 1, each present.
    generator : tuple of int
    hyperparameters : tuple of float
        Learned ones, in the order of its configuration's ``hyperpriors``.
    """

    sweep: int
    labels: IntArray
    generator: GeneratorState
    hyperparameters: tuple[float, ...] = ()


def get_state(random_state: np.random.Generator) -> GeneratorState:
    """Return the state of a generator."""
    state: Any = random_state.bit_generator.state
    return state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]


def set_state(random_state: np.random.Generator, numbers: GeneratorState) -> None:
    """Restore a saved state of a generator."""
    state, increment, has_half, half = numbers
    random_state.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": has_half,
        "uinteger": half,
    }


def is_state(numbers: Any) -> bool:
    """Whether untrusted numbers are the state of a generator; its increment is odd."""
    if not isinstance(numbers, tuple | list) or len(numbers) != len(_LARGEST):
        return False
    whole = all(type(number) is int and 0 <= number <= most for number, most in zip(numbers, _LARGEST, strict=True))
    return whole and numbers[1] % 2 == 1
