"""Moments add up without loss, and give the whitening that the samples give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg

import naive_moments
from predfeat.exceptions import ConstantColumnsWarning, RankError, ScaleError
from predfeat.series import check_sequences
from predfeat.whitening import (
    Moments,
    fit_whitening,
    warn_of_constant_columns,
    whitening_from_moments,
)


def pieces(rows, size):
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def added(parts):
    total = Moments.none(parts[0].shape[1])
    for part in parts:
        total = total.combined(Moments.of(part))
    return total


def whole_numbers(seed, n_rows, n_columns, offset):
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(n_rows, n_columns)) @ random.normal(size=(n_columns, n_columns))
    return np.rint(offset + 1000.0 * mixed)


def test_the_twin_is_the_definition():
    rows = np.array([[1.0, 5.0], [2.0, 5.0], [6.0, 8.0]])
    mean, scatter = naive_moments.moments(rows)
    np.testing.assert_array_equal(mean, [3.0, 6.0])
    np.testing.assert_array_equal(scatter, [[14.0, 9.0], [9.0, 6.0]])


@pytest.mark.parametrize("size", [1, 7, 3000])
@pytest.mark.parametrize("offset", [0.0, 1e8, -1e15])
def test_no_digit_is_lost_whatever_the_offset_and_the_pieces(size, offset):
    # Beside 1e15 a mean is rounded by 0.06. If that were done with every row, it would add up.
    rows = whole_numbers(0, 3000, 3, offset)
    found = added(pieces(rows, size))
    mean, scatter = naive_moments.moments(rows)
    assert found.count == 3000
    # A sum of 3000 numbers: up to some hundred units of the last place.
    np.testing.assert_allclose(found.scatter, scatter, atol=3e-14 * scatter.max())
    # One rounding of the mean, and those of numbers of the size of the spread, 1e3.
    np.testing.assert_allclose(found.mean, mean, rtol=2.3e-16, atol=1e-11)
    np.testing.assert_array_equal(found.smallest, rows.min(axis=0))
    np.testing.assert_array_equal(found.largest, rows.max(axis=0))


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 40),
    offset=st.sampled_from([0.0, 3e7, -1e12]),
    data=st.data(),
)
def test_the_order_of_adding_matters_to_rounding_alone(seed, n_rows, offset, data):
    rows = whole_numbers(seed, n_rows, 2, offset)
    one, two = sorted(data.draw(st.integers(0, n_rows)) for _ in range(2))
    a, b, c = (Moments.of(part) for part in (rows[:one], rows[one:two], rows[two:]))
    _, scatter = naive_moments.moments(rows)
    for found in (a.combined(b).combined(c), a.combined(b.combined(c)), c.combined(b).combined(a)):
        np.testing.assert_allclose(found.scatter, scatter, atol=1e-13 * scatter.max())
        assert found.count == n_rows


def test_scatter_about_a_point():
    rows = np.random.default_rng(1).normal(size=(50, 3)) + 4.0
    point = np.array([1.0, -2.0, 4.0])
    moments = Moments.of(rows)
    expected = (rows - point).T @ (rows - point)
    np.testing.assert_allclose(moments.scatter_about(point), expected, rtol=1e-12)
    np.testing.assert_allclose(moments.scatter_about(0.0), rows.T @ rows, rtol=1e-12)


def test_no_rows_change_nothing():
    some, none = Moments.of(np.array([[1.0, 2.0], [3.0, 5.0]])), Moments.none(2)
    assert some.combined(none) is some
    assert none.combined(some) is some
    assert none.combined(none).count == 0
    assert Moments.of(np.zeros((0, 2))).count == 0


def test_squares_that_are_too_large_are_refused():
    rows = np.array([[0.0, 1e160], [1.0, -1e160]])
    with pytest.raises(ScaleError, match=r"column 1 reaches from -1e\+160 to 1e\+160.*below 1e150"):
        Moments.of(rows)
    with pytest.raises(ScaleError, match="column 1 reaches"):
        Moments.of(rows[:1]).combined(Moments.of(rows[1:]))


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_huge_number_that_never_changes_takes_nothing_with_it(size):
    rows = np.column_stack([np.random.default_rng(2).normal(size=100), np.full(100, 1.1e200)])
    moments = added(pieces(rows, size))
    assert moments.scatter[1, 1] == 0.0
    with pytest.warns(ConstantColumnsWarning, match="1 of 2.*'b'"):
        warn_of_constant_columns(moments, ["a", "b"])
    assert whitening_from_moments(moments).rank == 1


# --- the whitening --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 11, 400])
@pytest.mark.parametrize("pca_components", [None, 2, 0.8])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_the_whitening_is_that_of_the_samples(size, pca_components, offset):
    random = np.random.default_rng(3)
    rows = random.normal(size=(400, 5)) * [1.0, 1e-3, 30.0, 4.0, 0.0] + offset
    rows[:, 3] += rows[:, 2]
    found = whitening_from_moments(added(pieces(rows, size)), pca_components)
    expected = fit_whitening(check_sequences(rows), pca_components, warn=False)
    assert found.rank == expected.rank
    np.testing.assert_array_equal(found.directions[4], 0.0)
    # Columns 2 and 3 are correlated, which takes one or two digits.
    scale = np.abs(expected.directions).max(axis=0)
    np.testing.assert_allclose(found.directions / scale, expected.directions / scale, atol=1e-10)
    np.testing.assert_allclose(found.patterns, expected.patterns, atol=1e-9)
    np.testing.assert_allclose(found.explained_variance, expected.explained_variance, rtol=1e-10)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=2.3e-16, atol=1e-14)


@pytest.mark.parametrize("share", [1e-4, 1e-8])
def test_the_accuracy_is_the_one_documented(share):
    random = np.random.default_rng(4)
    rows = linalg.qr(random.normal(size=(1000, 2)), mode="economic")[0]
    rows = rows * [1.0, np.sqrt(share)] @ [[1.0, 1.0], [1.0, -1.0]]
    whitening = whitening_from_moments(added(pieces(rows, 10)))
    white = whitening.apply(check_sequences(rows)).rows
    # 1e-15 / share, times 20 for the roundings of the sums.
    np.testing.assert_allclose(white.T @ white / 1000, np.eye(2), atol=2e-14 / share)


def test_rounding_of_a_constant_is_no_principal_component():
    random = np.random.default_rng(8)
    jitter = 1e10 + np.spacing(1e10) * (np.arange(200) % 2)
    rows = np.column_stack([jitter, 1e-7 * random.normal(size=(200, 2))])
    whitening = whitening_from_moments(added(pieces(rows, 9)), 1)
    expected = fit_whitening(check_sequences(rows), 1, warn=False)
    np.testing.assert_array_equal(whitening.directions[0], 0.0)
    np.testing.assert_allclose(whitening.directions, expected.directions, rtol=1e-9)


def test_fewer_rows_than_columns_and_copies():
    random = np.random.default_rng(5)
    rows = random.normal(size=(12, 30))
    assert whitening_from_moments(added(pieces(rows, 5))).rank == 11
    few = random.normal(size=(200, 3)) @ random.normal(size=(3, 6))
    assert whitening_from_moments(added(pieces(few, 5))).rank == 3


def test_the_resolution_cuts():
    random = np.random.default_rng(6)
    rows = random.normal(size=(300, 2)) + 1000.0
    rows = np.column_stack([rows, rows.sum(axis=1) + 1e-5 * random.normal(size=300)])
    moments = added(pieces(rows, 30))
    assert whitening_from_moments(moments).rank == 3
    assert whitening_from_moments(moments, resolution=float(np.finfo(np.float32).eps)).rank == 2


def test_squares_that_are_too_small_are_refused():
    rows = np.random.default_rng(7).normal(size=(50, 2)) * [1.0, 1e-170]
    with pytest.raises(ScaleError, match=r"1 of 2.*less than 1e-145.*'b'"):
        whitening_from_moments(Moments.of(rows), names=["a", "b"])


def test_a_cut_beyond_the_columns():
    with pytest.raises(RankError, match="pca_components=4 is more than the 3 columns"):
        whitening_from_moments(Moments.of(np.eye(3)), 4)
