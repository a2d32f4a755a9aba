"""The quality of features: measures of given features, as pure functions.

Every measure takes features in time order (rows by columns, or one series as a 1-D array),
`groups` for several sequences, and rows with NaN for gaps; or `predfeat.series.Sequences`, which
are already checked. (`subspace_angles` compares what two models extract from data, whose order
does not matter.)

`left_open` measures what similar states leave open; `predictability` is one of its numbers.
`soft_left_open` is a smooth form of it, with its gradient.
The parts that measures share with methods are public as well: linear prediction
(`fit_autoregression`, `solve_regression`, `histories`) and spectra (`segment_transforms`,
`power_spectra`, `spectral_entropy`).
"""

from predfeat.measures._angles import subspace_angles
from predfeat.measures._autoregression import (
    autoregression_error,
    fit_autoregression,
    histories,
    solve_regression,
)
from predfeat.measures._forecastability import forecastability
from predfeat.measures._left_open import LeftOpen, available_neighbors, left_open
from predfeat.measures._neighbor_forecast import predicted_shares
from predfeat.measures._nested_shares import STEPS, nested_shares
from predfeat.measures._period import Periods, periods
from predfeat.measures._predictability import predictability
from predfeat.measures._predictive_information import predictive_information
from predfeat.measures._slowness import slowness
from predfeat.measures._soft_left_open import (
    SoftLeftOpen,
    SoftNeighborhoods,
    power_mean,
    soft_left_open,
    soft_neighborhoods,
)
from predfeat.measures._spectra import (
    PRIOR_WEIGHT,
    power_spectra,
    segment_transforms,
    spectral_entropy,
    tapered_segments,
)

__all__ = [
    "PRIOR_WEIGHT",
    "STEPS",
    "LeftOpen",
    "Periods",
    "SoftLeftOpen",
    "SoftNeighborhoods",
    "autoregression_error",
    "available_neighbors",
    "fit_autoregression",
    "forecastability",
    "histories",
    "left_open",
    "nested_shares",
    "periods",
    "power_mean",
    "power_spectra",
    "predictability",
    "predicted_shares",
    "predictive_information",
    "segment_transforms",
    "tapered_segments",
    "slowness",
    "solve_regression",
    "soft_left_open",
    "soft_neighborhoods",
    "spectral_entropy",
    "subspace_angles",
]
