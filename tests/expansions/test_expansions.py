"""Expansions: what they compute, what they leave alone, and what they refuse."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.preprocessing import FunctionTransformer, SplineTransformer

import naive
from naive_kernel import polynomial_kernel
from predfeat._method_names import EXPANSION_NAMES
from predfeat.exceptions import ExpansionError
from predfeat.expansions import (
    EXPANSIONS,
    Identity,
    LandmarkKernel,
    Polynomial,
    RandomFourier,
    Transformer,
    check_expansion,
    median_gamma,
    refuse_many_columns,
)
from predfeat.series import check_sequences

ALL = [*EXPANSIONS.values(), LandmarkKernel("poly", 30), Transformer(SplineTransformer())]
by_name = pytest.mark.parametrize("expansion", ALL, ids=lambda one: one.name)


def gappy(seed, n_columns=3):
    X, groups = naive.random_series(seed, [70, 90], n_columns, n_gaps=12)
    return check_sequences(X, groups)


@by_name
def test_gaps_and_sequences_pass_through(expansion, seed):
    series = gappy(seed)
    fitted = expansion.fit(series)
    expanded = fitted.apply(series)
    assert expanded.n_columns == fitted.n_columns == expanded.rows.shape[1]
    np.testing.assert_array_equal(expanded.valid, series.valid)
    np.testing.assert_array_equal(expanded.sequence_first, series.sequence_first)
    assert not expanded.rows[~series.valid].any()
    # Every row is expanded alone; its place in a product may round another way.
    alone = fitted.expand(series.samples[5:6])
    np.testing.assert_allclose(alone, expanded.samples[5:6], rtol=0, atol=1e-9)
    assert fitted.expand(series.samples[:0]).shape == (0, fitted.n_columns)


@by_name
def test_a_fit_does_not_see_what_gaps_hold(expansion):
    series = gappy(0)
    alone = check_sequences(series.samples)
    np.testing.assert_array_equal(
        expansion.fit(series).expand(series.samples), expansion.fit(alone).expand(alone.rows)
    )


@by_name
def test_the_same_data_gives_the_same_bits(expansion):
    series = gappy(0)
    first, second = (expansion.fit(series).apply(series).rows for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_the_names_are_those_of_the_command():
    assert tuple(EXPANSIONS) == ("identity", *EXPANSION_NAMES)
    assert [one.name for one in EXPANSIONS.values()] == list(EXPANSIONS)
    assert Polynomial(4).name == "degree 4"


@pytest.mark.parametrize(("degree", "n_columns"), [(1, 4), (2, 3), (3, 2)])
def test_a_polynomial_holds_all_products(degree, n_columns):
    rows = np.random.default_rng(degree).normal(size=(20, n_columns))
    expansion = Polynomial(degree)
    found = expansion.fit(check_sequences(rows)).expand(rows)
    products = [rows[:, [i]] for i in range(n_columns)]
    expected = list(products)
    if degree > 1:
        expected += [rows[:, [i]] * rows[:, [j]] for i in range(n_columns) for j in range(i + 1)]
    if degree > 2:
        expected += [
            rows[:, [i]] * rows[:, [j]] * rows[:, [k]]
            for i in range(n_columns)
            for j in range(i + 1)
            for k in range(j + 1)
        ]
    assert found.shape[1] == expansion.count(n_columns) == len(expected)
    # The order of the columns means nothing.
    for column in expected:
        assert np.abs(found - column).max(axis=0).min() < 1e-12


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_with_all_samples_as_landmarks_products_are_the_kernel(kernel):
    series = check_sequences(np.random.default_rng(0).normal(size=(40, 3)))
    fitted = LandmarkKernel(kernel, n_landmarks=40, gamma=0.5).fit(series)
    expanded = fitted.expand(series.rows)
    expected = {
        "rbf": rbf_kernel(series.rows, gamma=0.5),
        "laplacian": laplacian_kernel(series.rows, gamma=0.5),
        "poly": polynomial_kernel(series.rows, series.rows, 2, gamma=0.5),
    }[kernel]
    # The kernel's smallest eigenvalues, down to 1e-12, are inverted.
    np.testing.assert_allclose(expanded @ expanded.T, expected, atol=1e-6)


def test_landmarks_are_samples_and_not_more_than_there_are():
    series = gappy(1)
    fitted = LandmarkKernel(n_landmarks=20).fit(series)
    distances = np.abs(fitted.landmarks[:, None] - series.samples[None]).max(axis=2).min(axis=1)
    assert distances.max() == 0
    assert len(np.unique(fitted.landmarks, axis=0)) == 20
    short = check_sequences(series.samples[:7])
    assert LandmarkKernel(n_landmarks=20).fit(short).n_columns == 7


def test_fourier_products_approach_the_kernel():
    series = check_sequences(np.random.default_rng(0).normal(size=(30, 3)))
    expanded = RandomFourier(20_000, gamma=0.3).fit(series).expand(series.rows)
    # Each product is a mean of 20 000 terms of size up to 2: 0.01 is one standard deviation.
    np.testing.assert_allclose(expanded @ expanded.T, rbf_kernel(series.rows, gamma=0.3), atol=0.05)


def test_the_median_distance_sets_the_scale():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    distances = [np.linalg.norm(a - b) for i, a in enumerate(rows) for b in rows[:i]]
    expected = 1 / (2 * np.median(np.square(distances)))
    # The square of a median of an even number of distances is not the median of squares.
    assert median_gamma(check_sequences(rows)) == pytest.approx(expected, rel=1e-6)
    assert median_gamma(check_sequences(10 * rows)) == pytest.approx(expected / 100, rel=1e-6)
    assert median_gamma(check_sequences(np.ones((5, 2)))) == 1.0
    assert median_gamma(check_sequences([[1.0]])) == 1.0


def test_what_is_meant():
    assert check_expansion("cubic") == Polynomial(3)
    assert check_expansion(Identity()) == Identity()
    spline = SplineTransformer()
    assert check_expansion(spline).transformer is spline


@pytest.mark.parametrize("given", ["cubik", 3, None, SplineTransformer])
def test_what_is_no_expansion(given):
    with pytest.raises(ExpansionError, match=r"expansion must be one of 'identity', 'quadratic'"):
        check_expansion(given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polynomial(0), "degree of Polynomial must be a whole number"),
        (lambda: Polynomial(True), "degree of Polynomial must be a whole number"),
        (lambda: LandmarkKernel("sigmoid"), "kernel must be one of rbf"),
        (lambda: LandmarkKernel(n_landmarks=1.5), "n_landmarks of LandmarkKernel"),
        (lambda: LandmarkKernel(gamma=0.0), "gamma of LandmarkKernel must be a positive"),
        (lambda: LandmarkKernel(coef0=-1.0), "coef0 of LandmarkKernel must be a number from 0"),
        (lambda: RandomFourier(gamma=np.nan), "gamma of RandomFourier must be a positive"),
        (lambda: RandomFourier(random_state=-1), "random_state of RandomFourier must be"),
    ],
)
def test_parameters_that_cannot_be(make, message):
    with pytest.raises(ExpansionError, match=message):
        make()


def test_too_many_columns_are_refused_before_they_fill_the_memory():
    with pytest.raises(ExpansionError, match="cubic makes 176850 columns of 100, but"):
        refuse_many_columns(Polynomial(3), 100)
    refuse_many_columns(Polynomial(2), 100)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rows: rows[:1], r"returned an array of shape \(1, 3\) for 158|one row for each"),
        (lambda rows: np.full(rows.shape, "a"), "returned no numbers"),
        (lambda rows: np.full(rows.shape, np.nan), "returned NaN for rows without one"),
    ],
)
def test_transformers_that_are_no_expansion(function, message):
    series = gappy(0)
    with pytest.raises(ExpansionError, match=message):
        Transformer(FunctionTransformer(function)).fit(series).apply(series)
