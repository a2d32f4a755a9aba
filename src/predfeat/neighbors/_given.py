"""Neighbours that were found elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.exceptions import GraphError
from predfeat.neighbors._table import NeighborTable
from predfeat.series import States

__all__ = ["check_neighbors", "is_neighbors"]


def is_neighbors(given: Any) -> bool:
    """Return whether something is meant as neighbours: a table, a sparse graph or two matrices."""
    if isinstance(given, NeighborTable) or sparse.issparse(given):
        return True
    return isinstance(given, tuple) and len(given) == 2 and all(map(_is_matrix, given))


def check_neighbors(given: Any, states: States, n_neighbors: int) -> NeighborTable:
    """Return given neighbours as the table that a search would have returned.

    A state itself may be among its neighbours or not: it is dropped. So are rows that end no state,
    such as the first rows of a sequence with more than one lag. The nearest `n_neighbors` of the
    others are kept, and the order of equally distant ones is as given.

    Parameters
    ----------
    given : NeighborTable, sparse array or tuple of two matrices
        A table; a graph of shape (n_rows, n_rows) that holds the distances to each row's
        neighbours, as scikit-learn's `kneighbors_graph` and `KNeighborsTransformer` return it; or
        row numbers and distances, each of shape (n_rows, any number), in either order.
    states : States
        The states whose neighbours are given.
    n_neighbors : int
        Neighbours of each state.

    Returns
    -------
    NeighborTable

    Raises
    ------
    GraphError
        The neighbours do not fit the states, or are too few.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.neighbors import check_neighbors
    >>> from predfeat.series import check_sequences, find_states
    >>> states = find_states(check_sequences([[0.0], [5.0], [1.0]]), n_lags=1, n_neighbors=1)
    >>> rows, distances = np.array([[0, 2], [1, 2], [2, 0]]), np.array([[0, 1], [0, 4], [0, 1]])
    >>> check_neighbors((rows, distances), states, 1).indices.ravel().tolist()
    [2, 2, 0]
    """
    if isinstance(given, NeighborTable):
        owner, rows, distances = _of_table(given, states)
    elif sparse.issparse(given):
        owner, rows, distances = _of_graph(given, states)
    else:
        owner, rows, distances = _of_matrices(given, states)
    _refuse_no_distance(distances)
    is_state = np.zeros(states.series.n_rows, dtype=bool)
    is_state[states.times] = True
    kept = is_state[owner] & is_state[rows] & (owner != rows)
    owner, rows, distances = owner[kept], rows[kept], distances[kept]
    order = np.lexsort((distances, owner))
    first, stop = (np.searchsorted(owner[order], states.times, side=s) for s in ("left", "right"))
    fewest = int(np.argmin(stop - first))
    if stop[fewest] - first[fewest] < n_neighbors:
        raise GraphError(
            f"n_neighbors={n_neighbors}, but the state at row {states.times[fewest]} was given "
            f"{stop[fewest] - first[fewest]} neighbours that are other states with "
            f"n_lags={states.n_lags}. Give more neighbours for each row, or use fewer."
        )
    best = order[first[:, None] + np.arange(n_neighbors)]
    return NeighborTable(states.times, rows[best].astype(np.intp), distances[best])


def _is_matrix(part: Any) -> bool:
    try:
        return np.ndim(part) == 2
    except ValueError:  # lists of different lengths
        return False


Pairs = tuple[IntArray, IntArray, FloatArray]


def _of_table(table: NeighborTable, states: States) -> Pairs:
    missing = np.setdiff1d(states.times, table.times)
    if missing.size:
        raise GraphError(
            f"the given neighbours have no entry for the state at row {missing[0]}, and for "
            f"{missing.size - 1} more of {len(states)}. Search them with the same data, n_lags "
            "and groups."
        )
    n_rows, times = states.series.n_rows, np.asarray(table.times)
    if times.max() >= n_rows:
        raise GraphError(
            f"X has {n_rows} rows, but neighbours are given for a state at row {times.max()}. "
            "Search them with the same data, n_lags and groups."
        )
    rows, distances = np.asarray(table.indices), np.asarray(table.distances)
    if rows.ndim != 2 or rows.shape != distances.shape or len(rows) != len(times):
        raise GraphError(
            "a table of given neighbours must have two matrices with a row for each of its "
            f"{len(times)} states, but their shapes are {rows.shape} and {distances.shape}."
        )
    _refuse_other_types(rows, distances, f"{rows.dtype} and {distances.dtype}")
    return _flat(times, rows, distances, n_rows)


def _of_graph(graph: Any, states: States) -> Pairs:
    n_rows = states.series.n_rows
    if graph.shape != (n_rows, n_rows):
        raise GraphError(
            f"a graph of given neighbours must have the shape {(n_rows, n_rows)}, a row and a "
            f"column for each row of X, but its shape is {graph.shape}."
        )
    if graph.dtype.kind not in "biuf":
        raise GraphError(
            "a graph of given neighbours must hold distances (real numbers), but its type is "
            f"{graph.dtype}."
        )
    entries = sparse.csr_array(graph)  # stored zeros are the distances of equal rows
    owner = np.repeat(np.arange(n_rows), np.diff(entries.indptr))
    return owner, entries.indices.astype(np.intp), np.asarray(entries.data, dtype=np.float64)


def _of_matrices(given: tuple[Any, Any], states: States) -> Pairs:
    one, other = map(np.asarray, given)
    rows, distances = (one, other) if one.dtype.kind in "iu" else (other, one)
    _refuse_other_types(rows, distances, f"{one.dtype} and {other.dtype}")
    n_rows = states.series.n_rows
    if rows.ndim != 2 or rows.shape != distances.shape or len(rows) != n_rows:
        raise GraphError(
            f"given neighbours must be two matrices with a row for each of the {n_rows} rows of X, "
            f"but their shapes are {one.shape} and {other.shape}."
        )
    return _flat(np.arange(n_rows), rows, distances, n_rows)


def _flat(times: IntArray, rows: AnyArray, distances: AnyArray, n_rows: int) -> Pairs:
    outside = rows[(rows < 0) | (rows >= n_rows)]
    if outside.size:
        raise GraphError(
            f"given neighbours must be rows 0 to {n_rows - 1} of X, but one is {outside[0]}."
        )
    owner = np.repeat(times, rows.shape[1])
    return owner, rows.ravel().astype(np.intp), np.asarray(distances, dtype=np.float64).ravel()


def _refuse_other_types(rows: AnyArray, distances: AnyArray, types: str) -> None:
    if rows.dtype.kind not in "iu" or distances.dtype.kind not in "iuf":
        raise GraphError(
            "given neighbours must be row numbers (integers) and distances (real numbers), but "
            f"their types are {types}."
        )


def _refuse_no_distance(distances: FloatArray) -> None:
    bad = distances[~((distances >= 0) & np.isfinite(distances))]
    if bad.size:
        raise GraphError(
            f"distances of given neighbours must be finite and not negative, but {bad.size} of "
            f"{distances.size} are not; the first is {bad[0]}."
        )
