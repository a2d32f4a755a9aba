"""Stretches of a series as rings: what a Fourier transform takes them for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.selection._surrogates import FOURIER_KINDS, SHORTEST_FOURIER
from predfeat.series import Sequences

__all__ = ["bridge_ends", "close_rings"]

# A bridge is long enough when this little of one end's memory is left at the other.
_MEMORY_LEFT = 0.05
_LONGEST_BRIDGE = 0.1  # of a stretch


def bridge_ends(series: Sequences, random: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Add rows that lead from the end of every stretch to its beginning.

    For a Fourier kind a stretch is a ring, and where its ends do not fit the surrogates are less
    predictable than the data. That bias is of the size of one step, but so is the difference
    between surrogates, however long the stretch is. The rows added are drawn from a linear
    Gaussian process (a first-order vector autoregression fitted to the series), given both ends:
    of a series that is such a process, the ring is as well.

    Parameters
    ----------
    series : Sequences
        The data.
    random : Generator

    Returns
    -------
    rows : ndarray of shape (n_longer, n_columns)
        Without the gaps.
    groups : ndarray of int, shape (n_longer,)
        The number of each row's stretch.
    """
    pieces = [series.rows[start:stop] for start, stop in series.run_bounds()]
    times = np.flatnonzero(series.reach(ahead=1))
    # With fewer steps than twice the columns, the process would fit the steps by chance.
    if len(times) >= 2 * series.n_columns:
        mean = series.samples.mean(axis=0)
        process = _Process.of(series.rows[times] - mean, series.rows[times + 1] - mean)
        pieces = [
            np.concatenate(
                [piece, mean + process.bridge(piece[[-1, 0]] - mean, len(piece), random)]
            )
            if len(piece) >= SHORTEST_FOURIER
            else piece
            for piece in pieces
        ]
    return np.concatenate(pieces), _numbered(pieces)


@dataclass(frozen=True)
class _Process:
    """x_{t+1} = A x_t + noise."""

    transition: FloatArray  # A
    noise: FloatArray  # covariance

    @classmethod
    def of(cls, before: FloatArray, after: FloatArray) -> _Process:
        transition: FloatArray = np.linalg.lstsq(before, after, rcond=None)[0].T.astype(np.float64)
        rest = after - before @ transition.T
        return cls(transition, rest.T @ rest / len(rest))

    def bridge(self, ends: FloatArray, n_rows: int, random: np.random.Generator) -> FloatArray:
        """Draw rows between two: a free path, corrected for where it should have arrived."""
        radius = float(np.abs(np.linalg.eigvals(self.transition)).max())
        longest = max(1, int(_LONGEST_BRIDGE * n_rows))
        if radius <= _MEMORY_LEFT:
            enough = 1.0
        else:
            enough = np.log(_MEMORY_LEFT) / np.log(radius) if radius < 1 else np.inf
        length = int(np.ceil(min(longest, enough)))
        size, axes = np.linalg.eigh(self.noise)
        root = axes * np.sqrt(size.clip(min=0.0))
        path, spread = [ends[0]], [np.zeros_like(self.noise)]
        for _ in range(length + 1):
            path.append(self.transition @ path[-1] + root @ random.standard_normal(len(root)))
            spread.append(self.transition @ spread[-1] @ self.transition.T + self.noise)
        correction = np.linalg.pinv(spread[-1], hermitian=True) @ (ends[1] - path[-1])
        corrected = []
        for i in range(length, 0, -1):  # Cov(x_i, x_last) = spread_i (A^(last - i))ᵀ
            correction = self.transition.T @ correction
            corrected.append(path[i] + spread[i] @ correction)
        return np.array(corrected[::-1])


def close_rings(
    values: FloatArray, series: Sequences, kind: str, n_rows: int
) -> tuple[FloatArray, IntArray]:
    """Repeat the first rows of every stretch that a Fourier kind randomises at its end.

    Then the step from the last row to the first counts, in the data as in the surrogates, which
    keep, say, the sum of x_t x_{t+1} over the *ring*.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The data or a surrogate.
    series : Sequences
        Where the data's sequences and gaps are.
    kind : str
        The kind of surrogate. Permutations need no ring.
    n_rows : int
        Rows to repeat: as many as a state has, then every state of the ring occurs once with the
        step before it and once with the step after it.

    Returns
    -------
    values : ndarray of shape (n_longer, n_columns)
        Without the gaps.
    groups : ndarray of int, shape (n_longer,)
        The number of each row's stretch.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection._rings import close_rings
    >>> from predfeat.series import check_sequences
    >>> X = np.arange(5.0).reshape(-1, 1)
    >>> closed, groups = close_rings(X, check_sequences(X), "phases", 2)
    >>> closed.ravel()
    array([0., 1., 2., 3., 4., 0., 1.])
    """
    pieces = []
    for start, stop in series.run_bounds():
        is_ring = kind in FOURIER_KINDS and stop - start >= SHORTEST_FOURIER
        first = values[start : min(start + n_rows, stop)] if is_ring else values[:0]
        pieces.append(np.concatenate([values[start:stop], first]))
    return np.concatenate(pieces), _numbered(pieces)


def _numbered(pieces: list[FloatArray]) -> IntArray:
    return np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
