"""Training and test parts of one recording, again and again, never touching each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import IntArray
from predfeat.exceptions import SplitError
from predfeat.series import Sequences, fewer_rows

__all__ = [
    "TRAIN_SHARE",
    "Split",
    "blocked_splits",
    "random_windows",
    "shortest_piece",
    "spread_rows",
    "spread_sequences",
]

# Of what is there, in windows: the rest lets them lie elsewhere in every repetition.
TRAIN_SHARE, _TEST_SHARE = 0.6, 0.3
# Blocks of a recording that is too long, and sequences at least of which a part has rows. Fewer
# trials are not like the others; of more the pieces would be short, and of what a trial returns to
# again and again neighbours would be missing: with 5000 rows of 140 trials of 600 that differ in
# speed and size, 4 whole ones gave 3.8 ± 4.5 % left open, pieces of ten 4.1 ± 1.7 %, of 47
# 7.4 ± 0.8 %, and all rows 3.4 ± 0.6 %.
_BLOCKS = 10
# Of the sequences, where there are several.
_TEST_SEQUENCES = 1 / 3
# At least so many times the rows that a state and its successor need are taken of a sequence: a
# tenth of them, at most, then end no state that has a successor.
_TIMES_REACH = 10
# So many draws in a row without a new usable split mean that there are no more.
_FRUITLESS_DRAWS = 50


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to test on.

    Attributes
    ----------
    train, test : ndarray of int
        Row numbers, ascending.
    kind : {"sequences", "windows"}
        How they were drawn.
    is_cut : bool
        Whether rows were left out to keep within a limit.
    """

    train: IntArray
    test: IntArray
    kind: str = "windows"
    is_cut: bool = False


def blocked_splits(
    series: Sequences,
    n_repetitions: int,
    *,
    n_lags: int = 1,
    horizon: int = 1,
    max_train: int = 10_000,
    max_test: int = 5_000,
    seed: int = 0,
    usable: Callable[[Split], bool] | None = None,
) -> list[Split]:
    """Draw pairs of a training and a test part that no state or successor can connect.

    Several sequences are dealt whole: a random third of them to the test part, the others to the
    training part. Where not even ten of them have room, a stretch of each of ten is taken: one
    trial is not like another. A single sequence is cut into a training window and a test window at
    random places, in random order, with at least `n_lags` + `horizon` rows between them that belong
    to neither.
    So are sequences of which no deal gives two usable parts. No two splits are the same; where
    there are fewer different ones than asked for, fewer are returned.

    Parameters
    ----------
    series : Sequences
        The whole recording.
    n_repetitions : int
        Splits wanted.
    n_lags : int
        Samples in a state, p.
    horizon : int
        How many steps ahead is predicted, H.
    max_train, max_test : int
        Rows at most. Of what is longer stretches at random places are taken.
    seed : int
        Of everything random here.
    usable : callable, optional
        Tells whether a split can be worked with; those that cannot are drawn again.

    Returns
    -------
    list of Split

    Raises
    ------
    SplitError
        When no usable split is found.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.experiments import blocked_splits
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences(np.zeros((100, 1)))
    >>> split = blocked_splits(series, 1)[0]
    >>> len(split.train), len(split.test), np.intersect1d(split.train, split.test).size
    (58, 29, 0)
    """
    random = np.random.default_rng(seed)
    bounds = _long_enough(series, n_lags, horizon)
    splits: list[Split] = []
    if len(bounds) > 1:
        splits = _collect(
            lambda: _deal_sequences(
                bounds, max_train, max_test, shortest_piece(n_lags, horizon), random
            ),
            n_repetitions,
            usable,
        )
    if not splits:
        gap = n_lags + horizon
        splits = _collect(
            lambda: _place_windows(series.n_rows, gap, max_train, max_test, random),
            n_repetitions,
            usable,
        )
    if not splits:
        raise SplitError(
            f"the recording ({series.n_rows} rows, {int((~series.valid).sum())} of them gaps, "
            f"{len(bounds)} sequence(s) of {n_lags + horizon} or more rows without a gap) "
            "cannot be split into a training and a test part with enough states in both. Give "
            f"more rows, or ask for {fewer_rows(horizon)}, fewer neighbours (n_neighbors) or "
            "features (n_components)."
        )
    return splits


def spread_rows(
    n_rows: int, at_most: int, n_blocks: int = _BLOCKS, gap: int = 0
) -> tuple[IntArray, IntArray]:
    """Choose rows of a long recording: blocks of consecutive ones, evenly spread over it.

    Parameters
    ----------
    n_rows : int
        Of the recording.
    at_most : int
        Rows to choose; all, where there are no more.
    n_blocks : int
        Blocks to choose them in, at most: fewer where more than a tenth of the rows would have to
        be left out between them.
    gap : int
        Rows to leave out, at least, between two blocks.

    Returns
    -------
    rows : ndarray of int
        Ascending.
    first : ndarray of int
        For each of them the first row of its block.

    Examples
    --------
    >>> from predfeat.experiments import spread_rows
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


def shortest_piece(n_lags: int, horizon: int = 1) -> int:
    """Return how many rows in a row are worth taking of a sequence.

    Examples
    --------
    >>> from predfeat.experiments import shortest_piece
    >>> shortest_piece(n_lags=1), shortest_piece(n_lags=3, horizon=2)
    (10, 40)
    """
    return _TIMES_REACH * (n_lags - 1 + horizon)


def spread_sequences(
    series: Sequences, at_most: int, gap: int = 0, *, shortest: int = 1
) -> tuple[IntArray, IntArray]:
    """Choose rows of a long recording, and say which of them hang together.

    They are ten blocks, of one sequence or of several; whole sequences where at least ten have
    room, evenly spread.

    Parameters
    ----------
    series : Sequences
        The whole recording.
    at_most, gap : int
        Rows to choose, and to leave out between blocks, as in `spread_rows`.
    shortest : int
        Rows that are worth taking of a sequence: of fewer sequences where ten would have less.

    Returns
    -------
    rows : ndarray of int
        Ascending.
    groups : ndarray of int
        For each of them the first row it hangs together with: of its sequence, or of its block.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.experiments import spread_sequences
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences(np.zeros((40, 1)), groups=np.repeat([0, 1], 20))
    >>> rows, groups = spread_sequences(series, 20)
    >>> rows[:6], groups[8:14]
    (array([ 0,  1,  4,  5,  9, 10]), array([18, 18, 20, 20, 24, 24]))
    """
    bounds = series.sequence_bounds()
    if series.n_rows <= at_most:
        return np.arange(series.n_rows), series.sequence_first
    if len(bounds) == 1:
        return spread_rows(series.n_rows, at_most, gap=gap)
    n_whole = at_most * len(bounds) // series.n_rows
    n_pieces = max(n_whole, _count_pieces(len(bounds), at_most, shortest))
    spread = np.linspace(0, len(bounds) - 1, n_pieces).astype(np.intp).tolist()
    by_length = sorted(range(len(bounds)), key=lambda i: bounds[i][0] - bounds[i][1])
    order = dict.fromkeys([*spread, *by_length])
    chosen = sorted(_with_rows_enough([bounds[i] for i in order], n_pieces, at_most))
    n_pieces = len(chosen)
    n_blocks = max(1, round(_BLOCKS / n_pieces))
    rows, blocks = [], []
    for place, (start, stop), length in zip(
        np.linspace(0, 1, n_pieces), chosen, _lengths(chosen, at_most, shortest), strict=True
    ):
        if n_blocks == 1:  # here at the beginning of a sequence, there at its end
            first = start + int(place * (stop - start - length))
            rows.append(np.arange(first, first + length))
            blocks.append(np.full(length, first))
        else:
            own, of_block = spread_rows(stop - start, length, n_blocks, gap)
            rows.append(start + own)
            blocks.append(start + of_block)
    return np.concatenate(rows), np.concatenate(blocks)


def _count_pieces(n_sequences: int, at_most: int, shortest: int) -> int:
    """Return of how many sequences a part of so many rows is to have a piece."""
    return min(n_sequences, _BLOCKS, max(1, at_most // max(shortest, 1)))


def _with_rows_enough(
    bounds: list[tuple[int, int]], n_pieces: int, at_most: int
) -> list[tuple[int, int]]:
    """Return the first sequences, and as many more as it takes for so many rows."""
    n_rows = np.cumsum([stop - start for start, stop in bounds])
    return bounds[: max(n_pieces, int(np.searchsorted(n_rows, at_most)) + 1)]


def _lengths(bounds: list[tuple[int, int]], at_most: int, shortest: int) -> list[int]:
    """Return how many rows to take of each sequence: all of them if they fit.

    Otherwise what is worth taking, and of the rest a share, the same of each.
    """
    whole = [stop - start for start, stop in bounds]
    if sum(whole) <= at_most:
        return whole
    least = [min(length, max(shortest, 1), at_most // len(whole)) for length in whole]
    left, missing = at_most - sum(least), sum(whole) - sum(least)
    return [
        few + left * (length - few) // missing for few, length in zip(least, whole, strict=True)
    ]


def _collect(
    draw: Callable[[], Split], n_wanted: int, usable: Callable[[Split], bool] | None
) -> list[Split]:
    """Draw until there are as many different usable splits as wanted, or no more turn up."""
    splits: list[Split] = []
    seen: set[bytes] = set()
    fruitless = 0
    while len(splits) < n_wanted and fruitless < _FRUITLESS_DRAWS:
        split = draw()
        key = split.train.tobytes() + b"|" + split.test.tobytes()
        fruitless += 1
        if key in seen:
            continue
        seen.add(key)
        if min(len(split.train), len(split.test)) > 0 and (usable is None or usable(split)):
            splits.append(split)
            fruitless = 0
    return splits


def _long_enough(series: Sequences, n_lags: int, horizon: int) -> list[tuple[int, int]]:
    """Return the bounds of the sequences that hold a state and its successor."""
    reached = np.concatenate([[0], np.cumsum(series.reach(back=n_lags - 1, ahead=horizon))])
    return [(a, b) for a, b in series.sequence_bounds() if reached[b] > reached[a]]


def _deal_sequences(
    bounds: list[tuple[int, int]],
    max_train: int,
    max_test: int,
    shortest: int,
    random: np.random.Generator,
) -> Split:
    order = random.permutation(len(bounds))
    n_test = max(1, round(_TEST_SEQUENCES * len(bounds)))
    dealt = [bounds[i] for i in order]
    train = _rows_of(dealt[n_test:], max_train, shortest, random)
    test = _rows_of(dealt[:n_test], max_test, shortest, random)
    is_cut = len(train) + len(test) < sum(stop - start for start, stop in bounds)
    return Split(train, test, "sequences", is_cut)


def _rows_of(
    bounds: list[tuple[int, int]], at_most: int, shortest: int, random: np.random.Generator
) -> IntArray:
    """Return rows of the sequences, up to a number; whole ones where many fit."""
    chosen, left, too_long = [], at_most, []
    for start, stop in bounds:
        if stop - start <= left:
            chosen.append(np.arange(start, stop))
            left -= stop - start
        else:
            too_long.append((start, stop))
    if len(chosen) >= _BLOCKS and too_long and left >= shortest:
        start, stop = max(too_long, key=lambda bound: bound[1] - bound[0])
        first = start + int(random.integers(stop - start - left + 1))
        chosen.append(np.arange(first, first + left))
    if len(chosen) < min(_BLOCKS, len(bounds)):
        n_pieces = _count_pieces(len(bounds), at_most, shortest)
        some = _with_rows_enough(bounds, n_pieces, at_most)
        chosen = []
        for (start, stop), length in zip(some, _lengths(some, at_most, shortest), strict=True):
            first = start + int(random.integers(stop - start - length + 1))
            chosen.append(np.arange(first, first + length))
    return np.sort(np.concatenate(chosen))


def _place_windows(
    n_rows: int, gap: int, max_train: int, max_test: int, random: np.random.Generator
) -> Split:
    n_train = min(max_train, int(TRAIN_SHARE * (n_rows - gap)))
    n_test = min(max_test, int(_TEST_SHARE * (n_rows - gap)))
    if min(n_train, n_test) < 1:
        return Split(np.empty(0, np.intp), np.empty(0, np.intp))
    split = random_windows(n_rows, n_train, n_test, gap, random)
    return replace(split, is_cut=n_train == max_train or n_test == max_test)


def random_windows(
    n_rows: int, n_train: int, n_test: int, gap: int, random: np.random.Generator
) -> Split:
    """Place a training and a test window at random, with at least `gap` rows between them."""
    spare = n_rows - gap - n_train - n_test
    before, between = np.sort(random.integers(spare + 1, size=2))
    train_first = bool(random.integers(2))
    first, second = (n_train, n_test) if train_first else (n_test, n_train)
    one = np.arange(before, before + first)
    other = np.arange(first + gap + between, first + gap + between + second)
    return Split(one, other) if train_first else Split(other, one)
