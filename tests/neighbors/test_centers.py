"""Centres: which states ask for their neighbours."""

import numpy as np
import pytest

from predfeat.neighbors import choose_centers, count_centers
from predfeat.series import check_sequences, find_states


def states_of(n_rows, p=1, groups=None):
    series = check_sequences(np.zeros((n_rows, 1)), groups)
    return find_states(series, p, n_neighbors=0)


@pytest.mark.parametrize("n_states", [1, 10, 50_000])
def test_up_to_fifty_thousand_all_ask(n_states):
    assert count_centers(n_states) == count_centers(n_states, None) == n_states


def test_beyond_as_many_pairs_are_compared_but_never_fewer_than_five_thousand_ask():
    for n_states in (50_001, 250_000, 499_999):
        assert n_states * count_centers(n_states) == pytest.approx(2.5e9, rel=1e-3)
    assert {count_centers(10**n) for n in (6, 7, 9)} == {5_000}


def test_a_number_is_taken_as_it_is_but_never_more_than_there_are():
    assert [count_centers(50, n) for n in (1, 49, 50, 51, 10**30)] == [1, 49, 50, 50, 50]


@pytest.mark.parametrize(("n_states", "n_centers"), [(100, 100), (100, 99), (100, 7), (101, 1)])
@pytest.mark.parametrize("seed", [0, 5])
def test_one_of_each_part(n_states, n_centers, seed):
    states = states_of(n_states)
    times = choose_centers(states, n_centers, seed).times
    assert len(times) == n_centers
    # The parts are equally long up to one state.
    borders = [n_states * i // n_centers for i in range(n_centers + 1)]
    for number, time in enumerate(times):
        assert borders[number] <= time < borders[number + 1]


def test_the_seed_decides_and_nothing_else():
    states = states_of(5000)
    first, again, other = (choose_centers(states, 300, seed).times for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.mean(first == other) < 0.3


def test_they_are_states_of_the_same_series():
    states = states_of(40, p=3, groups=np.repeat([0, 1], 20))
    centers = choose_centers(states, 9)
    assert centers.series is states.series
    assert centers.n_lags == 3
    assert set(centers.times) <= set(states.times)
    assert choose_centers(states, 36) is states
    assert choose_centers(states, None) is states
