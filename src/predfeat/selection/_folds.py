"""Purged blocked cross-validation: nothing in a training part reaches into its test part."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import SplitError
from predfeat.series import Sequences, check_sequences

__all__ = ["Fold", "purged_folds"]

# With fewer sequences than this, whole ones would leave too little to learn from.
_FEWEST_SEQUENCES = 3


@dataclass(frozen=True)
class Fold:
    """A training part and a test part.

    Attributes
    ----------
    train, test : ndarray of int
        Row numbers, ascending.
    kind : {"sequences", "blocks"}
        Whether whole sequences were left out, or a block of rows.
    """

    train: IntArray
    test: IntArray
    kind: str

    def parts(self, series: Sequences) -> tuple[Sequences, Sequences]:
        """Return both parts of a series; rows that did not follow each other do not now."""
        return _part(series, self.train), _part(series, self.test)


def purged_folds(series: Sequences, n_folds: int, gap: int) -> list[Fold]:
    """Cut a series into folds: each row that can be tested is in one test part.

    Where there are at least three sequences, whole ones are left out: they are dealt to the
    folds, the longest first, each to the fold with the fewest rows. Otherwise the rows are cut
    into blocks of equally many samples (rows that are no gaps), and the rows within `gap` of a test
    block take no part in its training.

    Parameters
    ----------
    series : Sequences
    n_folds : int
        Folds wanted; of fewer sequences than that, each is a fold.
    gap : int
        At least n_lags + horizon, so that no state or successor is in both parts.

    Returns
    -------
    list of Fold

    Raises
    ------
    SplitError
        There are too few rows.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection import purged_folds
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences(np.zeros((12, 1)))
    >>> [(fold.train.tolist(), fold.test.tolist()) for fold in purged_folds(series, 3, gap=2)]
    [([6, 7, 8, 9, 10, 11], [0, 1, 2, 3]), ([0, 1, 10, 11], [4, 5, 6, 7]), ([0, 1, 2, 3, 4, 5], [8, 9, 10, 11])]
    """  # noqa: E501
    if n_folds < 2:
        raise SplitError(f"n_folds={n_folds} holds nothing out. Use at least 2.")
    # As many rows in a row as a state, its successor and one more need.
    long_enough = series.reach(back=gap - 1, ahead=1)
    bounds = [
        (start, stop) for start, stop in series.sequence_bounds() if long_enough[start:stop].any()
    ]
    if len(bounds) >= _FEWEST_SEQUENCES:
        return _whole_sequences(bounds, min(n_folds, len(bounds)))
    samples = np.flatnonzero(series.valid)
    counts = np.linspace(0, len(samples), n_folds + 1).astype(np.intp)
    shortest = int(np.diff(counts).min())
    if shortest <= gap:
        raise SplitError(
            f"{len(samples)} rows in {n_folds} folds make blocks of {shortest}, but more than "
            f"{gap} are needed (n_lags + horizon). Give more rows, or ask for fewer folds or lags."
        )
    edges = [0, *samples[counts[1:-1]], series.n_rows]
    rows = np.arange(series.n_rows)
    return [
        Fold(rows[(rows < start - gap) | (rows >= stop + gap)], rows[start:stop], "blocks")
        for start, stop in pairwise(edges)
    ]


def _whole_sequences(bounds: list[tuple[int, int]], n_folds: int) -> list[Fold]:
    dealt: list[list[tuple[int, int]]] = [[] for _ in range(n_folds)]
    n_rows = [0] * n_folds
    for start, stop in sorted(bounds, key=lambda bound: (bound[0] - bound[1], bound[0])):
        lightest = int(np.argmin(n_rows))
        dealt[lightest].append((start, stop))
        n_rows[lightest] += stop - start
    return [
        Fold(_rows_of([b for b in bounds if b not in some]), _rows_of(sorted(some)), "sequences")
        for some in dealt
    ]


def _rows_of(bounds: list[tuple[int, int]]) -> IntArray:
    return np.concatenate([np.arange(start, stop) for start, stop in bounds])


def _part(series: Sequences, rows: IntArray) -> Sequences:
    values: FloatArray = series.rows[rows].copy()
    values[~series.valid[rows]] = np.nan
    # A new sequence where the old one changes, and where rows were left out.
    starts = np.ones(len(rows), dtype=bool)
    starts[1:] = (np.diff(rows) != 1) | (np.diff(series.sequence_first[rows]) != 0)
    return check_sequences(values, np.cumsum(starts))
