"""MATLAB's .mat files: matrices, or vectors of one length as columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._columns import record_columns
from predfeat.datasets._hdf5 import chunk_bytes
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._mat5 import NUMBERS, matrices
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._table_options import TableOptions
from predfeat.exceptions import DataFileError

__all__ = ["read_mat"]

_KIND = "a .mat file"
_ADVICE = "Choose a smaller array of it with `key`."


def read_mat(
    path: Path,
    options: TableOptions,
    *,
    key: str | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read matrices of numbers; structures, cells and objects are ignored."""
    with path.open("rb") as file:
        start = file.read(520)
    # From version 7.3 on these are HDF5 files, behind a block that is MATLAB's own.
    if start[:8] == _HDF5 or start[512:520] == _HDF5:
        arrays, others = _from_hdf5(path, key)
    else:
        arrays, others = _from_level_5(path, key)
    recording = _recording(arrays, others, path.name, options)
    if progress is not None:
        progress(1.0)
    return recording


_HDF5 = b"\x89HDF\r\n\x1a\n"


def _from_level_5(path: Path, key: str | None) -> tuple[dict[str, AnyArray], list[str]]:
    check_fits(path.name, path.stat().st_size, _ADVICE)
    with damage(path.name, _KIND), path.open("rb") as file:
        content = file.read()
        found = list(matrices(content, path.name))
    shapes = {one.name: one.shape for one in found if one.kind in NUMBERS}
    others = [f"{one.name!r} ({one.kind})" for one in found if one.kind not in NUMBERS]
    wanted = _wanted(shapes, others, key, path.name)
    check_fits(path.name, 8 * sum(_size(shapes[name]) for name in wanted), _ADVICE)
    with damage(path.name, _KIND):
        return {one.name: one.array() for one in found if one.name in wanted}, others


def _from_hdf5(path: Path, key: str | None) -> tuple[dict[str, AnyArray], list[str]]:
    h5py = library("h5py", extra="hdf5", what="reading .mat of version 7.3")
    with damage(path.name, _KIND), h5py.File(path, "r") as file:
        members = {name: file[name] for name in file if not name.startswith("#")}
        plain = {
            name: part
            for name, part in members.items()
            if isinstance(part, h5py.Dataset) and part.dtype.kind in "biuf"
        }
        others = [f"{name!r}" for name in members if name not in plain]
        shapes = {name: part.shape for name, part in plain.items()}
        wanted = _wanted(shapes, others, key, path.name)
        check_fits(path.name, 8 * sum(_size(shapes[name]) for name in wanted), _ADVICE)
        for name in wanted:
            check_fits(path.name, chunk_bytes(plain[name]), _ADVICE)
        # MATLAB counts along columns first, HDF5 along rows.
        return {name: np.asarray(plain[name]).T for name in wanted}, others


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= int(length)
    return size


def _wanted(
    shapes: Mapping[str, tuple[int, ...]], others: list[str], key: str | None, source: str
) -> list[str]:
    """Choose the arrays: the one asked for, all vectors of one length, or the only matrix."""
    listed = ", ".join(
        f"{name!r} ({' × '.join(map(str, shape))})" for name, shape in [*shapes.items()][:20]
    )
    if key is not None:
        if key not in shapes:
            told = listed or ", ".join(others[:20]) or "nothing"
            raise DataFileError(f"{source} holds no matrix {key!r}, only {told}.")
        return [key]
    series = {name: shape for name, shape in shapes.items() if _size(shape) > 1}
    lengths = {max(shape) for shape in series.values() if _size(shape) == max(shape)}
    if len(series) > 1 and not (
        len(lengths) == 1 and all(_size(shape) == max(shape) for shape in series.values())
    ):
        raise DataFileError(
            f"{source} holds {len(series)} matrices: {listed}. Choose one of them with `key`."
        )
    return list(series)


def _recording(
    arrays: dict[str, AnyArray], others: list[str], source: str, options: TableOptions
) -> Recording:
    if not arrays:
        also = f", only {', '.join(others[:10])}" if others else ""
        raise DataFileError(
            f"{source} holds no matrix of numbers{also}. In MATLAB, save('data.mat', '-struct', "
            "'s') writes the fields of a structure s as matrices, and writetable(T, 'data.csv') a "
            "table T."
        )
    notes: tuple[str, ...] = ()
    names: list[str] = []
    columns: list[AnyArray] = []
    for name, array in arrays.items():
        if array.dtype.kind == "c":
            raise DataFileError(
                f"{name!r} in {source} holds complex numbers: save its real and imaginary parts."
            )
        if array.dtype.kind not in "biuf":
            raise DataFileError(
                f"{name!r} in {source} does not hold plain numbers ({array.dtype})."
            )
        matrix = np.squeeze(array) if array.size == max(array.shape, default=0) else array
        if matrix.ndim > 2:
            raise DataFileError(
                f"{name!r} in {source} has {matrix.ndim} dimensions, shape {matrix.shape}. "
                "Trials × time × channels goes through predfeat.series.from_trials."
            )
        if matrix.ndim < 2:
            names.append(name)
            columns.append(np.atleast_1d(matrix))
            continue
        COLUMNS.check(matrix.shape[1], source)
        if matrix.shape[1] > matrix.shape[0]:
            notes += (
                f"{name!r} has more columns ({matrix.shape[1]}) than rows ({matrix.shape[0]}). "
                "Rows were taken as time: save its transpose if time runs along the columns.",
            )
        names += [f"column {i + 1}" for i in range(matrix.shape[1])]
        columns += list(matrix.T)
    if others:
        notes += (f"Left out because they are not matrices of numbers: {', '.join(others[:10])}.",)
    return record_columns(source, names, columns, options, notes=notes)
