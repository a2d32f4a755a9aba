"""Which few channels would do, for a model that is fitted already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import DimensionError
from predfeat.features._few_channels import FewChannels
from predfeat.series import Sequences, check_matrix, check_sequences, refuse_overflow
from predfeat.splits import purged_folds

__all__ = ["SparseFeatures", "sparsify"]


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Linear features of few channels that stand in for those of a model.

    Attributes
    ----------
    names : tuple of str
        Of all channels.
    components : ndarray of shape (n_features, n_columns)
        The weights, mostly 0.
    offset : ndarray of shape (n_features,)
        The features are X @ components.T + offset.
    r2 : ndarray of shape (n_features,)
        How much of the variance of each of the model's features they explain, on the rows given.
    r2_held_out : ndarray of shape (n_features,) or None
        The same on rows held out, for channels and weights that the other rows chose.
    """

    names: tuple[str, ...]
    components: FloatArray
    offset: FloatArray
    r2: FloatArray
    r2_held_out: FloatArray | None = None

    @property
    def channels(self) -> tuple[tuple[str, ...], ...]:
        """The names of the channels that each feature uses, in the order of the columns."""
        return tuple(
            tuple(self.names[i] for i in np.flatnonzero(weights)) for weights in self.components
        )

    @property
    def used(self) -> tuple[str, ...]:
        """The names of the channels that any feature uses."""
        return tuple(self.names[i] for i in np.flatnonzero(np.any(self.components != 0, axis=0)))

    def transform(self, X: Any) -> FloatArray:
        """Return the features of every row.

        Channels that no feature uses are not looked at, and may be NaN.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            NaN where a channel that some feature uses is NaN.
        """
        values = check_matrix(X).values
        if values.shape[1] != len(self.names):
            raise DimensionError(
                f"X has {values.shape[1]} columns, but the features were fitted to "
                f"{len(self.names)}. Give all of them; those that are not used may be NaN."
            )
        used = np.any(self.components != 0, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            features: FloatArray = values[:, used] @ self.components[:, used].T + self.offset
        gaps = np.isnan(values[:, used]).any(axis=1)
        features[gaps] = np.nan
        refuse_overflow(features[~gaps], "features", of="X")
        return features


def sparsify(
    model: Any,
    X: Any,
    max_nonzero: int = 5,
    *,
    groups: ArrayLike | None = None,
    method: str = "lasso",
    shared: bool = False,
    n_folds: int | None = 5,
) -> SparseFeatures:
    """Find few channels from which the features of a fitted model can be computed, nearly.

    scikit-learn's lasso path or orthogonal matching pursuit chooses the channels, and least
    squares finds their weights; see `FewChannels`. What is left out shows in the R² of each
    feature. The model need not be linear, but what stands in for it is.

    Parameters
    ----------
    model : fitted estimator
        Of predfeat, or anything with a `transform` of rows.
    X : array-like of shape (n_rows, n_columns)
        Rows in time order, best those it was fitted to. A row that holds a NaN is left out.
    max_nonzero : int, default=5
        The most channels of each feature.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences, which are held out as a whole if there are three or more.
    method : {"lasso", "pursuit"}, default="lasso"
        Who chooses.
    shared : bool, default=False
        Choose the same channels for all features.
    n_folds : int or None, default=5
        In how many parts the rows are held out in turn for `r2_held_out`. None leaves it out.

    Returns
    -------
    SparseFeatures

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import GPFA
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.features import sparsify
    >>> X = predictable_noise(700, random_state=0)  # two of ten dimensions are predictable
    >>> few = sparsify(GPFA(2).fit(X), X, max_nonzero=2)
    >>> few.used, bool(few.r2.min() > 0.9)
    (('x0', 'x1'), True)
    """
    validate_parameter_constraints(
        {"max_nonzero": [whole_number(1)], "n_folds": [whole_number(2), None]},
        {"max_nonzero": max_nonzero, "n_folds": n_folds},
        caller_name="sparsify",
    )
    check_is_fitted(model)
    matrix = check_matrix(X, min_rows=2)
    series = check_sequences(matrix, groups)
    series.times()  # at least one sample
    # As given: the model compares the names of its columns.
    features = np.asarray(model.transform(X), dtype=np.float64).reshape(series.n_rows, -1)
    regressor = FewChannels(max_nonzero, method=method, shared=shared)
    everywhere = np.flatnonzero(series.valid)
    errors = _errors(regressor, series, features, everywhere, everywhere)
    held_out = None
    if n_folds is not None:
        folds = purged_folds(series, n_folds, gap=1)
        parts = [(fold.train[series.valid[fold.train]], fold.test[series.valid[fold.test]])
                 for fold in folds]  # fmt: skip
        outside = [_errors(clone(regressor), series, features, *part) for part in parts]
        tested = np.concatenate([test for _, test in parts])
        held_out = _explained(np.vstack(outside), features[tested])
    return SparseFeatures(
        tuple(matrix.names),
        regressor.coef_,
        np.atleast_1d(regressor.intercept_),
        _explained(errors, features[everywhere]),
        held_out,
    )


def _errors(
    regressor: FewChannels, series: Sequences, features: FloatArray, train: IntArray, test: IntArray
) -> FloatArray:
    """Return by how much features of some rows are missed by a fit to others."""
    regressor.fit(series.rows[train], features[train])
    missed: FloatArray = features[test] - regressor.predict(series.rows[test])
    return missed


def _explained(errors: FloatArray, features: FloatArray) -> FloatArray:
    """Return R² of each feature; NaN for a constant one."""
    variances = features.var(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: FloatArray = 1.0 - np.square(errors).mean(axis=0) / variances
    return np.where(variances > 0, shares, np.nan)
