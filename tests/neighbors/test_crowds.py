"""Crowds of equal states: found as by definition, searched as by brute force, drawn fairly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from engines import ENGINES
from predfeat import nearest_neighbors
from predfeat.neighbors import _blockwise as blockwise
from predfeat.neighbors import _crowds as crowds_module
from predfeat.neighbors._crowds import find_crowds
from predfeat.series import check_sequences, find_states


def small_whole_numbers(seed, lengths, n_columns, n_values):
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, (sum(lengths), n_columns)).astype(float)
    X[X == 0] *= random.choice([-1.0, 1.0], np.count_nonzero(X == 0))  # -0 equals 0
    return X, np.repeat(np.arange(len(lengths)), lengths)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(12, 30), min_size=1, max_size=3),
    n_columns=st.integers(1, 3),
    n_values=st.integers(1, 3),
    p=st.integers(1, 9),
)
def test_crowds_are_the_equal_states(seed, lengths, n_columns, n_values, p):
    X, groups = small_whole_numbers(seed, lengths, n_columns, n_values)
    states = find_states(check_sequences(X, groups), p, n_neighbors=1)
    crowds = find_crowds(states)
    by_time = {int(t): naive.state(X, t, p) for t in states.times}
    equal = [[np.array_equal(a, b) for b in by_time.values()] for a in by_time.values()]
    assert (crowds.number[:, None] == crowds.number).tolist() == equal
    assert crowds.number[crowds.first].tolist() == list(range(len(crowds)))
    assert dict(zip(by_time, crowds.places.tolist(), strict=True)) == naive.places(by_time)
    # From a member's own place on, the crowd's next member is itself.
    rank = crowds.next_rank(crowds.number, crowds.places)
    everyone = np.arange(len(states))
    np.testing.assert_array_equal(crowds.members[crowds.start[crowds.number] + rank], everyone)


def test_a_shared_fingerprint_makes_no_crowd(monkeypatch):
    # Every column counts with the same factor, so that rows (a, b) and (b, a) look alike.
    monkeypatch.setattr(crowds_module, "_hashed", lambda rows: np.zeros(len(rows), dtype=np.int64))
    X = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [5.0, 5.0]])
    states = find_states(check_sequences(X), 1, n_neighbors=1)
    assert find_crowds(states).number.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(8, 40), min_size=1, max_size=3),
    share=st.sampled_from([0.5, 0.9, 1.0]),
    n_columns=st.integers(1, 3),
    p=st.integers(1, 3),
    k=st.integers(1, 4),
    theiler=st.sampled_from([0, 1, 5]),
)
def test_neighbors_in_a_crowd_are_those_of_brute_force(
    engine, seed, lengths, share, n_columns, p, k, theiler
):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (sum(lengths), n_columns)).astype(float)
    X[random.random(len(X)) < share] = 1.0
    groups = np.repeat(np.arange(len(lengths)), lengths)
    _, expected, distances = naive.nearest(X, groups, p, k, theiler)
    if not expected or min(len(found) for found in expected) < k:
        return
    options = {"n_neighbors": k, "n_lags": p, "groups": groups, "theiler": theiler}
    table = nearest_neighbors(X, engine=engine, **options)
    assert table.indices.tolist() == expected
    np.testing.assert_array_equal(table.distances, distances)


def test_many_crowds_tied_at_the_border():
    # The corners of a cube in seven dimensions, three times each: seven crowds are one step away
    # and 21 the next, more than are asked for at first.
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * 7)).reshape(7, -1).T
    X = np.random.default_rng(0).permutation(np.repeat(corners, 3, axis=0))
    X = np.vstack([X, np.zeros((60, 7))])  # a large crowd, so that crowds are looked at at all
    table = nearest_neighbors(X, n_neighbors=4)
    _, expected, _ = naive.nearest(X, None, 1, 4, queries=range(0, len(X), 12))
    assert table.indices[::12].tolist() == expected


def test_states_of_a_crowd_are_not_compared_with_each_other(monkeypatch):
    n_ranked = []

    def counting(question, owner, candidates):
        n_ranked.append(len(candidates))
        return ranked(question, owner, candidates)

    ranked = blockwise.nearest_of_candidates
    monkeypatch.setattr(blockwise, "nearest_of_candidates", counting)
    X = np.random.default_rng(0).normal(size=(600, 3))
    X[::2] = 0.0
    nearest_neighbors(X, n_neighbors=5, engine="blockwise")
    assert sum(n_ranked) < 301 * 80  # a folded bound lets some more than the nearest nine through


def test_everyone_in_a_crowd_is_a_neighbour_equally_often():
    X = np.random.default_rng(0).poisson(0.1, size=3000).astype(float)
    table = nearest_neighbors(X[:, None], n_neighbors=10)
    silent = np.flatnonzero(X == 0)
    np.testing.assert_array_equal(np.bincount(table.indices[silent].ravel())[silent], 10)
    # Nobody's neighbours are those of the row before or after, as they would be by row number.
    shared = [
        len(set(a) & set(b))
        for a, b in zip(table.indices[silent][:-1], table.indices[silent][1:], strict=True)
    ]
    assert np.mean(shared) < 0.1
