"""Features written to a file, with the time stamps, groups and names of their recording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import IO, Any

import numpy as np

from predfeat._typing import AnyArray, ArrayLike, FloatArray
from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._opening import library
from predfeat.datasets._recording import Recording
from predfeat.exceptions import DataFileError

__all__ = ["WRITABLE_SUFFIXES", "text_line", "write_features"]

WRITABLE_SUFFIXES = (".csv", ".tsv", ".npy", ".parquet")
_ROWS_AT_ONCE = 20_000
_SPECIAL = re.compile(r'[",;\t\r\n]|^(?:#|%|//)')
_EMPTY = '""'


def write_features(
    file: IO[bytes],
    values: ArrayLike,
    names: Sequence[str],
    *,
    suffix: str = ".csv",
    recording: Recording | None = None,
) -> None:
    """Write features, one row per row of the file they come from, in the file's own order.

    Rows that the reader inserted for gaps between time stamps are not written; a row that it left
    out as a copy gets the features of the row that it repeats. Numbers keep all their digits:
    reading them gives the same bits. NaN becomes an empty cell. Time stamps and group
    ids are those of the file: the text of its cells, character by character, or values of the
    same type, written to a text table with all their digits. In Parquet, time stamps in text
    that are numbers become numbers, unless these have too few digits.

    Parameters
    ----------
    file : binary file
        Open for writing; it is not closed here.
    values : array-like of shape (n_rows, n_features)
        The features, one row per row of `recording`.
    names : sequence of str
        Of the features, all different.
    suffix : {".csv", ".tsv", ".npy", ".parquet"}, default=".csv"
        How to write. Text tables and Parquet begin with a column "file", if several files were
        read, and with the time, the group and annotation columns, if there are any;
        .npy holds the features only, as a matrix has no names.
    recording : Recording, optional
        What the features were computed from.

    Raises
    ------
    DataFileError
        When rows or names do not match.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from predfeat.datasets import Recording, write_features
    >>> recording = Recording(
    ...     np.zeros((3, 2)), names=("x", "y"), source="a.wav", time=np.array([0.0, 0.5, 1.0])
    ... )
    >>> file = io.BytesIO()
    >>> write_features(file, [[0.1], [np.nan], [3.0]], ["feature 1"], recording=recording)
    >>> print(file.getvalue().decode())
    time,feature 1
    0.0,0.1
    0.5,
    1.0,3.0
    <BLANKLINE>
    """
    if suffix not in WRITABLE_SUFFIXES:
        raise DataFileError(
            f"{suffix!r} is not a format for features: give one of {', '.join(WRITABLE_SUFFIXES)}."
        )
    features = np.asarray(values, dtype=np.float64)
    if features.ndim != 2 or features.shape[1] != len(names):
        raise DataFileError(
            f"values must be a matrix with one column per name: its shape is {features.shape}, "
            f"and there are {len(names)} names."
        )
    columns: list[FileColumn] = []
    if recording is not None:
        if len(features) != len(recording.values):
            raise DataFileError(
                f"values has {len(features)} rows, but {recording.source} was read into "
                f"{len(recording.values)}."
            )
        features = _file_rows(features, recording)
        columns = _own_columns(recording, typed=suffix == ".parquet")
    _refuse_shared_names([*(column.name for column in columns), *names])
    if suffix == ".npy":
        np.lib.format.write_array(file, np.ascontiguousarray(features), allow_pickle=False)
    elif suffix == ".parquet":
        _write_parquet(file, columns, features, names)
    else:
        _write_text(file, columns, features, names, "," if suffix == ".csv" else "\t")


def text_line(cells: Sequence[str], numbers: Sequence[float] = ()) -> bytes:
    r"""Return one line of a text table as `write_features` writes it: cells, then numbers.

    Examples
    --------
    >>> from predfeat.datasets import text_line
    >>> text_line(["9:00", "a, b"], [0.5, float("nan")])
    b'9:00,"a, b",0.5,\n'
    """
    row = ",".join([*map(_in_quotes_where_needed, cells), *map(_in_digits, numbers)])
    return _in_utf8(f"{row or _EMPTY}\n")


def _own_columns(recording: Recording, *, typed: bool) -> list[FileColumn]:
    """Return the time and the group column as they are to be written."""
    columns = [] if recording.file_column is None else [recording.file_column]
    time = recording.time_column
    if time is None and recording.time is not None:
        time = FileColumn("time", _file_rows(recording.time, recording))
    if time is not None:
        columns.append(_in_numbers(time) if typed else time)
    group = recording.group_column
    made = recording.time_column is not None or recording.file_column is not None
    if group is None and recording.groups is not None and not made:
        group = FileColumn("group", _file_rows(recording.groups, recording))
    if group is not None:
        columns.append(group)
    for name, cells in recording.annotations.items():
        columns.append(FileColumn(name, _file_rows(_without_none(cells), recording)))
    return columns


def _without_none(cells: AnyArray) -> AnyArray:
    if cells.dtype.kind != "O":
        return cells
    texts = np.empty(len(cells), dtype=object)
    texts[:] = ["" if cell is None else cell for cell in cells]
    return texts


def _in_numbers(column: FileColumn) -> FileColumn:
    """Turn text such as 0.50 into numbers, for a file that has types, unless digits get lost."""
    if not isinstance(column.stored, np.ndarray) or column.stored.dtype.kind not in "OS":
        return column
    texts = column.texts()
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
        pairs = zip(texts, map(repr, numbers.tolist()), strict=True)
        if all(text == usual or Decimal(text) == Decimal(usual) for text, usual in pairs):
            return FileColumn(column.name, numbers)
    except (ValueError, ArithmeticError):
        pass
    return column


def _file_rows(cells: AnyArray, recording: Recording) -> AnyArray:
    """Return values given for each row of the series in the rows of the file."""
    if recording.rows is None:
        return cells
    there = recording.rows >= 0
    copies = recording.copies if recording.copies is not None else np.empty((0, 2), dtype=np.intp)
    in_file = np.empty((int(there.sum()) + len(copies), *cells.shape[1:]), dtype=cells.dtype)
    in_file[recording.rows[there]] = cells[there]
    in_file[copies[:, 0]] = in_file[copies[:, 1]]
    return in_file


def _refuse_shared_names(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataFileError(
                f"two columns would be called {name!r}. Give the features other names."
            )
        seen.add(name)


def _write_text(
    file: IO[bytes],
    columns: list[FileColumn],
    features: FloatArray,
    names: Sequence[str],
    delimiter: str,
) -> None:
    for text in _text_blocks(columns, features, names, delimiter):
        file.write(_in_utf8(text))


def _text_blocks(
    columns: list[FileColumn], features: FloatArray, names: Sequence[str], delimiter: str
) -> Iterator[str]:
    header = [*(column.name for column in columns), *names]
    yield delimiter.join(_in_quotes_where_needed(name) for name in header) + "\n"
    for start in range(0, len(features), _ROWS_AT_ONCE):
        stop = start + _ROWS_AT_ONCE
        own = [list(map(_in_quotes_where_needed, column.texts(start, stop))) for column in columns]
        numbers = [list(map(_in_digits, feature)) for feature in features[start:stop].T.tolist()]
        rows = map(delimiter.join, zip(*own, *numbers, strict=True))
        # A line of one empty cell would be a blank line, which means nothing.
        yield "".join(f"{row or _EMPTY}\n" for row in rows)


def _in_digits(number: float) -> str:
    # repr has as many digits as are needed to get the same bits back.
    return "" if number != number else repr(number)


def _in_quotes_where_needed(text: str) -> str:
    """Quote text that could be read as a delimiter, a line end, padding or a comment.

    All delimiters count, as a reader has to find out which one it is.
    """
    if text.strip() == text and not _SPECIAL.search(text):
        return text or _EMPTY
    return '"' + text.replace('"', '""') + '"'


def _write_parquet(
    file: IO[bytes], columns: list[FileColumn], features: FloatArray, names: Sequence[str]
) -> None:
    arrow = library("pyarrow", extra="tables", what="writing .parquet")
    parquet = library("pyarrow.parquet", extra="tables", what="writing .parquet")
    arrays = [_for_arrow(column.stored) for column in columns]
    arrays = [arrow.array(a) if isinstance(a, np.ndarray | list) else a for a in arrays]
    arrays += [arrow.array(np.ascontiguousarray(feature)) for feature in features.T]
    table = arrow.Table.from_arrays(
        arrays,
        names=[_in_utf8(str(n)).decode() for n in (*(column.name for column in columns), *names)],
    )
    # Each block that was read has a dictionary of its own, if it has one.
    parquet.write_table(table.unify_dictionaries(), file)


def _for_arrow(stored: Any) -> Any:
    if not (isinstance(stored, np.ndarray) and stored.dtype.kind in "OSU"):
        return stored
    cells = FileColumn("", stored).cells.tolist()
    return [_in_utf8(cell).decode() if isinstance(cell, str) else cell for cell in cells]


def _in_utf8(text: str) -> bytes:
    """Encode any text; bytes of a file name that are not UTF-8 become escapes."""
    return text.encode("utf-8", "backslashreplace")
