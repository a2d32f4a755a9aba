"""`nearest_neighbors`, the public face of this stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._compat import JOBS, WINDOW, StrOptions, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike
from predfeat.neighbors._engines import METHODS, search
from predfeat.neighbors._table import NeighborTable
from predfeat.series import check_matrix, check_sequences, find_states

__all__ = ["nearest_neighbors", "SEARCH_CONSTRAINTS"]

SEARCH_CONSTRAINTS: dict[str, list[Any]] = {
    "n_neighbors": [whole_number(1)],
    "n_lags": [whole_number(1)],
    "theiler": [WINDOW],
    "method": [StrOptions(set(METHODS))],
    "n_jobs": [JOBS, None],
}


def nearest_neighbors(
    X: Any,
    *,
    n_neighbors: int,
    n_lags: int = 1,
    groups: ArrayLike | None = None,
    theiler: int = 0,
    method: str = "auto",
    n_jobs: int | None = None,
) -> NeighborTable:
    """Find for every state its nearest other states, exactly.

    The state at row t is (x_t, x_{t-1}, …, x_{t-p+1}); it exists when all these rows are samples
    of one sequence. Neighbours may come from any sequence.

    Where more states are equally far than are wanted (silence, counts, clipped or quantised
    values), every state draws its own: states have places on a circle, equal ones evenly spread
    in a shuffled order, and of tied states those are taken that come next after a state's own
    place. The same data has the same neighbours every time, and no row is everyone's neighbour.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order; rows with a NaN are gaps.
    n_neighbors : int
        Neighbours per state, k, the state itself not counted.
    n_lags : int, default=1
        Samples in a state, p.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences.
    theiler : int, default=0
        Exclude states of the same sequence at most that many rows away, so that neighbours are
        returns and not merely the moments before and after.
    method : {"auto", "tree", "tiles", "blockwise"}, default="auto"
        The engine: SciPy's KD-tree, which holds all states embedded in memory; the compiled one,
        which needs numba; or plain NumPy. All are exact and return the same; "auto" takes the
        quickest for the size and dimension.
    n_jobs : int, optional
        Threads, as in joblib: None is 1, -1 is all. The result does not depend on it.

    Returns
    -------
    NeighborTable
        `times`, `indices` and `distances`.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> table = nearest_neighbors([[0.0], [5.0], [0.5], [5.2]], n_neighbors=1)
    >>> table.indices.ravel().tolist()
    [2, 3, 0, 1]
    """
    validate_parameter_constraints(
        SEARCH_CONSTRAINTS,
        {
            "n_neighbors": n_neighbors,
            "n_lags": n_lags,
            "theiler": theiler,
            "method": method,
            "n_jobs": n_jobs,
        },
        caller_name="nearest_neighbors",
    )
    series = check_sequences(check_matrix(X, largest=np.inf), groups)
    states = find_states(series, n_lags, n_neighbors=n_neighbors)
    return search(states, n_neighbors, theiler=theiler, method=method, n_jobs=n_jobs)
