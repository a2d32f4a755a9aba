"""Neighbours of the same class, or with numbers beside their samples, against brute force."""

from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
import naive_neighbors as twin
from engines import ENGINES
from predfeat.exceptions import TooFewStatesError
from predfeat.neighbors import (
    search,
    search_beside_values,
    search_by_metric,
    search_within_classes,
)
from predfeat.series import Classes, check_sequences, find_states

# Distances of up to 16 numbers of size one are right to some roundings of 2e-16.
ROUNDING = 1e-12

every_engine = pytest.mark.parametrize("engine", ENGINES)


def states_of(X, groups, p):
    return find_states(check_sequences(X, groups), p, n_neighbors=0)


def random_classes(states, n_classes, share_without, seed):
    """Return a class for each state, or none; {row: label} of those that have one."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_classes, size=len(states))
    codes[random.random(len(states)) < share_without] = -1
    names = tuple(f"class {code}" for code in range(n_classes))
    labels = {int(t): names[code] for t, code in zip(states.times, codes, strict=True) if code >= 0}
    return Classes(codes, names), labels


def random_values(states, n_numbers, share_without, seed, kind="normal"):
    """Return numbers for each state, NaN in some; {row: numbers} of those that have all."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(len(states), n_numbers))
    if kind == "lattice":
        values = values.round()
    for row in np.flatnonzero(random.random(len(states)) < share_without):
        values[row, random.integers(0, n_numbers)] = np.nan
    known = {
        int(t): numbers
        for t, numbers in zip(states.times, values, strict=True)
        if not naive.is_gap(numbers)
    }
    return values, known


def assert_equal_tables(one, other):
    np.testing.assert_array_equal(one.times, other.times)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.distances, other.distances)


def table_mistakes(table, allowed, measure, k):
    return twin.mistakes(
        table.times.tolist(), table.indices, table.distances, allowed, measure, k, ROUNDING
    )


# The twin


def test_the_twin_finds_what_can_be_seen():
    X = np.array([[0.0], [1.0], [2.0], [5.0], [1.4]])
    labels = {0: "a", 1: "b", 2: "a", 3: "b", 4: "b"}
    allowed = twin.candidates(X, None, [0, 1, 2, 3, 4], labels=labels)
    assert twin.nearest(allowed, twin.by_samples(X, 1), 1)[0] == [[2], [4], [0], [4], [1]]
    with_window = twin.candidates(X, [0, 0, 0, 1, 1], [0, 1, 2, 3, 4], theiler=2)
    assert with_window[2] == [3, 4]
    numbers = {0: [9.0], 1: [0.0], 2: [9.0], 3: [0.0], 4: [9.0]}
    apart = twin.candidates(X, None, sorted(numbers))
    assert twin.nearest(apart, twin.beside(X, 1, numbers), 1)[0] == [[4], [3], [4], [1], [2]]


def test_the_twin_notices_every_mistake():
    X = np.array([[0.0], [1.0], [-1.0], [7.0]])
    allowed, measure = twin.candidates(X, None, [0, 1, 2, 3]), twin.by_samples(X, 1)
    right = [[1], [0], [0], [1]]
    look = partial(twin.mistakes, allowed=allowed, measure=measure, k=1, tolerance=1e-12)
    assert look([0, 1, 2, 3], right, [[1], [1], [1], [6]]) == []
    assert look([0, 1, 2, 3], [[2], *right[1:]], [[1], [1], [1], [6]]) == []  # a tie
    assert "states" in look([0, 1, 2], right[:3], [[1], [1], [1]])[0]
    assert "may have" in look([0, 1, 2, 3], [[0], *right[1:]], [[0], [1], [1], [6]])[0]
    assert "not" in look([0, 1, 2, 3], right, [[1], [1], [1], [5]])[0]
    assert "there are some" in look([0, 1, 2, 3], [*right[:3], [0]], [[1], [1], [1], [7]])[0]


# Against brute force


cases = given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    n_columns=st.integers(1, 3),
    n_gaps=st.sampled_from([0, 0, 1, 4]),
    kind=st.sampled_from(["normal", "lattice"]),
    p=st.integers(1, 3),
    k=st.integers(1, 3),
    theiler=st.sampled_from([0, 0, 1, 3]),
    n_groups=st.integers(1, 3),
    share_without=st.sampled_from([0.0, 0.3]),
)


@every_engine
@settings(max_examples=25, deadline=None)
@cases
@example(0, [14, 14], 2, 0, "lattice", 1, 3, 1, 2, 0.3)
@example(1, [14, 14, 14], 2, 4, "normal", 2, 2, 3, 3, 0.3)
def test_the_nearest_of_the_same_class(
    engine, seed, lengths, n_columns, n_gaps, kind, p, k, theiler, n_groups, share_without
):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    if not naive.state_times(X, groups, p):
        return
    states = states_of(X, groups, p)
    classes, labels = random_classes(states, n_groups, share_without, seed)
    allowed = twin.candidates(X, groups, sorted(labels), theiler, labels)
    options = {"theiler": theiler, "engine": engine}
    if not allowed or min(map(len, allowed.values())) < k:
        with pytest.raises(TooFewStatesError):
            search_within_classes(states, classes, k, **options)
        return
    table = search_within_classes(states, classes, k, **options)
    assert table_mistakes(table, allowed, twin.by_samples(X, p), k) == []


@every_engine
@settings(max_examples=25, deadline=None)
@cases
@example(0, [14, 14], 2, 0, "lattice", 1, 3, 1, 2, 0.3)
@example(1, [14, 14, 14], 2, 4, "normal", 2, 2, 3, 3, 0.3)
def test_the_nearest_with_numbers_beside(
    engine, seed, lengths, n_columns, n_gaps, kind, p, k, theiler, n_groups, share_without
):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    if not naive.state_times(X, groups, p):
        return
    states = states_of(X, groups, p)
    values, known = random_values(states, n_groups, share_without, seed, kind)
    allowed = twin.candidates(X, groups, sorted(known), theiler)
    options = {"theiler": theiler, "engine": engine}
    if not allowed or min(map(len, allowed.values())) < k:
        with pytest.raises(TooFewStatesError):
            search_beside_values(states, values, k, **options)
        return
    table = search_beside_values(states, values, k, **options)
    assert table_mistakes(table, allowed, twin.beside(X, p, known), k) == []


def test_the_nearest_of_the_same_class_by_another_metric(seed):
    X, groups = naive.random_series(seed, [30, 25], 3, n_gaps=4)
    states = states_of(X, groups, 2)
    classes, labels = random_classes(states, 2, 0.2, seed)
    by = partial(search_by_metric, metric="cityblock")
    table = search_within_classes(states, classes, 2, by=by, theiler=1)
    allowed = twin.candidates(X, groups, sorted(labels), 1, labels)
    assert table_mistakes(table, allowed, twin.by_metric(X, 2, twin.cityblock), 2) == []


# Relations


@every_engine
def test_one_class_is_no_class_and_equal_numbers_are_none(engine):
    X, groups = naive.random_series(0, [150, 120], 2, n_gaps=5)
    states = states_of(X, groups, 3)
    plain = search(states, 4, theiler=2, engine=engine)
    everyone = Classes(np.zeros(len(states), dtype=np.intp), ("all",))
    assert_equal_tables(search_within_classes(states, everyone, 4, theiler=2, engine=engine), plain)
    beside = search_beside_values(
        states, np.full((len(states), 2), 0.75), 4, theiler=2, engine=engine
    )
    np.testing.assert_array_equal(beside.indices, plain.indices)
    # One state of six numbers instead of three of two is summed in another order.
    np.testing.assert_allclose(beside.distances, plain.distances, rtol=ROUNDING)


@every_engine
def test_numbers_far_apart_are_classes(engine, seed):
    X, groups = naive.random_series(seed, [80, 60], 2, n_gaps=5)
    states = states_of(X, groups, 2)
    classes, _ = random_classes(states, 3, 0.2, seed)
    values = np.where(classes.codes < 0, np.nan, 1000.0 * classes.codes)[:, None]
    within = search_within_classes(states, classes, 3, theiler=1, engine=engine)
    beside = search_beside_values(states, values, 3, theiler=1, engine=engine)
    np.testing.assert_array_equal(within.times, beside.times)
    np.testing.assert_array_equal(within.indices, beside.indices)
    np.testing.assert_allclose(within.distances, beside.distances, rtol=ROUNDING)


def test_the_names_and_numbers_of_classes_play_no_part():
    X, groups = naive.random_series(1, [60, 60], 2)
    states = states_of(X, groups, 2)
    classes, _ = random_classes(states, 3, 0.2, 1)
    other = Classes(np.where(classes.codes < 0, -1, (classes.codes + 1) % 3), ("x", None, 7))
    assert_equal_tables(
        search_within_classes(states, classes, 3), search_within_classes(states, other, 3)
    )


def test_a_class_without_states_needs_no_neighbours():
    X, _ = naive.random_series(2, [40], 2)
    states = states_of(X, None, 1)
    codes = np.arange(40) % 2
    present = search_within_classes(states, Classes(codes, ("left", "right")), 3)
    absent = search_within_classes(states, Classes(2 * codes, ("left", "end", "right")), 3)
    assert_equal_tables(present, absent)


def test_equal_states_of_a_class_are_neighbours_equally_often():
    states = states_of(np.ones((300, 2)), None, 1)
    codes = np.arange(300) % 3 - 1
    table = search_within_classes(states, Classes(codes, ("a", "b")), 4)
    counts = np.bincount(table.indices.ravel(), minlength=300)
    # All of a class are tied: on their circle, each is among the next four of four others.
    np.testing.assert_array_equal(counts, np.where(codes < 0, 0, 4))


@every_engine
def test_a_guess_changes_nothing(engine, seed):
    X, groups = naive.random_series(seed, [150, 120], 2, n_gaps=5)
    states = states_of(X, groups, 2)
    moved = states_of(X + 0.5 * np.random.default_rng(seed).normal(size=X.shape), groups, 2)
    noise = np.random.default_rng(seed + 1).normal(size=X.shape)
    unlike = states_of(np.where(np.isnan(X), np.nan, noise), groups, 2)
    classes, _ = random_classes(states, 2, 0.2, seed)
    values, _ = random_values(states, 2, 0.2, seed)
    options = {"theiler": 2, "engine": engine}
    for find, condition in ((search_within_classes, classes), (search_beside_values, values)):
        without = find(states, condition, 4, **options)
        for other in (states, moved, unlike):
            guess = find(other, condition, 4, **options).indices
            assert_equal_tables(find(states, condition, 4, guess=guess, **options), without)


@every_engine
def test_threads_do_not_change_a_bit(engine):
    # More than 2048 states are several blocks, so that there is work for two threads.
    X, groups = naive.random_series(7, [1500, 1300], 3, n_gaps=5)
    states = states_of(X, groups, 2)
    codes = np.where(np.arange(len(states)) % 6 == 0, 1, 0)
    values, _ = random_values(states, 1, 0.05, 7)
    for find, condition in (
        (search_within_classes, Classes(codes, ("often", "seldom"))),
        (search_beside_values, values),
    ):
        one, two = (find(states, condition, 5, engine=engine, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert_equal_tables(one, two)


def test_what_is_given_stays_as_it_was():
    X, groups = naive.random_series(3, [40, 30], 2, n_gaps=2)
    states = states_of(X, groups, 2)
    rows = states.series.rows.copy()
    values, _ = random_values(states, 2, 0.2, 3)
    before = values.copy()
    search_beside_values(states, values, 2)
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(states.series.rows, rows)


# What is refused


def refuse(sizes, k, message, p=1):
    """Check what is said about classes of these sizes."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    states = states_of(np.arange(len(codes) + p - 1.0)[:, None], None, p)
    classes = Classes(codes, tuple(f"n{i}" for i in range(len(sizes))))
    with pytest.raises(TooFewStatesError, match=message):
        search_within_classes(states, classes, k)


def test_classes_that_are_too_small_are_named():
    refuse(
        [9, 4, 3],
        4,
        r"^n_neighbors=4 needs at least 5 states with each action, but with n_lags=2 there are "
        r"fewer with 'n1' \(4\), 'n2' \(3\)\. Use at most n_neighbors=2, or mark rare actions as "
        r"missing \(None or NaN\)\. Actions that are quantities, .* one column for each\.$",
        p=2,
    )
    refuse(
        [9, 1],
        4,
        r"fewer with 'n1' \(1\)\. Mark rare actions as missing \(None or NaN\), or merge them\. Ac",
    )


def test_of_many_small_classes_five_are_named():
    refuse([2] * 5, 2, r"fewer with 'n0' \(2\), .*, 'n4' \(2\)\. Use at most n_neighbors=1, or")
    refuse([2] * 6, 2, r"'n4' \(2\) and 1 more\. Use at most n_neighbors=1, or mark")
    refuse([2] * 7 + [1], 2, r"'n3' \(2\), 'n4' \(2\) and 3 more\. Mark rare actions")


def test_a_class_with_just_enough_is_searched():
    codes = np.repeat([0, 1], [4, 3])
    states = states_of(np.arange(7.0)[:, None], None, 1)
    table = search_within_classes(states, Classes(codes, ("a", "b")), 2)
    assert sorted(table.indices[6].tolist()) == [4, 5]


@pytest.mark.parametrize("names", [(), ("a", "b")])
def test_states_without_any_class_or_numbers(names):
    states = states_of(np.arange(9.0)[:, None], None, 2)
    message = r"n_neighbors=2 needs at least 3 states with an action, but with n_lags=2 there are 0"
    with pytest.raises(TooFewStatesError, match=message):
        search_within_classes(states, Classes(np.full(8, -1), names), 2)
    with pytest.raises(TooFewStatesError, match=message):
        search_beside_values(states, np.full((8, 1), np.nan), 2)
    values = np.full((8, 2), np.nan)
    values[:2] = 0.0
    values[5, 0] = 0.0  # half a pair is none
    with pytest.raises(TooFewStatesError, match=r"there are 2\. Use fewer neighbors, fewer lags"):
        search_beside_values(states, values, 2)


def test_a_window_that_leaves_too_few_of_a_class():
    states = states_of(np.arange(20.0)[:, None], None, 1)
    classes = Classes(np.arange(20) // 10, ("early", "late"))
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=2 with theiler=5 .* of 10 states"):
        search_within_classes(states, classes, 2, theiler=5)
