"""Repeated training and test parts of one recording that never touch each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from predfeat._typing import IntArray
from predfeat.exceptions import SplitError
from predfeat.series import Sequences, fewer_rows
from predfeat.splits._bounds import Bounds, long_enough, rows_within
from predfeat.splits._pieces import N_PIECES, count_pieces, enough_for, lengths_of, shortest_piece
from predfeat.splits._split import Split

__all__ = ["TRAIN_SHARE", "blocked_splits", "random_windows"]

# Shares of the rows in the two windows. The rest lets the windows move between repetitions.
TRAIN_SHARE, _TEST_SHARE = 0.6, 0.3
# Share of the sequences in the test part, if there are several.
_TEST_SEQUENCE_SHARE = 1 / 3
# After this many draws in a row without a new usable split, the search stops.
_MAX_FRUITLESS_DRAWS = 50


def blocked_splits(
    series: Sequences,
    n_repetitions: int,
    *,
    n_lags: int = 1,
    horizon: int = 1,
    max_train: int = 10_000,
    max_test: int = 5_000,
    random_state: int | np.random.Generator = 0,
    usable: Callable[[Split], bool] | None = None,
) -> list[Split]:
    """Draw pairs of a training and a test part that share no state and no successor.

    Several sequences are dealt whole: a random third of them to the test part, the others to the
    training part. If fewer than ten whole sequences fit, a stretch of each of ten is taken, because
    trials differ. A single sequence is cut into a training window and a test window at random
    places, in random order, with at least `n_lags` + `horizon` rows between them that belong to
    neither. Several sequences are cut the same way if no deal gives two usable parts. No two splits
    are the same; if there are fewer different ones than asked for, fewer are returned.

    Parameters
    ----------
    series : Sequences
        The whole recording.
    n_repetitions : int
        Number of splits.
    n_lags : int
        Samples in a state, p.
    horizon : int
        How many steps ahead is predicted, H.
    max_train, max_test : int
        The most rows in a part. Longer parts are cut to stretches at random places.
    random_state : int or numpy.random.Generator
        Decides which parts are drawn.
    usable : callable, optional
        Returns whether a split is usable; one that is not is drawn again.

    Returns
    -------
    list of Split
        Of kind "sequences" or "windows".

    Raises
    ------
    SplitError
        No usable split was found.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_sequences
    >>> from predfeat.splits import blocked_splits
    >>> series = check_sequences(np.zeros((100, 1)))
    >>> split = blocked_splits(series, 1)[0]
    >>> len(split.train), len(split.test), np.intersect1d(split.train, split.test).size
    (58, 29, 0)
    """
    random = np.random.default_rng(random_state)
    bounds = long_enough(series, back=n_lags - 1, ahead=horizon)
    splits: list[Split] = []
    if len(bounds) > 1:
        shortest = shortest_piece(n_lags, horizon)
        splits = _collect(
            lambda: _deal_sequences(bounds, max_train, max_test, shortest, random),
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


def random_windows(
    n_rows: int,
    n_train: int,
    n_test: int,
    gap: int,
    *,
    random_state: int | np.random.Generator = 0,
) -> Split:
    """Place a training and a test window at random, with at least `gap` rows between them.

    Raises
    ------
    SplitError
        There are too few rows.

    Examples
    --------
    >>> from predfeat.splits import random_windows
    >>> split = random_windows(12, 5, 3, gap=2, random_state=0)
    >>> split.train, split.test
    (array([1, 2, 3, 4, 5]), array([ 9, 10, 11]))
    """
    random = np.random.default_rng(random_state)
    spare = n_rows - gap - n_train - n_test
    if spare < 0:
        raise SplitError(
            f"there are {n_rows} rows, but windows of {n_train} and {n_test} rows with {gap} "
            f"between them need {n_rows - spare}. Give more rows, or ask for shorter windows."
        )
    before, between = np.sort(random.integers(spare + 1, size=2))
    train_first = bool(random.integers(2))
    first, second = (n_train, n_test) if train_first else (n_test, n_train)
    one = np.arange(before, before + first)
    other = np.arange(first + gap + between, first + gap + between + second)
    return Split(one, other, "windows") if train_first else Split(other, one, "windows")


def _collect(
    draw: Callable[[], Split | None], n_wanted: int, usable: Callable[[Split], bool] | None
) -> list[Split]:
    """Draw until there are enough different usable splits, or no more turn up."""
    splits: list[Split] = []
    seen: set[bytes] = set()
    fruitless = 0
    while len(splits) < n_wanted and fruitless < _MAX_FRUITLESS_DRAWS:
        split = draw()
        fruitless += 1
        if split is None:
            continue
        key = split.train.tobytes() + b"|" + split.test.tobytes()
        if key in seen:
            continue
        seen.add(key)
        if min(len(split.train), len(split.test)) > 0 and (usable is None or usable(split)):
            splits.append(split)
            fruitless = 0
    return splits


def _deal_sequences(
    bounds: list[Bounds],
    max_train: int,
    max_test: int,
    shortest: int,
    random: np.random.Generator,
) -> Split:
    order = random.permutation(len(bounds))
    n_test = max(1, round(_TEST_SEQUENCE_SHARE * len(bounds)))
    dealt = [bounds[i] for i in order]
    train = _rows_of(dealt[n_test:], max_train, shortest, random)
    test = _rows_of(dealt[:n_test], max_test, shortest, random)
    is_cut = len(train) + len(test) < sum(stop - start for start, stop in bounds)
    return Split(train, test, "sequences", is_cut)


def _rows_of(
    bounds: list[Bounds], at_most: int, shortest: int, random: np.random.Generator
) -> IntArray:
    """Return rows of the sequences, up to a limit; whole sequences if many fit."""
    whole, too_long, left = [], [], at_most
    for start, stop in bounds:
        if stop - start <= left:
            whole.append((start, stop))
            left -= stop - start
        else:
            too_long.append((start, stop))
    if len(whole) < min(N_PIECES, len(bounds)):
        some = enough_for(at_most, bounds, count_pieces(len(bounds), at_most, shortest))
        lengths = lengths_of(some, at_most, shortest)
        whole = [_stretch(*each, random) for each in zip(some, lengths, strict=True)]
    elif too_long and left >= shortest:
        longest = max(too_long, key=lambda bound: bound[1] - bound[0])
        whole.append(_stretch(longest, left, random))
    return rows_within(sorted(whole))


def _stretch(bound: Bounds, length: int, random: np.random.Generator) -> Bounds:
    """Return a stretch of a sequence, at a random place."""
    start, stop = bound
    first = start + int(random.integers(stop - start - length + 1))
    return first, first + length


def _place_windows(
    n_rows: int, gap: int, max_train: int, max_test: int, random: np.random.Generator
) -> Split | None:
    n_train = min(max_train, int(TRAIN_SHARE * (n_rows - gap)))
    n_test = min(max_test, int(_TEST_SHARE * (n_rows - gap)))
    if min(n_train, n_test) < 1:
        return None
    split = random_windows(n_rows, n_train, n_test, gap, random_state=random)
    return replace(split, is_cut=n_train == max_train or n_test == max_test)
