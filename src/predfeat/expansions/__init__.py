"""What may be added to a white series before a linear method: functions of its columns.

A linear method in an expanded space is a nonlinear one in the input. An expansion is a small frozen
object (`Polynomial`, `LandmarkKernel`, `RandomFourier`, `Identity`, or `Transformer` around one of
scikit-learn's); `fit` gives its `FittedExpansion`, which expands any rows of the same columns.
"""

from predfeat.expansions._expansion import (
    MOST_COLUMNS,
    Expansion,
    FittedExpansion,
    FittedIdentity,
    Identity,
    refuse_many_columns,
)
from predfeat.expansions._fourier import FittedFourier, RandomFourier
from predfeat.expansions._kernel import FittedKernel, LandmarkKernel, median_gamma
from predfeat.expansions._names import EXPANSIONS, check_expansion
from predfeat.expansions._polynomial import FittedPolynomial, Polynomial
from predfeat.expansions._transformer import FittedTransformer, Transformer

__all__ = [
    "EXPANSIONS",
    "MOST_COLUMNS",
    "Expansion",
    "FittedExpansion",
    "FittedFourier",
    "FittedIdentity",
    "FittedKernel",
    "FittedPolynomial",
    "FittedTransformer",
    "Identity",
    "LandmarkKernel",
    "Polynomial",
    "RandomFourier",
    "Transformer",
    "check_expansion",
    "median_gamma",
    "refuse_many_columns",
]
