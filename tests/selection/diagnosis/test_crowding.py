"""Equal states, still ones, sparse ones, and windows that leave few neighbours."""

import numpy as np
import pytest

import naive
import naive_diagnosis
from diagnosis_series import autoregressions, diagnosed, walk
from predfeat import GPFA, nearest_neighbors
from predfeat.selection.diagnosis import _crowding
from predfeat.series import check_sequences


@pytest.mark.parametrize("p", [1, 2])
def test_still_share(p):
    random = np.random.default_rng(p)
    X = random.integers(0, 2, (60, 1)).astype(float)
    X[20] = np.nan
    groups = np.repeat([0, 1], 30)
    series = check_sequences(X, groups)
    table = nearest_neighbors(X, n_neighbors=1, n_lags=p, groups=groups)
    expected = naive_diagnosis.still_share(X, groups, table.times.tolist(), p)
    assert 0 < expected < 1
    assert _crowding.still_share(table, series, p, 1.0) == pytest.approx(expected)


def test_equal_share():
    X, groups = naive.random_series(0, [40, 30], n_columns=1, kind="lattice")
    for p in (1, 2, 4):
        table = nearest_neighbors(X, n_neighbors=2, n_lags=p, groups=groups)
        expected = naive_diagnosis.equal_share(X, table.times.tolist(), p)
        assert _crowding.equal_share(table, 1.0) == pytest.approx(expected)


def test_contrast():
    X = autoregressions(300, [-0.99])  # signs alternate, so that a wrong lag shows
    table = nearest_neighbors(X, n_neighbors=5, n_lags=2)
    states = np.array([naive.state(X, t, 2) for t in range(1, 300)])
    distances = np.linalg.norm(states[:, None] - states, axis=2)
    usual = np.median(distances[~np.eye(299, dtype=bool)])
    drawn = _crowding.usual_distance(table, check_sequences(X), 2, seed=0)
    assert drawn == pytest.approx(usual, rel=0.03)  # 4000 pairs drawn of 45 000
    farthest = np.sort(distances, axis=1)[:, 5]
    expected = np.median(farthest) / usual
    assert _crowding.neighbor_contrast(table, usual) == pytest.approx(expected)


# As many neighbours as `theiler` leaves, of all states or of those with a successor; with 49 the
# one in the middle has a neighbour, but none that has a successor.
@pytest.mark.parametrize(("k", "theiler"), [(2, 46), (7, 46), (2, 48), (1, 49)])
@pytest.mark.parametrize("test_rows", [None, 100])
def test_a_wide_theiler_window(k, theiler, test_rows):
    X, X_test = walk(), None if test_rows is None else walk(test_rows)[::-1]
    diagnosis = diagnosed(GPFA(2, n_neighbors=k, theiler=theiler), X, X_test=X_test)
    assert "sparse-states" in diagnosis.names
    assert ("only-slow" in diagnosis.names) == (theiler < 49)
    assert not {"cannot-split", "short-test-data"} & set(diagnosis.names)
