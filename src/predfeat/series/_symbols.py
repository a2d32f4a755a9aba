"""Convert any sequence of symbols to numbers in time order, or raise a helpful error."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import AnyArray, ArrayLike, IntArray
from predfeat.exceptions import DimensionError, SymbolsError
from predfeat.series._matrix import Matrix
from predfeat.series._sequences import Sequences, check_sequences, is_missing

__all__ = ["NO_SYMBOL", "Symbols", "as_objects", "check_symbols", "find_symbols"]

NO_SYMBOL = -1  # the number of a row without a symbol
_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Symbols:
    """A series of symbols, as numbers.

    Attributes
    ----------
    distinct : tuple
        The symbols, in the order in which they first appear.
    numbers : ndarray of int, shape (n_rows,)
        For each row the place of its symbol in `distinct`, or `NO_SYMBOL`.
    """

    distinct: tuple[Hashable, ...]
    numbers: IntArray

    def sequences(self, groups: ArrayLike | None = None) -> Sequences:
        """Return the series of numbers, cut into sequences by `groups` and into runs by gaps."""
        if len(self.numbers) == 0:
            raise SymbolsError("X is empty (0 rows). Give a sequence of at least two symbols.")
        if not self.distinct:
            raise SymbolsError(
                f"all {len(self.numbers)} rows of X are missing (None or NaN): no symbol is left. "
                "Give a sequence of at least two symbols."
            )
        column = np.where(self.numbers == NO_SYMBOL, np.nan, self.numbers)[:, None]
        return check_sequences(Matrix(column, ["x0"], 0.0), groups)


def check_symbols(X: Any) -> Symbols:
    """Number the symbols of a series.

    Parameters
    ----------
    X : sequence of hashable values, or array-like of shape (n_rows,) or (n_rows, 1)
        One symbol for each row, in time order. Symbols are the same if Python says so: 1 and 1.0
        are, 1 and "1" are not. None and NaN are missing.

    Returns
    -------
    Symbols

    Raises
    ------
    SymbolsError
        X is no sequence, or a symbol is not hashable.
    DimensionError
        X has several columns.

    Examples
    --------
    >>> from predfeat.series import check_symbols
    >>> symbols = check_symbols(["to", "be", None, "to"])
    >>> symbols.distinct, symbols.numbers.tolist()
    (('to', 'be'), [0, 1, -1, 0])
    """
    places: dict[Hashable, int] = {}
    values = _values(X)
    try:
        numbers = np.array([places.setdefault(value, len(places)) for value in values], np.intp)
    except TypeError:
        _refuse_unhashable(values)
        raise
    is_gap = np.array([is_missing(value) for value in places], dtype=bool)
    distinct = tuple(value for value, gap in zip(places, is_gap, strict=True) if not gap)
    renumbered = np.where(is_gap, NO_SYMBOL, np.cumsum(~is_gap) - 1)
    return Symbols(distinct, renumbered[numbers])


def find_symbols(symbols: Symbols, known: Mapping[Any, int]) -> IntArray:
    """Return the known number of each row's symbol, or `NO_SYMBOL`."""
    numbers = [known.get(value, NO_SYMBOL) for value in symbols.distinct]
    # One more for the gaps, whose number, -1, is the last place.
    return np.array([*numbers, NO_SYMBOL], dtype=np.intp)[symbols.numbers]


def as_objects(values: Sequence[Any]) -> AnyArray:
    """Return an array of the values themselves, even if they are tuples.

    Examples
    --------
    >>> from predfeat.series import as_objects
    >>> as_objects([("a", 1), ("b", 2)]).shape
    (2,)
    """
    objects = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        objects[place] = value
    return objects


def _values(X: Any) -> list[Any]:
    """Return the symbols as a list of Python's own values where NumPy has other types."""
    if isinstance(X, str | bytes):
        raise SymbolsError(
            f"X is a single text, {_shown(X)}, but must be a sequence of symbols. Give a list: "
            "X.split() for words, list(X) for letters."
        )
    if sparse.issparse(X):
        raise SymbolsError(
            "X is a sparse matrix, but must be a sequence of symbols, one for each row. Give the "
            "symbols themselves, not their one-hot columns."
        )
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple):
        return _values_of_array(X, shape)
    if isinstance(X, Mapping | AbstractSet) or not hasattr(X, "__getitem__"):
        raise SymbolsError(
            f"X is a {type(X).__name__}, which has no order or can be read only once, but must be "
            "a sequence of symbols, one for each row. Give a list in time order."
        )
    values = list(X)
    if values and all(type(value) is list and len(value) == 1 for value in values):
        values = [value[0] for value in values]  # a column written as nested lists
    return [_as_python(value) for value in values]


def _values_of_array(X: Any, shape: tuple[int, ...]) -> list[Any]:
    if len(shape) == 2 and shape[1] == 1:
        X = X.iloc[:, 0] if hasattr(X, "iloc") else np.ma.asanyarray(X)[:, 0]
    elif len(shape) != 1:
        advice = ""
        if len(shape) == 2:
            advice = " To make one symbol of several columns, give list(map(tuple, X.tolist()))."
        raise DimensionError(
            "X must hold one symbol for each row: one dimension, or a single column. Its shape is "
            f"{shape}.{advice}"
        )
    # NumPy would turn times of nanoseconds into whole numbers.
    is_time = getattr(getattr(X, "dtype", None), "kind", "O") in "mM"
    values = X.tolist() if hasattr(X, "tolist") and not is_time else list(X)
    return [_as_python(value) for value in values]


def _as_python(value: Any) -> Any:
    """Return NumPy's 3 as 3: as keys of a dict, not all of its numbers equal Python's."""
    if isinstance(value, np.generic) and value.dtype.kind not in "mMV":
        return value.item()
    return value


def _refuse_unhashable(values: list[Any]) -> None:
    for row, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            raise SymbolsError(
                f"X must hold hashable symbols such as words or numbers, but row {row} holds a "
                f"{type(value).__name__}: {_shown(value)}. Convert it, for example with tuple() "
                "or str()."
            ) from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
