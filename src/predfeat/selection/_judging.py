"""Who of several candidates is kept: what is seen of their features, scores, and the middle."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import SplitError
from predfeat.features._mean_space import mean_space
from predfeat.measures._predictability import variance_left_open
from predfeat.series import Sequences
from predfeat.splits import purged_folds

__all__ = [
    "EQUAL_SCORES",
    "JUDGES",
    "MIDDLE",
    "NEAR_SCORES",
    "Marks",
    "Thirds",
    "judged",
    "middle_of_best",
]

# The exponents of eq. (2), of the typical variance and of the kurtosis in a judge's score. Judged
# by eq. (2), a few loud moments of the training data decide; judged by the typical variance alone,
# features win that are silent there but for such moments. Their variance elsewhere is anyone's
# guess, and a large kurtosis tells them.
JUDGES = {
    "both": (0.6, 0.4, 0.15),
    "typical": (0.0, 1.0, 0.0),
    "training": (1.0, 0.0, 0.0),
    "validation": (1.0, 0.0, 0.0),
}
# Scores that differ by less than this share are equal: GPFA minimises nearly what the judge
# measures, and so looks better on the training data by a little even where it is not.
EQUAL_SCORES = 0.002
# Candidates that are this near to the best found much the same, each with errors of its own.
NEAR_SCORES = 0.03
MIDDLE = "the middle of the best"
_PARTS, _FEWEST_STATES = 3, 100


@dataclass(frozen=True)
class Marks:
    """What is seen of a candidate's features.

    Attributes
    ----------
    mean, typical : float
        Eq. (2) and the typical variance, each the mean over parts of the training data.
    tails : float
        The mean kurtosis of the features on all of it: 3 if they are Gaussian, more if few rows
        are loud.
    """

    mean: float
    typical: float
    tails: float

    def score(self, judge: str) -> float:
        of_mean, of_typical, of_tails = JUDGES[judge]
        return float(self.mean**of_mean * self.typical**of_typical * self.tails**of_tails)


class Thirds:
    """Thirds of the training data (or of its sequences); all of it where they are short.

    Each is looked at by itself. On all of the data features look predictable that need its many
    returns to the same states; other data may have fewer.
    """

    def __init__(
        self, white: Sequences, n_lags: int, n_jobs: int | None = None, *, horizon: int = 1
    ):
        self.white, self.n_lags, self.n_jobs, self.horizon = white, n_lags, n_jobs, horizon
        self.parts = _thirds(white, n_lags, horizon)

    def mark(self, directions: FloatArray) -> Marks:
        """Return the marks of features that are so many directions of the white series."""
        left_open = [
            variance_left_open(
                part.with_rows(part.rows @ directions),
                self.n_lags,
                self.n_jobs,
                horizon=self.horizon,
            )
            for part in self.parts
        ]
        return Marks(
            float(np.mean([part.mean for part in left_open])),
            float(np.mean([part.typical for part in left_open])),
            _kurtosis(self.white.samples @ directions),
        )


def judged(marks: dict[str, Marks], judge: str, calm: Collection[str]) -> dict[str, float]:
    """Return the judge's score of every candidate.

    Calm ones are to be silent but for loud moments. They are compared with the best of the others
    as if they had its kurtosis.
    """
    scores = {name: mark.score(judge) for name, mark in marks.items()}
    best = min((name for name in scores if name not in calm), key=scores.__getitem__)
    for name in calm:
        if name in marks:
            scores[name] = replace(marks[name], tails=marks[best].tails).score(judge)
    return scores


def middle_of_best(
    found: dict[str, FloatArray], scores: dict[str, float], calm: Collection[str]
) -> FloatArray | None:
    """Return the middle of the spaces whose scores are near the best one, if they are several.

    Its directions are those nearest to the best candidate's, in their order. Calm candidates seek
    something else and stay out of it.
    """
    names = [name for name in found if name not in calm]
    best = min(names, key=scores.__getitem__)
    near = [name for name in names if scores[name] <= (1 + NEAR_SCORES) * scores[best]]
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
        folds = purged_folds(white, _PARTS, gap=n_lags + horizon)
    except SplitError:
        return [white]
    parts = [fold.parts(white)[1] for fold in folds]
    n_states = [int(part.reach(back=n_lags - 1, ahead=horizon).sum()) for part in parts]
    return parts if min(n_states) >= _FEWEST_STATES else [white]
