"""DCA: its objective, its gradient, its optimum, and the original program's figures."""

from pathlib import Path

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.base import clone

import naive_dca as twin
from predfeat import DCA
from predfeat.datasets import hidden_lorenz
from predfeat.exceptions import ShortSequencesError
from predfeat.features import dynamical_directions
from predfeat.features._dca import _starts, most_informative_directions
from predfeat.features._window_information import WindowInformation, block_toeplitz
from predfeat.measures import subspace_angles
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening

FIGURES = Path(__file__).parents[1] / "reference" / "dca_lorenz.npz"


def oscillator(n_rows, seed, damping=0.97, frequency=0.5):
    """Return the two coordinates of a damped rotation that noise keeps going."""
    random = np.random.default_rng(seed)
    drive = random.normal(size=n_rows) + 1j * random.normal(size=n_rows)
    state = lfilter([1.0], [1.0, -damping * np.exp(1j * frequency)], drive)
    return np.column_stack([state.real, state.imag]) / state.real.std()


def mixed(seed, n_rows=400, n_columns=6):
    """Return an oscillator and a slow feature in noise, mixed and moved."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    X[:, :2] = oscillator(n_rows, seed) + 0.3 * X[:, :2]
    X[:, 2] = lfilter([1.0], [1.0, -0.8], X[:, 2])
    return X @ random.normal(size=(n_columns, n_columns)) + random.normal(size=n_columns)


def white_series(X, groups=None):
    series = check_sequences(X, groups)
    return fit_whitening(series).apply(series)


def series_with_gaps(seed):
    X = mixed(seed)
    X[[0, 57, 58, 200, 399], [0, 1, 2, 3, 4]] = np.nan
    groups = np.repeat([0, 1, 2, 3], [150, 7, 113, 130])
    return X, groups


def sequences_of(Y, groups):
    return [Y[groups == group] for group in np.unique(groups)]


def test_the_twin_is_the_information_of_an_ar_process():
    phi = 0.8
    covariances = [np.array([[phi**lag]]) for lag in range(8)]
    expected = -0.5 * np.log(1 - phi**2)  # a Markov process: only the two rows at the border count
    for n_window in (1, 2, 4):
        found = twin.information(covariances, np.eye(1), n_window)
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_window", [1, 2, 5])
@pytest.mark.parametrize("n_components", [1, 3])
def test_information_is_the_twins(seed, n_window, n_components):
    X, groups = series_with_gaps(seed)
    white = white_series(X, groups)
    information = WindowInformation.of(white, n_window)
    rows = np.where(white.valid[:, None], white.rows, np.nan)
    covariances = [
        twin.lagged_covariance(sequences_of(rows, groups), lag) for lag in range(2 * n_window)
    ]
    np.testing.assert_allclose(information.covariances, covariances, atol=1e-12)
    V = np.random.default_rng(seed).normal(size=(white.n_columns, n_components))
    expected = twin.information(covariances, V, n_window)
    assert information.along(V) == pytest.approx(expected, rel=1e-9)
    alone = [twin.information(covariances, v[:, None], n_window) for v in V.T]
    np.testing.assert_allclose(information.alone(V), alone, rtol=1e-9)


def differences(function, V, step=1e-3):
    """Return the gradient by differences of fourth order, as large in error as rounding / step."""
    gradient = np.empty_like(V)
    for index in np.ndindex(*V.shape):
        move = np.zeros_like(V)
        move[index] = step
        near = function(V + move) - function(V - move)
        far = function(V + 2 * move) - function(V - 2 * move)
        gradient[index] = (8 * near - far) / (12 * step)
    return gradient


@pytest.mark.parametrize("n_window", [1, 3])
@pytest.mark.parametrize("n_components", [1, 2])
def test_the_gradient_is_that_of_differences(seed, n_window, n_components):
    information = WindowInformation.of(white_series(mixed(seed)), n_window)
    V = np.random.default_rng(seed).normal(size=(information.n_columns, n_components))
    gradient = information.with_gradient(V)[1]
    # Differences err by step⁴ = 1e-12 times fifth derivatives. The largest entry sets the scale.
    limit = 1e-7 * np.abs(gradient).max()
    np.testing.assert_allclose(differences(information.along, V), gradient, rtol=0, atol=limit)


def test_information_depends_on_the_space_alone(seed):
    information = WindowInformation.of(white_series(mixed(seed)), 4)
    random = np.random.default_rng(seed)
    V = random.normal(size=(6, 3))
    turned = V @ random.normal(size=(3, 3))
    assert information.along(turned) == pytest.approx(information.along(V), rel=1e-9)
    # So the gradient does not lead to other bases of the same space.
    gradient = information.with_gradient(V)[1]
    np.testing.assert_allclose(V.T @ gradient, 0.0, atol=1e-8)


@pytest.mark.parametrize("n_window", [1, 4])
def test_an_ar_process_has_the_known_information(n_window):
    phi, n_rows = 0.8, 100_000
    noise = np.random.default_rng(0).normal(size=n_rows)
    model = DCA(1, n_window=n_window).fit(lfilter([1.0], [1.0, -phi], noise)[:, None])
    # The standard error of φ is sqrt((1 - φ²) / S) = 0.0019, and the information's derivative is
    # φ / (1 - φ²) = 2.2. Each of the 2 T lags has a chance to add 1 / 2 S.
    expected = -0.5 * np.log(1 - phi**2)
    assert model.predictive_information_[-1] == pytest.approx(expected, abs=3 * 2.2 * 0.0019)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_attribute_is_the_information_of_the_features(seed, n_components):
    X, groups = series_with_gaps(seed)
    model = DCA(n_components, n_window=3).fit(X, groups=groups)
    Y = model.transform(X)
    for m in range(1, n_components + 1):
        expected = twin.predictive_information(sequences_of(Y[:, :m], groups), 3)
        assert model.predictive_information_[m - 1] == pytest.approx(expected, rel=1e-8)


def test_no_other_space_nearby_or_at_random_is_better(seed):
    white = white_series(mixed(seed))
    information = WindowInformation.of(white, 3)
    V, nats, _ = dynamical_directions(white, 2, 3)
    random = np.random.default_rng(seed)
    for size in (1e-3, 1e-2, 0.1, 1.0, 100.0):
        for _ in range(20):
            other = V + size * random.normal(size=V.shape)
            assert information.along(other) <= nats[-1] + 1e-12
    gradient = information.with_gradient(V)[1]
    # It stops when an iteration adds less than 1e-9: near an optimum of unit curvature, that is a
    # gradient of the square root.
    assert np.abs(gradient).max() < 1e-3


def test_features_are_uncorrelated_turned_and_ordered(seed):
    X = mixed(seed)
    model = DCA(4, n_window=3).fit(X)
    Y = model.transform(X)
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(4), atol=1e-9)
    next_step = twin.lagged_covariance([Y], 1)
    both = next_step + next_step.T
    np.testing.assert_allclose(both, np.diag(np.diag(both)), atol=1e-9)
    alone = [twin.predictive_information([y[:, None]], 3) for y in Y.T]
    assert np.all(np.diff(alone) <= 1e-9)


def test_a_noisy_oscillator_is_found_among_white_noise(seed):
    random = np.random.default_rng(seed)
    truth = oscillator(3000, seed)
    X = np.column_stack(
        [truth + 0.5 * random.normal(size=truth.shape), random.normal(size=(3000, 8))]
    )
    mixing = random.normal(size=(10, 10))
    model = DCA(2).fit(X @ mixing)
    # Ten columns and 3000 rows with memory of some 30 steps: directions are known to a few degrees.
    assert subspace_angles(model.transform(X @ mixing), X[:, :2])[0] < 6.0


@pytest.mark.parametrize("n_components", [1, 2])
def test_mixing_the_inputs_changes_no_feature(seed, n_components):
    X = mixed(seed)
    random = np.random.default_rng(seed + 100)
    mixing = random.normal(size=(6, 6)) * np.logspace(-3, 3, 6)
    method = DCA(n_components, n_window=3, tol=0)
    model = clone(method).fit(X)
    other = clone(method).fit(X @ mixing + 5.0)
    np.testing.assert_allclose(
        other.predictive_information_, model.predictive_information_, rtol=1e-7
    )
    # An optimum is known to the square root of the last digits, in radians.
    assert subspace_angles(model.transform(X), other.transform(X @ mixing + 5.0))[0] < 1e-4


def test_mixing_the_inputs_changes_no_start(seed):
    random = np.random.default_rng(seed)
    X = mixed(seed)
    nats = []
    for values in (X, X @ random.normal(size=(6, 6))):
        white = white_series(values)
        information = WindowInformation.of(white, 3)
        starts = _starts(white, information, 2, 4, np.random.RandomState(0))
        assert len(starts) == 6
        nats.append([information.along(start) for start in starts])
    np.testing.assert_allclose(nats[1], nats[0], rtol=1e-7)


def test_sequences_never_meet():
    X = mixed(0)
    groups = np.repeat([0, 1, 2, 3], 100)
    trials = np.split(X, 4)
    order = [2, 0, 3, 1]
    apart = DCA(n_window=3, tol=0).fit(X, groups=groups)
    shuffled = DCA(n_window=3, tol=0).fit(np.vstack([trials[i] for i in order]), groups=groups)
    assert subspace_angles(apart, shuffled, X)[0] < 1e-4
    # A gap between them is as good as an id.
    gap = np.full((1, 6), np.nan)
    with_gaps = np.vstack([part for trial in trials for part in (trial, gap)])
    other = DCA(n_window=3, tol=0).fit(with_gaps)
    np.testing.assert_allclose(
        other.predictive_information_, apart.predictive_information_, rtol=1e-9
    )
    joined = DCA(n_window=3, tol=0).fit(X)
    assert abs(joined.predictive_information_[-1] - apart.predictive_information_[-1]) > 1e-4


@pytest.mark.parametrize("n_rows", [25, 60])
def test_impossible_covariances_are_made_possible(seed, n_rows):
    # Fewer windows than their 8 × 10 numbers, and a wave without noise.
    X = np.random.default_rng(seed).normal(size=(n_rows, 8))
    X[:, 0] = np.sin(0.3 * np.arange(n_rows))
    white = white_series(X)
    as_estimated = np.array([twin.lagged_covariance([white.rows], lag) for lag in range(10)])
    before = np.linalg.eigvalsh(twin.window_covariance(as_estimated, 10))[0]
    assert before < 0.0
    information = WindowInformation.of(white, 5)
    after = np.linalg.eigvalsh(block_toeplitz(information.covariances))[0]
    assert after == pytest.approx(1e-6, rel=1e-6)
    # Only variances are added, the same to all directions.
    added = information.covariances - as_estimated
    np.testing.assert_allclose(added[0], (1e-6 - before) * np.eye(8), atol=1e-9)
    np.testing.assert_allclose(added[1:], 0.0, atol=1e-12)
    model = DCA(2).fit(X)
    assert np.isfinite(model.predictive_information_).all()


@pytest.mark.parametrize("n_window", [1, 2])
def test_one_alternating_column_is_possible(n_window):
    # Its past tells everything, in one direction: nothing is left to search, nor a gradient.
    model = DCA(1, n_window=n_window).fit(np.array([[1.0], [-1.0]] * 10))
    assert np.isfinite(model.predictive_information_).all()
    assert model.predictive_information_[0] > 3.0


def test_all_directions_are_the_only_space():
    X = mixed(0)
    model = DCA(6, n_window=2).fit(X)
    expected = twin.predictive_information([X], 2)
    assert model.predictive_information_[-1] == pytest.approx(expected, rel=1e-8)
    assert model.n_iter_ >= 1


def test_more_random_starts_never_lose_information():
    X, _ = hidden_lorenz(1000, random_state=0)
    nats = [DCA(2, n_starts=n_starts).fit(X).predictive_information_[-1] for n_starts in (0, 5, 20)]
    assert nats[0] <= nats[1] + 1e-9 <= nats[2] + 2e-9


def test_seeds_repeat_and_iterations_end():
    X = mixed(0)
    one, same = (DCA(n_starts=3, random_state=5).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.components_, same.components_)
    # Every iteration adds information, from whichever start.
    stopped = one.set_params(max_iter=2).fit(X)
    assert stopped.n_iter_ <= 2
    assert stopped.predictive_information_[-1] < same.predictive_information_[-1]


def test_short_sequences_are_refused_with_advice():
    X = mixed(0, n_rows=36)
    groups = np.repeat(np.arange(4), 9)
    with pytest.raises(
        ShortSequencesError,
        match=r"10 rows in a row are needed.*has 9 .*Use a shorter window \(n_window\)",
    ):
        DCA().fit(X, groups=groups)
    DCA(n_window=4).fit(X, groups=groups)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_window", 0), ("n_window", 2.5), ("n_starts", -1), ("max_iter", 0), ("tol", -1e-3)],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=rf"'{name}' parameter of DCA .*Got {value}"):
        DCA(**{name: value}).fit(mixed(0))


# The original program, on its own example: a Lorenz system embedded in noise.


def whitened(covariances):
    """Return covariances of white data, and the map from white to given directions."""
    values, vectors = np.linalg.eigh(covariances[0])
    to_white = vectors / np.sqrt(values)
    return np.matmul(to_white.T, np.matmul(covariances, to_white)), to_white


def angle_in_metric(metric, one, other):
    """Return the largest principal angle of two spaces, in degrees."""
    root = np.linalg.cholesky(metric).T
    bases = [np.linalg.qr(root @ directions)[0] for directions in (one, other)]
    # The sine, not the cosine, of a small angle has all its digits.
    rest = bases[0] - bases[1] @ (bases[1].T @ bases[0])
    return float(np.rad2deg(np.arcsin(min(1.0, np.linalg.norm(rest, 2)))))


def figures_of(kind, n_components):
    """Return covariances in the original's convention, and its projection and its nats."""
    with np.load(FIGURES) as figures:
        X, lengths = figures["X"].astype(np.float64), figures["lengths"]
        trials = np.split(X, np.cumsum(lengths)[:-1]) if kind == "trials" else [X]
        if kind == "covariances":
            covariances = figures["covariances"]
        else:
            covariances = twin.covariances_over_windows(trials, 10)
        name = f"{kind}_{{}}_{n_components}"
        groups = np.repeat(np.arange(len(trials)), [len(trial) for trial in trials])
        return covariances, figures[name.format("V")], float(figures[name.format("PI")]), X, groups


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("kind", ["covariances", "one", "trials"])
def test_the_optimum_is_the_originals(kind, n_components):
    covariances, V, nats, _, _ = figures_of(kind, n_components)
    white, to_white = whitened(covariances)
    information = WindowInformation(white)
    # Its projection has here the information that it gave.
    assert information.along(np.linalg.solve(to_white, V)) == pytest.approx(nats, rel=1e-12)
    starts = np.random.default_rng(0).normal(size=(20, len(V), n_components))
    directions, found, _ = most_informative_directions(information, list(starts), tol=1e-13)
    # Both stop where an iteration adds little, and know a direction to the square root of that.
    assert found[-1] == pytest.approx(nats, rel=1e-9)
    assert angle_in_metric(covariances[0], to_white @ directions, V) < 0.005


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("kind", ["one", "trials"])
def test_the_originals_projection_is_nearly_the_best(kind, n_components):
    # Here all pairs count alike; there those near the ends of sequences count less. With 1000 rows
    # that moves the optimum by some degrees, along which the information hardly changes.
    _, V, nats, X, groups = figures_of(kind, n_components)
    model = DCA(n_components).fit(X, groups=groups)
    of_original = twin.predictive_information(sequences_of(X @ V, groups), 5)
    found = model.predictive_information_[-1]
    assert 0.995 * found < of_original <= found
    # Sequences of at least 150 rows lose up to 9 / 150 of a lag's pairs.
    assert found == pytest.approx(nats, rel=0.06)
    assert angle_in_metric(np.cov(X, rowvar=False), model.components_.T, V) < 10.0
