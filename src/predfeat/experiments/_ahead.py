"""How far ahead the features that were found can be predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from predfeat._typing import FloatArray
from predfeat.experiments._other_lags import FeatureParts
from predfeat.experiments._scores import Measure
from predfeat.forecasting import (
    actual_futures,
    analogue_forecast,
    learn,
    persistence_forecast,
    skill,
)
from predfeat.series import Sequences, States, check_sequences

__all__ = ["Ahead", "measure_ahead"]

# Steps ahead, the most first: as many as leave most of the states a future.
_STEPS = (50, 30, 20, 10, 5, 3, 2, 1)
_SMALLEST_STATE_SHARE = 0.5


@dataclass(frozen=True)
class Ahead:
    """The skill with which the best method's features are predicted, by steps ahead.

    Skill is the share of the mean squared error of the training part's mean that is avoided, all
    features together: 1 is perfect, 0 no better than the mean. Predictions of the test part are
    learned from the training part.

    Attributes
    ----------
    similar_states, linear, persistence : ndarray of shape (n_repetitions, n_steps)
        By the futures of similar states, by linear autoregression, and by the newest sample.
    """

    similar_states: FloatArray
    linear: FloatArray
    persistence: FloatArray


def measure_ahead(
    parts: Sequence[FeatureParts], measure: Measure, *, n_jobs: int | None = None
) -> Ahead | None:
    """Predict the features of every test part from those of its training part.

    Parameters
    ----------
    parts : sequence of FeatureParts
        One for each repetition.
    measure : Measure
        Its lags and neighbours are used.
    n_jobs : int, optional
        Threads of the neighbour search.

    Returns
    -------
    Ahead or None
        None if the sequences are too short for a single step.
    """
    series = [(check_sequences(*part.train), check_sequences(*part.test)) for part in parts]
    n_steps = next((n for n in _STEPS if _leave_enough(series, measure, n)), None)
    if n_steps is None:
        return None
    skills = np.array([_skills(*pair, measure, n_steps, n_jobs) for pair in series])
    return Ahead(skills[:, 0], skills[:, 1], skills[:, 2])


def _leave_enough(
    series: Sequence[tuple[Sequences, Sequences]], measure: Measure, n_steps: int
) -> bool:
    for part in (part for pair in series for part in pair):
        now, then = (
            int(part.reach(back=measure.n_lags - 1, ahead=ahead).sum()) for ahead in (1, n_steps)
        )
        if then < max(measure.n_neighbors + 1, _SMALLEST_STATE_SHARE * now):
            return False
    return True


def _skills(
    train: Sequences, test: Sequences, measure: Measure, n_steps: int, n_jobs: int | None
) -> list[FloatArray]:
    library = learn(train, measure.n_lags, n_steps)
    times = test.state_times(measure.n_lags, n_steps)
    similar, _ = analogue_forecast(
        library.scaled(test, times),
        library.states,
        n_steps,
        measure.n_neighbors,
        futures=train,
        n_jobs=n_jobs,
    )
    linear = library.linear.forecast(States(test, times, measure.n_lags))
    newest = persistence_forecast(test, times, n_steps)
    actual = actual_futures(test, times, n_steps)

    def error(forecast: FloatArray) -> FloatArray:
        squared = np.square((actual - forecast) / library.unit).mean(axis=0)
        summed: FloatArray = squared.sum(axis=1)
        return summed

    of_mean = error(library.linear.center)
    return [skill(error(forecast), of_mean) for forecast in (similar, linear, newest)]
