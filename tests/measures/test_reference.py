"""The measures give the figures of the original implementations."""

from pathlib import Path

import numpy as np
import pytest

import naive_measures as twins
from predfeat.measures import autoregression_error, forecastability, predictability, slowness
from predfeat.measures._spectra import power_spectra, segment_transforms
from predfeat.series import check_sequences

REFERENCE = Path(__file__).parents[1] / "reference"
METHODS = ["gpfa1", "gpfa2", "gpfa1_R1_nopast", "sfa", "sksfa", "pfa", "foreca", "random"]

# Both sides are float64 sums of a few thousand terms of order one: 1e-9 leaves six digits of
# room for another order of summation and none for another definition.
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture(params=["toy", "sinealt", "lorenz", "var2"], scope="module")
def figures(request):
    with np.load(REFERENCE / f"{request.param}_0.npz") as stored:
        return dict(stored)


@pytest.fixture(scope="module")
def wosa():
    with np.load(REFERENCE / "foreca_wosa.npz") as stored:
        return dict(stored)


def features(figures, method):
    projection, offset = figures[f"{method}__P"], figures[f"{method}__b"]
    return figures["x_train"] @ projection + offset, figures["x_test"] @ projection + offset


@pytest.mark.parametrize("method", METHODS)
def test_predictability(figures, method):
    _, test = features(figures, method)
    value = predictability(test, n_lags=int(figures["par_p"]), n_neighbors=10)
    np.testing.assert_allclose(value, figures[f"{method}__pred_test_strict"], **CLOSE)


@pytest.mark.parametrize("method", METHODS)
def test_slowness(figures, method):
    train, test = features(figures, method)
    np.testing.assert_allclose(slowness(train), figures[f"{method}__delta_train_raw"], **CLOSE)
    np.testing.assert_allclose(slowness(test), figures[f"{method}__delta_test_raw"], **CLOSE)


@pytest.mark.parametrize("method", METHODS)
def test_autoregression_error(figures, method):
    train, test = features(figures, method)
    p = int(figures["par_p"])
    fitted = autoregression_error(train, p)
    carried_over = autoregression_error(test, p, fit_on=train)
    np.testing.assert_allclose(fitted, figures[f"{method}__ar_err_train"], **CLOSE)
    np.testing.assert_allclose(carried_over, figures[f"{method}__ar_err_test"], **CLOSE)


@pytest.mark.parametrize("method", METHODS)
def test_forecastability(figures, method):
    train, test = features(figures, method)
    np.testing.assert_allclose(
        100 * forecastability(train), figures[f"{method}__Omega_train"], **CLOSE
    )
    np.testing.assert_allclose(
        100 * forecastability(test), figures[f"{method}__Omega_test"], **CLOSE
    )


@pytest.mark.parametrize(("series", "omega"), [("X", "omega_X"), ("Z", "omega_Z_wosa")])
def test_forecastability_of_the_small_oracle(wosa, series, omega):
    np.testing.assert_allclose(100 * forecastability(wosa[series]), wosa[omega], **CLOSE)


def test_power_spectra(wosa):
    power = power_spectra(segment_transforms(check_sequences(wosa["X"])))
    diagonal = wosa["sdf"][1:, [0, 3, 5]].real  # S11, S22, S33; frequency 0 is left out
    np.testing.assert_allclose(power, diagonal, rtol=1e-9)


def test_cross_spectra(wosa):
    transforms = segment_transforms(check_sequences(wosa["X"]))
    matrices = np.einsum("sfi,sfj->fij", transforms.conj(), transforms) / len(transforms)
    # ForeCA divides by the number of samples, and conjugates the other factor.
    np.testing.assert_allclose(matrices / len(wosa["X"]), wosa["mvspectrum"], atol=1e-12)


def test_the_twins_give_the_figures_too(wosa):
    # A twin that is wrong would excuse a measure that is wrong in the same way.
    np.testing.assert_allclose(twins.taper(len(wosa["taper"])), wosa["taper"], atol=1e-12)
    np.testing.assert_allclose(100 * twins.forecastability(wosa["X"]), wosa["omega_X"], **CLOSE)
    np.testing.assert_allclose(
        100 * twins.forecastability(wosa["X"], prior=0.0), wosa["omega_X_noprior"], **CLOSE
    )
