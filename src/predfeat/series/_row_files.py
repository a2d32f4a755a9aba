"""Rows in files: .npy arrays and Parquet tables, one or many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.exceptions import (
    ChangedFileError,
    DataFileError,
    DimensionError,
    GroupsError,
    MissingColumnsError,
    MissingLibraryError,
    NotNumericError,
)
from predfeat.series._rows import (
    Rows,
    as_float64,
    check_numbers,
    numbered_names,
    resolution_of,
    stamp_of,
)

__all__ = ["FileRows", "open_files"]

_MOST_NAMES_SHOWN = 5


@dataclass(frozen=True)
class _File(ABC):
    """One file, as it was when it was opened.

    Attributes
    ----------
    path : str
        Absolute, because workers have working folders of their own.
    stamp : tuple of int
        Its size and when it was last changed.
    n_rows : int
    """

    path: str
    stamp: tuple[int, int]
    n_rows: int

    @abstractmethod
    def values(self, start: int, stop: int) -> AnyArray:
        """Return some rows."""

    def ids(self, start: int, stop: int) -> AnyArray | None:
        """Return the group ids of some rows, if the file has them."""
        return None

    def check_unchanged(self) -> None:
        """Raise if the file is not the one that was opened."""
        try:
            now = stamp_of(self.path)
        except OSError as error:
            raise DataFileError(
                f"{self.path} cannot be read here any more: {error}. Every process that works on a "
                "file must see it at the same path; a cluster needs a shared file system."
            ) from error
        if now != self.stamp:
            raise ChangedFileError(
                f"{self.path} has changed since it was opened: it had {self.stamp[0]} bytes and "
                f"now has {now[0]}, or was written again. Wait until nothing writes to it, and "
                "start anew."
            )


@dataclass(frozen=True)
class _NpyFile(_File):
    def values(self, start: int, stop: int) -> AnyArray:
        # Mapped anew each time, so that its pages do not stay in memory.
        mapped = _mapped(self.path)
        return as_float64(mapped[start:stop])


@dataclass(frozen=True)
class _ParquetFile(_File):
    columns: tuple[str, ...]
    group: str | None
    firsts: tuple[int, ...]  # the first row of each row group, and the number of all rows

    def values(self, start: int, stop: int) -> AnyArray:
        parts = [part for part, _ in self._parts(start, stop)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.columns)))

    def ids(self, start: int, stop: int) -> AnyArray | None:
        if self.group is None:
            return None
        parts = [ids for _, ids in self._parts(start, stop)]
        return np.concatenate(parts) if parts else np.empty(0, dtype=object)

    def _parts(self, start: int, stop: int) -> Iterator[tuple[FloatArray, AnyArray]]:
        for number, first in enumerate(self.firsts[:-1]):
            if first < stop and self.firsts[number + 1] > start:
                values, ids = _row_group(self, number)
                part = slice(max(start - first, 0), stop - first)
                yield values[part], ids[part]


# Blocks come in order, and one may reach over the border of two row groups.
@lru_cache(maxsize=2)
def _row_group(file: _ParquetFile, number: int) -> tuple[FloatArray, AnyArray]:
    wanted = [*file.columns, *([] if file.group is None else [file.group])]
    with _parquet(file.path) as opened:
        table = opened.read_row_group(number, columns=wanted, use_threads=False)
    values = np.empty((table.num_rows, len(file.columns)))
    for position, name in enumerate(file.columns):
        column = table.column(name)
        if str(column.type).startswith("decimal"):
            column = column.cast("float64")
        values[:, position] = column.to_numpy()  # null becomes NaN
    ids = np.empty(0) if file.group is None else table.column(file.group).to_numpy()
    return values, ids


class FileRows(Rows):
    """The rows of one or many files, one file after the other."""

    def __init__(
        self,
        files: Sequence[_File],
        names: list[str],
        *,
        resolution: float,
        has_names: bool,
        borders: IntArray | None,
        ids: AnyArray | None = None,
        client: Any = None,
    ) -> None:
        self.files = tuple(files)
        self.firsts = np.cumsum([0, *(file.n_rows for file in files)])
        self.n_rows, self.n_columns = int(self.firsts[-1]), len(names)
        self.names, self.has_names, self.resolution = names, has_names, resolution
        self.borders, self.ids = borders, ids
        self.client = client

    def __getstate__(self) -> dict[str, Any]:
        # Workers have clients of their own, and know the borders from their windows.
        return {**vars(self), "client": None, "ids": None, "borders": None}

    def read(self, start: int, stop: int) -> FloatArray:
        """See `Rows.read`."""
        parts = []
        for file, first, last in self._parts(start, stop):
            file.check_unchanged()
            parts.append(file.values(first, last))
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty((0, self.n_columns))

    def read_ids(self, start: int, stop: int) -> AnyArray | None:
        """See `Rows.read_ids`."""
        if self.ids is not None or not self._has_ids:
            return super().read_ids(start, stop)
        found = [file.ids(first, last) for file, first, last in self._parts(start, stop)]
        ids = np.concatenate([each for each in found if each is not None])
        missing = np.flatnonzero(np.array([each is None or each != each for each in ids]))
        if len(missing):
            raise GroupsError(
                f"groups must have an id for every row, but row {start + missing[0]} has none."
            )
        return ids

    @property
    def _has_ids(self) -> bool:
        return getattr(self.files[0], "group", None) is not None

    def _parts(self, start: int, stop: int) -> Iterator[tuple[_File, int, int]]:
        """Yield the files that hold some rows, and which of their own rows these are."""
        begin = max(int(np.searchsorted(self.firsts, start, side="right")) - 1, 0)
        for file, first in zip(self.files[begin:], self.firsts[begin:], strict=False):
            if first >= stop:
                return
            if first + file.n_rows > start:
                yield file, max(start - int(first), 0), min(stop - int(first), file.n_rows)

    def map(self, task: Any, windows: Any, parameters: dict[str, Any]) -> Iterator[Any]:
        """See `Rows.map`; on a cluster if there is one."""
        if self.client is None:
            return super().map(task, windows, parameters)
        from predfeat.series._cluster import map_on_cluster

        return map_on_cluster(self.client, self, task, windows, parameters)


def open_files(
    paths: Sequence[Path], *, columns: Sequence[str] | None, group: str | None, by_file: bool
) -> dict[str, Any]:
    """Return what `FileRows` needs to know of some files of one kind."""
    if paths[0].suffix == ".npy":
        if columns is not None or group is not None:
            raise DataFileError(
                "the columns of a .npy file have no names: columns and a groups column are for "
                "Parquet files. Give groups as one id per row."
            )
        files, names, types = _open_npy(paths)
    else:
        files, names, types = _open_parquet(paths, columns, group)
    firsts = np.cumsum([0, *(file.n_rows for file in files)])
    borders = np.zeros(1, dtype=np.intp)
    if by_file:
        borders = np.unique(firsts[:-1][np.diff(firsts) > 0])
    return {
        "files": files,
        "names": names,
        "resolution": max(map(resolution_of, types)),
        "has_names": paths[0].suffix != ".npy",
        "borders": None if group is not None else borders,
    }


def _open_npy(paths: Sequence[Path]) -> tuple[list[_File], list[str], list[Any]]:
    files: list[_File] = []
    first: AnyArray | None = None
    for path in paths:
        stamp = stamp_of(path)
        mapped = _mapped(str(path))
        check_numbers(mapped.dtype, mapped.shape, str(path))
        first = mapped if first is None else first
        if (mapped.shape[1], mapped.dtype) != (first.shape[1], first.dtype):
            raise DimensionError(
                f"all files must have the same columns and type: {paths[0].name} has "
                f"{first.shape[1]} columns of {first.dtype}, {path.name} has {mapped.shape[1]} of "
                f"{mapped.dtype}."
            )
        files.append(_NpyFile(str(path.absolute()), stamp, len(mapped)))
    assert first is not None
    return files, numbered_names(first.shape[1]), [first.dtype]


def _mapped(path: str) -> AnyArray:
    try:
        mapped: AnyArray = np.load(path, mmap_mode="r", allow_pickle=False)
    except MemoryError:
        raise
    except Exception as error:  # the header is parsed as Python, and a damaged one raises anything
        raise DataFileError(f"{path} is no .npy file that can be mapped: {error}") from error
    return mapped


def _parquet(path: str) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingLibraryError(
            'reading .parquet needs pyarrow: pip install "predfeat[tables]"'
        ) from error
    try:
        return parquet.ParquetFile(path)
    except Exception as error:
        if isinstance(error, ValueError | OSError):  # Arrow's own errors are of these kinds
            raise DataFileError(f"{path} is no Parquet file: {error}") from error
        raise


def _open_parquet(
    paths: Sequence[Path], columns: Sequence[str] | None, group: str | None
) -> tuple[list[_File], list[str], list[Any]]:
    files: list[_File] = []
    names: list[str] | None = None
    types: list[Any] = []
    for path in paths:
        stamp = stamp_of(path)
        with _parquet(str(path)) as opened:
            schema, facts = opened.schema_arrow, opened.metadata
            counts = [facts.row_group(i).num_rows for i in range(facts.num_row_groups)]
        wanted = names if columns is None else list(columns)
        known = {name: str(schema.field(name).type) for name in schema.names}
        chosen = _chosen_columns(path, known, wanted, group)
        names = chosen if names is None else names
        here = [_dtype_of(known[name]) for name in chosen]
        types = types or here
        if here != types or (columns is None and chosen != _numeric(known, group)):
            raise DimensionError(
                f"all files must have the same columns and types: those of {path.name} differ from "
                f"those of {paths[0].name}. Choose columns that all files have, of one type."
            )
        firsts = tuple(int(each) for each in np.cumsum([0, *counts]))
        files.append(
            _ParquetFile(str(path.absolute()), stamp, firsts[-1], tuple(chosen), group, firsts)
        )
    assert names is not None
    return files, names, types


def _chosen_columns(
    path: Path, known: dict[str, str], wanted: list[str] | None, group: str | None
) -> list[str]:
    """Return the columns to read; refuse those that are missing or hold no numbers."""
    chosen = _numeric(known, group) if wanted is None else wanted
    missing = [name for name in [*chosen, *([group] if group else [])] if name not in known]
    if missing:
        listed = ", ".join(map(repr, missing[:_MOST_NAMES_SHOWN]))
        raise MissingColumnsError(
            f"{path.name} has no column {listed}. It has {', '.join(map(repr, list(known)[:20]))}.",
            path.name,
            tuple(missing),
        )
    odd = [name for name in chosen if _dtype_of(known[name]) is None]
    if odd or not chosen:
        which = f"column {odd[0]!r} of type {known[odd[0]]}" if odd else "no column of numbers"
        raise NotNumericError(
            f"{path.name} has {which}. Choose columns that hold numbers with columns=[…]."
        )
    return chosen


def _numeric(known: dict[str, str], group: str | None) -> list[str]:
    return [name for name, kind in known.items() if name != group and _dtype_of(kind) is not None]


def _dtype_of(kind: str) -> Any:
    """Return NumPy's type for a type of Arrow, None if it is no type of numbers."""
    if kind.startswith("decimal"):
        return np.dtype(np.float64)
    named = {"halffloat": "float16", "float": "float32", "double": "float64", "bool": "bool"}
    if kind in named:
        return np.dtype(named[kind])
    return np.dtype(kind) if kind.startswith(("int", "uint")) else None
