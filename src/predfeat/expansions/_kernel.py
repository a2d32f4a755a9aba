"""A kernel, by its values at landmarks: the Nyström approximation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import kmeans_plusplus
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import euclidean_distances, pairwise_kernels

from predfeat._typing import FloatArray
from predfeat.exceptions import ExpansionError
from predfeat.expansions._expansion import (
    Expansion,
    FittedExpansion,
    is_plain_number,
    refuse_bad_count,
    refuse_bad_gamma,
    refuse_bad_seed,
    refuse_many_columns,
)
from predfeat.series import Sequences

__all__ = ["KERNELS", "FittedKernel", "LandmarkKernel", "median_gamma"]

KERNELS = ("rbf", "laplacian", "poly", "linear")
# The median distance needs no more rows than these, spread over the series.
_ROWS_FOR_MEDIAN = 1000


@dataclass(frozen=True, eq=False)
class FittedKernel(FittedExpansion):
    """The kernel between rows and landmarks, turned so that products of rows give the kernel.

    Attributes
    ----------
    kernel : str
    gamma, coef0 : float
    degree : int
    landmarks : ndarray of shape (n_landmarks, n_inputs)
    normalization : ndarray of shape (n_columns, n_landmarks)
    """

    kernel: str
    gamma: float
    degree: int
    coef0: float
    landmarks: FloatArray
    normalization: FloatArray

    @property
    def n_columns(self) -> int:
        """Number of expanded columns."""
        return len(self.normalization)

    def expand(self, rows: FloatArray) -> FloatArray:
        """Return what the kernel makes of the rows."""
        if len(rows) == 0:
            return np.empty((0, self.n_columns))
        between = pairwise_kernels(
            rows,
            self.landmarks,
            metric=self.kernel,
            filter_params=True,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )
        expanded: FloatArray = between @ self.normalization.T
        return expanded


@dataclass(frozen=True)
class LandmarkKernel(Expansion):
    """A kernel's feature space, spanned by the images of some samples.

    The landmarks are drawn as k-means++ draws its first centres: far from each other. With all
    samples as landmarks, the approximation is the kernel itself on the training data.

    Attributes
    ----------
    kernel : {"rbf", "laplacian", "poly", "linear"}
        As scikit-learn's `pairwise_kernels` names them.
    n_landmarks : int
        As many columns result; fewer if there are fewer samples.
    gamma : float or None
        The kernel's scale. None is 1 / (2 m²) with the median distance m between samples, for
        "poly" one over the number of columns.
    degree : int
        Of "poly", (gamma x·y + coef0)^degree.
    coef0 : float
        Of "poly".
    random_state : int
        Seed of the landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.expansions import LandmarkKernel
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences(np.random.default_rng(0).normal(size=(200, 3)))
    >>> LandmarkKernel(n_landmarks=50).fit(series).apply(series).rows.shape
    (200, 50)
    """

    kernel: str = "rbf"
    n_landmarks: int = 100
    gamma: float | None = None
    degree: int = 2
    coef0: float = 1.0
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise ExpansionError(
                f"kernel must be one of {', '.join(KERNELS)}, not {self.kernel!r}."
            )
        owner = "LandmarkKernel"
        refuse_bad_count(owner, "n_landmarks", self.n_landmarks)
        refuse_bad_count(owner, "degree", self.degree)
        refuse_bad_gamma(owner, self.gamma)
        refuse_bad_seed(owner, self.random_state)
        if not (is_plain_number(self.coef0) and self.coef0 >= 0):
            raise ExpansionError(
                f"coef0 of LandmarkKernel must be a number from 0 on, not {self.coef0!r}: with a "
                "negative one the kernel is no inner product."
            )

    @property
    def name(self) -> str:
        """What results and the command call it."""
        return "kernel" if self.kernel == "rbf" else f"{self.kernel} kernel"

    def count(self, n_columns: int) -> int:
        """Return how many columns become of `n_columns`, at most."""
        return self.n_landmarks

    def fit(self, series: Sequences) -> FittedKernel:
        """Draw the landmarks from a series."""
        refuse_many_columns(self, series.n_columns)
        series.times()  # at least one sample
        samples = series.samples
        n_landmarks = min(int(self.n_landmarks), len(samples))
        landmarks, _ = kmeans_plusplus(samples, n_landmarks, random_state=int(self.random_state))
        gamma = self.gamma
        if gamma is None:
            gamma = 1.0 / series.n_columns if self.kernel == "poly" else median_gamma(series)
        scales: dict[str, Any] = {
            "gamma": float(gamma),
            "degree": int(self.degree),
            "coef0": float(self.coef0),
        }
        # The linear kernel has none of them, and Nystroem refuses one too many.
        used = {"rbf": ("gamma",), "laplacian": ("gamma",), "poly": tuple(scales), "linear": ()}
        found = Nystroem(
            kernel=self.kernel,
            n_components=n_landmarks,
            random_state=0,
            **{name: scales[name] for name in used[self.kernel]},
        ).fit(landmarks)
        return FittedKernel(
            self.kernel, **scales, landmarks=found.components_, normalization=found.normalization_
        )


def median_gamma(series: Sequences) -> float:
    """Return 1 / (2 m²) with the median distance m between samples of a series.

    Of long series, 1000 samples spread evenly are compared.

    Parameters
    ----------
    series : Sequences

    Returns
    -------
    float
        1 if more than half of the samples are equal.

    Examples
    --------
    >>> from predfeat.expansions import median_gamma
    >>> from predfeat.series import check_sequences
    >>> median_gamma(check_sequences([[0.0], [2.0]]))
    0.125
    """
    samples = series.samples
    chosen = np.linspace(0, len(samples) - 1, min(len(samples), _ROWS_FOR_MEDIAN)).astype(np.intp)
    squares = euclidean_distances(samples[chosen], squared=True)
    median = float(np.median(squares[np.triu_indices(len(chosen), 1)])) if len(chosen) > 1 else 0.0
    return 1.0 / (2.0 * median) if median > 0 else 1.0
