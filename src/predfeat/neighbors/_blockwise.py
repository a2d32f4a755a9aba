"""The exact engine in plain NumPy: BLAS finds candidates block by block, differences decide.

The squared distance is |a|² + |b|² - 2 a·b, and the products of a whole block are one matrix
product. This form loses digits when states are close compared with their length. Its error is
bounded, and every state within the bound of the k-th nearest stays a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from predfeat._progress import ticker
from predfeat._threads import map_blocks
from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._exclusion import Exclusion
from predfeat.neighbors._question import Question
from predfeat.neighbors._ranking import nearest_of_candidates
from predfeat.series import Sequences, States

__all__ = ["BLOCKWISE", "search_blockwise"]

_TILE_NUMBERS = 1 << 22  # 32 MB of distances at once, for each thread
_EMBEDDED_NUMBERS = 1 << 22  # 32 MB of embedded states at once
# Queries at once. A library that does not fit into a tile is embedded again for each block of them.
_MANY_QUERIES = 1024
# The k-th smallest of the minima of n/32 folds bounds the k-th smallest of all. It is a power of
# two because it is halved when there would be too few folds.
_FOLD = 32


class _Blockwise(Engine):
    """`search_blockwise`, and the total time it took."""

    name = "blockwise"
    is_exact = True
    takes_library = True

    def __init__(self) -> None:
        self.seconds_spent = 0.0  # on searches that the compiled engine could have done

    def expected_seconds(self, queries: States, library: States, at_most: float = np.inf) -> float:
        """Return 15 + 0.007 S microseconds for each query, more for very wide rows."""
        width = max(1.0, (100 + library.series.n_columns) / 375)
        return 1e-6 * len(queries) * (15.0 + 0.007 * len(library)) * width

    def search(self, question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
        started = perf_counter()
        found = search_blockwise(question, n_threads)
        if question.is_within:
            self.seconds_spent += perf_counter() - started
        return found


BLOCKWISE = _Blockwise()


def search_blockwise(question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest states of each query."""
    n_queries = len(question.queries)
    centred = _centred(question)
    fit_beside_all = _TILE_NUMBERS // _padded(len(question.library))
    n_rows = max(1, min(n_queries, max(fit_beside_all, _MANY_QUERIES)))
    starts = list(range(0, n_queries, n_rows))
    tick = ticker(len(starts))

    def work(start: int) -> tuple[IntArray, FloatArray]:
        found = _search_block(question, centred, start, min(start + n_rows, n_queries))
        tick()
        return found

    results = map_blocks(work, starts, n_threads)
    return np.concatenate([r[0] for r in results]), np.concatenate([r[1] for r in results])


@dataclass(frozen=True)
class _Centred:
    """Queries and library, shifted to the library's middle: offsets cost the products digits.

    These only serve to find candidates; distances come from the original samples.
    """

    queries: States
    library: States
    squared_norms: FloatArray  # of the library's states
    embedded: FloatArray | None  # the whole library if it is small, shared by all blocks

    def library_blocks(self, n_queries: int) -> Iterator[tuple[slice, FloatArray]]:
        """Yield parts of the library, small enough for a tile with that many queries."""
        most = max(_FOLD, _TILE_NUMBERS // n_queries)
        for part, block in _embedded_blocks(self.library, self.embedded):
            for start in range(part.start, part.stop, most):
                stop = min(start + most, part.stop)
                yield slice(start, stop), block[start - part.start : stop - part.start]


def _centred(question: Question) -> _Centred:
    queries, library = question.queries, question.library
    middle = np.median(library.series.samples, axis=0)
    moved = _moved(library.series, middle)
    asking = moved if queries.series is library.series else _moved(queries.series, middle)
    states = States(moved, library.times, library.n_lags)
    is_small = len(library) * library.dimension <= _EMBEDDED_NUMBERS
    embedded = states.embed() if is_small else None
    blocks = _embedded_blocks(states, embedded)
    squared_norms = np.concatenate([_squared_norms(block) for _, block in blocks])
    return _Centred(States(asking, queries.times, queries.n_lags), states, squared_norms, embedded)


def _moved(series: Sequences, middle: FloatArray) -> Sequences:
    rows = series.rows - middle
    rows[~series.valid] = 0.0
    return series.with_rows(rows)


def _squared_norms(embedded: FloatArray) -> FloatArray:
    norms: FloatArray = np.einsum("ij,ij->i", embedded, embedded)
    return norms


def _embedded_blocks(
    states: States, embedded: FloatArray | None
) -> Iterator[tuple[slice, FloatArray]]:
    if embedded is not None:
        yield slice(0, len(states)), embedded
        return
    step = max(1, _EMBEDDED_NUMBERS // states.dimension)
    for start in range(0, len(states), step):
        stop = min(start + step, len(states))
        yield slice(start, stop), states.embed(start, stop)


def _search_block(
    question: Question, centred: _Centred, start: int, stop: int
) -> tuple[IntArray, FloatArray]:
    """Search for the queries start … stop - 1.

    The library comes in blocks. What was seen so far bounds the distance of the k-th nearest, and
    whatever lies within the bound stays a candidate; in the end, those within the last bound.
    """
    part = question.only(np.arange(start, stop))
    asked = centred.queries.embed(start, stop)
    own_norms = _squared_norms(asked)
    asked *= -2.0
    smallest = np.full((stop - start, question.n_neighbors), np.inf)
    found: list[tuple[IntArray, IntArray, FloatArray]] = []
    for columns, block in centred.library_blocks(stop - start):
        tile = _tile(asked, block, centred.squared_norms[columns], part.excluded, columns)
        minima = _fold_minima(tile, question.n_neighbors)
        smallest = _k_smallest(np.hstack([smallest, minima]), question.n_neighbors)
        near = tile <= _limit(smallest, own_norms, question)[:, None]
        owner, candidates = np.divmod(np.flatnonzero(near), tile.shape[1])
        found.append((owner, candidates + columns.start, tile[owner, candidates]))
    owner, candidates, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if len(found) > 1:
        near = values <= _limit(smallest, own_norms, question)[owner]
        owner, candidates = owner[near], candidates[near]
    return nearest_of_candidates(part, owner, candidates)


def _tile(
    asked: FloatArray, block: FloatArray, norms: FloatArray, excluded: Exclusion, columns: slice
) -> FloatArray:
    """Return |b|² - 2 a·b for all pairs: leaving out |a|² does not change a row's order."""
    tile = np.empty((len(asked), _padded(len(block))))
    tile[:, len(block) :] = np.inf
    np.matmul(asked, block.T, out=tile[:, : len(block)])
    tile[:, : len(block)] += norms
    first = np.maximum(excluded.first, columns.start) - columns.start
    end = np.minimum(excluded.stop, columns.stop) - columns.start
    for row in np.flatnonzero(first < end):
        tile[row, first[row] : end[row]] = np.inf
    return tile


def _padded(n_states: int) -> int:
    return -(-n_states // _FOLD) * _FOLD


def _fold_minima(tile: FloatArray, k: int) -> FloatArray:
    """Return the minima of folds of each row, or the row itself if it is short.

    k folds whose minima are at most b hold k numbers that are at most b: the k-th smallest of the
    minima is an upper bound of the k-th smallest number, and a tight one for long rows.
    """
    n_rows, n_columns = tile.shape
    fold = _FOLD
    while fold > 1 and n_columns // fold < 4 * k:
        fold //= 2
    minima: FloatArray = tile.reshape(n_rows, fold, n_columns // fold).min(axis=1)
    return minima


def _k_smallest(numbers: FloatArray, k: int) -> FloatArray:
    """Return the k smallest numbers of each row, the largest of them last."""
    smallest: FloatArray = np.partition(numbers, k - 1, axis=1)[:, :k]
    return smallest


def _limit(smallest: FloatArray, own_norms: FloatArray, question: Question) -> FloatArray:
    """Return up to where a number may belong to one of the nearest states."""
    reach = smallest[:, -1]
    limit: FloatArray = reach + _slack(reach, own_norms, question.library.dimension)
    return np.minimum(limit, np.finfo(float).max)


def _slack(reach: FloatArray, squared_norms: FloatArray, dimension: int) -> FloatArray:
    """Return how far rounding can have moved a neighbour's value beyond `reach`.

    A state at distance r from a state of length |a| is itself at most |a| + r long. So the
    products and norms involved are at most (|a| + r)², each with a relative error of at most
    (dimension + 4) roundings, centring included. The factor 8 covers both sides twice.
    """
    distance = np.sqrt(np.maximum(reach + squared_norms, 0.0))
    largest = (np.sqrt(squared_norms) + distance) ** 2
    slack: FloatArray = 8.0 * (dimension + 4) * np.finfo(np.float64).eps * largest
    return slack
