"""Minimise a function of a space, whatever its basis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from predfeat._typing import FloatArray

__all__ = ["SpaceMinimum", "minimize_over_spaces"]


@dataclass(frozen=True)
class SpaceMinimum:
    """Where a descent over spaces ended.

    Attributes
    ----------
    directions : ndarray of shape (n_columns, n_directions)
        An orthonormal basis of the space.
    value : float
    n_iter : int
        Quasi-Newton steps.
    """

    directions: FloatArray
    value: float
    n_iter: int


def minimize_over_spaces(
    value_and_slope: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    max_iter: int,
    **options: Any,
) -> SpaceMinimum:
    """Descend on a function that depends only on the space that some directions span.

    No constraint is needed: f(B) = f(Q) for B = Q R, and the gradient with respect to B is that
    with respect to Q, less its part within the space, times the inverse of Rᵀ.

    Parameters
    ----------
    value_and_slope : callable
        Takes an orthonormal basis, returns the value and the derivative by every number of it.
    start : ndarray of shape (n_columns, n_directions)
        Independent directions.
    max_iter : int
        Quasi-Newton steps at most (L-BFGS).
    **options
        Further options of SciPy's L-BFGS-B.

    Returns
    -------
    SpaceMinimum

    Examples
    --------
    The plane of the two smallest eigenvalues:

    >>> import numpy as np
    >>> from predfeat.solvers import minimize_over_spaces
    >>> A = np.diag([3.0, 1.0, 2.0, 5.0])
    >>> def trace(Q):
    ...     return float(np.trace(Q.T @ A @ Q)), 2 * A @ Q
    >>> start = np.random.default_rng(0).normal(size=(4, 2))
    >>> round(minimize_over_spaces(trace, start, max_iter=100).value, 6)
    3.0
    """
    shape = start.shape

    def of_any_basis(flat: FloatArray) -> tuple[float, FloatArray]:
        basis, mixing = np.linalg.qr(flat.reshape(shape))
        value, slope = value_and_slope(basis)
        slope = slope - basis @ (basis.T @ slope)
        return value, np.linalg.solve(mixing, slope.T).T.ravel()

    found = minimize(
        of_any_basis,
        np.linalg.qr(start)[0].ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, **options},
    )
    directions = np.linalg.qr(found.x.reshape(shape))[0]
    return SpaceMinimum(directions, float(found.fun), int(found.nit))
