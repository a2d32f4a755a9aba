"""What an expansion is, and the one that adds nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import ExpansionError
from predfeat.series import Sequences

__all__ = [
    "MOST_COLUMNS",
    "Expansion",
    "FittedExpansion",
    "FittedIdentity",
    "Identity",
    "refuse_many_columns",
]

# The covariance of this many columns takes 3 GB, and its eigenvectors hours.
MOST_COLUMNS = 20_000


class FittedExpansion(ABC):
    """Functions of the columns of a white series, with everything that they need to know."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of expanded columns."""

    @abstractmethod
    def expand(self, rows: FloatArray) -> FloatArray:
        """Return the functions' values.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_inputs)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
        """

    def apply(self, series: Sequences) -> Sequences:
        """Return the expanded series; gaps stay gaps.

        Parameters
        ----------
        series : Sequences
            With the columns that the expansion was fitted to.

        Returns
        -------
        Sequences
        """
        if series.valid.all():
            return series.with_rows(self.expand(series.rows))
        rows = np.zeros((series.n_rows, self.n_columns))
        rows[series.valid] = self.expand(series.samples)
        return series.with_rows(rows)


class Expansion(ABC):
    """A family of functions to add to a white series; `fit` chooses them.

    Subclasses are frozen dataclasses of plain parameters. `name` is what results call them.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What results and the command call it."""

    @abstractmethod
    def count(self, n_columns: int) -> int:
        """Return how many columns become of `n_columns`, or at most become."""

    @abstractmethod
    def fit(self, series: Sequences) -> FittedExpansion:
        """Choose the functions by the samples of a white series.

        Parameters
        ----------
        series : Sequences
            The training data in white space; gaps are ignored.

        Returns
        -------
        FittedExpansion
        """


@dataclass(frozen=True)
class FittedIdentity(FittedExpansion):
    """The columns themselves."""

    n_inputs: int

    @property
    def n_columns(self) -> int:
        """Number of expanded columns."""
        return self.n_inputs

    def expand(self, rows: FloatArray) -> FloatArray:
        """Return the rows as they are."""
        return rows


@dataclass(frozen=True)
class Identity(Expansion):
    """No expansion: the linear method itself."""

    @property
    def name(self) -> str:
        """What results and the command call it."""
        return "identity"

    def count(self, n_columns: int) -> int:
        """Return how many columns become of `n_columns`."""
        return n_columns

    def fit(self, series: Sequences) -> FittedIdentity:
        """Return the identity of the series' columns."""
        return FittedIdentity(series.n_columns)


def refuse_many_columns(expansion: Expansion, n_columns: int) -> None:
    """Raise before the memory is filled by more columns than a covariance can have.

    Parameters
    ----------
    expansion : Expansion
    n_columns : int
        Columns to expand.

    Raises
    ------
    ExpansionError
    """
    count = expansion.count(n_columns)
    if count > MOST_COLUMNS:
        raise ExpansionError(
            f"{expansion.name} makes {count} columns of {n_columns}, but at most {MOST_COLUMNS} "
            "are possible. Keep fewer principal components first (pca_components), or use a kernel "
            "or random Fourier features, whose columns are counted by yourself."
        )


def is_plain_number(value: Any) -> bool:
    """Return whether a value is a finite real number, and no bool."""
    return (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and bool(np.isfinite(value))
    )


def refuse_bad_count(owner: str, name: str, value: Any) -> None:
    """Raise unless a parameter is a whole number from 1 on."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ExpansionError(f"{name} of {owner} must be a whole number from 1 on, not {value!r}.")


def refuse_bad_seed(owner: str, value: Any) -> None:
    """Raise unless a parameter is a seed that scikit-learn takes."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 0 <= value < 2**32:
        raise ExpansionError(
            f"random_state of {owner} must be a whole number from 0 to 2³² - 1, not {value!r}."
        )


def refuse_bad_gamma(owner: str, value: Any) -> None:
    """Raise unless a parameter is None or a positive number."""
    if value is not None and not (is_plain_number(value) and value > 0):
        raise ExpansionError(f"gamma of {owner} must be a positive number or None, not {value!r}.")
