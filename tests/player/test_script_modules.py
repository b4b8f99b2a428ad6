"""Modules of the pages' scripts by themselves, in Node: their own tests, and what Python has to find, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from modules import evaluate, run_node
from player_checks import restless_labels

from dpviz.player.alignment import follow, match_labels
from dpviz.player.palette import N_COLORS
from dpviz.player.tracking import track_labels

OWN = sorted((Path(__file__).parents[1] / "script").glob("*.test.js"))
COLOURS = """(cases) => cases.map(({ labels, n_points, colors, reference, groups }) => {
  const [rows, wanted] = [labels, reference].map((numbers) => Int32Array.from(numbers));
  return {
    tracks: tracksOf(rows, n_points, colors), followed: tracksOf(rows, n_points, colors, [wanted]),
    matched: matchedGroups(Int32Array.from(groups), wanted, colors),
  };
})"""


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_a_module_passes_its_own_tests(path):
    done = run_node("--test", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass 0" not in done.stdout


def histories(seed: int) -> list[np.ndarray]:
    """Labels of runs: restless ones, draws with ties, hundreds of clusters, few points."""
    generator = np.random.default_rng(seed)
    most = (4, N_COLORS + 2, 30)[seed % 3]
    singletons = np.array([np.arange(300), generator.permutation(300) // 2, generator.integers(0, 20, 300)])
    restless = restless_labels(generator, most)[:60]
    return [restless, generator.integers(0, most, (6, 60)), singletons, generator.integers(0, 5, (4, 12))]


def test_pages_and_python_give_clusters_the_same_colours():
    cases, expected = [], []
    for seed in range(20):
        generator = np.random.default_rng(100 + seed)
        for labels in histories(seed):
            reference = generator.integers(0, (5, 20, 60)[seed % 3], labels.shape[1])
            groups = generator.integers(0, (4, 15)[seed % 2], labels.shape[1])
            tracks = track_labels(labels)
            told = {"tracks": tracks.tracks.ravel(), "followed": follow(tracks, reference).tracks.ravel()}
            told["matched"] = match_labels(groups, reference)
            expected.append({name: numbers.tolist() for name, numbers in told.items()})
            given = {"labels": labels.ravel(), "reference": reference, "groups": groups}
            plain = {name: numbers.tolist() for name, numbers in given.items()}
            cases.append({"n_points": labels.shape[1], "colors": N_COLORS, **plain})
    assert evaluate(["stage/tracks.js"], COLOURS, cases) == expected
