"""What the checks share: parts of a series, fits repeated on them, what is left open."""

import numpy as np
import pytest

import naive
import naive_diagnosis
from diagnosis_series import oscillator, toy, walk
from predfeat import GPFA, PFA, SFA, ForeCA
from predfeat.measures import available_neighbors, left_open, subspace_angles
from predfeat.selection.diagnosis._subject import Subject, refitted
from predfeat.series import check_sequences


@pytest.mark.parametrize("method", [GPFA(2, max_iter=5), SFA(2), PFA(2, n_lags=2), ForeCA(2)])
def test_refitting_is_fitting(method):
    X, groups = naive.random_series(0, [80, 60], n_columns=4, n_gaps=5)
    fitted = method.fit(X, groups=groups)
    eps = np.finfo(np.float64).eps
    again = refitted(fitted, check_sequences(X, groups), eps)
    np.testing.assert_array_equal(again.components_, fitted.components_)
    np.testing.assert_array_equal(again.mean_, fitted.mean_)


def test_refitting_knows_the_precision():
    # A mixture that is one but for the rounding of float32.
    X = (toy(500) + 100).astype(np.float32)
    X = np.column_stack([X, X[:, 0] * np.float32(1 / 3) + X[:, 1]])
    model, series = GPFA(2, max_iter=2).fit(X), check_sequences(X)
    assert model.rank_ == 5
    assert refitted(model, series, float(np.finfo(np.float32).eps)).rank_ == 5
    assert refitted(model, series, float(np.finfo(np.float64).eps)).rank_ == 6


@pytest.mark.parametrize(("n_intermediate", "n_columns"), [(None, 2), (1, 1), (2, 2), (4, 4)])
def test_where_one_more_iteration_would_search(n_intermediate, n_columns):
    X, groups = oscillator(800, 6), np.repeat([0, 1], 400)
    X[5, 1] = np.nan
    model = GPFA(2, n_intermediate=n_intermediate).fit(X, groups=groups)
    series = check_sequences(X, groups)
    subject = Subject(model, series, [], np.finfo(float).eps, None, None, 0)
    assert subject.space.n_columns == n_columns
    assert not subject.space.rows[5].any()
    # It has not gone elsewhere: the features are in it.
    used = subject.space.rows[:, :2]
    assert subspace_angles(used, subject.features.rows)[0] < 3.0
    np.testing.assert_allclose(
        subject.features.rows[series.valid], model.transform(X)[series.valid]
    )


def test_left_open(given):
    run = naive.run_of_rows(given.X, given.groups)
    times = [t for t in range(len(run)) if naive.reaches(run, t, back=given.p - 1, ahead=1)]
    states = {t: naive.state(given.X, t, given.p) for t in times}
    indices = [
        [i for _, i in sorted((naive.distance(states[t], states[i]), i) for i in times if i != t)]
        for t in times
    ]
    expected = naive_diagnosis.left_open(
        given.X, given.groups, times, [neighbors[:10] for neighbors in indices]
    )
    np.testing.assert_allclose(left_open(given.series, given.p, None).shares(), expected)


def test_left_open_takes_what_theiler_leaves():
    series = check_sequences(walk())
    table = left_open(series, 1, 6, theiler=46).neighbors
    expected = naive_diagnosis.left_open(series.rows, None, table.times, table.indices)
    np.testing.assert_allclose(left_open(series, 1, None, theiler=46).shares(), expected)


@pytest.mark.parametrize("theiler", [0, 1, 4, 9, 100])
def test_available_neighbors(given, theiler):
    run = naive.run_of_rows(given.X, given.groups)
    sequence = naive.sequence_of_rows(given.X, given.groups)
    for ahead in (0, 1, 2):
        times = [t for t in range(len(run)) if naive.reaches(run, t, back=given.p - 1, ahead=ahead)]
        allowed = [
            sum(i != t and (sequence[i] != sequence[t] or abs(i - t) > theiler) for i in times)
            for t in times
        ]
        options = {"theiler": theiler, "horizon": ahead}
        found = available_neighbors(given.series, given.p, at_most=None, **options)
        assert found == min(allowed)
        assert available_neighbors(given.series, given.p, **options) == min(10, *allowed)


def test_no_state_has_no_neighbors():
    assert available_neighbors(check_sequences([[1.0], [2.0]]), n_lags=3, horizon=0) == 0
    assert available_neighbors(check_sequences([[1.0], [2.0]]), n_lags=2) == 0
