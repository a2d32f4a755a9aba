"""Linear regression on few columns: a lasso path or pursuit chooses, least squares fits."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path, lasso_path, orthogonal_mp
from sklearn.utils.validation import check_is_fitted, validate_data

from predfeat._compat import POSITIVE, StrOptions
from predfeat._typing import BoolArray, FloatArray

__all__ = ["FewChannels"]

# The path of the multi-task lasso is followed in steps like those of scikit-learn's paths, and to
# the same end. Where one adds too many columns, smaller steps are taken, down to the smallest.
_STEP, _END, _SMALLEST = 0.93, 1e-3, 1.0 - 1e-4


class FewChannels(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Linear regression of one or several targets on few columns each.

    scikit-learn's lasso path or orthogonal matching pursuit chooses the columns, in units of their
    standard deviations. Least squares then finds the weights, without the lasso's shrinkage.

    Parameters
    ----------
    max_nonzero : int, default=5
        The most columns that a target may use.
    method : {"lasso", "pursuit"}, default="lasso"
        Who chooses. "lasso" follows its path until one more column would be too many. "pursuit"
        adds the column that correlates most with what is not explained yet.
    shared : bool, default=False
        Choose the same columns for all targets, by the multi-task lasso, which takes all copies of
        a column or none. Needs method="lasso".

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
            chosen = _on_shared_path(scaled, targets, n_most)
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


def _on_lasso_path(rows: FloatArray, target: FloatArray, n_most: int) -> BoolArray:
    """Return the columns on the path of the lasso just before there are more than `n_most`."""
    if not np.any(target):
        return np.zeros(rows.shape[1], dtype=bool)
    n_steps = n_most + 1  # more are needed where columns leave the path again
    while True:
        with warnings.catch_warnings():
            # Of columns that depend on each other, it leaves out some, and says so.
            warnings.simplefilter("ignore", ConvergenceWarning)
            used = lars_path(rows, target, method="lasso", max_iter=n_steps)[2] != 0
        too_many = np.flatnonzero(used.sum(axis=0) > n_most)
        if too_many.size:
            return np.asarray(used[:, too_many[0] - 1])
        if used.shape[1] <= n_steps:  # one more than steps would be, if it had not come to its end
            return np.asarray(used[:, -1])
        n_steps *= 2


def _on_shared_path(rows: FloatArray, targets: FloatArray, n_most: int) -> BoolArray:
    """Return the columns on the multi-task lasso's path before there are more than `n_most`."""
    rows, targets = np.asfortranarray(rows), np.asfortranarray(targets)
    weights = np.zeros((targets.shape[1], rows.shape[1]), order="F")
    end = np.linalg.norm(rows.T @ targets, axis=1).max() / len(rows)  # where the first one enters
    alpha, step = end, _STEP
    end *= _END
    while alpha > end and step < _SMALLEST and _count(weights) < n_most:
        with warnings.catch_warnings():
            # The path only chooses; the weights are fitted afterwards.
            warnings.simplefilter("ignore", ConvergenceWarning)
            # The objective is flat around its minimum: its error is that of the weights, squared.
            tolerance = (1.0 - _SMALLEST) ** 2
            given = weights.copy(order="F")  # it is written to
            path = lasso_path(rows, targets, alphas=[alpha * step], coef_init=given, tol=tolerance)
            found = path[1][:, :, 0]
        if _count(found) > n_most:
            step = np.sqrt(step)
        else:
            alpha, weights = alpha * step, np.asfortranarray(found)
    return np.asarray(np.any(weights != 0, axis=0))


def _count(weights: FloatArray) -> int:
    return int(np.count_nonzero(np.any(weights != 0, axis=0)))


def _by_pursuit(rows: FloatArray, target: FloatArray, n_most: int) -> BoolArray:
    with warnings.catch_warnings():
        # It warns when it ends early because columns depend on each other or all is explained.
        warnings.simplefilter("ignore", RuntimeWarning)
        weights = orthogonal_mp(rows, target, n_nonzero_coefs=n_most)
    return np.asarray(weights != 0).reshape(-1)  # of one column, it returns a number
