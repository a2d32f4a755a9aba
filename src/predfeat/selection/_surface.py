"""Scores of many settings in many folds, and the simplest setting that is as good as any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from predfeat._typing import BoolArray, FloatArray

__all__ = ["Setting", "Surface", "standard_error"]


@dataclass(frozen=True)
class Setting:
    """A setting and its score.

    Attributes
    ----------
    n_lags, n_neighbors, n_components : int
        p, k and M; k is 0 for methods without neighbours.
    predicted : float
        Mean over the folds of how many features' worth of variance is predicted: the sum of
        `predfeat.measures.predicted_shares`, at most M.
    error : float
        Its standard error over the folds.
    """

    n_lags: int
    n_neighbors: int
    n_components: int
    predicted: float
    error: float

    @property
    def values(self) -> tuple[int, int, int]:
        """What was set: p, k and M."""
        return self.n_lags, self.n_neighbors, self.n_components

    @property
    def name(self) -> str:
        """What was set, in words."""
        k = f"k={self.n_neighbors}, " if self.n_neighbors else ""
        return f"p={self.n_lags}, {k}M={self.n_components}"

    def __str__(self) -> str:
        return (
            f"{self.name}: predicts {self.predicted:.3g} ± {self.error:.2g} of {self.n_components}"
        )


@dataclass(frozen=True)
class Surface:
    """The scores of all settings.

    Attributes
    ----------
    n_lags, n_neighbors, n_components : tuple of int
        The values tried, ascending; k is (0,) for methods without neighbours.
    scores : ndarray of shape (n_folds, p values, k values, M values)
        How many features' worth of variance each setting predicts in each fold.
    """

    n_lags: tuple[int, ...]
    n_neighbors: tuple[int, ...]
    n_components: tuple[int, ...]
    scores: FloatArray

    def tried(self) -> dict[str, tuple[int, ...]]:
        """Return the values tried by parameter name, in the order of the axes."""
        return {
            "n_lags": self.n_lags,
            "n_neighbors": self.n_neighbors,
            "n_components": self.n_components,
        }

    def settings(self) -> Iterator[Setting]:
        """Yield all settings with their scores; M varies fastest."""
        for index in np.ndindex(*self.scores.shape[1:]):
            yield self._setting(index)

    def best(self) -> Setting:
        """Return the setting with the highest mean score."""
        return self._setting(self._best_index())

    def simplest(self) -> Setting:
        """Return the simplest setting within one standard error of the best.

        The standard error is that of the fold-by-fold difference from the best, because a fold
        that is easy or hard for all settings says nothing about them. The simplest setting has the
        smallest state, p·M numbers; then the smaller p; then the best k.
        """
        means, near = self.scores.mean(axis=0), self._near_best()
        candidates = [tuple(map(int, index)) for index in np.argwhere(near)]

        def complexity(index: tuple[int, ...]) -> tuple[float, ...]:
            p, m = self.n_lags[index[0]], self.n_components[index[2]]
            return p * m, p, -float(means[index])

        return self._setting(min(candidates, key=complexity))

    def undecided(self) -> dict[str, tuple[int, ...]]:
        """Return each parameter's values in settings within one standard error of the best."""
        near = np.nonzero(self._near_best())
        return {
            name: tuple(values[i] for i in np.unique(found))
            for (name, values), found in zip(self.tried().items(), near, strict=True)
        }

    def lead_over(self, setting: Setting) -> tuple[float, float]:
        """Return the best setting's lead over another, and its standard error."""
        values = zip(self.tried().values(), setting.values, strict=True)
        i, j, m = (tried.index(value) for tried, value in values)
        a, b, c = self._best_index()
        behind = self.scores[:, a, b, c] - self.scores[:, i, j, m]
        return float(behind.mean()), float(standard_error(behind))

    def _setting(self, index: tuple[int, ...]) -> Setting:
        i, j, m = index
        scores = self.scores[:, i, j, m]
        return Setting(
            self.n_lags[i],
            self.n_neighbors[j],
            self.n_components[m],
            float(scores.mean()),
            float(standard_error(scores)),
        )

    def _best_index(self) -> tuple[int, ...]:
        means = self.scores.mean(axis=0)
        return tuple(map(int, np.unravel_index(int(np.argmax(means)), means.shape)))

    def _near_best(self) -> BoolArray:
        i, j, m = self._best_index()
        behind = self.scores[:, i : i + 1, j : j + 1, m : m + 1] - self.scores
        return np.asarray(behind.mean(axis=0) <= standard_error(behind))


def standard_error(values: FloatArray) -> FloatArray:
    """Return the standard error of the mean over the first axis."""
    error: FloatArray = np.std(values, axis=0, ddof=1) / np.sqrt(len(values))
    return error
