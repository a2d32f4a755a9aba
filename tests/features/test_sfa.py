"""SFA: its definition, its twin, and the chain graph that it is."""

import numpy as np
import pytest
from scipy import linalg

import naive_measures as twins
from predfeat import SFA
from predfeat.exceptions import ShortSequencesError
from predfeat.measures import slowness, subspace_angles


def series(seed, n_rows=150):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    X[:, :2] += 0.3 * random.normal(size=(n_rows, 2)).cumsum(axis=0)
    X = X @ random.normal(size=(4, 4)) + 3.0
    return X, np.repeat([0, 1, 2], [70, 1, n_rows - 71])


@pytest.mark.parametrize("n_steps", [1, 2, 5])
@pytest.mark.parametrize("with_groups", [False, True])
@pytest.mark.parametrize("gaps", [[], [0, 20, 21, 69, 100]])
def test_twin(with_groups, gaps, n_steps):
    X, groups = series(0)
    X[gaps, 1] = np.nan
    groups = groups if with_groups else None
    model = SFA(3, n_steps=n_steps).fit(X, groups=groups)
    directions, values = twins.sfa(X, 3, groups, n_steps)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    for n in (1, 2, 3):
        assert subspace_angles(model.components_[:n].T, directions[:, :n], X)[0] < 1e-6


def test_eigenvalues_are_the_slowness_of_the_features():
    X, groups = series(1)
    X[[30, 80]] = np.nan
    model = SFA(4).fit(X, groups=groups)
    np.testing.assert_allclose(
        slowness(model.transform(X), groups=groups), model.eigenvalues_, rtol=1e-9
    )
    assert np.all(np.diff(model.eigenvalues_) > 0)


def test_no_direction_is_slower():
    X, _ = series(2)
    model = SFA(1).fit(X)
    random = np.random.default_rng(0)
    Z = X - X.mean(axis=0)
    for direction in random.normal(size=(200, 4)):
        y = Z @ direction
        assert slowness(y / y.std())[0] >= model.eigenvalues_[0] - 1e-9


def test_it_is_the_embedding_of_a_chain():
    # Every row connected with the next: Zᵀ L Z is the scatter of the differences.
    X, _ = series(3, n_rows=90)
    n = len(X)
    W = np.eye(n, k=1) + np.eye(n, k=-1)
    L = np.diag(W.sum(axis=1)) - W
    centred = X - X.mean(axis=0)
    values, vectors = linalg.eigh(centred.T @ L @ centred, centred.T @ centred / n)
    model = SFA(4).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, values / (n - 1), rtol=1e-9)
    assert subspace_angles(model.components_[:2].T, vectors[:, :2], X)[0] < 1e-6


def test_more_steps_pass_over_what_trembles():
    # A slow walk that trembles changes more in one step than a wave that is not so slow.
    random = np.random.default_rng(3)
    time = np.arange(3000)
    trembling = np.sin(0.01 * time) + 0.3 * random.normal(size=3000)
    X = np.column_stack([trembling, np.sin(0.3 * time), random.normal(size=3000)])
    first = [np.argmax(np.abs(SFA(1, n_steps=n).fit(X).components_)) for n in (1, 5)]
    assert first == [1, 0]


def test_sequences_shorter_than_the_steps_are_told():
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ShortSequencesError, match="fewer steps"):
        SFA(1, n_steps=3).fit(X, groups=np.arange(40) // 3)


def test_a_trend_is_change():
    # Differences are not centred. A straight line's differences all equal their mean, so that
    # centred ones would call it perfectly slow; of unit variance, it has 12 / (n² - 1).
    n = 50
    line = np.arange(n, dtype=float)
    model = SFA(1).fit(line[:, None])
    assert model.eigenvalues_[0] == pytest.approx(12 / (n**2 - 1), rel=1e-9)


def test_the_slow_wave_is_found():
    random = np.random.default_rng(5)
    X = random.normal(size=(1000, 4))
    X[:, 3] = 2 * np.sin(0.02 * np.arange(1000)) + 0.1 * X[:, 3]
    mixing = random.normal(size=(4, 4))
    truth = np.linalg.inv(mixing)[:, [3]]
    assert subspace_angles(SFA(1).fit(X @ mixing), truth, X @ mixing)[0] < 5.0
