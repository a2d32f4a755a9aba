"""The estimator: forecasts of the most predictable features, and of the columns they are in."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from predfeat._compat import JOBS, POSITIVE, Interval, RealNotInt, StrOptions
from predfeat._typing import ArrayLike, IntArray
from predfeat.exceptions import DimensionError, ForecastError
from predfeat.features import LinearFeatures, check_linear_method, earlier_fit_aside
from predfeat.forecasting._evaluation import Evaluation, evaluate
from predfeat.forecasting._forecasts import Forecast, Forecasts, with_intervals
from predfeat.forecasting._intervals import JOINT
from predfeat.forecasting._model import advanced, fit_model
from predfeat.forecasting._parts import every_few, forecast_times, later_parts
from predfeat.forecasting._simple import actual_futures, persistence_forecast
from predfeat.series import Matrix, Sequences, States, check_matrix, check_sequences
from predfeat.splits import take

__all__ = ["Forecaster"]

# New rows that adapt the intervals at once; the library grows after each such piece.
_ROWS_AT_ONCE = 500


class Forecaster(BaseEstimator):
    """Forecasts from predictable features, with intervals that say how sure they are.

    Features are found in the earlier rows. What follows a state of them is forecast from the
    futures of similar states, by linear autoregression, or by the mean: for each step and feature
    in the way that was best on later rows. Still later rows calibrate the intervals (split
    conformal prediction): how far a forecast may be off is taken from how far those were. `update`
    learns from rows that come after the fit, and adapts the intervals.

    Coverage holds in theory where calibration and future are exchangeable, such as in trials of
    one kind with ``extend_library=False``. Rows that depend on each other make it approximate:
    `evaluate` and `backtest` measure what was attained.

    Parameters
    ----------
    features : estimator or None, default=None
        GPFA or any other linear method of predfeat. It is cloned. None: the columns themselves are
        the features.
    n_steps : int, default=20
        How many steps ahead to forecast, H.
    level : float, default=0.9
        The share of futures that intervals should contain.
    n_lags : int or None, default=None
        Samples in a state, p. None: the features' own `n_lags`, or 1 if they have none.
    n_neighbors : int, default=10
        Similar states of each forecast, k.
    joint : {"each", "features", "path"}, default="each"
        What an interval holds for: each number by itself; all features of a step together; all
        features of all steps together.
    calibration_share : float, default=0.3
        Share of the samples, at the end, that is not learned from. By the first third of them is
        chosen, the others calibrate. Of ten or more sequences, whole ones are set aside.
    extend_library : bool, default=True
        Afterwards, let these samples answer as well, and fit the linear autoregression to all.
        Forecasts become better, and the intervals a little too wide. False keeps exactly what was
        calibrated.
    adaptation_rate : float, default=0.01
        By how much `update` moves a rate after each hit or miss, γ.
    prefit : bool, default=False
        Whether the features are fitted already and to be used as they are. Intervals then hold
        only if the features were fitted to other rows.
    n_jobs : int or None, default=None
        Threads of the neighbour searches. The result does not depend on it.

    Attributes
    ----------
    model_ : ForecastModel
        What the fit found, as plain parts: `model_.features`, the fitted features;
        `model_.predictor`, whose `chosen` tells how each step is forecast;
        `model_.intervals`, the calibration.
    names_ : tuple of str
        Of the features.
    columns_ : tuple of str
        Of the input.
    last_group_ : object or None
        The last id of `groups`, with which `update` goes on.
    n_features_in_ : int
        Columns of the input.

    Examples
    --------
    >>> from predfeat import GPFA, Forecaster
    >>> from predfeat.datasets import hidden_lorenz
    >>> X, _ = hidden_lorenz(3000, random_state=0)
    >>> model = Forecaster(GPFA(n_components=3, n_lags=2), n_steps=10).fit(X[:2500])
    >>> ahead = model.predict(X[:2600])
    >>> ahead.mean.shape, bool((ahead.lower < ahead.upper).all())
    ((10, 3), True)
    >>> model.predict_channels(X[:2600]).mean.shape
    (10, 10)
    >>> found = model.evaluate(X[2500:])
    >>> bool(found.skill("climatology")[0] > 0.98), bool(found.skill("linear")[4] > 0.5)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "features": [object],  # see `check_linear_method`
        "n_steps": [POSITIVE],
        "level": [Interval(RealNotInt, 0, 1, closed="neither")],
        "n_lags": [POSITIVE, None],
        "n_neighbors": [POSITIVE],
        "joint": [StrOptions(set(JOINT))],
        "calibration_share": [Interval(RealNotInt, 0, 1, closed="neither")],
        "extend_library": ["boolean"],
        "adaptation_rate": [Interval(Real, 0, 1, closed="both")],
        "prefit": ["boolean"],
        "n_jobs": [JOBS, None],
    }  # fmt: skip

    def __init__(
        self,
        features: LinearFeatures | None = None,
        *,
        n_steps: int = 20,
        level: float = 0.9,
        n_lags: int | None = None,
        n_neighbors: int = 10,
        joint: str = "each",
        calibration_share: float = 0.3,
        extend_library: bool = True,
        adaptation_rate: float = 0.01,
        prefit: bool = False,
        n_jobs: int | None = None,
    ):
        self.features = features
        self.n_steps = n_steps
        self.level = level
        self.n_lags = n_lags
        self.n_neighbors = n_neighbors
        self.joint = joint
        self.calibration_share = calibration_share
        self.extend_library = extend_library
        self.adaptation_rate = adaptation_rate
        self.prefit = prefit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> Self:
        """Find features, learn to forecast them, and calibrate the intervals.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Rows in time order. A row that holds a NaN is a gap.
        y : ignored
            For scikit-learn's pipelines.
        groups : array-like of shape (n_rows,), optional
            One id per row: consecutive rows of one id form a sequence. No state and no future
            reaches from one into another.

        Returns
        -------
        self
            A fit that fails or is interrupted keeps the results of an earlier one.

        Raises
        ------
        ForecastError
            No sequence is as long as a state and its future, or there are too few to calibrate.
        """
        self._validate_params()
        check_linear_method(self.features, "features")
        with earlier_fit_aside(self):
            self._fit(check_matrix(X, estimator=self, min_rows=2), groups)
        return self

    def _fit(self, matrix: Matrix, groups: ArrayLike | None) -> None:
        series = check_sequences(matrix, groups)
        n_lags = self.n_lags
        if n_lags is None:
            n_lags = int(getattr(self.features, "n_lags", 1))
        forecast_times(series, n_lags, self.n_steps, "a forecast")
        parts = later_parts(series, self.calibration_share)
        features = self._fitted_features(take(series, parts.learning), matrix)
        self.model_ = fit_model(
            series,
            parts,
            features,
            n_lags=n_lags,
            n_steps=self.n_steps,
            n_neighbors=self.n_neighbors,
            level=self.level,
            extend_library=self.extend_library,
            n_jobs=self.n_jobs,
        )
        self.columns_ = tuple(map(str, matrix.names))
        self.names_ = self.columns_
        if features is not None:
            self.names_ = tuple(map(str, features.get_feature_names_out()))
        self.last_group_ = None if series.group_ids is None else series.group_ids[-1]

    def _fitted_features(self, learning: Sequences, matrix: Matrix) -> LinearFeatures | None:
        if self.features is None:
            return None
        if self.prefit:
            check_is_fitted(self.features)
            if self.features.n_features_in_ != learning.n_columns:
                raise DimensionError(
                    f"X has {learning.n_columns} columns, but the features were fitted to "
                    f"{self.features.n_features_in_}. Give the columns that they were fitted to."
                )
            return self.features
        features: LinearFeatures = clone(self.features)
        features.check_parameters()
        return features.fit_series(learning, resolution=matrix.resolution)

    def predict(self, X: Any = None, *, groups: ArrayLike | None = None) -> Forecast:
        """Forecast what follows the last row, as features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), optional
            The recent rows of one sequence, at least as many as a state has samples. None: the
            last rows given to `fit` or `update`.
        groups : array-like of shape (n_rows,), optional
            Ids of the rows, which must all be equal. It may be one that was not in the fit: a
            new sequence is forecast like any other.

        Returns
        -------
        Forecast

        Raises
        ------
        ForecastError
            There are too few rows, the last of them are gaps, or they are of several sequences.
        """
        recent = self._recent(X, groups)
        return self._from(recent, np.array([recent.n_rows - 1]), in_columns=False)[0]

    def predict_channels(self, X: Any = None, *, groups: ArrayLike | None = None) -> Forecast:
        """Forecast what follows the last row, in the columns of the input.

        The features' forecast is mapped back to the columns. What the features leave out of a
        column is not forecast: it makes the column's interval wider.

        Parameters
        ----------
        X, groups
            As in `predict`.

        Returns
        -------
        Forecast
        """
        recent = self._recent(X, groups)
        return self._from(recent, np.array([recent.n_rows - 1]), in_columns=True)[0]

    def predict_all(
        self, X: Any, *, groups: ArrayLike | None = None, channels: bool = False
    ) -> Forecasts:
        """Forecast from every row that ends a state.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Rows in time order, which may be of several sequences and have gaps.
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences.
        channels : bool, default=False
            Forecast the columns of the input instead of the features.

        Returns
        -------
        Forecasts
        """
        series = self._checked(X, groups)
        times = series.state_times(self.model_.n_lags)
        return self._from(series, times, in_columns=channels)

    def score(self, X: Any, y: Any = None, *, groups: ArrayLike | None = None) -> float:
        """Return the mean skill against climatology, over all steps: higher is better.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Rows that had no part in the fit.
        y : ignored
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences.

        Returns
        -------
        float
            At most 1. `evaluate` tells more.
        """
        return float(self.evaluate(X, groups=groups).skill("climatology").mean())

    def evaluate(
        self, X: Any, *, groups: ArrayLike | None = None, channels: bool = False
    ) -> Evaluation:
        """Forecast rows whose future is known: skill of each step, and attained coverage.

        Of very many rows of many columns, every few are forecast from.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Rows that had no part in the fit.
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences.
        channels : bool, default=False
            Judge the forecasts of the input's columns instead of the features. The linear
            autoregression compared with is that of the features, mapped back.

        Returns
        -------
        Evaluation
        """
        series, model = self._checked(X, groups), self.model_
        times = forecast_times(series, model.n_lags, model.n_steps, "an evaluation")
        width = series.n_columns if channels else len(self.names_)
        times = every_few(times, model.n_steps * width)
        library = model.predictor.library
        extract = model.extract(series)
        mean, expected = model.forecast(series, times)
        linear = library.linear.forecast(States(extract, times, model.n_lags))
        intervals, target, unit = model.intervals, extract, library.unit
        center = library.linear.center
        if channels and model.channels is not None:
            linear, _ = model.in_columns(linear, expected)
            center, _ = model.in_columns(center, np.zeros((model.n_steps, len(center))))
            mean, expected = model.in_columns(mean, expected)
            intervals, target = model.column_intervals, series
            unit = series.samples.std(axis=0)
            unit[unit == 0] = 1.0
        return evaluate(
            actual_futures(target, times, model.n_steps),
            mean,
            {
                "persistence": persistence_forecast(target, times, model.n_steps),
                "climatology": center,
                "linear": linear,
            },
            expected,
            intervals.multipliers(),
            unit=unit,
            level=intervals.level,
        )

    def update(self, X: Any, *, groups: ArrayLike | None = None) -> Self:
        """Learn from the rows that came next.

        Row by row, intervals that missed become wider and those that did not a little narrower
        (adaptive conformal inference), until the share of misses is as it should be even where
        the data drifts. The rows join the library (with `extend_library`). Features and the choice
        of forecasts stay as they are.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Rows that follow the last ones given to `fit` or `update`.
        groups : array-like of shape (n_rows,), optional
            Ids of the sequences. Rows with the last id given before go on with its sequence, as
            rows without any id do.

        Returns
        -------
        self
            A call that fails leaves the model as it was.
        """
        check_is_fitted(self)
        matrix = check_matrix(X, estimator=self, reset=False)
        series = check_sequences(matrix, groups, is_part=True)
        ids = series.group_ids
        model, goes_on = self.model_, ids is None or bool(ids[0] == self.last_group_)
        for start in range(0, series.n_rows, _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            first = series.sequence_first[part]
            piece = check_sequences(matrix.values[part], first, is_part=True)
            model = advanced(
                model,
                piece,
                continues=goes_on if start == 0 else bool(first[0] < start),
                extend_library=self.extend_library,
                rate=self.adaptation_rate,
            )
        self.model_ = model
        if ids is not None:
            self.last_group_ = ids[-1]
        return self

    def _checked(self, X: Any, groups: ArrayLike | None) -> Sequences:
        check_is_fitted(self)
        return check_sequences(check_matrix(X, estimator=self, reset=False), groups)

    def _recent(self, X: Any, groups: ArrayLike | None) -> Sequences:
        """Return recent rows that can be forecast from, or raise an error that says why not."""
        check_is_fitted(self)
        n_lags = self.model_.n_lags
        if X is None:
            rows = self.model_.newest.rows
            if len(rows) < n_lags:
                raise ForecastError(
                    f"the rows given to fit and update end with {len(rows)} row(s) since the last "
                    f"gap, but a forecast starts from {n_lags} (n_lags). Give recent rows, or "
                    "update with more."
                )
            return check_sequences(rows)
        matrix = check_matrix(X, estimator=self, reset=False)
        series = check_sequences(matrix, groups, is_part=True)
        if len(series.sequence_bounds()) > 1:
            raise ForecastError(
                f"the recent rows belong to {len(series.sequence_bounds())} sequences, and a "
                "forecast starts from the end of one. Give the rows of one group, or use "
                "predict_all."
            )
        if not series.valid[-1]:
            n_gaps = series.n_rows - 1 - int(np.flatnonzero(series.valid).max(initial=-1))
            raise ForecastError(
                f"the last {n_gaps} of {series.n_rows} recent row(s) are gaps (hold a NaN): there "
                "is no state to forecast from. Leave them out to forecast from the row before, or "
                "fill them."
            )
        n_known = series.n_rows - int(series.run_first[-1])
        if n_known < n_lags:
            since = " since the last gap" if n_known < series.n_rows else ""
            raise ForecastError(
                f"there are {n_known} recent row(s){since}, but a forecast starts from "
                f"n_lags={n_lags} rows in a row. Give more."
            )
        return series

    def _from(self, series: Sequences, times: IntArray, *, in_columns: bool) -> Forecasts:
        model = self.model_
        mean, expected = model.forecast(series, times)
        intervals, names = model.intervals, self.names_
        if in_columns:
            mean, expected = model.in_columns(mean, expected)
            intervals, names = model.column_intervals, self.columns_
        now = intervals.multipliers()
        return with_intervals(times, mean, expected, now, names, intervals.level, self.joint)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
