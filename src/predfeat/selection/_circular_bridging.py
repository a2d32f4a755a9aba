"""Sequences closed to circles, as a Fourier transform treats them.

Surrogates with random Fourier phases then see no jump between the last row and the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.selection._surrogates import FOURIER_KINDS, SHORTEST_FOURIER
from predfeat.series import Sequences

__all__ = ["bridge_ends", "close_circles"]

# A bridge is long enough when this share of one end's influence is left at the other.
_MEMORY_LEFT_ACROSS_BRIDGE = 0.05


def bridge_ends(
    series: Sequences, kind: str, random: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Fill the gaps of every sequence, and add rows that lead from its end to its beginning.

    The Fourier kinds treat every stretch between gaps as circular. Where its ends do not match,
    the surrogates are less predictable than the data. That bias is of the size of one step, but so
    is the difference between surrogates, however long the stretch is. The added rows are drawn
    from a linear Gaussian process (a first-order autoregression fitted to the series), given both
    ends: if the series is such a process, so is the circle.

    For the joint kind, it is one process of all channels. The other kinds randomise the channels
    separately, and each channel has its own process: otherwise a chance correlation between two
    channels would continue in the added rows, and no longer be chance.

    A bridge over a gap has as many rows as are missing, and the one that closes the circle as
    many as the process remembers; neither is longer than the sequence.

    Parameters
    ----------
    series : Sequences
        The data.
    kind : str
        The Fourier kind of surrogate.
    random : Generator

    Returns
    -------
    rows : ndarray of shape (n_longer, n_columns)
        Without the gaps.
    groups : ndarray of int, shape (n_longer,)
        The number of each row's circle (or of its stretch, if the data is too short to fit a
        process).
    """
    bounds = series.run_bounds()
    pieces = [series.rows[start:stop] for start, stop in bounds]
    times = np.flatnonzero(series.reach(ahead=1))
    # With fewer steps than twice the columns, the process would overfit them.
    if len(times) >= 2 * series.n_columns:
        mean = series.samples.mean(axis=0)
        fit = (
            _Autoregression.of_all_channels
            if kind == "joint-phases"
            else _Autoregression.of_each_channel
        )
        process = fit(series.rows[times] - mean, series.rows[times + 1] - mean, mean)
        pieces = [
            _bridged_circle(series.rows, list(stretches), process, random)
            for _, stretches in groupby(bounds, lambda bound: series.sequence_first[bound[0]])
        ]
    return np.concatenate(pieces), _numbered(pieces)


def _bridged_circle(
    rows: FloatArray,
    stretches: list[tuple[int, int]],
    process: _Autoregression,
    random: np.random.Generator,
) -> FloatArray:
    """Return a sequence's stretches with bridges between them, and one back to the first."""
    most = sum(stop - start for start, stop in stretches)
    pieces = []
    for (start, stop), (following, _) in pairwise(stretches):
        length = min(following - stop, process.memory, most)
        ends = rows[[stop - 1, following]]
        pieces += [rows[start:stop], process.bridge(ends, int(length), random)]
    pieces.append(rows[slice(*stretches[-1])])
    if sum(map(len, pieces)) >= SHORTEST_FOURIER:
        ends = rows[[stretches[-1][1] - 1, stretches[0][0]]]
        pieces.append(process.bridge(ends, int(min(process.memory, most)), random))
    return np.concatenate(pieces)


@dataclass(frozen=True)
class _Autoregression:
    """x_{t+1} = A x_t + noise, around a mean."""

    transition: FloatArray  # A
    noise: FloatArray  # covariance
    mean: FloatArray | float = 0.0

    @classmethod
    def of_all_channels(
        cls, before: FloatArray, after: FloatArray, mean: FloatArray | float
    ) -> _Autoregression:
        """Fit a process in which each channel may depend on all others."""
        found = np.linalg.lstsq(before, after, rcond=None)[0].T.astype(np.float64)
        transition = found / max(1.0, _radius(found))  # a process that explodes would never return
        rest = after - before @ transition.T
        return cls(transition, rest.T @ rest / len(rest), mean)

    @classmethod
    def of_each_channel(
        cls, before: FloatArray, after: FloatArray, mean: FloatArray | float
    ) -> _Autoregression:
        """Fit a process to each channel by itself."""
        square = np.square(before).sum(axis=0)
        left = np.divide((before * after).sum(axis=0), square, where=square > 0, out=0 * square)
        left = left.clip(-1.0, 1.0)
        return cls(np.diag(left), np.diag(np.square(after - left * before).mean(axis=0)), mean)

    @cached_property
    def memory(self) -> float:
        """Number of steps (at least one) after which a state's influence is negligible."""
        left = _radius(self.transition)
        if left >= 1:
            return np.inf
        return (
            1.0
            if left <= _MEMORY_LEFT_ACROSS_BRIDGE
            else float(np.ceil(np.log(_MEMORY_LEFT_ACROSS_BRIDGE) / np.log(left)))
        )

    @cached_property
    def root(self) -> FloatArray:
        """A root of the noise's covariance."""
        size, axes = np.linalg.eigh(self.noise)
        root: FloatArray = axes * np.sqrt(size.clip(min=0.0))
        return root

    def bridge(self, ends: FloatArray, length: int, random: np.random.Generator) -> FloatArray:
        """Draw rows between two given ones: a free path, corrected to end where it should."""
        path = np.empty((length + 2, len(self.noise)))
        path[0], goal = ends - self.mean
        for i in range(length + 1):
            step = self.root @ random.standard_normal(len(self.root))
            path[i + 1] = self.transition @ path[i] + step
        # Row i is corrected by Cov(x_i, x_last) Cov(x_last)⁻¹ times the error of the last one. With
        # C_i = Cov(x_i) that is C_i b_i, where b_i = Aᵀ b_{i+1}; and as C_i = A C_{i-1} Aᵀ + noise,
        # C_i b_i = A (C_{i-1} b_{i-1}) + noise b_i: only the last C_i is needed.
        back = np.empty_like(path)
        back[-1] = np.linalg.pinv(self.spread(length + 1), hermitian=True) @ (goal - path[-1])
        for i in range(length, 0, -1):
            back[i] = self.transition.T @ back[i + 1]
        correction = np.zeros(len(self.noise))
        for i in range(1, length + 1):
            correction = self.transition @ correction + self.noise @ back[i]
            path[i] += correction
        return self.mean + path[1:-1]

    def spread(self, n_steps: int) -> FloatArray:
        """Return the covariance `n_steps` after a known state, by repeated doubling."""
        power, spread = np.eye(len(self.noise)), np.zeros_like(self.noise)
        for bit in f"{n_steps:b}":
            spread = power @ spread @ power.T + spread
            power = power @ power
            if bit == "1":
                spread = self.transition @ spread @ self.transition.T + self.noise
                power = self.transition @ power
        return spread


def _radius(transition: FloatArray) -> float:
    """Return the spectral radius: the share of the slowest mode left after one step."""
    return float(np.abs(np.linalg.eigvals(transition)).max())


def close_circles(
    values: FloatArray, series: Sequences, kind: str, n_rows: int
) -> tuple[FloatArray, IntArray]:
    """Append the first rows of every stretch that a Fourier kind randomises to its end.

    The step from the last row to the first then counts, in the data and in the surrogates, which
    keep, for example, the sum of x_t x_{t+1} over the *circle*.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The data or a surrogate.
    series : Sequences
        Where the data's sequences and gaps are.
    kind : str
        The kind of surrogate. Permutations need no circle.
    n_rows : int
        Rows to repeat: as many as a state has, for one step ahead, then every state of the circle
        occurs once with the step before it and once with the step after it; one more for every
        further step.

    Returns
    -------
    values : ndarray of shape (n_longer, n_columns)
        Without the gaps.
    groups : ndarray of int, shape (n_longer,)
        The number of each row's stretch.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection._circular_bridging import close_circles
    >>> from predfeat.series import check_sequences
    >>> X = np.arange(5.0).reshape(-1, 1)
    >>> closed, groups = close_circles(X, check_sequences(X), "phases", 2)
    >>> closed.ravel()
    array([0., 1., 2., 3., 4., 0., 1.])
    """
    pieces = []
    for start, stop in series.run_bounds():
        is_circular = kind in FOURIER_KINDS and stop - start >= SHORTEST_FOURIER
        first = values[start : min(start + n_rows, stop)] if is_circular else values[:0]
        pieces.append(np.concatenate([values[start:stop], first]))
    return np.concatenate(pieces), _numbered(pieces)


def _numbered(pieces: list[FloatArray]) -> IntArray:
    return np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
