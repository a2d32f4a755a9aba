"""The exact engine in plain NumPy: BLAS finds candidates block by block, differences decide.

The squared distance is |a|² + |b|² - 2 a·b, and the products of a whole block are one matrix
product. That form loses digits where states are close compared with their length; its error is
bounded, and every state within the bound of the k-th nearest stays a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from predfeat._progress import ticker
from predfeat._threads import map_blocks
from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._exclusion import Exclusion
from predfeat.neighbors._ranking import nearest_of_candidates
from predfeat.series import States

__all__ = ["search_blockwise"]

_TILE_NUMBERS = 1 << 22  # 32 MB of distances at once, for each thread
_EMBEDDED_NUMBERS = 1 << 22  # 32 MB of embedded states at once
_FOLD = 32  # the k-th smallest of the minima of n/32 folds bounds the k-th smallest of all


def search_blockwise(
    states: States,
    n_neighbors: int,
    exclusion: Exclusion,
    n_jobs: int,
    places: IntArray,
    queries: IntArray | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest states of each query (or state)."""
    if queries is None:
        queries = np.arange(len(states))
    moved = _centred(states)
    squared_norms = np.concatenate(
        [np.einsum("ij,ij->i", block, block) for _, block in _embedded_blocks(moved)]
    )
    n_rows = max(1, min(len(queries), _TILE_NUMBERS // _padded(len(states))))
    blocks = [queries[start : start + n_rows] for start in range(0, len(queries), n_rows)]
    # One embedding of all states serves all blocks where it is small.
    shared = moved.embed() if len(states) * states.dimension <= _EMBEDDED_NUMBERS else None
    search = partial(
        _search_block, states, moved, n_neighbors, exclusion, squared_norms, shared, places
    )
    tick = ticker(len(blocks))

    def work(block: IntArray) -> tuple[IntArray, FloatArray]:
        found = search(block)
        tick()
        return found

    results = map_blocks(work, blocks, n_jobs)
    return np.concatenate([r[0] for r in results]), np.concatenate([r[1] for r in results])


def _centred(states: States) -> States:
    """Move the middle of the samples to zero: offsets would cost the products their digits.

    Only candidates are found in these; distances come from the samples as they are.
    """
    series = states.series
    rows = series.rows - np.median(series.samples, axis=0)
    rows[~series.valid] = 0.0
    return States(series.with_rows(rows), states.times, states.n_lags)


def _embedded_blocks(states: States) -> Iterator[tuple[slice, FloatArray]]:
    step = max(1, _EMBEDDED_NUMBERS // states.dimension)
    for start in range(0, len(states), step):
        stop = min(start + step, len(states))
        yield slice(start, stop), states.embed(start, stop)


def _search_block(
    states: States,
    moved: States,
    n_neighbors: int,
    exclusion: Exclusion,
    squared_norms: FloatArray,
    shared: FloatArray | None,
    places: IntArray,
    queries: IntArray,
) -> tuple[IntArray, FloatArray]:
    n_states = len(states)
    # |b|² - 2 a·b: the |a|² that is missing does not change a row's order.
    tile = np.full((len(queries), _padded(n_states)), np.inf)
    asked = (
        shared[queries]
        if shared is not None
        else States(moved.series, moved.times[queries], moved.n_lags).embed()
    )
    asked = -2.0 * asked
    blocks = [(slice(0, n_states), shared)] if shared is not None else _embedded_blocks(moved)
    for columns, block in blocks:
        np.add(asked @ block.T, squared_norms[columns], out=tile[:, columns])
    for row, position in enumerate(queries):
        tile[row, exclusion.first[position] : exclusion.stop[position]] = np.inf
    reach = _kth_smallest_at_most(tile, n_neighbors)
    limit = reach + _slack(reach, squared_norms[queries], states.dimension)
    owner, candidates = np.nonzero(tile <= np.minimum(limit, np.finfo(float).max)[:, None])
    return nearest_of_candidates(states, queries, owner, candidates, n_neighbors, places)


def _padded(n_states: int) -> int:
    return -(-n_states // _FOLD) * _FOLD


def _kth_smallest_at_most(tile: FloatArray, k: int) -> FloatArray:
    """Return an upper bound of each row's k-th smallest number, close to it where rows are long.

    k folds whose minima are at most b hold k numbers that are at most b.
    """
    n_rows, n_columns = tile.shape
    n_folds = n_columns // _FOLD
    if n_folds >= 4 * k:
        tile = tile.reshape(n_rows, _FOLD, n_folds).min(axis=1)
    bound: FloatArray = np.partition(tile, k - 1, axis=1)[:, k - 1]
    return bound


def _slack(reach: FloatArray, squared_norms: FloatArray, dimension: int) -> FloatArray:
    """Return how far rounding can have moved a neighbour's number beyond `reach`.

    A state at distance r of a state of length |a| is itself at most |a| + r long, so that both
    products and norms in question are at most (|a| + r)², each with a relative error of at most
    (dimension + 4) roundings, centring included. The factor 8 covers both sides twice.
    """
    distance = np.sqrt(np.maximum(reach + squared_norms, 0.0))
    largest = (np.sqrt(squared_norms) + distance) ** 2
    slack: FloatArray = 8.0 * (dimension + 4) * np.finfo(np.float64).eps * largest
    return slack
