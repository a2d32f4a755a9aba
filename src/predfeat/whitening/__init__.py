"""White space: centre, PCA, unit covariance, and the rank of the data.

Predictability is compared between directions, so every direction must first have the same
variance; otherwise directions of small variance would win merely for being small.

`Moments` are what a whitening needs of the samples in a form that adds up, for data that comes in
pieces.
"""

from predfeat.whitening._moments import Moments
from predfeat.whitening._statistics import RANK_TOLERANCE
from predfeat.whitening._whitening import (
    Whitening,
    fit_whitening,
    warn_of_constant_columns,
    whitening_from_moments,
)

__all__ = [
    "Moments",
    "Whitening",
    "fit_whitening",
    "warn_of_constant_columns",
    "whitening_from_moments",
    "RANK_TOLERANCE",
]
