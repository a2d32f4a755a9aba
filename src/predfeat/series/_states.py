"""States: a sample together with the n_lags - 1 samples before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import TooFewStatesError
from predfeat.series._sequences import Sequences

__all__ = ["States", "find_states", "what_follows"]


@dataclass(frozen=True)
class States:
    """The states (z_t, z_{t-1}, …, z_{t-p+1}) of a series, never embedded as a whole.

    Attributes
    ----------
    series : Sequences
        The series that holds the rows.
    times : ndarray of int, shape (n_states,)
        The row t of every state, ascending.
    n_lags : int
        The number p of samples in a state.
    """

    series: Sequences
    times: IntArray
    n_lags: int

    def __len__(self) -> int:
        return len(self.times)

    @property
    def dimension(self) -> int:
        """Numbers in one state, N·p."""
        return self.series.n_columns * self.n_lags

    def embed(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Return the states start … stop-1 as rows of N·p numbers, newest sample first."""
        times = self.times[start:stop]
        n_columns = self.series.n_columns
        embedded = np.empty((len(times), self.dimension))
        for lag in range(self.n_lags):
            embedded[:, lag * n_columns : (lag + 1) * n_columns] = self.series.rows[times - lag]
        return embedded


def what_follows(horizon: int) -> str:
    """Return what to call the sample `horizon` rows ahead of a state."""
    return "a successor" if horizon == 1 else f"a sample {horizon} rows ahead"


def find_states(series: Sequences, n_lags: int, *, n_neighbors: int, horizon: int = 0) -> States:
    """Find all states of a series, and check that there are enough of them.

    Parameters
    ----------
    series : Sequences
        The rows.
    n_lags : int
        Samples in a state, p. The first p-1 rows of a run have no state: nothing is padded.
    n_neighbors : int
        Every state needs this many others.
    horizon : int
        Keep only states with a sample this many rows ahead in the same run: 1 requires a
        successor, 0 requires nothing.

    Returns
    -------
    States

    Raises
    ------
    ShortSequencesError, TooFewStatesError

    Examples
    --------
    >>> from predfeat.series import check_sequences, find_states
    >>> series = check_sequences([[1.0], [2.0], [3.0], [4.0]])
    >>> states = find_states(series, n_lags=2, n_neighbors=1)
    >>> states.times
    array([1, 2, 3])
    >>> states.embed()
    array([[2., 1.],
           [3., 2.],
           [4., 3.]])
    """
    times = series.state_times(n_lags, horizon)
    if len(times) < n_neighbors + 1:
        kind = f"states with {what_follows(horizon)}" if horizon else "states"
        raise TooFewStatesError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} {kind}, but with "
            f"n_lags={n_lags} there are {len(times)} (n_samples={series.n_rows}, "
            f"n_features={series.n_columns}). Use at most n_neighbors={max(len(times) - 1, 0)}, "
            "fewer lags or more data."
        )
    return States(series, times, n_lags)
