"""Counts and seeds beyond what is possible are refused by name, at once."""

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
    nearest_neighbors,
)
from predfeat.measures import (
    autoregression_error,
    available_neighbors,
    left_open,
    nested_shares,
    predictability,
    predictive_information,
)
from predfeat.selection import NestedShares, significance

NOISE = np.random.default_rng(0).normal(size=(60, 3))
METHODS = [
    GPFA(n_intermediate=2),
    SFA(),
    PFA(),
    ForeCA(),
    DCA(),
    LPP(),
    DescentFeatures(),
    RandomFeatures(random_state=0),
    AutoFeatures(n_jobs=1),
]
# A window of excluded rows may be wider than any series.
COUNTED = [
    (method, name)
    for method in METHODS
    for name, value in method.get_params().items()
    if (type(value) is int and name not in ("verbose", "theiler"))
    or name in ("pca_components", "n_jobs")
]


@pytest.mark.parametrize("value", [10**30, 2**63, -(10**30)], ids=lambda v: f"{v:.0e}")
@pytest.mark.parametrize(
    ("method", "name"), COUNTED, ids=lambda v: v if isinstance(v, str) else type(v).__name__
)
def test_every_parameter_that_counts_has_an_end(method, name, value):
    model = clone(method).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter of {type(model).__name__} must be"):
        model.fit(NOISE)


FUNCTIONS = [
    (nearest_neighbors, ("n_neighbors", "n_lags", "n_jobs")),
    (predictability, ("n_neighbors", "n_lags", "horizon", "n_jobs")),
    (predictive_information, ("n_neighbors", "n_lags", "horizon")),
    (autoregression_error, ("n_lags", "horizon")),
    (left_open, ("n_neighbors", "n_lags", "horizon", "n_jobs")),
    (nested_shares, ("n_neighbors", "n_lags", "horizon", "n_jobs")),
    (available_neighbors, ("n_lags", "at_most", "horizon")),
    (lambda X, **given: significance(SFA(), X, **given), ("n_surrogates",)),
    (
        lambda X, **given: significance(SFA(), X, statistic=NestedShares(**given)),
        ("horizon", "n_neighbors"),
    ),
]


@pytest.mark.parametrize(("function", "names"), FUNCTIONS)
def test_so_has_every_argument_of_the_functions(function, names):
    needed = {"n_neighbors": 3} if function is nearest_neighbors else {}
    for name in names:
        with pytest.raises(ValueError, match=f"'{name}' parameter of .* must be"):
            function(NOISE, **{**needed, name: 10**30})
