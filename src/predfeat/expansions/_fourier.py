"""Random Fourier features: cosines whose products approximate a Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.kernel_approximation import RBFSampler

from predfeat._typing import FloatArray
from predfeat.expansions._expansion import (
    Expansion,
    FittedExpansion,
    refuse_bad_count,
    refuse_bad_gamma,
    refuse_bad_seed,
    refuse_many_columns,
)
from predfeat.expansions._kernel import median_gamma
from predfeat.series import Sequences

__all__ = ["FittedFourier", "RandomFourier"]


@dataclass(frozen=True, eq=False)
class FittedFourier(FittedExpansion):
    """Cosines of random projections.

    Attributes
    ----------
    frequencies : ndarray of shape (n_inputs, n_columns)
    offsets : ndarray of shape (n_columns,)
    """

    frequencies: FloatArray
    offsets: FloatArray

    @property
    def n_columns(self) -> int:
        """Number of expanded columns."""
        return len(self.offsets)

    def expand(self, rows: FloatArray) -> FloatArray:
        """Return the cosines."""
        phases = rows @ self.frequencies
        phases += self.offsets
        with np.errstate(invalid="ignore"):  # of an overflow, of which the caller tells
            np.cos(phases, out=phases)
        phases *= np.sqrt(2.0 / self.n_columns)
        return phases


@dataclass(frozen=True)
class RandomFourier(Expansion):
    """Cosines of random projections, whose products approximate the Gaussian kernel.

    Attributes
    ----------
    n_components : int
        Number of cosines.
    gamma : float or None
        The kernel is exp(-gamma ‖x - y‖²). None is 1 / (2 m²) with the median distance m between
        samples.
    random_state : int
        Seed of the projections.

    References
    ----------
    A. Rahimi and B. Recht, Random features for large-scale kernel machines, NIPS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.expansions import RandomFourier
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences(np.random.default_rng(0).normal(size=(200, 3)))
    >>> RandomFourier(n_components=40).fit(series).apply(series).rows.shape
    (200, 40)
    """

    n_components: int = 200
    gamma: float | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        owner = "RandomFourier"
        refuse_bad_count(owner, "n_components", self.n_components)
        refuse_bad_gamma(owner, self.gamma)
        refuse_bad_seed(owner, self.random_state)

    @property
    def name(self) -> str:
        """What results and the command call it."""
        return "fourier"

    def count(self, n_columns: int) -> int:
        """Return how many columns become of `n_columns`."""
        return self.n_components

    def fit(self, series: Sequences) -> FittedFourier:
        """Draw the projections for the columns and the scale of a series."""
        refuse_many_columns(self, series.n_columns)
        series.times()  # at least one sample
        found = RBFSampler(
            gamma=median_gamma(series) if self.gamma is None else float(self.gamma),
            n_components=int(self.n_components),
            random_state=int(self.random_state),
        ).fit(series.samples[:1])
        return FittedFourier(found.random_weights_, found.random_offset_)
