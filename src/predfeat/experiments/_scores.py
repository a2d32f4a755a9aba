"""What a comparison measures: how predictable features are, from one neighbour search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from predfeat._typing import FloatArray, IntArray
from predfeat.measures import left_open

__all__ = ["Measure", "Rows", "Score"]


class Rows(NamedTuple):
    """Some rows of a recording, or features of them, and the sequence of each row."""

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
        found = left_open(
            features.values,
            self.n_lags,
            self.n_neighbors,
            horizon=self.horizon,
            groups=features.groups,
            n_jobs=n_jobs,
        )
        return Score(found.total(), found.share())

    def share(self, features: Rows, n_jobs: int | None = None) -> float:
        """Return the share of the features' variance that is left to chance."""
        return self.score(features, n_jobs).share
