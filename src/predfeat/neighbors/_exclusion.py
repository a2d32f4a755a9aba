"""The states that may not be a query's neighbours: itself, and its Theiler window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import IntArray
from predfeat.exceptions import TooFewStatesError
from predfeat.series import States

__all__ = ["Exclusion", "fewest_candidates", "find_exclusion"]


@dataclass(frozen=True)
class Exclusion:
    """For every query, the library positions first … stop-1 that may not be its neighbours."""

    first: IntArray
    stop: IntArray

    @property
    def widest(self) -> int:
        """The most positions excluded for one query."""
        return int((self.stop - self.first).max())

    def only(self, positions: IntArray) -> Exclusion:
        """Return the exclusions of some of the queries."""
        return Exclusion(self.first[positions], self.stop[positions])

    @classmethod
    def nothing(cls, n_queries: int) -> Exclusion:
        """Return an exclusion that allows every query all states."""
        nowhere = np.zeros(n_queries, dtype=np.intp)
        return cls(nowhere, nowhere)


def find_exclusion(queries: States, library: States, n_neighbors: int, theiler: int) -> Exclusion:
    """Find the excluded positions, and check that enough others remain.

    Nothing is excluded from a library of another series.
    """
    exclusion = _excluded(queries, library, theiler)
    remaining = _remaining(exclusion, library)
    worst = int(np.argmin(remaining))
    if remaining[worst] < n_neighbors:
        if queries.series is not library.series:
            raise TooFewStatesError(
                f"n_neighbors={n_neighbors} needs that many states in the library, but with "
                f"n_lags={library.n_lags} it has {len(library)} (n_samples="
                f"{library.series.n_rows}). Use at most n_neighbors={len(library)}, fewer lags or "
                "a larger library."
            )
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} with theiler={theiler} leaves the state at row "
            f"{queries.times[worst]} only {remaining[worst]} of {len(library)} states to choose "
            f"from. Use a smaller theiler, fewer neighbors (at most {remaining[worst]}) or more "
            "data."
        )
    return exclusion


def fewest_candidates(states: States, theiler: int) -> int:
    """Return how many neighbours every state can have.

    Parameters
    ----------
    states : States
        As `predfeat.series.find_states` returns them.
    theiler : int
        The window excluded around each state.

    Returns
    -------
    int
        The largest `n_neighbors` that every state can have.

    Examples
    --------
    >>> from predfeat.neighbors import fewest_candidates
    >>> from predfeat.series import check_sequences, find_states
    >>> states = find_states(check_sequences([[0.0]] * 10), n_lags=1, n_neighbors=0)
    >>> fewest_candidates(states, theiler=0), fewest_candidates(states, theiler=2)
    (9, 5)
    """
    return int(_remaining(_excluded(states, states, theiler), states).min())


def _excluded(queries: States, library: States, theiler: int) -> Exclusion:
    """Return the window around each query: one range, because states are in time order."""
    series = queries.series
    if series is not library.series:
        return Exclusion.nothing(len(queries))
    times = queries.times
    theiler = min(theiler, series.n_rows)  # wider changes nothing, and would overflow int
    first = np.maximum(times - theiler, series.sequence_first[times])
    last = np.minimum(times + theiler, series.sequence_last[times])
    return Exclusion(
        np.searchsorted(library.times, first, side="left"),
        np.searchsorted(library.times, last, side="right"),
    )


def _remaining(exclusion: Exclusion, library: States) -> IntArray:
    remaining: IntArray = len(library) - (exclusion.stop - exclusion.first)
    return remaining
