"""Trials as people hold them, as (X, groups)."""

import numpy as np
import pandas as pd
import pytest

from predfeat import SFA
from predfeat.exceptions import AxisOrderWarning, DimensionError, GroupsError, NotNumericError
from predfeat.series import (
    check_matrix,
    check_sequences,
    from_frame,
    from_list,
    from_trials,
    to_list,
)

NAN = float("nan")


def test_list_of_sequences():
    parts = [np.arange(6.0).reshape(3, 2), np.zeros((0, 2)), [[7, 8]]]
    X, groups = from_list(parts)
    np.testing.assert_array_equal(X, [[0, 1], [2, 3], [4, 5], [7, 8]])
    assert groups.tolist() == [0, 0, 0, 2]


def test_list_of_frames_and_gaps():
    frame = pd.DataFrame({"a": [1.0, NAN], "b": [2, 3]})
    X, groups = from_list([frame, frame])
    assert check_sequences(X, groups).run_bounds() == [(0, 1), (2, 3)]


def test_list_keeps_the_resolution_of_its_numbers():
    # Otherwise the rounding of float32 would count as signal in float64.
    X, _ = from_list([np.zeros((3, 2), dtype=np.float32)] * 2)
    assert check_matrix(X).resolution == np.finfo(np.float32).eps


def test_list_errors():
    with pytest.raises(DimensionError, match="list of sequences is empty"):
        from_list([])
    with pytest.raises(DimensionError, match="sequence 0 has 2, sequence 2 has 3"):
        from_list([np.zeros((4, 2)), np.zeros((1, 2)), np.zeros((4, 3))])
    with pytest.raises(DimensionError, match="sequence 1 must be a 2-D array"):
        from_list([np.zeros((4, 1)), np.zeros(4)])
    with pytest.raises(NotNumericError, match="sequence 1 must hold numbers only"):
        from_list([np.zeros((4, 1)), [["a"]]])


def test_trials():
    trials = np.arange(24.0).reshape(2, 4, 3)
    X, groups = from_trials(trials)
    np.testing.assert_array_equal(X[4:], trials[1])
    np.testing.assert_array_equal(X[2], trials[0, 2])
    assert groups.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert np.shares_memory(X, trials)


@pytest.mark.parametrize("time_axis", [2, -1])
def test_trials_with_time_last(time_axis):
    trials = np.arange(24.0).reshape(2, 3, 4)  # trials × channels × time
    X, groups = from_trials(trials, time_axis=time_axis)
    np.testing.assert_array_equal(X[5], trials[1, :, 1])
    assert groups.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_trials_of_more_channels_than_times_are_a_question():
    trials = np.zeros((2, 3, 4))
    with pytest.warns(AxisOrderWarning, match="3 times and 4 channels.*time_axis=2"):
        assert from_trials(trials)[0].shape == (6, 4)
    assert from_trials(trials, time_axis=1)[0].shape == (6, 4)  # which has been answered


def test_trials_with_an_axis_that_cannot_be_time():
    with pytest.raises(DimensionError, match="time_axis=0 is not possible: give 1 for"):
        from_trials(np.zeros((2, 4, 3)), time_axis=0)


def test_trials_padded_with_nan():
    trials = np.ones((2, 4, 1))
    trials[0, 2:] = NAN
    assert check_sequences(*from_trials(trials)).run_bounds() == [(0, 2), (4, 8)]


@pytest.mark.parametrize("shape", [(4,), (4, 2), (2, 3, 4, 5)])
def test_trials_of_another_dimension(shape):
    with pytest.raises(DimensionError, match=rf"{len(shape)} dimensions, shape \({shape[0]},"):
        from_trials(np.zeros(shape))


def test_list_and_trials_agree():
    trials = np.random.default_rng(0).normal(size=(3, 5, 2))
    X, groups = from_trials(trials)
    X_list, groups_list = from_list(list(trials))
    np.testing.assert_array_equal(X, X_list)
    np.testing.assert_array_equal(groups, groups_list)


def test_frame():
    frame = pd.DataFrame({"u": [1.0, 2.0, 3.0], "trial": ["a", "a", "b"], "v": [4, 5, 6]})
    kept = frame.copy(deep=True)
    X, groups = from_frame(frame, group="trial")
    assert list(X.columns) == ["u", "v"]
    assert groups.tolist() == ["a", "a", "b"]
    assert check_sequences(X, groups).run_bounds() == [(0, 2), (2, 3)]
    pd.testing.assert_frame_equal(frame, kept)


def test_frame_without_that_column():
    frame = pd.DataFrame({"u": [1.0], "v": [2.0]})
    with pytest.raises(
        GroupsError, match="no column 'trial' to group by; the columns are 'u', 'v'"
    ):
        from_frame(frame, group="trial")


def test_frame_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"trial": ["a", "a", "b"], "u": [1.0, 2.0, 3.0]})
    X, groups = from_frame(frame, group="trial")
    assert X.columns == ["u"]
    assert groups.tolist() == ["a", "a", "b"]
    with pytest.raises(GroupsError, match="there is no column 'run'"):
        from_frame(frame, group="run")


def test_models_read_and_write_frames_of_polars():
    polars = pytest.importorskip("polars")
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = SFA(1).set_output(transform="polars").fit(polars.DataFrame(X, schema=["u", "v"]))
    assert model.feature_names_in_.tolist() == ["u", "v"]
    features = model.transform(polars.DataFrame(X, schema=["u", "v"]))
    assert isinstance(features, polars.DataFrame)
    np.testing.assert_array_equal(features.to_numpy(), SFA(1).fit_transform(X))


def test_a_list_comes_back_as_it_was():
    parts = [np.arange(6.0).reshape(3, 2), np.ones((1, 2)), np.zeros((2, 2))]
    X, groups = from_list(parts)
    back = to_list(X, groups=groups)
    assert len(back) == 3
    for part, same in zip(parts, back, strict=True):
        np.testing.assert_array_equal(part, same)
    assert to_list(np.empty((0, 2)), groups=[]) == []
    frames = to_list(pd.DataFrame({"u": [1.0, 2.0, 3.0]}), groups=["a", "a", "b"])
    assert [frame["u"].tolist() for frame in frames] == [[1.0, 2.0], [3.0]]
    with pytest.raises(GroupsError, match="Y has 3 rows, groups has shape"):
        to_list(np.zeros((3, 1)), groups=[0, 1])
