"""How much memory a fit takes, and an early refusal where it cannot have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._memory import available_memory, in_words
from predfeat.exceptions import NotEnoughMemoryError
from predfeat.neighbors import count_centers

__all__ = ["memory_needed", "refuse_too_large"]

_FLOAT = 8
# Matrices as large as the rows in float64 that are there at once while data becomes white: the
# samples and the centred rows, beside the white ones.
_COPIES = 2
# Of each row: where its sequence and its run begin and end, masks, and room for index arrays.
_BYTES_PER_ROW = 64
# Of each centre and neighbour: rows, distances and weights, while a graph is made of them.
_BYTES_PER_NEIGHBOR = 100
# Of each centre and column: the centres' rows, sums over their neighbourhoods, and one product.
_CENTER_MATRICES = 3

# A search compares states in tiles of distances.
_BYTES_PER_SEARCH = 1 << 25


def memory_needed(
    n_rows: int,
    n_columns: int,
    *,
    is_converted: bool = False,
    n_axes: int | None = None,
    n_neighbors: int = 0,
    n_centers: int | str | None = "auto",
) -> int:
    """Estimate the bytes that a fit takes at its peak, beside the data as it was given.

    Parameters
    ----------
    n_rows, n_columns : int
    is_converted : bool, default=False
        Whether the data is of another type than float64 or in another layout, so that it is
        copied.
    n_axes : int, optional
        Columns of the white series, if fewer than those of the data.
    n_neighbors : int, default=0
        Neighbours of each state, for methods that search them.
    n_centers : int, "auto" or None, default="auto"
        States that ask; see `predfeat.neighbors.count_centers`.

    Returns
    -------
    int

    Examples
    --------
    >>> from predfeat._memory import in_words
    >>> from predfeat.features._memory_needed import memory_needed
    >>> in_words(memory_needed(10**6, 20))
    '544 MB'
    """
    n_axes = n_columns if n_axes is None else min(n_axes, n_columns)
    numbers = n_columns * (_COPIES + is_converted) + n_axes
    rows = n_rows * (_FLOAT * numbers + _BYTES_PER_ROW)
    if n_neighbors == 0:
        return rows
    each = _BYTES_PER_NEIGHBOR * n_neighbors + _CENTER_MATRICES * _FLOAT * n_axes
    return rows + count_centers(n_rows, n_centers) * each + _BYTES_PER_SEARCH


def refuse_too_large(X: Any, parameters: dict[str, Any]) -> None:
    """Raise before the work if a fit of an array could not get the memory it needs.

    What is no array of numbers, such as a list, is already in memory in a larger form.

    Parameters
    ----------
    X : array-like
        The training data.
    parameters : dict
        Those of the method; of a method with neighbours, `n_neighbors` and `n_centers`.
    """
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biuf":
        return
    available = available_memory()
    needed = memory_needed(
        *X.shape,
        is_converted=X.dtype != np.float64 or not X.flags.c_contiguous,
        n_axes=axes if isinstance(axes := parameters.get("pca_components"), int) else None,
        n_neighbors=parameters.get("n_neighbors", 0),
        n_centers=parameters.get("n_centers", "auto"),
    )
    if available is None or needed <= available:
        return
    centers = ""
    if parameters.get("n_neighbors") and parameters.get("n_centers") is None:
        centers = ', set n_centers="auto"'
    raise NotEnoughMemoryError(
        f"a fit of {X.shape[0]} rows of {X.shape[1]} columns needs about {in_words(needed)} of "
        f"memory beside the data, but {in_words(available)} are free. Fit fewer rows (transform "
        f"takes all of them afterwards) or fewer columns{centers}, set pca_components to a count, "
        "hold the data as float32 (half of its own memory), or use SFA or PFA with partial_fit."
    )
