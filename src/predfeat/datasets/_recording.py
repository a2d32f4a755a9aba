"""What a reader returns: the series, and what its rows and columns stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets._file_column import FileColumn

__all__ = ["Channels", "Image", "Layout", "Recording", "Spectrum"]


@dataclass(frozen=True)
class Channels:
    """Independent columns, such as those of a table."""


@dataclass(frozen=True)
class Spectrum:
    """Columns that are short-time spectra of a sound.

    Attributes
    ----------
    frequencies : ndarray of shape (n_columns,)
        Of each column, in Hz.
    parts : tuple of str
        What each column holds: "real", "imaginary" or "magnitude".
    """

    frequencies: FloatArray
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Image:
    """Columns that are the pixels of a picture, row by row.

    Attributes
    ----------
    height, width : int
    """

    height: int
    width: int


Layout = Channels | Spectrum | Image


@dataclass(frozen=True)
class Recording:
    """A series as it was read from a file.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Rows in time order. A row that holds a NaN is a gap; where time stamps jump, rows of NaN
        stand for the missing ones. float64; float32 stays float32, as its rounding would
        otherwise count as signal.
    names : tuple of str
        Of the columns.
    source : str
        The file's name, as it is shown.
    layout : Channels, Spectrum or Image
        How the columns belong together, so that features can be drawn.
    groups : ndarray of shape (n_rows,), optional
        Ids of the sequences: the file's own, or numbers where a long jump of the time stamps
        began a new sequence. For several files, their names, followed by such an id if any.
    time : ndarray of shape (n_rows,), optional
        Time stamp of every row: numbers, or datetime64 (in UTC, to the microsecond where
        nanoseconds do not reach). Steps and order are found with all digits of the file.
    rows : ndarray of int of shape (n_rows,), optional
        Which row of the file each row is; -1 for rows that stand for a gap between time stamps.
        None: the rows of the file. Rows are in chronological order, even where the file's are
        not.
    copies : ndarray of int of shape (n_copies, 2), optional
        Rows of the file that were left out because they repeat another one exactly, its time
        stamp included: the copy, and the row that it repeats.
    step : float, optional
        Time from row to row, in `unit`.
    unit : str
        Of `step`: "s" for dates and seconds; "months", "years" or "working days" where the
        calendar makes the steps; "units of" a column of numbers; "rows" where nothing is known.
    units : tuple of str
        Of the columns' numbers, as the file has them ("°C", "m/s"), "" where it says nothing;
        empty where it says nothing about any of them.
    skipped : tuple of str
        Columns of the file that were left out because they hold no numbers.
    left_out : tuple of str
        Columns of numbers that were left out because they are not data or cost too many rows.
    sentinels : tuple of (str, float)
        Columns, each with a number that was taken as missing there, such as -999.
    time_column, group_column : FileColumn, optional
        The columns `time` and `groups` come from, one cell per row of the file.
    file_column : FileColumn, optional
        Which file each row comes from, where several were read.
    annotations : dict of str to ndarray of shape (n_rows,) or (n_rows, n_columns)
        What the file says about each row, such as a label, by the names given to `read`: numbers,
        NaN where nothing is said, or text, None where nothing is said.
    notes : tuple of str
        What the reader decided, in sentences for the user.
    prepared_from : tuple of str
        Names of the columns before `prepare` changed them; empty if it did not.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording
    >>> recording = Recording(np.zeros((5, 2)), names=("x", "y"), source="points.csv")
    >>> recording.unit
    'rows'
    """

    values: FloatArray
    names: tuple[str, ...]
    source: str
    layout: Layout = field(default_factory=Channels)
    groups: np.ndarray[Any, Any] | None = None
    time: np.ndarray[Any, Any] | None = None
    rows: np.ndarray[Any, np.dtype[np.intp]] | None = None
    copies: np.ndarray[Any, np.dtype[np.intp]] | None = None
    step: float | None = None
    unit: str = "rows"
    units: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    sentinels: tuple[tuple[str, float], ...] = ()
    time_column: FileColumn | None = None
    group_column: FileColumn | None = None
    file_column: FileColumn | None = None
    annotations: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    prepared_from: tuple[str, ...] = ()
