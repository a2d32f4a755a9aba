"""Which rows a forecaster learns from, chooses by and is calibrated with: in this order in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import IntArray
from predfeat.exceptions import ForecastError
from predfeat.series import Sequences

__all__ = ["Parts", "every_few", "forecast_times", "later_parts"]

# With this many sequences, whole ones are calibrated with.
_MIN_WHOLE_SEQUENCES = 10
# Share of the later rows by which is chosen; intervals are calibrated with the others.
_CHOICE_SHARE = 1 / 3
# Numbers of all forecasts that are made to calibrate or to judge: 64 MB for each kind.
_MOST_NUMBERS = 1 << 23
_FEWEST_FORECASTS = 100


@dataclass(frozen=True)
class Parts:
    """Rows of a series in three parts, one after the other.

    Attributes
    ----------
    learning, choosing, calibrating : ndarray of int
        Row numbers. `predfeat.splits.take` makes a series of each. A state and its future lie in
        one part, so that nothing that is forecast was learned from.
    """

    learning: IntArray
    choosing: IntArray
    calibrating: IntArray


def later_parts(series: Sequences, calibration_share: float) -> Parts:
    """Set aside the later rows of a series, or the later sequences of many.

    Parameters
    ----------
    series : Sequences
    calibration_share : float
        Share of the samples to set aside. The first third of them is for choosing.

    Returns
    -------
    Parts

    Raises
    ------
    ForecastError
        There are too few rows for three parts.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import later_parts
    >>> from predfeat.series import check_sequences
    >>> parts = later_parts(check_sequences(np.zeros((100, 1))), 0.3)
    >>> len(parts.learning), len(parts.choosing), len(parts.calibrating)
    (70, 10, 20)
    """
    samples = np.flatnonzero(series.valid)
    shares = 1 - calibration_share, 1 - calibration_share * (1 - _CHOICE_SHARE)
    cuts = [int(samples[min(round(share * len(samples)), len(samples) - 1)]) for share in shares]
    starts = np.array([start for start, _ in series.sequence_bounds()])
    if len(starts) >= _MIN_WHOLE_SEQUENCES:
        cuts = [int(starts[np.argmin(np.abs(starts - cut))]) for cut in cuts]
    rows = np.arange(series.n_rows)
    parts = rows[: cuts[0]], rows[cuts[0] : cuts[1]], rows[cuts[1] :]
    if not all(series.valid[part].any() for part in parts):
        raise ForecastError(
            f"{len(samples)} rows without gaps are too few to learn from some of them, choose by "
            "others and calibrate with the rest. Give more rows, or another calibration_share "
            f"than {calibration_share}."
        )
    return Parts(*parts)


def every_few(times: IntArray, n_numbers: int) -> IntArray:
    """Return some of very many rows to forecast from, evenly spread.

    Parameters
    ----------
    times : ndarray of int
    n_numbers : int
        Numbers in each forecast. All forecasts together have at most 8 million of them, unless that
        leaves fewer than a hundred forecasts.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import every_few
    >>> len(every_few(np.arange(1000), 60)), len(every_few(np.arange(1000), 20_000))
    (1000, 334)
    """
    every = -(-len(times) * n_numbers // _MOST_NUMBERS)
    return times[:: min(every, max(1, len(times) // _FEWEST_FORECASTS))]


def forecast_times(series: Sequences, n_lags: int, n_steps: int, what_for: str) -> IntArray:
    """Return the rows that end a state and have `n_steps` more rows in their run.

    Raises
    ------
    ForecastError
        There are none; the message says what they were needed for.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.forecasting import forecast_times
    >>> from predfeat.series import check_sequences
    >>> forecast_times(check_sequences(np.zeros((6, 1))), 2, 3, "an example")
    array([1, 2])
    """
    times = np.flatnonzero(series.reach(back=n_lags - 1, ahead=n_steps))
    if times.size == 0:
        longest = max((stop - start for start, stop in series.run_bounds()), default=0)
        raise ForecastError(
            f"{what_for} needs {n_lags + n_steps} rows in a row without a gap (n_lags={n_lags}, "
            f"n_steps={n_steps}), but the longest stretch of these {series.n_rows} rows has "
            f"{longest}. Use fewer steps (n_steps), fewer lags (n_lags), or give longer sequences."
        )
    return times
