"""What a fit finds, and what new rows make of it: the forecaster without its interface."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.features import LinearFeatures
from predfeat.forecasting._adaptive import adapt
from predfeat.forecasting._channels import ChannelMap, channel_map
from predfeat.forecasting._intervals import Intervals, fit_intervals
from predfeat.forecasting._parts import Parts, every_few, forecast_times
from predfeat.forecasting._predictor import Predictor, choose_predictor, learn
from predfeat.forecasting._simple import actual_futures, fit_linear_forecast
from predfeat.series import Sequences, check_sequences
from predfeat.splits import take

__all__ = ["Announced", "ForecastModel", "Newest", "advanced", "fit_model"]


@dataclass(frozen=True)
class Announced:
    """Forecasts from every row of a series, as they were made then.

    Attributes
    ----------
    mean, expected : ndarray of shape (n_rows, n_steps, n_columns)
        Forecasts and expected errors; NaN for rows that end no state.
    multipliers : dict of str to ndarray
        How many expected errors the intervals reached; see `Intervals.multipliers`.
    """

    mean: FloatArray
    expected: FloatArray
    multipliers: dict[str, FloatArray]

    def last(self, n_rows: int) -> Announced:
        """Return what was announced from the last rows."""
        start = len(self.mean) - n_rows
        later = {kind: each[start:].copy() for kind, each in self.multipliers.items()}
        return Announced(self.mean[start:].copy(), self.expected[start:].copy(), later)


@dataclass(frozen=True)
class Newest:
    """The end of the data seen so far.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        The last samples, back to the last gap: enough for a state, and for forecasts of rows that
        are still to come.
    of_features, of_columns : Announced
        What was forecast from them.
    """

    rows: FloatArray
    of_features: Announced
    of_columns: Announced


@dataclass(frozen=True)
class ForecastModel:
    """A fitted forecaster, as plain parts.

    Attributes
    ----------
    features : LinearFeatures or None
        None: the columns are the features.
    predictor : Predictor
    channels : ChannelMap or None
        From features to columns; None without features.
    intervals, column_intervals : Intervals
        Of features and of columns; the same without features.
    newest : Newest
    """

    features: LinearFeatures | None
    predictor: Predictor
    channels: ChannelMap | None
    intervals: Intervals
    column_intervals: Intervals
    newest: Newest

    @property
    def n_lags(self) -> int:
        """Samples in a state."""
        return self.predictor.library.states.n_lags

    @property
    def n_steps(self) -> int:
        """How many steps ahead it forecasts."""
        return len(self.predictor.chosen)

    def extract(self, series: Sequences) -> Sequences:
        """Return the features of a series."""
        return extracted(self.features, series)

    def forecast(self, series: Sequences, times: IntArray) -> tuple[FloatArray, FloatArray]:
        """Forecast the features from some rows; return means and expected errors."""
        return self.predictor.forecast(self.extract(series), times)

    def in_columns(self, mean: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn forecasts of features into those of columns."""
        if self.channels is None:
            return mean, expected
        return self.channels.forecast(mean, expected)


def extracted(features: LinearFeatures | None, series: Sequences) -> Sequences:
    """Return the features of a series, or the series itself."""
    return series if features is None else features.transform_series(series)


def fit_model(
    series: Sequences,
    parts: Parts,
    features: LinearFeatures | None,
    *,
    n_lags: int,
    n_steps: int,
    n_neighbors: int = 10,
    level: float = 0.9,
    extend_library: bool = True,
    n_jobs: int | None = None,
) -> ForecastModel:
    """Learn to forecast, choose how, and calibrate, each on rows of its own.

    Parameters
    ----------
    series : Sequences
    parts : Parts
        From `later_parts`.
    features : LinearFeatures or None
        Fitted, to rows before those that calibrate. None: the columns are the features.
    n_lags, n_steps, n_neighbors, level, extend_library, n_jobs
        As in `Forecaster`.

    Returns
    -------
    ForecastModel
    """
    learning, choosing, calibrating = (
        take(series, rows) for rows in (parts.learning, parts.choosing, parts.calibrating)
    )
    library = learn(extracted(features, learning), n_lags, n_steps)
    choices = extracted(features, choosing)
    predictor = choose_predictor(library, choices, n_neighbors, n_jobs=n_jobs)
    channels = None
    if features is not None:
        unscaled = channel_map(features, learning, n_steps)
        channels = _scaled(unscaled, predictor, choices, choosing)
    times = _spread_times(calibrating, predictor, "calibrating intervals")
    found = extracted(features, calibrating)
    mean, expected = predictor.forecast(found, times)
    intervals = fit_intervals(_scores(found, times, mean, expected), level)
    of_columns = intervals
    if channels is not None:
        of_columns = fit_intervals(
            _scores(calibrating, times, *channels.forecast(mean, expected)), level
        )
    everything = extracted(features, series)
    if extend_library:
        linear = fit_linear_forecast(everything, n_lags, n_steps)
        predictor = replace(predictor, library=library.with_series(everything, linear))
    nothing = _nothing_announced(series.n_columns, everything.n_columns, n_steps, intervals)
    model = ForecastModel(features, predictor, channels, intervals, of_columns, nothing)
    return replace(model, newest=_at_end(model, series))


def advanced(
    model: ForecastModel, piece: Sequences, *, continues: bool, extend_library: bool, rate: float
) -> ForecastModel:
    """Return a model that has seen more rows.

    Intervals are adapted row by row to what the forecasts missed (`adapt`). Afterwards the new
    rows join the library, and forecasts may be made from the last of them.

    Parameters
    ----------
    model : ForecastModel
    piece : Sequences
        The new rows.
    continues : bool
        Whether they go on with the last sequence.
    extend_library : bool
        Whether they join the library.
    rate : float
        γ, as in `adapt`.

    Returns
    -------
    ForecastModel
    """
    newest, n_before = model.newest, len(model.newest.rows) if continues else 0
    if n_before and piece.n_rows and piece.valid[0]:
        series = piece.preceded_by(newest.rows)
    else:
        series, n_before = piece, 0
    of_features, of_columns = _announced(model, series, n_before)
    extract = model.extract(series)
    intervals, of_features = _adapted(model.intervals, of_features, extract, n_before, rate)
    column_intervals = intervals
    if model.channels is None:
        of_columns = of_features
    else:
        column_intervals, of_columns = _adapted(
            model.column_intervals, of_columns, series, n_before, rate
        )
    predictor = model.predictor
    if extend_library:
        longer = joined(predictor.library.futures, model.extract(piece), continues=continues)
        predictor = replace(predictor, library=predictor.library.with_series(longer))
    newest = _end_of(series, of_features, of_columns, model.n_lags - 1 + model.n_steps)
    return ForecastModel(
        model.features, predictor, model.channels, intervals, column_intervals, newest
    )


def joined(series: Sequences, more: Sequences, *, continues: bool) -> Sequences:
    """Return a series with more rows after it.

    Parameters
    ----------
    series, more : Sequences
    continues : bool
        Whether the first sequence of `more` goes on with the last of `series`.

    Examples
    --------
    >>> from predfeat.forecasting import joined
    >>> from predfeat.series import check_sequences
    >>> one, other = check_sequences([[1.0], [2.0]]), check_sequences([[3.0], [4.0]], [0, 1])
    >>> joined(one, other, continues=True).sequence_bounds()
    [(0, 3), (3, 4)]
    """
    ids = np.r_[series.sequence_first, more.sequence_first + series.n_rows]
    if continues and series.n_rows and more.n_rows:
        first = np.r_[np.zeros(series.n_rows, dtype=bool), more.sequence_first == 0]
        ids[first] = series.sequence_first[-1]
    values = np.concatenate([series.rows, more.rows])
    values[~np.r_[series.valid, more.valid]] = np.nan
    return check_sequences(values, ids, is_part=True)


def _scaled(
    channels: ChannelMap, predictor: Predictor, features: Sequences, series: Sequences
) -> ChannelMap:
    times = _spread_times(series, predictor, "choosing between forecasts")
    mean, expected = channels.forecast(*predictor.forecast(features, times))
    scale = np.sqrt(np.square(_scores(series, times, mean, expected)).mean(axis=0))
    return replace(channels, scale=np.maximum(scale, np.finfo(float).eps))


def _spread_times(series: Sequences, predictor: Predictor, what_for: str) -> IntArray:
    """Return rows to forecast from whose futures are known; of very many every few."""
    n_steps = len(predictor.chosen)
    times = forecast_times(series, predictor.library.states.n_lags, n_steps, what_for)
    return every_few(times, n_steps * series.n_columns)


def _scores(
    series: Sequences, times: IntArray, mean: FloatArray, expected: FloatArray
) -> FloatArray:
    actual = actual_futures(series, times, mean.shape[1])
    scores: FloatArray = np.abs(actual - mean) / expected
    return scores


def _announced(model: ForecastModel, series: Sequences, first: int) -> tuple[Announced, Announced]:
    """Return the forecasts from every row: those of rows before `first` as they were made."""
    newest = model.newest
    times = np.flatnonzero(series.reach(back=model.n_lags - 1))
    times = times[times >= first]
    found = model.forecast(series, times) if len(times) else None
    announced = []
    for earlier, is_of_columns in ((newest.of_features, False), (newest.of_columns, True)):
        empty = np.full((series.n_rows, *earlier.mean.shape[1:]), np.nan)
        mean, expected = empty, empty.copy()
        mean[:first], expected[:first] = earlier.mean[:first], earlier.expected[:first]
        if found is not None:
            mean[times], expected[times] = model.in_columns(*found) if is_of_columns else found
        announced.append(Announced(mean, expected, earlier.multipliers))
    return announced[0], announced[1]


def _adapted(
    intervals: Intervals, announced: Announced, series: Sequences, first: int, rate: float
) -> tuple[Intervals, Announced]:
    rows = np.arange(series.n_rows)
    scores = np.full(announced.mean.shape, np.nan)
    valid = rows[series.valid]
    mean, expected = announced.mean[valid], announced.expected[valid]
    scores[valid] = _scores(series, valid, mean, expected)
    earlier = {kind: each[:first] for kind, each in announced.multipliers.items()}
    found = adapt(intervals, scores, first, earlier, rate=rate)
    return found.intervals, Announced(announced.mean, announced.expected, found.issued)


def _end_of(
    series: Sequences, of_features: Announced, of_columns: Announced, at_most: int
) -> Newest:
    """Return the last rows of a series, back to the last gap, and what was forecast from them."""
    n_rows = 0
    if series.n_rows and series.valid[-1]:
        n_rows = min(series.n_rows - int(series.run_first[-1]), at_most)
    rows = series.rows[series.n_rows - n_rows :].copy()
    return Newest(rows, of_features.last(n_rows), of_columns.last(n_rows))


def _at_end(model: ForecastModel, series: Sequences) -> Newest:
    """Return the end of the series that a model was fitted to."""
    at_most = model.n_lags - 1 + model.n_steps
    end = take_last(series, at_most)
    multipliers = model.intervals.multipliers(), model.column_intervals.multipliers()
    announced = []
    for each, now in zip(_announced(model, end, 0), multipliers, strict=True):
        then = {kind: np.repeat(value[None], end.n_rows, axis=0) for kind, value in now.items()}
        announced.append(Announced(each.mean, each.expected, then))
    return _end_of(end, announced[0], announced[1], at_most)


def take_last(series: Sequences, n_rows: int) -> Sequences:
    """Return the last rows of a series, which may all be gaps."""
    part = slice(max(series.n_rows - n_rows, 0), None)
    values = series.rows[part].copy()
    values[~series.valid[part]] = np.nan
    return check_sequences(values, series.sequence_first[part], is_part=True)


def _nothing_announced(
    n_columns: int, n_features: int, n_steps: int, intervals: Intervals
) -> Newest:
    none = {kind: each[None][:0] for kind, each in intervals.multipliers().items()}
    empty = [np.empty((0, n_steps, n)) for n in (n_features, n_columns)]
    of_features, of_columns = (Announced(each, each, none) for each in empty)
    return Newest(np.empty((0, n_columns)), of_features, of_columns)
