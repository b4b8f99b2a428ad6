"""Lets ``python -m dpviz.cli`` stand for the command ``dpviz``."""

import sys

from dpviz.cli import main

sys.exit(main())
