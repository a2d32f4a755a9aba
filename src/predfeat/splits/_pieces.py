"""How many rows of which sequence, where there are more than a part may have."""

from __future__ import annotations

import numpy as np

from predfeat.splits._bounds import Bounds

__all__ = ["N_PIECES", "count_pieces", "enough_for", "lengths_of", "shortest_piece"]

# Blocks taken of a recording that is too long, and the fewest sequences that a part has rows of.
# With fewer trials a part may be unlike the rest. With more the pieces are short, and what a trial
# returns to again and again has no neighbours in them: of 140 trials of 600 rows that differ in
# speed and size, 5000 rows left open 3.8 ± 4.5 % as 4 whole trials, 4.1 ± 1.7 % as pieces of 10 and
# 7.4 ± 0.8 % as pieces of 47; all rows left open 3.4 ± 0.6 %.
N_PIECES = 10
# A piece has at least this many times the rows that a state and its successor need. At most a tenth
# of its rows then end no state that has a successor.
_TIMES_REACH = 10


def shortest_piece(n_lags: int, horizon: int = 1) -> int:
    """Return how many rows in a row are worth taking of a sequence.

    Examples
    --------
    >>> from predfeat.splits import shortest_piece
    >>> shortest_piece(n_lags=1), shortest_piece(n_lags=3, horizon=2)
    (10, 40)
    """
    return _TIMES_REACH * (n_lags - 1 + horizon)


def count_pieces(n_sequences: int, at_most: int, shortest: int) -> int:
    """Return of how many sequences a part of `at_most` rows is to have a piece."""
    return min(n_sequences, N_PIECES, max(1, at_most // max(shortest, 1)))


def enough_for(at_most: int, bounds: list[Bounds], n_pieces: int) -> list[Bounds]:
    """Return the first `n_pieces` sequences, and more until they have `at_most` rows."""
    n_rows = np.cumsum([stop - start for start, stop in bounds])
    return bounds[: max(n_pieces, int(np.searchsorted(n_rows, at_most)) + 1)]


def lengths_of(bounds: list[Bounds], at_most: int, shortest: int) -> list[int]:
    """Return how many rows to take of each sequence: all of them if they fit.

    Otherwise what is worth taking, and of the rest a share, the same of each.

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
