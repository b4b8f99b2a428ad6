"""The command line: run, compare and tune on a table, or start the app."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from typing import Any, TextIO, cast

from threadpoolctl import threadpool_limits

import dpviz
from dpviz import starting
from dpviz.analysis.selection import CRITERIA
from dpviz.analysis.studies import STUDIES
from dpviz.cli.commands import (
    app_command,
    compare_command,
    course_command,
    figure_command,
    lab_command,
    predict_command,
    report_command,
    run_command,
    site_command,
    tune_command,
)
from dpviz.cli.inputs import (
    DROP,
    NONE,
    PRIORS,
    default_in_words,
    in_words,
    learners,
    numbers,
    settings,
    texts,
)
from dpviz.cli.interrupts import (
    Closed,
    Unfailing,
    bare_interrupts,
    end_workers,
    exit_code,
    quiet_cancelling,
    terminable,
)
from dpviz.cli.merges import add_merge
from dpviz.cli.reading_options import add_reading, option_name
from dpviz.cli.reproduce import EVERY, reproduce_command, size_arguments
from dpviz.config_values import TRANSFORMS
from dpviz.datasets.preparation import WAYS
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.options import MISSING
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.limits import MAX_CLASS_UPLOAD_MEGABYTES, MAX_UPLOAD_MEGABYTES
from dpviz.parameters import Parameter
from dpviz.shares import LOGRATIO
from dpviz.text import quoted

PARAMETER_HELP = "e.g. concentration, power, penalty, c0; of a vector or matrix such as psi0 a factor. Once or twice"
DATA_HELP = (
    "a file (CSV, Excel, OpenDocument, Parquet, npy, npz), - for standard input, the name of a bundled data set, "
    "or synthetic:SCENARIO"
)
REPLACES = "replace any file; without it only pages that dpviz wrote and that have no data or runs of yours"
EPILOG = """\
examples:
  dpviz run iris --concentration 0.5
  dpviz run data.csv --label species --algorithm gibbs --n-sweeps 2000 --burn-in 500 --out run.json
  dpviz run iris --algorithm gibbs --hyperprior "concentration=gamma(1,0.3)" --out run.json
  dpviz compare synthetic:elliptical_rotated --algorithms mapdp,gibbs,kmeans --n-clusters 3
  cut -d, -f1-4 data.csv | dpviz run - --scaling standardise
  dpviz tune wine --parameter concentration --values 0.1,0.3,1,3,10
  dpviz tune data.csv --parameter concentration --range 0.1 10 20 --log --parameter psi0 --range 0.1 10 20 --log
  dpviz run data.csv --merge auto --out run.json
  dpviz predict run.json new.csv --data data.csv --label species --out predicted.csv
  dpviz figure run.json --data data.csv --label species --columns height,weight --out figure.pdf
  dpviz reproduce raykov2016-scenarios --quick --out results
  dpviz app --port 8600
  dpviz course --out course
  dpviz site --out site

Results go to stdout or --out, progress to stderr. Exit codes: 0 done, 1 something to put right (stderr says what),
2 wrong usage, 130 interrupted and 143 terminated. What was done by then is kept, in a file of its own
(NAME.partial.csv) where --out names an older result. A result that cannot be written, as on a full disk, goes to the
folder for temporary files or to your own, which stderr names.
"""


@quiet_cancelling()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    starting.end()
    _settle_streams()
    with redirect_stderr(cast(TextIO, Unfailing(sys.stderr))):
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], int] = options.command
        with (
            terminable(),
            bare_interrupts(),
            threadpool_limits(1),
        ):  # the engine's matrices are small: more threads only get in each other's way
            return command(options)
    except KeyboardInterrupt as interrupt:
        print("dpviz: interrupted", file=sys.stderr)
        end_workers()
        return exit_code(interrupt)
    except BrokenPipeError:  # the reader of stdout, e.g. head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DpvizError, OSError) as error:
        print(f"dpviz: {error}", file=sys.stderr)
        return 1


def _let_inherit(null: int) -> None:
    """Put what stands for stderr where worker processes look for it, unless something else is there."""
    number = 2
    if null == number:  # the lowest that was free
        os.set_inheritable(number, True)
        return
    try:
        os.fstat(number)
    except OSError:
        os.dup2(null, number)


def _settle_streams() -> None:
    """Let stdout take every character, whatever its encoding, and let words go nowhere where stderr was closed.

    A stdout that was closed is there, and takes none: worker processes are not started without one.
    """
    if sys.stdout is None:
        sys.stdout = cast(TextIO, Closed())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # to the end of the process
        with suppress(OSError):
            _let_inherit(sys.stderr.fileno())


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

    of_config = "default: mapdp, or what --config says"
    run = _clustering(commands, "run", run_command, "cluster a table once and keep the whole run")
    run.add_argument("--algorithm", choices=algorithms, help=of_config)
    run.add_argument(
        "--out",
        metavar="FILE",
        help=".json keeps the whole run, .csv the table with clusters, .txt the "
        "summary; default: the summary on stdout",
    )
    run.add_argument(
        "--no-second-opinion",
        dest="second_opinion",
        action="store_false",
        help="do not ask two chains of the same model, of 200 to 600 sweeps each, how many groups there are; "
        "default: ask",
    )
    add_merge(run)

    compare = _clustering(commands, "compare", compare_command, "run several algorithms on the same table")
    compare.add_argument(
        "--algorithms",
        type=_names,
        default=algorithms,
        metavar="A,B,…",
        help=f"among {', '.join(algorithms)}; default: all",
    )
    _add_parallel(compare, n_folds=0, folds_in_words="0")

    tune = _clustering(
        commands,
        "tune",
        tune_command,
        "vary one or two parameters over a grid, whose cells "
        "try each other's partitions where the algorithm minimises the nll",
    )
    tune.add_argument("--algorithm", choices=algorithms, help=of_config)
    tune.add_argument("--parameter", action="append", required=True, metavar="NAME", help=PARAMETER_HELP)
    tune.add_argument(
        "--values",
        dest="axes",
        action="append",
        type=_numbers,
        metavar="V,V,…",
        help="its values, increasing; this or --range is needed for each parameter",
    )
    tune.add_argument(
        "--range",
        dest="axes",
        action="append",
        nargs=3,
        type=float,
        metavar=("LOW", "HIGH", "N"),
        help="N evenly spaced values from LOW to HIGH; this or --values is needed",
    )
    tune.add_argument(
        "--log", action="store_true", help="ranges are evenly spaced in the logarithm; default: in the value"
    )
    tune.add_argument(
        "--criterion",
        choices=CRITERIA,
        help="what the best cell is chosen by; default: nll where there is one, held_out for hyperparameters of a "
        "coarsened model, else none is named",
    )
    _add_parallel(tune, n_folds=None, folds_in_words="5 for one parameter, or if it is the criterion; else 0")

    predict = _command(
        commands,
        "predict",
        predict_command,
        "say which clusters of a run further rows belong to",
        "Say which clusters of a run further rows belong to, how surely, and how dense they are. Of a run "
        "with --merge these are the joined clusters, in a column “merged” as in tables of the run, with the sums of "
        "the probabilities of their parts.",
    )
    _add_stored_run(predict)
    predict.add_argument(
        "rows",
        metavar="NEW",
        help="a file with the rows to predict, or - for standard input; columns are found by their names, in any order",
    )
    predict.add_argument("--out", metavar="FILE", help="a .csv file; default: CSV on stdout")

    report = _command(
        commands,
        "report",
        report_command,
        "write a stored run as a page that can be published",
        "Write a stored run as one HTML page, for print too: the data, the model in words, the answer in "
        "the units of the data and at other scales, how certain it is, what other methods say, how to repeat it.",
    )
    _add_stored_run(report)
    report.add_argument(
        "--quick",
        action="store_true",
        help="leave out the chain, repeated runs, other models and "
        "other methods, and say so; default: make them, which may take a minute",
    )
    report.add_argument(
        "--out",
        metavar="FILE",
        help="an .html file, or a .csv file for the table of clusters alone: "
        "sizes, what sets each apart, means, deviations, shares; default: HTML on stdout",
    )

    figure = _command(
        commands,
        "figure",
        figure_command,
        "draw a stored run for a paper: SVG or PDF",
        "Draw a stored run for a paper, as SVG or PDF in the width of a journal's column: texts stay "
        "texts, axes have the units of the data, colours stay apart for colour-blind readers. Needs matplotlib.",
    )
    _add_stored_run(figure)
    figure.add_argument(
        "--part",
        choices=["clusters", "curve"],
        default="clusters",
        help="the points with their clusters, or the nll after every sweep; default: clusters",
    )
    figure.add_argument(
        "--columns",
        type=_names,
        default=[],
        metavar="A[,B]",
        help="columns to show, in their units; default: those of a table of up to two, else principal components",
    )
    figure.add_argument(
        "--width",
        type=float,
        default=89.0,
        metavar="MM",
        help="from 40 to 400; 183 is two columns of many journals; default: 89, one column",
    )
    figure.add_argument("--out", required=True, metavar="FILE", help="a .svg or .pdf file")

    title = "run an experiment of a paper and compare with what it printed"
    reproduce = _command(commands, "reproduce", reproduce_command, title)
    reproduce.add_argument(
        "name",
        nargs="?",
        choices=[*STUDIES, EVERY],
        metavar="NAME",
        help=f"one of {', '.join(STUDIES)}; or {EVERY}, of which --out leaves out what it has complete, of the same "
        "versions; without it they are listed",
    )
    size_arguments(reproduce)
    _add_scheduling(reproduce)
    _add_progress(reproduce)
    reproduce.add_argument(
        "--out",
        metavar="DIR",
        help="keeps every run in NAME.json and NAME.csv, and goes on from what an ended or killed command left there; "
        "default: tables on stdout",
    )

    course = _command(
        commands,
        "course",
        course_command,
        "write the course as pages that need no server and no network",
        "Write the course as pages that need no server and no network, and worksheets next to them.",
        with_examples=False,
    )
    course.add_argument("--out", metavar="DIR", default="course", help="made if it does not exist; default: course")
    course.add_argument("--force", action="store_true", help=REPLACES)

    title = "write a page that clusters in the browser, with knobs, and needs no server and no network"
    lab = _command(commands, "lab", lab_command, title, with_examples=False)
    lab.add_argument("--out", metavar="FILE", default="lab.html", help="a .html file; default: lab.html")
    lab.add_argument(
        "--data",
        metavar="DATA",
        help=f"complete rows to begin with: {DATA_HELP}; default: "
        "the synthetic scenarios in the plane, which the page has in any case",
    )
    _add_columns(lab)
    lab.add_argument("--force", action="store_true", help=REPLACES)

    site = _command(
        commands,
        "site",
        site_command,
        "write the story, lab and course as one folder for any static host: a class of any size needs no server",
        "Write the story, the lab and the course as one folder of files with relative links: any static "
        "host hands them out, and browsers compute.",
        with_examples=False,
    )
    site.add_argument(
        "--out",
        metavar="DIR",
        default="site",
        help="made if it does not exist, or a file ending in .zip: a SCORM 1.2 package, which learning systems such as "
        "Moodle open, with a mark for each chapter; default: site",
    )
    site.add_argument(
        "--address",
        metavar="URL",
        default="",
        help="where the folder will be found, such as https://example.org/dpviz/; adds a page of QR "
        "codes, and of frames to embed; default: none",
    )
    site.add_argument("--force", action="store_true", help=REPLACES)

    app = _command(commands, "app", app_command, "start the app in the browser", with_examples=False)
    app.add_argument("--port", type=_port, default=8501, help="default: 8501")
    app.add_argument(
        "--host",
        type=_address,
        default="127.0.0.1",
        help="address to listen on; default: 127.0.0.1, this machine alone",
    )
    app.add_argument(
        "--serve",
        action="store_true",
        help=f"for a class: no browser is opened, uploads end at {MAX_CLASS_UPLOAD_MEGABYTES} MB; "
        f"default: for one person, uploads end at {MAX_UPLOAD_MEGABYTES} MB",
    )
    app.add_argument(
        "--allow-host",
        metavar="NAME",
        type=_host_name,
        action="append",
        default=[],
        help="refuse browsers that reach the server by another name; may be repeated; default: any name, "
        "without --serve and --host only this machine's own",
    )
    app.add_argument(
        "--embed-in",
        metavar="ORIGIN",
        type=_origin,
        action="append",
        default=[],
        help="let pages of an origin such as https://moodle.example.org show the app in a frame (needs "
        "TLS); may be repeated; default: none",
    )
    return top


def _command(
    commands: Any,
    name: str,
    function: Callable[[argparse.Namespace], int],
    title: str,
    description: str = "",
    with_examples: bool = True,
) -> Any:
    """Add a command."""
    given = {"epilog": EPILOG, "formatter_class": argparse.RawDescriptionHelpFormatter} if with_examples else {}
    command = commands.add_parser(name, help=title, description=description or f"{title.capitalize()}.", **given)
    command.set_defaults(command=function)
    return command


def _clustering(commands: Any, name: str, function: Callable[[argparse.Namespace], int], title: str) -> Any:
    """Add a command that clusters a table."""
    command = _command(commands, name, function, title)
    _add_data(command.add_argument_group("data"))
    _add_model(command.add_argument_group("model and algorithm"))
    command.add_argument(
        "--config", metavar="FILE", help="JSON of a configuration, which options change; default: that of the algorithm"
    )
    _add_progress(command)
    return command


def _add_progress(command: Any) -> None:
    shown = command.add_mutually_exclusive_group()
    shown.add_argument(
        "--progress",
        action="store_true",
        default=None,
        help="show progress even without a terminal; default: on a terminal only",
    )
    shown.add_argument(
        "--quiet", dest="progress", action="store_false", help="show no progress; default: on a terminal"
    )


def _add_data(data: Any) -> None:
    data.add_argument("data", help=DATA_HELP)
    _add_columns(data)


def _add_stored_run(command: Any) -> None:
    """Add a stored run, and the options by which its own data are read as they were for it."""
    command.add_argument("run", metavar="RUN.json", help="a run stored by dpviz run --out RUN.json")
    command.add_argument("--data", required=True, metavar="DATA", help=f"the run's own data: {DATA_HELP}")
    _add_columns(command)
    command.add_argument(
        "--missing", choices=[*MISSING.values, DROP], help="as for the run; default: as a run without this option"
    )


def _add_columns(data: Any) -> None:
    data.add_argument(
        "--label",
        metavar="COLUMN",
        help="column of a file that holds the reference groups; default: one that looks like it",
    )
    data.add_argument(
        "--features", type=_names, metavar="A,B,…", help="columns of a file to cluster; default: all that can be"
    )
    data.add_argument(
        "--exclude", type=_names, default=[], metavar="A,B,…", help="columns of a file to leave out; default: none"
    )
    data.add_argument(
        "--repair",
        action="store_true",
        help="read a file that is not a clean table, and list the changes; default: refuse it",
    )
    add_reading(data)
    data.add_argument(
        "--scaling",
        choices=[AUTOMATIC, *WAYS],
        default=AUTOMATIC,
        help="of the columns; default: auto, which standardises a file with measured columns only, as the app does, or "
        "divides them to variance 1 where some are skewed and may be transformed, makes columns of several kinds "
        "comparable for algorithms that take distances (one_hot: numbers standardised, categories as indicators; for "
        "em dummy, with one indicator less), and leaves other data as they are (the app "
        "begins with standardise for bundled tables)",
    )


def _add_model(model: Any) -> None:
    written = texts()
    for name, parameter in numbers().items():
        if name not in written:
            _add_option(model, name, type=float, metavar="X", help=_help(parameter))
    for name, parameter in written.items():
        _add_text(model, parameter, numbers().get(name))
    model.add_argument(
        "--prior",
        action="append",
        type=_assignment,
        default=[],
        metavar="NAME=VALUE",
        help="a hyperparameter of the family, e.g. c0=0.1 or m0=[0,1]; or auto, which chooses the width by the nll of "
        "short runs; or shape, learned from clusters if that predicts rows held out better than a width; or none, the "
        "usual ones; default: auto",
    )
    model.add_argument(
        "--hyperprior",
        action="append",
        type=_law,
        default=[],
        metavar="NAME=LAW",
        help=f"learn a parameter of the partition prior with {', '.join(learners())}, e.g. "
        "concentration=gamma(1,0.3), power=1+gamma(1,10) or discount=beta(1,3); may be repeated; the parameter's own "
        "option, or the law's mean, is where the chain begins; default: nothing is learned",
    )
    model.add_argument(
        "--family",
        choices=[AUTOMATIC, *dpviz.FAMILIES],
        help="what a cluster looks like; default: auto, by the kinds of the columns, and for real ones "
        "normal_wishart or normal_gamma, whichever reaches the lower nll in short runs",
    )
    model.add_argument(
        "--missing",
        choices=[*MISSING.values, DROP],
        help="keep rows with missing cells, and do this about the cells, with mapdp and gibbs, or drop "
        "these rows; default: auto for the rows of a file if all algorithms can, else drop",
    )
    model.add_argument(
        "--directions",
        type=_directions,
        metavar="Q",
        help="clusters in the first Q principal directions of the standardised columns, and one "
        "Gaussian for the others; or auto, by parallel analysis where clusters of the columns "
        "are not apart; or none, in the columns; or any, as auto but without a word where it comes to "
        "nothing; default: any for a file, else none",
    )
    model.add_argument(
        "--transform",
        type=_transform,
        metavar="T",
        help="powers of real columns that are > 0: log of all; power, found by likelihood; auto, those "
        "that lower nll in short runs; or one per column, 0 for its logarithm and 1 for the column as "
        "it is, as in 0,1,0.5; or logratio, log-ratios of shares that add up, per column with their sum as in "
        "logratio:100,logratio:100,1; or none; nll stays that of the table; default: auto for skewed columns of a file "
        "unless hyperparameters are given in their units, else none",
    )
    model.add_argument(
        "--coarsening",
        type=float,
        metavar="A",
        help="the likelihood of each of N points to the power A/(A + N), with mapdp and gibbs: groups "
        "whose fit gains little are joined, with a small A clear ones too; default: the likelihood "
        "itself",
    )
    starts = {algorithm.name: algorithm.defaults["init"] for algorithm in ALGORITHMS.values()}
    model.add_argument(
        "--init",
        choices=sorted({kind for a in ALGORITHMS.values() for kind in a.starts}),
        help=f"kind of start; default: {in_words(starts)}",
    )
    for name, option in settings().items():
        number = {"type": int, "metavar": "N"} if option.integer else {"type": float, "metavar": "X"}
        given: dict[str, Any] = {"choices": option.values} if option.choices else number
        _add_option(model, name, **given, help=_help(option))


def _add_text(model: Any, parameter: Parameter, number: Parameter | None) -> None:
    """Add the option of a parameter that is written as text, and perhaps as a number, which another prior has."""
    text = f"{parameter.words}: {parameter.explanation.rstrip('.')}, e.g. {parameter.default}".replace("%", "%%")
    if number is None:
        _add_option(model, parameter.name, metavar="TEXT", help=text)
    else:
        help_text = f"{_help(number)}. As text, {text[0].lower()}{text[1:]}"
        _add_option(model, parameter.name, type=_number_or_text, metavar="X", help=help_text)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _add_option(model: Any, name: str, **given: Any) -> None:
    """Add the option of a parameter; those from other packages may have a name that the command line needs."""
    try:
        model.add_argument(option_name(name), **given)
    except argparse.ArgumentError as error:
        raise InvalidParameterError(
            f"the name of the parameter {name!r} must be another: {option_name(name)} is an option already."
        ) from error


def _add_parallel(command: Any, n_folds: int | None, folds_in_words: str) -> None:
    folds_help = f"for the held-out density, one more run each; default: {folds_in_words}"
    command.add_argument("--folds", type=int, default=n_folds, metavar="N", help=folds_help)
    _add_scheduling(command)
    command.add_argument(
        "--out", metavar="FILE", help=".csv or .json keeps the table, .txt as it is printed; default: printed on stdout"
    )


def _add_scheduling(command: Any) -> None:
    command.add_argument("--jobs", type=_jobs, default=-1, metavar="N", help="processes; default: -1, one per core")
    command.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT", help="run on this Dask cluster; default: on this machine"
    )


def _help(parameter: Parameter) -> str:
    """Explain a parameter and name its default; argparse reads a percent sign as the start of a placeholder."""
    text = parameter.explanation.rstrip(".") or parameter.words
    return f"{text}; default: {default_in_words(parameter.name)}".replace("%", "%%")


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError(f"{quoted(text)} names nothing; write names with commas between them")
    return names


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in _names(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{quoted(text)} must be numbers, separated by commas") from error


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{quoted(text)} must be a whole number") from error


def _jobs(text: str) -> int:
    number = _whole(text)
    if number < 1 and number != -1:
        raise argparse.ArgumentTypeError(f"{number} must be 1 or more, or -1 for one per core")
    return number


def _port(text: str) -> int:
    number = _whole(text)
    if not 1 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"{number} must be from 1 to 65535")
    return number


def _address(text: str) -> str:
    """Return an address of this machine; an empty one would be all of them."""
    try:
        place = socket.getaddrinfo(text, 0, type=socket.SOCK_STREAM)[0] if text.strip() else None
        if place is not None:
            with socket.socket(place[0], socket.SOCK_STREAM) as trial:
                trial.bind(place[4])
            return text
        why = "it is empty"
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
    raise argparse.ArgumentTypeError(
        f"{quoted(text)} must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them ({why})"
    )


def _host_name(text: str) -> str:
    if not re.fullmatch(r"\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?|\[?[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]?", text, re.ASCII | re.I):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} must be one host name such as dpviz.example.org, *.example.org or 192.0.2.7, in ASCII "
            "(xn--…), without http://, port and path; give --allow-host once per name"
        )
    return text


def _origin(text: str) -> str:
    if not re.fullmatch(r"https?://(\*\.)?[a-z0-9.-]+(:\d+)?", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"{text} must be an origin such as https://moodle.example.org, without a path")
    return text


def _law(text: str) -> tuple[str, str]:
    name, mark, law = text.partition("=")
    if not mark:
        raise argparse.ArgumentTypeError(f"{text} must be a parameter and its law, such as concentration=gamma(1,0.3)")
    return name.strip(), law


def _directions(text: str) -> int | str:
    words = (AUTOMATIC, ANY, NONE)
    if text in words:
        return text
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} must be a whole number, or {', '.join(words)}") from error


def _transform(text: str) -> list[float | str] | str:
    if text in (*TRANSFORMS, NONE):
        return text
    try:
        return [entry if entry.startswith(LOGRATIO) else float(entry) for entry in text.replace(":", " ").split(",")]
    except ValueError as error:
        known = ", ".join((*TRANSFORMS, NONE))
        raise argparse.ArgumentTypeError(f"{text} must be {known}, or numbers, one per column") from error


def _assignment(text: str) -> tuple[str, Any]:
    if text in PRIORS:
        return text, True
    name, _, value = text.partition("=")
    try:
        return name.strip(), json.loads(value)
    except ValueError as error:
        bound = f"NAME=VALUE, such as c0=0.1 or m0=[0,1]; or {', '.join(PRIORS)}"
        raise argparse.ArgumentTypeError(f"{quoted(text)} must be {bound}") from error
