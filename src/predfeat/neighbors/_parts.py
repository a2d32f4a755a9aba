"""A search in a library that comes in parts: the nearest of each part, and of all.

The nearest of all parts are among the nearest of each, so parts can be searched in any order and
in any place. States have the same distance, to the last bit, in whatever part they are. Among tied
ones those are taken that come first on the circle (`_crowds`), on which each part spreads its own
states; then those of the earlier rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._crowds import steps_ahead
from predfeat.neighbors._exclusion import Exclusion
from predfeat.neighbors._search import answered
from predfeat.neighbors._table import NeighborTable
from predfeat.series import States

__all__ = ["Asked", "Nearest", "nearest_in_part"]


@dataclass(frozen=True, eq=False)
class Asked:
    """The states that ask the parts of a library.

    Attributes
    ----------
    states : States
        The queries, in a series of their own.
    times : ndarray of int, shape (n_queries,)
        The row of each in the whole series.
    forbidden_first, forbidden_stop : ndarray of int, shape (n_queries,)
        Rows of the whole series whose states may not be a query's neighbours: its own, and its
        Theiler window.
    """

    states: States
    times: IntArray
    forbidden_first: IntArray
    forbidden_stop: IntArray

    def __len__(self) -> int:
        return len(self.times)

    def only(self, positions: IntArray) -> Asked:
        """Return some of the queries."""
        states = States(self.states.series, self.states.times[positions], self.states.n_lags)
        return Asked(
            states,
            self.times[positions],
            self.forbidden_first[positions],
            self.forbidden_stop[positions],
        )

    def moved(self, rows: FloatArray) -> Asked:
        """Return the same queries in another space."""
        states = self.states
        return replace(
            self, states=States(states.series.with_rows(rows), states.times, states.n_lags)
        )


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest states that are known so far of every query.

    Attributes
    ----------
    rows : ndarray of int, shape (n_queries, n_neighbors)
        Rows of the whole series, nearest first; -1 where too few states are known.
    squared : ndarray of float, shape (n_queries, n_neighbors)
        Squared distances; infinite where there is no state.
    steps : ndarray of int, shape (n_queries, n_neighbors)
        How far round the circle each lies from its query.
    """

    rows: IntArray
    squared: FloatArray
    steps: IntArray

    @classmethod
    def nothing(cls, n_queries: int, n_neighbors: int) -> Nearest:
        """Return what is known before the first part."""
        shape = (n_queries, n_neighbors)
        return cls(
            np.full(shape, -1, dtype=np.int64),
            np.full(shape, np.inf),
            np.zeros(shape, dtype=np.int64),
        )

    def combined(self, other: Nearest) -> Nearest:
        """Return the nearest of both. The order of parts does not matter."""
        rows = np.hstack([self.rows, other.rows])
        squared = np.hstack([self.squared, other.squared])
        steps = np.hstack([self.steps, other.steps])
        best = np.lexsort((rows, steps, squared), axis=1)[:, : self.rows.shape[1]]
        return Nearest(
            np.take_along_axis(rows, best, axis=1),
            np.take_along_axis(squared, best, axis=1),
            np.take_along_axis(steps, best, axis=1),
        )

    def table(self, times: IntArray) -> NeighborTable:
        """Return the neighbours as a table, once all parts have been searched."""
        return NeighborTable(times, self.rows, np.sqrt(self.squared))


def nearest_in_part(
    asked: Asked,
    library: States,
    first_row: int,
    n_neighbors: int,
    *,
    engine: str = "auto",
    n_jobs: int | None = None,
) -> Nearest:
    """Find the nearest states of every query in one part of a library.

    Parameters
    ----------
    asked : Asked
    library : States
        The states of this part.
    first_row : int
        The row of the whole series that is row 0 of this part.
    n_neighbors : int
        Neighbours of each query. Where the part has fewer, all of them are returned.
    engine, n_jobs
        As in `search`.

    Returns
    -------
    Nearest

    Examples
    --------
    The states of four rows, in two parts, ask all of them:

    >>> import numpy as np
    >>> from predfeat.neighbors import Asked, Nearest, nearest_in_part
    >>> from predfeat.series import check_sequences, find_states
    >>> X = np.array([[0.0], [5.0], [0.5], [5.2]])
    >>> states = find_states(check_sequences(X), n_lags=1, n_neighbors=1)
    >>> rows = np.arange(4)
    >>> asked = Asked(states, rows, rows, rows + 1)
    >>> found = Nearest.nothing(4, 1)
    >>> for first in (0, 2):
    ...     part = find_states(check_sequences(X[first : first + 2]), n_lags=1, n_neighbors=1)
    ...     found = found.combined(nearest_in_part(asked, part, first, 1))
    >>> found.table(rows).indices.ravel().tolist()
    [2, 3, 0, 1]
    """
    times = library.times + first_row
    excluded = Exclusion(
        np.searchsorted(times, asked.forbidden_first), np.searchsorted(times, asked.forbidden_stop)
    )
    allowed = np.minimum(len(library) - (excluded.stop - excluded.first), n_neighbors)
    found = Nearest.nothing(len(asked), n_neighbors)
    # An engine finds equally many for all: nearly always, that is all that are wanted.
    for count in np.unique(allowed[allowed > 0]).tolist():
        some = np.flatnonzero(allowed == count)
        queries = asked.states if len(some) == len(asked) else asked.only(some).states
        answer = answered(queries, library, count, excluded.only(some), engine, n_jobs)
        squared = np.ldexp(answer.squared, -2 * answer.exponent)
        places = answer.query_places[:, None], answer.library_places[answer.positions]
        found.rows[some, :count] = times[answer.positions]
        found.squared[some, :count] = squared
        found.steps[some, :count] = steps_ahead(*places)
    return found
