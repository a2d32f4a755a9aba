"""The preparation of a recording, row by row: what `prepare` does, as far as the past suffices."""

from __future__ import annotations

from collections import deque

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import DataFileError

__all__ = ["RowPreparation"]


class RowPreparation:
    """Thin out, take differences of, and delay rows as they come; see `prepare`.

    Parameters
    ----------
    every, difference, delays
        As in `prepare`.
    detrend : bool, default=False
        Not possible: the line is that of the whole recording.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import RowPreparation
    >>> preparation = RowPreparation(difference=True, delays=1)
    >>> for level in (1.0, 4.0, 6.0, 7.0):
    ...     print(preparation.next(np.array([level])))
    [nan nan]
    [nan nan]
    [2. 3.]
    [1. 2.]
    """

    def __init__(
        self, *, every: int = 1, detrend: bool = False, difference: bool = False, delays: int = 0
    ) -> None:
        if detrend:
            raise DataFileError(
                "rows cannot be detrended as they come: the straight line is that of the whole "
                "recording, which has not ended. Save the rows to a file and give that, or fit a "
                "model with difference=True or without detrend=True."
            )
        for name, given, least in (("every", every, 1), ("delays", delays, 0)):
            if given < least:
                raise DataFileError(
                    f"{name}={given} is not possible: give a whole number from {least} on."
                )
        self._every = every
        self._difference = difference
        self._group: str | None = None
        self._n_rows = 0
        self._last: FloatArray | None = None
        self._recent: deque[FloatArray] = deque(maxlen=delays + 1)

    def width(self, n_columns: int) -> int:
        """Return how many columns prepared rows have."""
        return n_columns * (self._recent.maxlen or 1)

    def next(self, values: FloatArray, group: str | None = None) -> FloatArray | None:
        """Return the next row as the method sees it; None if it is thinned out.

        A row of another group than the one before begins a new sequence. A row without a complete
        past is a gap.
        """
        if group != self._group:
            self._group, self._n_rows, self._last = group, 0, None
            self._recent.clear()
        self._n_rows += 1
        if (self._n_rows - 1) % self._every:
            return None
        self._recent.append(self._changed(values))
        row = np.full(self.width(len(values)), np.nan)
        if len(self._recent) == self._recent.maxlen:
            whole = np.concatenate(list(self._recent)[::-1])
            if len(self._recent) == 1 or not np.isnan(whole).any():
                row = whole
        return row

    def _changed(self, values: FloatArray) -> FloatArray:
        if not self._difference:
            return values
        changed = np.full_like(values, np.nan)
        if self._last is not None and not np.isnan(values - self._last).any():
            changed = values - self._last
        self._last = values
        return changed
