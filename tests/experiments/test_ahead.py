"""How far ahead features can be predicted, against the twins of the forecasts; and in words."""

import re

import numpy as np
import pytest

import naive_forecasts
from predfeat.experiments._ahead import measure_ahead
from predfeat.experiments._other_lags import FeatureParts
from predfeat.experiments._scores import Measure, Rows
from predfeat.report import predictability_horizon
from predfeat.report._figure_ahead import ahead_part


def rows(seed, n_rows):
    random = np.random.default_rng(seed)
    wave = np.sin(0.2 * np.arange(n_rows) + random.uniform(0, 6))
    values = np.c_[wave, 3 * random.normal(size=n_rows)]
    return Rows(values, np.repeat([0, 1], [n_rows // 2, n_rows - n_rows // 2]))


def test_skills_are_those_of_the_definition(seed):
    train, test = rows(seed, 160), rows(seed + 10, 90)
    found = measure_ahead([FeatureParts(train, test)], Measure(2, 1, 4))
    n_steps = found.linear.shape[1]
    # Of 43 states with a successor in each half of the test part, 20 steps leave 24 a future.
    assert n_steps == 20
    times = naive_forecasts.origins(test.values, test.groups, 2, n_steps)
    actual = np.array([test.values[t + 1 : t + 1 + n_steps] for t in times])
    given = (train.values, train.groups, test.values, times, 2, n_steps)
    forecasts = {
        "similar_states": naive_forecasts.analogue(*given, 4)[0],
        "linear": naive_forecasts.linear(*given),
        "persistence": test.values[times][:, None],
    }
    unit = train.values.std(axis=0)

    def error(forecast):
        return np.square((actual - forecast) / unit).mean(axis=0).sum(axis=1)

    of_mean = error(train.values.mean(axis=0))
    for name, forecast in forecasts.items():
        expected = 1 - error(forecast) / of_mean
        np.testing.assert_allclose(getattr(found, name)[0], expected, atol=1e-6)


def test_short_sequences_are_not_predicted():
    part = Rows(np.random.default_rng(0).normal(size=(60, 1)), np.repeat(np.arange(30), 2))
    assert measure_ahead([FeatureParts(part, part)], Measure(2, 1, 3)) is None


@pytest.mark.parametrize(
    ("skills", "expected"),
    [
        ([[0.5, 0.4, 0.3]], 3),
        ([[0.5, -0.1, 0.3]], 1),
        ([[-0.5, 0.4, 0.3]], 0),
        ([[0.5, 0.4], [0.5, -0.3], [0.5, 0.1]], 1),  # 0.07 ± 0.2
    ],
)
def test_the_horizon_is_where_prediction_first_fails(skills, expected):
    assert predictability_horizon([np.array(each) for each in skills]) == expected


@pytest.mark.parametrize(
    ("similar", "linear", "words"),
    [
        (
            [0.9, 0.5, 0.0],
            [0.5, 0.0, 0.0],
            "up to 2 steps ahead, a linear autoregression up to one",
        ),
        ([0.9, 0.5, 0.2], [0.0, 0.0, 0.0], "3 steps ahead or more, a linear .* not even one step"),
        ([0.9, 0.0, 0.0], [0.8, 0.0, 0.0], "Similar states and a linear .* up to one step ahead"),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], "Not even the next step"),
    ],
)
def test_the_words_say_how_far(similar, linear, words):
    skills = {"similar_states": [similar], "linear": [linear], "persistence": [[0.1, 0.0, -9.0]]}
    part = ahead_part({"ahead": skills})
    assert re.search(words, part["words"])
    assert part["figure"].count("<path") == 3 + (0 < similar.count(0.0) < 3)
    assert ahead_part({}) is None
