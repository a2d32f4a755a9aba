"""Recordings of MNE-Python: to (X, groups), and features, maps and filters back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import DimensionError, MissingLibraryError
from predfeat.series._matrix import check_matrix

__all__ = ["SensorSeries", "from_epochs", "from_raw"]


@dataclass(frozen=True, eq=False)
class SensorSeries:
    """A recording of MNE as a matrix, and the way back; `from_epochs` and `from_raw` make it.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_channels)
        A row for each time, in MNE's units. Rows that are marked as bad are NaN.
    groups : ndarray of int, shape (n_rows,)
        The epoch, or the part of a joined recording, that each row belongs to.
    events : ndarray of int, shape (n_rows,), or None
        The event code of each row's epoch, a label for `SameLabel`; None for a raw recording.
    names : tuple of str
        Of the channels.
    """

    X: FloatArray
    groups: IntArray
    events: IntArray | None
    names: tuple[str, ...]
    _recording: Any  # the picked epochs or raw recording

    def features(self, Y: ArrayLike) -> Any:
        """Return features as epochs, or as a raw recording, with a channel for each feature.

        Parameters
        ----------
        Y : array-like of shape (n_rows, n_features)
            Such as `model.transform(series.X)`.

        Returns
        -------
        mne.EpochsArray or mne.io.RawArray
            With the times, events and annotations of the recording. Channels are of type "misc"
            and called "feature 0", "feature 1", ….
        """
        import mne

        values = check_matrix(Y, name="Y").values
        if len(values) != len(self.X):
            raise DimensionError(
                f"Y has {len(values)} rows, but this recording has {len(self.X)}. Give the "
                "features of its own X."
            )
        recording, n_features = self._recording, values.shape[1]
        names = [f"feature {number}" for number in range(n_features)]
        info = mne.create_info(names, recording.info["sfreq"], "misc")
        if self.events is None:
            raw = mne.io.RawArray(values.T, info, first_samp=recording.first_samp, verbose=False)
            return raw.set_annotations(_relative(recording, mne))
        n_times = len(recording.times)
        return mne.EpochsArray(
            values.reshape(-1, n_times, n_features).transpose(0, 2, 1),
            info,
            events=recording.events,
            tmin=recording.tmin,
            event_id=recording.event_id,
            metadata=recording.metadata,
            verbose=False,
        )

    def patterns(self, model: Any) -> Any:
        """Return how each feature appears at the sensors, for topographic maps.

        Parameters
        ----------
        model : fitted estimator
            Fitted to X; its `patterns_` are shown.

        Returns
        -------
        mne.EvokedArray
            Its times are the numbers of the features: `plot_topomap(times=[0, 1])`.
        """
        import mne

        patterns = self._checked(model, "patterns_")
        recording = self._recording
        # With one sample per second, a time is the number of a feature.
        info = mne.create_info(list(self.names), 1.0, recording.get_channel_types())
        info.set_montage(recording.get_montage(), verbose=False)
        for channel, of_recording in zip(info["chs"], recording.info["chs"], strict=True):
            channel.update(of_recording)  # its place, its kind of coil, its unit
        return mne.EvokedArray(patterns.T, info, tmin=0.0, comment="patterns", verbose=False)

    def spatial_filter(self, model: Any) -> Any:
        """Return the features' weights and patterns as MNE's own container.

        Parameters
        ----------
        model : fitted estimator
            Fitted to X.

        Returns
        -------
        mne.decoding.SpatialFilter
            With methods such as `plot_patterns` and `plot_filters`. MNE has it since 1.11.
        """
        import mne.decoding

        if not hasattr(mne.decoding, "SpatialFilter"):
            raise MissingLibraryError(
                "spatial_filter needs MNE 1.11 or newer: pip install --upgrade mne. The method "
                "patterns works with every version."
            )
        return mne.decoding.SpatialFilter(
            self._recording.info,
            self._checked(model, "components_"),
            patterns=self._checked(model, "patterns_"),
        )

    def _checked(self, model: Any, name: str) -> FloatArray:
        rows: FloatArray = np.asarray(getattr(model, name))
        if rows.shape[1] != len(self.names):
            raise DimensionError(
                f"the model was fitted to {rows.shape[1]} columns, but this recording has "
                f"{len(self.names)} channels. Fit it to X."
            )
        return rows


def from_epochs(epochs: Any, *, picks: Any = "data") -> SensorSeries:
    """Convert epochs of MNE to X and groups, with a way back.

    Each epoch is a sequence: no state and no step crosses from one into the next.

    Parameters
    ----------
    epochs : mne.Epochs
        With or without the data in memory. They are not changed.
    picks : str, list or slice, default="data"
        As in `epochs.pick`. Channels marked as bad are left out.

    Returns
    -------
    SensorSeries

    Raises
    ------
    DimensionError
        There is no epoch left, or no channel.

    Examples
    --------
    >>> import mne
    >>> import numpy as np
    >>> from predfeat import SFA
    >>> from predfeat.series import from_epochs
    >>> rng = np.random.default_rng(0)
    >>> info = mne.create_info(["Fz", "Cz", "Pz"], sfreq=100.0, ch_types="eeg")
    >>> epochs = mne.EpochsArray(1e-6 * rng.normal(size=(20, 3, 50)), info, verbose=False)
    >>> series = from_epochs(epochs)
    >>> series.X.shape, series.names
    ((1000, 3), ('Fz', 'Cz', 'Pz'))
    >>> model = SFA(n_components=2).fit(series.X, groups=series.groups)
    >>> series.features(model.transform(series.X)).ch_names
    ['feature 0', 'feature 1']
    """
    _refuse_other_types(epochs, "events", "epochs of MNE", "from_raw")
    loaded = epochs.copy().load_data()
    if len(loaded) == 0:
        raise DimensionError("there are no epochs: all were dropped. See epochs.drop_log.")
    picked = loaded.pick(picks, exclude="bads")
    data = picked.get_data(copy=False)
    n_epochs, n_channels, n_times = data.shape
    return SensorSeries(
        X=np.ascontiguousarray(data.transpose(0, 2, 1).reshape(n_epochs * n_times, n_channels)),
        groups=np.repeat(np.arange(n_epochs), n_times),
        events=np.repeat(picked.events[:, 2], n_times),
        names=tuple(picked.ch_names),
        _recording=picked,
    )


def from_raw(raw: Any, *, picks: Any = "data") -> SensorSeries:
    """Convert a continuous recording of MNE to X and groups, with a way back.

    What annotations mark as bad ("BAD …") becomes a gap. Where recordings were joined
    (`mne.concatenate_raws`), a new sequence starts.

    Parameters
    ----------
    raw : mne.io.Raw
        With or without the data in memory. It is not changed.
    picks : str, list or slice, default="data"
        As in `raw.pick`. Channels marked as bad are left out.

    Returns
    -------
    SensorSeries

    Examples
    --------
    >>> import mne
    >>> import numpy as np
    >>> from predfeat.series import from_raw
    >>> info = mne.create_info(["Fz", "Cz"], sfreq=100.0, ch_types="eeg")
    >>> raw = mne.io.RawArray(np.zeros((2, 500)), info, verbose=False)
    >>> _ = raw.set_annotations(mne.Annotations(onset=1.0, duration=0.5, description="BAD_jump"))
    >>> series = from_raw(raw)
    >>> series.X.shape, int(np.isnan(series.X[:, 0]).sum())
    ((500, 2), 50)
    """
    _refuse_other_types(raw, "first_samp", "a raw recording of MNE", "from_epochs")
    picked = raw.copy().load_data().pick(picks, exclude="bads")
    data = picked.get_data(reject_by_annotation="NaN", verbose=False)
    return SensorSeries(
        X=np.ascontiguousarray(data.T),
        groups=_parts(picked),
        events=None,
        names=tuple(picked.ch_names),
        _recording=picked,
    )


def _refuse_other_types(given: Any, attribute: str, kind: str, instead: str) -> None:
    if not all(hasattr(given, name) for name in (attribute, "info", "pick", "load_data")):
        raise DimensionError(
            f"{kind} must be given, but this is a {type(given).__name__}. See also {instead}; "
            "arrays of trials are converted by from_trials."
        )


def _parts(raw: Any) -> IntArray:
    """Return the number of the recording that each row of a joined one comes from."""
    starts = np.zeros(len(raw.times), dtype=np.intp)
    for annotation in _relative_times(raw):
        if annotation[1].upper().startswith("EDGE BOUNDARY"):
            row = round(annotation[0] * raw.info["sfreq"])
            if 0 < row < len(starts):
                starts[row] = 1
    return np.cumsum(starts)


def _relative_times(raw: Any) -> list[tuple[float, str]]:
    """Return the annotations' onsets, in seconds after the first row, and descriptions."""
    notes = raw.annotations
    # With a date, onsets count from the date of measurement, and the first row comes later.
    late = raw.first_time if notes.orig_time is not None else 0.0
    return [(float(note["onset"]) - late, str(note["description"])) for note in notes]


def _relative(raw: Any, mne: Any) -> Any:
    """Return the annotations with onsets after the first row, for a recording without a date."""
    onsets = [onset for onset, _ in _relative_times(raw)]
    notes = raw.annotations
    return mne.Annotations(onset=onsets, duration=notes.duration, description=notes.description)
