"""What all methods share: the map, the way back, signs, gaps, sequences, score."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

import naive_selection
from predfeat import DCA, GPFA, LPP, PFA, SFA, DescentFeatures, ForeCA, RandomFeatures
from predfeat.datasets import predictable_noise
from predfeat.exceptions import RankError
from predfeat.measures import subspace_angles
from predfeat.series import check_sequences

METHODS = [
    GPFA(max_iter=3, n_neighbors=5),
    GPFA(max_iter=3, n_neighbors=5, graph="full", normalized=False, n_lags=2),
    SFA(),
    PFA(n_lags=2),
    ForeCA(),
    DCA(tol=0),
    DescentFeatures(n_starts=2, n_sets=2),
    LPP(n_neighbors=5),
    RandomFeatures(random_state=0),
]
LEARNT = METHODS[:-1]  # random directions have nothing to do with the data
every = pytest.mark.parametrize("method", METHODS, ids=str)


def waves(n_rows=240, seed=0, noise=1.0):
    """A slow and a fast wave among noise, mixed and moved."""
    random = np.random.default_rng(seed)
    t = np.arange(n_rows)
    X = noise * random.normal(size=(n_rows, 5))
    X[:, 0] += 2 * np.sin(0.11 * t)
    X[:, 1] += 2 * np.cos(2.3 * t)
    return X @ random.normal(size=(5, 5)) + 10 * random.normal(size=5)


@every
def test_transform_is_the_linear_map(method):
    X, other = waves(), waves(seed=1)
    model = clone(method).fit(X)
    np.testing.assert_allclose(
        model.transform(other), (other - model.mean_) @ model.components_.T, rtol=1e-12
    )
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-12)
    assert model.components_.shape == (2, 5)
    assert model.rank_ == 5


@every
def test_features_have_mean_zero_and_unit_variance(method):
    Y = clone(method).set_params(n_components=3).fit_transform(waves())
    # Whitening is polished to the last digits.
    np.testing.assert_allclose(Y.mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(Y.std(axis=0), 1.0, rtol=1e-10)


# Solutions of the generalized problem of GPFA and of LPP are orthogonal in D, not in white space.
@pytest.mark.parametrize("method", [m for m in METHODS[1:] if not isinstance(m, LPP)], ids=str)
def test_features_are_uncorrelated(method):
    Y = clone(method).set_params(n_components=3).fit_transform(waves())
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(3), atol=1e-8)


@every
def test_the_largest_loading_is_positive(method):
    for seed in range(4):
        components = clone(method).fit(waves(seed=seed)).components_
        largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
        assert np.all(largest > 0)


@every
def test_the_way_back_is_least_squares(method):
    X = waves()
    model = clone(method).fit(X)
    Y = model.transform(X)
    coefficients = np.linalg.lstsq(Y, X - X.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(model.patterns_, coefficients, atol=1e-9)
    expected = X.mean(axis=0) + Y @ coefficients
    np.testing.assert_allclose(model.inverse_transform(Y), expected, atol=1e-9)


@every
def test_the_way_back_is_exact_at_full_rank(method):
    X, other = waves(), waves(seed=1)
    model = clone(method).set_params(n_components=5).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(other)), other, atol=1e-8)


@every
def test_the_way_there_undoes_the_way_back(method):
    model = clone(method).fit(waves())
    Y = np.random.default_rng(3).normal(size=(10, 2))
    np.testing.assert_allclose(model.transform(model.inverse_transform(Y)), Y, atol=1e-9)


@every
def test_rows_with_a_gap_stay_gaps(method):
    X = waves()
    X[[0, 50, 51, 239], [1, 0, 4, 2]] = np.nan
    model = clone(method).fit(X)
    Y = model.transform(X)
    gaps = np.isnan(X).any(axis=1)
    assert np.isnan(Y[gaps]).all()
    assert np.isfinite(Y[~gaps]).all()
    np.testing.assert_allclose(Y[~gaps].mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(Y[~gaps].std(axis=0), 1.0, rtol=1e-10)
    back = model.inverse_transform(Y)
    np.testing.assert_array_equal(np.isnan(back).any(axis=1), gaps)


@every
def test_a_checked_series_has_the_same_features(method):
    X, groups = waves(), np.arange(240) // 80
    X[[0, 50, 51, 239], [1, 0, 4, 2]] = np.nan
    model = clone(method).fit(X, groups=groups)
    series = check_sequences(X, groups)
    features = model.transform_series(series)
    np.testing.assert_array_equal(features.samples, model.transform(X)[series.valid])
    np.testing.assert_array_equal(features.valid, series.valid)
    assert features.run_bounds() == series.run_bounds()


def test_features_of_a_checked_series_need_a_fit():
    with pytest.raises(NotFittedError):
        SFA().transform_series(check_sequences(waves()))


# Not ForeCA: the length of the sequence, gaps included, sets the resolution of its spectrum.
@pytest.mark.parametrize("method", [m for m in METHODS if not isinstance(m, ForeCA)], ids=str)
def test_gaps_at_the_ends_are_no_rows_at_all(method):
    X = waves()
    padded = np.vstack([np.full((3, 5), np.nan), X, np.full((2, 5), np.nan)])
    expected = clone(method).fit(X).components_
    np.testing.assert_allclose(clone(method).fit(padded).components_, expected, atol=1e-9)


@every
def test_one_group_is_no_group(method):
    X = waves()
    alone = clone(method).fit(X)
    grouped = clone(method).fit(X, groups=["only"] * len(X))
    np.testing.assert_array_equal(grouped.components_, alone.components_)
    assert alone.score(X) == grouped.score(X, groups=[7] * len(X))


@every
def test_repeated_fits_give_the_same_bits(method):
    X = waves()
    model = clone(method).fit(X)
    first = model.components_.copy()
    np.testing.assert_array_equal(clone(method).fit(X).components_, first)
    np.testing.assert_array_equal(model.fit(X).components_, first)  # nothing is left over
    np.random.default_rng().normal()
    np.random.seed(123)  # noqa: NPY002 - the global generator must play no part
    np.testing.assert_array_equal(clone(method).fit(X).components_, first)


# Random directions are drawn with respect to the principal axes, which mixing changes; LPP measures
# distances in the input.
@pytest.mark.parametrize("method", [m for m in LEARNT if not isinstance(m, LPP)], ids=str)
def test_mixing_and_moving_the_inputs_changes_no_feature(method):
    random = np.random.default_rng(5)
    X = waves()
    mixing = random.normal(size=(5, 5)) + 2 * np.eye(5)
    if isinstance(method, ForeCA):
        method = clone(method).set_params(tol=0, max_iter=500)
    Y = clone(method).fit_transform(X)
    mixed = clone(method).fit_transform(X @ mixing + 100 * random.normal(size=5))
    signs = np.sign(np.sum(Y * mixed, axis=0))
    # The steps of ForeCA and of DCA stop where the objective's last digit does: the direction is
    # then known to the square root of that.
    tolerance = 1e-4 if isinstance(method, ForeCA | DCA) else 1e-7
    np.testing.assert_allclose(mixed * signs, Y, atol=tolerance)


@pytest.mark.parametrize("method", LEARNT, ids=str)
def test_shuffling_whole_trials_leaves_the_span(method):
    random = np.random.default_rng(6)
    trials = waves(400).reshape(10, 40, 5)
    groups = np.repeat(np.arange(10), 40)
    order = random.permutation(10)
    X, shuffled = trials.reshape(-1, 5), trials[order].reshape(-1, 5)
    if isinstance(method, ForeCA):
        method = clone(method).set_params(tol=0, max_iter=500)
    model = clone(method).fit(X, groups=groups)
    other = clone(method).fit(shuffled, groups=groups)
    limit = 1e-3 if isinstance(method, ForeCA | DCA) else 1e-6  # degrees; as above
    assert subspace_angles(model, other, X)[0] < limit


@every
def test_score_is_what_neighbours_predict(method):
    X, other = waves(), waves(seed=1)
    model = clone(method).fit(X)
    n_lags = method.get_params().get("n_lags", 1)
    for groups in (None, np.arange(240) // 60):
        features = model.transform(other)
        sequences = [features] if groups is None else np.split(features, 4)
        expected = naive_selection.predicted_shares(sequences, None, n_lags, 10)
        assert model.score(other, groups=groups) == pytest.approx(np.sum(expected), rel=1e-9)


def test_score_is_highest_at_the_true_number_of_features():
    X, other = (predictable_noise(2000, 6, random_state=seed) for seed in (0, 1))
    scores = [GPFA(m, n_neighbors=20).fit(X).score(other) for m in (1, 2, 3, 4)]
    assert int(np.argmax(scores)) == 1


@every
@pytest.mark.parametrize("share", [0.5, 0.9, 0.97, 0.999])
def test_a_share_of_variance_keeps_what_scikit_learn_keeps(method, share):
    X = waves(seed=2)
    n_kept = PCA(share).fit(X).n_components_
    model = clone(method).set_params(n_components=1, pca_components=share).fit(X)
    assert model.rank_ == n_kept


@every
def test_fewer_principal_components(method):
    X = waves()
    scores = PCA(3).fit_transform(X)
    cut = clone(method).set_params(pca_components=3).fit(X)
    assert cut.rank_ == 3
    # The features are combinations of those components alone.
    features = cut.transform(X)
    inside = scores @ np.linalg.lstsq(scores, features, rcond=None)[0]
    np.testing.assert_allclose(features, inside, atol=1e-9)


@pytest.mark.parametrize("method", LEARNT, ids=str)
def test_principal_components_before_or_inside(method):
    X = waves()
    scores = PCA(3).fit_transform(X)
    inside = clone(method).set_params(pca_components=3).fit_transform(X)
    before = clone(method).fit_transform(scores)
    limit = 1e-3 if isinstance(method, DCA) else 1e-6  # degrees; as above
    if isinstance(method, ForeCA):
        limit = 1.0  # other starts, default tol
    assert subspace_angles(inside, before)[0] < limit


@every
def test_more_principal_components_than_columns(method):
    with pytest.raises(RankError, match=r"pca_components=6 is more than the 5 columns"):
        clone(method).set_params(pca_components=6).fit(waves())
