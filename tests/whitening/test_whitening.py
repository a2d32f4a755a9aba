"""White space: unit covariance, the true rank, principal axes, and the way back."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from sklearn.decomposition import PCA

import naive
from predfeat.exceptions import (
    ConstantColumnsWarning,
    ManyColumnsWarning,
    RankError,
    ShortSequencesError,
)
from predfeat.series import check_matrix, check_sequences
from predfeat.whitening import fit_whitening

# Series of all shapes are made white here, wide ones, too.
pytestmark = pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")

# What is asked of white samples: zero mean and unit covariance to ten digits.
WHITE = 1e-10


def whiten(X, pca_components=None, groups=None):
    """Return series, whitening and white samples, with the resolution of the numbers given."""
    matrix = check_matrix(X)
    series = check_sequences(matrix, groups)
    whitening = fit_whitening(
        series, pca_components, names=matrix.names, resolution=matrix.resolution
    )
    return series, whitening, whitening.apply(series).samples


def assert_white(Z):
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=WHITE)
    np.testing.assert_allclose(Z.T @ Z / len(Z), np.eye(Z.shape[1]), atol=WHITE)


def conditioned(rng, n_rows, n_columns, condition):
    """Return samples whose singular values fall from 1 to 1/condition."""
    left = linalg.qr(rng.normal(size=(n_rows, n_columns)), mode="economic")[0]
    right = linalg.qr(rng.normal(size=(n_columns, n_columns)))[0]
    return left * np.geomspace(1.0, 1.0 / condition, n_columns) @ right * np.sqrt(n_rows)


def largest_angle(A, B):
    """Return the largest angle between the spans of the columns, in radians."""
    return linalg.subspace_angles(A, B).max()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 60),
    n_columns=st.integers(1, 8),
    data=st.data(),
)
def test_white_for_every_shape_and_rank(seed, n_rows, n_columns, data):
    rank = data.draw(st.integers(1, n_columns))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, rank)) @ rng.normal(size=(rank, n_columns))
    centred = X - X.mean(axis=0)
    singular = np.linalg.svd(centred, compute_uv=False)
    # Random products can be ill-conditioned by chance: leave what is neither rank nor rounding.
    share = singular / singular[0]
    if np.any((share > 1e-13) & (share < 1e-5)):
        return
    _, whitening, Z = whiten(X)
    assert whitening.rank == int((share > 1e-5).sum())
    assert_white(Z)


@pytest.mark.parametrize("n_rows", [500, 5])
def test_rank_is_the_matrix_rank(n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, 7))
    _, whitening, Z = whiten(X)
    assert whitening.rank == np.linalg.matrix_rank(X - X.mean(axis=0)) == 3
    assert_white(Z)


def test_offsets_a_million_times_the_signal():
    # Half a unit in the last place of 1e6 is 6e-11: the mean is as good as it can be.
    X = np.random.default_rng(1).normal(size=(2000, 4)) + np.array([1e6, -1e6, 5e5, 0.0])
    _, whitening, Z = whiten(X)
    assert whitening.rank == 4
    assert_white(Z)


@pytest.mark.parametrize("condition", [1e2, 1e5])
def test_ill_conditioned_data(condition):
    X = conditioned(np.random.default_rng(2), 1500, 6, condition)
    _, whitening, Z = whiten(X)
    assert whitening.rank == 6
    assert_white(Z)


def test_duplicate_columns():
    X = np.random.default_rng(3).normal(size=(400, 3))
    _, whitening, Z = whiten(np.hstack([X, X[:, :2], X @ [[1.0], [2.0], [3.0]]]))
    assert whitening.rank == 3
    assert_white(Z)
    # The copies add nothing: white space is that of the originals.
    _, _, Z_alone = whiten(X)
    assert largest_angle(Z, Z_alone) < 1e-7  # the arc cosine turns 1e-15 into 3e-8


@pytest.mark.parametrize("spread", [1e6, 1e12])
def test_columns_in_very_different_units(spread):
    units = np.geomspace(1.0, spread, 4)
    X = np.random.default_rng(4).normal(size=(600, 4)) @ np.diag(units)
    _, whitening, Z = whiten(X)
    assert whitening.rank == 4
    assert_white(Z)


def test_units_do_not_change_white_space():
    X = np.random.default_rng(5).normal(size=(300, 3)) @ np.random.default_rng(6).normal(
        size=(3, 3)
    )
    _, _, Z = whiten(X)
    _, _, Z_scaled = whiten(X * np.array([1e-6, 1.0, 1e6]))
    assert largest_angle(Z, Z_scaled) < 1e-7


def test_float32_duplicates_are_duplicates():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(800, 3)).astype(np.float32) + np.float32(1000.0)
    # Summed in float64 and rounded once, so that it is off by half a unit of the last place on
    # every processor; a float32 product would round as its BLAS does.
    mixture = (X.astype(float) * [0.3, -0.7, 1.1]).sum(axis=1).astype(np.float32)
    X = np.column_stack([X, mixture])
    assert X.dtype == np.float32
    # The rounding of the mixture is no signal, though float64 sees it as a fourth direction.
    singular = np.linalg.svd(X.astype(float) - X.astype(float).mean(axis=0), compute_uv=False)
    assert singular[3] > naive.RANK_CUT * singular[0]
    _, whitening, Z = whiten(X)
    assert whitening.rank == 3
    assert_white(Z)


def test_small_but_real_directions_are_kept():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(500, 2))
    X = np.column_stack([X, X[:, 0] + 1e-4 * rng.normal(size=500)])
    _, whitening, Z = whiten(X)
    assert whitening.rank == 3
    assert_white(Z)


@pytest.mark.parametrize("magnitude", [1e-200, 1e-100, 1e100, 1e150])
def test_huge_and_tiny_data(magnitude):
    X = np.random.default_rng(9).normal(size=(200, 3)) * magnitude
    _, whitening, Z = whiten(X)
    assert whitening.rank == 3
    assert_white(Z)


# --- PCA cuts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(300, 6), (20, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("pca_components", [1, 3, 0.3, 0.8, 0.95, 0.999])
def test_cut_is_that_of_scikit_learn(shape, pca_components):
    rng = np.random.default_rng(10)
    X = rng.normal(size=shape) * np.geomspace(1.0, 30.0, shape[1]) + 5.0
    _, whitening, Z = whiten(X, pca_components)
    pca = PCA(n_components=pca_components, svd_solver="full").fit(X)
    assert whitening.rank == pca.n_components_
    assert largest_angle(whitening.patterns.T, pca.components_.T) < 1e-6
    # scikit-learn divides by n - 1.
    variance = pca.explained_variance_ * (shape[0] - 1) / shape[0]
    np.testing.assert_allclose(whitening.explained_variance, variance, rtol=1e-9)
    assert_white(Z)


def test_cut_beyond_the_rank_keeps_the_rank():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(100, 2)) @ rng.normal(size=(2, 5))
    assert whiten(X, 4)[1].rank == 2
    assert whiten(X, 0.9999999)[1].rank == 2


def test_cut_beyond_the_columns():
    with pytest.raises(RankError, match="pca_components=4 is more than the 3 columns"):
        whiten(np.random.default_rng(0).normal(size=(20, 3)), 4)


def test_cut_depends_on_units():
    # A principal component is one of the data in its own units, unlike white space.
    X = np.random.default_rng(12).normal(size=(500, 3)) * np.array([1.0, 100.0, 1.0])
    _, whitening, _ = whiten(X, 1)
    assert abs(whitening.patterns[0, 1]) > 1e3 * np.abs(whitening.patterns[0, [0, 2]]).max() / 100


# --- routes -----------------------------------------------------------------------------------


def test_fewer_samples_than_columns():
    rng = np.random.default_rng(13)
    X = rng.normal(size=(12, 40)) * np.geomspace(1.0, 10.0, 40)
    _, whitening, Z = whiten(X)
    assert whitening.rank == 11
    assert_white(Z)
    # The direct way: the SVD of the samples.
    mean, directions, white = naive.whiten(X)
    np.testing.assert_allclose(whitening.mean, mean, atol=1e-12)
    np.testing.assert_allclose(Z @ Z.T, white @ white.T, atol=1e-9)
    assert largest_angle(whitening.patterns.T, np.linalg.pinv(directions).T) < 1e-7
    # Many maps give the same white samples here. In columns of unit variance the library's is
    # the shortest one, which is the SVD's.
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    _, directions, _ = naive.whiten(X)
    assert largest_angle(whiten(X)[1].directions, directions) < 1e-7


def test_randomized_route_is_close_to_the_exact_one():
    rng = np.random.default_rng(14)
    n_rows, n_columns, n_kept = 1100, 1000, 5
    signal = rng.normal(size=(n_rows, n_kept)) * np.array([30.0, 25.0, 20.0, 15.0, 10.0])
    basis = linalg.qr(rng.normal(size=(n_columns, n_kept)), mode="economic")[0]
    X = signal @ basis.T + rng.normal(size=(n_rows, n_columns))
    _, whitening, Z = whiten(X, n_kept)
    assert whitening.rank == n_kept
    assert_white(Z)
    centred = X - X.mean(axis=0)
    last = (n_columns - n_kept, n_columns - 1)
    axes = linalg.eigh(centred.T @ centred, subset_by_index=last)[1]
    # The noise's largest singular value is a fifth of the signal's smallest: one pass leaves
    # degrees between the spaces, five leave 0.2¹¹, far less than what is allowed here.
    assert np.degrees(largest_angle(whitening.patterns.T, axes)) < 0.001
    again = whiten(X, n_kept)[1]
    np.testing.assert_array_equal(whitening.directions, again.directions)


# --- the map ----------------------------------------------------------------------------------


@pytest.mark.parametrize("pca_components", [None, 2, 0.7])
def test_patterns_and_directions_are_inverse(pca_components):
    rng = np.random.default_rng(15)
    X = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 5)) + 4.0
    _, whitening, Z = whiten(X, pca_components)
    identity = np.eye(whitening.rank)
    np.testing.assert_allclose(whitening.patterns @ whitening.directions, identity, atol=1e-10)
    # The way there and back is the projection onto the axes kept.
    back = whitening.mean + Z @ whitening.patterns
    projector = whitening.directions @ whitening.patterns
    np.testing.assert_allclose(back, whitening.mean + (X - whitening.mean) @ projector, atol=1e-9)
    if pca_components is None:
        np.testing.assert_allclose(back, X, atol=1e-9)


@pytest.mark.parametrize("shape", [(300, 5), (10, 25)], ids=["tall", "wide"])
def test_axes_are_the_principal_ones_in_order(shape):
    rng = np.random.default_rng(16)
    X = rng.normal(size=shape) * rng.permutation(np.geomspace(1.0, 20.0, shape[1]))
    _, whitening, _ = whiten(X)
    centred = X - X.mean(axis=0)
    singular = np.linalg.svd(centred, compute_uv=False)[: whitening.rank]
    np.testing.assert_allclose(whitening.explained_variance, singular**2 / len(X), rtol=1e-8)
    assert np.all(np.diff(whitening.explained_variance) <= 0)
    # Patterns of different principal axes are orthogonal, and as long as their spread.
    gram = whitening.patterns @ whitening.patterns.T
    np.testing.assert_allclose(gram, np.diag(whitening.explained_variance), atol=1e-8 * gram.max())


def test_explained_variance_of_volts_and_microvolts():
    X = np.random.default_rng(17).normal(size=(400, 2)) * np.array([1.0, 1e-6])
    _, whitening, _ = whiten(X)
    singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    # The SVD is right to 2e-16 of the larger spread, 1e-10 of the smaller one.
    np.testing.assert_allclose(whitening.explained_variance, singular**2 / len(X), rtol=1e-8)


def test_gaps_take_no_part():
    X, groups = naive.random_series(18, [60, 40], 3, n_gaps=8)
    series, whitening, Z = whiten(X, groups=groups)
    complete = X[~np.isnan(X).any(axis=1)]
    assert_white(Z)
    np.testing.assert_allclose(whitening.mean, complete.mean(axis=0), atol=1e-13)
    white = whitening.apply(series)
    assert white.run_bounds() == series.run_bounds()
    np.testing.assert_array_equal(white.rows[~series.valid], 0.0)


def test_only_the_training_rows_decide():
    rng = np.random.default_rng(19)
    train, test = rng.normal(size=(100, 3)), 5.0 + 3.0 * rng.normal(size=(50, 3))
    whitening = whiten(train)[1]
    found = whitening.apply(check_sequences(test)).rows
    np.testing.assert_allclose(found, (test - whitening.mean) @ whitening.directions, atol=1e-12)
    assert np.abs(found.mean(axis=0)).max() > 1.0


# --- what is wrong with the data ----------------------------------------------------------------


def test_constant_columns_are_named_and_left_out():
    X = np.random.default_rng(20).normal(size=(100, 4))
    X[:, 1], X[:, 3] = 7.0, 0.1
    with pytest.warns(ConstantColumnsWarning, match="2 of 4.*left out: 'x1', 'x3'$"):
        _, whitening, Z = whiten(X)
    assert whitening.rank == 2
    assert_white(Z)
    np.testing.assert_array_equal(whitening.directions[[1, 3]], 0.0)
    with pytest.warns(ConstantColumnsWarning, match="left out: 1, 3$"):
        fit_whitening(check_sequences(X))


def test_many_constant_columns_are_counted():
    X = np.zeros((50, 14))
    X[:, 0] = np.arange(50.0)
    with pytest.warns(ConstantColumnsWarning, match=r"13 of 14.*'x10', …"):
        assert whiten(X)[1].rank == 1


@pytest.mark.parametrize("value", [1e16, 1e200])
def test_a_huge_constant_column_takes_nothing_with_it(value):
    X = np.column_stack([np.random.default_rng(21).normal(size=(100, 2)), np.full(100, value)])
    with pytest.warns(ConstantColumnsWarning, match="'x2'"):
        _, whitening, Z = whiten(X)
    assert whitening.rank == 2
    assert_white(Z)


def test_a_column_that_hardly_varies_is_not_constant():
    X = np.column_stack([np.arange(50.0), 1.0 + 1e-12 * np.random.default_rng(22).normal(size=50)])
    assert whiten(X)[1].rank == 2


def test_more_features_than_the_rank():
    rng = np.random.default_rng(23)
    whitening = whiten(rng.normal(size=(100, 2)) @ rng.normal(size=(2, 5)))[1]
    whitening.require(2)
    message = r"n_components=3 is more than the rank 2.*n_features=5.*between 1 and 2\."
    with pytest.raises(RankError, match=message):
        whitening.require(3)


def test_rank_of_nothing():
    with pytest.warns(ConstantColumnsWarning, match=r"2 of 2 column\(s\) are constant"):
        whitening = whiten(np.ones((10, 2)))[1]
    assert whitening.rank == 0
    with pytest.raises(RankError, match=r"all 2 column\(s\) are constant, so the rank .* is 0"):
        whitening.require(1)


def test_no_sample_at_all():
    nan = float("nan")
    with pytest.raises(ShortSequencesError, match="every row is a gap"):
        fit_whitening(check_sequences([[nan, 1.0], [2.0, nan]]))


@pytest.mark.parametrize("n_lags", [1, 3])
@pytest.mark.parametrize("n_columns", [20, 60])
def test_as_many_directions_as_rows_can_have_are_reported_for_a_reason(n_columns, n_lags):
    X = np.random.default_rng(0).normal(size=(21, n_columns)) * np.geomspace(1, 9, n_columns)
    with pytest.warns(ManyColumnsWarning, match=r"the 21 rows without gaps vary in 20 independent"):
        series, whitening, _ = whiten(X)
    white = whitening.apply(series).rows
    states = np.hstack([white[lag : len(white) - n_lags + 1 + lag] for lag in range(n_lags)])
    squared = np.square(states[:, None] - states).sum(axis=2)[~np.eye(len(states), dtype=bool)]
    np.testing.assert_allclose(squared, 2 * 21 * n_lags)  # every pair is as far apart as any other


@pytest.mark.parametrize(("n_columns", "pca_components"), [(19, None), (40, 19)])
def test_one_direction_less_is_not_reported(n_columns, pca_components):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whiten(np.random.default_rng(0).normal(size=(21, n_columns)), pca_components)


def test_a_single_row_is_not_said_to_be_far_from_others():
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert fit_whitening(check_sequences([[1.0, 2.0]])).rank == 0
    assert {each.category for each in given} == {ConstantColumnsWarning}
