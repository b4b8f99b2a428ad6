"""Shared code of the estimators: from scikit-learn parameters to a configuration, a run, and fitted attributes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from dpviz.arrays import FloatArray, IntArray, Strings
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import algorithm_named, algorithm_of
from dpviz.engine.problem import Problem, check_data, refuse_conversions
from dpviz.engine.trace import Trace
from dpviz.engine.transforms import check_inside
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.estimators.frames import FrameCoding, as_pandas, coding_of, is_frame, reads_kinds, refuse_categories
from dpviz.fit.automatic import resolve
from dpviz.fit.run import run
from dpviz.fit.small_clusters import small_clusters_in_words
from dpviz.fit.transforms import unasked
from dpviz.text import quoted
from dpviz.whole_numbers import with_counts_open

if TYPE_CHECKING:
    from dpviz.player import Film

_FIELDS = {field.name for field in fields(RunConfig)}


class TracedClusterer(ClusterMixin, BaseEstimator):
    """Base of all estimators: ``fit`` runs the engine and keeps the trace.

    A subclass names its algorithm in ``_algorithm`` and takes that algorithm's options as parameters, including those
    that are not fields of ``RunConfig``; ``_shortcuts`` names parameters that abbreviate others.
    """

    _algorithm: ClassVar[str]
    _shortcuts: ClassVar[tuple[str, ...]] = ()

    trace_: Trace
    labels_: IntArray
    n_clusters_: int
    n_iter_: int
    converged_: bool
    notes_: Strings
    _coding: FrameCoding | None

    @property
    def _may_have_gaps(self) -> bool:
        """Whether cells of X may be missing (NaN), if the parameters allow it."""
        return algorithm_named(self._algorithm).uses_model

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether cells may be missing."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._may_have_gaps
        return tags

    def _config(self, **changes: Any) -> RunConfig:
        """Build the configuration of these parameters, with changes, and with a new 32-bit seed."""
        given = self.get_params(deep=False) | changes
        options = {name: value for name, value in given.items() if name not in self._shortcuts}
        seed = draw_seed(options.pop("random_state"))
        extra = {name: options.pop(name) for name in list(options) if name not in _FIELDS}
        return RunConfig(algorithm=self._algorithm, seed=seed, options=extra or None, **options)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster X.

        Parameters
        ----------
        X : array_like (N, D) or DataFrame
            The points. Of a DataFrame the dtypes of columns that are not floats define their kinds, unless ``kinds`` or
            ``family`` do: booleans, text, categories and whole numbers are coded, and so is what is predicted later.
            Tables of Polars and Arrow are read as those of pandas. A sparse matrix where all columns are parts of a
            whole.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For invalid data or parameters; the message names them, their value and bound.
        """
        config = self._config()
        X = as_pandas(X)
        self._coding = coding_of(X, config) if is_frame(X) and self._may_have_gaps else None
        data = self._validated(X, reset=True)
        if self._coding is not None and reads_kinds(config):
            config = config.with_kinds(with_counts_open(self._coding.kinds))
        choice = resolve(data, config, self._names)
        self.trace_ = run(data, choice.config)
        self._problem = Problem(data, self.trace_.config)
        self.converged_ = self.trace_.converged
        self.n_iter_ = self.trace_.n_sweeps
        self.labels_ = self._numbered(self.trace_.result_labels)
        self.n_clusters_ = len(np.unique(self.labels_))
        small = small_clusters_in_words(np.bincount(self.trace_.result_labels))
        read = self._coding.notes if self._coding is not None else ()
        self.notes_ = (*read, *unasked(choice.notes), *((small,) if small else ()))
        self._fitted = algorithm_of(self._problem).fitted(self._problem, self.trace_)
        return self

    def show(self, labels: Any = None) -> Film:
        """Play the run inside a notebook.

        Parameters
        ----------
        labels : array_like (N,), optional
            True groups of the rows that were fitted, as numbers or names.

        Returns
        -------
        Film
            A notebook shows it by itself; ``.save(path)`` writes it as a page that needs no network.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self)
        from dpviz.player import compare_traces  # only now: fitting does not need the player

        return compare_traces([self.trace_], self._problem.X, labels, feature_names=self._names, notes=self.notes_)

    @property
    def _names(self) -> Strings:
        """Names of the columns, if they have any."""
        return tuple(str(name) for name in getattr(self, "feature_names_in_", ()))

    def _numbered(self, labels: IntArray) -> IntArray:
        """Return the result's labels as the estimator reports them."""
        return labels

    def predict(self, X: Any) -> IntArray:
        """Cluster (n,) of each row of X (n, D); −1 for a new one, of algorithms that open clusters."""
        data = self._validated(X, reset=False)
        return self._fitted.predict(data)

    def _validated(self, X: Any, reset: bool) -> FloatArray:
        """Check X with scikit-learn, for names and numbers of features, and then as the engine does."""
        if not reset:
            check_is_fitted(self)
        X = self._coded(as_pandas(X))
        refuse_conversions(X)  # scikit-learn would turn dates, and text that reads as numbers, into numbers
        try:
            with np.errstate(invalid="ignore"):  # its sum of +inf and −inf; the infinities are reported all the same
                finite = "allow-nan" if self._may_have_gaps else True
                validated = validate_data(
                    self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=reset, ensure_all_finite=finite
                )
        except OverflowError as error:
            raise InvalidDataError(f"X cannot be read as numbers: {error}.") from error
        data = check_data(validated, self._may_have_gaps, whole=reset, lists=True)
        if not reset:
            check_inside(self._problem, data)
        return data

    def _coded(self, X: Any) -> Any:
        """Return a DataFrame with codes in place of values that are not numbers, with the coding of the fit."""
        if self._coding is not None:
            return self._coding.numbers(X)
        if is_frame(X):
            refuse_categories(X, type(self).__name__)
        return X


class DensityClusterer(TracedClusterer):
    """An estimator whose result has a density."""

    def score_samples(self, X: Any) -> FloatArray:
        """Log density (nats, n) of each row of X (n, D) under the mixture predictive (2016 App. E)."""
        data = self._validated(X, reset=False)
        return self._fitted.log_density(data)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of :meth:`score_samples`: the held-out log density per point (nats)."""
        return float(np.mean(self.score_samples(X)))


def draw_seed(random_state: Any) -> int:
    """Draw one 32-bit seed from None, an int, a RandomState or a Generator.

    Raises
    ------
    InvalidParameterError
        For anything else.
    """
    if random_state is None:
        return int(np.random.default_rng().integers(2**32))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint32))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        if 0 <= random_state < 2**32:
            return int(random_state)
    raise InvalidParameterError(
        f"random_state = {quoted(random_state)} must be None, a whole number from 0 to 2³² − 1, a RandomState or a "
        "Generator."
    )
