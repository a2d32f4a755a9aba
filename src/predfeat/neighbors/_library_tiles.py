"""The compiled exact search in a library that is not the queries themselves.

Squared distances of states come from matrix products in float32, tile by tile, and each query keeps
a short list of the nearest states. Candidates are compared again in float64; a query for which the
list may have been too short, within the rounding of float32, is searched again by the blockwise
engine. So the result is exact, and does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from predfeat._progress import ticker
from predfeat._threads import map_blocks
from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._narrow import embed_narrow, narrow_sides
from predfeat.neighbors._question import Question
from predfeat.neighbors._ranking import nearest_of_candidates, squared_distances
from predfeat.series import States

__all__ = ["search_library"]

_TILE = (256, 1024)  # queries and states: a megabyte of float32, a core's second cache
_QUERIES_AT_ONCE = 8192  # beside one pass over the library
_SPARE_CANDIDATES = 2  # kept beyond k
_ROUNDING = 2.0**-24


def search_library(question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the library's nearest states of each query."""
    sides = _sides(question)
    first_limits = _first_limits(question, sides)
    n_queries = len(question.queries)
    n_kept = question.n_neighbors + _SPARE_CANDIDATES
    limits = first_limits.copy()
    distances = np.full((n_queries, n_kept), np.inf, dtype=np.float32)
    positions = np.full((n_queries, n_kept), -1, dtype=np.int64)
    # With fewer queries than that for each thread, every thread takes its share.
    at_once = min(_QUERIES_AT_ONCE, -(-n_queries // n_threads))
    starts = list(range(0, n_queries, at_once))
    tick = ticker(len(starts) * sides.n_blocks)

    def work(start: int) -> None:
        part = slice(start, min(start + at_once, n_queries))
        for _ in _scanned(question, sides, part, limits, distances, positions):
            tick()

    map_blocks(work, starts, n_threads)
    return _settled(question, sides, first_limits, distances, positions, n_threads)


@dataclass(frozen=True)
class _Sides:
    """Queries and library in float32, around the library's mean and scaled to at most 1.

    Attributes
    ----------
    queries, library : ndarray of float32, shape (n_rows, n_columns)
        Rows of each series; gaps are zero.
    query_norms, library_norms : ndarray of float64
        Squared length of each state.
    unit : float
        Squared distances here, divided by those of the question.
    """

    question: Question
    queries: AnyArray
    library: AnyArray
    query_norms: FloatArray
    library_norms: FloatArray
    unit: float

    @property
    def n_blocks(self) -> int:
        return -(-len(self.question.library) // _TILE[1])

    @property
    def relative_error(self) -> float:
        """The rounding of products of N·p + 2 terms, rounded input and norms; as in `_tiles`."""
        return 2.0 * (self.question.library.dimension + 10) * _ROUNDING

    def left(self, part: slice) -> AnyArray:
        """Return -2a, |a|², 1 for some queries, so that left · right is |a - b|²."""
        return _embedded(self.queries, self.question.queries, part, self.query_norms, -2.0, 0)

    def right(self, part: slice) -> AnyArray:
        """Return b, 1, |b|² for some states of the library."""
        return _embedded(self.library, self.question.library, part, self.library_norms, 1.0, 1)

    def error(self, reach: FloatArray) -> FloatArray:
        """Return the largest float32 error for states no farther than `reach` from each query.

        Such a state is itself at most |a| + reach long.
        """
        own = self.query_norms
        error: FloatArray = self.relative_error * (own + (np.sqrt(own) + reach) ** 2)
        return error


def _sides(question: Question) -> _Sides:
    queries, library = question.queries, question.library
    asking, narrow, exponent = narrow_sides(queries.series, library.series)
    return _Sides(
        question,
        asking,
        narrow,
        _state_norms(asking, queries),
        _state_norms(narrow, library),
        float(np.ldexp(1.0, 2 * exponent)),
    )


def _state_norms(narrow: AnyArray, states: States) -> FloatArray:
    of_rows = np.einsum("ij,ij->i", narrow, narrow, dtype=np.float64)
    norms: FloatArray = sum(
        (of_rows[states.times - lag] for lag in range(states.n_lags)), np.zeros(len(states))
    )
    return norms


def _embedded(
    narrow: AnyArray, states: States, part: slice, norms: FloatArray, factor: float, norm_at: int
) -> AnyArray:
    embedded = embed_narrow(narrow, states, states.times[part], spare=2)
    if factor != 1.0:
        embedded[:, :-2] *= np.float32(factor)
    embedded[:, states.dimension + norm_at] = norms[part]
    return embedded


def _first_limits(question: Question, sides: _Sides) -> AnyArray:
    """Limit each query's search by its distance to the states that were guessed.

    The k-th nearest is no farther than the farthest of any k others.
    """
    n_queries = len(question.queries)
    if question.guess is None:
        return np.full(n_queries, np.inf, dtype=np.float32)
    guessed = np.searchsorted(question.library.times, question.guess)
    owner = np.repeat(np.arange(n_queries), guessed.shape[1])
    squared = squared_distances(question.queries, question.library, owner, guessed.ravel())
    farthest = squared.reshape(guessed.shape).max(axis=1) * sides.unit
    # One error for the distance in float32, one more to be sure of the result, and a rounding.
    limits: AnyArray = (farthest + 2.5 * sides.error(np.sqrt(farthest))) * (1.0 + 1e-6)
    return limits.astype(np.float32)


def _scanned(
    question: Question,
    sides: _Sides,
    part: slice,
    limits: AnyArray,
    distances: AnyArray,
    positions: IntArray,
) -> Iterator[None]:
    """Fill the lists of some queries; yield after each block of the library."""
    from predfeat.neighbors._library_kernels import CHUNK, scan_library

    height, width = _TILE
    asked = sides.left(part)
    products = np.empty(height * width, dtype=np.float32)
    marks = np.zeros(-(-width // CHUNK) * CHUNK, dtype=np.uint8)
    excluded = question.excluded
    for column in range(0, len(question.library), width):
        block = sides.right(slice(column, min(column + width, len(question.library))))
        marks[:] = 0
        for row in range(0, len(asked), height):
            some = asked[row : row + height]
            base = products[: len(some) * len(block)].reshape(len(some), len(block))
            np.matmul(some, block.T, out=base)
            scan_library(
                base,
                part.start + row,
                column,
                excluded.first,
                excluded.stop,
                limits,
                distances,
                positions,
                marks,
                marks.view(np.uint64),
            )
        yield


def _settled(
    question: Question,
    sides: _Sides,
    first_limits: AnyArray,
    distances: AnyArray,
    positions: IntArray,
    n_threads: int,
) -> tuple[IntArray, FloatArray]:
    """Rank the candidates in float64, and search again where the lists may be too short."""
    owner, place = np.nonzero(positions >= 0)
    nearest, squared = nearest_of_candidates(question, owner, positions[owner, place])
    reach = squared[:, -1] * sides.unit
    # A state that is in no list was at least that far away, in float32.
    beyond = np.minimum(first_limits, distances[:, -1])
    again = np.flatnonzero(~(beyond > reach + sides.error(np.sqrt(reach))))
    if len(again):
        nearest[again], squared[again] = search_blockwise(question.only(again), n_threads)
    return nearest, squared
