"""The door for rows that are not in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, ArrayLike, IntArray
from predfeat.exceptions import DataFileError, GroupsError
from predfeat.series._dask_rows import DaskRows, is_dask_array
from predfeat.series._matrix import Matrix
from predfeat.series._row_files import FileRows, open_files
from predfeat.series._rows import ArrayRows, Rows
from predfeat.series._sequences import check_groups, first_rows, warn_returning

__all__ = ["as_rows", "open_rows"]

_SUFFIXES = (".npy", ".parquet")


def open_rows(
    source: Any,
    *,
    groups: str | ArrayLike | None = None,
    columns: Sequence[str] | None = None,
    by_file: bool = False,
    client: Any = None,
) -> Rows:
    """Open a long series without reading it.

    What it returns is accepted in place of X by all methods and measures. Up to 50 000 rows are
    read as they are needed, all at once. Of more rows, `SFA`, `PFA`, and `GPFA` with a sample of
    centres hold only some blocks at a time, in `fit` and `transform`. The result is, bit for bit,
    that of the same numbers in an array.

    Parameters
    ----------
    source : path, list of paths, array or dask.array.Array
        A file .npy or .parquet, a folder with files of one of the two kinds, a list of such files,
        an array (such as a memory map), or a Dask array. Files of a folder come in the order of
        their names, numbers in them counted as such: part2 is before part10.
    groups : str or array-like of shape (n_rows,), optional
        The column of a Parquet file with the ids of the sequences, or one id for each row. By
        default all rows are one sequence, also over the borders of files.
    columns : list of str, optional
        The columns of Parquet files to use; by default all that hold numbers.
    by_file : bool, default=False
        Whether each file is a sequence of its own.
    client : distributed.Client, optional
        Work on this cluster, whose workers see the files at the same path. A Dask array uses the
        current client if none is given.

    Returns
    -------
    Rows

    Raises
    ------
    DataFileError
        A file cannot be read, or the folder has none.
    DimensionError
        Files have other columns or types than the first.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from predfeat import SFA
    >>> from predfeat.series import open_rows
    >>> file = Path(tempfile.mkdtemp()) / "walk.npy"
    >>> np.save(file, np.random.default_rng(0).normal(size=(60_000, 3)).cumsum(axis=0))
    >>> rows = open_rows(file)
    >>> rows.shape
    (60000, 3)
    >>> SFA().fit(rows).components_.shape
    (2, 3)
    """
    if isinstance(source, Rows):
        return source
    is_path = isinstance(source, str | os.PathLike) or _is_list_of_paths(source)
    if is_path:
        return _of_files(source, groups, columns, by_file, client)
    if columns is not None or by_file or isinstance(groups, str):
        raise ValueError(
            "columns, by_file and the name of a groups column are for files. Choose the columns of "
            "an array yourself, and give groups as one id per row."
        )
    if is_dask_array(source):
        borders, ids = _known_groups(groups, source.shape[0])
        return DaskRows(source, borders=borders, ids=ids, client=client)
    if client is not None:
        raise ValueError(
            "an array in the memory of this process is not sent to a cluster. Save it as .npy "
            "where the workers can read it, or make a Dask array of it."
        )
    array = np.asarray(source)
    borders, ids = _known_groups(groups, len(array))
    return ArrayRows(array, borders=borders, ids=ids)


def as_rows(X: Any, *, groups: Any = None) -> Rows | None:
    """Return X as `Rows` if it can be read a block at a time as it is; else None.

    Parameters
    ----------
    X : Rows, array, dask.array.Array, Matrix or anything else
    groups : array-like, optional
        Ids of the sequences. `Rows` have their own.
    """
    if isinstance(X, Rows):
        if groups is not None:
            raise GroupsError(
                "groups were given beside rows that were opened before. Give them to open_rows: "
                "open_rows(…, groups=…)."
            )
        return X
    if is_dask_array(X) and X.ndim == 2 and X.dtype.kind in "buif":
        return open_rows(X, groups=groups)
    if isinstance(X, Matrix):
        borders, ids = _known_groups(groups, len(X.values))
        return ArrayRows(X.values, borders=borders, ids=ids, names=X.names, resolution=X.resolution)
    is_plain = type(X) in (np.ndarray, np.memmap)
    if is_plain and X.ndim == 2 and X.dtype.kind in "buif" and X.shape[1] > 0:
        borders, ids = _known_groups(groups, len(X))
        return ArrayRows(X, borders=borders, ids=ids)
    return None


def _of_files(source: Any, groups: Any, columns: Any, by_file: bool, client: Any) -> FileRows:
    if by_file and groups is not None:
        raise ValueError("by_file=True and groups both say what a sequence is: give one of them.")
    if isinstance(columns, str):
        columns = [columns]
    paths = _found(source)
    is_column = isinstance(groups, str)
    known = open_files(paths, columns=columns, group=groups if is_column else None, by_file=by_file)
    ids = None
    if groups is not None and not is_column:
        n_rows = sum(file.n_rows for file in known["files"])
        known["borders"], ids = _known_groups(groups, n_rows)
    return FileRows(**known, ids=ids, client=client)


def _known_groups(groups: Any, n_rows: int) -> tuple[IntArray | None, AnyArray | None]:
    """Return the rows with which sequences begin, and their ids."""
    if groups is None:
        return None, None
    ids = check_groups(groups, n_rows)
    warn_returning(ids)
    return first_rows(ids), ids


def _is_list_of_paths(source: Any) -> bool:
    return (
        isinstance(source, list | tuple)
        and len(source) > 0
        and all(isinstance(each, str | os.PathLike) for each in source)
    )


def _found(source: Any) -> list[Path]:
    """Return the files that are meant, of one kind."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        files = _of_folder(path) if path.is_dir() else [path]
    else:
        files = [Path(each) for each in source]
    kinds = sorted({file.suffix.lower() for file in files})
    unknown = [kind for kind in kinds if kind not in _SUFFIXES]
    if unknown or len(kinds) > 1:
        raise DataFileError(
            f"files to be read block by block are either .npy or .parquet, but these are "
            f"{', '.join(kinds) or 'of no kind'}. predfeat.datasets.read reads other kinds, and "
            "pyarrow or pandas can write them as Parquet."
        )
    for file in files:
        if not file.is_file():
            raise DataFileError(f"there is no file {file}.")
    return files


def _of_folder(folder: Path) -> list[Path]:
    files = [file for file in folder.rglob("*") if file.suffix.lower() in _SUFFIXES]
    if not files:
        raise DataFileError(f"the folder {folder} holds no .npy or .parquet file.")
    return sorted(files, key=_natural)


def _natural(path: Path) -> list[Any]:
    """Return a key that sorts part2 before part10."""
    parts = re.split(r"(\d+)", str(path))
    return [int(part) if part.isdigit() and part.isascii() else part for part in parts]
