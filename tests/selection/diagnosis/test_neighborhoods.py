"""Who is near whom: neighbours adjacent in time, hubs, decorrelation."""

import numpy as np
import pytest

import naive
import naive_diagnosis
from diagnosis_series import autoregressions
from predfeat.selection.diagnosis import _neighborhoods
from predfeat.series import check_sequences


@pytest.mark.parametrize("within", [1, 3, 100])
def test_adjacent_share(given, within):
    times, indices, _ = naive.nearest(given.X, given.groups, given.p, 4)
    expected = naive_diagnosis.adjacent_share(given.X, given.groups, times, indices, within)
    share = _neighborhoods.adjacent_share(given.table, given.series, within)
    assert share == pytest.approx(expected)
    assert share > 0


@pytest.mark.parametrize(("within", "theiler"), [(3, 0), (5, 2), (2, 2), (100, 3)])
def test_chance_of_adjacent(given, within, theiler):
    expected = naive_diagnosis.chance_of_adjacent(
        given.X, given.groups, given.table.times, within, theiler
    )
    chance = _neighborhoods.chance_of_adjacent(given.table, given.series, within, theiler)
    assert chance == pytest.approx(expected)


def test_occurrences_and_skewness(given):
    expected = naive_diagnosis.occurrences(given.table.times, given.table.indices.tolist())
    counts = _neighborhoods.occurrences(given.table)
    assert counts.tolist() == expected
    assert _neighborhoods.skewness(counts) == pytest.approx(naive_diagnosis.skewness(expected))
    assert _neighborhoods.skewness(np.full(5, 3)) == 0.0


def test_decorrelation_time(given):
    longest = max(stop - start for start, stop in given.series.run_bounds())
    most = max(1, longest // 10)
    expected = naive_diagnosis.decorrelation_time(given.X, given.groups, most)
    assert _neighborhoods.decorrelation_time(given.series) == expected


def test_decorrelation_time_is_that_of_the_slowest():
    X = autoregressions(4000, [0.9, 0.3])
    time = _neighborhoods.decorrelation_time(check_sequences(X))
    assert time == naive_diagnosis.decorrelation_time(X, None, 400)
    assert time == pytest.approx(-1 / np.log(0.9), abs=3)
