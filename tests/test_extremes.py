"""Numbers of any size give right answers, or an error that says what to do about them."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

from predfeat import (
    DCA,
    GPFA,
    LPP,
    PFA,
    SFA,
    AutoFeatures,
    DescentFeatures,
    ForeCA,
    RandomFeatures,
)
from predfeat.exceptions import InfiniteValueError, NotNumericError, RankError, ScaleError
from predfeat.measures import (
    autoregression_error,
    forecastability,
    left_open,
    nested_shares,
    periods,
    predictability,
    predictive_information,
    slowness,
)
from predfeat.series import check_matrix

pytestmark = pytest.mark.filterwarnings("error")

METHODS = [
    GPFA(max_iter=2),
    SFA(),
    PFA(),
    ForeCA(n_starts=1),
    DCA(n_starts=1),
    LPP(),
    DescentFeatures(n_starts=1, n_sets=1),
    RandomFeatures(random_state=0),
]
every = pytest.mark.parametrize(
    "method", [*METHODS, AutoFeatures()], ids=lambda m: type(m).__name__
)
ANY_SCALE = [5e-324, 1e-320, 1e-310, 1e-305, 1e-200, 1e-160, 1e155, 1e200, 1e299, 1e305, 1e307]
ALLOWED = [2.0**-990, 2.0**-530, 2.0**515, 2.0**990]  # about 1e-298, 1e-160, 1e155, 1e298


def waves(n_rows=150, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    X[:, 0] += 3 * np.sin(0.2 * np.arange(n_rows))
    return X


def extreme_series():
    X = waves()
    yield from (scale * X for scale in ANY_SCALE)
    yield from (scale * (X + 5) for scale in ANY_SCALE)
    yield X * np.array([1e-300, 1e299, 1.0, 1e-150])
    yield X * np.array([1e-320, 1.0, 1.0, 1e-150])
    spike = X.copy()
    spike[5, 2] = 1e160
    yield spike
    spike = X.copy()
    spike[5, 2] = 1.7e308
    yield spike
    yield np.sign(X) * np.finfo(np.float64).max


def assert_finite(model):
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert np.isfinite(value).all(), name


@pytest.mark.parametrize("pca_components", [None, 3, 0.9])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_every_fit_is_finite_and_white_or_refused_by_name(method, pca_components):
    n_fitted = 0
    for X in extreme_series():
        try:
            model = clone(method).set_params(pca_components=pca_components).fit(X)
        except ScaleError:
            continue
        except RankError:  # beside columns of 1e299, those of 1 are rounding
            assert pca_components is not None
            continue
        n_fitted += 1
        assert_finite(model)
        Y = model.transform(X)
        np.testing.assert_allclose(Y.std(axis=0), 1.0, rtol=1e-6)
        assert np.isfinite(model.inverse_transform(Y)).all()
        assert np.isfinite(model.score(X))
    assert n_fitted >= 8


@every
@pytest.mark.parametrize("scale", ALLOWED)
def test_units_do_not_matter_over_the_whole_range(method, scale):
    X = waves()
    Y = clone(method).fit_transform(X)
    np.testing.assert_allclose(clone(method).fit_transform(scale * X), Y, atol=1e-6)


def test_what_is_too_large_or_varies_too_little_is_named():
    X = waves()
    X[7, 1] = -3e305
    with pytest.raises(ScaleError, match=r"1 number\(s\) beyond 1e\+300.*row 7.*'x1'.*-3e\+305"):
        SFA().fit(X)
    X = waves() * np.array([1.0, 1.0, 1e-310, 1.0])
    with pytest.raises(ScaleError, match=r"1 of 4 column\(s\) vary by less than 1e-300.*'x2'"):
        SFA().fit(X)
    assert SFA(pca_components=3).fit(X).rank_ == 3  # what is cut needs no factor


def test_features_that_would_overflow_are_refused():
    X = waves()
    model = SFA().fit(1e-200 * X)
    with pytest.raises(ScaleError, match="features of X would be larger"):
        model.transform(1e200 * X)
    gaps = X.copy()
    gaps[3] = np.nan
    assert np.isnan(model.transform(1e-200 * gaps)[3]).all()
    with pytest.raises(ScaleError, match="reconstruction of Y would be larger"):
        SFA().fit(1e200 * X).inverse_transform(1e200 * X[:, :2])


WITHOUT_UNITS = [
    forecastability,
    predictive_information,
    nested_shares,
    lambda Y: predictability(Y, relative=True),
    lambda Y: predictability(Y, relative=True, per_component=True),
    lambda Y: np.array(list(vars(periods(Y)).values())),
]
SQUARES = [
    slowness,
    predictability,
    autoregression_error,
    lambda Y: predictability(Y, per_component=True),
    lambda Y: autoregression_error(Y, 2, per_component=True),
]
# Of tiny numbers the squares have few digits, some states' fewer than the sum of all.
SMALL_SQUARES = [lambda Y: left_open(Y).by_state, lambda Y: left_open(Y).typical]


@pytest.mark.parametrize("measure", WITHOUT_UNITS)
@pytest.mark.parametrize("scale", ALLOWED)
def test_measures_without_a_unit_do_not_depend_on_it(measure, scale):
    Y = waves()
    np.testing.assert_allclose(measure(scale * Y), measure(Y), rtol=1e-9)


@pytest.mark.parametrize("measure", SQUARES)
def test_measures_in_squared_units_are_squares_or_refused(measure):
    Y = waves()
    for exponent in (-530, -300, -100, 100, 300, 505):
        scaled = measure(2.0**exponent * Y)
        np.testing.assert_allclose(scaled, np.ldexp(measure(Y), 2 * exponent), rtol=1e-9)
    for scale in (1e160, 1e299):
        with pytest.raises(ScaleError, match="larger than the largest number of float64"):
            measure(scale * Y)


@pytest.mark.parametrize("measure", [*WITHOUT_UNITS[:-1], *SQUARES, *SMALL_SQUARES])
def test_every_measure_is_finite_or_refused_by_name(measure):
    for Y in extreme_series():
        try:
            found = measure(Y)
        except ScaleError:
            continue
        assert np.isfinite(found).all()


@pytest.mark.parametrize("scales", [(1e-299, 1e299, 1.0, 1e-150), (1e-250, 1e-200, 1e-90, 0.0)])
def test_columns_of_all_sizes_beside_each_other_keep_their_own_measures(scales):
    Y, used = waves(), np.array(scales) > 0
    mixed = Y * np.array(scales)
    np.testing.assert_allclose(
        forecastability(mixed[:, used]), forecastability(Y[:, used]), rtol=1e-9
    )
    # Neighbours follow the largest column, which takes nearly all of the variance.
    largest = mixed[:, [np.argmax(scales)]]
    shares = predictability(mixed, relative=True, per_component=True)
    assert (shares[used] > 0.1).all()
    alone = predictability(largest, relative=True)
    np.testing.assert_allclose(predictability(mixed, relative=True), alone, rtol=1e-9)


def test_the_error_of_a_prediction_fitted_elsewhere_keeps_its_units():
    Y, other = waves(), waves(seed=1)
    for exponent in (-500, 500):
        scaled = autoregression_error(
            np.ldexp(Y, exponent), fit_on=np.ldexp(other, exponent), per_component=True
        )
        plain = autoregression_error(Y, fit_on=other, per_component=True)
        np.testing.assert_allclose(scaled, np.ldexp(plain, 2 * exponent), rtol=1e-9)


OBJECTS = {
    "whole numbers": (10**30, 1e30),
    "fractions": (Fraction(1, 3), 1 / 3),
    "decimals": (Decimal("0.1"), 0.1),
    "None": (None, np.nan),
    "a decimal that is none": (Decimal("NaN"), np.nan),
    "true": (True, 1.0),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_that_are_numbers_are_taken_for_them(kind):
    given, meant = OBJECTS[kind]
    X = np.array([[1, 2], [given, 4]], dtype=object)
    np.testing.assert_array_equal(check_matrix(X).values, [[1, 2], [meant, 4]])
    np.testing.assert_array_equal(check_matrix(X, estimator=SFA()).values, [[1, 2], [meant, 4]])


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (10**400, ScaleError),
        (-(10**400), ScaleError),
        (Fraction(10**400), ScaleError),
        (Decimal("1e400"), InfiniteValueError),
        (Decimal("sNaN"), NotNumericError),
        ("many", NotNumericError),
        (1j, NotNumericError),
        ([1, 2], NotNumericError),
        (object(), NotNumericError),
    ],
    ids=lambda given: str(given)[:9],  # of an object not its address
)
def test_objects_that_are_none_are_refused_by_name(given, error):
    X = np.array([[1, 2], [3, 4]], dtype=object)
    X[1, 0] = given
    for estimator in (None, SFA()):
        with pytest.raises(error):
            check_matrix(X, estimator=estimator)
    with pytest.raises(error):
        slowness(X)


def test_wider_floats_are_refused_by_their_place_and_without_a_warning():
    wide = np.ones((4, 2), dtype=np.longdouble)
    wide[2, 1] = np.finfo(np.longdouble).max
    with pytest.raises((InfiniteValueError, ScaleError), match="row 2"):
        check_matrix(wide)
