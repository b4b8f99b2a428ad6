"""Whether totals of parts of a whole tell groups apart, by nll: against one law of totals for all rows."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from dpviz.families import CountedParts, Multinomial, NegativeBinomial
from dpviz.families.base import WIDTH
from dpviz.families.listed import ListedRows
from dpviz.fit.fuller import least_gain
from dpviz.fit.width import WIDTHS, Table, WidthChoice, found_steps, quick, sampled

TELLS = "Totals of the parts tell groups apart: with one law for all of them nll is {:,.1f} nats higher in short runs."
TELLS_NOTHING = (
    "Totals of the parts tell no groups apart: with one law for all of them nll is {:,.1f} nats {} in short runs (at "
    "least {:,.1f} higher is asked for). Leave them out: take the columns as parts."
)


def said_of_totals(data: Table, choice: WidthChoice) -> Generator[None, None, tuple[str, ...]]:
    """Say what a column of totals is worth, if a choice is of a table of parts that has one."""
    if choice.config.family != CountedParts.name:
        return ()
    X = sampled(data.X, quick(choice.config))
    counted = yield from found_steps(X, choice)
    plain = replace(quick(choice.config), family=Multinomial.name, prior=None, kinds=None)
    given = yield from found_steps(X, WidthChoice(plain))
    totals = ListedRows.of(X).totals[:, None]
    laws = [NegativeBinomial.from_prior({WIDTH.name: width}, totals) for width in WIDTHS]
    gain = given.nll - max(law.log_marginal(totals) for law in laws) - counted.nll
    least = least_gain(len(X))
    if gain >= least:
        return (TELLS.format(gain),)
    return (TELLS_NOTHING.format(abs(gain), "higher" if gain > 0 else "lower", least),)
