"""Run a file of tests as a program with compilation switched off, or on if it is off here."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from dpviz._jit import COMPILED


def printed_the_other_way(file):
    """What a file prints, which is whether it was compiled and its results."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_DISABLE_JIT": "1" if COMPILED else "0"}
    finished = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    compiled, results = json.loads(finished.stdout)
    assert compiled is not COMPILED
    return results


def print_this_way(results):
    """Print what the other way reads."""
    json.dump([COMPILED, results], sys.stdout, default=int)  # numpy's integers, too
