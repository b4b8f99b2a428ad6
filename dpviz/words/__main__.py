"""Check of a language's file: ``python -m dpviz.words de.toml`` lists what keeps it from being used."""

from __future__ import annotations

import sys

from dpviz.errors import InvalidParameterError
from dpviz.words.catalogue import ENGLISH, problems, read


def main(arguments: list[str]) -> int:
    """Check files, say what is wrong with each, and return 0 if nothing is."""
    if not arguments:
        print("Give the file of a language: python -m dpviz.words de.toml", file=sys.stderr)
        return 2
    return max(map(_check, arguments))


def _check(path: str) -> int:
    try:
        catalogue = read(path)
    except InvalidParameterError as error:
        print(error)
        return 1
    found = problems(catalogue, read(ENGLISH))
    for line in found:
        print(f"{path}: {line}")
    print(f"{path}: {catalogue.name}, {len(catalogue.texts)} texts, {len(found)} to mend.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
