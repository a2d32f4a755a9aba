"""The smallest solutions of A v = λ v and of A v = λ B v.

NumPy's solver is used, although SciPy's could skip the other solutions: NumPy and SciPy each bring
a BLAS, and in a loop that alternates between them, idle threads of one keep the other waiting. For
large matrices the wait is short against the work, and SciPy's does a quarter of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, lapack

from predfeat._typing import FloatArray
from predfeat.exceptions import RankError

__all__ = ["Eigenpairs", "smallest_eigenpairs", "NULL_TOLERANCE"]

# Eigenvalues of B below this share of its largest belong to the null space.
NULL_TOLERANCE = 1e-12

# From this size on, the other solutions are skipped if B is far from singular (by an estimate of
# its smallest eigenvalue's share of the largest), and few are asked for.
_LARGE, _FAR_FROM_SINGULAR, _FEW = 500, 1e-8, 0.1


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in ascending order, and their vectors of unit length as columns."""

    values: FloatArray
    vectors: FloatArray


def smallest_eigenpairs(a: FloatArray, n_pairs: int, b: FloatArray | None = None) -> Eigenpairs:
    """Solve A v = λ v, or A v = λ B v where `b` is given, for the smallest λ.

    If B is singular, the problem is solved in its range: in its null space there is no edge at
    all, and λ would be 0/0.

    Parameters
    ----------
    a : ndarray of shape (n, n)
        Symmetric.
    n_pairs : int
        How many solutions, at most n.
    b : ndarray of shape (n, n), optional
        Symmetric and positive semi-definite.

    Returns
    -------
    Eigenpairs

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.solvers import smallest_eigenpairs
    >>> pairs = smallest_eigenpairs(np.diag([3.0, 1.0, 2.0]), 2)
    >>> pairs.values
    array([1., 2.])
    >>> smallest_eigenpairs(np.diag([3.0, 1.0, 2.0]), 1, b=np.diag([6.0, 1.0, 1.0])).values
    array([0.5])
    """
    if b is None:
        values, vectors = np.linalg.eigh(a)
        return Eigenpairs(values[:n_pairs], vectors[:, :n_pairs])
    if len(b) >= _LARGE and n_pairs <= _FEW * len(b) and _is_far_from_singular(b):
        values, vectors = eigh(a, b, subset_by_index=[0, n_pairs - 1], driver="gvx")
        return Eigenpairs(values, vectors / np.linalg.norm(vectors, axis=0))
    b_values, b_vectors = np.linalg.eigh(b)
    seen = b_values > NULL_TOLERANCE * max(b_values[-1], 0.0)
    n_seen = int(seen.sum())
    if n_seen < n_pairs:
        raise RankError(
            f"{n_pairs} features are asked for, but the graph connects samples along only "
            f"{n_seen} of {len(b)} directions. Use fewer features, more neighbors or more data."
        )
    to_range = b_vectors[:, seen] / np.sqrt(b_values[seen])
    reduced = to_range.T @ a @ to_range
    values, vectors = np.linalg.eigh((reduced + reduced.T) / 2)
    vectors = to_range @ vectors[:, :n_pairs]
    return Eigenpairs(values[:n_pairs], vectors / np.linalg.norm(vectors, axis=0))


def _is_far_from_singular(b: FloatArray) -> bool:
    """Return whether a symmetric matrix is positive definite, and well-conditioned."""
    try:
        root = np.linalg.cholesky(b)
    except np.linalg.LinAlgError:
        return False
    share, _ = lapack.dpocon(root, np.abs(b).sum(axis=0).max(), uplo="L")
    return bool(share > _FAR_FROM_SINGULAR)
