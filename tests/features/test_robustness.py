"""Data as it comes: copies, offsets, duplicates, odd types and layouts, gaps. Right answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from predfeat import DCA, GPFA, LPP, PFA, SFA, DescentFeatures, ForeCA, RandomFeatures
from predfeat.exceptions import ConstantColumnsWarning
from predfeat.measures import subspace_angles

METHODS = [
    GPFA(n_lags=2, max_iter=5),
    GPFA(n_lags=2, max_iter=5, graph="full"),
    SFA(),
    PFA(n_lags=2),
    ForeCA(tol=0, max_iter=500),
    DCA(n_window=3, tol=0),
    DescentFeatures(n_starts=2, n_sets=2),
    LPP(),
    RandomFeatures(random_state=0),
]
every = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
# Random directions have no right answer, and LPP's has nothing to do with waves.
answering = pytest.mark.parametrize("method", METHODS[:-2], ids=lambda m: type(m).__name__)


def waves(n_rows=400, seed=0):
    """Two slow waves in the first two columns, noise in three others; and the directions."""
    random = np.random.default_rng(seed)
    t = np.arange(n_rows)
    X = random.normal(size=(n_rows, 5))
    X[:, 0] = 1.4 * np.sin(0.06 * t + 0.4) + 0.05 * X[:, 0]
    X[:, 1] = 1.4 * np.cos(0.13 * t) + 0.05 * X[:, 1]
    return X


TRUTH = np.eye(5)[:, :2]


def assert_same_features(Y, other, tolerance):
    signs = np.sign(np.sum(Y * other, axis=0))
    np.testing.assert_allclose(other * signs, Y, atol=tolerance)


def tolerance_of(method):
    # What the steps of ForeCA and of DCA reach is known to the square root of the objective's last
    # digits.
    return 1e-4 if isinstance(method, ForeCA | DCA) else 1e-6


def assert_sound(model, X):
    Y = np.asarray(model.transform(X))
    assert np.isfinite(Y).all()
    assert np.isfinite(model.inverse_transform(Y)).all()
    np.testing.assert_allclose(Y.std(axis=0), 1.0, rtol=1e-6)
    assert np.isfinite(model.score(X))


@answering
def test_the_waves_are_found(method):
    # The premise of all tests below.
    X = waves()
    assert subspace_angles(clone(method).fit(X), TRUTH, X)[0] < 5.0


@answering
def test_identical_channels(method):
    X = waves()
    doubled = np.column_stack([X, X[:, 0], X[:, 3]])
    model = clone(method).fit(doubled)
    assert model.rank_ == 5
    assert_same_features(
        clone(method).fit_transform(X), model.transform(doubled), tolerance_of(method)
    )
    # Copies carry the same signal, and so get the same pattern.
    np.testing.assert_allclose(model.patterns_[:, 5:], model.patterns_[:, [0, 3]], atol=1e-8)


@every
def test_identical_channels_are_sound(method):
    X = waves()
    doubled = np.column_stack([X, X])
    model = clone(method).fit(doubled)
    assert model.rank_ == 5
    assert_sound(model, doubled)


@answering
def test_almost_identical_channels(method):
    # A copy that differs in the last digits is no direction of its own.
    X = waves()
    copy = X[:, 2] * (1 + 1e-14 * np.random.default_rng(1).normal(size=len(X)))
    model = clone(method).fit(np.column_stack([X, copy]))
    assert model.rank_ == 5
    assert_same_features(
        clone(method).fit_transform(X),
        model.transform(np.column_stack([X, copy])),
        tolerance_of(method),
    )


@answering
@pytest.mark.parametrize("offset", [1e6, -1e6])
def test_offsets_a_million_times_larger_than_the_signal(method, offset):
    X = waves()
    moved = X + offset * np.array([1, 1, -1, 0, 0.5])
    # Numbers near 10⁶ keep 1e-10 of a signal of size 1.
    assert_same_features(
        clone(method).fit_transform(X), clone(method).fit_transform(moved), tolerance_of(method)
    )


@every
def test_offsets_are_sound(method):
    X = waves() + 1e6
    model = clone(method).fit(X)
    assert model.rank_ == 5
    assert_sound(model, X)


@answering
@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_any_unit(method, scale):
    X = waves()
    assert_same_features(
        clone(method).fit_transform(X),
        clone(method).fit_transform(scale * X),
        tolerance_of(method),
    )


@answering
def test_each_column_in_its_own_unit(method):
    X = waves()
    units = np.array([1e-9, 1e9, 1.0, 1e-3, 1e5])
    assert_same_features(
        clone(method).fit_transform(X),
        clone(method).fit_transform(X * units),
        tolerance_of(method),
    )


@answering
def test_duplicate_rows_by_the_thousand(method):
    # An alternation beside a coin: four different rows, each a thousand times and more, and all
    # neighbours at distance 0. The alternation is certain, the coin is not.
    random = np.random.default_rng(2)
    n_rows = 4400
    alternation = (-1.0) ** np.arange(n_rows)
    coin = random.choice([-1.0, 1.0], size=n_rows)
    X = np.column_stack([alternation + coin, alternation - coin])
    # One iteration: with so many ties, searching takes its time.
    method = clone(method).set_params(n_components=1)
    if isinstance(method, GPFA):
        method.set_params(max_iter=1)
    model = method.fit(X)
    # Nothing is faster than the alternation: SFA alone takes the coin.
    truth = np.array([[1.0], [-1.0 if isinstance(method, SFA) else 1.0]])
    assert subspace_angles(model, truth, X)[0] < 2.0
    Y = model.transform(X)
    assert np.isfinite(Y).all()
    assert len(np.unique(Y.round(6))) <= 4
    assert np.isfinite(model.score(X[:400]))


@every
def test_a_recording_that_stands_still_for_a_thousand_rows(method):
    X = np.vstack([waves(300), np.tile(waves(1), (1000, 1)), waves(300, seed=1)])
    if isinstance(method, GPFA):
        method = clone(method).set_params(max_iter=2)
    assert_sound(clone(method).fit(X), X)


@every
def test_two_values_only(method):
    # One bit that flips now and then, in one column.
    X = (np.arange(300) // 20 % 2).astype(float)[:, None]
    model = clone(method).set_params(n_components=1).fit(X)
    assert_sound(model, X)


@every
def test_a_periodic_series_without_noise(method):
    # Exactly predictable: eigenvalues, errors and entropies at the rounding level.
    t = np.arange(360)
    X = np.column_stack([np.sin(2 * np.pi * t / 12), np.cos(2 * np.pi * t / 12), t % 3 == 0])
    assert_sound(clone(method).fit(X), X)


@every
def test_more_columns_than_rows(method):
    random = np.random.default_rng(3)
    X = waves(120) @ random.normal(size=(5, 400))
    model = clone(method).fit(X)
    assert model.rank_ == 5
    assert_sound(model, X)


@answering
def test_more_columns_than_rows_finds_the_same(method):
    X = waves(120)
    wide = X @ np.random.default_rng(3).normal(size=(5, 400))
    # The mixing has a condition number of a few: nothing but rounding changes.
    assert_same_features(
        clone(method).fit_transform(X), clone(method).fit_transform(wide), tolerance_of(method)
    )


@answering
def test_a_constant_column(method):
    X = waves()
    with_constant = np.insert(X, 1, 7.3, axis=1)
    with pytest.warns(ConstantColumnsWarning, match=r"left out: 'x1'"):
        Y = clone(method).fit_transform(with_constant)
    assert_same_features(clone(method).fit_transform(X), Y, tolerance_of(method))


@answering
def test_gaps_do_not_spoil_the_answer(method):
    X = waves()
    random = np.random.default_rng(4)
    X[random.random(len(X)) < 0.1, 2] = np.nan
    model = clone(method).fit(X)
    assert subspace_angles(model, TRUTH, X)[0] < 10.0
    gaps = np.isnan(X).any(axis=1)
    np.testing.assert_array_equal(np.isnan(model.transform(X)).all(axis=1), gaps)
    assert np.isfinite(model.score(X))


@answering
def test_single_precision(method):
    X = waves()
    coarse = clone(method).fit_transform(X.astype(np.float32))
    # Rounding to 6e-8 may swap neighbours at equal distance; a few of thousands.
    assert subspace_angles(coarse, clone(method).fit_transform(X))[0] < 0.1
    assert coarse.dtype == np.float64


@every
def test_single_precision_noise_is_no_direction(method):
    # Two channels that differ by the rounding of single precision only, which at an offset of
    # 1000 is 1e-4: far above what double precision resolves.
    X = (waves() + 1000).astype(np.float32)
    copy = X[:, [2]] * np.float32(3) / np.float32(3)
    assert np.abs(copy - X[:, [2]]).max() > 1e-5
    doubled = np.hstack([X, copy])
    assert clone(method).fit(doubled).rank_ == 5
    assert clone(method).fit(doubled.astype(np.float64)).rank_ == 6


@every
@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.uint8])
def test_whole_numbers(method, dtype):
    whole = np.round(20 * waves() + 100).clip(0, 255)
    np.testing.assert_array_equal(
        clone(method).fit_transform(whole.astype(dtype)), clone(method).fit_transform(whole)
    )


@every
def test_truth_values(method):
    bits = waves() > 0
    np.testing.assert_array_equal(
        clone(method).fit_transform(bits), clone(method).fit_transform(bits.astype(float))
    )


def as_memmap(X, folder):
    mapped = np.memmap(folder / "X", dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    mapped.flush()
    return np.memmap(folder / "X", dtype=X.dtype, mode="r", shape=X.shape)


def as_readonly(X, _):
    X = X.copy()
    X.flags.writeable = False
    return X


LAYOUTS = {
    "fortran": lambda X, _: np.asfortranarray(X),
    "strided": lambda X, _: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X, _: X[::-1].copy()[::-1],
    "readonly": as_readonly,
    "memmap": as_memmap,
    "frame": lambda X, _: pd.DataFrame(X, columns=list("abcde")),
    "nullable frame": lambda X, _: pd.DataFrame(X, columns=list("abcde")).convert_dtypes(),
    "object": lambda X, _: X.astype(object),
    "list": lambda X, _: X.tolist(),
}


@every
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("with_gaps", [False, True])
def test_the_layout_does_not_matter(method, layout, with_gaps, tmp_path):
    X = waves(200)
    if with_gaps:
        X[[3, 50, 51]] = np.nan
    other = LAYOUTS[layout](X, tmp_path)
    expected = clone(method).fit(X).transform(X)
    model = clone(method).fit(other)
    # Sums over another memory layout may round otherwise; nothing more.
    np.testing.assert_allclose(np.asarray(model.transform(other)), expected, atol=1e-7)


@every
@pytest.mark.parametrize("with_gaps", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_input_stays_as_it_was(method, with_gaps, dtype):
    X = waves(200).astype(dtype)
    if with_gaps:
        X[[3, 50, 51]] = np.nan
    groups = np.arange(200) // 100
    before, groups_before = X.copy(), groups.copy()
    model = clone(method).fit(X, groups=groups)
    Y = model.transform(X)
    features_before = Y.copy()
    model.score(X, groups=groups)
    model.inverse_transform(Y)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(groups, groups_before)
    np.testing.assert_array_equal(Y, features_before)


@every
@pytest.mark.parametrize(
    "ids",
    [
        lambda n: np.array(["first", "second"])[np.arange(n) * 2 // n],
        lambda n: pd.Series(np.arange(n) * 2 // n, index=np.arange(n)[::-1]),
        lambda n: pd.Categorical(np.arange(n) * 2 // n),
        lambda n: pd.date_range("2020-01-01", periods=2)[np.arange(n) * 2 // n],
        lambda n: (np.arange(n) * 2 // n).astype(bool),
        lambda n: ["a"] * (n // 2) + [2] * (n // 2),
    ],
    ids=["text", "series", "categories", "dates", "bool", "mixed"],
)
def test_ids_of_any_kind(method, ids):
    X = waves(200)
    expected = clone(method).fit(X, groups=np.arange(200) // 100).components_
    np.testing.assert_array_equal(clone(method).fit(X, groups=ids(200)).components_, expected)
