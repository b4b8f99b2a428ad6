"""Runs the command ``dpviz`` as ``python -m dpviz.cli``."""

import sys

from dpviz.cli import main

sys.exit(main())
