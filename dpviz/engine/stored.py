"""Stored runs: arrays as text, and checks of a run whose text is untrusted."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import zlib
from collections.abc import Callable, Collection
from operator import index
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpviz.config import RunConfig
from dpviz.engine.algorithms.description import described
from dpviz.engine.options import LONGEST
from dpviz.engine.position import GeneratorState, is_state
from dpviz.engine.record import Start
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.families.listed import ListedRows, n_features_of
from dpviz.text import LONGEST_QUOTED, cut, quoted

Run = TypeVar("Run")

FORMAT = "dpviz-trace-1"
LARGEST_ARRAYS = 1 << 30
"""Most bytes that the arrays of a stored run may inflate to, all together."""
MOST_ENTRIES, MOST_LISTS = 1_100_000, 20_000
"""Most numbers, and most lists and objects, of a stored run besides its arrays: a starting label per point and more."""
MOST_COUNTED = 2**53
"""Most sweeps of a stored run, of all its starts and trials: up to here, every whole number is a double."""
MOVES = {"merge": -1, "split": 1, "swap": 0}
"""Changes of whole clusters, and the sign of the clusters that they add."""
SERIES = ("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died", "seconds")


def fingerprint(X: NDArray[Any]) -> str:
    """Short digest of data (N, D), by which a stored run recognises its data."""
    shape = (len(X), n_features_of(X))
    found = hashlib.blake2b(repr(shape).encode(), digest_size=16)
    for rows in np.array_split(X, len(X)) if isinstance(X, ListedRows) else (X,):  # as of the whole table
        values = rows.dense(shape[1]) if isinstance(rows, ListedRows) else rows
        found.update((np.ascontiguousarray(values, dtype="<f8") + 0.0).tobytes())  # −0 and 0 are the same number
    return found.hexdigest()


def digest(trace: Any) -> str:
    """Short digest of everything that a stored ``Trace`` holds, durations among it."""
    facts = (
        trace.config.to_json(),
        trace.data,
        trace.converged,
        trace.chosen_start,
        trace.starts,
        trace.moves,
        trace.generator,
        trace.scaling_nats,
    )
    result = hashlib.blake2b(repr(facts).encode("utf-8", "backslashreplace"), digest_size=16)
    for name in _TYPES:
        array = getattr(trace, name)
        if array is not None:
            result.update(repr((name, array.dtype.str, array.shape)).encode())
            result.update(np.ascontiguousarray(array).data)
    return result.hexdigest()


def _encode(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array as base64 of its zlib-compressed bytes (little-endian), with its type and shape."""
    little_endian = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    data = base64.b64encode(zlib.compress(little_endian.tobytes(), 6)).decode("ascii")
    return {"dtype": little_endian.dtype.str, "shape": list(array.shape), "data": data}


_DAMAGE = (KeyError, TypeError, ValueError, OverflowError, IndexError, AttributeError, RecursionError, zlib.error)
"""Exceptions that reading a damaged document may raise."""
_LABEL_TYPES = ("|u1", "<u2", "<u4")
_TYPES: dict[str, tuple[tuple[str, ...], int]] = {
    "labels": (_LABEL_TYPES, 2),
    "label_sweeps": (("<i8",), 1),
    "flat_sizes": (("<i4",), 1),
    "size_offsets": (("<i8",), 1),
    "events": (("<i8",), 2),
    "n_accepted": (("<i8",), 1),
    "imputed": (("<f8",), 2),
    "learned": (("<f8",), 2),
    **{name: (("<i8",) if name.startswith("n_") else ("<f8",), 1) for name in SERIES},
}


def _parse(text: Any) -> Any:
    """Read JSON after counting its entries, since every entry takes many times its length in memory.

    Raises
    ------
    TraceFormatError
        If there is too much.
    """
    if isinstance(text, str):
        for marks, most, noun in ((",", MOST_ENTRIES, "entries"), ("[{", MOST_LISTS, "lists and objects")):
            if sum(map(text.count, marks)) > most:
                raise TraceFormatError(f"this stored run has more than {most:,} {noun} besides its arrays.")
    return json.loads(text)


def _decode_all(entries: Any, n_points: int | Collection[int] | None, most_bytes: int) -> dict[str, NDArray[Any]]:
    """Read all arrays; their declarations are checked first and bound the inflated sizes, against zip bombs."""
    declared = {name: _declared(name, entry) for name, entry in entries.items()}
    problem = _claims_problem({name: shape for name, (_, shape, _) in declared.items()}, n_points)
    if problem:
        raise TraceFormatError(f"this stored run does not fit together: {problem}.")
    total = sum(n_bytes for _, _, n_bytes in declared.values())
    if total > most_bytes:
        raise TraceFormatError(f"the arrays of this stored run claim {total:,} bytes; {most_bytes:,} is the limit.")
    return {name: _decode(name, entries[name]["data"], *declared[name]) for name in declared}


def _declared(name: str, entry: Any) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """Check one array's declaration; return its type, shape and number of bytes."""
    if name not in _TYPES:
        raise TraceFormatError(f"this stored run holds an unknown array {quoted(name)}.")
    types, n_axes = _TYPES[name]
    shape = tuple(int(length) for length in entry["shape"])
    if entry["dtype"] not in types or len(shape) != n_axes or not all(0 <= length <= MOST_COUNTED for length in shape):
        claimed = f"type {quoted(entry['dtype'])}, shape {quoted(shape)}"
        raise TraceFormatError(f"the array {name!r} of this stored run has {claimed}.")
    dtype = np.dtype(entry["dtype"])
    return dtype, shape, math.prod(shape) * dtype.itemsize


def _claims_problem(shapes: dict[str, tuple[int, ...]], n_points: int | Collection[int] | None) -> str:
    """Say what is wrong with the declared shapes as a whole, given the number of points."""
    n_rows = shapes["nll"][0]
    for name in SERIES:
        if shapes[name][0] != n_rows:
            return f"{name} has {shapes[name][0]} rows, nll {n_rows}"
    allowed = sorted(n_points) if isinstance(n_points, Collection) else [n_points]
    if n_points is not None and shapes["labels"][1] not in allowed:
        have = " or ".join(f"{number:,}" for number in allowed) or "none"
        return f"it has {shapes['labels'][1]:,} points, but the data have {have}: choose the data it was made from"
    n_recorded = shapes["labels"][0]
    if 0 in shapes["labels"] or n_recorded != shapes["label_sweeps"][0]:
        return "it has no labels, or not one row per recorded sweep"
    if n_recorded > n_rows:
        return f"it has labels of {n_recorded:,} sweeps, but {n_rows:,} rows of nll"
    if shapes["size_offsets"][0] != n_rows + 1:
        return "its sizes do not match its sweeps"
    if shapes.get("n_accepted", (n_rows,))[0] != n_rows:
        return "its accepted moves do not match its sweeps"
    if shapes.get("imputed", (n_recorded, 0))[0] != n_recorded:
        return "it has not one row of filled cells per recorded sweep"
    if shapes.get("learned", (n_rows,))[0] != n_rows:
        return "its hyperparameters do not match its sweeps"
    return "its events are not (point, from, to)" if shapes.get("events", (0, 3))[1] != 3 else ""


def _decode(name: str, text: Any, dtype: np.dtype[Any], shape: tuple[int, ...], expected: int) -> NDArray[Any]:
    """Inflate one array to its declared size."""
    try:
        packed = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise TraceFormatError(f"the array {name!r} of this stored run is not base64.") from error
    data = zlib.decompressobj().decompress(packed, expected + 1)
    if len(data) != expected:
        raise TraceFormatError(f"the array {name!r} of this stored run is {len(data):,} bytes, not {expected:,}.")
    return np.frombuffer(data, dtype=dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)


def _text_of(value: Any) -> str:
    """Read a short text that may be shown; half characters in it are damage."""
    text = str(value)
    text.encode("utf-8")
    if len(text) > LONGEST_QUOTED:
        raise ValueError(f"{quoted(text)} has {len(text):,} characters")
    return text


def _read_seconds(value: Any) -> float:
    """Read how long a run took; NaN for None, where it is unknown."""
    return math.nan if value is None else float(value)


def _read_generator(value: Any) -> GeneratorState | None:
    """Read the state of a chain's random numbers; None where there is none."""
    if value is not None and not is_state(value):
        raise TraceFormatError("the random numbers of this stored run are no state of a generator.")
    return None if value is None else (value[0], value[1], value[2], value[3])


def written(trace: Any) -> str:
    """Write a ``Trace``, as its method ``to_json`` does."""
    arrays = {name: _encode(getattr(trace, name)) for name in ("labels", "label_sweeps", *SERIES)}
    arrays |= {"flat_sizes": _encode(trace.flat_sizes), "size_offsets": _encode(trace.size_offsets)}
    for name in ("events", "n_accepted", "imputed", "learned"):
        if getattr(trace, name) is not None:
            arrays[name] = _encode(getattr(trace, name))
    document = {
        "format": FORMAT,
        "data": trace.data,
        "config": trace.config.to_dict(),
        "converged": trace.converged,
        "chosen_start": trace.chosen_start,
        "starts": [list(start) for start in trace.starts],
        "moves": [list(move) for move in trace.moves],
        "total_seconds": trace.total_seconds if math.isfinite(trace.total_seconds) else None,
        "n_trial_sweeps": trace.n_trial_sweeps,
        "search_exhausted": trace.search_exhausted,
        "generator": trace.generator,
        "stride": trace.stride,
        **({"scaling_nats": trace.scaling_nats} if trace.scaling_nats else {}),
        "arrays": arrays,
    }
    return json.dumps(document, separators=(",", ":"))


def read(build: Callable[..., Run], text: str, n_points: int | Collection[int] | None, most_bytes: int) -> Run:
    """Read what :func:`written` returned, as ``Trace.from_json`` does; ``build`` makes the trace of its fields."""
    try:
        document = _parse(text)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise TraceFormatError(f"this is not a stored run: its format is not {FORMAT!r}.")
        config = RunConfig.from_dict(document["config"])
        arrays = _decode_all(document["arrays"], n_points, most_bytes)
        trace = build(
            config=config,
            converged=_read_flag(document["converged"]),
            chosen_start=int(document["chosen_start"]),
            starts=tuple(Start(_text_of(s[0]), int(s[1]), float(s[2]), int(s[3])) for s in document["starts"]),
            moves=tuple((index(sweep), _text_of(move)) for sweep, move in document.get("moves", [])),
            total_seconds=_read_seconds(document.get("total_seconds")),
            n_trial_sweeps=index(document.get("n_trial_sweeps", 0)),
            search_exhausted=_read_flag(document.get("search_exhausted", False)),
            data=_text_of(document.get("data", "")),
            generator=_read_generator(document.get("generator")),
            stride=index(document.get("stride", 1)),
            scaling_nats=float(document.get("scaling_nats", 0.0)),
            **arrays,
        )
    except TraceFormatError:
        raise
    except InvalidParameterError as error:
        raise TraceFormatError(
            f"this stored run cannot be used here: {cut(str(error), 300)} If that is of another package, "
            "import it first."
        ) from error
    except _DAMAGE as error:
        raise TraceFormatError(f"this stored run is damaged: {type(error).__name__}: {cut(str(error), 200)}") from error
    _check_consistent(trace)
    return trace


def _counts(trace: Any) -> list[int]:
    """Amounts of work that no array bounds."""
    return [trace.n_trial_sweeps, *(count for start in trace.starts for count in (start.n_sweeps, start.n_clusters))]


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{quoted(value)} is neither true nor false")
    return value


def _check_consistent(trace: Any) -> None:
    """Raise unless the arrays of a loaded ``Trace``, whose module needs this one, fit together; shapes are checked."""
    problem = _series_problem(trace) or _size_problem(trace) or _label_problem(trace) or _acceptance_problem(trace)
    problem = problem or _learned_problem(trace)
    problem = problem or _move_problem(trace)
    if not 0 <= trace.chosen_start <= len(trace.starts):  # equal while the chosen restart is still running
        problem = f"its chosen start {quoted(trace.chosen_start)} is not one of {len(trace.starts)}"
    if trace.total_seconds < 0 or math.isinf(trace.total_seconds):
        problem = "its total seconds are no amount"
    if not all(0 <= count <= MOST_COUNTED for count in _counts(trace)):
        problem = "its numbers of sweeps and clusters are no amounts"
    if not 1 <= trace.stride <= LONGEST:
        problem = f"its stride {quoted(trace.stride)} is no number of sweeps"
    if not math.isfinite(trace.scaling_nats):
        problem = "the nats of its scaling are no number"
    if problem:
        raise TraceFormatError(f"this stored run does not fit together: {problem}.")


def _move_problem(trace: Any) -> str:
    sweeps = [0, *(sweep for sweep, _ in trace.moves)]
    if sweeps != sorted(set(sweeps)) or sweeps[-1] > trace.n_sweeps or not {m for _, m in trace.moves} <= set(MOVES):
        return "its splits and merges are not of its sweeps"
    gained = np.sign(np.diff(trace.n_clusters))
    if not all(gained[sweep - 1] == MOVES[move] for sweep, move in trace.moves):
        return "its splits and merges are not those of its numbers of clusters"
    most = trace.n_points * (1 + trace.config.split_merge)  # each split or merge moves some again
    return "more points move in a sweep than it has" if np.any(trace.n_moved > most) else ""


def _series_problem(trace: Any) -> str:
    n_rows, sweeps = len(trace.nll), trace.label_sweeps
    for name in SERIES:
        amounts = getattr(trace, name)
        if name not in ("nll", "objective") and not np.all((amounts >= 0) & (amounts < np.inf)):
            return f"{name} is negative or no number somewhere"
    has_nll = described(trace.config.algorithm).has_nll
    if not np.isfinite(trace.objective).all() or (has_nll and not np.isfinite(trace.nll).all()):
        return "its nll or objective is no finite number somewhere"
    if np.any(sweeps[1:] <= sweeps[:-1]) or sweeps[0] < 0 or sweeps[-1] >= n_rows:
        return "its recorded sweeps are not increasing, or out of range"
    events = trace.events
    if events is not None and (np.any(events < 0) or np.any(events[:, 0] >= trace.n_points)):
        return "its events are not (point, from, to)"
    return ""


def _acceptance_problem(trace: Any) -> str:
    n_proposed, accepted = trace.config.split_merge, trace.n_accepted
    counted = n_proposed == 0 if accepted is None else bool(np.all((accepted >= 0) & (accepted <= n_proposed)))
    return "" if counted else "its accepted moves are not among those it proposed"


def _learned_problem(trace: Any) -> str:
    laws, learned = [law for _, law in trace.config.hyperpriors or ()], trace.learned
    if learned is None or learned.shape[1] != len(laws):
        return "its hyperparameters are not those of its configuration" if laws or learned is not None else ""
    for law, values in zip(laws, learned.T, strict=True):
        if not (law.contains(values.min()) and law.contains(values.max())):  # a NaN is nowhere
            return "its hyperparameters are not within their laws"
    return ""


def _size_problem(trace: Any) -> str:
    flat, offsets = trace.flat_sizes, trace.size_offsets
    if offsets[0] != 0 or offsets[-1] != len(flat):
        return "its sizes do not match its sweeps"
    if np.any(offsets[1:] <= offsets[:-1]):
        return "a sweep has no sizes"
    totals = np.add.reduceat(flat.astype(np.int64), offsets[:-1])
    if np.any(flat < 0) or np.any(totals != trace.n_points):
        return "the sizes of some sweep do not add up to the number of points"
    if not np.array_equal(np.add.reduceat((flat > 0).astype(np.int64), offsets[:-1]), trace.n_clusters):
        return "its numbers of clusters are not those of its sizes"
    return ""


def _label_problem(trace: Any) -> str:
    for labels, sweep in zip(trace.labels, trace.label_sweeps.tolist(), strict=True):
        sizes = trace.sizes(sweep)
        if labels.max() >= len(sizes) or not np.array_equal(np.bincount(labels, minlength=len(sizes)), sizes):
            return f"the labels of sweep {sweep} do not have the stored sizes"
    return ""
