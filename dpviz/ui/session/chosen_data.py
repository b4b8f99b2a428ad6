"""The chosen data: a small immutable value that links contain, and the arrays it stands for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dpviz import datasets
from dpviz.analysis.table_units import TableUnits
from dpviz.arrays import FloatArray, IntArray
from dpviz.config_values import checked_transform
from dpviz.datasets import Dataset, Display
from dpviz.datasets.coded_numbers import coded_numbers, scaling_of_mixed, with_numbers
from dpviz.datasets.indicators import CODINGS
from dpviz.datasets.preparation import Preparation, scaled_columns
from dpviz.datasets.scenario import MISSING
from dpviz.datasets.tables.transfer import fingerprint
from dpviz.datasets.views import SCALINGS, SPREAD
from dpviz.engine.algorithms.base import algorithm_named
from dpviz.errors import DpvizError, InvalidParameterError, TraceFormatError, require
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.directions import Directions
from dpviz.families.powers import Powers, powers_in_words
from dpviz.shares import has_shares
from dpviz.text import counted, in_words, quoted, read_json
from dpviz.ui.session import shelf
from dpviz.ui.session.kept import Kept, OwnData

SOURCES = ("synthetic", "bundled", "session")
DISCRIMINANTS, COMPONENTS = "linear_discriminants", "principal_components"
MIXED = ("", "standardise", *CODINGS)
LONGEST_LINK = 200_000
DRAWN = "drawn-"
"""Prefix of the names of drawn data: a browser's tab may still have them when the session has not."""
_OWN = "own data"


@dataclass(frozen=True)
class DataChoice:
    """Data by name, how they are scaled, and which two coordinates are shown.

    Attributes
    ----------
    source : {"synthetic", "bundled", "session"}
        Drawn from a scenario, shipped with dpviz, or brought by the user (links reach these in the same browser only).
    name : str
        Scenario, bundled data set, or digest of the session's data.
    options : tuple of (str, value)
        Parameters of the scenario (``n`` and ``seed`` among them) or options of the bundled set, sorted.
    scaling : {"none", "standardise", "robust"}
    n_components : int
        Cluster this many principal components instead of the columns; 0 for the columns.
    whiten : bool
        Whether those components get unit variance.
    directions : int or "any"
        Methods with a model look for clusters along this many directions of the columns, and take all others for one
        Gaussian (:mod:`dpviz.families.directions`); 0 for the columns, and ``"any"`` for what suits them, as
        :class:`~dpviz.RunConfig` has it.
    transform : {"", "auto", "log", "power"} or tuple of float or str
        How methods with a model transform the columns, as :class:`~dpviz.RunConfig` has it; columns are then divided
        by their deviations instead of standardised, so that they stay positive; shares are not.
        ``(1.0,)`` leaves them as they are.
    gaps : bool
        Whether rows with missing cells are kept.
    fill : bool
        Whether missing cells are filled with the mean or the commonest value of their column, instead of leaving out
        their rows, where rows must be complete: without ``gaps``, for principal components, for methods that need it.
    numbers : bool
        Whether columns of numbers that were taken as categories count as numbers, as methods of distances need them.
    mixed : {"", "standardise", "one_hot", "dummy"}
        How columns of several kinds that are not scaled become numbers for methods of distances, if they do.
    axes : tuple of str
        ``()`` is automatic; else two column names, ``("principal_components",)`` or ``("linear_discriminants",)``.
    """

    source: str = "synthetic"
    name: str = "spherical_unequal_radius"
    options: tuple[tuple[str, Any], ...] = ()
    scaling: str = "none"
    n_components: int = 0
    whiten: bool = False
    axes: tuple[str, ...] = ()
    gaps: bool = False
    fill: bool = False
    numbers: bool = False
    directions: Any = 0
    mixed: str = ""
    transform: Any = ""

    def __post_init__(self) -> None:
        """Check what can be checked without the data."""
        require(self.source in SOURCES, "source", self.source, f"one of {', '.join(SOURCES)}")
        require(isinstance(self.name, str) and len(self.name) < 200, "name", self.name, "a short text")
        require(self.scaling in SCALINGS, "scaling", self.scaling, f"one of {', '.join(SCALINGS)}")
        whole = isinstance(self.n_components, int) and not isinstance(self.n_components, bool)
        require(whole and 0 <= self.n_components <= 1000, "n_components", self.n_components, "between 0 and 1000")
        whole = isinstance(self.directions, int) and not isinstance(self.directions, bool)
        known = self.directions == ANY or whole and 0 <= self.directions <= 1000
        require(known, "directions", self.directions, "between 0 and 1000")
        bound = "0 with principal components, which are directions themselves"
        require(not (self.directions and self.n_components), "directions", self.directions, bound)
        require(isinstance(self.whiten, bool), "whiten", self.whiten, "true or false")
        require(isinstance(self.gaps, bool), "gaps", self.gaps, "true or false")
        require(isinstance(self.fill, bool), "fill", self.fill, "true or false")
        require(isinstance(self.numbers, bool), "numbers", self.numbers, "true or false")
        known = isinstance(self.transform, str | tuple)
        require(known, "transform", self.transform, "a word, or one power per column")
        checked_transform(self.transform or None, (), None)
        bound = "empty with principal components"
        require(not (self.transform and self.n_components), "transform", self.transform, bound)
        require(self.mixed in MIXED, "mixed", self.mixed, f"one of {', '.join(MIXED[1:])}, or empty")
        texts = all(isinstance(axis, str) for axis in self.axes)
        require(len(self.axes) <= 2 and texts, "axes", self.axes, "at most two names")

    def to_json(self) -> str:
        """Return one line of JSON, without fields that equal the defaults, except defaults that were others once."""
        values: dict[str, Any] = {"source": self.source, "name": self.name}
        options = {name: default for name, _, default in self._changed_defaults()} | dict(self.options)
        values |= {"options": options} if options else {}
        plain = DataChoice()
        for field in (
            "scaling",
            "n_components",
            "whiten",
            "axes",
            "gaps",
            "fill",
            "numbers",
            "directions",
            "mixed",
            "transform",
        ):
            if getattr(self, field) != getattr(plain, field):
                values[field] = getattr(self, field)
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: Any) -> DataChoice:
        """Inverse of :meth:`to_json`; the text may be hostile.

        Raises
        ------
        TraceFormatError, InvalidParameterError
        """
        if not isinstance(text, str) or len(text) > LONGEST_LINK:
            raise TraceFormatError("the link's data part is too long.")
        try:
            values = read_json(text)
            if not isinstance(values, Mapping):
                raise TraceFormatError("the link's data part is not an object.")
            options = values.get("options", {})
            if not isinstance(options, Mapping) or not all(isinstance(v, int | float | str) for v in options.values()):
                raise TraceFormatError("the link's data options are not pairs of names and values.")
            unknown = set(values) - {field.name for field in fields(cls)}
            if unknown:
                raise TraceFormatError(f"the link's data part names {quoted(min(unknown))}, which data do not have.")
            given = {**values, "options": tuple(sorted(options.items())), "axes": tuple(values.get("axes", ()))}
            if isinstance(given.get("transform"), list):
                given["transform"] = tuple(given["transform"])
            return cls(**given)._with_former_defaults()
        except DpvizError:
            raise
        except (TypeError, ValueError, RecursionError) as error:
            raise TraceFormatError("the link's data part cannot be read; a part of it may be missing.") from error

    def _changed_defaults(self) -> list[tuple[str, float, float]]:
        """Names of parameters whose default has changed, with the former and the present one."""
        scenario = datasets.SCENARIOS.get(self.name) if self.source == "synthetic" else None
        if scenario is None:
            return []
        present = {parameter.name: parameter.default for parameter in scenario.parameters}
        return [(name, former, present[name]) for name, former in scenario.former]

    def _with_former_defaults(self) -> DataChoice:
        """Return the choice that a link meant: with the former default where it names no value."""
        options = dict(self.options)
        for name, former, present in self._changed_defaults():
            if options.setdefault(name, former) == present:
                del options[name]
        return replace(self, options=tuple(sorted(options.items())))

    @property
    def way(self) -> str:
        """The way from the columns to numbers, one of :data:`dpviz.datasets.preparation.WAYS`."""
        if has_shares(self.transform):
            return self.mixed or "none"
        return self.mixed or (SPREAD if self.transform and self.scaling != "none" else self.scaling)

    @property
    def data(self) -> DataChoice:
        """A copy without the axes: equal for equal data, on whatever axes they are looked at."""
        return replace(self, axes=())

    @property
    def model(self) -> dict[str, Any]:
        """Options of a model that are chosen with the data."""
        return {"directions": self.directions or None, "transform": self.transform or None}

    def of_every_method(self) -> DataChoice:
        """Return a copy without what belongs to methods of distances, and not to the data."""
        return replace(self, numbers=False, mixed="")

    def of_every_picture(self) -> DataChoice:
        """Return a copy without what differs between methods and views of the same data: columns, rows with gaps."""
        return replace(self.of_every_method(), axes=(), gaps=False)

    def with_options(self, **options: Any) -> DataChoice:
        """Return a copy with some options changed."""
        return replace(self, options=tuple(sorted({**dict(self.options), **options}.items())))


@dataclass(frozen=True, eq=False)
class PreparedData:
    """The data that a choice stands for.

    Attributes
    ----------
    choice : DataChoice
    dataset : Dataset
        As loaded, with its original rows and columns.
    clustered : Dataset
        The same rows with the clustered numbers: scaled, or principal components.
    notes : tuple of str
        Notes on everything that was dropped or changed.
    preparation : Preparation
        Map from loaded columns to the clustered numbers.
    """

    choice: DataChoice
    dataset: Dataset
    clustered: Dataset
    notes: tuple[str, ...]
    preparation: Preparation

    @property
    def X(self) -> FloatArray:
        """The numbers that are clustered (N, D)."""
        return self.clustered.X

    @property
    def units(self) -> TableUnits:
        """What gives costs and densities of the clustered numbers the units of the table."""
        return TableUnits(self.X, self.preparation)

    def display(self, labels: IntArray | None = None) -> Display:
        """Place the points on the chosen axes, with missing cells at the mean of their column.

        Parameters
        ----------
        labels : ndarray (N,), optional
            Present clusters, for the linear discriminants; with fewer than two, principal components are shown.
        """
        axes = self.choice.axes
        shown = self.clustered.filled()
        if axes == (DISCRIMINANTS,) and labels is not None and len(np.unique(labels)) > 1:
            return datasets.display_coordinates(shown, DISCRIMINANTS, labels=labels)
        if len(axes) == 2 and all(axis in shown.feature_names for axis in axes):
            return self._in_its_units(datasets.display_coordinates(shown, "columns", columns=axes))
        if shown.n_features <= 2 and axes != (COMPONENTS,):
            return self._in_its_units(datasets.display_coordinates(shown, "columns"))
        return datasets.display_coordinates(shown, COMPONENTS)

    def _in_its_units(self, display: Display) -> Display:
        """Name the axes so that scaled numbers are not mistaken for those of the table, which hovering shows."""
        unit = {"none": "", "robust": " (robustly scaled)", SPREAD: " (of variance 1)"}.get(
            self.choice.way, " (standardised)"
        )
        own = self.dataset.feature_names  # an indicator's name says what it is
        names = [name if self.choice.mixed and name not in own else f"{name}{unit}" for name in display.axis_names]
        return display._replace(axis_names=tuple(names))


def prepare(choice: DataChoice) -> PreparedData:
    """Load and transform the data of a choice; cached for all sessions, own data for their session.

    Raises
    ------
    DpvizError
        If the data do not exist (any more), or cannot be transformed so.
    """
    if choice.source == "session":
        dataset = session_dataset(choice.name)
        made = _holder(choice.name).made.get(choice.name)  # another tab may just have let the data go
        return _prepare(choice, dataset) if made is None else made.get(choice, lambda: _prepare(choice, dataset))
    return SHARED.get(choice, lambda: _prepare_shared(choice))


def _prepare_shared(choice: DataChoice) -> PreparedData:
    options = dict(choice.options)
    load = (
        datasets.synthesize if choice.source == "synthetic" else partial(datasets.load, gaps=choice.gaps or choice.fill)
    )
    try:
        return _prepare(choice, load(choice.name, **options))
    except TypeError as error:
        raise InvalidParameterError(
            f"options = {quoted(options)} do not fit the data set {choice.name}: one of them has another name or kind."
        ) from error


SHARED: Kept[PreparedData] = Kept(300_000_000)
"""Cached prepared data that any session may use."""


def complete_rows(prepared: PreparedData) -> PreparedData:
    """Return the same data without missing cells: filled in, or without their rows; complete data as they are."""
    return prepare(replace(prepared.choice, gaps=False)) if prepared.clustered.incomplete.any() else prepared


def for_distances(prepared: PreparedData, algorithm: str = "kmeans") -> PreparedData:
    """Return the same data as a method without a model takes them: complete rows, and numbers as numbers.

    The columns of bundled data are what their authors say, and scaled ones what the reader says; all others that a
    reader brought are made comparable (:func:`~dpviz.datasets.coded_numbers.scaling_of_mixed`).

    Parameters
    ----------
    prepared : PreparedData
        As chosen, or as prepared for another such method.
    algorithm : str
    """
    chosen = prepared.choice.of_every_method()
    complete = complete_rows(prepare(chosen) if chosen != prepared.choice else prepared)
    if chosen.source != "session":
        return complete
    choice = replace(complete.choice, numbers=bool(coded_numbers(complete.dataset)))
    if chosen.scaling == "none" and not chosen.n_components:
        way = scaling_of_mixed(complete.dataset, algorithm_named(algorithm).has_density)
        choice = replace(choice, mixed="" if way == "none" else way)
    return complete if choice == complete.choice else prepare(choice)


def keeping_gaps(choice: DataChoice) -> DataChoice:
    """Return synthetic data with all of their rows: they have missing cells only on request."""
    return replace(choice, gaps=bool(dict(choice.options).get(MISSING)))


def rows_of(own: PreparedData, whole: PreparedData) -> IntArray:
    """Rows of some prepared data among those prepared from the whole table."""
    dropped = len(own.X) < len(whole.X)
    return np.flatnonzero(~whole.clustered.incomplete) if dropped else np.arange(len(whole.X))


def _prepare(choice: DataChoice, dataset: Dataset) -> PreparedData:
    if choice.numbers or choice.mixed:
        dataset = with_numbers(dataset, every=bool(choice.mixed))
    whole = choice.n_components or choice.directions not in (0, ANY)  # an incomplete row has no place along a direction
    complete = not choice.gaps or bool(whole)
    n_missing = int(np.isnan(dataset.X).sum()) if complete else 0
    if n_missing and choice.fill:
        said = f"{n_missing:,} missing cells are filled in with the mean or the commonest value of their column."
        filled = replace(dataset, X=datasets.fill(dataset.X, dataset.kinds), gaps=False)
        return _transformed(choice, dataset, filled, (*dataset.notes, said))
    dataset = dataset.complete() if complete else dataset
    return _transformed(choice, dataset, dataset, dataset.notes)


def _transformed(choice: DataChoice, loaded: Dataset, dataset: Dataset, said: tuple[str, ...]) -> PreparedData:
    """Scale a data set and take its principal components according to the choice."""
    if choice.directions not in (0, ANY):
        said += (_along(choice, dataset),)
    if choice.transform:
        said += (_by_powers(choice, dataset),)
    if choice.way == "none" and not choice.n_components:
        return PreparedData(choice, loaded, dataset, said, Preparation.none(dataset.n_features))
    notes = list(said)
    X, names, remarks, preparation = scaled_columns(dataset, choice.way)
    notes += remarks
    kinds: tuple[str, ...] | None = dataset.kinds if choice.way == "none" else None
    if choice.n_components:
        wanted = min(choice.n_components, X.shape[1], max(len(X) - 1, 1))
        components = datasets.pca(X, wanted, choice.whiten)
        X, kinds = components.scores, None
        preparation = preparation._replace(components=components._replace(scores=np.empty((0, wanted))))
        names = tuple(f"Component {c + 1}" for c in range(wanted))
        notes.append(f"Clustered on {wanted} principal components: {np.sum(components.explained):.0%} of the variance.")
    clustered = Dataset(
        X=X,
        name=dataset.name,
        title=dataset.title,
        labels=dataset.labels,
        label_names=dataset.label_names,
        feature_names=names,
        kinds=kinds or ("continuous",) * len(names),
        gaps=dataset.gaps,
    )
    return PreparedData(choice, loaded, clustered, tuple(notes), preparation)


def _along(choice: DataChoice, dataset: Dataset) -> str:
    """Say along how many directions clusters are looked for, or raise a DpvizError if the data have no such."""
    if choice.scaling == "none" and set(dataset.kinds) != {"continuous"}:
        raise InvalidParameterError(
            f"directions = {choice.directions} must be 0 with columns that are {in_words(sorted(set(dataset.kinds)))}: "
            "directions combine measured columns. Leave the others out on the Data page, or scale all of them there."
        )
    others = Directions.of(dataset.X, choice.directions).n_others
    rest = f"; along the other {others} all points are one Gaussian" if others else ""
    return f"Clusters are looked for along {counted(choice.directions, 'direction')} of the columns{rest}."


def _by_powers(choice: DataChoice, dataset: Dataset) -> str:
    """Say how columns are transformed, or raise a DpvizError if the data have none that can be."""
    real = [choice.scaling != "none" or kind == "continuous" for kind in dataset.kinds]
    asked, names = choice.transform, dataset.feature_names
    if not any(real) and asked != AUTOMATIC:
        raise InvalidParameterError(
            f"transform = {quoted(asked)} needs measured columns; these are {in_words(sorted(set(dataset.kinds)))}."
        )
    if not isinstance(asked, str):
        if len(asked) == dataset.n_features:
            Powers.given(asked).check(dataset.X, names)
        said = powers_in_words(asked, names) or "nothing"
    else:
        varies = np.nanmin(dataset.X, axis=0) < np.nanmax(dataset.X, axis=0)
        if asked != AUTOMATIC:
            Powers.given(np.where(real & varies, 0.0, 1.0)).check(dataset.X, names)
        said = TRANSFORMS_IN_WORDS[asked]
    return f"Methods with a model transform columns ({said}), and the cost stays that of the columns; others do not."


TRANSFORMS_IN_WORDS = {
    "": "None",
    AUTOMATIC: "Automatic: powers that lower the cost",
    "log": "Logarithms of all measured columns",
    "power": "Powers by likelihood (Box–Cox)",
}


def keep_session_dataset(dataset: Dataset, replacing: str = "", kind: str = "", source: object = None) -> DataChoice:
    """Keep data that a user brought, and return the choice that names them.

    Parameters
    ----------
    dataset : Dataset
    replacing : str, optional
        Name of such data to replace, such as an earlier state of a drawing.
    kind : str, optional
        Prefix of the name, such as ``DRAWN``.
    source : object, optional
        What the data were made from, for :func:`source_of`.
    """
    own = _holder(kind, make=True)
    name = kind + _own_name(dataset, own.secret)
    own.keep(name, dataset, replacing, source)
    return DataChoice("session", name)


def _holder(name: str, make: bool = False) -> OwnData:
    """Return what holds data of a name: the browser for all of its tabs, or the session if it has no cookie or drew."""
    of_browser = None if name.startswith(DRAWN) else shelf.of_browser(make)
    return of_session() if of_browser is None else of_browser


def of_session() -> OwnData:
    """Return the data that belong to this session alone."""
    if _OWN not in st.session_state:
        st.session_state[_OWN] = OwnData()
    own: OwnData = st.session_state[_OWN]
    return own


def _own_name(dataset: Dataset, secret: bytes) -> str:
    """Name data by a digest of their content, which nobody else can guess or repeat.

    Results are cached for all sessions by the name of the data, so two browsers never use the same name.
    """
    digest = hashlib.blake2b(key=secret, digest_size=16)
    described = (dataset.title, dataset.feature_names, dataset.kinds, dataset.label_names, dataset.category_names)
    digest.update(repr((described, dataset.notes, dataset.X.shape)).encode("utf-8", "backslashreplace"))
    for array in (dataset.X, dataset.labels, dataset.rows):
        digest.update(b"" if array is None else np.ascontiguousarray(array).data)
    if dataset.frame is not None:
        digest.update(fingerprint(dataset.frame))
    return digest.hexdigest()


def session_dataset(name: str) -> Dataset:
    """Return data the user brought.

    Raises
    ------
    InvalidParameterError
        If they are not here, for example after a link of somebody else was followed.
    """
    own = _holder(name)
    dataset = own.get(name)
    if dataset is None:
        raise InvalidParameterError(
            "These data were uploaded or drawn in another browser or session and do not travel in links, or their time "
            "here is over; load them on the Data page."
        )
    own.use(name)
    return dataset


def dropped_data() -> tuple[str, ...]:
    """Titles of own data that were dropped to make room since such were last added."""
    return tuple(title for own in _holders() for title in own.dropped)


def is_here(choice: DataChoice) -> bool:
    """Whether the data are still here: own data may have been dropped."""
    return choice.source != "session" or choice.name in _holder(choice.name)


def session_datasets() -> dict[str, Dataset]:
    """All data the user brought, by the name that choices use."""
    return {name: dataset for own in _holders() for name, dataset in dict(own).items()}


def source_of(name: str) -> object:
    """Return what own data were made from; None if that is not known."""
    return _holder(name).sources.get(name)


def _holders() -> list[OwnData]:
    of_browser = shelf.of_browser()
    return [of_session()] if of_browser is None else [of_browser, of_session()]


def forget_own(name: str) -> None:
    """Let data go that the user brought, in all tabs, with all that was made from them."""
    for own in _holders():
        own.forget(name)
