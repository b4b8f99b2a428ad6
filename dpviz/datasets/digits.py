"""Handwritten digits in a few dimensions: a computed table, kept in memory and on disk."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray
from dpviz.cache_folder import cache_root
from dpviz.errors import require
from dpviz.files import opened

DIGITS = "mnist_digits_1_to_4"
METHODS = {
    "pca": "principal components",
    "spectral": "a spectral embedding (rbf kernel)",
    "neighbours": "a spectral embedding (graph of 10 nearest neighbours)",
}
N_IMAGES = 8_000
MAX_SPECTRAL = 3_000  # the rbf graph is dense: n² numbers and an eigenvalue problem of that size
N_NEIGHBOURS = 10
N_SCORES = 50  # principal components in which neighbours are searched
MAX_COMPONENTS = 50
MAX_STORED_BYTES = 32_000_000
"""Most embeddings kept on disk: every seed makes another, and any link may ask for one."""
_PREFIX = "digits_"
_OWN = re.compile(rf"{_PREFIX}([0-9a-f]{{24}}\.npy|\w+\.unfinished)")


class Embedding(NamedTuple):
    """Digits as points: coordinates (n, n_components), their names, the rows they come from, a note."""

    X: FloatArray
    feature_names: tuple[str, ...]
    frame: pd.DataFrame
    note: str


def largest_subset(method: str) -> int:
    """Return the most digits that a method may embed."""
    return MAX_SPECTRAL if method == "spectral" else N_IMAGES


def embed_digits(file: Path, *, n: int = 1_000, method: str = "pca", n_components: int = 3, seed: int = 0) -> Embedding:
    """Embed a random subset of the digits in a low-dimensional space, every coordinate standardised.

    Parameters
    ----------
    file : Path
        The npz archive with ``images``, ``labels`` and ``train_index``.
    n : int, default 1000
        Number of digits drawn without replacement, 50 to 8,000 (3,000 with ``"spectral"``).
    method : {"pca", "spectral", "neighbours"}
        Principal components of the pixels, or scikit-learn's spectral embedding: of the pixels with its default rbf
        width, or of the graph of 10 nearest neighbours among 50 principal components.
    n_components : int, default 3
        Dimensions of the embedding, 1 to 50.
    seed : int
        Chooses the subset; different seeds give overlapping subsets.

    Returns
    -------
    Embedding
        The points in random order.

    Raises
    ------
    InvalidParameterError
        If an option is out of range.
    """
    require(method in METHODS, "method", method, f"one of {', '.join(METHODS)}")
    n = _integer("n", n, 50, largest_subset(method))
    n_components = _integer("n_components", n_components, 1, MAX_COMPONENTS)
    seed = _integer("seed", seed, 0, 2**32 - 1)
    with np.load(file, allow_pickle=False) as archive:
        chosen = np.random.default_rng(seed).choice(N_IMAGES, n, replace=False)
        frame = pd.DataFrame({"train_index": archive["train_index"][chosen], "label": archive["labels"][chosen]})
    prefix = "principal_component" if method == "pca" else "spectral_coordinate"
    note = f"{n} digits drawn at random (seed {seed}); columns are {METHODS[method]} of the pixels, standardised."
    feature_names = tuple(f"{prefix}_{d + 1}" for d in range(n_components))
    return Embedding(_embedding(file, n, method, n_components, seed), feature_names, frame, note)


def _integer(parameter: str, value: Any, lowest: int, highest: int) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    require(whole and lowest <= value <= highest, parameter, value, f"an integer from {lowest} to {highest}")
    return int(value)


@functools.lru_cache(maxsize=16)
def _embedding(file: Path, n: int, method: str, n_components: int, seed: int) -> FloatArray:
    import sklearn  # deferred, like its submodules: it takes a second to import

    recipe = (file.stat().st_size, n, method, n_components, seed, sklearn.__version__, np.__version__)
    stored = cache_root() / f"{_PREFIX}{hashlib.sha256(repr(recipe).encode()).hexdigest()[:24]}.npy"
    embedding = _read(stored, (n, n_components))
    if embedding is None:
        embedding = _compute(file, n, method, n_components, seed)
        _write(stored, embedding)
    embedding.setflags(write=False)
    return embedding


def _compute(file: Path, n: int, method: str, n_components: int, seed: int) -> FloatArray:
    from sklearn.decomposition import PCA
    from sklearn.manifold import SpectralEmbedding
    from sklearn.preprocessing import StandardScaler

    with np.load(file, allow_pickle=False) as archive:
        chosen = np.random.default_rng(seed).choice(N_IMAGES, n, replace=False)
        pixels = archive["images"][chosen].reshape(n, -1) / 255.0
    if method == "pca":
        coordinates = PCA(n_components, svd_solver="covariance_eigh").fit_transform(pixels)
    elif method == "spectral":
        coordinates = SpectralEmbedding(n_components, affinity="rbf", random_state=seed).fit_transform(pixels)
    else:
        scores = PCA(min(N_SCORES, n), svd_solver="covariance_eigh").fit_transform(pixels)
        spectral = SpectralEmbedding(
            n_components, affinity="nearest_neighbors", n_neighbors=N_NEIGHBOURS, random_state=seed
        )
        coordinates = spectral.fit_transform(scores)
    standardised: FloatArray = StandardScaler().fit_transform(coordinates)
    return standardised


def _read(stored: Path, shape: tuple[int, int]) -> FloatArray | None:
    try:
        with opened(stored, "rb") as file:
            embedding: FloatArray = np.lib.format.read_array(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError):
        return None  # nothing stored yet, or an unreadable file: compute it again
    usable = embedding.shape == shape and embedding.dtype == np.float64 and bool(np.isfinite(embedding).all())
    return embedding if usable else None


def _write(stored: Path, embedding: FloatArray) -> None:
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=stored.parent, prefix=_PREFIX, suffix=".unfinished")
        with os.fdopen(handle, "wb") as file:
            np.save(file, embedding, allow_pickle=False)
        os.replace(unfinished, stored)  # readers see the whole file or none
        _forget_oldest(stored.parent)
    except OSError:
        return  # no cache folder to write to: the next process computes the embedding again


def _forget_oldest(folder: Path) -> None:
    """Delete the embeddings that were stored first until the others fit."""
    files = [(path.stat(), path) for path in folder.iterdir() if _OWN.fullmatch(path.name) and path.is_file()]
    room = MAX_STORED_BYTES
    for status, path in sorted(files, key=lambda file: -file[0].st_mtime_ns):
        room -= status.st_size
        if room < 0:
            path.unlink(missing_ok=True)
