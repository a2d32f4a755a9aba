"""What is kept of a series that comes in pieces: moments that add up, and its last rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.exceptions import GroupsError
from predfeat.series import Sequences, States
from predfeat.whitening import Moments, Whitening

__all__ = ["MOST_STEPS", "Change", "Counted", "Stream", "Window", "moments_of"]

# A model file has no room for as many sums, or for sums as large, as more lags or steps need.
MOST_STEPS = 2**16

_NUMBERS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class Change:
    """The change x_t - x_{t-n} over n steps.

    It is counted as such: differences of lagged covariances would lose the digits of what changes
    slowly.
    """

    n_steps: int

    @property
    def span(self) -> int:
        """How many successive rows it takes."""
        return self.n_steps + 1

    @property
    def n_blocks(self) -> int:
        """How many rows stand side by side in one of the vectors that are counted."""
        return 1

    def vectors(self, series: Sequences, times: IntArray) -> FloatArray:
        """Return one vector for each time, its newest row."""
        return series.rows[times] - series.rows[times - self.n_steps]

    def white(self, moments: Moments, whitening: Whitening) -> FloatArray:
        """Return the mean outer product of the changes in white space."""
        return _whitened(moments.scatter_about(0.0), 1, whitening) / moments.count


@dataclass(frozen=True)
class Window:
    """The rows x_t, x_{t-1}, …, x_{t-L+1} side by side."""

    length: int

    @property
    def span(self) -> int:
        """How many successive rows it takes."""
        return self.length

    @property
    def n_blocks(self) -> int:
        """How many rows stand side by side in one of the vectors that are counted."""
        return self.length

    def vectors(self, series: Sequences, times: IntArray) -> FloatArray:
        """Return one vector for each time, its newest row."""
        return States(series, times, self.length).embed()

    def white(self, moments: Moments, whitening: Whitening) -> FloatArray:
        """Return the mean outer product of the windows in white space.

        They are centred with the mean of all samples, which has no part in which windows are
        complete.
        """
        scatter = moments.scatter_about(np.tile(whitening.mean, self.length))
        return _whitened(scatter, self.length, whitening) / moments.count


Counted = Change | Window


def _whitened(scatter: FloatArray, n_blocks: int, whitening: Whitening) -> FloatArray:
    """Map a scatter of `n_blocks` rows side by side into white space, block by block."""
    directions, rank = whitening.directions, whitening.rank
    n_columns = len(directions)
    right = scatter.reshape(-1, n_columns) @ directions
    right = right.reshape(n_blocks, n_columns, n_blocks * rank)
    white = (directions.T @ right).reshape(n_blocks * rank, n_blocks * rank)
    return (white + white.T) / 2


@dataclass(frozen=True)
class Stream:
    """What is known of the rows seen so far.

    Attributes
    ----------
    samples : Moments
        Of all samples.
    dynamics : tuple of Moments
        Of what a method counts in each run of rows, such as changes or windows.
    tail : ndarray of shape (n_rows, n_columns)
        The last rows of the last run, as far as what comes next can reach back to them.
    resolution : float
        Relative rounding error of the coarsest type of number seen.
    parameters : dict
        The parameters that decide what is counted.
    is_grouped : bool or None
        Whether rows came with group ids; None if what comes next may have them or not.
    last_id : object
        The group id of the last row.
    """

    samples: Moments
    dynamics: tuple[Moments, ...]
    tail: FloatArray
    resolution: float
    parameters: dict[str, int]
    is_grouped: bool | None = None
    last_id: Any = None

    @classmethod
    def empty(
        cls, counted: tuple[Counted, ...], n_columns: int, parameters: dict[str, int]
    ) -> Stream:
        """Return the stream before its first row."""
        dynamics = tuple(Moments.none(kind.n_blocks * n_columns) for kind in counted)
        tail = np.zeros((0, n_columns))
        return cls(Moments.none(n_columns), dynamics, tail, 0.0, parameters)

    def advanced(self, piece: Sequences, counted: tuple[Counted, ...], resolution: float) -> Stream:
        """Return the stream after another piece of the series.

        Everything that ends in the piece is counted, wherever it begins.
        """
        self._refuse_other_grouping(piece.group_ids)
        before = self.tail if self._goes_on(piece.group_ids) else self.tail[:0]
        joined = piece.preceded_by(before)
        n_before = len(before)
        dynamics = tuple(
            total.combined(moments_of(joined, kind, n_before))
            for total, kind in zip(self.dynamics, counted, strict=True)
        )
        ids = piece.group_ids
        return replace(
            self,
            samples=self.samples.combined(Moments.of(piece.samples)),
            dynamics=dynamics,
            tail=_tail(joined, max(kind.span for kind in counted) - 1),
            resolution=max(self.resolution, resolution),
            is_grouped=ids is not None,
            last_id=None if ids is None else _comparable(ids[-1]),
        )

    def combined(self, other: Stream) -> Stream:
        """Return the stream of the sequences of both, each of which has come to its end."""
        pairs = zip(self.dynamics, other.dynamics, strict=True)
        return replace(
            self,
            samples=self.samples.combined(other.samples),
            dynamics=tuple(mine.combined(theirs) for mine, theirs in pairs),
            resolution=max(self.resolution, other.resolution),
            tail=self.tail[:0],
            is_grouped=None,
            last_id=None,
        )

    @property
    def largest_width(self) -> int:
        """The columns of the widest vectors that are counted."""
        return max(moments.n_columns for moments in self.dynamics)

    @property
    def has_dynamics(self) -> bool:
        """Whether there is at least one of each kind of what is counted."""
        return all(moments.count for moments in self.dynamics)

    def white_dynamics(
        self, counted: tuple[Counted, ...], whitening: Whitening
    ) -> tuple[FloatArray, ...]:
        """Return the mean outer product of each kind of what is counted, in white space."""
        pairs = zip(counted, self.dynamics, strict=True)
        return tuple(kind.white(moments, whitening) for kind, moments in pairs)

    def _refuse_other_grouping(self, ids: AnyArray | None) -> None:
        if self.is_grouped is None or self.is_grouped == (ids is not None):
            return
        earlier, now = ("with", "without") if self.is_grouped else ("without", "with")
        raise GroupsError(
            f"earlier pieces came {earlier} groups and this one comes {now}, so it is not clear "
            "whether it goes on with their last sequence. Give groups with every piece or with "
            "none."
        )

    def _goes_on(self, ids: AnyArray | None) -> bool:
        if ids is None or self.is_grouped is None:
            return True
        return bool(_comparable(ids[0]) == self.last_id)


def _comparable(group_id: Any) -> Any:
    """Return an id as Python's own type: NumPy's do not compare with all others."""
    if isinstance(group_id, np.generic) and group_id.dtype.kind not in "mM":
        return group_id.item()
    return group_id


def moments_of(series: Sequences, kind: Counted, first: int, stop: int | None = None) -> Moments:
    """Return the moments of what ends in the rows first … stop-1, without holding all at once."""
    times = np.flatnonzero(series.reach(back=kind.span - 1)[:stop])
    times = times[times >= first]
    width = kind.n_blocks * series.n_columns
    total = Moments.none(width)
    step = max(1, _NUMBERS_AT_ONCE // width)
    for start in range(0, len(times), step):
        vectors = kind.vectors(series, times[start : start + step])
        total = total.combined(Moments.of(vectors))
    return total


def _tail(series: Sequences, n_rows: int) -> FloatArray:
    """Return up to `n_rows` rows of the last run, or none where the last row is a gap."""
    if not series.valid[-1]:
        return series.rows[:0].copy()
    start = max(int(series.run_first[-1]), series.n_rows - n_rows)
    return series.rows[start:].copy()  # a view would keep the whole piece
