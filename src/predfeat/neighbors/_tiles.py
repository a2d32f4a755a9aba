"""The compiled exact engine: a state is p overlapping samples, so compare samples once.

Squared distances of samples come from matrix products in float32, tile by tile. The distance of two
states is a sum along the tile's diagonals, which costs the same for any number of lags. Distances
are symmetric: only tiles below the diagonal are computed, and each pair is offered to both states.
Candidates within float32 rounding of the k-th nearest are compared again in float64; a state for
which that is not enough is searched again by the blockwise engine. So the result is exact, and does
not depend on the number of threads or the order of their work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from predfeat._jit import is_available, is_loaded, loading_seconds
from predfeat._progress import ticker
from predfeat._threads import map_blocks
from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.neighbors._blockwise import BLOCKWISE, search_blockwise
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._exclusion import Exclusion
from predfeat.neighbors._library_tiles import search_library
from predfeat.neighbors._question import Question
from predfeat.series import States

__all__ = ["TILES", "search_tiles"]

_TILE = (256, 512)  # rows and columns: half a megabyte of float32, a core's second cache
# Each tile repeats p - 1 rows and columns of its neighbours: with many lags, larger tiles pay off.
_LARGE_TILE, _LONG_LAGS = (1024, 1024), 64
_SPARE_CANDIDATES = 2  # kept beyond k
_ROUNDING = 2.0**-24
_STATES_AT_ONCE = 1 << 12


# With fewer states, a search takes less time than loading the compiled code. Many searches may
# take longer: once they did, the code is loaded for the next one.
_MIN_STATES_TO_LOAD = 2500


class _Tiles(Engine):
    """`search_tiles` for states that search among themselves, otherwise `search_library`."""

    name = "tiles"
    is_exact = True
    takes_library = True
    needs = "numba"

    def is_available(self) -> bool:
        return is_available()

    def expected_seconds(self, queries: States, library: States, at_most: float = np.inf) -> float:
        """Return (4 + 0.0006 S) (1 + N / 100) microseconds for each state.

        In a library apart, each of p lags costs products of its own, and each pair is met once.
        Infinity if the compiled code is not in memory and not worth loading: fewer than 2500²
        pairs, and less time was spent without it than loading takes.
        """
        n_pairs = len(queries) * len(library)
        is_worth_it = is_loaded() or n_pairs >= _MIN_STATES_TO_LOAD**2
        if not is_worth_it and BLOCKWISE.seconds_spent <= loading_seconds():
            return np.inf
        if queries is not library:
            width = 1.0 + library.dimension / 100
            return 1e-6 * len(queries) * (8.0 + 0.0012 * len(library)) * width
        width = 1.0 + library.series.n_columns / 100
        return 1e-6 * len(library) * (4.0 + 0.0006 * len(library)) * width

    def search(self, question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
        if question.is_within:
            return search_tiles(question, n_threads)
        return search_library(question, n_threads)


TILES = _Tiles()


def search_tiles(question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
    """Return positions and squared distances of the nearest other states of each state.

    A guess, rows of n_neighbors allowed states for each state, only makes it quicker: states
    farther away than the guess are skipped. Without one, the nearest in time are taken.
    """
    states, n_neighbors = question.library, question.n_neighbors
    prepared = _prepare(states, question.excluded)
    guess = question.guess
    if guess is None:
        guess = _nearest_in_time(states, question.excluded, n_neighbors)
    limits = _first_limits(states, prepared, guess)
    lists = _scan(prepared, limits, n_neighbors + _SPARE_CANDIDATES, n_threads)
    rows, squared, is_sure = _settle(question, prepared, lists, n_threads)
    position_of_row = np.zeros(states.series.n_rows, dtype=np.intp)
    position_of_row[states.times] = np.arange(len(states))
    positions = position_of_row[np.minimum(rows, states.series.n_rows - 1)]
    if not is_sure.all():
        again = np.flatnonzero(~is_sure)
        positions[again], squared[again] = search_blockwise(question.only(again), n_threads)
    return positions, squared


@dataclass(frozen=True)
class _Prepared:
    """The samples in the form that the tiles need."""

    left: AnyArray  # float32 (n_rows, N + 2): -2x, |x|², 1
    right: AnyArray  # float32 (n_rows, N + 2): x, 1, |x|²; so that left · right is |x - y|²
    lowest_excluded: IntArray  # (n_rows,): pairs (row, column) with column below it are allowed
    is_state: AnyArray
    squared_norms: FloatArray  # (n_rows,): squared length of each row's state
    relative_error: float
    unit: float
    n_lags: int


@dataclass(frozen=True)
class _Lists:
    """Every thread's candidates of every row, and the limits they started from."""

    first_limits: AnyArray
    distances: AnyArray
    rows: AnyArray


def _prepare(states: States, exclusion: Exclusion) -> _Prepared:
    series = states.series
    # The mean is quicker than the median; if an outlier spoils it, the rest is searched again.
    centred = series.rows - series.samples.mean(axis=0)
    centred[~series.valid] = 0.0
    n_rows, n_columns = centred.shape
    exponent = -int(np.frexp(max(centred.max(), -centred.min()))[1])
    right = np.empty((n_rows, n_columns + 2), dtype=np.float32)
    narrow = right[:, :n_columns]
    np.multiply(centred, np.ldexp(1.0, exponent), out=narrow, casting="same_kind")
    norms = np.einsum("ij,ij->i", narrow, narrow, dtype=np.float64)
    right[:, n_columns], right[:, n_columns + 1] = 1.0, norms
    left = np.empty_like(right)
    np.multiply(narrow, np.float32(-2.0), out=left[:, :n_columns])
    left[:, n_columns], left[:, n_columns + 1] = norms, 1.0
    summed = np.append(0.0, np.cumsum(norms))
    squared_norms = np.zeros(n_rows)
    squared_norms[states.times] = (
        summed[states.times + 1] - summed[states.times + 1 - states.n_lags]
    )
    squared_norms += 1e-12 * summed[-1]  # the differences' rounding: these are upper bounds
    lowest = np.zeros(n_rows, dtype=np.int64)
    lowest[states.times] = states.times[exclusion.first]
    is_state = np.zeros(n_rows, dtype=bool)
    is_state[states.times] = True
    # A product of N + 2 terms, rounded input, norms and p sums: for each of them, a term is off by
    # one rounding of at most 2 (|x|² + |y|²).
    relative_error = 2.0 * (n_columns + states.n_lags + 8) * _ROUNDING
    return _Prepared(
        left,
        right,
        lowest,
        is_state,
        squared_norms,
        relative_error,
        float(np.ldexp(1.0, 2 * exponent)),
        states.n_lags,
    )


def _nearest_in_time(states: States, exclusion: Exclusion, n_neighbors: int) -> IntArray:
    """Return the rows of as many states before as after each state, -1 beyond the ends."""
    before = exclusion.first[:, None] - 1 - np.arange(n_neighbors // 2)
    after = exclusion.stop[:, None] + np.arange(n_neighbors - n_neighbors // 2)
    positions = np.hstack([before, after])
    inside = (positions >= 0) & (positions < len(states))
    return np.where(inside, states.times[np.where(inside, positions, 0)], -1)


def _first_limits(states: States, prepared: _Prepared, guesses: IntArray) -> AnyArray:
    from predfeat.neighbors._kernels import limit_by_guesses

    limits = np.where(prepared.is_state, np.float32(np.inf), np.float32(-np.inf))
    limit_by_guesses(
        states.series.rows.reshape(-1),
        states.series.n_columns,
        states.n_lags,
        states.times,
        np.ascontiguousarray(guesses, dtype=np.int64),
        prepared.squared_norms,
        prepared.relative_error,
        prepared.unit,
        limits,
    )
    return limits


def _scan(prepared: _Prepared, first_limits: AnyArray, n_kept: int, n_threads: int) -> _Lists:
    """Scan all tiles and collect candidates, each thread in its own lists."""
    n_rows = len(prepared.left)
    limits = first_limits.copy()
    lists = _Lists(
        first_limits,
        np.full((n_threads, n_rows, n_kept), np.inf, dtype=np.float32),
        np.full((n_threads, n_rows, n_kept), -1, dtype=np.int32),
    )
    shape = _TILE if prepared.n_lags < _LONG_LAGS else _LARGE_TILE
    tiles = _tiles_around_the_diagonal(n_rows, prepared.n_lags, shape)
    remaining, tick = iter(tiles), ticker(len(tiles))

    def work(thread: int) -> None:
        scan = _scanner(prepared, limits, lists.distances[thread], lists.rows[thread], shape)
        for tile in remaining:  # one iterator for all threads
            scan(*tile)
            tick()

    def leave_the_rest() -> None:
        deque(remaining, maxlen=0)

    map_blocks(work, list(range(n_threads)), n_threads, on_failure=leave_the_rest)
    return lists


def _tiles_around_the_diagonal(
    n_rows: int, n_lags: int, shape: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the first row and column of every tile, those around the diagonal first.

    States near in time are often near in space.
    """
    height, width = shape
    return sorted(
        (
            (row, column)
            for row in range(n_lags - 1, n_rows, height)
            for column in range(n_lags - 1, min(row + height, n_rows), width)
        ),
        key=lambda tile: tile[0] - tile[1],
    )


def _scanner(
    prepared: _Prepared,
    limits: AnyArray,
    distances: AnyArray,
    rows: AnyArray,
    shape: tuple[int, int],
) -> Callable[[int, int], None]:
    """Return a function that offers a tile's pairs to one thread's lists, with its own buffers."""
    from predfeat.neighbors._kernels import CHUNK, scan_tile

    n_rows, n_lags = len(prepared.left), prepared.n_lags
    (height, width), halo = shape, n_lags - 1
    narrow = np.zeros(width, dtype=np.float32)
    wide = np.zeros((2, width))
    edge = np.zeros(height)
    column_limits = np.zeros(width, dtype=np.float32)
    marks = np.zeros(-(-width // CHUNK) * CHUNK, dtype=np.uint8)
    buffers = (narrow, wide, edge, column_limits, marks, marks.view(np.uint64))
    products = np.empty((height + halo) * (width + halo), dtype=np.float32)

    def scan(row: int, column: int) -> None:
        row_stop = min(row + height, n_rows)
        column_stop = min(column + width, row_stop)
        left = prepared.left[row - halo : row_stop]
        right = prepared.right[column - halo : column_stop]
        base = products[: len(left) * len(right)].reshape(len(left), len(right))
        np.matmul(left, right.T, out=base)
        place = (row, row_stop, column, column_stop)
        lowest = prepared.lowest_excluded
        scan_tile(base, n_lags, *place, lowest, limits, distances, rows, *buffers)

    return scan


def _settle(
    question: Question, prepared: _Prepared, lists: _Lists, n_threads: int
) -> tuple[IntArray, FloatArray, AnyArray]:
    """Return the nearest candidates' rows and exact squared distances, and which are certain."""
    from predfeat.neighbors._kernels import settle

    states, n_neighbors = question.library, question.n_neighbors
    n_states = len(states)
    samples = np.ascontiguousarray(states.series.rows)
    place_of_row = np.zeros(states.series.n_rows, dtype=np.int64)
    place_of_row[states.times] = question.library_places
    found = np.zeros((n_states, n_neighbors), dtype=np.int64)
    squared = np.zeros((n_states, n_neighbors))
    is_sure = np.zeros(n_states, dtype=bool)

    def work(start: int) -> None:
        settle(
            samples.reshape(-1),
            samples.shape[1],
            states.n_lags,
            states.times,
            start,
            min(start + _STATES_AT_ONCE, n_states),
            n_neighbors,
            lists.first_limits,
            lists.distances,
            lists.rows,
            prepared.squared_norms,
            prepared.relative_error,
            prepared.unit,
            place_of_row,
            found,
            squared,
            is_sure,
        )

    map_blocks(work, list(range(0, n_states, _STATES_AT_ONCE)), n_threads)
    return found, squared, is_sure
