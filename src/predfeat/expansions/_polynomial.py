"""All products of the columns up to a degree."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from predfeat._typing import FloatArray
from predfeat.expansions._expansion import (
    Expansion,
    FittedExpansion,
    refuse_bad_count,
    refuse_many_columns,
)
from predfeat.series import Sequences

__all__ = ["FittedPolynomial", "Polynomial"]

_NAMES = {1: "linear", 2: "quadratic", 3: "cubic"}


@dataclass(frozen=True)
class FittedPolynomial(FittedExpansion):
    """All products of up to `degree` of `n_inputs` columns, without the constant."""

    degree: int
    n_inputs: int

    @property
    def n_columns(self) -> int:
        """Number of expanded columns."""
        return comb(self.n_inputs + self.degree, self.degree) - 1

    def expand(self, rows: FloatArray) -> FloatArray:
        """Return the products."""
        # It keeps no numbers of the data: fitting to one row of zeros tells it the columns.
        products = PolynomialFeatures(self.degree, include_bias=False)
        products.fit(np.zeros((1, self.n_inputs)))
        expanded: FloatArray = products.transform(rows) if len(rows) else _nothing(self.n_columns)
        return expanded


def _nothing(n_columns: int) -> FloatArray:
    return np.empty((0, n_columns))


@dataclass(frozen=True)
class Polynomial(Expansion):
    """All products of the columns up to a degree.

    Attributes
    ----------
    degree : int
        2 is the expansion of quadratic SFA: N columns become N (N + 3) / 2.

    Examples
    --------
    >>> from predfeat.expansions import Polynomial
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences([[1.0, 2.0], [3.0, 5.0]])
    >>> Polynomial(2).fit(series).apply(series).rows.tolist()
    [[1.0, 2.0, 1.0, 2.0, 4.0], [3.0, 5.0, 9.0, 15.0, 25.0]]
    """

    degree: int = 2

    def __post_init__(self) -> None:
        refuse_bad_count("Polynomial", "degree", self.degree)

    @property
    def name(self) -> str:
        """What results and the command call it."""
        return _NAMES.get(self.degree, f"degree {self.degree}")

    def count(self, n_columns: int) -> int:
        """Return how many columns become of `n_columns`."""
        return comb(n_columns + int(self.degree), int(self.degree)) - 1

    def fit(self, series: Sequences) -> FittedPolynomial:
        """Return the products of the series' columns."""
        refuse_many_columns(self, series.n_columns)
        return FittedPolynomial(int(self.degree), series.n_columns)
