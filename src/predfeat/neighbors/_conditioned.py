"""Neighbours that also have something in common: the same class, or similar values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import TooFewStatesError
from predfeat.neighbors._search import search
from predfeat.neighbors._table import NeighborTable
from predfeat.series import Classes, States

__all__ = ["search_beside_values", "search_within_classes"]

_NAMED = 5  # classes that an error message lists


def search_within_classes(
    states: States,
    classes: Classes,
    n_neighbors: int,
    *,
    guess: IntArray | None = None,
    by: Callable[..., NeighborTable] = search,
    **options: Any,
) -> NeighborTable:
    """Find the nearest states of every state among those of its own class.

    Parameters
    ----------
    states : States
    classes : Classes
        The class of each state. States without one have no neighbours and are nobody's.
    n_neighbors : int
        Neighbours per state. A class with any states needs more than this.
    guess : ndarray of int, optional
        As in `search`, for the states that have a class.
    by : callable, default=search
        Searches the states of one class.
    **options
        Further options of the search.

    Returns
    -------
    NeighborTable
        For the states that have a class.

    Raises
    ------
    TooFewStatesError
        Some classes have too few states, or no state has a class.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.neighbors import search_within_classes
    >>> from predfeat.series import Classes, check_sequences, find_states
    >>> states = find_states(check_sequences([[0.0], [1.0], [2.0], [5.0]]), 1, n_neighbors=1)
    >>> classes = Classes(np.array([0, 1, 0, 1]), ("left", "right"))
    >>> search_within_classes(states, classes, 1).indices.ravel().tolist()
    [2, 3, 0, 1]
    """
    _refuse_small(classes, n_neighbors, states.n_lags)
    members = np.argsort(classes.codes, kind="stable")[np.count_nonzero(classes.codes < 0) :]
    place = np.cumsum(classes.codes >= 0) - 1  # among the states that have a class
    indices = np.empty((len(members), n_neighbors), dtype=np.intp)
    distances = np.empty((len(members), n_neighbors))
    for of_class in np.split(members, np.cumsum(classes.sizes)[:-1]):
        if of_class.size == 0:  # such as an action that nothing follows
            continue
        own = place[of_class]
        found = by(
            States(states.series, states.times[of_class], states.n_lags),
            n_neighbors,
            guess=None if guess is None else guess[own],
            **options,
        )
        indices[own], distances[own] = found.indices, found.distances
    return NeighborTable(states.times[classes.codes >= 0], indices, distances)


def search_beside_values(
    states: States, values: FloatArray, n_neighbors: int, **options: Any
) -> NeighborTable:
    """Find the nearest states, each with some numbers of its own beside its samples.

    The squared distance of two states is that of their samples plus that of their numbers.

    Parameters
    ----------
    states : States
    values : ndarray of shape (n_states, n_numbers)
        The numbers of each state, in the scale of the samples. States with a NaN have no neighbours
        and are nobody's.
    n_neighbors : int
    **options
        Further options of `search`.

    Returns
    -------
    NeighborTable
        For the states that have numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.neighbors import search_beside_values
    >>> from predfeat.series import check_sequences, find_states
    >>> states = find_states(check_sequences([[0.0], [1.0], [2.0], [3.0]]), 1, n_neighbors=1)
    >>> beside = np.array([[0.0], [9.0], [0.0], [9.0]])
    >>> search_beside_values(states, beside, 1).indices.ravel().tolist()
    [2, 3, 0, 1]
    """
    known = ~np.isnan(values).any(axis=1)
    times = states.times[known]
    _refuse_few(len(times), n_neighbors, states.n_lags)
    rows = np.zeros((states.series.n_rows, states.dimension + values.shape[1]))
    rows[times, : states.dimension] = States(states.series, times, states.n_lags).embed()
    rows[times, states.dimension :] = values[known]
    return search(States(states.series.with_rows(rows), times, 1), n_neighbors, **options)


def _refuse_few(n_states: int, n_neighbors: int, n_lags: int) -> None:
    if n_states <= n_neighbors:
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} states with an action, "
            f"but with n_lags={n_lags} there are {n_states}. Use fewer neighbors, fewer lags or "
            "more data."
        )


def _refuse_small(classes: Classes, n_neighbors: int, n_lags: int) -> None:
    if not classes.sizes.any():
        _refuse_few(0, n_neighbors, n_lags)
    small = np.flatnonzero((classes.sizes > 0) & (classes.sizes <= n_neighbors))
    if small.size == 0:
        return
    listed = ", ".join(f"{classes.names[c]!r} ({classes.sizes[c]})" for c in small[:_NAMED])
    more = f" and {small.size - _NAMED} more" if small.size > _NAMED else ""
    fewest = int(classes.sizes[small].min())
    advice = "Mark rare actions as missing (None or NaN), or merge them"
    if fewest > 1:
        advice = f"Use at most n_neighbors={fewest - 1}, or mark rare actions as missing (None"
        advice += " or NaN)"
    raise TooFewStatesError(
        f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} states with each action, but "
        f"with n_lags={n_lags} there are fewer with {listed}{more}. {advice}. Actions that are "
        "quantities, not kinds, go into a matrix with one column for each."
    )
