"""The compiled kernels of the tile engine: flat arrays, the caller's buffers, no checks.

Importing this module compiles; `_tiles` imports it when the engine is used.
"""

from __future__ import annotations

import numpy as np

from predfeat._jit import compiled, compiled_strictly
from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.neighbors._crowds import CIRCLE

__all__ = ["CHUNK", "insert", "limit_by_guesses", "scan_tile", "settle"]

# Distances are tested all at once. The marks, a byte each, are read this many at a time, as four
# words: most are zero.
CHUNK = 32
_WORDS = CHUNK // 8

# Up to this many lags are summed one by one. Beyond, a running sum is cheaper. It needs float64
# because it subtracts: a loud moment must leave no residue when it drops out of the sum.
_MAX_LAGS_SUMMED = 8

_ROUNDING = 2.0**-51  # of float64, with room


@compiled
def _sum_lags(
    base: AnyArray,
    row: int,
    n_lags: int,
    row_limit: float,
    column_limits: AnyArray,
    total: AnyArray,
    marks: AnyArray,
) -> None:
    """Sum one row of state distances along the diagonals of the sample distances, and mark it.

    Up to three lags are added in one pass over the row, because each pass costs a load and a
    store. The last pass marks the distances that are small enough to be examined.
    """
    width = len(total)
    first = base[row, :width]
    if n_lags == 1:
        for c in range(width):
            total[c] = first[c]
            marks[c] = total[c] < max(row_limit, column_limits[c])
        return
    second = base[row + 1, 1 : 1 + width]
    if n_lags == 2:
        for c in range(width):
            total[c] = first[c] + second[c]
            marks[c] = total[c] < max(row_limit, column_limits[c])
        return
    third = base[row + 2, 2 : 2 + width]
    if n_lags == 3:
        for c in range(width):
            total[c] = first[c] + second[c] + third[c]
            marks[c] = total[c] < max(row_limit, column_limits[c])
        return
    for c in range(width):
        total[c] = first[c] + second[c] + third[c]
    lag = 3
    while lag + 2 < n_lags:
        first = base[row + lag, lag : lag + width]
        second = base[row + lag + 1, lag + 1 : lag + 1 + width]
        for c in range(width):
            total[c] += first[c] + second[c]
        lag += 2
    first = base[row + lag, lag : lag + width]
    if lag + 1 == n_lags:
        for c in range(width):
            total[c] += first[c]
            marks[c] = total[c] < max(row_limit, column_limits[c])
        return
    second = base[row + lag + 1, lag + 1 : lag + 1 + width]
    for c in range(width):
        total[c] += first[c] + second[c]
        marks[c] = total[c] < max(row_limit, column_limits[c])


@compiled
def _advance(before: AnyArray, new: AnyArray, enters: AnyArray, leaves: AnyArray) -> None:
    for c in range(len(new)):
        new[c] = before[c] + (np.float64(enters[c]) - np.float64(leaves[c]))


@compiled
def _start(base: AnyArray, row: int, n_lags: int, total: AnyArray) -> None:
    for c in range(len(total)):
        total[c] = 0.0
    for lag in range(n_lags):
        diagonal = base[row + lag, lag : lag + len(total)]
        for c in range(len(total)):
            total[c] += diagonal[c]


@compiled
def _sum_left_edge(base: AnyArray, n_lags: int, edge: AnyArray) -> None:
    """Sum the lags of the tile's first column, walking along rows instead of diagonals."""
    height = len(edge)
    edge[:] = 0.0
    for q in range(height + n_lags - 1):
        first, last = max(0, q - height + 1), min(n_lags - 1, q)
        along, onto = base[q, first : last + 1], edge[q - last : q - first + 1]
        for n in range(len(along)):
            onto[len(along) - 1 - n] += along[n]


@compiled
def _round(
    wide: AnyArray, row_limit: float, column_limits: AnyArray, narrow: AnyArray, marks: AnyArray
) -> None:
    """Round one row of state distances, and mark it as `_sum_lags` does.

    It takes two passes: three widths of numbers in one pass would use a processor's lanes poorly.
    """
    for c in range(len(narrow)):
        narrow[c] = wide[c]
    for c in range(len(narrow)):
        marks[c] = narrow[c] < max(row_limit, column_limits[c])


@compiled
def insert(distances: AnyArray, rows: AnyArray, distance: float, row: int) -> None:
    """Insert a candidate into a sorted list; the worst one drops out.

    The limit it passed may be out of date: a row of a tile on the diagonal is also a column.
    """
    place = len(distances) - 1
    if distance >= distances[place]:
        return
    while place > 0 and distances[place - 1] > distance:
        distances[place] = distances[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    distances[place] = distance
    rows[place] = row


@compiled
def _next_sums(
    base: AnyArray, r: int, n_lags: int, edge: AnyArray, before: AnyArray, new: AnyArray
) -> None:
    """Sum the lags of row r of a tile: from the row before, or from scratch for the first row."""
    width = len(new)
    if r == 0:
        _start(base, r, n_lags, new)
        return
    new[0] = edge[r]
    _advance(
        before[: width - 1],
        new[1:],
        base[r + n_lags - 1, n_lags : n_lags + width - 1],
        base[r - 1, : width - 1],
    )


@compiled
def scan_tile(
    base: AnyArray,
    n_lags: int,
    row_start: int,
    row_stop: int,
    column_start: int,
    column_stop: int,
    lowest_excluded: IntArray,
    limits: AnyArray,
    distances: AnyArray,
    rows: AnyArray,
    narrow: AnyArray,
    wide: AnyArray,
    edge: AnyArray,
    column_limits: AnyArray,
    marks: AnyArray,
    words: AnyArray,
) -> None:
    """Offer all pairs of a tile to both of their states' candidate lists.

    Parameters
    ----------
    base : float32 array
        Squared distances of the samples row_start - n_lags + 1 … row_stop - 1 to the samples
        column_start - n_lags + 1 … column_stop - 1.
    lowest_excluded : int array
        For every row, the first of the excluded columns up to itself (0: the row is not a state).
    limits : float32 array, shape (n_rows,)
        A candidate's distance must be below its row's limit, which is minus infinity for rows that
        are not states. All threads read and lower the limits: overwriting another thread's lower
        value only makes a limit less strict for a while.
    distances, rows : arrays of shape (n_rows, n_kept)
        The candidate lists, sorted.
    narrow, wide, edge, column_limits, marks, words : buffers of at least the tile's size
        float32, float64 with 2 rows, float64 (as high as the tile, the others as wide), float32,
        uint8, and uint64 over the same memory as `marks`.
    """
    width, n_kept = column_stop - column_start, distances.shape[1]
    nothing = np.float32(-np.inf)
    column_limits = column_limits[:width]
    for c in range(
        width
    ):  # for a slice assignment, numba would spend seconds compiling error messages
        column_limits[c] = limits[column_start + c]
    narrow = narrow[:width]
    edge = edge[: row_stop - row_start]
    if n_lags > _MAX_LAGS_SUMMED:
        _sum_left_edge(base, n_lags, edge)
    current = 0
    for r in range(row_stop - row_start):
        row = row_start + r
        row_limit = limits[row]
        if n_lags > _MAX_LAGS_SUMMED:
            current = 1 - current
            _next_sums(base, r, n_lags, edge, wide[1 - current, :width], wide[current, :width])
        allowed = min(width, lowest_excluded[row] - column_start)
        if allowed <= 0 or row_limit == nothing:
            continue
        if n_lags > _MAX_LAGS_SUMMED:
            _round(wide[current, :width], row_limit, column_limits, narrow, marks)
        else:
            _sum_lags(base, r, n_lags, row_limit, column_limits, narrow, marks)
        for chunk in range((allowed + CHUNK - 1) // CHUNK):
            word = chunk * _WORDS
            if words[word] | words[word + 1] | words[word + 2] | words[word + 3] == 0:
                continue
            for c in range(chunk * CHUNK, min((chunk + 1) * CHUNK, allowed)):
                distance, column_limit = narrow[c], column_limits[c]
                if marks[c] == 0 or column_limit == nothing:
                    continue
                column = column_start + c
                if distance < row_limit:
                    insert(distances[row], rows[row], distance, column)
                    row_limit = min(row_limit, distances[row, n_kept - 1])
                if distance < column_limit:
                    insert(distances[column], rows[column], distance, row)
                    column_limits[c] = min(column_limit, distances[column, n_kept - 1])
        limits[row] = min(limits[row], row_limit)
    for c in range(width):
        limits[column_start + c] = min(limits[column_start + c], column_limits[c])


@compiled_strictly
def _squared_distance(left: FloatArray, right: FloatArray) -> float:
    """Sum squared differences in the order of `_ranking.squared_distances`, to the same bits."""
    t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = 0.0
    whole = len(left) // 8 * 8
    for n in range(0, whole, 8):
        t0 += (left[n] - right[n]) * (left[n] - right[n])
        t1 += (left[n + 1] - right[n + 1]) * (left[n + 1] - right[n + 1])
        t2 += (left[n + 2] - right[n + 2]) * (left[n + 2] - right[n + 2])
        t3 += (left[n + 3] - right[n + 3]) * (left[n + 3] - right[n + 3])
        t4 += (left[n + 4] - right[n + 4]) * (left[n + 4] - right[n + 4])
        t5 += (left[n + 5] - right[n + 5]) * (left[n + 5] - right[n + 5])
        t6 += (left[n + 6] - right[n + 6]) * (left[n + 6] - right[n + 6])
        t7 += (left[n + 7] - right[n + 7]) * (left[n + 7] - right[n + 7])
    for n in range(whole, len(left)):
        square = (left[n] - right[n]) * (left[n] - right[n])
        lane = n - whole
        if lane == 0:
            t0 += square
        elif lane == 1:
            t1 += square
        elif lane == 2:
            t2 += square
        elif lane == 3:
            t3 += square
        elif lane == 4:
            t4 += square
        elif lane == 5:
            t5 += square
        else:
            t6 += square
    return ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))


@compiled
def limit_by_guesses(
    samples: FloatArray,
    n_columns: int,
    n_lags: int,
    times: IntArray,
    guesses: IntArray,
    squared_norms: FloatArray,
    relative_error: float,
    unit: float,
    limits: AnyArray,
) -> None:
    """Limit each state's search by its distance to some given states.

    The k-th nearest is no farther than the farthest of any k others. `guesses` holds rows, shape
    (n_states, k); a state with a guess of -1 keeps its limit. If a guess is the previous state's
    guess, one step on, its distance is the previous one with one lag added and one removed, so
    long states cost little.
    """
    length = n_columns * n_lags
    n_guesses = guesses.shape[1]
    running = np.empty(n_guesses)
    rounding = np.empty(n_guesses)
    for position in range(len(times)):
        row = times[position]
        goes_on = n_lags > 2 and position > 0 and times[position - 1] == row - 1
        farthest = 0.0
        for n in range(n_guesses):
            other = guesses[position, n]
            if other < 0:
                farthest = np.inf
                running[n] = np.inf
                continue
            if goes_on and guesses[position - 1, n] == other - 1 and running[n] < np.inf:
                enters = _squared_step(samples, n_columns, row, other)
                leaves = _squared_step(samples, n_columns, row - n_lags, other - n_lags)
                # Errors of the previous sum, of its two terms, and of their differences.
                rounding[n] += _ROUNDING * (running[n] + n_columns * (enters + leaves))
                running[n] = max(running[n] + (enters - leaves), 0.0)
            else:
                first = (row - n_lags + 1) * n_columns
                second = (other - n_lags + 1) * n_columns
                running[n] = _squared_distance(
                    samples[first : first + length], samples[second : second + length]
                )
                rounding[n] = 0.0
            farthest = max(farthest, (running[n] + rounding[n]) * unit)
        error = _error_within(np.sqrt(farthest), squared_norms[row], relative_error)
        # One error for the distance in float32, one more to be sure of the result, and a rounding.
        limits[row] = min(limits[row], np.float32((farthest + 2.5 * error) * (1.0 + 1e-6)))


@compiled
def _squared_step(samples: FloatArray, n_columns: int, left: int, right: int) -> float:
    """Return the squared distance of two samples."""
    total = 0.0
    first = samples[left * n_columns : (left + 1) * n_columns]
    second = samples[right * n_columns : (right + 1) * n_columns]
    for n in range(len(first)):
        total += (first[n] - second[n]) * (first[n] - second[n])
    return total


@compiled
def _error_within(reach: float, own: float, relative_error: float) -> float:
    """Return the largest float32 error for states no farther than `reach`.

    Such a state is itself at most |a| + reach long.
    """
    return float(relative_error * (own + (np.sqrt(own) + reach) ** 2))


@compiled
def _comes_before(places: IntArray, row: int, one: np.int64, other: np.int64) -> bool:
    """Tell whether row `one` comes before row `other` on the circle after a row's place."""
    first, second = (places[one] - places[row]) % CIRCLE, (places[other] - places[row]) % CIRCLE
    return bool(first < second or (first == second and one < other))


@compiled
def _merge(
    distances: AnyArray,
    rows: AnyArray,
    row: int,
    candidate_distances: AnyArray,
    candidate_rows: AnyArray,
) -> int:
    """Merge all threads' candidates of a row into one sorted list; return their number."""
    n_threads, _, n_kept = distances.shape
    n_candidates = 0
    candidate_distances[:] = np.inf
    for thread in range(n_threads):
        for n in range(n_kept):
            if rows[thread, row, n] >= 0:
                insert(
                    candidate_distances,
                    candidate_rows,
                    distances[thread, row, n],
                    rows[thread, row, n],
                )
                n_candidates += 1
    return n_candidates


@compiled
def _insert_exactly(
    squared: FloatArray, found: IntArray, exact: float, other: np.int64, places: IntArray, row: int
) -> None:
    """Insert a neighbour into a row's sorted result, tied ones in their order round the circle."""
    place = len(squared) - 1
    if exact > squared[place]:
        return
    if exact == squared[place] and not _comes_before(places, row, other, found[place]):
        return
    while place > 0 and (
        squared[place - 1] > exact
        or (squared[place - 1] == exact and _comes_before(places, row, other, found[place - 1]))
    ):
        squared[place] = squared[place - 1]
        found[place] = found[place - 1]
        place -= 1
    squared[place] = exact
    found[place] = other


@compiled
def settle(
    samples: FloatArray,
    n_columns: int,
    n_lags: int,
    times: IntArray,
    start: int,
    stop: int,
    n_neighbors: int,
    first_limits: AnyArray,
    distances: AnyArray,
    rows: AnyArray,
    squared_norms: FloatArray,
    relative_error: float,
    unit: float,
    places: IntArray,
    found: IntArray,
    squared: FloatArray,
    is_sure: AnyArray,
) -> None:
    """Decide between the candidates of states start … stop - 1 by exact distances.

    Parameters
    ----------
    samples : float64 array, flat
        The original rows.
    times : int array
        Row of every state.
    first_limits : float32 array, shape (n_rows,)
        The limits that `scan_tile` started from.
    distances, rows : arrays of shape (n_threads, n_rows, n_kept)
        The lists of `scan_tile`. Every candidate it rejected was, at that time, no better than the
        worst in some thread's list or the first limit, and so is no better than the best of
        these now.
    squared_norms : float64 array, shape (n_rows,)
        Squared lengths of the centred states, in units of the float32 samples.
    relative_error : float
        A float32 squared distance is off by at most this times both squared lengths.
    unit : float
        Factor from squared distances of `samples` to float32 units.
    places : int array, shape (n_rows,)
        Places of the rows on the circle, by which ties are broken.
    found, squared : arrays of shape (n_states, n_neighbors)
        The result: rows of the neighbours and squared distances.
    is_sure : bool array
        Whether no other state can be among a state's nearest.
    """
    n_threads, _, n_kept = distances.shape
    candidate_distances = np.empty(n_threads * n_kept, dtype=np.float32)
    candidate_rows = np.empty(n_threads * n_kept, dtype=np.int32)
    length = n_columns * n_lags
    for position in range(start, stop):
        row = times[position]
        n_candidates = _merge(distances, rows, row, candidate_distances, candidate_rows)
        is_sure[position] = False
        if n_candidates < n_neighbors:
            continue
        nearest = max(np.float64(candidate_distances[n_neighbors - 1]), 0.0)
        own = squared_norms[row]
        reach = np.sqrt(2.0 * nearest + 8.0 * relative_error * own)
        error = _error_within(reach, own, relative_error)
        found[position] = np.iinfo(np.int64).max
        squared[position] = np.inf
        first = (row - n_lags + 1) * n_columns
        for n in range(n_candidates):
            if candidate_distances[n] > nearest + 2.0 * error:
                break
            other = np.int64(candidate_rows[n])
            second = (other - n_lags + 1) * n_columns
            exact = _squared_distance(
                samples[first : first + length], samples[second : second + length]
            )
            _insert_exactly(squared[position], found[position], exact, other, places, row)
        limit = np.float64(first_limits[row])
        for thread in range(n_threads):
            limit = min(limit, np.float64(distances[thread, row, n_kept - 1]))
        is_sure[position] = squared[position, n_neighbors - 1] * unit < limit - error
