"""LPP: the eigenproblem that defines it, what it depends on, and what it does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

import naive
from engines import ENGINES
from predfeat import GPFA, LPP
from predfeat.exceptions import RankError, TooFewStatesError
from predfeat.graph import Local
from predfeat.measures import subspace_angles

# Degrees. Both sides solve the same small problem, whose eigenvalues differ by 1e-3 and more: the
# directions are known to 1e-13 / 1e-3, some 1e-8 degrees.
ANGLE = 1e-6


def clusters(seed, n_rows=120, n_columns=4):
    """Three clusters along a line, in noise of different sizes, mixed and moved."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns)) * np.linspace(0.5, 2.0, n_columns)
    X[:, 0] += 6.0 * random.integers(0, 3, size=n_rows)
    return X @ np.linalg.qr(random.normal(size=(n_columns, n_columns)))[0] + 3.0


def with_gaps(X, seed, share=0.1):
    random = np.random.default_rng(seed)
    X = X.copy()
    for row in np.flatnonzero(random.random(len(X)) < share):
        X[row, random.integers(0, X.shape[1])] = np.nan
    return X


def assert_same_directions(one, other, X):
    """Assert that the features are the same, one by one, but for their sign."""
    samples = X[~np.isnan(X).any(axis=1)]
    for a, b in zip(one.T, other.T, strict=True):
        angle = subspace_angles((samples @ a)[:, None], (samples @ b)[:, None])[0]
        assert angle < ANGLE


def test_the_twin_solves_what_defines_it(seed):
    X = clusters(seed, n_rows=40)
    values, directions = naive.lpp(X, 5, 3)
    # Written out once more, with A as a table of zeros and ones.
    A = np.zeros((40, 40))
    for t in range(40):
        order = np.argsort(np.sum((X - X[t]) ** 2, axis=1))
        A[t, order[1:6]] = 1.0
    W = A + A.T
    D = np.diag(W.sum(axis=1))
    centered = X - X.mean(axis=0)
    left = centered.T @ (D - W) @ centered @ directions
    right = centered.T @ D @ centered @ directions * values
    np.testing.assert_allclose(left, right, atol=1e-9 * np.abs(right).max())
    assert np.all(np.diff(values) > 0)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_columns=st.integers(1, 5),
    k=st.integers(1, 12),
    share=st.sampled_from([0.0, 0.1]),
)
def test_it_is_the_twin(seed, n_columns, k, share):
    X = with_gaps(clusters(seed, n_rows=60, n_columns=n_columns), seed, share)
    M = max(1, n_columns - 1)
    model = LPP(M, n_neighbors=k).fit(X)
    values, directions = naive.lpp(X, k, min(M + 1, n_columns))
    np.testing.assert_allclose(model.eigenvalues_, values[:M], rtol=1e-8)
    if np.diff(values).size and np.diff(values).min() < 1e-3:
        return  # these directions are not known to ANGLE
    assert_same_directions(model.components_.T, directions[:, :M], X)


@pytest.mark.parametrize("engine", ENGINES)
def test_it_is_the_twin_with_every_engine(engine):
    X = with_gaps(clusters(3), 3)
    models = [LPP(2, n_neighbors=6, engine=engine, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2)]
    values, directions = naive.lpp(X, 6, 2)
    np.testing.assert_allclose(models[0].eigenvalues_, values, rtol=1e-8)
    assert_same_directions(models[0].components_.T, directions, X)
    np.testing.assert_array_equal(models[0].components_, models[1].components_)


def test_eigenvalues_are_those_of_the_features(seed):
    X = clusters(seed)
    model = LPP(3, n_neighbors=5).fit(X)
    Y = model.transform(X)
    times, indices, _ = naive.nearest(X, None, 1, 5)
    W = np.zeros((len(X), len(X)))
    for t, rows in zip(times, indices, strict=True):
        W[t, rows] += 1.0
        W[rows, t] += 1.0
    degrees = W.sum(axis=1)
    for value, y in zip(model.eigenvalues_, Y.T, strict=True):
        steps = 0.5 * np.sum(W * (y[:, None] - y[None, :]) ** 2)
        assert value == pytest.approx(steps / np.sum(degrees * y**2), rel=1e-9)
    # The smoothest first; none is smoother than the first.
    assert np.all(np.diff(model.eigenvalues_) > 0)
    for y in (X @ np.random.default_rng(seed).normal(size=(4, 200))).T:
        y = y - y.mean()
        steps = 0.5 * np.sum(W * (y[:, None] - y[None, :]) ** 2)
        assert steps / np.sum(degrees * y**2) >= model.eigenvalues_[0] - 1e-12


def test_clusters_are_kept_apart(seed):
    random = np.random.default_rng(seed)
    label = random.integers(0, 2, size=300)
    X = random.normal(size=(300, 4))
    X[:, 0] += 12.0 * label
    y = LPP(1).fit_transform(X @ np.linalg.qr(random.normal(size=(4, 4)))[0])[:, 0]
    means = [y[label == side].mean() for side in (0, 1)]
    # With unit variance, two points are 2 apart; clusters are 12 apart with a width of 1, and lose
    # 1 / 37 of the variance to it.
    assert abs(means[0] - means[1]) > 1.9


def test_flowers_are_told_apart_without_labels():
    X, species = load_iris(return_X_y=True)
    y = LPP(1).fit_transform(X)[:, 0]
    setosa, others = y[species == 0], y[species != 0]
    assert setosa.max() < others.min() or setosa.min() > others.max()


# What it does not depend on


def test_turning_moving_and_scaling_the_inputs_changes_no_feature(seed):
    X = clusters(seed)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0]
    Y = LPP(3).fit_transform(X)
    for other in (X @ turn, X + 1000.0, 1e-6 * X, 1e150 * X, 2.0 * X @ turn - 5.0):
        features = LPP(3).fit_transform(other)
        signs = np.sign(np.sum(Y * features, axis=0))
        # 1000 away, samples have three digits fewer; directions have lost as many as in ANGLE.
        np.testing.assert_allclose(features * signs, Y, atol=1e-7)


def test_one_column_in_other_units_is_another_question():
    # Distances are those of the input: unlike the other methods' features, these change.
    X = clusters(0)
    other = X * [1, 1, 50, 1]
    Y, features = LPP(2).fit_transform(X), LPP(2).fit_transform(other)
    assert subspace_angles(Y, features)[0] > 1.0


def test_time_plays_no_part(seed):
    X = clusters(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    model, shuffled = LPP(3).fit(X), LPP(3).fit(X[order])
    np.testing.assert_allclose(shuffled.eigenvalues_, model.eigenvalues_, rtol=1e-9)
    assert_same_directions(model.components_.T, shuffled.components_.T, X)


@pytest.mark.parametrize("gaps", [False, True])
def test_groups_change_nothing(seed, gaps):
    X = clusters(seed)
    X = with_gaps(X, seed) if gaps else X
    alone = LPP(3).fit(X)
    for groups in (np.arange(120) // 40, np.arange(120) // 7, np.arange(120) // 3):
        grouped = LPP(3).fit(X, groups=groups)
        np.testing.assert_array_equal(grouped.components_, alone.components_)
        np.testing.assert_array_equal(grouped.eigenvalues_, alone.eigenvalues_)


def test_rows_that_are_gaps_are_as_good_as_absent(seed):
    X = with_gaps(clusters(seed), seed)
    model = LPP(3, n_neighbors=5).fit(X)
    without = LPP(3, n_neighbors=5).fit(X[~np.isnan(X).any(axis=1)])
    # Other row numbers, and blocks of other sizes: nothing but rounding.
    np.testing.assert_allclose(model.eigenvalues_, without.eigenvalues_, rtol=1e-9)
    assert_same_directions(model.components_.T, without.components_.T, X)
    np.testing.assert_array_equal(np.isnan(model.transform(X)).all(axis=1), np.isnan(X).any(axis=1))


def test_principal_components_are_cut_before_the_search(seed):
    X = clusters(seed)
    model = LPP(2, pca_components=3, n_neighbors=5).fit(X)
    scores = PCA(3).fit_transform(X)
    values, directions = naive.lpp(scores, 5, 2)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    assert subspace_angles(model.transform(X), scores @ directions)[0] < ANGLE


def test_in_white_space_it_is_gpfa_with_local_edges_alone(seed):
    X = clusters(seed)
    white = naive.whiten(X)[2]
    local = GPFA(2, terms=[Local(n_neighbors=7)], max_iter=1).fit(white)
    assert subspace_angles(LPP(2, n_neighbors=7).fit(white), local, white)[0] < ANGLE


# What is refused


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_components", 0),
        ("n_neighbors", 0),
        ("n_neighbors", 2.5),
        ("engine", "ball"),
        ("n_jobs", "all"),
    ],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=rf"'{name}' parameter of LPP .*Got {value!r}"):
        LPP(**{name: value}).fit(clusters(0))


@pytest.mark.parametrize("n_gaps", [0, 4])
def test_too_few_samples_are_told(n_gaps):
    X = clusters(0, n_rows=12)
    X[:n_gaps, 1] = np.nan
    n_samples = 12 - n_gaps
    message = rf"n_neighbors={n_samples} needs at least {n_samples + 1} "
    with pytest.raises(TooFewStatesError, match=message):
        LPP(1, n_neighbors=n_samples).fit(X)
    LPP(1, n_neighbors=n_samples - 1).fit(X)


def test_more_features_than_directions():
    X = clusters(0)
    X[:, 3] = X[:, :3].sum(axis=1)
    assert LPP(3).fit(X).rank_ == 3
    with pytest.raises(RankError, match="n_components=4"):
        LPP(4).fit(X)


def test_the_search_is_by_distance_in_the_input_not_in_white_space(seed):
    # A long axis of noise: in white space as short as the others.
    X = clusters(seed) * [1.0, 1.0, 1.0, 40.0]
    model = LPP(2, n_neighbors=5).fit(X)
    white = LPP(2, n_neighbors=5).fit(naive.whiten(X)[2])
    assert np.abs(model.eigenvalues_ - white.eigenvalues_).max() > 1e-3
    np.testing.assert_allclose(model.eigenvalues_, naive.lpp(X, 5, 2)[0], rtol=1e-8)
