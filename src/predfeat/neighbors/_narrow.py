"""States in float32, around a middle and scaled to at most 1: half the memory, quick products."""

from __future__ import annotations

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.series import Sequences, States

__all__ = ["embed_narrow", "narrow_rows", "narrow_sides"]

_ROWS_AT_ONCE = 1 << 14


def narrow_sides(queries: Sequences, library: Sequences) -> tuple[AnyArray, AnyArray, int]:
    """Return the rows of both sides around the library's mean, times 2^exponent, in float32.

    Gaps are zero. If both sides are one series, both arrays are one.
    """
    mean = library.samples.mean(axis=0)
    peak = max(_peak(series, mean) for series in (queries, library))
    exponent = -int(np.frexp(peak)[1])
    narrow = narrow_rows(library, mean, exponent)
    asking = narrow if queries is library else narrow_rows(queries, mean, exponent)
    return asking, narrow, exponent


def narrow_rows(series: Sequences, mean: FloatArray, exponent: int) -> AnyArray:
    """Return a series' rows in float32, less a mean and times 2^exponent; gaps are zero."""
    narrow = np.empty(series.rows.shape, dtype=np.float32)
    # Block by block, so that there is no second series in float64.
    for start in range(0, len(narrow), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        centred = series.rows[part] - mean
        centred[~series.valid[part]] = 0.0
        narrow[part] = np.ldexp(centred, exponent)
    return narrow


def embed_narrow(narrow: AnyArray, states: States, times: IntArray, spare: int = 0) -> AnyArray:
    """Return some states as rows of N·p numbers, newest sample first, and `spare` ones."""
    n_columns = narrow.shape[1]
    embedded = np.ones((len(times), states.dimension + spare), dtype=np.float32)
    for lag in range(states.n_lags):
        embedded[:, lag * n_columns : (lag + 1) * n_columns] = narrow[times - lag]
    return embedded


def _peak(series: Sequences, mean: FloatArray) -> float:
    samples = series.samples
    return float(np.maximum(samples.max(axis=0) - mean, mean - samples.min(axis=0)).max())
