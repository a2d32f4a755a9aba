"""Few channels: the regressor that chooses them, and what stands in for a fitted model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from predfeat import GPFA, SFA
from predfeat.exceptions import DimensionError
from predfeat.features import FewChannels, SpectralRegression, sparsify

N_CHANNELS, N_PLANTED = 40, 5


def chaotic(n_rows, random):
    """The logistic map: its next value is no line of the last one."""
    values = np.full(n_rows, random.uniform(0.2, 0.8))
    for t in range(1, n_rows):
        values[t] = 3.9 * values[t - 1] * (1.0 - values[t - 1])
    return (values - values.mean()) / values.std()


def slow(n_rows, random):
    return np.sqrt(2) * np.sin(0.06 * np.arange(n_rows) + random.uniform(0, 6))


def planted(seed, n_rows=1000, signal=slow):
    """A signal in equal parts of five of forty channels, in units of their own."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, N_CHANNELS))
    X[:, 0] = signal(n_rows, random)
    target = random.choice([-1.0, 1.0], N_PLANTED) / np.sqrt(N_PLANTED)
    across = np.eye(N_PLANTED)[0] - target
    turn = np.eye(N_PLANTED) - 2 * np.outer(across, across) / (across @ across)
    X[:, :N_PLANTED] = X[:, :N_PLANTED] @ turn
    order = random.permutation(N_CHANNELS)
    units = np.exp(random.normal(size=N_CHANNELS))
    return X[:, order] * units, np.flatnonzero(order < N_PLANTED)


@pytest.mark.parametrize("method", ["lasso", "pursuit"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_channels_are_found(seed, method):
    X, truth = planted(seed)
    few = sparsify(GPFA(1, max_iter=10).fit(X), X, N_PLANTED, method=method)
    assert np.flatnonzero(few.components[0]).tolist() == truth.tolist()
    assert few.r2[0] > 0.7
    assert few.r2_held_out[0] > 0.7


@pytest.mark.parametrize(
    ("signal", "max_iter", "seed"), [(slow, 2, 0), (slow, 2, 1), (chaotic, 5, 0), (chaotic, 5, 1)]
)
def test_spectral_regression_finds_planted_channels(signal, max_iter, seed):
    X, truth = planted(seed, n_rows=1500, signal=signal)
    model = SpectralRegression(1, regressor=FewChannels(N_PLANTED), max_iter=max_iter).fit(X)
    assert np.flatnonzero(model.components_[0]).tolist() == truth.tolist()


# --- the regressor --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lasso", "pursuit"])
def test_weights_are_those_of_least_squares_on_the_chosen(method, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(100, 8)) * np.logspace(-2, 2, 8) + 5
    Y = random.normal(size=(100, 3)) + X @ random.normal(size=(8, 3)) / 10
    model = FewChannels(3, method=method).fit(X, Y)
    assert np.all(np.count_nonzero(model.coef_, axis=1) <= 3)
    for target, weights, offset in zip(Y.T, model.coef_, model.intercept_, strict=True):
        used = np.flatnonzero(weights)
        design = np.column_stack([X[:, used], np.ones(100)])
        best = np.linalg.lstsq(design, target, rcond=None)[0]
        np.testing.assert_allclose([*weights[used], offset], best, rtol=1e-7)
    # Units do not decide.
    scaled = FewChannels(3, method=method).fit(X * np.logspace(3, -3, 8), Y)
    np.testing.assert_array_equal(scaled.coef_ != 0, model.coef_ != 0)


def test_all_columns_are_plain_least_squares():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(50, 4)), random.normal(size=50)
    for max_nonzero in (4, 100):
        model = FewChannels(max_nonzero, method="pursuit").fit(X, y)
        best = np.linalg.lstsq(np.column_stack([X, np.ones(50)]), y, rcond=None)[0]
        np.testing.assert_allclose([*model.coef_, model.intercept_], best)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("max_nonzero", [1, 5, 9, 20])
def test_the_path_is_followed_to_the_last_column_allowed(shared, max_nonzero):
    """Orthogonal columns enter by the size of their weights, however near these are."""
    random = np.random.default_rng(0)
    around = random.normal(size=(60, 10))
    X = np.linalg.qr(around - around.mean(axis=0))[0] * random.lognormal(size=10)
    X = X[:, random.permutation(10)]
    sizes = random.permutation(1.0 + 1e-3 * np.arange(10))
    y = X / X.std(axis=0) @ (sizes * random.choice([-1, 1], 10))
    expected = np.isin(np.arange(10), np.argsort(-sizes)[:max_nonzero])
    model = FewChannels(max_nonzero, shared=shared).fit(X, np.column_stack([y, -2 * y]))
    for weights in model.coef_:
        np.testing.assert_array_equal(weights != 0, expected)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("max_nonzero", [1, 2, 3])
def test_copies_of_a_column_are_no_more_than_are_allowed(max_nonzero, shared):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    X = np.column_stack([X, X[:, 0], X[:, 0]])
    y = 3 * X[:, 0] + X[:, 1] + 0.1 * random.normal(size=80)
    model = FewChannels(max_nonzero, shared=shared).fit(X, y)
    assert np.count_nonzero(model.coef_) <= max_nonzero
    if not shared or max_nonzero == 3:  # one needs one of them, the other all
        assert model.score(X, y) > 0.85


def test_shared_channels_are_the_same_for_all():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 10))
    Y = np.column_stack([X[:, 0] + 0.2 * X[:, 1], X[:, 1] + 0.2 * X[:, 0], X[:, 2]])
    Y += 0.01 * random.normal(size=Y.shape)
    used = FewChannels(3, shared=True).fit(X, Y).coef_ != 0
    assert np.all(used == used[0])
    assert np.flatnonzero(used[0]).tolist() == [0, 1, 2]
    alone = FewChannels(1).fit(X, Y).coef_ != 0
    assert np.argmax(alone, axis=1).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match='shared=True needs method="lasso", but method=\'pursui'):
        FewChannels(3, shared=True, method="pursuit").fit(X, Y)


def test_nothing_to_explain():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[:, 2] = 7.0
    for method in ("lasso", "pursuit"):
        model = FewChannels(2, method=method).fit(X, np.full((30, 1), 3.0))
        assert not model.coef_.any()
        assert model.intercept_.tolist() == [3.0]
        assert FewChannels(3, method=method).fit(X, X[:, 0]).coef_[2] == 0  # constant


# --- what stands in for a model -------------------------------------------------------------------


def test_the_numbers_are_those_of_the_definition():
    X, _ = planted(3, 400)
    X[100] = np.nan
    model = SFA(2).fit(X)
    few = sparsify(model, X, 4)
    there = np.delete(np.arange(400), 100)
    Y = few.transform(X)
    assert np.isnan(Y[100]).all()
    np.testing.assert_allclose(Y[there], X[there] @ few.components.T + few.offset)
    errors = (model.transform(X) - Y)[there]
    # The model's features have variance 1 on these rows.
    np.testing.assert_allclose(few.r2, 1 - np.square(errors).mean(axis=0))
    assert np.all(np.abs(few.r2_held_out - few.r2) < 0.2)  # the slow signal is the same all along
    assert all(len(names) <= 4 for names in few.channels)


def test_r2_is_1_with_all_channels():
    X, _ = planted(4, 400)
    few = sparsify(SFA(2).fit(X), X, N_CHANNELS, method="pursuit")
    np.testing.assert_allclose([few.r2, few.r2_held_out], 1)


def test_whole_sequences_are_held_out():
    # In each sequence the model's feature follows another channel, so that none predicts another.
    random = np.random.default_rng(0)
    X, groups = random.normal(size=(400, 4)), np.repeat(np.arange(4), 100)

    class Switching(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            self.fitted_ = True
            return self

        def transform(self, X):
            return X[np.arange(400), groups][:, None]

    apart = sparsify(Switching().fit(X), X, 3, groups=groups, n_folds=4).r2_held_out[0]
    assert apart < 0.1
    assert sparsify(Switching().fit(X), X, 3, n_folds=None).r2_held_out is None


def test_names_and_other_models():
    X, _ = planted(5, 300)
    frame = pd.DataFrame(X, columns=[f"channel {i}" for i in range(N_CHANNELS)])
    few = sparsify(make_pipeline(StandardScaler(), PCA(2)).fit(frame), frame, 3, n_folds=None)
    assert few.names[7] == "channel 7"
    used = {name for names in few.channels for name in names}
    assert set(few.used) == used
    # Channels that are not used may be missing.
    holes = frame.copy()
    holes.loc[:, [name for name in frame if name not in used]] = np.nan
    np.testing.assert_array_equal(few.transform(holes), few.transform(frame))
    holes[few.used[0]] = np.nan
    assert np.isnan(few.transform(holes)).all()


def test_errors():
    X, _ = planted(6, 100)
    with pytest.raises(NotFittedError):
        sparsify(SFA(), X)
    with pytest.raises(ValueError, match="'max_nonzero' parameter of sparsify must be"):
        sparsify(SFA().fit(X), X, 0)
    few = sparsify(SFA().fit(X), X, 2)
    with pytest.raises(DimensionError, match="X has 3 columns, but the features were fitted to 40"):
        few.transform(X[:, :3])
