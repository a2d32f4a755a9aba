"""Neighbours when many states are equal: search among the distinct ones, then draw.

All members of a crowd see the same crowds at the same distances. So the engines search one state of
each crowd. Every member then takes the members of its nearest crowds, and from the last of these
only as many as it still needs. A search costs as much as its distinct states, however many equal
ones there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._crowds import Crowds, steps_ahead
from predfeat.neighbors._exclusion import Exclusion
from predfeat.neighbors._question import Question
from predfeat.series import States

__all__ = ["search_crowded"]

_SPARE_CROWDS = 4  # searched beyond k, so that ties at the border are usually seen completely
_RETRY_FACTOR = 8  # times as many crowds if that was not enough
_PAIRS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class _Crowded:
    """A question, and the crowds of its queries and of its library."""

    question: Question
    queries: Crowds
    library: Crowds

    @property
    def n_others(self) -> int:
        """How many crowds can be found, the query's own not counted."""
        return len(self.library) - (1 if self.question.is_within else 0)

    def between_crowds(self) -> Question:
        """Return the question for one state of each crowd; only the crowd itself is excluded."""
        question = self.question
        library = _first_of(self.library, question.library)
        if question.is_within:
            queries, numbers = library, np.arange(len(self.library))
            excluded = Exclusion(numbers, numbers + 1)
        else:
            queries = _first_of(self.queries, question.queries)
            excluded = Exclusion.nothing(len(self.queries))
        return Question(
            queries,
            library,
            question.n_neighbors,
            excluded,
            self.queries.places[self.queries.first],
            self.library.places[self.library.first],
        )


@dataclass(frozen=True)
class _Near:
    """The nearest crowds of some crowds, their own first, and their squared distances."""

    asking: IntArray  # ascending
    crowds: IntArray
    squared: FloatArray


def search_crowded(
    question: Question,
    query_crowds: Crowds,
    library_crowds: Crowds,
    n_threads: int,
    ask: Callable[[Question], tuple[IntArray, FloatArray]],
) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest states of each query.

    `ask` makes an engine search the distinct states, one of each crowd.
    """
    crowded = _Crowded(question, query_crowds, library_crowds)
    different = crowded.between_crowds()
    n_queries, n_neighbors = len(question.queries), question.n_neighbors
    found = np.empty((n_queries, n_neighbors), np.intp), np.empty((n_queries, n_neighbors))
    n_asked = min(n_neighbors + _SPARE_CROWDS, crowded.n_others)
    everyone = np.arange(len(query_crowds))
    answer = ask(replace(different, n_neighbors=n_asked)) if n_asked else _nobody(len(everyone))
    left = np.arange(n_queries)
    left = _draw(crowded, _near(question, everyone, *answer), left, *found)
    while len(left):
        n_asked = min(_RETRY_FACTOR * n_asked, crowded.n_others)
        more = replace(different, n_neighbors=n_asked)
        undecided = []
        for asking in _parts(np.unique(query_crowds.number[left]), n_asked):
            answer = search_blockwise(more.only(asking), n_threads)
            some = left[np.isin(query_crowds.number[left], asking)]
            undecided.append(_draw(crowded, _near(question, asking, *answer), some, *found))
        left = np.concatenate(undecided)
    return found


def _first_of(crowds: Crowds, states: States) -> States:
    return States(states.series, states.times[crowds.first], states.n_lags)


def _nobody(n_crowds: int) -> tuple[IntArray, FloatArray]:
    return np.empty((n_crowds, 0), np.intp), np.empty((n_crowds, 0))


def _near(question: Question, asking: IntArray, crowds: IntArray, squared: FloatArray) -> _Near:
    if question.is_within:
        crowds = np.column_stack([asking, crowds])
        squared = np.column_stack([np.zeros(len(asking)), squared])
    return _Near(asking, crowds, squared)


def _parts(items: IntArray, n_pairs_each: int) -> Iterator[IntArray]:
    step = max(1, _PAIRS_AT_ONCE // n_pairs_each)
    for start in range(0, len(items), step):
        yield items[start : start + step]


def _draw(
    crowded: _Crowded, near: _Near, queries: IntArray, positions: IntArray, squared: FloatArray
) -> IntArray:
    """Fill in the neighbours of some queries; return the queries that need more crowds."""
    n_neighbors, n_near = positions.shape[1], near.crowds.shape[1]
    crowds, excluded = crowded.library, crowded.question.excluded
    undecided = [queries[:0]]
    largest = n_neighbors + min(excluded.widest, int(crowds.size.max()))
    for some in _parts(queries, n_near * largest):
        row = np.searchsorted(near.asking, crowded.queries.number[some])
        candidates, distances = near.crowds[row], near.squared[row]
        n_excluded = _count_excluded(crowded, some, candidates)
        n_allowed = crowds.size[candidates] - n_excluded
        enough = np.cumsum(n_allowed, axis=1) >= n_neighbors
        border = np.take_along_axis(distances, np.argmax(enough, axis=1)[:, None], axis=1)
        decided = enough[:, -1]
        if n_near < len(crowds):  # a crowd that was not found may be tied with the last one
            decided &= border[:, 0] < distances[:, -1]
        undecided.append(some[~decided])
        owner, column = np.nonzero((distances <= border) & (n_allowed > 0) & decided[:, None])
        places = crowded.queries.places[some]
        pair, members = _next_members(
            crowds,
            candidates[owner, column],
            places[owner],
            n_neighbors + n_excluded[owner, column],
        )
        owner, distance = owner[pair], distances[owner, column][pair]
        allowed = (members < excluded.first[some[owner]]) | (members >= excluded.stop[some[owner]])
        owner, members, distance = owner[allowed], members[allowed], distance[allowed]
        order = _in_order(owner, distance, places[owner], members, crowds)
        first = np.searchsorted(owner[order], np.flatnonzero(decided))
        best = order[first[:, None] + np.arange(n_neighbors)]
        positions[some[decided]], squared[some[decided]] = members[best], distance[best]
    return np.concatenate(undecided)


def _in_order(
    owner: IntArray, distance: FloatArray, place: IntArray, members: IntArray, crowds: Crowds
) -> IntArray:
    """Return the order by owner, distance, steps round the circle and position.

    The pairs of each owner come crowd by crowd, the nearest crowd first, and each crowd's members
    in their order round the circle. So only crowds at equal distances have to be merged.
    """
    order = np.arange(len(owner))
    crowd = crowds.number[members]
    tied = (owner[1:] == owner[:-1]) & (distance[1:] == distance[:-1]) & (crowd[1:] != crowd[:-1])
    if tied.any():
        concerned = np.zeros(int(owner[-1]) + 1, dtype=bool)
        concerned[owner[1:][tied]] = True
        some = np.flatnonzero(concerned[owner])
        steps = steps_ahead(place[some], crowds.places[members[some]])
        order[some] = some[np.lexsort((members[some], steps, distance[some], owner[some]))]
    return order


def _count_excluded(crowded: _Crowded, queries: IntArray, candidates: IntArray) -> IntArray:
    """Return how many members of each of a query's candidate crowds may not be its neighbours."""
    excluded = crowded.question.excluded.only(queries)
    if excluded.widest == 0:
        return np.zeros_like(candidates)
    first, stop = excluded.first[:, None], excluded.stop[:, None]
    if crowded.question.is_within and np.all(stop - first == 1):  # the state itself
        return np.asarray(candidates == crowded.queries.number[queries, None], dtype=np.intp)
    return crowded.library.count_between(candidates, first, stop)


def _next_members(
    crowds: Crowds, crowd: IntArray, place: IntArray, n_wanted: IntArray
) -> tuple[IntArray, IntArray]:
    """Return up to this many members of each crowd, from a place on, and which query gets them."""
    size = crowds.size[crowd]
    n_taken = np.minimum(size, n_wanted)
    pair = np.repeat(np.arange(len(crowd)), n_taken)
    step = np.arange(len(pair)) - np.repeat(np.cumsum(n_taken) - n_taken, n_taken)
    rank = (crowds.next_rank(crowd, place)[pair] + step) % size[pair]
    return pair, crowds.members[crowds.start[crowd[pair]] + rank]
