"""Convert any input to one float64 matrix of rows in time order, or raise a helpful error."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from predfeat._typing import AnyArray, BoolArray, FloatArray
from predfeat.exceptions import (
    ComplexDataError,
    DimensionError,
    InfiniteValueError,
    NotNumericError,
    ScaleError,
)
from predfeat.series._rows import Rows

__all__ = [
    "Matrix",
    "check_matrix",
    "column_names",
    "note_columns",
    "refuse_huge",
    "refuse_overflow",
]

# The sum of a hundred million numbers of this size is still finite in float64.
_LARGEST_SUMMABLE = 1e300


@dataclass(frozen=True)
class Matrix:
    """The numeric input, converted to float64 unless its narrower floats were to be kept.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The numbers; NaN marks missing values.
    names : list of str
        Names of the columns in messages.
    resolution : float
        Relative rounding error of the input's own type. Differences below it are not signal, even
        though float64 could tell them apart.
    ids : ndarray of shape (n_rows,), optional
        The group ids, where the input itself has some.
    """

    values: FloatArray
    names: list[str]
    resolution: float
    ids: AnyArray | None = None


def check_matrix(
    X: Any,
    *,
    name: str = "X",
    estimator: Any = None,
    reset: bool = True,
    min_rows: int = 1,
    largest: float = _LARGEST_SUMMABLE,
    keep_narrow: bool = False,
) -> Matrix:
    """Turn what a user gave into a `Matrix`.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns), or Rows
        Numbers of any real type, an array or a DataFrame. NaN marks a gap.
    name : str
        Name of the argument in messages.
    estimator : estimator, optional
        If given, scikit-learn records or checks its column names and counts.
    reset : bool
        Whether the estimator is being fitted (True) or compares X with its training data.
    min_rows : int
        The fewest rows that make sense.
    largest : float
        The largest number allowed. Callers that compare numbers without adding them give infinity.
    keep_narrow : bool
        Whether float32 stays as it is, for callers that convert it block by block: as a whole it
        would take twice its memory.

    Returns
    -------
    Matrix

    Examples
    --------
    >>> from predfeat.series import check_matrix
    >>> check_matrix([[1, 2], [3, 4]]).values
    array([[1., 2.],
           [3., 4.]])
    """
    if isinstance(X, Rows):
        return _read(X, name, estimator, reset, largest)
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)  # masked values are missing
    if not sparse.issparse(X):
        _refuse_what_is_not_real(X, name)
    values = _as_floats(X, name, estimator, reset, min_rows, keep_narrow)
    names = column_names(X, values.shape[1])
    refuse_huge(values, names, name, largest)
    return Matrix(values, names, _resolution(X))


def _read(rows: Rows, name: str, estimator: Any, reset: bool, largest: float) -> Matrix:
    if estimator is not None:
        note_columns(estimator, rows, reset=reset)
    values = rows.whole()
    refuse_huge(values, rows.names, name, largest)
    return Matrix(values, rows.names, rows.resolution, rows.whole_ids())


def note_columns(estimator: Any, rows: Rows, *, reset: bool) -> None:
    """Record the columns of rows in an estimator, or compare them with its training data."""
    if reset:
        estimator.n_features_in_ = rows.n_columns
        if rows.has_names:
            estimator.feature_names_in_ = np.array(rows.names, dtype=object)
        return
    if rows.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"X has {rows.n_columns} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and rows.has_names and list(names) != rows.names:
        raise ValueError(
            "the columns of X should have the names, and the order, of those passed during fit: "
            f"{', '.join(map(repr, list(names)[:5]))}, …, but they are "
            f"{', '.join(map(repr, rows.names[:5]))}, …. Choose them with open_rows(…, columns=…)."
        )


def _as_floats(
    X: Any, name: str, estimator: Any, reset: bool, min_rows: int, keep_narrow: bool
) -> FloatArray:
    options: dict[str, Any] = {
        "dtype": [np.float64, np.float32] if keep_narrow else np.float64,
        "order": "C",  # another layout would round sums differently: same numbers, same bits
        "ensure_all_finite": False,
        "ensure_min_samples": min_rows,
    }
    try:
        with np.errstate(over="ignore"):  # infinities are refused later, by their position
            if estimator is None:
                values: FloatArray = check_array(X, input_name=name, **options)
            else:
                values = validate_data(estimator, X, reset=reset, **options)
    except (ValueError, TypeError) as error:
        if any(reason in str(error) for reason in _CONVERSION_ERRORS):
            raise NotNumericError(
                f"{name} must hold numbers only, but {error}. "
                "Encode or drop what is not numeric before fitting."
            ) from error
        raise
    except OverflowError as error:
        raise ScaleError(
            f"{name} holds a whole number or fraction that is too large for float64 (its largest "
            "is 1.8e308). Divide its column by a large number first, or put NaN in its place."
        ) from error
    return values


# What Python and NumPy say about an object that float() refuses, including cells that are lists.
_CONVERSION_ERRORS = (
    "could not convert",
    "must be a string or a real number",
    "cannot convert",
    "setting an array element with a sequence",
)


def refuse_overflow(values: FloatArray, what: str, *, of: str) -> None:
    """Refuse values that were computed from finite numbers but are not finite."""
    if np.all(np.isfinite(values)):
        return
    raise ScaleError(
        f"the {what} of {of} would be larger than the largest number of float64, 1.8e308: {of} "
        "holds numbers of a very different size than the training data. Give it in the same "
        "units, or put NaN in place of the numbers that are too large."
    )


def column_names(X: Any, n_columns: int) -> list[str]:
    """Return the names of a DataFrame's columns, or x0, x1, … for an array."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return [f"x{i}" for i in range(n_columns)]
    return [str(column) for column in columns]


def _refuse_what_is_not_real(X: Any, name: str) -> None:
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        _refuse_shared_names(X, name)
        _refuse_text_columns(X, name)
        return
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise DimensionError(
            f"{name} must be a matrix, but its rows differ in length ({error}). "
            "A list of sequences of different lengths goes through predfeat.series.from_list."
        ) from error
    if array.dtype.kind == "c":
        raise ComplexDataError(
            f"Complex data not supported: {name} is {array.dtype}. Give real numbers, for example "
            "np.hstack([X.real, X.imag])."
        )
    if array.dtype.kind in "US" and array.size:
        raise NotNumericError(
            f"{name} must hold numbers only, but it holds text such as "
            f"{str(next(filter(_is_no_number, array.flat), array.flat[0]))!r}. "
            "Convert it with X.astype(float), or encode or drop what is not numeric."
        )
    if array.dtype.kind in "mM":
        raise NotNumericError(
            f"{name} must hold numbers only, but it holds {array.dtype}. Leave time stamps out: "
            "rows are taken in the order given."
        )
    _refuse_wrong_dimension(array, name)


def _is_no_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return True
    return False


def _refuse_wrong_dimension(array: AnyArray, name: str) -> None:
    if array.ndim == 2:
        return
    advice = {
        0: "Reshape your data: give one row per time step.",
        1: "Reshape your data: a single channel is X.reshape(-1, 1), a single row is "
        "X.reshape(1, -1).",
        3: "Trials × time × channels goes through predfeat.series.from_trials.",
    }.get(array.ndim, "Reshape your data: flatten all but the first axis.")
    raise DimensionError(
        f"{name} must be a 2-D array of rows (time) by columns (channels), but it has "
        f"{array.ndim} dimensions, shape {array.shape}. {advice}"
    )


def _refuse_shared_names(frame: Any, name: str) -> None:
    shared = [str(n) for n, count in Counter(frame.columns).items() if count > 1]
    if shared:
        raise DimensionError(
            f"{name} has several columns called {', '.join(map(repr, shared))}. "
            "Give every column its own name."
        )


def _refuse_text_columns(frame: Any, name: str) -> None:
    def is_numeric(dtype: Any) -> bool:
        kind = getattr(dtype, "kind", "O")
        # Pandas' nullable types say "i", "u", "f" or "b" as NumPy's do; "O" may still be numbers.
        return kind in "iufbO"

    odd = [
        f"{column!r} ({dtype})"
        for column, dtype in zip(frame.columns, frame.dtypes, strict=True)
        if not is_numeric(dtype) or _is_text(frame, column, dtype)
    ]
    if any("complex" in entry for entry in odd):
        raise ComplexDataError(f"Complex data not supported: {name} has {', '.join(odd)}.")
    if odd:
        raise NotNumericError(
            f"{name} must hold numbers only, but these columns do not: {', '.join(odd)}. "
            "Drop them, or encode them as numbers."
        )


def _is_text(frame: Any, column: Any, dtype: Any) -> bool:
    if getattr(dtype, "kind", "O") != "O":
        return False
    return any(isinstance(value, str | bytes) for value in frame[column])


def refuse_huge(
    values: FloatArray,
    names: list[str],
    name: str,
    largest: float = _LARGEST_SUMMABLE,
    *,
    first_row: int = 0,
) -> None:
    """Refuse infinities, and numbers beyond `largest`; rows are counted from `first_row`."""
    # The extremes suffice, without a mask, unless one of them is NaN.
    extreme = float(max(np.max(values, initial=0.0), -np.min(values, initial=0.0)))
    if extreme <= min(largest, np.finfo(np.float64).max):
        return
    infinite = np.isinf(values)
    if infinite.any():
        raise InfiniteValueError(
            f"Input {name} contains infinity: {int(infinite.sum())} value(s), "
            f"{_first_of(infinite, names, first_row)}. Replace it with a number, or with NaN to "
            "mark the row as a gap."
        )
    if largest >= float(np.finfo(values.dtype).max):  # as for float32
        return
    with np.errstate(invalid="ignore"):
        huge = np.abs(values) > largest
    if huge.any():
        raise ScaleError(
            f"{name} holds {int(huge.sum())} number(s) beyond {largest:g}, "
            f"{_first_of(huge, names, first_row)}: {values[huge][0]:g}. float64 cannot hold sums "
            "of them. Divide the column by a large number, or put NaN in their place to mark these "
            "rows as gaps."
        )


def _first_of(marked: BoolArray, names: list[str], first_row: int) -> str:
    row, column = np.unravel_index(int(np.argmax(marked)), marked.shape)
    return f"the first in row {first_row + row}, column {names[column]!r}"


def _resolution(X: Any) -> float:
    """Relative rounding error of the coarsest type in X (0 for whole numbers)."""
    dtypes = list(X.dtypes) if hasattr(X, "dtypes") else [getattr(X, "dtype", np.dtype(float))]
    plain = [getattr(dtype, "numpy_dtype", dtype) for dtype in dtypes]  # pandas' nullable types
    floats = [d for d in plain if isinstance(d, np.dtype) and d.kind == "f"]
    return max((float(np.finfo(d).eps) for d in floats), default=0.0)
