"""What a file is read for, which decides whether the numbers of a column may be taken as categories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from dpviz.arrays import Strings
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.datasets.coded_numbers import scaling_of_mixed, with_numbers
from dpviz.datasets.indicators import CODINGS, coded_in_words
from dpviz.datasets.tables.decision import Decision, changed_by_codes, scaling_for
from dpviz.datasets.tables.kinds import read_numbers
from dpviz.datasets.tables.table import listed
from dpviz.datasets.views import SPREAD
from dpviz.engine.algorithms.base import algorithm_named
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families.automatic import AUTOMATIC, can_hold
from dpviz.fit.transforms import is_tried
from dpviz.shares import has_shares

_CODED = ("binary", "ordinal", "categorical")


@dataclass(frozen=True)
class Purpose:
    """The algorithms that are to cluster a file, their family, and the scaling of its columns.

    Attributes
    ----------
    algorithms : tuple of str
        Where all of them take distances, numbers are no categories; empty if nothing is known.
    family : str
        Family of those with a model; ``"auto"`` follows the kinds of the columns.
    scaling : {"auto", "none", "standardise", "robust", "spread", "one_hot", "dummy"}
        The one asked for. Columns that are scaled are plain numbers to every algorithm.
    transforms : bool
        Whether columns are to be transformed, and so may be divided but not moved.
    begins : RunConfig or None
        Of who said nothing of transformations, which are tried under this configuration where columns are skewed.
    shares : bool
        Whether log-ratios are taken of shares, which stay as they are.
    """

    algorithms: Strings = ()
    family: str = AUTOMATIC
    scaling: str = "none"
    transforms: bool = False
    begins: RunConfig | None = None
    shares: bool = False

    @classmethod
    def of(cls, trace: Trace, scaling: str) -> Purpose:
        """Return what the data of a run were read for; a scaling that is asked for is that, right or wrong."""
        transforms = trace.config.transform is not None and scaling == AUTOMATIC
        shares = has_shares(trace.config.transform)
        return cls((trace.config.algorithm,), trace.config.family, scaling, transforms, shares=shares)

    @property
    def takes_distances(self) -> bool:
        """Whether every algorithm takes distances."""
        return bool(self.algorithms) and not any(algorithm_named(name).uses_model for name in self.algorithms)

    def check(self, scaling: str) -> None:
        """Raise an InvalidParameterError if categories are to become indicators for a model, or zero is to move."""
        if self.shares and scaling not in (AUTOMATIC, "none"):
            raise InvalidParameterError(
                f"--scaling {scaling} divides shares by different numbers, and log-ratios are of shares that add up: "
                "take --scaling none."
            )
        if self.transforms and scaling in ("standardise", "robust"):
            raise InvalidParameterError(
                f"--scaling {scaling} moves zero, and --transform is about columns that are above it: take --scaling "
                f"{SPREAD}, which only divides, or none."
            )
        with_model = [name for name in self.algorithms if algorithm_named(name).uses_model]
        if scaling in CODINGS and with_model:
            raise InvalidParameterError(
                f"--scaling {scaling} makes an indicator of each category, for algorithms that take distances; "
                f"{', '.join(with_model)} models categories as such: take --scaling none."
            )

    def scaled_for(self, dataset: Dataset, asked: str, kinds: Collection[str] = ()) -> tuple[Dataset, str]:
        """Return the data of a file, and the scaling of its columns: the one asked for, or what the kinds suggest.

        For algorithms that take distances numbers are numbers, but for columns whose kinds somebody has named, and
        columns of several kinds are made comparable.
        """
        way = asked
        if asked == AUTOMATIC:
            densities = all(algorithm_named(name).has_density for name in self.algorithms)
            if self.shares and not self.takes_distances:
                return dataset, "none"
            way = scaling_of_mixed(dataset, densities, kinds) if self.takes_distances else "none"
            if way == "none":
                way = scaling_for(dataset.kinds) if self._takes_real_numbers() else "none"
                return dataset, SPREAD if way != "none" and self._keeps_zero(dataset) else way
        mixed = asked == AUTOMATIC or way in CODINGS
        return with_numbers(dataset, every=True, but=kinds) if mixed else dataset, way

    def _takes_real_numbers(self) -> bool:
        """Whether columns of measured numbers stay what they are for when they are scaled; counts do not."""
        return self.takes_distances or self.family == AUTOMATIC or can_hold(self.family, ("continuous",))

    def _keeps_zero(self, dataset: Dataset) -> bool:
        """Whether columns of real numbers may only be divided, since they are or may be transformed."""
        return self.transforms or (self.begins is not None and is_tried(dataset.X, self.begins))

    def decide(
        self, frame: pd.DataFrame, decide: Callable[..., Decision], kinds: Mapping[str, str] = MappingProxyType({})
    ) -> Decision:
        """Return a decision in which columns of numbers are categories only for those that take them as such.

        Parameters
        ----------
        frame : pandas.DataFrame
        decide : callable
            :func:`~dpviz.datasets.tables.decide` of the frame, which takes corrections as ``kinds``.
        kinds : mapping of str to str
            What columns are, whoever takes them.

        Raises
        ------
        InvalidDataError
            If a column of text is to be clustered by a family of numbers, or is to be scaled for a model.
        """
        decision: Decision = decide(kinds=kinds)
        numbers = [name for name in self._numbers(frame, decision) if name not in kinds]
        return decide(kinds={**dict.fromkeys(numbers, "continuous"), **kinds}) if numbers else decision

    def _numbers(self, frame: pd.DataFrame, decision: Decision) -> list[str]:
        """Return the columns of numbers that nobody takes for categories."""
        with_model = [algorithm_named(name).uses_model for name in self.algorithms]
        plain = self.scaling not in ("none", AUTOMATIC)
        if plain and any(with_model):
            self._refuse_texts(
                frame,
                [name for name, kind in decision.features if kind in ("ordinal", "categorical")],
                f"--scaling {self.scaling} makes plain numbers of all columns",
                "--scaling none",
            )
        if any(with_model) and self.family != AUTOMATIC:
            return self._numbers_of_family(frame, decision)
        return changed_by_codes(frame, decision).numbers if plain or self.takes_distances else []

    def _numbers_of_family(self, frame: pd.DataFrame, decision: Decision) -> list[str]:
        coded = [name for name, kind in decision.features if kind in _CODED and not can_hold(self.family, (kind,))]
        self._refuse_texts(frame, coded, f"The family {self.family} models numbers", "--family mixed")
        return coded

    def _refuse_texts(self, frame: pd.DataFrame, coded: list[str], why: str, way_out: str) -> None:
        texts = [name for name in coded if read_numbers(frame[name]) is None]
        if texts:
            raise InvalidDataError(
                f"{why}, and text is in {listed(texts)}. Leave such columns out with --exclude, or take {way_out}, "
                "with which categories are modelled."
            )

    def note(self, frame: pd.DataFrame, decision: Decision, dataset: Dataset, scaling: str) -> Strings:
        """Say what became of categories, or whose codes count as numbers; nothing if no algorithm takes them so."""
        if scaling in CODINGS:
            return (f"{', '.join(self.algorithms) or 'Clustered'}: {coded_in_words(dataset, scaling)}.",)
        coded = [name for names in changed_by_codes(frame, decision) for name in names]
        without = ", ".join(name for name in self.algorithms if not algorithm_named(name).uses_model)
        if not coded or not without:
            return ()
        return (f"Codes of {', '.join(coded)} count as numbers in {without}; leave such columns out with --exclude.",)
