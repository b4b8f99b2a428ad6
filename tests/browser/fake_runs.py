"""Small runs made of a few lines of numpy: nearest-centroid iterations over blobs, with everything a panel can show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpviz.player import (
    ClusterDensities,
    ClusterEllipses,
    DensityImage,
    GhostCurve,
    PanelData,
    RegionImage,
    SweepEvents,
)

LONG_TITLE = "wide shapes, and a title that is much longer"
CENTERS = np.array([[0.0, 0.0], [5.0, 1.0], [1.5, 5.0], [6.0, 6.0], [-4.0, 4.0]])


def blobs(n_points: int, seed: int = 0, n_clusters: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Points (N, 2) around the first centres, and which centre each came from."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, n_clusters, n_points)
    spread = np.array([0.7, 1.1, 0.9, 0.6, 0.8])[labels, None]
    return CENTERS[labels] + spread * generator.normal(size=(n_points, 2)), labels


def nearest_centroid(
    points: np.ndarray, n_clusters: int, n_sweeps: int, seed: int = 1, noise: float = 0.0
) -> np.ndarray:
    """Labels (T + 1, N) of K-means-like sweeps; ``noise`` is the share of points put anywhere at each sweep."""
    generator = np.random.default_rng(seed)
    labels = np.empty((n_sweeps + 1, len(points)), dtype=np.int64)
    labels[0] = generator.integers(0, n_clusters, len(points))
    for sweep in range(1, n_sweeps + 1):
        means = [
            points[labels[sweep - 1] == k].mean(axis=0) if (labels[sweep - 1] == k).any() else points[k]
            for k in range(n_clusters)
        ]
        distances = np.stack([((points - mean) ** 2).sum(axis=1) for mean in means])
        labels[sweep] = distances.argmin(axis=0)
        shaken = generator.random(len(points)) < noise
        labels[sweep, shaken] = generator.integers(0, n_clusters, int(shaken.sum()))
    return labels


def panel(points: np.ndarray, labels: np.ndarray, **parts: object) -> PanelData:
    """Panel of a run whose every sweep is recorded."""
    n_rows = len(labels)
    moved = np.concatenate([[0], (labels[1:] != labels[:-1]).sum(axis=1)])
    n_clusters = np.array([len(np.unique(row)) for row in labels])
    change = np.diff(n_clusters, prepend=n_clusters[0])
    error = np.array(
        [sum(((points[row == k] - points[row == k].mean(axis=0)) ** 2).sum() for k in np.unique(row)) for row in labels]
    )
    fields = {
        "points": points,
        "labels": labels,
        "label_sweeps": np.arange(n_rows),
        "nll": error + 40.0 * n_clusters,
        "objective": error,
        "n_clusters": n_clusters,
        "n_moved": moved,
        "n_born": np.maximum(change, 0),
        "n_died": np.maximum(-change, 0),
        "seconds": np.r_[0.0, np.full(n_rows - 1, 2e-3)],
    }
    return PanelData(**{**fields, **parts})  # type: ignore[arg-type]


def ellipses(points: np.ndarray, labels: np.ndarray) -> ClusterEllipses:
    """Sample means and covariances of every cluster at every sweep."""
    entries = [(row, k) for row in range(len(labels)) for k in np.unique(labels[row]) if (labels[row] == k).sum() > 2]
    members = [points[labels[row] == k] for row, k in entries]
    return ClusterEllipses(
        rows=np.array([row for row, _ in entries]),
        labels=np.array([k for _, k in entries]),
        centers=np.array([group.mean(axis=0) for group in members]),
        scales=np.array([np.cov(group.T) for group in members]),
        factors=np.tile(np.sqrt(-2 * np.log([0.5, 0.05])), (len(entries), 1)),
    )


def events(points: np.ndarray, labels: np.ndarray, sweep: int) -> SweepEvents:
    """Visits of one sweep in index order, squared distances as costs."""
    before, after = labels[sweep - 1], labels[sweep]
    known = np.unique(before)
    means = np.stack([points[before == k].mean(axis=0) for k in known])
    costs = ((points[:, None] - means) ** 2).sum(axis=2)
    costs = np.column_stack([costs, np.full(len(points), 9.0)])
    candidates = np.tile(np.r_[known, -1], (len(points), 1))
    return SweepEvents(sweep, np.arange(len(points)), before, after, candidates, costs)


def merging_panel() -> PanelData:
    """Three clusters of 12, 6 and 3 points; the smallest is emptied in the only sweep, with shapes after each visit."""
    generator = np.random.default_rng(8)
    before = np.repeat([0, 1, 2], [12, 6, 3])
    points = np.array([[0.0, 0.0], [6.0, 0.0], [6.0, 4.0]])[before] + 0.5 * generator.normal(size=(21, 2))
    after = np.where(before == 2, 1, before)
    labels = np.stack([before, after])
    order = np.r_[18:21, 0:18]
    states = np.repeat(before[None], 4, axis=0)
    for visit in range(3):
        states[visit + 1 :, order[visit]] = 1
    shapes = ellipses(points, states[1:])
    touched = shapes.labels == 1
    changed = ClusterEllipses(
        *(getattr(shapes, name)[touched] for name in ("rows", "labels", "centers", "scales", "factors"))
    )
    nll = 100.0 - np.arange(1, 22)
    visits = SweepEvents(1, order, before[order], after[order], nll=nll, ellipses=changed)
    return panel(
        points, labels, nll=np.array([100.0, 80.0]), ellipses=ellipses(points, labels), events=visits, title="Merging"
    )


def images(points: np.ndarray, labels: np.ndarray) -> tuple[DensityImage, RegionImage]:
    """A sum of bumps, and the nearest mean of the last sweep, on a 60 × 80 grid."""
    low, high = points.min(axis=0) - 1, points.max(axis=0) + 1
    extent = (float(low[0]), float(high[0]), float(low[1]), float(high[1]))
    x, y = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 60))
    known = np.unique(labels[-1])
    means = np.stack([points[labels[-1] == k].mean(axis=0) for k in known])
    squared = (x[..., None] - means[:, 0]) ** 2 + (y[..., None] - means[:, 1]) ** 2
    density = np.exp(-0.5 * squared).sum(axis=-1)
    last = np.array([len(labels) - 1])
    return DensityImage(density[None], last, extent), RegionImage(known[squared.argmin(axis=-1)][None], last, extent)


def full_panel(n_points: int = 400, n_sweeps: int = 11, seed: int = 0, **parts: object) -> PanelData:
    """Two columns with every optional layer."""
    points, truth = blobs(n_points, seed)
    labels = nearest_centroid(points, 4, n_sweeps, seed + 1, noise=0.01)
    density, regions = images(points, labels)
    layers = {
        "title": "Nearest centroid",
        "axis_names": ("width (cm)", "height (cm)"),
        "true_labels": truth,
        "class_names": ("ash", "birch", "cedar", "date"),
        "values": np.column_stack([points, points.sum(axis=1)]),
        "value_names": ("width", "height", "sum"),
        "ellipses": ellipses(points, labels),
        "density_image": density,
        "region_image": regions,
        "events": events(points, labels, 1),
        "objective_name": "SSE",
        "ghosts": [GhostCurve("before", np.linspace(4000, 900, 8), np.array([1, 2, 3, 3, 4, 5, 5, 5.0]))],
    }
    return panel(points, labels, **{**layers, **parts})


def one_column_panel(n_points: int = 300, n_sweeps: int = 8) -> PanelData:
    """One column with density curves."""
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 3, n_points)
    centers, spreads = np.array([-3.0, 0.5, 4.0]), np.array([0.6, 0.9, 0.7])
    points = generator.normal(centers[truth], spreads[truth])[:, None]
    labels = nearest_centroid(points, 3, n_sweeps, 5)
    grid = np.linspace(points.min() - 1, points.max() + 1, 160)
    entries = [(row, k) for row in range(len(labels)) for k in np.unique(labels[row])]
    curves = []
    for row, k in entries:
        group = points[labels[row] == k, 0]
        scale = group.std() + 0.1
        height = np.exp(-0.5 * ((grid - group.mean()) / scale) ** 2) / (scale * np.sqrt(2 * np.pi))
        curves.append(height * len(group) / n_points)
    rows, names = np.array(entries).T
    densities = ClusterDensities(rows, names, grid, np.array(curves))
    named = {"title": "One column", "axis_names": ("waiting time (min)",)}
    return panel(points, labels, densities=densities, true_labels=truth, **named)


def growing_panels(n_sweeps: int = 12) -> list[PanelData]:
    """The same run seen after each of its sweeps."""
    points, _ = blobs(300, 2)
    labels = nearest_centroid(points, 4, n_sweeps, 3, noise=0.05)
    return [panel(points, labels[: count + 1], title="Growing") for count in range(1, n_sweeps + 1)]


def shaped_panel(wide: bool) -> PanelData:
    """The same points with the shapes of their clusters, or with shapes ten times as wide."""
    if not wide:
        return full_panel(true_labels=None)
    usual = full_panel()
    assert usual.ellipses is not None
    shapes = replace(usual.ellipses, scales=100 * np.asarray(usual.ellipses.scales))
    return full_panel(ellipses=shapes, title=LONG_TITLE)


def steep_panel() -> PanelData:
    """A run whose first nll dwarfs the rest, beside a run that was twice as long."""
    nll = np.r_[90_000.0, 1000 - 5.0 * np.arange(11)]
    ghost = GhostCurve("longer", np.linspace(1000, 950, 24), np.full(24, 4.0))
    return full_panel(nll=nll, ghosts=[ghost], title="Steep", true_labels=None)


def crowded_panel() -> PanelData:
    """Thirty clusters on a grid, half of which melt away."""
    truth = np.repeat(np.arange(30), 12)
    centers = np.column_stack([truth % 6, truth // 6])
    points = centers + 0.12 * np.random.default_rng(6).normal(size=(len(truth), 2))
    labels = np.stack([truth, np.where(truth % 6 < 2, truth - truth % 6, truth), truth // 6])
    return panel(points, labels, ellipses=ellipses(points, labels), title="Crowd", true_labels=truth)


def compared_panels(n_points: int = 500) -> list[PanelData]:
    """Three runs of unequal length on the same points."""
    points, truth = blobs(n_points, 4)
    runs = [(3, 6), (4, 14), (6, 30)]
    made = [nearest_centroid(points, k, n_sweeps, k, noise=0.01) for k, n_sweeps in runs]
    return [
        panel(points, labels, title=f"K = {k}", ellipses=ellipses(points, labels), true_labels=truth)
        for (k, _), labels in zip(runs, made, strict=True)
    ]
