"""Rows in time order that are read a window at a time: arrays, files, or a Dask array.

The rows of a series are divided into blocks whose borders depend on its shape alone: not on how
files are chunked, nor on who does the work. A task sees one block, with as many rows before and
after it as it needs. It is a pure function of the source, the window and its parameters, so any
process that can read the source can do it, or do it again. Results come in the order of the blocks.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._memory import available_memory, in_words
from predfeat._progress import step
from predfeat._threads import one_blas_thread
from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.exceptions import DimensionError, NotEnoughMemoryError, NotNumericError

__all__ = ["ArrayRows", "Rows", "Task", "Window", "done", "is_large", "rows_in_a_block"]

# Up to this many rows, a series is read whole: all states of so many are compared anyway.
_READ_WHOLE = 50_000
# A block of so many numbers in float64 takes 32 MB, and several times that while it is searched.
_NUMBERS_IN_A_BLOCK = 1 << 22
_FEWEST_ROWS, _MOST_ROWS = 1 << 12, 1 << 17
# Of the memory that is free, for a series that is read whole: methods need several copies.
_COPIES = 3


def is_large(n_rows: int) -> bool:
    """Tell whether a series has too many rows to be read whole without need."""
    return n_rows > _READ_WHOLE


def rows_in_a_block(n_columns: int) -> int:
    """Return the rows of a block: a power of two that depends on the number of columns alone."""
    fitting = _NUMBERS_IN_A_BLOCK // max(n_columns, 1)
    power = 1 << max(fitting.bit_length() - 1, 0)
    return int(min(max(power, _FEWEST_ROWS), _MOST_ROWS))


@dataclass(frozen=True, eq=False)
class Window:
    """The rows that a task sees: a block, and its surroundings.

    Attributes
    ----------
    start, stop : int
        First row of the block, and one past its last.
    first, end : int
        First row that is read, and one past the last.
    borders : ndarray of int
        The rows among them with which a sequence begins.
    """

    start: int
    stop: int
    first: int
    end: int
    borders: IntArray


# What is done with one window: the source, where to read, and parameters by name.
Task = Callable[..., Any]


class Rows(ABC):
    """Rows in time order, in memory or elsewhere; `open_rows` makes them.

    Methods and measures take them in place of an array. Large ones are never read as a whole: see
    `predfeat.series.open_rows`.

    Attributes
    ----------
    n_rows, n_columns : int
    names : list of str
        Names of the columns in messages.
    has_names : bool
        Whether the source itself names its columns.
    resolution : float
        Relative rounding error of the source's type of numbers; 0 for whole numbers.
    borders : ndarray of int or None
        The rows with which sequences begin. None if that is known only from the ids of the rows.
    ids : ndarray or None
        The group id of every row, where it was given.
    """

    n_rows: int
    n_columns: int
    names: list[str]
    has_names: bool = False
    resolution: float
    borders: IntArray | None
    ids: AnyArray | None = None
    client: Any = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether the work is done on a cluster."""
        return self.client is not None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.n_rows, self.n_columns

    @abstractmethod
    def read(self, start: int, stop: int) -> FloatArray:
        """Return some rows as float64; NaN marks what is missing."""

    def read_ids(self, start: int, stop: int) -> AnyArray | None:
        """Return the group ids of some rows; None if there are no ids to read."""
        return None if self.ids is None else self.ids[start:stop]

    def whole(self) -> FloatArray:
        """Return all rows.

        Raises
        ------
        NotEnoughMemoryError
            They would not leave enough memory for any method.
        """
        needed, free = 8 * _COPIES * self.n_rows * self.n_columns, available_memory()
        if free is not None and needed > free:
            raise NotEnoughMemoryError(
                f"{self.n_rows} rows of {self.n_columns} columns would have to be read at once, "
                f"which takes about {in_words(needed)} of memory, and {in_words(free)} are free. "
                "SFA, PFA, and GPFA with a sample of centres (n_centers), a named init, the "
                "Euclidean metric and no other terms than Future and Past read them block by "
                "block. Else use fewer columns or rows."
            )
        return self.read(0, self.n_rows)

    def whole_ids(self) -> AnyArray | None:
        """Return ids of all rows that tell the sequences apart; None if there is but one."""
        ids = self.read_ids(0, self.n_rows)
        if ids is None and self.borders is not None and len(self.borders) > 1:
            ids = np.repeat(np.arange(len(self.borders)), np.diff([*self.borders, self.n_rows]))
        return ids

    def map(
        self, task: Task, windows: Sequence[Window], parameters: dict[str, Any]
    ) -> Iterator[Any]:
        """Do a task in every window, and yield the results in the order of the windows."""
        for number, window in enumerate(windows, 1):
            with step(number, len(windows)):
                result = done(self, task, window, parameters)
            yield result


def done(rows: Rows, task: Task, window: Window, parameters: dict[str, Any]) -> Any:
    """Do a task in one window, with one BLAS thread: the last bits are the same everywhere."""
    with one_blas_thread():
        return task(rows, window, **parameters)


class ArrayRows(Rows):
    """The rows of an array in memory, or of a memory map."""

    def __init__(
        self,
        array: AnyArray,
        *,
        borders: IntArray | None = None,
        ids: AnyArray | None = None,
        names: list[str] | None = None,
        resolution: float | None = None,
    ) -> None:
        check_numbers(array.dtype, array.shape, "X")
        self.array = array
        self.n_rows, self.n_columns = array.shape
        self.names = numbered_names(self.n_columns) if names is None else names
        self.resolution = resolution_of(array.dtype) if resolution is None else resolution
        self.borders = np.zeros(1, dtype=np.intp) if borders is None else borders
        self.ids = ids

    def read(self, start: int, stop: int) -> FloatArray:
        """See `Rows.read`."""
        return as_float64(self.array[start:stop])


def as_float64(values: AnyArray) -> FloatArray:
    """Return numbers as rows of float64 that follow each other in memory."""
    with np.errstate(over="ignore"):  # infinities are refused later, by their position
        return np.ascontiguousarray(values, dtype=np.float64)


def numbered_names(n_columns: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"x{i}" for i in range(n_columns)]


def resolution_of(dtype: Any) -> float:
    """Return the relative rounding error of a type, 0 for whole numbers."""
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def check_numbers(dtype: Any, shape: tuple[int, ...], source: str) -> None:
    """Refuse what is no matrix of real numbers."""
    if dtype.kind not in "buif":
        raise NotNumericError(
            f"{source} must hold real numbers, but its type is {dtype}. Convert it to float64."
        )
    if len(shape) != 2:
        raise DimensionError(
            f"{source} must be a 2-D array of rows (time) by columns (channels), but its shape is "
            f"{shape}."
        )


def stamp_of(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return the size of a file and when it was last changed."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns
