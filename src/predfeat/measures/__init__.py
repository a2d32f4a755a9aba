"""Stage 6, how good is it: measures of given features, as pure functions.

Every measure takes features in time order (rows by columns, or one series as a 1-D array),
`groups` for several sequences, and rows with NaN for gaps. (`subspace_angles` compares what two
models extract from data, whose order does not matter.)
"""

from predfeat.measures._angles import subspace_angles
from predfeat.measures._autoregression import autoregression_error
from predfeat.measures._forecastability import forecastability
from predfeat.measures._left_open import LeftOpen, available_neighbors, left_open
from predfeat.measures._period import Periods, periods
from predfeat.measures._predictability import predictability
from predfeat.measures._predictive_information import predictive_information
from predfeat.measures._slowness import slowness

__all__ = [
    "LeftOpen",
    "Periods",
    "autoregression_error",
    "available_neighbors",
    "forecastability",
    "left_open",
    "periods",
    "predictability",
    "predictive_information",
    "slowness",
    "subspace_angles",
]
