"""The map from the columns of a table to the numbers that are clustered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.indicators import CODINGS, Indicators, one_hot
from dpviz.datasets.views import SCALINGS, SPREAD, Display, PrincipalComponents, scale

WAYS = (*SCALINGS, SPREAD, *CODINGS)
"""Every way from columns to numbers; the last ones are for methods of distances, and need complete rows."""


class Preparation(NamedTuple):
    """The map from a table's columns to the clustered numbers, also for further rows.

    Attributes
    ----------
    centre, spread : ndarray (D,)
        As in :class:`~dpviz.datasets.Scaled`.
    components : PrincipalComponents or None
        Components of the scaled table, if these are clustered instead.
    indicators : Indicators or None
        Standardised numbers and indicators of categories, if these are clustered instead.
    """

    centre: FloatArray
    spread: FloatArray
    components: PrincipalComponents | None = None
    indicators: Indicators | None = None

    @classmethod
    def none(cls, n_features: int) -> Preparation:
        """Leave the columns as they are."""
        return cls(np.zeros(n_features), np.ones(n_features))

    @property
    def by_column(self) -> bool:
        """Whether every number that is clustered is a column of the table, perhaps scaled."""
        return self.components is None and self.indicators is None

    @property
    def unit(self) -> str:
        """What densities are per unit of, by :meth:`log_volume`."""
        if self.indicators is not None:
            return "of the standardised numbers and indicators"
        return "of the principal components" if self.components is not None else "of the table's columns"

    def apply(self, X: FloatArray) -> FloatArray:
        """Prepare rows (n, D) of the table; missing cells (NaN) stay missing, and make all components missing."""
        if self.indicators is not None:
            return self.indicators.apply(X)
        scaled = (X - self.centre) / self.spread
        if self.components is None:
            return np.asarray(scaled)
        return np.asarray((scaled - self.components.centre) @ self.components.directions.T)

    def pulled_back(self, axes: Display) -> Display:
        """Return axes over the columns of the table as axes over the prepared numbers, but for principal components.

        Every row has the same place on both; the coordinates stay as they are.
        """
        if self.indicators is not None:
            return self.indicators.pulled_back(axes)
        return axes._replace(directions=axes.directions * self.spread, origin=(axes.origin - self.centre) / self.spread)

    def log_volume(self, X: FloatArray) -> FloatArray:
        """Return the terms that convert log densities (nats, n) of prepared rows to units of the table's own columns.

        Parameters
        ----------
        X : ndarray (n, D)
            In the table's units; a missing cell has no unit. Components and indicators keep their own unit, so the
            terms are 0.
        """
        if not self.by_column:
            return np.zeros(len(X))
        return -np.asarray(np.where(np.isnan(X), 0.0, np.log(self.spread)).sum(axis=1))


class Prepared(NamedTuple):
    """The numbers that are clustered, and how they were made.

    Attributes
    ----------
    X : ndarray (N, C)
    feature_names, notes : tuple of str
    preparation : Preparation
    """

    X: FloatArray
    feature_names: Strings
    notes: Strings
    preparation: Preparation


def scaled_columns(dataset: Dataset, way: str) -> Prepared:
    """Make the numbers that are clustered of the columns of a data set.

    Parameters
    ----------
    dataset : Dataset
    way : str
        One of ``WAYS``.

    Raises
    ------
    InvalidParameterError
        If there is no such way.
    InvalidDataError
        If cells are missing where indicators are asked for.
    """
    if way in CODINGS:
        made = one_hot(dataset, way)
        kept = made._replace(X=np.empty((0, made.X.shape[1])))
        preparation = Preparation.none(dataset.n_features)._replace(indicators=kept)
        return Prepared(made.X, made.feature_names, made.notes, preparation)
    scaled = scale(dataset.X, way, dataset.feature_names)
    return Prepared(scaled.X, dataset.feature_names, scaled.notes, Preparation(scaled.centre, scaled.spread))
