"""``python -m dpviz.ui.serving`` runs one server."""

import sys

from dpviz.ui.serving.program import main

if __name__ == "__main__":  # processes that read uploads import this module by another name
    main(sys.argv[1:])
