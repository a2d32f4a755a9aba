"""What is known about rows besides their samples: labels, actions and rewards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, ArrayLike, FloatArray, IntArray
from predfeat.exceptions import AnnotationError
from predfeat.series._sequences import is_missing

__all__ = ["ANNOTATIONS", "Annotations", "Classes", "check_annotations"]

ANNOTATIONS = ("y", "actions", "rewards")


@dataclass(frozen=True, eq=False)
class Classes:
    """Which rows have equal values.

    Attributes
    ----------
    codes : ndarray of int, shape (n_rows,)
        The number of each row's class; -1 for rows without a value.
    names : tuple
        The value of each class, as they first appear.
    """

    codes: IntArray
    names: tuple[Any, ...]

    @property
    def sizes(self) -> IntArray:
        """The number of rows of each class."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))


@dataclass(frozen=True, eq=False)
class Annotations:
    """One entry for each row; None, NaN and missing values of pandas mean that nothing is known.

    Attributes
    ----------
    y : ndarray of shape (n_rows,) or (n_rows, n_targets), or None
        Labels or target values.
    actions : ndarray of shape (n_rows,) or (n_rows, n_numbers), or None
        What was done between a row and the next.
    rewards : ndarray of shape (n_rows,), or None

    Examples
    --------
    >>> from predfeat.series import check_annotations
    >>> known = check_annotations(4, y=["up", None, "down", "up"])
    >>> known.classes("y").codes.tolist(), known.classes("y").names
    ([0, -1, 1, 0], ('up', 'down'))
    """

    y: AnyArray | None = None
    actions: AnyArray | None = None
    rewards: AnyArray | None = None

    def classes(self, of: str) -> Classes:
        """Return which rows have equal labels, actions or rewards."""
        if of not in self._found:  # every iteration of a fit asks again
            values = self._given(of)
            if values.ndim != 1:
                raise AnnotationError(
                    f"{of} has shape {values.shape}, but classes need one value for each row."
                )
            self._found[of] = _classes(values, of)
        return self._found[of]

    @cached_property
    def _found(self) -> dict[str, Classes]:
        return {}

    def numbers(self, of: str) -> FloatArray:
        """Return labels, actions or rewards as a matrix of numbers; NaN where nothing is known."""
        values = self._given(of)
        numbers = _as_numbers(values)
        if numbers is None:
            raise AnnotationError(
                f"{of} must hold numbers here, but holds {_first_other(values)}. Give numbers, "
                "and None or NaN where they are not known."
            )
        if np.isinf(numbers).any():
            raise AnnotationError(
                f"{of} holds an infinite value in row {np.argwhere(np.isinf(numbers))[0, 0]}. Give "
                "finite numbers, and None or NaN where they are not known."
            )
        return numbers.reshape(len(numbers), -1)

    @cached_property
    def has_discrete_actions(self) -> bool:
        """Whether actions are one of some kinds: text, or a single column of whole numbers."""
        actions = self._given("actions")
        if actions.ndim != 1:
            return False
        numbers = _as_numbers(actions)
        if numbers is None:
            return True
        known = numbers[~np.isnan(numbers)]
        return bool(np.all(known == np.rint(known)))

    def _given(self, of: str) -> AnyArray:
        values: AnyArray | None = getattr(self, of)
        if values is None:
            how = "fit(X, y)" if of == "y" else f"fit(X, {of}=…)"
            raise AnnotationError(f"{of} is needed, but was not given. Call {how}.")
        return values


def check_annotations(
    n_rows: int,
    *,
    y: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    rewards: ArrayLike | None = None,
) -> Annotations:
    """Check that labels, actions and rewards fit the rows, and that something is known.

    Parameters
    ----------
    n_rows : int
        Rows of the series.
    y : array-like of shape (n_rows,) or (n_rows, n_targets), optional
    actions : array-like of shape (n_rows,) or (n_rows, n_numbers), optional
    rewards : array-like of shape (n_rows,), optional

    Returns
    -------
    Annotations

    Raises
    ------
    AnnotationError
        There is not one entry for each row, or all entries are missing.
    """
    given = {"y": y, "actions": actions, "rewards": rewards}
    checked = {
        name: _checked(values, name, n_rows, 1 if name == "rewards" else 2)
        for name, values in given.items()
        if values is not None
    }
    return Annotations(**checked)


def _checked(values: Any, name: str, n_rows: int, most_axes: int) -> AnyArray:
    array = _plain(values, name)
    if array.ndim == 2 and array.shape[1] == 1 and name != "actions":
        array = array[:, 0]
    if not 1 <= array.ndim <= most_axes or len(array) != n_rows:
        raise AnnotationError(
            f"{name} must have one entry for each of the {n_rows} rows of X, but its shape is "
            f"{array.shape}."
        )
    if all(_is_unknown(value) for value in array.ravel().tolist()):
        raise AnnotationError(
            f"all {n_rows} entries of {name} are missing (None or NaN): nothing is known. Leave "
            "it out."
        )
    return array


def _plain(values: Any, name: str) -> AnyArray:
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        return _separate(values, name)
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        return np.array(values, dtype=object)  # as text, a NaN would become a label
    return array


def _separate(values: Any, name: str) -> AnyArray:
    try:
        return np.asarray(values, dtype=object)
    except ValueError as error:  # matrices that agree in some of their axes
        raise AnnotationError(
            f"{name} must have one entry for each row of X, but its entries are arrays of "
            "different shapes."
        ) from error


def _is_unknown(value: Any) -> bool:
    return not isinstance(value, np.ndarray) and is_missing(value)


def _as_numbers(values: AnyArray) -> FloatArray | None:
    """Return values as floats, with NaN for missing ones; None if some are no numbers."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    numbers = np.full(values.shape, np.nan)
    for place, value in np.ndenumerate(values):
        if _is_unknown(value):
            continue
        number = _as_number(value)
        if number is None:
            return None
        numbers[place] = number
    return numbers


def _as_number(value: Any) -> float | None:
    if isinstance(value, str | bytes | np.ndarray):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number beyond the largest float
        return np.inf
    except (TypeError, ValueError):
        return None


def _first_other(values: AnyArray) -> str:
    """Return the first entry that is neither a number nor missing, as a user would write it."""
    if values.dtype.kind in "mM":  # as Python's objects, the finest of them would be integers
        return str(values[~np.isnat(values)][0])
    known = (value for value in values.ravel().tolist() if not _is_unknown(value))
    if values.dtype.kind == "O":
        known = (value for value in known if _as_number(value) is None)
    return repr(next(known))


def _classes(values: AnyArray, of: str) -> Classes:
    numbers: dict[Any, int] = {}
    codes = np.full(len(values), -1, dtype=np.intp)
    for row, value in enumerate(values.tolist()):
        if _is_unknown(value):
            continue
        try:
            codes[row] = numbers.setdefault(value, len(numbers))
        except TypeError as error:
            raise AnnotationError(
                f"{of} holds {value!r} in row {row}, which cannot be compared as a label. Give "
                "numbers, text or tuples."
            ) from error
    return Classes(codes, tuple(numbers))
