"""What comes next, and how sure that is: forecasts of predictable features.

Pure functions first: the futures of similar states (`analogue_forecast`), linear autoregression
and other simple forecasts, the choice between them (`choose_predictor`), conformal intervals
(`fit_intervals`) and how they adapt (`adapt`). `Forecaster` is thin, and `backtest` judges it.
"""

from predfeat.forecasting._adaptive import Adapted, adapt
from predfeat.forecasting._analogue import analogue_forecast, simplex_weights
from predfeat.forecasting._backtest import Backtest, backtest
from predfeat.forecasting._channels import ChannelMap, channel_map
from predfeat.forecasting._evaluation import (
    REFERENCES,
    Evaluation,
    evaluate,
    mean_evaluation,
    skill,
)
from predfeat.forecasting._forecaster import Forecaster
from predfeat.forecasting._forecasts import Forecast, Forecasts
from predfeat.forecasting._intervals import (
    JOINT,
    Intervals,
    conformal_quantile,
    fit_intervals,
    scores_of_kinds,
)
from predfeat.forecasting._model import (
    Announced,
    ForecastModel,
    Newest,
    advanced,
    fit_model,
    joined,
)
from predfeat.forecasting._parts import Parts, every_few, forecast_times, later_parts
from predfeat.forecasting._predictor import KINDS, Library, Predictor, choose_predictor, learn
from predfeat.forecasting._simple import (
    LinearForecast,
    actual_futures,
    fit_linear_forecast,
    persistence_forecast,
)

__all__ = [
    "JOINT",
    "KINDS",
    "REFERENCES",
    "Adapted",
    "Announced",
    "Backtest",
    "ChannelMap",
    "Evaluation",
    "Forecast",
    "ForecastModel",
    "Forecaster",
    "Forecasts",
    "Intervals",
    "Library",
    "LinearForecast",
    "Newest",
    "Parts",
    "Predictor",
    "actual_futures",
    "adapt",
    "advanced",
    "analogue_forecast",
    "backtest",
    "channel_map",
    "choose_predictor",
    "conformal_quantile",
    "evaluate",
    "every_few",
    "fit_intervals",
    "fit_linear_forecast",
    "fit_model",
    "forecast_times",
    "joined",
    "later_parts",
    "learn",
    "mean_evaluation",
    "persistence_forecast",
    "scores_of_kinds",
    "simplex_weights",
    "skill",
]
