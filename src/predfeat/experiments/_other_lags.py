"""What states of more samples would show of features that were found with few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from predfeat._typing import FloatArray, IntArray
from predfeat.measures import left_open, predicted_shares
from predfeat.series import Sequences, check_sequences
from predfeat.splits import Split, count_states

__all__ = ["OtherLags", "measure_other_lags", "predicted_elsewhere"]

# To be looked at where nobody said how many: each about twice the one before.
_MORE_LAGS = (2, 3, 5, 10)
# Of the states that there are with the lags asked for, so many must be left: measured on few of
# them, features may look better because of which these are.
_STATES_LEFT = 0.5


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
        worse than none counts as none. A share left to chance can fall without that: of states of
        many rows the loud ones have quiet neighbours.
    """

    n_lags: int
    train_share: list[float]
    test_share: list[float]
    predicted_gain: list[float]


def measure_other_lags(
    models: Sequence[Any],
    splits: Sequence[Split],
    values: FloatArray,
    series: Sequences,
    *,
    n_lags: int,
    horizon: int,
    n_neighbors: int,
    predicted: Sequence[float],
    n_jobs: int | None = None,
) -> list[OtherLags]:
    """Measure features of training and test parts with more lags than they were found with.

    Parameters
    ----------
    models : sequence of estimators
        One for each split, fitted to its training part.
    splits : sequence of Split
    values : ndarray of shape (n_rows, n_columns)
        The recording.
    series : Sequences
        The same, cut into sequences.
    n_lags : int
        Lags of the comparison; more are looked at, as far as sequences are long enough for them.
    horizon, n_neighbors : int
        Of the measure.
    predicted : sequence of float
        What `predicted_elsewhere` gives for every split, with the lags of the comparison.
    n_jobs : int, optional
        Threads of the neighbour search.

    Returns
    -------
    list of OtherLags
        Ascending; empty where sequences are short.
    """

    def share(model: Any, rows: IntArray, p: int) -> float:
        return left_open(
            model.transform(values[rows]),
            p,
            n_neighbors,
            horizon=horizon,
            groups=series.sequence_first[rows],
            n_jobs=n_jobs,
        ).share()

    def gain(model: Any, split: Split, p: int, before: float) -> float:
        found = predicted_elsewhere(
            model, split, values, series, n_lags=p, horizon=horizon, n_neighbors=n_neighbors
        )
        return max(found, 0.0) - max(before, 0.0)

    runs = list(zip(models, splits, strict=True))
    return [
        OtherLags(
            p,
            [share(model, split.train, p) for model, split in runs],
            [share(model, split.test, p) for model, split in runs],
            [gain(*run, p, before) for run, before in zip(runs, predicted, strict=True)],
        )
        for p in _MORE_LAGS
        if p > n_lags
        and all(
            _enough_left(series, rows, n_lags, p, horizon, n_neighbors)
            for split in splits
            for rows in (split.train, split.test)
        )
    ]


def predicted_elsewhere(
    model: Any,
    split: Split,
    values: FloatArray,
    series: Sequences,
    *,
    n_lags: int,
    horizon: int,
    n_neighbors: int,
) -> float:
    """Return the share of a test part that similar states of the training part predict."""
    train, test = (
        check_sequences(model.transform(values[rows]), series.sequence_first[rows])
        for rows in (split.train, split.test)
    )
    return float(predicted_shares(train, test, n_lags, n_neighbors, horizon=horizon).mean())


def _enough_left(
    series: Sequences, rows: IntArray, n_lags: int, more: int, horizon: int, n_neighbors: int
) -> bool:
    now, then = (count_states(series, rows, p, horizon) for p in (n_lags, more))
    return then > max(n_neighbors, _STATES_LEFT * now)
