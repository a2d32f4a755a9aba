"""Features that were found with few lags, measured with more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from predfeat._typing import FloatArray, IntArray
from predfeat.experiments._scores import Measure, Rows
from predfeat.measures import predicted_shares
from predfeat.series import Sequences, check_sequences
from predfeat.splits import Split, count_states

__all__ = [
    "FeatureParts",
    "OtherLags",
    "feature_parts",
    "measure_other_lags",
    "predicted_elsewhere",
]

# Numbers of lags to measure with if none was given: each about twice the one before.
_MORE_LAGS = (2, 3, 5, 10)
# The smallest share of the states that must remain with more lags: on few of them, features may
# look better by selection.
_SMALLEST_STATE_SHARE = 0.5


@dataclass(frozen=True)
class OtherLags:
    """The same features, measured with another number of lags.

    Attributes
    ----------
    n_lags : int
    train_share, test_share : list of float
        As in `MethodRuns`, of every training and test part.
    predicted_gain : list of float
        How much more of the test part, as a share of its variance, the training part's similar
        states predict with these lags than with those of the comparison; a prediction that is
        worse than none counts as none. The share left to chance can fall without such a gain:
        among states of many rows, the loud ones have quiet neighbours.
    """

    n_lags: int
    train_share: list[float]
    test_share: list[float]
    predicted_gain: list[float]


class FeatureParts(NamedTuple):
    """A model's features of the training and the test part of a repetition."""

    train: Rows
    test: Rows


def feature_parts(
    models: Sequence[Any], splits: Sequence[Split], values: FloatArray, series: Sequences
) -> list[FeatureParts]:
    """Return the features of every repetition, by its own model."""
    return [
        FeatureParts(
            *(
                Rows(values[rows], series.sequence_first[rows]).features(model)
                for rows in (split.train, split.test)
            )
        )
        for model, split in zip(models, splits, strict=True)
    ]


def measure_other_lags(
    parts: Sequence[FeatureParts],
    splits: Sequence[Split],
    series: Sequences,
    measure: Measure,
    *,
    predicted: Sequence[float],
    n_jobs: int | None = None,
) -> list[OtherLags]:
    """Measure features of training and test parts with more lags than they were found with.

    Parameters
    ----------
    parts : sequence of FeatureParts
        One for each split.
    splits : sequence of Split
    series : Sequences
        The recording.
    measure : Measure
        Of the comparison; more lags are tried if the sequences are long enough for them.
    predicted : sequence of float
        What `predicted_elsewhere` gives for every split, with the lags of the comparison.
    n_jobs : int, optional
        Threads of the neighbour search.

    Returns
    -------
    list of OtherLags
        Ascending; empty if the sequences are short.
    """

    def gain(part: FeatureParts, other: Measure, before: float) -> float:
        return max(predicted_elsewhere(part, other), 0.0) - max(before, 0.0)

    others = [
        replace(measure, n_lags=p)
        for p in _MORE_LAGS
        if p > measure.n_lags
        and all(
            _enough_left(series, rows, measure, p)
            for split in splits
            for rows in (split.train, split.test)
        )
    ]
    return [
        OtherLags(
            other.n_lags,
            [other.share(part.train, n_jobs) for part in parts],
            [other.share(part.test, n_jobs) for part in parts],
            [gain(part, other, before) for part, before in zip(parts, predicted, strict=True)],
        )
        for other in others
    ]


def predicted_elsewhere(part: FeatureParts, measure: Measure) -> float:
    """Return the share of a test part that similar states of the training part predict."""
    train, test = (check_sequences(*rows) for rows in part)
    shares = predicted_shares(
        train, test, measure.n_lags, measure.n_neighbors, horizon=measure.horizon
    )
    return float(shares.mean())


def _enough_left(series: Sequences, rows: IntArray, measure: Measure, more: int) -> bool:
    now, then = (count_states(series, rows, p, measure.horizon) for p in (measure.n_lags, more))
    return then > max(measure.n_neighbors, _SMALLEST_STATE_SHARE * now)
