"""Correspondence analysis of a sparse table: L v = λ D v without ever building L.

A table N of contexts (rows) by symbols (columns) with row sums n and column sums d connects the
symbols by W = Nᵀ diag(1/n) N, whose degrees are d. With A = diag(n)^(-1/2) N diag(d)^(-1/2) the
problem (D - W) v = λ D v becomes AᵀA u = (1 - λ) u, v = diag(d)^(-1/2) u. The singular values of A
are those of correspondence analysis, and λ = 1 - σ².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import RankError
from predfeat.solvers._signs import fix_signs

__all__ = ["Correspondence", "correspondence_analysis"]

# Up to this many rows or columns a dense solver takes less than a tenth of a second, and finds
# all copies of a multiple eigenvalue.
_MOST_DENSE = 500
# A σ² that is rounded at 1e-16 cannot be told from 0 below this, or its vector only to six digits.
_NULL = 1e-10


@dataclass(frozen=True)
class Correspondence:
    """The smallest solutions of L v = λ D v for a table, the constant left out.

    Attributes
    ----------
    values : ndarray of shape (n_pairs,)
        λ, ascending, from 0 to 1.
    vectors : ndarray of shape (n_columns, n_pairs)
        Each with mean 0 and variance 1, columns of the table weighted by their sums.
    blocks : ndarray of int, shape (n_columns,)
        The connected part of the table that each column belongs to, numbered by falling sum.
        With b blocks, the first b - 1 solutions have λ = 0.
    """

    values: FloatArray
    vectors: FloatArray
    blocks: IntArray


def correspondence_analysis(table: Any, n_pairs: int) -> Correspondence:
    """Find the vectors of a table's columns that vary least within its rows.

    If the table consists of several blocks that share no row and no column, vectors that are
    constant within each block have λ = 0. Of these the first tells the largest block from the
    others, the second the next largest from the smaller ones, and so on.

    Parameters
    ----------
    table : sparse array of shape (n_rows, n_columns)
        Not negative, without empty rows and columns.
    n_pairs : int

    Returns
    -------
    Correspondence

    Raises
    ------
    RankError
        There are fewer solutions with λ < 1.

    Examples
    --------
    Of four columns, two and two occur in the same rows, but for one entry:

    >>> from scipy import sparse
    >>> from predfeat.solvers import correspondence_analysis
    >>> table = sparse.csr_array([[5.0, 4.0, 0.0, 0.0], [0.0, 1.0, 5.0, 4.0]])
    >>> found = correspondence_analysis(table, 1)
    >>> found.values.round(3)
    array([0.169])
    >>> found.vectors.ravel().round(1)
    array([ 1.2,  0.7, -1. , -1. ])
    """
    table = sparse.csr_array(table, dtype=np.float64)
    row_sums, sums = np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()
    blocks = _find_blocks(table, sums)
    between = _contrasts(blocks, sums, n_pairs)
    n_between, n_within = between.shape[1], n_pairs - between.shape[1]
    if not n_within:
        return Correspondence(np.zeros(n_pairs), between, blocks)
    scaled = sparse.diags_array(1 / np.sqrt(row_sums)) @ table
    scaled = sparse.csr_array(scaled @ sparse.diags_array(1 / np.sqrt(sums)))
    # No more than n_pairs columns: with more blocks, all solutions would be contrasts of these.
    constant = np.sqrt(sums)[:, None] * (blocks[:, None] == np.arange(n_between + 1))
    squares, within = _largest(scaled, constant / np.linalg.norm(constant, axis=0), n_within)
    if len(squares) < n_within:
        raise RankError(_why_too_few(table.shape, n_pairs, n_between + len(squares)))
    within = within / np.sqrt(sums)[:, None] * np.sqrt(sums.sum())
    vectors = np.hstack([between, within])
    values = np.concatenate([np.zeros(n_between), np.clip(1 - squares, 0, 1)])
    return Correspondence(values, vectors * fix_signs(vectors.T), blocks)


def _why_too_few(shape: tuple[int, ...], n_pairs: int, n_found: int) -> str:
    return (
        f"n_components={n_pairs}, but the table of {shape[0]} contexts by {shape[1]} symbols has "
        f"only {n_found} independent direction(s) beside the constant. Use at most "
        f"n_components={n_found}, more data, or (where contexts are compared with neighbours) a "
        "smaller n_neighbors."
    )


def _find_blocks(table: Any, sums: FloatArray) -> IntArray:
    """Return the connected part of every column, the part with the largest sum first."""
    n_rows, n_columns = table.shape
    n_blocks, labels = connected_components(
        sparse.block_array([[None, table], [table.T, None]]), directed=False
    )
    labels = labels[n_rows:]
    first = np.full(n_blocks, n_columns)
    np.minimum.at(first, labels, np.arange(n_columns))
    order = np.lexsort([first, -np.bincount(labels, sums, minlength=n_blocks)])
    number = np.empty(n_blocks, dtype=np.intp)
    number[order] = np.arange(n_blocks)
    return np.asarray(number[labels])


def _contrasts(blocks: IntArray, sums: FloatArray, at_most: int) -> FloatArray:
    """Return vectors that are constant within blocks: each block against all smaller ones."""
    weights = np.bincount(blocks, sums)
    rest = np.cumsum(weights[::-1])[::-1]  # of each block and the smaller ones
    vectors = np.zeros((len(blocks), min(len(weights) - 1, at_most)))
    for j in range(vectors.shape[1]):
        own, smaller = weights[j], rest[j + 1]
        height = np.sqrt(rest[0] / (own * smaller * rest[j]))
        vectors[blocks == j, j] = smaller * height
        vectors[blocks > j, j] = -own * height
    return vectors * fix_signs(vectors.T)


def _largest(scaled: Any, constant: FloatArray, n_pairs: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of AᵀA beside known ones, as far as they are not 0."""
    n_rows, n_columns = scaled.shape
    if min(n_rows, n_columns) <= _MOST_DENSE:
        squares, vectors = _largest_dense(scaled, constant)
    else:
        squares, vectors = _largest_sparse(scaled, constant, min(n_pairs, n_columns - 1))
    seen = squares[:n_pairs] > _NULL
    return squares[:n_pairs][seen], vectors[:, :n_pairs][:, seen]


def _largest_dense(scaled: Any, constant: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve on the smaller side: the columns, or the rows, whose vectors then give the columns'."""
    is_wide = scaled.shape[0] < scaled.shape[1]
    side = scaled if is_wide else scaled.T
    known = scaled @ constant if is_wide else constant
    squares, vectors = np.linalg.eigh((side @ side.T).toarray() - known @ known.T)
    squares, vectors = squares[::-1], vectors[:, ::-1]
    if is_wide:
        seen = squares > _NULL
        squares = squares[seen]
        vectors = scaled.T @ vectors[:, seen] / np.sqrt(squares)
    return squares, vectors


def _largest_sparse(scaled: Any, known: FloatArray, n_pairs: int) -> tuple[FloatArray, FloatArray]:
    """Iterate with products of the table alone (Lanczos' method)."""
    n_columns = scaled.shape[1]
    transposed = scaled.T.tocsr()

    def multiply(x: FloatArray) -> FloatArray:
        # Known solutions are taken out on both sides: otherwise rounding would bring them back.
        x = x - known @ (known.T @ x)
        y = transposed @ (scaled @ x)
        return np.asarray(y - known @ (known.T @ y))

    operator = LinearOperator((n_columns, n_columns), matvec=multiply, dtype=np.float64)
    # The same start every time, with a part in every direction. A tolerance of 0 is that of
    # float64: products are cheap, anything coarser would leave the start in the last digits, and
    # all copies of a multiple eigenvalue appear only with those.
    start = np.random.default_rng(0).normal(size=n_columns)
    squares, vectors = eigsh(operator, n_pairs, which="LA", v0=start, tol=0)
    order = np.argsort(-squares, kind="stable")
    return squares[order], vectors[:, order]
