"""Crowds of equal states: counted as by definition, and searched as by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from predfeat import nearest_neighbors
from predfeat.neighbors import METHODS
from predfeat.neighbors import _blockwise as blockwise
from predfeat.neighbors._equal import count_equal_before
from predfeat.series import check_sequences, find_states


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(12, 30), min_size=1, max_size=3),
    n_columns=st.integers(1, 3),
    n_values=st.integers(1, 3),
    p=st.integers(1, 9),
)
def test_as_many_as_one_counts(seed, lengths, n_columns, n_values, p):
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, (sum(lengths), n_columns)).astype(float)
    X[X == 0] *= random.choice([-1.0, 1.0], np.count_nonzero(X == 0))  # -0 equals 0
    groups = np.repeat(np.arange(len(lengths)), lengths)
    states = find_states(check_sequences(X, groups), p, n_neighbors=1)
    all_states = [naive.state(X, t, p) for t in states.times]
    expected = [
        sum(np.array_equal(all_states[j], all_states[i]) for j in range(i))
        for i in range(len(states))
    ]
    assert count_equal_before(states).tolist() == expected


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(8, 40), min_size=1, max_size=3),
    share=st.sampled_from([0.5, 0.9, 1.0]),
    p=st.integers(1, 3),
    k=st.integers(1, 4),
    theiler=st.sampled_from([0, 1, 5]),
)
def test_neighbors_in_a_crowd_are_the_first_that_are_allowed(
    method, seed, lengths, share, p, k, theiler
):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (sum(lengths), 2)).astype(float)
    X[random.random(len(X)) < share] = 1.0
    groups = np.repeat(np.arange(len(lengths)), lengths)
    _, expected, _ = naive.nearest(X, groups, p, k, theiler)
    if not expected or min(len(found) for found in expected) < k:
        return
    options = {"n_neighbors": k, "n_lags": p, "groups": groups, "theiler": theiler}
    assert nearest_neighbors(X, method=method, **options).indices.tolist() == expected


def test_a_crowd_is_not_ranked_as_a_whole(monkeypatch):
    n_ranked = []

    def counting(states, queries, owner, candidates, n_neighbors):
        n_ranked.append(len(candidates))
        return ranked(states, queries, owner, candidates, n_neighbors)

    ranked = blockwise.nearest_of_candidates
    monkeypatch.setattr(blockwise, "nearest_of_candidates", counting)
    X = np.random.default_rng(0).normal(size=(600, 3))
    X[::2] = 0.0
    nearest_neighbors(X, n_neighbors=5, method="blockwise")
    assert sum(n_ranked) < 600 * 40  # a folded bound lets some more than the nearest five through
