"""The random baseline."""

import numpy as np
import pytest

from predfeat import RandomFeatures


@pytest.fixture
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(200, 5)) @ random.normal(size=(5, 5)) + 4.0


@pytest.mark.parametrize("n_components", [1, 3, 5])
def test_orthonormal_in_white_space(X, n_components):
    Y = RandomFeatures(n_components, random_state=1).fit_transform(X)
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(n_components), atol=1e-10)


def test_seeded(X):
    first, again, other = (RandomFeatures(2, random_state=s).fit(X).components_ for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    state = np.random.RandomState(0)
    drawn = RandomFeatures(2, random_state=state).fit(X).components_
    np.testing.assert_array_equal(drawn, first)
    # A generator goes on: the next frame is another one.
    assert np.abs(RandomFeatures(2, random_state=state).fit(X).components_ - first).max() > 1e-3


def test_without_a_seed_every_frame_is_another(X):
    first, second = (RandomFeatures(2).fit(X).components_ for _ in range(2))
    assert np.abs(first - second).max() > 1e-6


def test_all_directions_are_equally_likely():
    # White data, so that components are directions: the mean projector of uniform frames of
    # M in N dimensions is M/N times the identity. Its entries vary by less than 0.02 over 400.
    gauss = np.random.default_rng(2).normal(size=(50, 4))
    white = np.linalg.qr(gauss - gauss.mean(axis=0))[0] * np.sqrt(50)
    projectors = []
    for seed in range(400):
        Q = np.linalg.qr(RandomFeatures(2, random_state=seed).fit(white).components_.T)[0]
        projectors.append(Q @ Q.T)
    np.testing.assert_allclose(np.mean(projectors, axis=0), 0.5 * np.eye(4), atol=0.08)


def test_parameters(X):
    with pytest.raises(ValueError, match=r"'random_state' parameter of RandomFeatures .*Got 'x' "):
        RandomFeatures(random_state="x").fit(X)
