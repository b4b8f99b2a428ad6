"""Settings every test runs under."""

from __future__ import annotations

import os

from hypothesis import settings

# Read when numpy is first imported, which happens after this file.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

# The same examples in every run, and none judged by how long a busy machine takes.
settings.register_profile("dpviz", derandomize=True, deadline=None)
settings.load_profile("dpviz")
