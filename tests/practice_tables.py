"""Eight made-up tables with what real ones have: ids, gaps, words, codes, dates, copies, units, skew, umlauts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import IntArray

Rng = np.random.Generator


class Practice(NamedTuple):
    """A file as someone would upload it.

    Attributes
    ----------
    name : str
        Of the file.
    content : bytes
    groups : ndarray of int or None
        The group that each row of the table was drawn from; None if there is one.
    """

    name: str
    content: bytes
    groups: IntArray | None


def written(
    frame: pd.DataFrame, encoding: str = "utf-8", before: str = "", after: str = "", **options: object
) -> bytes:
    """Write a table as text, perhaps with lines around it that are none of its rows."""
    text = frame.to_csv(None, index=False, lineterminator="\n", **options)  # type: ignore[call-overload]
    return f"{before}{text}{after}".encode(encoding)


def with_gaps(rng: Rng, cells: object, share: float, mark: str = "") -> np.ndarray:
    """Replace a share of the cells of a column by a mark."""
    texts = np.array([str(cell) for cell in cells], dtype=object)  # type: ignore[attr-defined]
    texts[rng.random(len(texts)) < share] = mark
    return texts


def birds(rng: Rng) -> Practice:
    """Measured animals: a number of each, units in names, the species, some cells NA."""
    group = rng.permutation(np.repeat([0, 1, 2], [22, 18, 20]))
    frame = pd.DataFrame(
        {
            "ring": [f"DK-{4100 + 3 * row}" for row in range(60)],
            "wing (mm)": np.round(rng.normal(np.array([118, 141, 96])[group], 3), 1),
            "bill (mm)": np.round(rng.normal(np.array([14.2, 12.1, 19.5])[group], 0.6), 1),
            "mass (g)": with_gaps(rng, np.round(rng.normal(np.array([88, 131, 63])[group], 5), 1), 0.05, "NA"),
            "tarsus (mm)": np.round(rng.normal(np.array([30, 33, 24])[group], 0.9), 1),
            "species": np.array(["T. merula", "T. viscivorus", "T. philomelos"])[group],
        }
    )
    return Practice("birds 2023.csv", written(frame), group)


def survey(rng: Rng) -> Practice:
    """Answers: words, items from 1 to 5, a code for no answer, remarks, a title above and a source below."""
    group = rng.permutation(np.repeat([0, 1], [40, 35]))
    items = {
        f"q{item}": np.clip(np.rint(rng.normal(np.where(group == item % 2, 4.4, 1.7), 0.7)), 1, 5).astype(int)
        for item in range(1, 5)
    }
    frame = pd.DataFrame(
        {
            "respondent": 1000 + np.arange(75),
            "sex": np.where(rng.random(75) < 0.5, "female", "male"),
            "commutes by": with_gaps(
                rng, np.where(rng.random(75) < np.where(group, 0.85, 0.1), "bicycle", "car"), 0.06, "n/a"
            ),
            "age": rng.integers(18, 80, 75),
            **items,
            "remark": [f"“Too long, question {row % 4 + 1}”, said {row}" if row % 5 == 0 else "" for row in range(75)],
        }
    )
    return Practice("survey.csv", written(frame, before="Commuters\n\n", after="Source: own survey\n"), group)


def counts(rng: Rng) -> Practice:
    """Counted species at sites, tab-separated, many of them zero."""
    group = rng.permutation(np.repeat([0, 1, 2], [24, 24, 22]))
    rates = np.array([[9, 0.3, 4, 0.1, 14], [0.4, 12, 4, 0.2, 2], [0.2, 0.5, 0.6, 11, 5]])[group]
    table = rng.poisson(rates)
    frame = pd.DataFrame(table, columns=["Carex", "Juncus", "Poa", "Salix", "Sphagnum"])
    frame.insert(0, "plot", [f"{'NSW'[row % 3]}{row:02d}" for row in range(70)])
    return Practice("vegetation.tsv", written(frame, sep="\t"), group)


def findings(rng: Rng) -> Practice:
    """Findings of a laboratory: bounds below which nothing is measured, gaps, numbers of very different size."""
    group = rng.permutation(np.repeat([0, 1], [48, 30]))
    crp = np.round(np.exp(rng.normal(np.where(group, 3.6, 0.2), 0.5)), 1)
    frame = pd.DataFrame(
        {
            "sample": [f"{row:05d}" for row in range(3, 81)],
            "crp": [f"{value}" if value >= 0.8 else "<0.8" for value in crp],
            "leukocytes": with_gaps(rng, np.rint(rng.normal(np.where(group, 14_500, 6_800), 1_200)).astype(int), 0.08),
            "temperature": [f"{value:.1f} °C" for value in rng.normal(np.where(group, 39.1, 36.8), 0.3)],
            "saturation": [
                f"{value} %" for value in np.clip(np.rint(rng.normal(97 - 4 * group, 1)), 80, 100).astype(int)
            ],
        }
    )
    return Practice("findings.csv", written(frame), group)


def stays(rng: Rng) -> Practice:
    """Stays in hospital: dates with the day first, words, some rows there twice."""
    group = rng.permutation(np.repeat([0, 1], [36, 32]))
    begun = pd.to_datetime("2023-01-10") + pd.to_timedelta(rng.integers(0, 40, 68) + 200 * group, "D")
    frame = pd.DataFrame(
        {
            "patient_id": rng.permutation(np.arange(5000, 5068)),
            "admitted": begun.strftime("%d.%m.%Y"),
            "nights": np.maximum(1, rng.poisson(np.where(group, 11, 3))),
            "ward": np.where(rng.random(68) < np.where(group, 0.9, 0.05), "surgery", "medicine"),
            "age": np.rint(rng.normal(np.where(group, 74, 41), 6)).astype(int),
            "insured": "yes",
        }
    )
    copies = [3, 17, 40, 41]
    return Practice("stays.csv", written(pd.concat([frame, frame.iloc[copies]])), np.append(group, group[copies]))


def households(rng: Rng) -> Practice:
    """A German export: Windows-1252, semicolons, decimal commas, euros, words with umlauts."""
    group = rng.permutation(np.repeat([0, 1], [38, 34]))
    frame = pd.DataFrame(
        {
            "Lfd. Nr.": np.arange(1, 73),
            "Größe (m²)": [f"{value:.1f}".replace(".", ",") for value in rng.normal(np.where(group, 122, 61), 8)],
            "Miete": [
                f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))
                for value in rng.normal(np.where(group, 1680, 790), 90)
            ],
            "Zimmer": 2 + 2 * group + rng.integers(0, 2, 72),
            "Lage": np.where(rng.random(72) < np.where(group, 0.9, 0.15), "außerhalb", "Stadtmitte"),
            "Baujahr": rng.integers(1950, 2015, 72),
        }
    )
    content = written(frame, "cp1252", sep=";")
    return Practice("haushalte.csv", content, group)


def customers(rng: Rng) -> Practice:
    """Customers of a shop: skewed money with separators of thousands, shares, few large ones."""
    group = rng.permutation(np.repeat([0, 1, 2], [26, 16, 8]))
    revenue = np.exp(rng.normal(np.array([4.1, 6.6, 9.4])[group], 0.45))
    frame = pd.DataFrame(
        {
            "customer": [f"C{row:04d}" for row in rng.permutation(50)],
            "revenue": [f"${value:,.2f}" for value in revenue],
            "orders": 1 + rng.poisson(np.array([1.5, 9, 40])[group]),
            "returned": [f"{value:.0f}%" for value in 100 * rng.beta(2, np.array([3, 14, 14])[group])],
            "since": rng.integers(2009, 2024, 50),
            "segment": with_gaps(rng, np.array(["private", "trade", "industry"])[group], 0.1),
        }
    )
    return Practice("customers.csv", written(frame), group)


def levels(rng: Rng) -> Practice:
    """One group of correlated levels, with a column of nothing and one that never varies."""
    factor = rng.normal(size=(50, 2))
    values = np.round(factor @ rng.normal(size=(2, 5)) + rng.normal(0, 0.7, (50, 5)) + 7, 3)
    frame = pd.DataFrame(values, columns=[f"gene {name}" for name in "ABCDE"])
    frame.insert(0, "Unnamed: 0", np.arange(50))
    frame["batch"], frame["comment"] = 1, ""
    return Practice("levels.csv", written(frame), None)


KINDS: dict[str, Callable[[Rng], Practice]] = {
    kind.__name__: kind for kind in (birds, survey, counts, findings, stays, households, customers, levels)
}


def practice(kind: str, seed: int = 0) -> Practice:
    """Draw the table of a kind; the same seed gives the same bytes."""
    return KINDS[kind](np.random.default_rng([seed, *kind.encode()]))
