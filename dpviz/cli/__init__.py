"""The command line: run, compare and tune on a table, or start the app."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

import dpviz
from dpviz.analysis.selection import CRITERIA
from dpviz.cli.commands import INTERRUPTED, app_command, compare_command, run_command, tune_command
from dpviz.cli.inputs import numbers, option_name, settings
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError

DATA_HELP = "a file (CSV, Excel, Parquet, npy, npz), the name of a bundled data set, or synthetic:SCENARIO"
EPILOG = """\
examples:
  dpviz run iris --concentration 0.5
  dpviz run data.csv --label species --algorithm gibbs --n-sweeps 2000 --burn-in 500 --out run.json
  dpviz compare synthetic:elliptical_rotated --algorithms mapdp,gibbs,kmeans --n-clusters 3
  dpviz tune wine --parameter concentration --values 0.1,0.3,1,3,10
  dpviz tune data.csv --parameter concentration --range 0.1 10 20 --log --parameter psi0 --range 0.1 10 20 --log
  dpviz app --port 8600

Results go to stdout or --out, progress to stderr. Exit codes: 0 done, 1 something to put right (stderr says what),
2 wrong usage, 130 interrupted (what was done is kept).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    options = parser().parse_args(arguments)
    try:
        command: Callable[[argparse.Namespace], int] = options.command
        with threadpool_limits(1):  # the engine's matrices are small: more threads only get in each other's way
            return command(options)
    except KeyboardInterrupt:
        print("dpviz: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of stdout, e.g. head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DpvizError, OSError) as error:
        print(f"dpviz: {error}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    top = argparse.ArgumentParser(
        "dpviz",
        description="Clustering with Dirichlet process mixtures, K-means, DP-means and E-M.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"dpviz {dpviz.__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    algorithms = sorted(ALGORITHMS, key=lambda name: not ALGORITHMS[name].has_nll)  # those with an nll first

    run = _command(commands, "run", run_command, "cluster a table once and keep the whole run")
    run.add_argument("--algorithm", choices=algorithms, help="default: mapdp, or what --config says")
    run.add_argument("--out", metavar="FILE", help=".json keeps the whole run, .csv the labels, .txt the summary")

    compare = _command(commands, "compare", compare_command, "run several algorithms on the same table")
    compare.add_argument("--algorithms", type=_names, default=algorithms, metavar="A,B,…",
                         help=f"among {', '.join(algorithms)}; all by default")  # fmt: skip
    _add_parallel(compare, n_folds=0, folds_in_words="0")

    tune = _command(commands, "tune", tune_command, "vary one or two parameters over a grid")
    tune.add_argument("--algorithm", choices=algorithms, help="default: mapdp, or what --config says")
    parameter_help = (
        "e.g. concentration, power, penalty, c0; of a vector or matrix such as psi0 a factor. Once or twice"
    )
    tune.add_argument("--parameter", action="append", required=True, metavar="NAME", help=parameter_help)
    tune.add_argument("--values", dest="axes", action="append", type=_numbers, metavar="V,V,…", help="increasing")
    tune.add_argument("--range", dest="axes", action="append", nargs=3, type=float, metavar=("LOW", "HIGH", "N"))
    tune.add_argument("--log", action="store_true", help="ranges are evenly spaced in the logarithm")
    tune.add_argument("--criterion", choices=CRITERIA, help="what the best cell is chosen by; nll where there is one")
    _add_parallel(tune, n_folds=None, folds_in_words="5 for one parameter, or if it is the criterion; else 0")

    app = commands.add_parser("app", help="start the app in the browser")
    app.add_argument("--port", type=int, default=8501)
    app.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1, this machine alone")
    app.set_defaults(command=app_command)
    return top


def _command(commands: Any, name: str, function: Callable[[argparse.Namespace], int], title: str) -> Any:
    """Add a command that clusters a table."""
    command = commands.add_parser(name, help=title, description=title.capitalize() + ".", epilog=EPILOG,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    command.set_defaults(command=function)
    command.add_argument("data", help=DATA_HELP)
    command.add_argument("--label", metavar="COLUMN", help="column of a file that holds the reference groups")
    command.add_argument("--features", type=_names, metavar="A,B,…", help="columns of a file to cluster")
    command.add_argument("--config", metavar="FILE", help="JSON of a configuration; the options below change it")
    model = command.add_argument_group("model and algorithm")
    for name in numbers():
        model.add_argument(option_name(name), type=float, metavar="X")
    model.add_argument("--prior", action="append", type=_assignment, default=[], metavar="NAME=VALUE",
                       help="a hyperparameter of the family, e.g. c0=0.1 or m0=[0,1]")  # fmt: skip
    model.add_argument("--family", choices=dpviz.FAMILIES)
    model.add_argument("--init", choices=sorted({kind for a in ALGORITHMS.values() for kind in a.starts}))
    for name, option in settings().items():
        given: dict[str, Any] = {"choices": option.values} if option.choices else {"type": int, "metavar": "N"}
        model.add_argument(option_name(name), **given)
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--progress", action="store_true", default=None, help="show progress even without a terminal")
    shown.add_argument("--quiet", dest="progress", action="store_false", help="show no progress")
    return command


def _add_parallel(command: Any, n_folds: int | None, folds_in_words: str) -> None:
    folds_help = f"for the held-out density, one more run each; default: {folds_in_words}"
    command.add_argument("--folds", type=int, default=n_folds, help=folds_help)
    command.add_argument("--jobs", type=int, default=-1, help="processes; default: one per core")
    command.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="run on this Dask cluster")
    command.add_argument("--out", metavar="FILE", help=".csv or .json keeps the table, .txt as it is printed")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in _names(text))


def _assignment(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    return name.strip(), json.loads(value)
