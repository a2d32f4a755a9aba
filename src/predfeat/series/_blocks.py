"""A checked series whose rows are read block by block.

`Sequences` hold all rows and say for each of them what belongs to it. Here only the borders are
kept, of sequences and of runs, and each block is made into `Sequences` when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.exceptions import ShortSequencesError, TooFewStatesError
from predfeat.series._matrix import refuse_huge
from predfeat.series._rows import Rows, Task, Window, rows_in_a_block
from predfeat.series._sequences import (
    Sequences,
    cut,
    fewer_rows,
    refuse_empty_columns,
    warn_returning,
)
from predfeat.series._states import what_follows

__all__ = ["Blocks", "Piece", "block_windows", "check_blocks"]


@dataclass(frozen=True, eq=False)
class Piece:
    """One block of a series, with the rows around it.

    Attributes
    ----------
    series : Sequences
        The rows that were read. What lies beyond them is not known here, so sequences and runs
        seem to end there.
    first : int
        The row of the whole series that is row 0 here.
    start, stop : int
        The block's own rows, counted here.
    """

    series: Sequences
    first: int
    start: int
    stop: int

    def own(self, times: IntArray) -> IntArray:
        """Return those of some rows that are the block's own."""
        return times[(times >= self.start) & (times < self.stop)]


@dataclass(frozen=True, eq=False)
class Blocks:
    """A multivariate time series that is read block by block; `check_blocks` makes it.

    Attributes
    ----------
    rows : Rows
        The source.
    block_rows : int
        Rows of a block. They depend on the number of columns alone.
    borders : ndarray of int
        First row of every sequence, and the number of rows.
    run_first, run_stop : ndarray of int, shape (n_runs,)
        First row, and one past the last, of every stretch of a sequence without a gap.
    smallest, largest, mean : ndarray of shape (n_columns,)
        Of the samples. The mean is rounded.
    """

    rows: Rows
    block_rows: int
    borders: IntArray
    run_first: IntArray
    run_stop: IntArray
    smallest: FloatArray
    largest: FloatArray
    mean: FloatArray

    @property
    def n_rows(self) -> int:
        """Number of rows, gaps included."""
        return self.rows.n_rows

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.rows.n_columns

    @property
    def n_samples(self) -> int:
        """Number of rows that are no gaps."""
        return int((self.run_stop - self.run_first).sum())

    def map(self, task: Task, *, back: int = 0, ahead: int = 0, **parameters: Any) -> Iterator[Any]:
        """Do a task with every block, and yield the results in order.

        Parameters
        ----------
        task : callable
            A function of a module, ``task(piece, **parameters)``; see `Piece`.
        back, ahead : int
            How many rows before and after its own the task sees.
        **parameters : Any
            The same for all blocks.
        """
        wanted = {"task": task, "parameters": parameters}
        return self.rows.map(_on_piece, self._windows(back, ahead), wanted)

    def count_states(self, n_lags: int, horizon: int = 0) -> int:
        """Return the number of states that have a sample `horizon` rows ahead."""
        return int(self._states_of_runs(n_lags, horizon)[-1])

    def state_times(self, positions: IntArray, n_lags: int, horizon: int = 0) -> IntArray:
        """Return the rows of some of these states, counted through in time order."""
        before = self._states_of_runs(n_lags, horizon)
        run = np.searchsorted(before, positions, side="right") - 1
        times: IntArray = self.run_first[run] + n_lags - 1 + (positions - before[run])
        return times

    def has(self, times: IntArray, shift: int) -> BoolArray:
        """Return for some samples whether there is one so many rows later, in the same run."""
        run = np.searchsorted(self.run_first, times, side="right") - 1
        inside = (times + shift >= self.run_first[run]) & (times + shift < self.run_stop[run])
        return np.asarray(inside)

    def sequences_of(self, times: IntArray) -> tuple[IntArray, IntArray]:
        """Return the first row of the sequence of each row, and one past its last."""
        which = np.searchsorted(self.borders, times, side="right") - 1
        return self.borders[which], self.borders[which + 1]

    def check_times(self, back: int, ahead: int, *, shorten: str = "fewer lags (n_lags)") -> None:
        """Raise if no run has so many rows; see `Sequences.times`."""
        lengths = self.run_stop - self.run_first
        if len(lengths) == 0:
            raise ShortSequencesError(
                "every row is a gap (holds a NaN): no sample is left. Fill or drop columns."
            )
        longest = int(np.argmax(lengths))
        if lengths[longest] < back + 1 + ahead:
            raise ShortSequencesError(
                f"every sequence is too short: {back + 1 + ahead} rows in a row are needed, but "
                f"the longest stretch has {lengths[longest]} (rows {self.run_first[longest]} to "
                f"{self.run_stop[longest] - 1}; n_samples = {self.n_rows}). Use {shorten} or "
                f"longer sequences. {self.n_rows - self.n_samples} of {self.n_rows} rows are gaps."
            )

    def check_states(self, n_lags: int, *, n_neighbors: int, horizon: int = 0) -> None:
        """Raise if there are too few states; see `find_states`."""
        self.check_times(n_lags - 1, horizon, shorten=fewer_rows(horizon))
        n_states = self.count_states(n_lags, horizon)
        if n_states < n_neighbors + 1:
            kind = f"states with {what_follows(horizon)}" if horizon else "states"
            raise TooFewStatesError(
                f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} {kind}, but with "
                f"n_lags={n_lags} there are {n_states} (n_samples={self.n_rows}, "
                f"n_features={self.n_columns}). Use at most n_neighbors={max(n_states - 1, 0)}, "
                "fewer lags or more data."
            )

    def _states_of_runs(self, n_lags: int, horizon: int) -> IntArray:
        """Return how many states there are before each run, and before the end."""
        counts = np.maximum(self.run_stop - self.run_first - (n_lags - 1) - horizon, 0)
        return np.concatenate([[0], np.cumsum(counts)])

    def _windows(self, back: int, ahead: int) -> list[Window]:
        return _windows(self.n_rows, self.block_rows, self.borders[:-1], back, ahead)


def check_blocks(rows: Rows) -> Blocks:
    """Read a series once, block by block, and find its sequences and gaps.

    The rules and the errors are those of `check_sequences`.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    Blocks

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.series import check_blocks, open_rows
    >>> nan = float("nan")
    >>> blocks = check_blocks(open_rows([[1.0], [2.0], [nan], [4.0]], groups=[0, 1, 1, 1]))
    >>> blocks.run_first.tolist(), blocks.run_stop.tolist()
    ([0, 1, 3], [1, 2, 4])
    """
    parameters = {"names": rows.names, "has_ids": rows.borders is None}
    found = list(rows.map(_surveyed, block_windows(rows), parameters))
    borders = _joined_borders(found) if rows.borders is None else rows.borders
    refuse_empty_columns(np.all([each.is_empty for each in found], axis=0), rows.names, "X")
    firsts, stops = _joined_runs(found, borders)
    sampled = [each for each in found if each.count]
    count = sum(each.count for each in sampled)
    zeros = np.zeros(rows.n_columns)
    return Blocks(
        rows,
        rows_in_a_block(rows.n_columns),
        np.append(borders, rows.n_rows),
        firsts,
        stops,
        np.min([each.smallest for each in sampled], axis=0) if sampled else zeros,
        np.max([each.largest for each in sampled], axis=0) if sampled else zeros,
        sum((each.mean * (each.count / count) for each in sampled), zeros),
    )


def block_windows(rows: Rows) -> list[Window]:
    """Return the blocks of rows, without the borders of sequences."""
    nowhere = np.empty(0, dtype=np.intp)
    return _windows(rows.n_rows, rows_in_a_block(rows.n_columns), nowhere, 0, 0)


@dataclass(frozen=True, eq=False)
class _Survey:
    """What one block shows of the whole series."""

    row: int
    first: IntArray  # first rows of stretches without a gap
    stop: IntArray
    is_empty: BoolArray  # columns
    count: int
    smallest: FloatArray
    largest: FloatArray
    mean: FloatArray
    changes: IntArray | None  # rows with another id than the row before
    ids: AnyArray | None  # of the first row, of those rows, and of the last


def _surveyed(rows: Rows, window: Window, names: list[str], has_ids: bool) -> _Survey:
    values = rows.read(window.start, window.stop)
    refuse_huge(values, names, "X", first_row=window.start)
    missing = np.isnan(values)
    valid = ~missing.any(axis=1)
    edges = np.flatnonzero(np.diff(valid, prepend=False, append=False)) + window.start
    samples = values if valid.all() else values[valid]
    mean = np.zeros(values.shape[1])
    if len(samples):
        mean = samples.mean(axis=0)
    changes, of_changes = None, None
    if has_ids:
        ids = np.asarray(rows.read_ids(window.start, window.stop))
        inside = np.flatnonzero(ids[1:] != ids[:-1]) + 1
        changes = inside + window.start
        of_changes = ids[np.concatenate([[0], inside, [len(ids) - 1]])]
    return _Survey(
        window.start,
        edges[::2],
        edges[1::2],
        np.asarray(missing.all(axis=0)),
        len(samples),
        samples.min(axis=0, initial=np.inf),
        samples.max(axis=0, initial=-np.inf),
        mean,
        changes,
        of_changes,
    )


def _joined_borders(found: list[_Survey]) -> IntArray:
    """Return the first rows of the sequences, from what the blocks say about their ids."""
    borders: list[int] = []
    ids: list[Any] = []
    last: Any = None
    for each in found:
        assert each.changes is not None
        assert each.ids is not None
        if not ids or each.ids[0] != last:
            borders.append(each.row)
            ids.append(each.ids[0])
        borders.extend(each.changes.tolist())
        ids.extend(each.ids[1:-1])
        last = each.ids[-1]
    warn_returning(np.array(ids, dtype=object), np.array(borders))
    return np.array(borders, dtype=np.intp)


def _joined_runs(found: list[_Survey], borders: IntArray) -> tuple[IntArray, IntArray]:
    """Return the runs: stretches without a gap, joined over blocks and cut between sequences."""
    first = np.concatenate([each.first for each in found])
    stop = np.concatenate([each.stop for each in found])
    apart = np.ones(len(first), dtype=bool)
    apart[1:] = first[1:] != stop[:-1]  # else a block ends there, and nothing else
    first, stop = first[apart], stop[np.append(apart[1:], True)[: len(stop)]]
    if len(first) == 0:
        return first, stop
    run = np.searchsorted(first, borders, side="right") - 1
    inside = borders[(run >= 0) & (borders > first[run]) & (borders < stop[run])]
    first, stop = np.sort(np.concatenate([first, inside])), np.sort(np.concatenate([stop, inside]))
    return first.astype(np.intp), stop.astype(np.intp)


def _windows(
    n_rows: int, block_rows: int, borders: IntArray, back: int, ahead: int
) -> list[Window]:
    windows = []
    for start in range(0, n_rows, block_rows):
        stop = min(start + block_rows, n_rows)
        first, end = max(start - back, 0), min(stop + ahead, n_rows)
        here = slice(*np.searchsorted(borders, (first, end)))
        windows.append(Window(start, stop, first, end, borders[here]))
    return windows


def _on_piece(rows: Rows, window: Window, task: Task, parameters: dict[str, Any]) -> Any:
    values = rows.read(window.first, window.end)
    starts = np.zeros(len(values), dtype=bool)
    starts[0] = True
    starts[window.borders - window.first] = True
    own = window.start - window.first, window.stop - window.first
    return task(Piece(cut(values, starts), window.first, *own), **parameters)
