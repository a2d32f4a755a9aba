"""How many rows to take from each sequence when there are more than a part may have."""

from __future__ import annotations

import numpy as np

from predfeat.splits._bounds import Bounds

__all__ = ["N_PIECES", "count_pieces", "enough_for", "lengths_of", "shortest_piece"]

# Blocks taken from a recording that is too long, and the fewest sequences in a part. With fewer
# trials, a part may be unlike the rest. With more, the pieces are short, and states that recur
# within a trial have no neighbours in them. For 140 trials of 600 rows that differ in speed and
# size, 5000 rows left open 3.8 ± 4.5 % as 4 whole trials, 4.1 ± 1.7 % as pieces of 10 trials and
# 7.4 ± 0.8 % as pieces of 47; all rows left open 3.4 ± 0.6 %.
N_PIECES = 10
# A piece has at least this many times the rows that a state and its successor need. Then at most a
# tenth of its rows do not end a state that has a successor.
_PIECE_ROWS_PER_STATE_ROW = 10


def shortest_piece(n_lags: int, horizon: int = 1) -> int:
    """Return the fewest consecutive rows worth taking from a sequence.

    Examples
    --------
    >>> from predfeat.splits import shortest_piece
    >>> shortest_piece(n_lags=1), shortest_piece(n_lags=3, horizon=2)
    (10, 40)
    """
    return _PIECE_ROWS_PER_STATE_ROW * (n_lags - 1 + horizon)


def count_pieces(n_sequences: int, at_most: int, shortest: int) -> int:
    """Return how many sequences contribute a piece to a part of `at_most` rows."""
    return min(n_sequences, N_PIECES, max(1, at_most // max(shortest, 1)))


def enough_for(at_most: int, bounds: list[Bounds], n_pieces: int) -> list[Bounds]:
    """Return the first `n_pieces` sequences, and more until they have `at_most` rows."""
    n_rows = np.cumsum([stop - start for start, stop in bounds])
    return bounds[: max(n_pieces, int(np.searchsorted(n_rows, at_most)) + 1)]


def lengths_of(bounds: list[Bounds], at_most: int, shortest: int) -> list[int]:
    """Return how many rows to take from each sequence: all of them if they fit.

    Otherwise the fewest worth taking, plus the same share of the remaining rows of each.

    Examples
    --------
    >>> from predfeat.splits._pieces import lengths_of
    >>> lengths_of([(0, 100), (100, 120)], at_most=60, shortest=10)
    [46, 14]
    """
    whole = [stop - start for start, stop in bounds]
    if sum(whole) <= at_most:
        return whole
    least = [min(length, max(shortest, 1), at_most // len(whole)) for length in whole]
    left, missing = at_most - sum(least), sum(whole) - sum(least)
    return [
        few + left * (length - few) // missing for few, length in zip(least, whole, strict=True)
    ]
