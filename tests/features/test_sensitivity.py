"""What nonlinear features respond to: gradients against known ones, and the extreme rows."""

import numpy as np
import pytest

from predfeat import GPFA, SFA, Expanded
from predfeat.exceptions import DataError
from predfeat.features import sensitivity


def squares(seed=0):
    """A column whose square is slow, beside noise, with a gap; of other units each."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(1500, 3)) * [1.0, 100.0, 0.01]
    X[:, 1] = 100 * random.choice([-1.0, 1.0], 1500) * (2 + np.sin(0.02 * np.arange(1500)))
    X[700, 0] = np.nan
    return X


def test_the_gradient_of_a_square():
    X = squares()
    model = Expanded(SFA(1)).fit(X)
    found = sensitivity(model, X, n_rows=5000)
    feature = model.transform(X)[:, 0]
    known = ~np.isnan(feature)
    slope, _ = np.polyfit(X[known, 1] ** 2, feature[known], 1)
    assert abs(np.corrcoef(X[known, 1] ** 2, feature[known])[0, 1]) > 0.999
    expected = np.abs(2 * slope * X[known, 1]).mean() * X[known, 1].std()
    # The feature is the square up to what the sample leaves of other products.
    assert found.responses[0, 1] == pytest.approx(expected, rel=0.01)
    assert found.responses[0, [0, 2]].max() < 0.1 * found.responses[0, 1]


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
@pytest.mark.parametrize("expansion", ["quadratic", "cubic", "kernel", "fourier"])
@pytest.mark.parametrize("n_layers", [1, 2])
def test_gradients_are_those_of_transform(expansion, n_layers, seed):
    # Along a random direction of the input, from the transform alone.
    random = np.random.default_rng(seed)
    X = random.normal(size=(400, 3))
    model = Expanded(SFA(2), expansion, n_layers=n_layers, layer_components=3).fit(X)
    row = X[[11]]
    step = 1e-4 * np.eye(3)
    slopes = [(model.transform(row + d) - model.transform(row - d))[0] / 2e-4 for d in step]
    # Two rows as close as this have half of it as standard deviation.
    found = sensitivity(model, np.vstack([row, row + 1e-7]), n_rows=1).responses
    # The other row moves the gradient, and both differences lose half of the digits.
    np.testing.assert_allclose(found, np.abs(np.transpose(slopes)) * 0.5e-7, rtol=1e-3, atol=1e-11)


@pytest.mark.parametrize("expand", [False, True])
def test_of_linear_features_it_is_the_weights(expand):
    X = squares()
    model = SFA(2).fit(X)
    found = sensitivity(Expanded(SFA(2), "identity").fit(X) if expand else model, X)
    spread = np.nanstd(np.delete(X, 700, axis=0), axis=0)
    np.testing.assert_allclose(found.responses, np.abs(model.components_) * spread, rtol=1e-12)


def test_the_rows_are_the_extreme_ones_without_gaps():
    X = squares()
    model = Expanded(GPFA(2, max_iter=3)).fit(X)
    found = sensitivity(model, X, n_extremes=4)
    Y = model.transform(X)
    for feature, lowest, highest in zip(Y.T, found.lowest, found.highest, strict=True):
        order = np.argsort(feature)[: np.isfinite(feature).sum()]
        np.testing.assert_array_equal(lowest, order[:4])
        np.testing.assert_array_equal(highest, order[::-1][:4])
    assert sensitivity(model, X[:2], n_extremes=9).lowest.shape == (2, 2)


def test_what_has_no_gradient():
    with pytest.raises(DataError, match="takes an Expanded or one of predfeat's linear methods"):
        sensitivity("gpfa", squares())
