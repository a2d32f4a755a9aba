"""What a fit, a transform and a score take, and what is said where it is too much."""

import tracemalloc

import numpy as np
import pytest

from predfeat import GPFA, SFA
from predfeat.exceptions import DataError, NotEnoughMemoryError
from predfeat.features import _memory_needed as module
from predfeat.features._memory_needed import memory_needed


def peak_of(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rows_of(n_rows, n_columns, dtype="f8"):
    return np.random.default_rng(0).normal(size=(n_rows, n_columns)).astype(dtype)


@pytest.mark.parametrize(
    ("model", "n_columns", "dtype"),
    [
        (SFA(2), 20, "f8"),
        (SFA(2), 20, "f4"),
        (SFA(2), 3, "f8"),
        (SFA(2, pca_components=5), 40, "f8"),
        (GPFA(2, max_iter=2, n_centers=None), 20, "f8"),
        (GPFA(2, max_iter=2, n_centers=None, n_neighbors=30, init="sfa"), 4, "f4"),
        (GPFA(2, max_iter=2, n_centers=500, init="sfa"), 30, "f8"),
    ],
)
def test_the_estimate_is_near_what_a_fit_takes(model, n_columns, dtype):
    X = rows_of(15_000, n_columns, dtype)
    model.fit(X[:2000])  # code is loaded
    needed = memory_needed(
        *X.shape,
        is_converted=dtype != "f8",
        n_axes=model.pca_components,
        n_neighbors=getattr(model, "n_neighbors", 0),
        n_centers=getattr(model, "n_centers", "auto"),
    )
    # It decides between gigabytes: twice too much, or an eighth too little, are near enough. How
    # many threads search at once depends on what else the machine does, and not every engine needs
    # the room for a search.
    least = needed - (module._BYTES_PER_SEARCH if isinstance(model, GPFA) else 0)
    assert least / 2.0 < peak_of(lambda: model.fit(X)) < 1.125 * needed


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_transform_takes_a_block_and_the_features(dtype, monkeypatch):
    X = rows_of(200_000, 10, dtype)
    model = SFA(2).fit(X[:1000])
    monkeypatch.setattr("predfeat.features._base._NUMBERS_AT_ONCE", 1 << 16)
    features = 8 * 2 * len(X)
    # The rows once more in float64 would be 16 MB.
    assert peak_of(lambda: model.transform(X)) < features + 4e6


@pytest.mark.parametrize("n_components", [1, 3])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_blocks_have_the_bits_of_the_whole(dtype, n_components, monkeypatch):
    X = rows_of(1000, 7, dtype)
    X[5, 2] = np.nan
    model = SFA(n_components).fit(X)
    whole = model.transform(X)
    wide = (X.astype(np.float64) - model.mean_) @ model.components_.T
    np.testing.assert_array_equal(whole, wide)
    monkeypatch.setattr("predfeat.features._base._NUMBERS_AT_ONCE", 1)
    np.testing.assert_array_equal(model.transform(X), whole)
    assert np.isnan(whole[5]).all()
    assert whole.dtype == np.float64


def test_what_does_not_fit_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 1_000_000)
    message = (
        r"10000 rows of 20 columns needs about 5\.44 MB .* 1 MB are free\. Fit fewer rows .*fl"
    )
    for given in (NotEnoughMemoryError, DataError, MemoryError):
        with pytest.raises(given, match=message):
            SFA(2).fit(rows_of(10_000, 20))
    with pytest.raises(NotEnoughMemoryError, match=r'n_centers="auto".*pca_components.*float32'):
        GPFA(2, n_centers=None).fit(rows_of(10_000, 20))
    SFA(2).fit(rows_of(1000, 20))
    model = SFA(2).fit(rows_of(100, 20))
    assert model.transform(rows_of(10_000, 20)).shape == (10_000, 2)


def test_where_the_system_does_not_say_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: None)
    SFA(2).fit(rows_of(1000, 3))
