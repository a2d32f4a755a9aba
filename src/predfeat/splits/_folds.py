"""Purged blocked cross-validation: nothing in a training part reaches into its test part."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from predfeat.exceptions import SplitError
from predfeat.series import Sequences
from predfeat.splits._bounds import Bounds, deal, long_enough, rows_within
from predfeat.splits._split import Split

__all__ = ["purged_folds"]

# With fewer sequences, holding out whole ones would leave too little to train on.
_MIN_WHOLE_SEQUENCES = 3


def purged_folds(series: Sequences, n_folds: int, gap: int) -> list[Split]:
    """Cut a series into folds: each row that can be tested is in one test part.

    If there are at least three sequences, whole sequences are held out: they are dealt to the
    folds, the longest first, each to the fold with the fewest rows. Otherwise the rows are cut
    into blocks with the same number of samples (rows that are not gaps), and the rows within `gap`
    of a test block are left out of its training part.

    Parameters
    ----------
    series : Sequences
    n_folds : int
        Number of folds; if there are fewer sequences to deal, each of them is a fold.
    gap : int
        At least n_lags + horizon, so that no state or successor is in both parts.

    Returns
    -------
    list of Split
        Of kind "sequences" or "blocks".

    Raises
    ------
    SplitError
        There are too few rows.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits import purged_folds
    >>> series = check_sequences(np.zeros((12, 1)))
    >>> [(fold.train.tolist(), fold.test.tolist()) for fold in purged_folds(series, 3, gap=2)]
    [([6, 7, 8, 9, 10, 11], [0, 1, 2, 3]), ([0, 1, 10, 11], [4, 5, 6, 7]), ([0, 1, 2, 3, 4, 5], [8, 9, 10, 11])]
    """  # noqa: E501
    if n_folds < 2:
        raise SplitError(f"n_folds={n_folds} holds nothing out. Use at least 2.")
    # Consecutive rows for a state, its successor and one more.
    bounds = long_enough(series, back=gap - 1, ahead=1)
    if len(bounds) >= _MIN_WHOLE_SEQUENCES:
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
        Split(rows[(rows < start - gap) | (rows >= stop + gap)], rows[start:stop], "blocks")
        for start, stop in pairwise(edges)
    ]


def _whole_sequences(bounds: list[Bounds], n_folds: int) -> list[Split]:
    sizes = [stop - start for start, stop in bounds]
    longest_first = sorted(range(len(bounds)), key=lambda number: -sizes[number])
    return [
        Split(
            rows_within(bound for number, bound in enumerate(bounds) if number not in set(some)),
            rows_within(bounds[number] for number in some),
            "sequences",
        )
        for some in deal(sizes, n_folds, longest_first)
    ]
