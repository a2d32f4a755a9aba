"""Which states may not be a state's neighbours: itself, and its Theiler window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import IntArray
from predfeat.exceptions import TooFewStatesError
from predfeat.series import States

__all__ = ["Exclusion", "fewest_candidates", "find_exclusion"]


@dataclass(frozen=True)
class Exclusion:
    """For every state the positions first … stop-1 that are no neighbours of it."""

    first: IntArray
    stop: IntArray


def find_exclusion(states: States, n_neighbors: int, theiler: int) -> Exclusion:
    """Find the excluded positions, and make sure that enough others remain.

    States are ordered in time, so that the window around a state is one range of positions.
    """
    times = states.times
    exclusion = _excluded(states, theiler)
    remaining = _remaining(exclusion)
    worst = int(np.argmin(remaining))
    if remaining[worst] < n_neighbors:
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} with theiler={theiler} leaves the state at row "
            f"{times[worst]} only {remaining[worst]} of {len(times)} states to choose from. "
            f"Use a smaller theiler, fewer neighbors (at most {remaining[worst]}) or more data."
        )
    return exclusion


def fewest_candidates(states: States, theiler: int) -> int:
    """Return how many neighbours every state can have."""
    return int(_remaining(_excluded(states, theiler)).min())


def _excluded(states: States, theiler: int) -> Exclusion:
    times, series = states.times, states.series
    theiler = min(theiler, series.n_rows)  # wider is the same, and would leave the range of int
    first = np.maximum(times - theiler, series.sequence_first[times])
    last = np.minimum(times + theiler, series.sequence_last[times])
    return Exclusion(
        np.searchsorted(times, first, side="left"), np.searchsorted(times, last, side="right")
    )


def _remaining(exclusion: Exclusion) -> IntArray:
    remaining: IntArray = len(exclusion.first) - (exclusion.stop - exclusion.first)
    return remaining
