"""Angles between feature spaces."""

import numpy as np
import pytest

from predfeat import SFA
from predfeat.exceptions import DimensionError
from predfeat.measures import subspace_angles

EXACT = 1e-6  # degrees: 2e-8 rad, what float64 resolves near 0 and 90


@pytest.fixture
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(200, 4)) @ random.normal(size=(4, 4)) + 5.0


@pytest.mark.parametrize(
    ("a", "b", "degrees"),
    [
        ([[1.0], [0.0]], [[0.0], [3.0]], [90.0]),
        ([[1.0], [0.0]], [[-2.0], [0.0]], [0.0]),
        ([[1.0], [0.0]], [[1.0], [1.0]], [45.0]),
        ([[1.0], [0.0]], [[-np.sqrt(3)], [1.0]], [30.0]),
        # Two planes in space that share one axis and are tilted against each other.
        ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [45.0, 0.0]),
        # A line inside a plane: as many angles as the smaller space has dimensions.
        ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [[1.0], [2.0], [0.0]], [0.0]),
    ],
)
def test_known_angles(a, b, degrees):
    np.testing.assert_allclose(subspace_angles(a, b), degrees, atol=EXACT)
    np.testing.assert_allclose(subspace_angles(b, a), degrees, atol=EXACT)


def test_tiny_angles_are_seen():
    tilt = 1e-9
    angle = subspace_angles([[1.0], [0.0]], [[1.0], [tilt]])
    np.testing.assert_allclose(angle, np.degrees(tilt), rtol=1e-6)


def test_another_basis_is_the_same_space():
    random = np.random.default_rng(1)
    A, basis = random.normal(size=(6, 3)), random.normal(size=(3, 3))
    np.testing.assert_allclose(subspace_angles(A, A @ basis), 0.0, atol=EXACT)


def test_signals_decide_where_data_is_given():
    # Two directions at right angles that extract the same signal, and two neighbours that do not.
    random = np.random.default_rng(2)
    signal, noise = random.normal(size=(2, 1000))
    X = np.column_stack([signal, 2.0 * signal, noise])
    A, B = np.eye(3)[:, [0]], np.eye(3)[:, [1]]
    np.testing.assert_allclose(subspace_angles(A, B), 90.0, atol=EXACT)
    np.testing.assert_allclose(subspace_angles(A, B, X), 0.0, atol=EXACT)
    third = np.eye(3)[:, [2]]
    expected = np.degrees(np.arccos(abs(np.corrcoef(signal, noise)[0, 1])))
    np.testing.assert_allclose(subspace_angles(A, third, X), expected, atol=EXACT)


def test_mixing_the_inputs_does_not_matter_where_data_is_given(X):
    random = np.random.default_rng(3)
    A, B = random.normal(size=(2, 4, 2))
    mixing = random.normal(size=(4, 4))
    unmixing = np.linalg.inv(mixing)
    expected = subspace_angles(A, B, X)
    # (X M)(M⁻¹ A) = X A: the same signals.
    mixed = subspace_angles(unmixing @ A, unmixing @ B, X @ mixing - 11.0)
    np.testing.assert_allclose(mixed, expected, atol=1e-6)
    assert abs(subspace_angles(A, B) - expected).max() > 1.0  # and without data it would


def test_gaps_take_no_part(X):
    random = np.random.default_rng(4)
    A, B = random.normal(size=(2, 4, 2))
    expected = subspace_angles(A, B, X)
    holed = np.insert(X, [3, 50, 50], np.nan, axis=0)
    np.testing.assert_allclose(subspace_angles(A, B, holed), expected, atol=1e-9)


def test_models_and_projections_mix(X):
    model = SFA(n_components=2).fit(X)
    for other in (model, model.components_.T, model.components_.T.tolist()):
        np.testing.assert_allclose(subspace_angles(model, other), 0.0, atol=EXACT)
        np.testing.assert_allclose(subspace_angles(other, model, X), 0.0, atol=EXACT)
    rest = SFA(n_components=4).fit(X).components_[2:]
    # The other two of four uncorrelated features.
    np.testing.assert_allclose(subspace_angles(model, rest.T, X), 90.0, atol=1e-5)


def test_models_of_other_columns(X):
    model = SFA(n_components=2).fit(X)
    with pytest.raises(DimensionError, match=r"4 columns, B in 3"):
        subspace_angles(model, np.eye(3))
    with pytest.raises(DimensionError, match=r"X has 3 columns, A and B have 4"):
        subspace_angles(model, model, X[:, :3])


@pytest.mark.parametrize("name", ["A", "B"])
def test_a_vector_is_no_matrix(name):
    given = {"A": np.eye(2), "B": np.eye(2), name: [1.0, 0.0]}
    with pytest.raises(DimensionError, match=rf"{name} must be .*2-D.*shape \(2,\)"):
        subspace_angles(**given)


def test_a_model_that_is_not_fitted():
    with pytest.raises(ValueError, match="not fitted"):  # NotFittedError is a ValueError
        subspace_angles(SFA(), np.eye(2))


def test_nan_is_no_direction():
    with pytest.raises(ValueError, match="NaN"):
        subspace_angles([[np.nan], [1.0]], np.eye(2))
