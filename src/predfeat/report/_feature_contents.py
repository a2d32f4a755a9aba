"""The best method's features as plain numbers and text: over time, as spectra, as patterns."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets import Image, Spectrum
from predfeat.experiments import Study
from predfeat.features import Sensitivity
from predfeat.report._cycles import cycles_of
from predfeat.report._descriptions import describe_feature
from predfeat.report._loadings import describe_loadings, frames_at
from predfeat.report._matching import all_methods, feature_shares, held_out_shares
from predfeat.report._spectrum import block_length, block_spectra
from predfeat.report._traces import frequency_axis, plain, time_axis, trace_of
from predfeat.series import check_sequences

__all__ = ["features_contents", "loadings_contents", "spectra_contents"]

_DRAWN_FEATURES = 6
_TRACE_NUMBERS = 150_000  # in all traces together: about a megabyte


def features_contents(study: Study, features: FloatArray, loadings: FloatArray) -> dict[str, Any]:
    """Return the best method's features over time, beside as many channels of the recording."""
    cycles = cycles_of(study, features, loadings)
    protocol = study.protocol
    n_drawn = min(features.shape[1], _DRAWN_FEATURES)
    shares = feature_shares(features[protocol.fitted_rows], protocol, protocol.fitted_groups)
    channels = _rawest_channels(study, n_drawn)
    recording = study.recording
    units = recording.units or ("",) * len(recording.names)
    traces = [("feature", f"feature {i + 1}", "", features[:, i]) for i in range(n_drawn)]
    traces += [
        ("channel", recording.names[column], units[column], recording.values[:, column])
        for column in channels
    ]
    n_rows, n_numbers = len(features), _TRACE_NUMBERS // len(traces)
    exact = n_rows <= n_numbers
    n_bins = n_rows if exact else n_numbers // 2
    starts = [start for start, _ in study.series.sequence_bounds()]
    return {
        "method": study.best.method,
        "repetition": study.best.repetition,
        "shares": plain(shares, 6),
        "test_shares": plain(held_out_shares(study), 6),
        "cycles": cycles,
        "descriptions": [
            describe_feature(study.recording, features[:, i], loadings[i], cycles[i])
            for i in range(features.shape[1])
        ],
        "axis": time_axis(study.recording),
        "n_rows": n_rows,
        "n_bins": n_bins,
        "sequence_starts": starts if len(starts) <= 200 else [],
        "traces": [
            {"name": name, "kind": kind, "unit": unit, **trace_of(values, n_bins)}
            for kind, name, unit, values in traces
        ],
        "all_methods": all_methods(study, n_drawn),
    }


def spectra_contents(study: Study, features: FloatArray) -> dict[str, Any] | None:
    """Return the spectra of the features and of the channels; None of series too short for them."""
    series = check_sequences(features[:, :_DRAWN_FEATURES], study.series.sequence_first)
    n_block = block_length(series)
    if n_block is None:
        return None
    frequencies, shares = block_spectra(series, n_block)
    channels = _rawest_channels(study, 50)
    _, raw = block_spectra(study.series.with_rows(study.series.rows[:, channels]), n_block)
    unit, units, per_row = frequency_axis(study.recording)
    return {
        "n_block": n_block,
        "unit": f"cycles per {unit}",
        "per_cycle": units,
        "frequencies": plain(frequencies / per_row, 6),
        "features": plain(shares.T, 4),
        "channels": plain(raw.mean(axis=1), 4),
    }


def loadings_contents(
    study: Study, loadings: FloatArray, features: FloatArray, found: Sensitivity | None
) -> dict[str, Any]:
    """Return how the features are seen in the channels, or what they respond to."""
    n_drawn = min(len(loadings), _DRAWN_FEATURES)
    weights = study.model.components_[:n_drawn] if found is None else None
    described = describe_loadings(
        study.recording.layout, study.recording.names, loadings[:n_drawn], weights
    )
    if isinstance(study.recording.layout, Image):
        highest = np.nanargmax(features[:, :n_drawn], axis=0)
        described["frames"] = frames_at(study.recording, highest)
    if found is not None:
        if isinstance(study.recording.layout, Image):
            lowest = np.nanargmin(features[:, :n_drawn], axis=0)
            described["low_frames"] = frames_at(study.recording, lowest)
        described["responses"] = {
            "lowest": found.lowest[:n_drawn].tolist(),
            "highest": found.highest[:n_drawn].tolist(),
        }
    return described


def _rawest_channels(study: Study, n_channels: int) -> list[int]:
    """Return the first columns of a table; otherwise the loudest frequencies, liveliest pixels."""
    variances = study.series.samples.var(axis=0)
    moving = np.flatnonzero(variances > 0)
    if isinstance(study.recording.layout, Spectrum | Image):
        moving = np.sort(moving[np.argsort(-variances[moving], kind="stable")][:n_channels])
    return [int(column) for column in moving[:n_channels]]
