"""Two halves of a series that share no row and no state."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from predfeat.exceptions import ShortSequencesError
from predfeat.series import Sequences, fewer_rows
from predfeat.splits._bounds import deal, long_enough, rows_within
from predfeat.splits._split import Split

__all__ = ["block_halves"]

# Enough blocks for both halves to cover the whole recording, and each block still long.
_N_BLOCKS = 10
# With this many sequences, whole sequences are dealt.
_MIN_WHOLE_SEQUENCES = 8


def block_halves(
    series: Sequences,
    n_lags: int,
    *,
    horizon: int = 1,
    random_state: int | np.random.Generator = 0,
) -> Split:
    """Deal blocks of consecutive rows into two halves of about the same size.

    If there are many sequences, the sequences are the blocks. Otherwise the rows are cut into ten
    blocks, and the first n_lags + horizon rows of each block except the first are left out, so
    that no state of one half overlaps with a successor of the other. A bootstrap would draw some
    blocks twice, and equal states would be each other's neighbours; here every block is dealt
    once.

    Parameters
    ----------
    series : Sequences
    n_lags : int
        Samples in a state, p.
    horizon : int
        How many steps ahead is predicted, H.
    random_state : int or numpy.random.Generator
        Decides which block goes where.

    Returns
    -------
    Split
        The halves as `train` and `test`, which are interchangeable. Its kind is "sequences" or
        "blocks".

    Raises
    ------
    ShortSequencesError
        One half would have no row.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits import block_halves
    >>> halves = block_halves(check_sequences(np.zeros((100, 1))), 1)
    >>> len(halves.train), len(halves.test), np.intersect1d(halves.train, halves.test).size
    (40, 42, 0)
    """
    kind, bounds = "sequences", long_enough(series)
    if len(bounds) < _MIN_WHOLE_SEQUENCES:
        kind = "blocks"
        edges = np.linspace(0, series.n_rows, _N_BLOCKS + 1).astype(np.intp).tolist()
        bounds = [
            (start + (n_lags + horizon if start else 0), stop) for start, stop in pairwise(edges)
        ]
    sizes = [int(series.valid[start:stop].sum()) for start, stop in bounds]
    order = np.random.default_rng(random_state).permutation(len(bounds)).tolist()
    one, other = (rows_within(bounds[number] for number in half) for half in deal(sizes, 2, order))
    if min(len(one), len(other)) == 0:
        raise ShortSequencesError(
            f"{series.n_rows} rows leave none for one of two halves: {n_lags + horizon} rows are "
            f"left out at the start of each of {_N_BLOCKS} blocks. Give more rows, or use "
            f"{fewer_rows(horizon)}."
        )
    return Split(one, other, kind)
