"""From options to data, configuration and axes of a grid."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import dpviz
from dpviz.analysis.grids import Axis
from dpviz.analysis.parameters import (
    partition_parameters,
    priors_with,
    texts_of_priors,
    variable_parameters,
    with_parameter,
)
from dpviz.analysis.stored_reading import Reading, stored_reading
from dpviz.analysis.table_units import TableUnits
from dpviz.arrays import Strings
from dpviz.cli.purpose import Purpose
from dpviz.cli.reading_options import asked_reading, check_reading, option_name, read_in_order
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, tables
from dpviz.datasets.preparation import Preparation, scaled_columns
from dpviz.datasets.tables.dependent import log_ratios
from dpviz.datasets.tables.table import news
from dpviz.engine.algorithms.base import ALGORITHMS, algorithm_named
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.automatic import ANY, AUTOMATIC, SHAPE, candidates
from dpviz.families.base import WIDTH
from dpviz.fit.automatic import resolve
from dpviz.fit.directions import are_open
from dpviz.fit.transforms import is_tried, unasked
from dpviz.fit.width import WidthChoice, quick
from dpviz.fit.words import words_for
from dpviz.parameters import Parameter, by_name
from dpviz.partition import AUTOMATIC_PARTITION, PARTITION_PRIORS, as_law
from dpviz.shares import LOGRATIO, has_shares
from dpviz.text import quoted

SYNTHETIC = "synthetic:"
STANDARD_INPUT = "-"
DROP = "drop"
"""Value of ``--missing`` that leaves out rows with missing cells."""
NONE = "none"
"""Value of ``--transform`` and ``--directions`` that leaves columns as they are."""
PRIORS: dict[str, str | None] = {AUTOMATIC: AUTOMATIC, SHAPE: SHAPE, "none": None}
"""Values of the words that replace hyperparameters."""
OTHER_METHODS = ("directions", "transform", "coarsening")
"""Options that turn a method with a model into another one."""
OF_MODEL = ("family", "prior", "missing", *OTHER_METHODS)
"""Options about the model of clusters besides its numbers."""


def numbers() -> dict[str, Parameter]:
    """Return every number that an option can set: of the partition priors, the width, then of the algorithms.

    The concentration comes first, before those that turn the Chinese restaurant into another prior of equal N0.
    """
    priors = [parameter for prior in PARTITION_PRIORS.values() for parameter in prior.parameters]
    own = [option for algorithm in ALGORITHMS.values() for option in algorithm.options]
    found: dict[str, Parameter] = {}
    for parameter in (*priors, WIDTH, *own):
        if parameter.varies:
            found.setdefault(parameter.name, parameter)
    return found


def texts() -> dict[str, Parameter]:
    """Return every parameter of the partition priors that is written as text, such as a law."""
    return {name: by_name(prior.parameters)[name] for name, prior in texts_of_priors().items()}


def settings() -> dict[str, Parameter]:
    """Return every other option of the algorithms."""
    own = [option for algorithm in ALGORITHMS.values() for option in algorithm.options]
    return {option.name: option for option in own if not option.varies}


def learners() -> list[str]:
    """Return the algorithms that learn hyperparameters."""
    return [name for name, algorithm in ALGORITHMS.items() if algorithm.learns]


def default_in_words(name: str) -> str:
    """Say which value a number or setting has if neither an option nor ``--config`` sets it."""
    values = {a.name: RunConfig(a.name).option(name) for a in ALGORITHMS.values() if a.has_option(name)}
    usual = RunConfig().partition
    if hasattr(AUTOMATIC_PARTITION, name):
        own = getattr(AUTOMATIC_PARTITION, name)
        return f"{own:g}, or {getattr(usual, name):g} if another option is about the partition prior"
    if name == WIDTH.name:
        return "chosen by nll"
    if values:
        return in_words(values)
    if owners := priors_with(name):
        return f"that of --config, whose partition prior must be {' or '.join(owners)}"
    return "not set; it turns the Chinese restaurant into another prior"


def in_words(defaults: Mapping[str, Any]) -> str:
    """List the defaults of the algorithms, or the common one if all agree."""
    owners: dict[Any, list[str]] = {}
    for owner, value in defaults.items():
        owners.setdefault("by the prior" if value is None else value, []).append(owner)
    if len(owners) == 1:
        return str(next(iter(owners)))
    return ", ".join(f"{value} ({', '.join(names)})" for value, names in owners.items())


def data_and_scaling(
    name: str,
    label: str | None = None,
    features: Sequence[str] | None = None,
    *,
    exclude: Sequence[str] = (),
    repair: bool = False,
    choices: Mapping[str, Any] = MappingProxyType({}),
    kinds: Mapping[str, str] = MappingProxyType({}),
    scaling: str = "none",
    gaps: bool | None = None,
    purpose: Purpose | None = None,
    tell: bool = False,
    all_columns: bool = False,
    whole: tables.Table | None = None,
) -> tuple[Dataset, str]:
    """Read a file or standard input, a bundled data set, or draw ``synthetic:SCENARIO``.

    Parameters
    ----------
    name : str
        ``-`` is standard input.
    label : str, optional
        Column of a file that holds the reference groups.
    features : sequence of str, optional
        Columns of a file to cluster.
    exclude : sequence of str
        Columns of a file to leave out; a label may not be among them.
    repair : bool
        Whether to read a file that is not a clean table; the notes of the data set list the repairs.
    choices : mapping
        Further arguments of :func:`~dpviz.datasets.tables.read_table` for a file.
    kinds : mapping of str to str
        What columns of a file are taken for, each one of ``KINDS``; others are as detected.
    scaling : {"auto", "none", "standardise", "robust", "spread", "one_hot", "dummy"}
        As for :func:`dpviz.datasets.scale` or :func:`dpviz.datasets.one_hot`; ``"auto"`` is what
        :meth:`Purpose.scaled_for` says of a file, and no scaling of other data.
    gaps : bool, optional
        Whether rows with missing cells are kept; when omitted, those of files are.
    purpose : Purpose, optional
        What a file is read for.
    tell : bool
        Whether to print on standard error what is decided about a file, and what was changed in it.
    all_columns : bool
        Whether ``frame`` of the data set keeps the columns that are left out, for a table that goes back to its owner.
    whole : Table, optional
        The file's table, if it was read before.

    Returns
    -------
    dataset : Dataset
        Before they are scaled; its ``notes`` list every change.
    scaling : str
        That of the columns: one of these, but not ``"auto"``.

    Raises
    ------
    DpvizError
        If there is none of that name, or it cannot be clustered.
    """
    purpose = purpose or Purpose()
    purpose.check(scaling)
    if not is_file(name):
        known = _known(name, label, features, exclude, repair or bool(choices) or bool(kinds), bool(gaps))
        return known, "none" if scaling == AUTOMATIC else scaling
    whole = read_rows(name, repair, choices) if whole is None else whole
    table = _without(whole, exclude, features, label)
    decide = partial(tables.decide, table.frame, label=label, features=features, gaps=gaps is not False)
    decision = purpose.decide(table.frame, decide, kinds)
    dataset = tables.dataset_of(replace(table, frame=whole.frame) if all_columns else table, decision)
    dataset, way = purpose.scaled_for(dataset, scaling, kinds)
    said = purpose.note(table.frame, decision, dataset, way)
    lines = replace(decision, scaling=way, as_asked=scaling != AUTOMATIC).lines() if tell else ()
    for line in lines:
        print(f"dpviz: {line}", file=sys.stderr)
    for proposal in decision.proposals if tell else ():
        if proposal.header_rows:
            print(f"dpviz: --header-rows {proposal.header_rows} takes them as headings.", file=sys.stderr)
    dataset, scaling = replace(dataset, notes=(*dataset.notes, *said)), way
    for note in news(scaled(dataset, scaling).notes) if tell else ():
        if note not in lines:
            print(f"dpviz: {note}", file=sys.stderr)
    return dataset, scaling


def is_file(name: str) -> bool:
    """Whether data are read from a file or standard input, rather than known by their name."""
    return name == STANDARD_INPUT or Path(name).is_file()


def algorithm_asked(options: argparse.Namespace) -> str:
    """Name of the algorithm of a run: that of ``--algorithm``, else of ``--config``, else the usual one."""
    if options.algorithm is not None:
        return str(options.algorithm)
    return _base(options).algorithm


def purpose_of(options: argparse.Namespace, algorithms: Sequence[str]) -> Purpose:
    """Return what the options read a file for."""
    base = _base(options)
    family = options.family if options.family is not None else base.family
    transforms = base.transform is not None if options.transform is None else options.transform != NONE
    begins = None
    if _begins_to_transform(options) and any(algorithm_named(name).uses_model for name in algorithms):
        begins = RunConfig(family=family, missing="auto" if options.missing in (None, DROP) else options.missing)
    shares = has_shares(base.transform if options.transform is None else options.transform)
    return Purpose(tuple(algorithms), family, options.scaling, transforms, begins, shares)


def _begins_to_transform(options: argparse.Namespace) -> bool:
    """Whether columns of a file may be transformed although nobody said so: not in the units of numbers given."""
    numbers_given = {name for name, _ in options.prior} - {*PRIORS, WIDTH.name, "columns"}
    varied = set(getattr(options, "parameter", None) or ()) & _hyperparameters()
    silent = options.transform is None and options.config is None
    return silent and is_file(options.data) and not numbers_given and not varied


def _hyperparameters() -> set[str]:
    """Return the names of hyperparameters of all families, which are in units of the columns."""
    return {parameter.name for family in FAMILIES.values() for parameter in family.hyperparameters}


def _base(options: argparse.Namespace) -> RunConfig:
    """Return the configuration to begin with: that of ``--config``, or the defaults.

    The automatic partition prior is for those who say nothing about it; what they do say is about the usual one. Who
    varies the concentration alone tries other values of the automatic prior's, under which the rest is chosen.
    """
    if options.config is not None:
        return RunConfig.from_json(text_of(Path(options.config), "configuration"))
    of_priors = {parameter.name for prior in PARTITION_PRIORS.values() for parameter in prior.parameters}
    varied = set(getattr(options, "parameter", None) or ()) - {"concentration"}
    said = (
        options.hyperprior or varied & of_priors or any(getattr(options, name, None) is not None for name in of_priors)
    )
    return RunConfig(partition=None if said else AUTOMATIC)


def text_of(path: Path, what: str) -> str:
    """Read a text, with or without the mark that some editors put before UTF-8."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDataError(f"{str(path)!r} is no {what}: it is not text in UTF-8. Save it as such.") from error


def keeps_gaps(missing: str | None, algorithms: Sequence[str]) -> bool | None:
    """Whether rows with missing cells are kept: by the option, else if every algorithm can; None leaves it to the data.

    Parameters
    ----------
    missing : str, optional
        The option ``--missing``.
    algorithms : sequence of str
    """
    if missing is not None:
        return missing != DROP
    return None if all(algorithm_named(name).uses_model for name in algorithms) else False


def read_rows(name: str, repair: bool, choices: Mapping[str, Any]) -> tables.Table:
    """Read a file, or standard input for ``-``, as :func:`rows_reader` does, detecting what is not chosen."""
    return rows_reader(name, repair)(**{"decimal": None, **choices})


def rows_reader(name: str, repair: bool = False) -> Callable[..., tables.Table]:
    """Return what reads a file, or standard input for ``-``, with a preferred decimal mark, or None to detect it.

    Further arguments of that are those of :func:`~dpviz.datasets.tables.read_table`.

    Raises
    ------
    InvalidDataError
        If there is no such file, or standard input is closed; when it is called, if that is not a table.
    """
    path, streamed = Path(name), name == STANDARD_INPUT
    if not streamed and not path.is_file():
        raise InvalidDataError(f"{name!r} is no file; give one, or - for standard input.")
    if streamed and sys.stdin is None:  # closed by who started this
        raise InvalidDataError("standard input (-) is closed; give a file, or pipe a table to it.")
    content = sys.stdin.buffer.read() if streamed else path.read_bytes()

    def read(decimal: str | None, date_order: str | None = None, **choices: Any) -> tables.Table:
        reading = {"decimal": decimal, "repair": repair, **choices}
        read_content = partial(tables.read_table, content, "stdin" if streamed else path.name)
        try:
            table = read_in_order(read_content, date_order, **reading)
        except InvalidDataError as error:
            said = str(error).replace("repair=True", "--repair").replace("header_rows = ", "--header-rows ")
            raise InvalidDataError(said) from error
        check_reading(table, choices, "standard input" if streamed else path.name)
        if not streamed:
            return table
        # a stream has no name that could fit or not
        return replace(table, notes=tuple(note for note in table.notes if "is named “.”" not in note))

    return read


def reading_of(options: argparse.Namespace, data: Dataset, scaling: str) -> Reading | None:
    """Return how a file was read, before it was scaled; None for data that have a name."""
    if not is_file(options.data):
        return None
    choices = tuple(asked_reading(options).items())
    return Reading(data.feature_names, data.kinds, options.label, data.gaps, scaling, options.repair, choices)


def read_again(name: str, reading: Reading) -> Dataset:
    """Read a file as it was read for a run, before its columns were scaled."""
    return reading.dataset(table_as_chosen(name, reading))


def table_as_chosen(
    name: str, reading: Reading, repair: bool = False, choices: Mapping[str, Any] = MappingProxyType({})
) -> tables.Table:
    """Read a file with the choices of who made a run of it, or those of an option."""
    table = read_rows(name, repair or reading.repair, {**dict(reading.choices), **choices})
    return replace(table, reading=(("filename", Path(name).name), *reading.choices))


def stored_run(name: str) -> Trace:
    """Read a run stored by ``dpviz run --out``.

    Raises
    ------
    DpvizError
        If it is not a stored run.
    """
    path = Path(name)
    if not path.is_file():
        raise InvalidDataError(f"{name!r} is no file; give a run that dpviz run --out RUN.json has kept.")
    return Trace.from_json(text_of(path, "stored run"))


def stored_reading_of(name: str) -> Reading | None:
    """Return how the file of a stored run was read; None if it does not say.

    Raises
    ------
    DpvizError
        If that is damaged.
    """
    return stored_reading(text_of(Path(name), "stored run"))


def scaled(data: Dataset, scaling: str) -> Dataset:
    """Scale the columns of a data set, after which codes and counts are plain numbers."""
    return scaled_with_units(data, scaling)[0]


def scaled_with_units(data: Dataset, scaling: str) -> tuple[Dataset, TableUnits]:
    """Return the data as :func:`scaled` does, and what gives costs of them the units of the table."""
    if scaling == "none":
        return data, TableUnits(data.X, Preparation.none(data.n_features))
    made = scaled_columns(data, scaling)
    notes = (*data.notes, f"Columns are scaled ({scaling}).", *made.notes)
    plain = replace(data, X=made.X, feature_names=made.feature_names, kinds=(), category_names=(), notes=notes)
    return plain, TableUnits(made.X, made.preparation)


def _known(
    name: str, label: str | None, features: Sequence[str] | None, exclude: Sequence[str], repair: bool, gaps: bool
) -> Dataset:
    """Load a bundled data set, or draw a synthetic one."""
    if label is not None or features is not None or exclude or repair:
        raise InvalidParameterError(
            "--label, --features, --exclude, --repair, --kind and how a table is read are about a file, and "
            f"{name!r} is none."
        )
    if name.startswith(SYNTHETIC):
        return dpviz.datasets.synthesize(name.removeprefix(SYNTHETIC))
    if name in dpviz.datasets.names():
        return dpviz.datasets.load(name, gaps=gaps)
    raise InvalidDataError(
        f"{name!r} is neither a file nor a bundled data set ({', '.join(dpviz.datasets.names())}). "
        f"Or write {SYNTHETIC}SCENARIO with one of {', '.join(dpviz.datasets.SCENARIOS)}, or - for standard input."
    )


def _without(
    table: tables.Table, exclude: Sequence[str], features: Sequence[str] | None, label: str | None
) -> tables.Table:
    """Leave columns out of a table."""
    columns = [str(column) for column in table.frame.columns]
    for column in exclude:
        if column not in columns:
            raise InvalidParameterError(f"--exclude {quoted(column)} is none of the columns {', '.join(columns)}.")
        if column == label or column in (features or ()):
            raise InvalidParameterError(
                f"--exclude {quoted(column)} contradicts --label or --features, which asks for it."
            )
    if not exclude:
        return table
    note = f"Left out as asked: {', '.join(exclude)}."
    return replace(table, frame=table.frame.drop(columns=list(exclude)), notes=(*table.notes, note))


def configuration(options: argparse.Namespace, data: Dataset, algorithm: str | None, strict: bool = True) -> RunConfig:
    """Build the configuration that the options describe.

    Parameters
    ----------
    options : argparse.Namespace
    data : Dataset
    algorithm : str or None
        None takes the one of ``--config``, or mapdp.
    strict : bool
        Whether a number that the algorithm does not have is an error; otherwise it is meant for another algorithm.

    Raises
    ------
    DpvizError
    """
    base = _base(options)
    kept_laws, base = dict(base.hyperpriors or ()), replace(base, hyperpriors=None)
    if options.transform == NONE:
        base = replace(base, transform=None)
    if options.directions == NONE:
        base = replace(base, directions=None)
    if algorithm is not None and algorithm != base.algorithm:
        kept = {key: value for key, value in base.to_dict().items() if key not in ("init", "n_init", "temperature")}
        base = RunConfig.from_dict({**kept, "algorithm": algorithm})
    algorithm_of = ALGORITHMS[base.algorithm]
    learned: dict[str, Any] = {**(kept_laws if algorithm_of.learns else {}), **dict(options.hyperprior)}
    known = {
        name: getattr(options, name)
        for name in ("family", "init", "missing", "directions", "transform", "coarsening", *settings())
    }
    silent = (("missing", DROP), ("transform", NONE), ("directions", NONE))
    given = {name: value for name, value in known.items() if value is not None and (name, value) not in silent}
    if not strict and given.get("init") not in algorithm_of.starts:
        given.pop("init", None)
    priors = dict(options.prior)
    if strict:
        _tell_what_is_ignored(base.algorithm, [*given, *(["prior"] if priors else [])])
    elif not algorithm_of.uses_model:
        given = {name: value for name, value in given.items() if name not in OTHER_METHODS}
    for word, prior in PRIORS.items():
        if priors.pop(word, None) is not None:
            given["prior"] = prior
    if options.width is not None:
        priors.setdefault(WIDTH.name, options.width)
    if priors and algorithm_of.uses_model:
        given["prior"] = {**(base.prior_dict or {}), **priors}
    fields_of = {field.name for field in fields(RunConfig)}
    extra = {name: given.pop(name) for name in list(given) if name not in fields_of}
    own = {name: value for name, value in extra.items() if strict or algorithm_of.has_option(name)}
    config = replace(base, **given, options={**dict(base.options or ()), **own} or None)
    config = config.with_kinds(data.model_kinds)
    if config.transform == LOGRATIO:
        config = replace(config, transform=log_ratios(data) or LOGRATIO)
    for name in dict.fromkeys((*numbers(), *texts())):
        value = getattr(options, name)
        if value is None or (name == WIDTH.name and algorithm_of.uses_model):
            continue
        has_it = algorithm_of.uses_model if isinstance(value, str) else name in variable_parameters(config)
        if strict or has_it:
            config = with_parameter(config, name, value, data.X)
    _refuse_what_was_lost(config, options)
    if learned and (strict or algorithm_of.learns):
        config = _learning(config, learned, data)
    config = _with_family_of(config, getattr(options, "parameter", None) or ())
    begins = algorithm_of.uses_model and options.directions is None and options.config is None
    if begins and is_file(options.data) and are_open(data.X):
        config = replace(config, directions=ANY)  # which is None where family or width are given
    tried = _begins_to_transform(options) and is_tried(data.X, config)
    return replace(config, transform=AUTOMATIC) if tried else config


def _tell_what_is_ignored(algorithm: str, names: Sequence[str]) -> None:
    """Say which options the algorithm does not have; raise for those that would make it another method."""
    for name in names:
        if name in OF_MODEL and not ALGORITHMS[algorithm].uses_model:
            why = f"{option_name(name)} is about the model of clusters, and {algorithm} has none"
            if name in OTHER_METHODS:
                raise InvalidParameterError(f"{why}; leave it out.")
            print(f"dpviz: {why}: it changes nothing.", file=sys.stderr)
        elif name in settings() and not ALGORITHMS[algorithm].has_option(name):
            print(f"dpviz: {option_name(name)} is no option of {algorithm}: it changes nothing.", file=sys.stderr)


def _refuse_what_was_lost(config: RunConfig, options: argparse.Namespace) -> None:
    """Raise if an option set a parameter of the partition prior, and another turned that into one without it."""
    if config.partition is None or not config.uses_model:
        return
    of_priors = {parameter.name for prior in PARTITION_PRIORS.values() for parameter in prior.parameters}
    for name in numbers():
        lost = name in of_priors and getattr(options, name) is not None and not hasattr(config.partition, name)
        if lost and not ALGORITHMS[config.algorithm].has_option(name):
            raise InvalidParameterError(f"{option_name(name)} is no parameter of {config.partition!r}; leave it out.")


def _learning(config: RunConfig, laws: Mapping[str, Any], data: Dataset) -> RunConfig:
    """Add learned parameters; one that the Chinese restaurant lacks turns it into another prior, as an option does."""
    own = config.partition.learnable if config.partition is not None else {}
    for name, law in laws.items():
        if name not in own and ALGORITHMS[config.algorithm].learns and name in partition_parameters(config):
            config = with_parameter(config, name, as_law(law, f"hyperpriors[{name!r}]").mean, data.X)
    return replace(config, hyperpriors=laws)


def _with_family_of(config: RunConfig, varied: Sequence[str]) -> RunConfig:
    """Replace an automatic family by the only one that has the varied hyperparameters."""
    if config.family != AUTOMATIC:
        return config
    of_family = _hyperparameters() & set(varied)
    if "kinds" in config.undecided and not of_family:
        return config
    families = candidates(config.kinds, {*(config.prior_dict or {}), *of_family})
    return replace(config, family=families[0]) if len(families) == 1 else config


def chosen(
    configs: Sequence[RunConfig], data: Dataset, options: argparse.Namespace, n_folds: int = 0
) -> list[RunConfig]:
    """Make the automatic choices of configurations, once for equal models, and print them on standard error.

    With folds a shape, and powers of columns if there are any, are left open: they are found again from the rows of
    each, since these have seen all rows.
    """
    return [config for config, _ in chosen_with_notes(configs, data, options, n_folds)]


def chosen_with_notes(
    configs: Sequence[RunConfig], data: Dataset, options: argparse.Namespace, n_folds: int = 0
) -> list[tuple[RunConfig, Strings]]:
    """Return the configurations as :func:`chosen` does, each with the notes on its choice."""
    known: dict[RunConfig, tuple[WidthChoice, Strings]] = {}
    result = []
    for config in configs:
        model = replace(quick(config), prior=config.prior, directions=config.directions, transform=config.transform)
        if config.is_automatic and model not in known:
            choice = resolve(data.X, config, data.feature_names)
            notes = unasked(choice.notes) if options.transform is None else choice.notes
            known[model] = choice, notes
            for line in (f"chosen by nll: {words_for(choice.config, data.feature_names)}", *notes):
                print(f"dpviz: {line}", file=sys.stderr)
        made, said = (known[model][0].config, known[model][1]) if config.is_automatic else (config, ())
        learned = n_folds and config.prior == SHAPE
        own = replace(config, family=made.family) if learned else config.with_model_of(made)
        again = n_folds and own.transform is not None
        result.append((replace(own, transform=config.transform) if again else own, said))
    return result


def grid_axes(options: argparse.Namespace) -> tuple[Axis, ...]:
    """Pair every ``--parameter`` with its ``--values`` or ``--range``."""
    given = options.axes or []
    if len(given) != len(options.parameter):
        raise InvalidParameterError(
            f"--parameter is given {len(options.parameter)} times and --values or --range {len(given)} times; "
            "each parameter needs one of them, in the same order."
        )
    axes = []
    for parameter, values in zip(options.parameter, given, strict=True):
        if isinstance(values, tuple):
            axes.append(Axis(parameter, values))
            continue
        lower, upper, n_values = values
        spaced = Axis.logarithmic if options.log else Axis.linear
        axes.append(spaced(parameter, lower, upper, int(n_values) if n_values == int(n_values) else n_values))
    return tuple(axes)
