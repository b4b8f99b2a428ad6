"""What a search finds does not hang on the last digit of a logarithm, which differs between machines and browsers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpviz.browser.layout import FAMILIES

SCRIPT = Path(__file__).parents[1] / "last_digits.py"


@pytest.mark.parametrize("family", FAMILIES)
def test_no_label_of_a_search_moves_with_the_last_digit_of_a_logarithm(family):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(SCRIPT.parents[1])}
    done = subprocess.run(
        [sys.executable, SCRIPT, family], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    tables = json.loads(done.stdout)
    improved = sum(len(set(map(tuple, exact["labels"]))) > 2 for exact, *_ in tables)
    assert len(tables) == 5 and improved >= 3
    for number, (exact, *others) in enumerate(tables):
        for other in others:
            assert other["labels"] == exact["labels"], number
            assert other["nll"] == pytest.approx(exact["nll"], rel=1e-12)
    assert any(other["nll"] != exact["nll"] for exact, *others in tables for other in others), "nothing was off"
