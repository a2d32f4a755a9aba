"""The question that an engine answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from predfeat._typing import IntArray
from predfeat.neighbors._exclusion import Exclusion
from predfeat.series import States

__all__ = ["Question"]


@dataclass(frozen=True)
class Question:
    """Which states of a library are the nearest to each query?

    Attributes
    ----------
    queries : States
        The states that ask.
    library : States
        The states that may be neighbours; the same object if states search among themselves. Both
        are multiplied by one power of two, such that squares stay in the range of floats.
    n_neighbors : int
        Neighbours per query. Every query has at least this many states that are not excluded.
    excluded : Exclusion
        For query i, the positions excluded.first[i] … excluded.stop[i] - 1 of the library are not
        neighbours: the query itself and its Theiler window.
    query_places, library_places : ndarray of int
        Places of queries and states on the circle by which ties are broken; see
        `nearest_neighbors`.
    guess : ndarray of int, shape (n_queries, n_neighbors), optional
        Rows of allowed states that may be near. An engine may ignore it.
    """

    queries: States
    library: States
    n_neighbors: int
    excluded: Exclusion
    query_places: IntArray
    library_places: IntArray
    guess: IntArray | None = None

    @property
    def is_within(self) -> bool:
        """Whether the states search among themselves."""
        return self.queries is self.library

    def only(self, positions: IntArray) -> Question:
        """Return the same question for some of the queries."""
        queries = self.queries
        return replace(
            self,
            queries=States(queries.series, queries.times[positions], queries.n_lags),
            excluded=self.excluded.only(positions),
            query_places=self.query_places[positions],
            guess=None if self.guess is None else self.guess[positions],
        )
