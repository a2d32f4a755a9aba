"""Rows from a recording that is too long: blocks spread evenly over it."""

from __future__ import annotations

import numpy as np

from predfeat._typing import IntArray
from predfeat.series import Sequences
from predfeat.splits._pieces import N_PIECES, count_pieces, enough_for, lengths_of

__all__ = ["spread_rows", "spread_sequences"]


def spread_rows(
    n_rows: int, at_most: int, n_blocks: int = N_PIECES, gap: int = 0
) -> tuple[IntArray, IntArray]:
    """Choose rows from a long recording: blocks of consecutive rows, spread evenly over it.

    Parameters
    ----------
    n_rows : int
        Rows of the recording.
    at_most : int
        Rows to choose; all of them if there are no more.
    n_blocks : int
        The most blocks to choose: fewer are used if more than a tenth of the rows would have to be
        left out between them.
    gap : int
        The fewest rows to leave out between two blocks.

    Returns
    -------
    rows : ndarray of int
        Ascending.
    first : ndarray of int
        The first row of each row's block.

    Examples
    --------
    >>> from predfeat.splits import spread_rows
    >>> spread_rows(100, 8, n_blocks=2)[0]
    array([ 0,  1,  2,  3, 96, 97, 98, 99])
    """
    if n_rows <= at_most:
        return np.arange(n_rows), np.zeros(n_rows, dtype=np.intp)
    if gap:
        n_blocks = min(n_blocks, 1 + at_most // (10 * gap))
    length = max(min(at_most, n_rows - (n_blocks - 1) * gap) // n_blocks, 1)
    starts = np.linspace(0, n_rows - length, n_blocks).astype(np.intp)
    return (starts[:, None] + np.arange(length)).ravel(), np.repeat(starts, length)


def spread_sequences(
    series: Sequences, at_most: int, gap: int = 0, *, shortest: int = 1
) -> tuple[IntArray, IntArray]:
    """Choose rows from a long recording, and say which of them belong together.

    They form ten blocks, from one sequence or several. If at least ten whole sequences fit, whole
    sequences are chosen, evenly spread.

    Parameters
    ----------
    series : Sequences
        The whole recording.
    at_most, gap : int
        Rows to choose, and to leave out between blocks, as in `spread_rows`.
    shortest : int
        The fewest rows worth taking from a sequence. If ten pieces would be shorter, there are
        fewer pieces.

    Returns
    -------
    rows : ndarray of int
        Ascending.
    pieces : ndarray of int
        The first row of each row's piece: of its sequence, or of its block. Blocks can touch; keep
        them apart with `take(series, rows, pieces=pieces)`, or give the numbers to an estimator as
        `groups`.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits import spread_sequences
    >>> series = check_sequences(np.zeros((40, 1)), groups=np.repeat([0, 1], 20))
    >>> rows, pieces = spread_sequences(series, 20)
    >>> rows[:6], pieces[8:14]
    (array([ 0,  1,  4,  5,  9, 10]), array([18, 18, 20, 20, 24, 24]))
    """
    bounds = series.sequence_bounds()
    if series.n_rows <= at_most:
        return np.arange(series.n_rows), series.sequence_first
    if len(bounds) == 1:
        return spread_rows(series.n_rows, at_most, gap=gap)
    n_whole = at_most * len(bounds) // series.n_rows
    n_pieces = max(n_whole, count_pieces(len(bounds), at_most, shortest))
    evenly = np.linspace(0, len(bounds) - 1, n_pieces).astype(np.intp).tolist()
    by_length = sorted(range(len(bounds)), key=lambda i: bounds[i][0] - bounds[i][1])
    order = dict.fromkeys([*evenly, *by_length])
    chosen = sorted(enough_for(at_most, [bounds[i] for i in order], n_pieces))
    n_blocks = max(1, round(N_PIECES / len(chosen)))
    rows, pieces = [], []
    for place, (start, stop), length in zip(
        np.linspace(0, 1, len(chosen)), chosen, lengths_of(chosen, at_most, shortest), strict=True
    ):
        if n_blocks == 1:  # from the beginning of the first sequence to the end of the last
            first = start + int(place * (stop - start - length))
            rows.append(np.arange(first, first + length))
            pieces.append(np.full(length, first))
        else:
            own, of_block = spread_rows(stop - start, length, n_blocks, gap)
            rows.append(start + own)
            pieces.append(start + of_block)
    return np.concatenate(rows), np.concatenate(pieces)
