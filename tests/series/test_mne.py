"""Recordings of MNE: the matrix that a fit sees, and features, maps and filters back."""

import numpy as np
import pytest

from predfeat import SFA
from predfeat.exceptions import DimensionError
from predfeat.series import from_epochs, from_raw

mne = pytest.importorskip("mne")

NAMES = ["Fz", "Cz", "Pz", "EOG"]


def info(sfreq=100.0):
    made = mne.create_info(NAMES, sfreq, ["eeg", "eeg", "eeg", "eog"])
    places = {"Fz": [0.0, 0.06, 0.06], "Cz": [0.0, 0.0, 0.09], "Pz": [0.0, -0.06, 0.06]}
    fiducials = {"nasion": [0.0, 0.1, 0.0], "lpa": [-0.08, 0.0, 0.0], "rpa": [0.08, 0.0, 0.0]}
    return made.set_montage(mne.channels.make_dig_montage(places, **fiducials), on_missing="ignore")


def make_epochs(n_epochs=6, n_times=40):
    data = 1e-6 * np.random.default_rng(0).normal(size=(n_epochs, 4, n_times))
    events = np.column_stack([100 * np.arange(n_epochs), np.zeros(n_epochs), [1, 2] * 3])
    return mne.EpochsArray(
        data, info(), events.astype(int), tmin=-0.1, event_id={"go": 1, "stop": 2}, verbose=False
    )


def make_raw(n_times=300):
    data = 1e-6 * np.random.default_rng(1).normal(size=(4, n_times))
    return mne.io.RawArray(data, info(), verbose=False)


def test_epochs_are_sequences_of_the_chosen_channels():
    epochs = make_epochs()
    series = from_epochs(epochs)
    assert series.names == ("Fz", "Cz", "Pz")  # no EOG
    assert series.groups.tolist() == np.repeat(np.arange(6), 40).tolist()
    assert series.events[[0, 40]].tolist() == [1, 2]
    np.testing.assert_array_equal(series.X[40:80].T, epochs.get_data()[1, :3])
    assert from_epochs(epochs, picks=["EOG", "Cz"]).X.shape == (240, 2)
    epochs.info["bads"] = ["Cz"]
    assert from_epochs(epochs).names == ("Fz", "Pz")
    assert epochs.ch_names == NAMES  # not changed


def test_features_of_epochs_keep_their_times_and_events():
    epochs = make_epochs()
    series = from_epochs(epochs)
    Y = SFA(2).fit_transform(series.X, groups=series.groups)
    features = series.features(Y)
    np.testing.assert_array_equal(features.events, epochs.events)
    np.testing.assert_allclose(features.times, epochs.times)
    np.testing.assert_array_equal(features["stop"].get_data()[0].T, Y[40:80])


def test_patterns_and_filters_are_those_of_the_model():
    series = from_epochs(make_epochs())
    model = SFA(2).fit(series.X, groups=series.groups)
    maps = series.patterns(model)
    np.testing.assert_array_equal(maps.data, model.patterns_.T)
    np.testing.assert_array_equal(maps.times, [0.0, 1.0])
    np.testing.assert_array_equal(maps.info["chs"][1]["loc"], make_epochs().info["chs"][1]["loc"])
    if not hasattr(mne.decoding, "SpatialFilter"):
        pytest.skip("MNE before 1.11")
    container = series.spatial_filter(model)
    np.testing.assert_array_equal(container.filters, model.components_)
    np.testing.assert_array_equal(container.patterns, model.patterns_)
    # Filters times patterns is the identity: what a feature sends to the sensors, it sees itself.
    np.testing.assert_allclose(container.filters @ container.patterns.T, np.eye(2), atol=1e-10)


@pytest.mark.parametrize("measured", [None, 1_600_000_000])
def test_what_is_marked_bad_is_a_gap_and_joints_begin_a_sequence(measured):
    parts = [make_raw(200), make_raw(100)]
    for part in parts:
        part.set_meas_date(measured)
    raw = mne.concatenate_raws(parts, verbose=False)
    date = raw.info["meas_date"]
    raw.annotations.append(onset=0.5, duration=0.25, description="bad blink")
    raw.annotations.append(onset=1.0, duration=0.25, description="stimulus")
    series = from_raw(raw)
    assert np.flatnonzero(np.isnan(series.X).any(axis=1)).tolist() == list(range(50, 75))
    assert np.flatnonzero(np.diff(series.groups)).tolist() == [199]
    features = series.features(series.X[:, :1])
    assert date == raw.info["meas_date"]
    assert {"bad blink", "stimulus"} <= set(features.annotations.description)
    blink = features.annotations.description.tolist().index("bad blink")
    assert features.annotations.onset[blink] == pytest.approx(0.5)


def test_what_cannot_be_used_is_refused():
    with pytest.raises(DimensionError, match="epochs of MNE must be given, but this is a RawArray"):
        from_epochs(make_raw())
    with pytest.raises(DimensionError, match=r"raw recording of MNE must be given, but .* ndarray"):
        from_raw(np.zeros((3, 4)))
    empty = make_epochs()
    empty.drop(np.arange(6), verbose=False)
    with pytest.raises(DimensionError, match="all were dropped"):
        from_epochs(empty)
    series = from_epochs(make_epochs())
    with pytest.raises(DimensionError, match="Y has 3 rows, but this recording has 240"):
        series.features(np.zeros((3, 1)))
    other = SFA(1).fit(np.random.default_rng(0).normal(size=(50, 2)))
    with pytest.raises(DimensionError, match="fitted to 2 columns, but this recording has 3"):
        series.patterns(other)
