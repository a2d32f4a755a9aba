"""Rows in time order, cut into sequences and into stretches without a gap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray
from predfeat._warnings import warn
from predfeat.exceptions import (
    EmptyColumnError,
    GroupsError,
    ReturningGroupWarning,
    ShortSequencesError,
)
from predfeat.series._matrix import Matrix, check_matrix

__all__ = [
    "Sequences",
    "check_groups",
    "check_sequences",
    "cut",
    "fewer_rows",
    "first_rows",
    "is_missing",
    "refuse_empty_columns",
    "warn_returning",
]


@dataclass(frozen=True)
class Sequences:
    """A multivariate time series: one or many sequences, with or without gaps.

    A *sequence* is a block of consecutive rows with one group id. A *run* is a stretch of a
    sequence without a missing row. Nothing that looks back or ahead ever leaves its run.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        The samples. Gap rows hold zeros and are never read.
    valid : ndarray of bool, shape (n_rows,)
        False for gaps.
    sequence_first, sequence_last : ndarray of int, shape (n_rows,)
        First and last row of the sequence a row belongs to.
    run_first, run_last : ndarray of int, shape (n_rows,)
        First and last row of the run a valid row belongs to.
    group_ids : ndarray, shape (n_rows,), or None
        The ids as given, for messages.
    """

    rows: FloatArray
    valid: BoolArray
    sequence_first: IntArray
    sequence_last: IntArray
    run_first: IntArray
    run_last: IntArray
    group_ids: AnyArray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows, gaps included."""
        return len(self.rows)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1])

    @property
    def samples(self) -> FloatArray:
        """The valid rows only (the array itself, not a copy, where there are no gaps)."""
        return self.rows if self.valid.all() else self.rows[self.valid]

    def with_rows(self, rows: FloatArray) -> Sequences:
        """Return the same sequences and gaps over other columns."""
        return replace(self, rows=rows)

    def preceded_by(self, rows: FloatArray) -> Sequences:
        """Return the series with rows in front that belong to its first sequence.

        Parameters
        ----------
        rows : ndarray of shape (n_more, n_columns)
            Samples without a gap, in time order.

        Examples
        --------
        >>> from predfeat.series import check_sequences
        >>> series = check_sequences([[3.0], [4.0], [5.0]], groups=["a", "a", "b"])
        >>> series.preceded_by([[1.0], [2.0]]).run_bounds()
        [(0, 4), (4, 5)]
        """
        n_more = len(rows)
        if n_more == 0 or self.n_rows == 0:
            return self

        def moved(first: IntArray, last: IntArray, joined: bool) -> tuple[IntArray, IntArray]:
            border = int(last[0]) + n_more if joined else n_more - 1
            before = np.zeros(n_more, dtype=first.dtype), np.full(n_more, border)
            here = np.where(joined & (first == 0), 0, first + n_more)
            return np.r_[before[0], here], np.r_[before[1], last + n_more]

        ids = self.group_ids
        return Sequences(
            np.vstack([rows, self.rows]),
            np.r_[np.ones(n_more, dtype=bool), self.valid],
            *moved(self.sequence_first, self.sequence_last, True),
            *moved(self.run_first, self.run_last, bool(self.valid[0])),
            None if ids is None else np.concatenate([np.repeat(ids[:1], n_more), ids]),
        )

    def reach(self, back: int = 0, ahead: int = 0) -> BoolArray:
        """Return for each row t whether rows t-back … t+ahead all lie in its run.

        Examples
        --------
        >>> from predfeat.series import check_sequences
        >>> series = check_sequences([[1.0], [2.0], [3.0], [4.0]], groups=[0, 0, 0, 1])
        >>> series.reach(ahead=1)
        array([ True,  True, False, False])
        """
        time = np.arange(self.n_rows)
        inside = (time - back >= self.run_first) & (time + ahead <= self.run_last)
        return np.asarray(self.valid & inside)

    def times(
        self, back: int = 0, ahead: int = 0, *, shorten: str = "fewer lags (n_lags)"
    ) -> IntArray:
        """Return the rows for which `reach` holds; raise if there are none.

        Raises
        ------
        ShortSequencesError
            When every run is shorter than back + 1 + ahead rows. The message names the longest
            run and suggests `shorten`, which needs fewer rows.
        """
        times = np.flatnonzero(self.reach(back, ahead))
        if times.size == 0:
            raise ShortSequencesError(self._why_too_short(back, ahead, shorten))
        return times

    def state_times(self, n_lags: int, horizon: int = 0) -> IntArray:
        """Return the rows that end a state of n_lags samples and have one `horizon` rows ahead.

        Raises
        ------
        ShortSequencesError
            There are none.

        Examples
        --------
        >>> from predfeat.series import check_sequences
        >>> check_sequences([[0.0]] * 6).state_times(n_lags=2, horizon=3)
        array([1, 2])
        """
        return self.times(n_lags - 1, horizon, shorten=fewer_rows(horizon))

    def run_bounds(self) -> list[tuple[int, int]]:
        """Return (first row, one past the last row) of every run, in order."""
        starts = np.flatnonzero(self.valid & (np.arange(self.n_rows) == self.run_first))
        return [(int(start), int(self.run_last[start]) + 1) for start in starts]

    def sequence_bounds(self) -> list[tuple[int, int]]:
        """Return (first row, one past the last row) of every sequence, gaps included."""
        starts = np.flatnonzero(np.arange(self.n_rows) == self.sequence_first)
        return [(int(start), int(self.sequence_last[start]) + 1) for start in starts]

    def _why_too_short(self, back: int, ahead: int, shorten: str) -> str:
        bounds = self.run_bounds()
        if not bounds:
            return "every row is a gap (holds a NaN): no sample is left. Fill or drop columns."
        start, stop = max(bounds, key=lambda bound: bound[1] - bound[0])
        where = f"rows {start} to {stop - 1}"
        if self.group_ids is not None:
            where += f", group {_as_written(self.group_ids[start])}"
        advice = f"Use {shorten} or longer sequences."
        if np.any(~self.valid):
            advice += f" {int((~self.valid).sum())} of {self.n_rows} rows are gaps."
        if self.group_ids is not None and _first_returning(self.group_ids) is not None:
            advice += " Group ids reappear after other ids: sort the rows by group and time."
        return (
            f"every sequence is too short: {back + 1 + ahead} rows in a row are needed, but the "
            f"longest stretch has {stop - start} ({where}; n_samples = {self.n_rows}). {advice}"
        )


def fewer_rows(horizon: int) -> str:
    """Return the advice for a prediction that needs too many rows."""
    nearer = f", a nearer horizon (horizon={horizon})" if horizon > 1 else ""
    return f"fewer lags (n_lags){nearer}"


def check_sequences(
    X: Any,
    groups: ArrayLike | None = None,
    *,
    name: str = "X",
    min_rows: int = 1,
    is_part: bool = False,
) -> Sequences:
    """Cut rows into sequences by `groups` and into runs by their gaps.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns), Matrix or Rows
        Rows in time order. A row that holds a NaN is a gap: it is not a sample, and no state,
        difference or prediction crosses it.
    groups : array-like of shape (n_rows,), optional
        One id per row. Consecutive rows of one id form a sequence; where the id changes, a new
        one starts. An id that reappears later starts a *new* sequence, with a warning.
        Without `groups` all rows are one sequence.
    name : str
        Name of X in messages.
    min_rows : int
        The fewest rows that make sense.
    is_part : bool
        Whether X is a part of a longer series. A column may then be NaN throughout, which is
        refused in a whole series.

    Returns
    -------
    Sequences

    Examples
    --------
    >>> from predfeat.series import check_sequences
    >>> nan = float("nan")
    >>> series = check_sequences([[1.0], [2.0], [nan], [3.0], [4.0]], groups=[0, 0, 0, 0, 1])
    >>> series.run_bounds()
    [(0, 2), (3, 4), (4, 5)]
    """
    matrix = X if isinstance(X, Matrix) else check_matrix(X, name=name, min_rows=min_rows)
    values = matrix.values
    n_rows = len(values)
    if matrix.ids is not None:
        if groups is not None:
            raise GroupsError(
                f"groups were given beside {name}, which has group ids of its own. Give one of "
                "the two."
            )
        groups = matrix.ids
    ids = None if groups is None else check_groups(groups, n_rows)
    if not is_part and n_rows:
        refuse_empty_columns(np.asarray(np.isnan(values).all(axis=0)), matrix.names, name)
    sequence_start = np.zeros(n_rows, dtype=bool)
    if n_rows:
        sequence_start[0] = True
    if ids is not None:
        sequence_start[first_rows(ids)] = True
        warn_returning(ids)
    return cut(values, sequence_start, ids)


def cut(values: FloatArray, sequence_start: BoolArray, ids: AnyArray | None = None) -> Sequences:
    """Cut rows into sequences where they start, and into runs by their gaps.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Rows with a NaN are gaps.
    sequence_start : ndarray of bool, shape (n_rows,)
        True for the first row of each sequence.
    ids : ndarray, optional
        The group ids, for messages.
    """
    valid = np.asarray(~np.isnan(values).any(axis=1))
    sequence_first, sequence_last = _blocks(sequence_start)
    # A run starts with a sequence, at a gap and right after one, so every gap is a run of its own.
    run_start = sequence_start | ~valid
    run_start[1:] |= ~valid[:-1]
    run_first, run_last = _blocks(run_start)
    rows = values if valid.all() else np.where(valid[:, None], values, 0.0)
    return Sequences(rows, valid, sequence_first, sequence_last, run_first, run_last, ids)


def first_rows(ids: AnyArray) -> IntArray:
    """Return the first row of every block of rows with one id."""
    starts: IntArray = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]][: len(ids)])
    return starts


def check_groups(groups: ArrayLike, n_rows: int) -> AnyArray:
    """Return `groups` as an array of one id for every row."""
    ids = np.asarray(groups)
    if ids.dtype.kind in "US" and not hasattr(groups, "dtype"):
        ids = np.array(groups, dtype=object)  # as strings, a NaN would become an id
    if ids.ndim != 1:
        raise GroupsError(
            f"groups must be one id per row, a 1-D array, but it has shape {ids.shape}."
        )
    if len(ids) != n_rows:
        raise GroupsError(
            f"groups must have one id per row: X has {n_rows} rows, groups has {len(ids)}."
        )
    if ids.dtype.kind in "fOmM":
        missing = [row for row, i in enumerate(ids) if is_missing(i)]
        if missing:
            raise GroupsError(
                f"groups must have an id for every row, but row {missing[0]} has none. "
                "Mark a missing sample with NaN in X instead."
            )
    return ids


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN and NaT differ from themselves
    except TypeError:  # pandas' NA has no truth value
        return True


def _as_written(group_id: Any) -> str:
    """Return an id as the user would write it: 3, not np.int64(3)."""
    return repr(group_id.item() if isinstance(group_id, np.generic) else group_id)


def _first_returning(ids: AnyArray) -> tuple[Any, int] | None:
    """Return the first id that reappears after another one, and the row where it does."""
    seen = set()
    for start in first_rows(ids):
        if ids[start] in seen:
            return ids[start], int(start)
        seen.add(ids[start])
    return None


def warn_returning(ids: AnyArray, rows: IntArray | None = None) -> None:
    """Warn of an id that reappears after another one; `rows` are those of the ids, if not all."""
    returning = _first_returning(ids)
    if returning is not None:
        row = returning[1] if rows is None else rows[returning[1]]
        warn(
            f"group id {_as_written(returning[0])} reappears at row {row} after others: "
            "each block is treated as a sequence of its own. Give every sequence its own id; "
            "cross-validation that leaves out the rows between would join the blocks.",
            ReturningGroupWarning,
        )


def refuse_empty_columns(is_empty: BoolArray, names: list[str], name: str) -> None:
    """Refuse columns without a single number."""
    empty = np.flatnonzero(is_empty)
    if empty.size:
        listed = ", ".join(repr(names[i]) for i in empty[:10]) + (", …" if empty.size > 10 else "")
        raise EmptyColumnError(
            f"{name} has {empty.size} column(s) that are NaN throughout: {listed}. Every row "
            "would be a gap. Drop them."
        )


def _blocks(start: BoolArray) -> tuple[IntArray, IntArray]:
    """Return each row's first and last row of its block; blocks begin where `start` is True."""
    n_rows = len(start)
    firsts = np.flatnonzero(start)
    lasts = np.append(firsts[1:] - 1, n_rows - 1)[: len(firsts)]
    block = np.cumsum(start) - 1
    return firsts[block], lasts[block]
