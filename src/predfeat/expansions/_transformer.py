"""Any transformer of scikit-learn's as an expansion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from predfeat._typing import FloatArray
from predfeat.exceptions import ExpansionError
from predfeat.expansions._expansion import Expansion, FittedExpansion
from predfeat.series import Sequences

__all__ = ["FittedTransformer", "Transformer"]


@dataclass(frozen=True, eq=False)
class FittedTransformer(FittedExpansion):
    """A fitted transformer of scikit-learn's, and the number of columns it returned in its fit."""

    transformer: Any
    n_out: int

    @property
    def n_columns(self) -> int:
        """Number of expanded columns."""
        return self.n_out

    def expand(self, rows: FloatArray) -> FloatArray:
        """Return what the transformer makes of the rows."""
        if len(rows) == 0:
            return np.empty((0, self.n_out))
        return _checked(self.transformer, self.transformer.transform(rows), len(rows))


@dataclass(frozen=True, eq=False)
class Transformer(Expansion):
    """A transformer of scikit-learn's: it is cloned, and fitted to the white samples without gaps.

    Attributes
    ----------
    transformer : estimator with fit and transform
        One that treats every row alone. A model file cannot hold it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import SplineTransformer
    >>> from predfeat.expansions import Transformer
    >>> from predfeat.series import check_sequences
    >>> series = check_sequences(np.random.default_rng(0).normal(size=(200, 3)))
    >>> Transformer(SplineTransformer()).fit(series).apply(series).rows.shape
    (200, 21)
    """

    transformer: Any

    @property
    def name(self) -> str:
        """What results and the command call it."""
        return type(self.transformer).__name__

    def count(self, n_columns: int) -> int:
        """Return 0: what the transformer will return is not known before."""
        return 0

    def fit(self, series: Sequences) -> FittedTransformer:
        """Fit a clone to the samples of a series."""
        series.times()  # at least one sample
        fitted = clone(self.transformer).fit(series.samples)
        one = _checked(fitted, fitted.transform(series.samples[:1]), 1)
        return FittedTransformer(fitted, one.shape[1])


def _checked(transformer: Any, found: Any, n_rows: int) -> FloatArray:
    """Return a transformer's output as a matrix of numbers, or say what is wrong with it."""
    if hasattr(found, "toarray"):
        found = found.toarray()
    name = type(transformer).__name__
    try:
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise ExpansionError(f"{name} returned no numbers. Use one that does.") from None
    if values.ndim != 2 or len(values) != n_rows:
        raise ExpansionError(
            f"{name} returned an array of shape {values.shape} for {n_rows} rows, but an expansion "
            "returns one row for each. Use a transformer that treats every row alone."
        )
    if np.isnan(values).any():
        raise ExpansionError(
            f"{name} returned NaN for rows without one. Use a transformer that is defined for all "
            "real numbers."
        )
    return values
