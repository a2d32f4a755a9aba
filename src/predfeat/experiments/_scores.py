"""What a comparison measures: how predictable features are, from one neighbour search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.measures._given import given_features, in_given_units, moderate
from predfeat.measures._predictability import conditional_covariance, neighbors_with_successor

__all__ = ["Measure", "Rows", "Score"]


class Rows(NamedTuple):
    """Some rows of a recording, or features of them, and which of them hang together."""

    values: FloatArray
    groups: IntArray

    def features(self, model: Any) -> Rows:
        """Return a fitted model's features of these rows."""
        return Rows(model.transform(self.values), self.groups)


class Score(NamedTuple):
    """Eq. (2), and the share of the features' variance that is left to chance."""

    predictability: float
    share: float


@dataclass(frozen=True)
class Measure:
    """How features are measured.

    Attributes
    ----------
    n_lags, horizon, n_neighbors : int
        As in `predfeat.measures.predictability`.
    """

    n_lags: int
    horizon: int
    n_neighbors: int

    def score(self, features: Rows, n_jobs: int | None = None) -> Score:
        """Measure features: `predictability`, and the same with relative=True and ddof=1."""
        # lead: left_open, which gives .total() and .share() from one search, replaces all of this.
        series = given_features(features.values, features.groups)
        table = neighbors_with_successor(
            series, self.n_lags, self.n_neighbors, n_jobs=n_jobs, horizon=self.horizon
        )
        series, exponents = moderate(series)
        biased, unbiased = (
            np.diag(conditional_covariance(series, table, ddof, self.horizon)).clip(min=0.0)
            for ddof in (0, 1)
        )
        whole = series.samples.var(axis=0)
        total = float(in_given_units(biased, exponents, "predictability").sum())
        if np.any(whole > 0):
            exponents = exponents - exponents[whole > 0].max()
        left = float(in_given_units(unbiased, exponents, "predictability").sum())
        variance = float(in_given_units(whole, exponents, "variance").sum())
        return Score(total, left / variance if variance > 0 else 0.0)

    def share(self, features: Rows, n_jobs: int | None = None) -> float:
        """Return the share of the features' variance that is left to chance."""
        return self.score(features, n_jobs).share
