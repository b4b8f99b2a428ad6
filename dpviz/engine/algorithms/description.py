"""What an algorithm is called, which options it has and what it can do; configurations need no more of it.

Configurations, problems and traces all ask an algorithm something, and its own methods take all three. So it is defined
in three steps, each of which needs only what is below it: :class:`Description` (here),
:class:`~dpviz.engine.algorithms.plan.Plan`, and :class:`~dpviz.engine.algorithms.base.Algorithm`, which authors
subclass.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from dpviz.arrays import FloatArray
from dpviz.engine.options import COUNTED_STARTS
from dpviz.errors import require
from dpviz.parameters import Parameter
from dpviz.words import say_name


@dataclass(frozen=True)
class Method:
    """An algorithm as people choose it: itself, or with one partition prior that makes it another method.

    Attributes
    ----------
    name, title, explanation : str
    algorithm : str
    partition : str
        Name of its partition prior; empty if any is allowed.
    partition_defaults : mapping of str to float
        Initial values of the prior's parameters, if not their own defaults.
    """

    name: str
    title: str
    explanation: str
    algorithm: str
    partition: str = ""
    partition_defaults: Mapping[str, float] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """Its title in the language of this process."""
        return say_name(self.title)


class Description(ABC):  # noqa: B024  (what is abstract comes with the subclasses)
    """What an algorithm is called, its options, and what it has.

    Attributes
    ----------
    name, title, explanation : str
        Key in ``ALGORITHMS``, display name, and one or two sentences on what it does.
    options : tuple of Parameter
        All its options, in the order controls show them; those that are not fields of ``RunConfig`` are kept in its
        ``options``.
    main : tuple of str
        Names of the options that are its own parameters rather than those of the search for the result.
    starts : tuple of str
        Kinds of start that ``init`` may name.
    defaults : mapping
        Defaults of ``init``, ``n_init``, ``max_sweeps``, ``order`` and ``temperature``, for None in the configuration.
    page_defaults : mapping
        Initial values on the pages instead.
    uses_model : bool
        Whether it has a component family and a partition prior.
    has_nll, has_density : bool
        Whether its states have an exact joint probability, and its results a density for further points.
    learns : bool
        Whether its runs may draw hyperparameters of the partition prior (``hyperpriors``).
    is_chain : bool
        Whether it draws states and never converges: the result is then the kept draw of lowest nll.
    cluster_count : str
        The option that fixes the number of clusters; empty if there is none.
    takes_centres : bool
        Whether ``init`` may be an array of centres (K, D).
    objective, unit : str
        Name of its objective, and the unit of the costs in explanations.
    costs : tuple of (str, str), optional
        Names of the two costs of a candidate, geometry and weight; None if assignments cannot be explained.
    costs_in_words : str
        Their meaning, and which candidate wins.
    shape_meanings : tuple of (str, str)
        Meaning of the inner and the outer ellipse of a cluster.
    variants : tuple of Method
        Further methods that are this algorithm with a certain partition prior.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    explanation: ClassVar[str]
    options: ClassVar[tuple[Parameter, ...]] = ()
    main: ClassVar[tuple[str, ...]] = ()
    starts: ClassVar[tuple[str, ...]]
    defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    page_defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    uses_model: ClassVar[bool] = False
    has_nll: ClassVar[bool] = False
    has_density: ClassVar[bool] = False
    learns: ClassVar[bool] = False
    is_chain: ClassVar[bool] = False
    cluster_count: ClassVar[str] = ""
    takes_centres: ClassVar[bool] = False
    objective: ClassVar[str] = "Objective"
    unit: ClassVar[str] = "nats"
    costs: ClassVar[tuple[str, str] | None] = None
    costs_in_words: ClassVar[str] = ""
    shape_meanings: ClassVar[tuple[str, str]] = ("holds 50 % of a cluster", "holds 95 % of a cluster")
    variants: ClassVar[tuple[Method, ...]] = ()

    @property
    def minimises_nll(self) -> bool:
        """Whether its runs end in a local optimum, where no single move lowers the nll."""
        return self.has_nll and not self.is_chain

    def check_config(self, config: Any) -> None:  # noqa: B027  (most have nothing to add)
        """Raise if options contradict each other."""

    def has_option(self, name: str) -> bool:
        """Whether it has an option of this name."""
        return any(option.name == name for option in self.options)

    def applies(self, option: str, chosen: Mapping[str, Any]) -> bool:
        """Whether an option has any effect given the other chosen options (``init`` and ``partition`` among them)."""
        return option != "init_clusters" or chosen.get("init") in COUNTED_STARTS

    def choices(self, option: Parameter, chosen: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the allowed values of an option given the other chosen options."""
        return option.values

    def typical(self, option: str, X: FloatArray) -> float | None:
        """Return the data's (N, D) suggestion for an option; None if there is none."""
        return None

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return options of short runs that use every kernel of the algorithm, for tests and for compiling.

        They are keyword arguments of ``RunConfig``; options of the algorithm's own are within ``options``.
        """
        return ({},)


REGISTERED: dict[str, Description] = {}
"""Every algorithm by its ``name``; whole ones, of which modules below the specification see a part by type."""
METHODS: dict[str, Method] = {}
"""Every method that people choose from, by its ``name``."""


def described(name: object) -> Description:
    """Look an algorithm up.

    Raises
    ------
    InvalidParameterError
        For an unknown name; the message lists the known ones.
    """
    known = isinstance(name, str) and name in REGISTERED
    require(known, "algorithm", name, f"one of {', '.join(REGISTERED)}")
    return REGISTERED[str(name)]
