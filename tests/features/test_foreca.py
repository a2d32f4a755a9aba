"""ForeCA: its objective, its steps, its optimum."""

import numpy as np
import pytest

import naive_measures as twins
from predfeat import ForeCA
from predfeat.exceptions import NoSpectrumError
from predfeat.features._cross_spectra import CrossSpectra
from predfeat.features._foreca import _race_stride
from predfeat.measures import forecastability, subspace_angles
from predfeat.series import check_sequences


def series(seed, n_rows=200, n_columns=4):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    t = np.arange(n_rows)
    X[:, 0] += 1.5 * np.sin(0.9 * t)
    X[1:, 1] += 0.7 * X[:-1, 1]
    return X @ random.normal(size=(n_columns, n_columns)) + 1.0, np.repeat(
        [0, 1, 2], [n_rows // 2, n_rows // 4, n_rows - n_rows // 2 - n_rows // 4]
    )


@pytest.mark.parametrize("with_groups", [False, True])
@pytest.mark.parametrize("gaps", [[], [5, 60, 61, 150]])
def test_omega_is_the_forecastability_of_the_features(with_groups, gaps):
    X, groups = series(0)
    X[gaps, 0] = np.nan
    groups = groups if with_groups else None
    model = ForeCA(4).fit(X, groups=groups)
    Y = model.transform(X)
    np.testing.assert_allclose(model.omega_, forecastability(Y, groups=groups), atol=1e-9)
    np.testing.assert_allclose(model.omega_, twins.forecastability(Y, groups), atol=1e-9)


def test_features_are_uncorrelated():
    X, groups = series(1)
    Y = ForeCA(4).fit_transform(X, groups=groups)
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(4), atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_direction_of_a_plane(seed):
    # In two dimensions all directions can be tried.
    X, _ = series(seed, n_columns=2)
    Z, _ = twins.whiten(X)
    spectrum = twins.cross_spectrum(Z)
    angles = np.linspace(0, np.pi, 181)
    tried = [twins.foreca_objective(spectrum, np.array([np.cos(a), np.sin(a)])) for a in angles]
    model = ForeCA(1).fit(X)
    # Not below the best of a grid of one degree, and not above what a degree can gain.
    assert max(tried) - 1e-5 <= model.omega_[0] <= max(tried) + 1e-3


def test_it_is_a_fixed_point_of_the_step():
    # The smallest eigenvector of the spectra weighted with -log f of the feature itself, among
    # directions whose spectrum has the same sum.
    X, _ = series(2)
    Z, _ = twins.whiten(X)
    spectrum = twins.cross_spectrum(Z).real
    model = ForeCA(1, tol=0, max_iter=1000).fit(X)
    direction = np.linalg.lstsq(Z, model.transform(X)[:, 0], rcond=None)[0]
    power = np.einsum("fij,i,j->f", spectrum, direction, direction)
    shares = power / (2 * power.sum())
    surprise = -np.log((1 - twins.PRIOR) * shares + twins.PRIOR / (2 * len(power)))
    weighted = np.einsum("f,fij->ij", surprise, spectrum)
    root = np.linalg.inv(np.linalg.cholesky(spectrum.sum(axis=0))).T
    smallest = root @ np.linalg.eigh(root.T @ weighted @ root)[1][:, [0]]
    assert subspace_angles(direction[:, None], smallest)[0] < 1e-3


@pytest.mark.parametrize("n_starts", [0, 3])
def test_no_step_raises_the_entropy(seed, n_starts):
    X, _ = series(seed, n_rows=120)
    steps = range(1, 16)
    omegas = [
        ForeCA(1, n_starts=n_starts, tol=0, max_iter=n, random_state=seed).fit(X).omega_[0]
        for n in steps
    ]
    assert np.all(np.diff(omegas) >= -1e-12)
    assert omegas[-1] > omegas[0] + 1e-6  # and some steps lower it


def test_it_stops_when_steps_gain_nothing():
    X, _ = series(3)
    model = ForeCA(2).fit(X)
    assert 1 <= model.n_iter_ < 100
    assert ForeCA(2, max_iter=3).fit(X).n_iter_ == 3
    assert ForeCA(2, tol=1e-2).fit(X).n_iter_ <= model.n_iter_


def test_more_starts_are_no_worse():
    # The same starts and some more: the race keeps the best, up to a retired late bloomer.
    X, _ = series(4)
    few, many = (ForeCA(1, n_starts=n, tol=0).fit(X).omega_[0] for n in (0, 30))
    assert many >= few - 1e-3


def test_seeded():
    X, _ = series(5)
    default = ForeCA(3).fit(X).components_
    np.testing.assert_array_equal(ForeCA(3, random_state=0).fit(X).components_, default)
    state = np.random.RandomState(0)
    np.testing.assert_array_equal(ForeCA(3, random_state=state).fit(X).components_, default)
    # Without random starts the seed has nothing to decide.
    unseeded = [ForeCA(3, n_starts=0, random_state=s).fit(X).components_ for s in (1, 2)]
    np.testing.assert_array_equal(*unseeded)


def test_each_feature_is_the_best_of_what_is_left():
    X, _ = series(6)
    model = ForeCA(3).fit(X)
    Y = model.transform(X)
    random = np.random.default_rng(0)
    Z, _ = twins.whiten(X)
    for n in range(3):
        # Directions uncorrelated with the features before: none may beat the next one by more
        # than the tolerance of the search.
        found = np.linalg.lstsq(Z, Y[:, :n], rcond=None)[0]
        tried = random.normal(size=(4, 300))
        tried -= found @ np.linalg.pinv(found) @ tried
        assert forecastability(Z @ tried).max() <= model.omega_[n] + 1e-4


def test_waves_in_noise_are_found_whether_slow_or_fast():
    random = np.random.default_rng(7)
    t = np.arange(1000)
    sources = random.normal(size=(1000, 6))
    sources[:, 0] += 2 * np.sin(0.05 * t)
    sources[:, 1] += 2 * np.cos(2.8 * t)
    mixing = random.normal(size=(6, 6))
    truth = np.linalg.inv(mixing)[:, :2]
    X = sources @ mixing
    assert subspace_angles(ForeCA(2).fit(X), truth, X)[0] < 10.0


def test_too_short_for_a_spectrum():
    X = np.random.default_rng(8).normal(size=(40, 2))
    with pytest.raises(NoSpectrumError, match=r"at least 8 .* 5 or fewer"):
        ForeCA(1).fit(X, groups=np.arange(40) // 5)


@pytest.mark.parametrize(
    ("name", "value"), [("n_starts", -1), ("max_iter", 0), ("tol", -1.0), ("random_state", "x")]
)
def test_parameters(name, value):
    X, _ = series(9)
    with pytest.raises(ValueError, match=rf"'{name}' parameter of ForeCA .*Got {value!r} "):
        ForeCA(**{name: value}).fit(X)


@pytest.mark.parametrize("seed", range(3))
def test_a_race_on_fewer_frequencies_ends_at_the_same_optimum(seed, monkeypatch):
    random = np.random.default_rng(seed)
    t = np.arange(800)
    sources = random.normal(size=(800, 5))
    sources[:, 0] += 1.5 * np.sin(0.3 * t)
    sources[:, 1] += np.cos(1.7 * t)
    X = sources @ random.normal(size=(5, 5))
    exact = ForeCA(2, tol=0).fit(X)
    monkeypatch.setattr("predfeat.features._foreca._RACE_FREQUENCIES", 1)
    raced = ForeCA(2, tol=0).fit(X)
    np.testing.assert_allclose(raced.omega_, forecastability(raced.transform(X)), atol=1e-9)
    np.testing.assert_allclose(raced.omega_, exact.omega_, atol=1e-6)


def test_the_race_sees_all_of_the_spectrum():
    # Every fourth frequency up to the highest one: of noise that is a quarter of its power.
    spectra = CrossSpectra.of(check_sequences(np.random.default_rng(0).normal(size=(2000, 3))))
    full, stride = spectra.along(np.eye(3)), _race_stride(spectra.n_frequencies())
    coarse = spectra.along(np.eye(3), stride)
    assert (len(full), stride, len(coarse)) == (1000, 4, 250)
    np.testing.assert_array_equal(coarse[-1], full[-1])
    np.testing.assert_allclose(coarse.sum(axis=0), full.sum(axis=0) / 4, rtol=0.1)
    assert _race_stride(999) == 1


@pytest.mark.parametrize("n_rows", [97, 200, 203, 1024])
@pytest.mark.parametrize("stride", [1, 4])
@pytest.mark.parametrize("kept", [True, False])
def test_sums_of_cross_spectra_and_spectra_of_directions(n_rows, stride, kept, monkeypatch):
    # From the values at half of the frequencies, as if all of them were there.
    if not kept:
        monkeypatch.setattr("predfeat.features._cross_spectra._MAX_KEPT_BYTES", 0)
    monkeypatch.setattr("predfeat.features._cross_spectra._BLOCK", 100)
    random = np.random.default_rng(n_rows)
    X = random.normal(size=(n_rows, 4)).cumsum(axis=0)
    X -= X.mean(axis=0)
    spectrum = twins.cross_spectrum(X).real
    spectra = CrossSpectra.of(check_sequences(X))
    seen = spectrum[stride - 1 :: stride]
    assert spectra.n_frequencies(stride) == len(seen)
    directions = random.normal(size=(4, 3))
    found = spectra.along(directions, stride)
    expected = np.einsum("fij,iv,jv->fv", seen, directions, directions)
    scale = found.sum() / expected.sum()  # the twin takes the mean of segments
    expected *= scale
    # Rounding is relative to the largest value: these spectra fall steeply.
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * expected.max())
    weights = random.uniform(0.5, 9.0, size=(len(seen), 2))
    expected = scale * np.einsum("fw,fij->wij", weights, seen)
    found = spectra.summed(weights, stride)
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
