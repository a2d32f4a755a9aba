"""What every measure answers to data it cannot use: the value given, and what to do."""

import numpy as np
import pytest

from predfeat import exceptions
from predfeat.measures import (
    autoregression_error,
    forecastability,
    predictability,
    predictive_information,
    slowness,
)

GOOD = np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(
    params=[
        autoregression_error,
        forecastability,
        predictability,
        predictive_information,
        slowness,
    ],
    ids=lambda function: function.__name__,
)
def measure(request):
    return request.param


@pytest.mark.parametrize(
    ("Y", "error", "message"),
    [
        (
            GOOD.reshape(10, 4, 2),
            "DimensionError",
            r"3 dimensions, shape \(10, 4, 2\).*from_trials",
        ),
        (GOOD * 1j, "ComplexDataError", r"Y is complex128.*real numbers"),
        (np.where(GOOD > 2, np.inf, GOOD), "InfiniteValueError", r"infinity.*row \d+.*'x\d'.*NaN"),
        ([["a"], ["b"]] * 20, "NotNumericError", r"Y must hold numbers only.*'a'"),
        (np.full((40, 2), np.nan), "EmptyColumnError", r"2 column\(s\).*NaN.*'x0', 'x1'.*Drop"),
        ([[1.0], [1.0, 2.0]], "DimensionError", r"rows differ in length.*from_list"),
    ],
    ids=["3-D", "complex", "infinite", "text", "all-NaN", "ragged"],
)
def test_unusable_data(measure, Y, error, message):
    with pytest.raises(getattr(exceptions, error), match=message):
        measure(Y)


def test_every_row_a_gap(measure):
    # No column is empty, and still no row is whole.
    Y = GOOD.copy()
    Y[::2, 0] = np.nan
    Y[1::2, 1] = np.nan
    with pytest.raises(exceptions.ShortSequencesError, match="every row is a gap"):
        measure(Y)
    if measure is predictive_information:
        with pytest.raises(exceptions.ShortSequencesError, match="every row is a gap"):
            measure(Y, estimate="linear")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(39), r"one id per row.*40 rows.*39"),
        (np.zeros((40, 1)), r"1-D.*\(40, 1\)"),
        (np.r_[np.zeros(39), np.nan], r"row 39 has none"),
    ],
)
def test_unusable_groups(measure, groups, message):
    with pytest.raises(exceptions.GroupsError, match=message):
        measure(GOOD, groups=groups)


def test_an_id_that_comes_back_warns_and_starts_a_new_sequence(measure):
    with pytest.warns(exceptions.ReturningGroupWarning, match=r"group id .*0.* at row 25"):
        value = measure(GOOD, groups=np.repeat([0, 1, 0], [15, 10, 15]))
    np.testing.assert_array_equal(value, measure(GOOD, groups=np.repeat([0, 1, 2], [15, 10, 15])))
