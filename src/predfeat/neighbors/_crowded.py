"""Neighbours where many states are equal: search among the different ones, then draw.

All members of a crowd see the same crowds at the same distances. So the engines search one state of
each crowd, and every member takes the nearest crowds' members, of the last ones as many as are
missing. The cost of a search is that of the different states, however many equal ones there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._crowds import Crowds, steps_ahead
from predfeat.neighbors._exclusion import Exclusion
from predfeat.series import States

__all__ = ["search_crowded"]

Engine = Callable[[States, int, Exclusion, IntArray], tuple[IntArray, FloatArray]]

_SPARE = 4  # crowds asked for beyond k, so that ties at the border are usually seen whole
_MORE = 8  # times as many where that was not enough
_PAIRS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class _Near:
    """The nearest crowds of some crowds, each one's own first, and their squared distances."""

    asking: IntArray  # ascending
    crowds: IntArray
    squared: FloatArray


def search_crowded(
    states: States,
    crowds: Crowds,
    n_neighbors: int,
    exclusion: Exclusion,
    n_jobs: int,
    engine: Engine,
) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest states of each state.

    `engine` searches the different states, one of each crowd.
    """
    n_crowds = len(crowds)
    different = States(states.series, states.times[crowds.first], states.n_lags)
    places = crowds.places[crowds.first]
    itself = Exclusion(np.arange(n_crowds), np.arange(1, n_crowds + 1))
    found = np.empty((len(states), n_neighbors), np.intp), np.empty((len(states), n_neighbors))
    n_asked = min(n_neighbors + _SPARE, n_crowds - 1)
    near = engine(different, n_asked, itself, places) if n_asked else _nobody(n_crowds)
    left = np.arange(len(states))
    left = _draw(crowds, _with_own(np.arange(n_crowds), *near), exclusion, left, *found)
    while len(left):
        n_asked = min(_MORE * n_asked, n_crowds - 1)
        undecided = []
        for asking in _parts(np.unique(crowds.number[left]), n_asked):
            near = search_blockwise(different, n_asked, itself, n_jobs, places, queries=asking)
            some = left[np.isin(crowds.number[left], asking)]
            undecided.append(_draw(crowds, _with_own(asking, *near), exclusion, some, *found))
        left = np.concatenate(undecided)
    return found


def _nobody(n_crowds: int) -> tuple[IntArray, FloatArray]:
    return np.empty((n_crowds, 0), np.intp), np.empty((n_crowds, 0))


def _with_own(asking: IntArray, crowds: IntArray, squared: FloatArray) -> _Near:
    own = np.zeros(len(asking))
    return _Near(asking, np.column_stack([asking, crowds]), np.column_stack([own, squared]))


def _parts(items: IntArray, n_pairs_each: int) -> Iterator[IntArray]:
    step = max(1, _PAIRS_AT_ONCE // n_pairs_each)
    for start in range(0, len(items), step):
        yield items[start : start + step]


def _draw(
    crowds: Crowds,
    near: _Near,
    exclusion: Exclusion,
    states: IntArray,
    positions: IntArray,
    squared: FloatArray,
) -> IntArray:
    """Fill in the neighbours of some states; return those that need to know of more crowds."""
    n_neighbors, n_near = positions.shape[1], near.crowds.shape[1]
    widest = int((exclusion.stop - exclusion.first).max())
    undecided = [states[:0]]
    largest = n_neighbors + min(widest, int(crowds.size.max()))
    for some in _parts(states, n_near * largest):
        row = np.searchsorted(near.asking, crowds.number[some])
        candidates, distances = near.crowds[row], near.squared[row]
        n_excluded = _count_excluded(crowds, exclusion, some, candidates)
        n_allowed = crowds.size[candidates] - n_excluded
        enough = np.cumsum(n_allowed, axis=1) >= n_neighbors
        border = np.take_along_axis(distances, np.argmax(enough, axis=1)[:, None], axis=1)
        decided = enough[:, -1]
        if n_near < len(crowds):  # a crowd that is not among these may be tied with the last
            decided &= border[:, 0] < distances[:, -1]
        undecided.append(some[~decided])
        owner, column = np.nonzero((distances <= border) & (n_allowed > 0) & decided[:, None])
        pair, members = _next_members(
            crowds,
            candidates[owner, column],
            crowds.places[some[owner]],
            n_neighbors + n_excluded[owner, column],
        )
        owner, distance = owner[pair], distances[owner, column][pair]
        allowed = (members < exclusion.first[some[owner]]) | (
            members >= exclusion.stop[some[owner]]
        )
        owner, members, distance = owner[allowed], members[allowed], distance[allowed]
        steps = steps_ahead(crowds.places, some[owner], members)
        order = np.lexsort((members, steps, distance, owner))
        first = np.searchsorted(owner[order], np.flatnonzero(decided))
        best = order[first[:, None] + np.arange(n_neighbors)]
        positions[some[decided]], squared[some[decided]] = members[best], distance[best]
    return np.concatenate(undecided)


def _count_excluded(
    crowds: Crowds, exclusion: Exclusion, states: IntArray, candidates: IntArray
) -> IntArray:
    """Return how many members of each of a state's candidate crowds may not be its neighbours."""
    first, stop = exclusion.first[states, None], exclusion.stop[states, None]
    if np.all(stop - first == 1):  # the state itself
        return np.asarray(candidates == crowds.number[states, None], dtype=np.intp)
    return crowds.count_between(candidates, first, stop)


def _next_members(
    crowds: Crowds, crowd: IntArray, place: IntArray, n_wanted: IntArray
) -> tuple[IntArray, IntArray]:
    """Return up to that many members of each crowd, from a place on, and whose turn they are."""
    size = crowds.size[crowd]
    n_taken = np.minimum(size, n_wanted)
    pair = np.repeat(np.arange(len(crowd)), n_taken)
    step = np.arange(len(pair)) - np.repeat(np.cumsum(n_taken) - n_taken, n_taken)
    rank = (crowds.next_rank(crowd, place)[pair] + step) % size[pair]
    return pair, crowds.members[crowds.start[crowd[pair]] + rank]
