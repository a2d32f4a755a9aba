"""Linear regression on few columns: a lasso path or pursuit chooses, least squares fits."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path, orthogonal_mp
from sklearn.utils.validation import check_is_fitted, validate_data

from predfeat._compat import POSITIVE, StrOptions
from predfeat._typing import BoolArray, FloatArray

__all__ = ["FewChannels"]


class FewChannels(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Linear regression of one or several targets on few columns each.

    scikit-learn's lasso path or orthogonal matching pursuit chooses the columns, in units of their
    standard deviations. Least squares then finds the weights, without the lasso's shrinkage.

    Parameters
    ----------
    max_nonzero : int, default=5
        The most columns that a target may use.
    method : {"lasso", "pursuit"}, default="lasso"
        Who chooses. "lasso" follows its path until one more column would be too many; where
        several enter at once, it may stay below `max_nonzero`. "pursuit" adds the column that
        correlates most with what is not explained yet.
    shared : bool, default=False
        Choose the same columns for all targets, by the multi-task lasso. Needs method="lasso".

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_columns), or (n_columns,) for one target in a vector
    intercept_ : ndarray of shape (n_targets,), or float

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.features import FewChannels
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 10))
    >>> y = 2 * X[:, 3] - X[:, 7] + 0.1 * random.normal(size=200)
    >>> np.flatnonzero(FewChannels(2).fit(X, y).coef_)
    array([3, 7])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_nonzero": [POSITIVE],
        "method": [StrOptions({"lasso", "pursuit"})],
        "shared": ["boolean"],
    }

    def __init__(self, max_nonzero: int = 5, *, method: str = "lasso", shared: bool = False):
        self.max_nonzero = max_nonzero
        self.method = method
        self.shared = shared

    def fit(self, X: Any, y: Any) -> Self:
        """Choose columns and fit the weights.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,) or (n_rows, n_targets)

        Returns
        -------
        self
        """
        self._validate_params()
        if self.shared and self.method != "lasso":
            raise ValueError(
                f'shared=True needs method="lasso", but method={self.method!r}: matching pursuit '
                "chooses for each target alone."
            )
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        targets = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        mean, mean_target = X.mean(axis=0), targets.mean(axis=0)
        rows, targets = X - mean, targets - mean_target
        weights = np.zeros((targets.shape[1], rows.shape[1]))
        for weight, chosen, target in zip(
            weights, self._chosen(rows, targets), targets.T, strict=True
        ):
            weight[chosen] = np.linalg.lstsq(rows[:, chosen], target, rcond=None)[0]
        intercepts = mean_target - weights @ mean
        self.coef_ = weights if y.ndim == 2 else weights[0]
        self.intercept_ = intercepts if y.ndim == 2 else float(intercepts[0])
        return self

    def _chosen(self, rows: FloatArray, targets: FloatArray) -> list[BoolArray]:
        """Return which columns each target uses."""
        spread, sizes = rows.std(axis=0), targets.std(axis=0)
        scaled = rows / np.where(spread > 0, spread, 1.0)
        targets = targets / np.where(sizes > 0, sizes, 1.0)
        n_most = min(self.max_nonzero, rows.shape[1])
        if self.shared:
            chosen = _on_lasso_path(scaled, targets, n_most)
            return [chosen] * targets.shape[1]
        choose = _on_lasso_path if self.method == "lasso" else _by_pursuit
        return [choose(scaled, target, n_most) for target in targets.T]

    def predict(self, X: Any) -> FloatArray:
        """Return the targets of new rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_targets)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(rows @ self.coef_.T + self.intercept_)


def _on_lasso_path(rows: FloatArray, targets: FloatArray, n_most: int) -> BoolArray:
    """Return the columns on the path just before there are more than `n_most`."""
    if not np.any(targets):
        return np.zeros(rows.shape[1], dtype=bool)
    with warnings.catch_warnings():
        # The path only chooses; the weights are fitted afterwards.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = lasso_path(rows, targets)[1]
    used = np.any(weights.reshape(-1, *weights.shape[-2:]) != 0, axis=0)
    too_many = np.flatnonzero(used.sum(axis=0) > n_most)
    last = int(too_many[0]) - 1 if too_many.size else used.shape[1] - 1
    return np.asarray(used[:, max(last, 0)])


def _by_pursuit(rows: FloatArray, target: FloatArray, n_most: int) -> BoolArray:
    with warnings.catch_warnings():
        # It warns when it ends early because columns depend on each other or all is explained.
        warnings.simplefilter("ignore", RuntimeWarning)
        weights = orthogonal_mp(rows, target, n_nonzero_coefs=n_most)
    return np.asarray(weights != 0).reshape(-1)  # of one column, it returns a number
