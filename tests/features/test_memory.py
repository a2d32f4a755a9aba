"""A long recording: memory stays linear in the samples."""

import tracemalloc

import numpy as np
import pytest

from predfeat import GPFA


@pytest.mark.parametrize("graph", ["full", "star"])
def test_no_array_beyond_samples_times_columns_and_neighbors(graph):
    n_rows, n_columns, k = 50_000, 4, 40
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    tracemalloc.start()
    try:
        GPFA(2, n_neighbors=k, n_lags=1, graph=graph, max_iter=2, tol=0).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    linear = 8 * n_rows * (n_columns + k)  # one array of S × (N + k) numbers, 18 MB
    # A few such arrays live at once. All pairs of the neighbourhoods would be 19 times `linear`
    # for each of the two terms, all pairs of samples over 1000 times.
    assert peak < 8 * linear
