"""What all methods share: checked input, white space, a linear map, scikit-learn's interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import POSITIVE, Interval, RealNotInt
from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import DimensionError
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._ignored_target import check_ignored_target
from predfeat.features._in_blocks import chunk_features, features_of
from predfeat.features._memory_needed import refuse_too_large
from predfeat.measures import predicted_shares
from predfeat.series import (
    Blocks,
    Matrix,
    Rows,
    Sequences,
    as_rows,
    check_blocks,
    check_matrix,
    check_sequences,
    is_dask_array,
    is_large,
    note_columns,
    refuse_overflow,
)
from predfeat.solvers import fix_signs
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["LinearFeatures", "check_linear_method", "predicted_score"]

_FLOAT64 = float(np.finfo(np.float64).eps)
_NUMBERS_AT_ONCE = 1 << 22  # 32 MB of rows, while they are transformed
_TILE = 64  # blocks are multiples of BLAS's tiles, so that they have the bits of one product


class LinearFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """Base of the methods: a linear map from white space, found by the method.

    A method implements `find_directions`, which returns directions of white space. Everything
    else (input, gaps, sequences, whitening, signs, transform and its inverse, score) is done here.
    `fit` takes raw data; `fit_series` and `fit_white` take a series that is already checked, or
    already white.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [POSITIVE],
        "pca_components": [POSITIVE, Interval(RealNotInt, 0, 1, closed="neither"), None],
    }

    # With metadata routing, scikit-learn's Pipeline.score passes on a sample_weight of None to a
    # last step that must know the name (its issue 30937). Ours has none: given one, it refuses.
    __metadata_request__score: ClassVar[dict[str, None]] = {"sample_weight": None}

    n_components: int
    pca_components: int | float | None

    def fit(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> Self:
        """Find the features of a training series.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), Dask array or Rows
            Rows in time order. A row that holds a NaN is a gap. SFA, PFA and GPFA read more than
            50 000 rows block by block; see `predfeat.series.open_rows`.
        y : ignored
            For scikit-learn's pipelines. An error is raised if it does not have one entry per
            row. A warning is given if it looks like `groups`: ids that each fill one block of
            rows.
        groups : array-like of shape (n_rows,), optional
            One id per row: consecutive rows of one id form a sequence, and nothing ever reaches
            from one sequence into another. By default all rows are one sequence.

        Returns
        -------
        self
            A fit that fails or is interrupted keeps the results of an earlier one.
        """
        self.check_parameters()
        with earlier_fit_aside(self):
            given = self._given(X, groups)
            n_rows = given.n_rows if isinstance(given, Blocks) else len(given.values)
            check_ignored_target(y, groups, n_rows, type(self).__name__)
            if isinstance(given, Blocks):
                self._fit_blocks(given)
                return self
            series, whitening = self._whitened(given, groups)
            self._fit_white(whitening.apply(series), whitening)
        return self

    def _given(self, X: Any, groups: ArrayLike | None) -> Matrix | Blocks:
        """Return what was given to `fit`: in blocks if it is large, and the method takes them."""
        rows = self._large_rows(X, groups)
        if rows is None:
            refuse_too_large(X, self.get_params(deep=False))
            matrix = check_matrix(X, estimator=self, min_rows=2)
            rows = None if isinstance(X, Rows) else self._large_rows(matrix, groups)
            if rows is None:
                return matrix
        else:
            note_columns(self, rows, reset=True)
        blocks = check_blocks(rows)
        blocks.check_times(0, 1)  # raises if no two samples are adjacent: no dynamics
        return blocks

    def _large_rows(self, X: Any, groups: ArrayLike | None) -> Rows | None:
        rows = as_rows(X)
        if rows is None or not is_large(rows.n_rows) or not self.takes_blocks(rows.n_rows):
            return None
        return as_rows(X, groups=groups)

    def takes_blocks(self, n_rows: int) -> bool:
        """Tell whether the method, with these parameters, reads so many rows block by block.

        Parameters
        ----------
        n_rows : int
            Of a series that is too long to be read whole without need.

        Examples
        --------
        >>> from predfeat import GPFA
        >>> GPFA().takes_blocks(10**6), GPFA(n_centers=None).takes_blocks(10**6)
        (True, False)
        """
        return False

    def _fit_blocks(self, blocks: Blocks) -> None:
        """Find and keep the directions of a series that is read block by block."""
        whitening = fit_whitening(
            blocks,
            self.pca_components,
            names=blocks.rows.names,
            resolution=blocks.rows.resolution,
        )
        whitening.require(self.n_components)
        self._keep(whitening, self.find_directions_in_blocks(blocks, whitening))

    def find_directions_in_blocks(self, blocks: Blocks, whitening: Whitening) -> FloatArray:
        """Do what `find_directions` does for a series that is read block by block.

        Parameters
        ----------
        blocks : Blocks
            The training data, as it was given.
        whitening : Whitening
            The map to white space.

        Returns
        -------
        ndarray of shape (rank, n_components)
        """
        raise NotImplementedError(f"{type(self).__name__} needs all rows at once")

    def _whitened(self, matrix: Matrix, groups: ArrayLike | None) -> tuple[Sequences, Whitening]:
        """Return a checked matrix as a series, and the map that makes it white."""
        series = check_sequences(matrix, groups)
        series.times(ahead=1)  # raises if no two samples are adjacent: no dynamics
        whitening = fit_whitening(
            series, self.pca_components, names=matrix.names, resolution=matrix.resolution
        )
        return series, whitening

    def fit_series(self, series: Sequences, *, resolution: float = _FLOAT64) -> Self:
        """Find the features of a checked series, without checks and warnings.

        Parameters
        ----------
        series : Sequences
            The training data.
        resolution : float, optional
            Relative rounding error of its numbers; by default that of float64.

        Returns
        -------
        self
        """
        whitening = fit_whitening(series, self.pca_components, warn=False, resolution=resolution)
        return self.fit_white(whitening.apply(series), whitening, **self._known(series))

    def _known(self, series: Sequences) -> dict[str, Any]:
        """Return what else `find_directions` can use of a series."""
        return {}

    def fit_white(self, white: Sequences, whitening: Whitening, **known: Any) -> Self:
        """Find the features of a white series; saves work in several fits of the same data.

        Parameters
        ----------
        white : Sequences
            The training data in white space.
        whitening : Whitening
            The map to white space; `pca_components` is not used again.
        **known
            What else `find_directions` of the method can use.

        Returns
        -------
        self

        Examples
        --------
        >>> from predfeat import PFA, SFA
        >>> from predfeat.datasets import predictable_noise
        >>> from predfeat.series import check_sequences
        >>> from predfeat.whitening import fit_whitening
        >>> series = check_sequences(predictable_noise(300, random_state=0))
        >>> whitening = fit_whitening(series)
        >>> white = whitening.apply(series)
        >>> models = [method.fit_white(white, whitening) for method in (SFA(), PFA())]
        >>> models[0].components_.shape
        (2, 10)
        """
        with earlier_fit_aside(self):
            self.n_features_in_ = len(whitening.mean)
            self._fit_white(white, whitening, **known)
        return self

    def _fit_white(self, white: Sequences, whitening: Whitening, **known: Any) -> None:
        """Find and keep the directions; `known` is for methods that use more than the series."""
        whitening.require(self.n_components)
        self._keep(whitening, self.find_directions(white, whitening, **known))

    def check_parameters(self) -> None:
        """Raise an error if a parameter has an invalid type or value."""
        self._validate_params()

    @abstractmethod
    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """Return the directions of white space that this method selects.

        Other results, such as eigenvalues, are stored as attributes.

        Parameters
        ----------
        white : Sequences
            The training data in white space.
        whitening : Whitening
            The map to white space.

        Returns
        -------
        ndarray of shape (rank, n_components)
            Unit columns, the best first.
        """

    def _keep(self, whitening: Whitening, projection: FloatArray) -> None:
        components = (whitening.directions @ projection).T
        signs = fix_signs(components)
        self.mean_ = whitening.mean
        self.components_ = components * signs[:, None]
        # As z is white, the least-squares inverse of y = Aᵀz is z ≈ A (AᵀA)⁻¹ y.
        back = np.linalg.pinv(projection * signs)
        self.patterns_ = back @ whitening.patterns
        self.rank_ = whitening.rank

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def transform(self, X: Any) -> FloatArray:
        """Extract the features of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), or Rows

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            (X - mean_) @ components_.T; rows with a NaN stay NaN. For a Dask array, it is a Dask
            array of the same chunks of rows, and nothing is computed yet.
        """
        check_is_fitted(self)
        if is_dask_array(X):
            lazy: FloatArray = self._lazily_transformed(X)
            return lazy
        rows = as_rows(X)
        if rows is not None and is_large(rows.n_rows):
            note_columns(self, rows, reset=False)
            return features_of(rows, self.mean_, self.components_)
        matrix = check_matrix(X, estimator=self, reset=False, keep_narrow=True)
        values, rows = matrix.values, as_rows(matrix)
        if rows is not None and is_large(rows.n_rows):  # the same bits as above
            return features_of(rows, self.mean_, self.components_)
        features = np.empty((len(values), len(self.components_)))
        # Block by block: the centred rows would take the memory of X once more, or twice if X is
        # in float32.
        step = max(1, _NUMBERS_AT_ONCE // (_TILE * values.shape[1])) * _TILE
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            features[part] = self._features_of(values[part])
        return features

    def _features_of(self, rows: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            features: FloatArray = (rows - self.mean_) @ self.components_.T
        gaps = np.isnan(rows).any(axis=1)
        features[gaps] = np.nan
        refuse_overflow(features[~gaps], "features", of="X")
        return features

    def _lazily_transformed(self, X: Any) -> Any:
        n_features, name = self.n_features_in_, type(self).__name__
        if X.ndim != 2 or X.shape[1] != n_features:
            raise DimensionError(
                f"X has shape {X.shape}, but {name} is expecting {n_features} features as input."
            )
        return X.rechunk({1: -1}).map_blocks(
            chunk_features,
            mean=self.mean_,
            components=self.components_,
            dtype=np.float64,
            chunks=(X.chunks[0], (len(self.components_),)),
        )

    def transform_series(self, series: Sequences) -> Sequences:
        """Extract the features of a checked series, without further checks.

        Parameters
        ----------
        series : Sequences
            With the columns that the model was fitted to.

        Returns
        -------
        Sequences
            The features, with the same sequences and gaps as the series.

        Examples
        --------
        >>> from predfeat import SFA
        >>> from predfeat.datasets import predictable_noise
        >>> from predfeat.series import check_sequences
        >>> series = check_sequences(predictable_noise(300, random_state=0))
        >>> SFA().fit_series(series).transform_series(series).rows.shape
        (300, 2)
        """
        check_is_fitted(self)
        rows = (series.rows - self.mean_) @ self.components_.T
        rows[~series.valid] = 0.0
        return series.with_rows(rows)

    def inverse_transform(self, Y: Any) -> FloatArray:
        """Return the least-squares reconstruction of the input from the features.

        Among all linear maps of the features, it has the smallest squared error on the training
        data.

        Parameters
        ----------
        Y : array-like of shape (n_rows, n_components)

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            mean_ + Y @ patterns_.
        """
        check_is_fitted(self)
        values = check_matrix(Y, name="Y").values
        if values.shape[1] != self._n_features_out:
            raise DimensionError(
                f"Y has {values.shape[1]} columns, but {type(self).__name__} has "
                f"{self._n_features_out} features."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            reconstruction: FloatArray = self.mean_ + values @ self.patterns_
        refuse_overflow(reconstruction[~np.isnan(values).any(axis=1)], "reconstruction", of="Y")
        return reconstruction

    def score(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> float:
        """Return how many features' worth of variance is predicted in X: higher is better.

        For each state, the successors of its 10 most similar other states are averaged. The share
        of variance that this predicts, `predfeat.measures.predicted_shares`, is summed over the
        features: a real feature adds to the sum, and a feature of noise subtracts a tenth. A search
        over `n_components` therefore finds the number of real features, as `choose` does, not the
        smallest number. States use the method's `n_lags` and `horizon` (1 if it has none). Of more
        than 50 000 states, a sample is predicted; see `predfeat.neighbors.count_centers`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        y : ignored
            As in `fit`.
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences.

        Returns
        -------
        float
            At most `n_components`.
        """
        return predicted_score(self, X, y, groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def check_linear_method(given: Any, parameter: str) -> None:
    """Raise an error if a parameter holds neither a linear method nor None.

    Parameters
    ----------
    given : object
        The parameter's value.
    parameter : str
        Its name.

    Examples
    --------
    >>> from predfeat import SFA
    >>> from predfeat.features import check_linear_method
    >>> check_linear_method(SFA(), "estimator")
    >>> check_linear_method(SFA, "estimator")
    Traceback (most recent call last):
    ValueError: estimator must be a linear method ... it is the class SFA. Give an object, SFA().
    """
    if given is None or isinstance(given, LinearFeatures):
        return
    is_class = isinstance(given, type) and issubclass(given, LinearFeatures)
    what = f"the class {given.__name__}" if is_class else repr(given)
    instead = f" Give an object, {given.__name__}()." if is_class else ""
    raise ValueError(
        f"{parameter} must be a linear method of predfeat's, such as GPFA() or SFA(), or None, but "
        f"it is {what}.{instead}"
    )


def predicted_score(model: Any, X: Any, y: Any, groups: ArrayLike | None) -> float:
    """Return how many features' worth of variance a model predicts; see `LinearFeatures.score`."""
    rows = as_rows(X, groups=groups) if isinstance(X, Rows) else None
    if rows is not None:
        groups = rows.whole_ids()
    features = np.asarray(model.transform(X))
    check_ignored_target(y, groups, len(features), type(model).__name__)
    n_lags, horizon = getattr(model, "n_lags", 1), getattr(model, "horizon", 1)
    series = check_sequences(features, groups)
    shares = predicted_shares(series, None, n_lags, horizon=horizon, n_centers="auto")
    return float(shares.sum())
