"""Soft neighbourhoods: the value against its twin, the gradient against differences."""

import numpy as np
import pytest

import naive_soft as twins
from predfeat import nearest_neighbors
from predfeat.exceptions import DimensionError, RankError, TooFewStatesError
from predfeat.measures import _soft_left_open as module
from predfeat.measures import left_open, soft_left_open, soft_neighborhoods
from predfeat.series import check_sequences

FORMS = [(2, "trace"), (1, "trace"), (0.5, "trace"), (0, "trace"), (0, "determinant")]
each_form = pytest.mark.parametrize(("power", "form"), FORMS)
both_relative = pytest.mark.parametrize("relative", [False, True])


@pytest.fixture(params=["kernels", "arrays"])
def implementation(request, monkeypatch):
    if request.param == "arrays":
        monkeypatch.setattr(module, "is_available", lambda: False)
    elif not module.is_available():
        pytest.skip("needs numba")


def series_with_gaps(n_columns=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(150, n_columns))
    X[1:] += 0.7 * X[:-1]
    X[[20, 71]] = np.nan
    return X, np.repeat([0, 1, 2], 50)


@each_form
@both_relative
@pytest.mark.parametrize(("n_lags", "horizon", "theiler"), [(1, 1, 0), (3, 2, 2)])
def test_equals_its_twin(power, form, relative, n_lags, horizon, theiler, implementation):
    Y, groups = series_with_gaps(2)
    options = {"horizon": horizon, "theiler": theiler, "groups": groups}
    around = soft_neighborhoods(Y, n_lags, 4, **options)
    members, widths = twins.neighborhoods(Y, n_lags, 4, groups, theiler, horizon)
    assert around.times.tolist() == list(members)
    assert around.members.tolist() == list(members.values())
    np.testing.assert_allclose(around.bandwidths, list(widths.values()))
    found = soft_left_open(Y, around, power=power, form=form, relative=relative, groups=groups)
    expected = twins.soft_left_open(Y, members, widths, n_lags, horizon, power, form, relative)
    assert found.value == pytest.approx(expected, rel=1e-9)


@each_form
@both_relative
@pytest.mark.parametrize("n_lags", [1, 5])
def test_gradient_is_that_of_the_value(power, form, relative, n_lags, implementation, seed):
    X, groups = series_with_gaps(seed=seed)
    series = check_sequences(X, groups)
    random = np.random.default_rng(seed)
    directions, way = random.normal(size=(2, 4, 2))

    def features(shift):
        return series.with_rows(series.rows @ (directions + shift * way))

    around = soft_neighborhoods(features(0.0), n_lags, 6, theiler=1)
    options = {"power": power, "form": form, "relative": relative}
    slope = np.sum(series.rows.T @ soft_left_open(features(0.0), around, **options).gradient * way)

    def difference(h):
        ahead, behind = (soft_left_open(features(s), around, **options).value for s in (h, -h))
        return (ahead - behind) / (2 * h)

    # Richardson: the error of the first difference is O(h²), that of this one O(h⁴).
    h = 1e-4
    numeric = (4 * difference(h) - difference(2 * h)) / 3
    assert slope == pytest.approx(numeric, rel=1e-7, abs=1e-9)


def test_rows_that_take_part_in_nothing_have_no_gradient():
    X, groups = series_with_gaps(2)
    found = soft_left_open(X, soft_neighborhoods(X, 2, 5, groups=groups), groups=groups)
    assert not found.gradient[[20, 71]].any()
    assert np.isfinite(found.gradient).all()


def test_noise_leaves_its_variance_open(seed):
    # 3000 squared differences of pairs: a standard error of about 3 %, with neighbours shared.
    noise = np.random.default_rng(seed).normal(size=(3000, 1)) * 7
    around = soft_neighborhoods(noise)
    assert soft_left_open(noise, around, relative=True).value == pytest.approx(1.0, abs=0.12)
    assert soft_left_open(noise, around).value == pytest.approx(49.0, rel=0.12)


def test_is_near_the_hard_measure():
    t = np.arange(800)
    Y = np.column_stack([np.sin(0.3 * t), np.random.default_rng(0).normal(size=800)])
    soft = soft_left_open(Y, soft_neighborhoods(Y), relative=True).value
    assert soft == pytest.approx(left_open(Y).share(ddof=1), rel=0.1)


@each_form
def test_scale_and_offset_do_not_matter_to_the_relative_value(power, form):
    Y, _ = series_with_gaps(2)
    values = [
        soft_left_open(Z, soft_neighborhoods(Z, 1, 5), power=power, form=form, relative=True).value
        for Z in (Y[75:], 1000 + 8 * Y[75:])
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_threads_do_not_matter():
    Y = np.random.default_rng(1).normal(size=(5000, 3))
    around = soft_neighborhoods(Y, 2, 5)
    one, two = (soft_left_open(Y, around, n_jobs=n) for n in (1, 2))
    assert one.value == two.value
    assert np.array_equal(one.gradient, two.gradient)


def test_equal_states_share(implementation):
    Y = np.tile([[0.0], [1.0], [5.0]], (30, 1))
    found = soft_left_open(Y, soft_neighborhoods(Y, 1, 4))
    assert found.value == 0.0
    assert np.isfinite(found.gradient).all()


def test_every_takes_every_nth_of_the_nearest():
    Y = np.random.default_rng(2).normal(size=(200, 2))
    wide, all_nearest = (
        soft_neighborhoods(Y, 1, 5, every=7),
        nearest_neighbors(Y[:-1], n_neighbors=70),
    )
    np.testing.assert_array_equal(wide.members, all_nearest.indices[:, 6::7])
    squared = np.square(all_nearest.distances[:, 6::7])
    np.testing.assert_allclose(wide.bandwidths, squared[:, :5].mean(axis=1))


def test_few_states_are_all_members():
    assert soft_neighborhoods(np.arange(8.0), 1, 5).members.shape == (7, 6)
    with pytest.raises(TooFewStatesError, match="n_neighbors=7"):
        soft_neighborhoods(np.arange(8.0), 1, 7)


def test_bad_input():
    Y = np.random.default_rng(3).normal(size=(60, 2))
    around = soft_neighborhoods(Y, 1, 5)
    with pytest.raises(ValueError, match="power=0, but power=2"):
        soft_left_open(Y, around, form="determinant")
    with pytest.raises(DimensionError, match="at least 60 rows, but Y has 59"):
        soft_left_open(Y[:59], around)
    with pytest.raises(RankError, match="linearly dependent"):
        soft_left_open(Y[:, [0, 0]], around, power=0, form="determinant")
    with pytest.raises(RankError, match="constant"):
        soft_left_open(np.ones((60, 1)), around, relative=True)
    with pytest.raises(ValueError, match="power"):
        soft_left_open(Y, around, power=3)
