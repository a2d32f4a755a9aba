"""The scores of AutoFeatures' candidates, and the mean of the best ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import SplitError
from predfeat.features._mean_space import mean_space
from predfeat.measures import left_open
from predfeat.series import Sequences
from predfeat.splits import purged_folds

__all__ = [
    "CRITERIA",
    "EQUAL_SCORES",
    "MEAN_OF_BEST",
    "SIMILAR_SCORES",
    "CandidateMeasures",
    "CandidateScorer",
    "candidate_scores",
    "mean_of_best",
]

# The exponents of eq. (2), of the typical variance and of the kurtosis in a score. In
# eq. (2), a few loud moments of the training data dominate. By the typical variance alone, features
# win that are silent except for such moments: their variance elsewhere is unknown. A large kurtosis
# reveals them.
CRITERIA = {
    "balanced": (0.6, 0.4, 0.15),
    "typical": (0.0, 1.0, 0.0),
    "training": (1.0, 0.0, 0.0),
    "validation": (1.0, 0.0, 0.0),
}
# Scores that differ by less than this share are equal: GPFA minimises nearly what is scored, and
# so looks slightly better on the training data even where it is not.
EQUAL_SCORES = 0.002
# Candidates within this share of the best found nearly the same space, with different errors.
SIMILAR_SCORES = 0.03
MEAN_OF_BEST = "mean of the best"
_N_PARTS, _FEWEST_STATES = 3, 100


@dataclass(frozen=True)
class CandidateMeasures:
    """What is measured of a candidate's features.

    Attributes
    ----------
    mean, typical : float
        Eq. (2) and the typical variance, each averaged over parts of the training data.
    kurtosis : float
        The mean kurtosis of the features on all of it: 3 if they are Gaussian, more if few rows
        are loud.
    """

    mean: float
    typical: float
    kurtosis: float

    def score(self, criterion: str) -> float:
        """Return the score by a criterion; lower is better."""
        of_mean, of_typical, of_kurtosis = CRITERIA[criterion]
        return float(self.mean**of_mean * self.typical**of_typical * self.kurtosis**of_kurtosis)


class CandidateScorer:
    """Measures candidates on thirds of the training data, or on all of it where they are short.

    Each third is measured by itself. On all of the data, features that rely on many returns to
    the same states look predictable; other data may have fewer returns.
    """

    def __init__(
        self, white: Sequences, n_lags: int, n_jobs: int | None = None, *, horizon: int = 1
    ):
        self.white, self.n_lags, self.n_jobs, self.horizon = white, n_lags, n_jobs, horizon
        self.parts = _thirds(white, n_lags, horizon)

    def measure(self, directions: FloatArray) -> CandidateMeasures:
        """Measure the features that some directions of the white series give."""
        found = [
            left_open(
                part.with_rows(part.rows @ directions),
                self.n_lags,
                None,
                horizon=self.horizon,
                n_jobs=self.n_jobs,
            )
            for part in self.parts
        ]
        return CandidateMeasures(
            float(np.mean([part.by_state.mean() for part in found])),
            float(np.mean([part.typical for part in found])),
            _kurtosis(self.white.samples @ directions),
        )


def candidate_scores(
    measured: dict[str, CandidateMeasures], criterion: str, inverse_spread: Collection[str]
) -> dict[str, float]:
    """Return the score of every candidate.

    Candidates weighted by inverse spread are meant to be silent except for loud moments. They are
    compared with the best of the others as if they had its kurtosis.
    """
    scores = {name: of.score(criterion) for name, of in measured.items()}
    best = min((name for name in scores if name not in inverse_spread), key=scores.__getitem__)
    for name in inverse_spread:
        if name in measured:
            lent = replace(measured[name], kurtosis=measured[best].kurtosis)
            scores[name] = lent.score(criterion)
    return scores


def mean_of_best(
    found: dict[str, FloatArray], scores: dict[str, float], inverse_spread: Collection[str]
) -> FloatArray | None:
    """Return the mean of the spaces whose scores are near the best, or None if there is only one.

    Its directions are those nearest to the best candidate's, in their order. Candidates weighted
    by inverse spread optimise something else and are left out.
    """
    names = [name for name in found if name not in inverse_spread]
    best = min(names, key=scores.__getitem__)
    near = [name for name in names if scores[name] <= (1 + SIMILAR_SCORES) * scores[best]]
    if len(near) == 1:
        return None
    basis = mean_space([found[name] for name in near])
    left, _, right = np.linalg.svd(basis.T @ found[best])
    directions: FloatArray = basis @ (left @ right)
    return directions


def _kurtosis(features: FloatArray) -> float:
    centred = features - features.mean(axis=0)
    return float(np.mean((centred**4).mean(axis=0) / np.square(centred).mean(axis=0) ** 2))


def _thirds(white: Sequences, n_lags: int, horizon: int) -> list[Sequences]:
    try:
        folds = purged_folds(white, _N_PARTS, gap=n_lags + horizon)
    except SplitError:
        return [white]
    parts = [fold.parts(white)[1] for fold in folds]
    n_states = [int(part.reach(back=n_lags - 1, ahead=horizon).sum()) for part in parts]
    return parts if min(n_states) >= _FEWEST_STATES else [white]
