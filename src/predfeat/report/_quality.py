"""Facts about a recording: its size, gaps, sequences and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat.datasets import Image, Recording, Spectrum
from predfeat.report._traces import plain, time_axis
from predfeat.series import Sequences

__all__ = ["describe_data"]

_MOST_NAMES_KEPT = 100
_COVERAGE_BINS = 200


def describe_data(recording: Recording, series: Sequences, rank: int) -> dict[str, Any]:
    """Return the facts about a recording that decide how far its results can be trusted.

    Parameters
    ----------
    recording : Recording
    series : Sequences
        Its rows.
    rank : int
        Dimensions of white space.

    Returns
    -------
    dict
        The part `data` of the results; see docs/results-format.md.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording
    >>> from predfeat.report import describe_data
    >>> from predfeat.series import check_sequences
    >>> values = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 2.0], [5.0, 2.0]])
    >>> recording = Recording(values, ("wind", "stuck"), "weather.csv")
    >>> facts = describe_data(recording, check_sequences(values), rank=1)
    >>> facts["n_gap_rows"], facts["constant_columns"]
    (1, ['stuck'])
    """
    values = recording.values
    samples = series.samples
    constant = np.flatnonzero(samples.max(axis=0) == samples.min(axis=0))
    missing = np.isnan(values).sum(axis=0)
    lengths = [stop - start for start, stop in series.sequence_bounds()]
    most_missing = [i for i in np.argsort(-missing, kind="stable")[:_MOST_NAMES_KEPT] if missing[i]]
    n_bins = min(len(values), _COVERAGE_BINS)
    bins = np.arange(n_bins + 1) * len(values) // n_bins
    coverage = np.diff(np.concatenate([[0], np.cumsum(series.valid)])[bins]) / np.diff(bins)
    return {
        "source": recording.source,
        "kind": _kind(recording),
        "n_rows": len(values),
        "n_columns": values.shape[1],
        "rank": rank,
        "n_gap_rows": int((~series.valid).sum()),
        "n_stretches": len(series.run_bounds()),
        "n_sequences": len(lengths),
        "shortest_sequence": min(lengths),
        "longest_sequence": max(lengths),
        "n_constant_columns": len(constant),
        "constant_columns": [recording.names[i] for i in constant[:_MOST_NAMES_KEPT]],
        "n_skipped_columns": len(recording.skipped),
        "skipped_columns": list(recording.skipped[:_MOST_NAMES_KEPT]),
        "missing_values": [
            {"name": recording.names[i], "count": int(missing[i])} for i in most_missing
        ],
        "coverage": plain(coverage, 4),
        "step": recording.step,
        "unit": recording.unit,
        "axis": time_axis(recording),
    }


def _kind(recording: Recording) -> str:
    if isinstance(recording.layout, Spectrum):
        return "sound"
    return "video" if isinstance(recording.layout, Image) else "table"
