"""`nearest_neighbors`, the public face of this stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._compat import JOBS, WINDOW, StrOptions, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike
from predfeat.exceptions import GroupsError, ShortSequencesError
from predfeat.neighbors._registry import ENGINES
from predfeat.neighbors._search import search
from predfeat.neighbors._table import NeighborTable
from predfeat.series import States, check_matrix, check_sequences, find_states

__all__ = ["SEARCH_CONSTRAINTS", "nearest_neighbors"]

# For `validate_parameter_constraints`, used by every function with these parameters.
SEARCH_CONSTRAINTS: dict[str, list[Any]] = {
    "n_neighbors": [whole_number(1)],
    "n_lags": [whole_number(1)],
    "theiler": [WINDOW],
    "engine": [StrOptions(ENGINES)],  # not a copy: engines registered later are allowed as well
    "n_jobs": [JOBS, None],
}


def nearest_neighbors(
    X: Any,
    *,
    n_neighbors: int,
    n_lags: int = 1,
    groups: ArrayLike | None = None,
    library: Any = None,
    library_groups: ArrayLike | None = None,
    theiler: int = 0,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> NeighborTable:
    """Find the nearest other states of every state, exactly unless another engine is asked for.

    The state at row t is (x_t, x_{t-1}, …, x_{t-p+1}); it exists when all these rows are samples
    of one sequence. Neighbours may come from any sequence, or from the states of a library.

    If more states are tied than are needed (silence, counts, clipped or quantised values), every
    state draws its own: states have places on a circle, with equal ones evenly spread in a
    shuffled order, and among tied states the ones that come next after a state's own place are
    taken. The same data has the same neighbours every time, and no row is everyone's neighbour.
    With a library, queries and library get their places by the same rule, each among themselves.

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
    library : array-like of shape (n_library_rows, n_columns), optional
        Rows whose states may be neighbours instead of those of X, such as old data that new data is
        compared with. Nothing is excluded from it.
    library_groups : array-like of shape (n_library_rows,), optional
        Ids of the library's sequences.
    theiler : int, default=0
        Exclude states of the same sequence at most this many rows away, so that neighbours are
        recurrences and not merely the moments before and after.
    engine : {"auto", "tree", "tiles", "blockwise", "ivf"} or a registered name, default="auto"
        SciPy's KD-tree, which holds all states embedded in memory; the compiled engine, which
        needs numba; or plain NumPy. These are exact and return the same; "auto" takes the quickest
        for the size and dimension. "ivf" is approximate: faiss compares each state with some
        cells of similar states only (`predfeat.neighbors.InvertedLists`);
        `predfeat.neighbors.recall` tells what that missed. `register_engine` adds others.
    n_jobs : int, optional
        Threads, as in joblib: None is 1, -1 is all. The result does not depend on it.

    Returns
    -------
    NeighborTable
        `times`, `indices` and `distances`. With a library the indices are its rows.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> table = nearest_neighbors([[0.0], [5.0], [0.5], [5.2]], n_neighbors=1)
    >>> table.indices.ravel().tolist()
    [2, 3, 0, 1]

    New data and a library of old data:

    >>> new = [[5.1], [0.1]]
    >>> table = nearest_neighbors(new, library=[[0.0], [5.0], [0.5], [5.3]], n_neighbors=2)
    >>> table.indices.tolist()
    [[1, 3], [0, 2]]
    """
    validate_parameter_constraints(
        SEARCH_CONSTRAINTS,
        {
            "n_neighbors": n_neighbors,
            "n_lags": n_lags,
            "theiler": theiler,
            "engine": engine,
            "n_jobs": n_jobs,
        },
        caller_name="nearest_neighbors",
    )
    series = check_sequences(check_matrix(X, largest=np.inf), groups)
    others = _find_library(library, library_groups, n_lags)
    n_others = n_neighbors if others is None else 0
    states = find_states(series, n_lags, n_neighbors=n_others)
    return search(
        states, n_neighbors, library=others, theiler=theiler, engine=engine, n_jobs=n_jobs
    )


def _find_library(library: Any, groups: ArrayLike | None, n_lags: int) -> States | None:
    if library is None:
        if groups is not None:
            raise GroupsError(
                "library_groups are ids of a library's rows, but there is no library. Give the "
                "ids of X's rows as groups."
            )
        return None
    try:
        matrix = check_matrix(library, largest=np.inf, name="library")
        series = check_sequences(matrix, groups, name="library")
        return find_states(series, n_lags, n_neighbors=0)
    except (GroupsError, ShortSequencesError) as error:  # their messages do not name the library
        raise type(error)(f"in the library, {error}") from None
