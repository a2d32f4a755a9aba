"""NumPy's own files: .npy and .npz."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from predfeat._memory import available_memory, in_words
from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._compressed import open_archive
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._opening import Progress, check_fits, damage
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import select_columns
from predfeat.exceptions import DataFileError

__all__ = ["read_npy", "read_npz"]

# Of the free memory: smaller arrays are copied, so that the file may change afterwards.
_COPIED_SHARE = 0.25
_ADVICE = "Save fewer rows or columns, or save as .npy, which can stay on disk as float64."


def read_npy(
    path: Path, *, columns: Sequence[str] | None = None, progress: Progress | None = None
) -> Recording:
    """Read a matrix from a .npy file; floats that would fill memory stay on disk, mapped."""
    kind = "a .npy file"
    with damage(path.name, kind), path.open("rb") as file:
        shape, dtype = _announced(file, path.stat().st_size, path.name)
    available = available_memory()
    n_bytes = math.prod(shape) * dtype.itemsize
    if dtype.kind != "f" or available is None or n_bytes <= _COPIED_SHARE * available:
        _check_array(shape, dtype, path.name)
        # Not through a map: if another process shortens the file meanwhile, this is an error of
        # reading, while a map would end the process.
        with damage(path.name, kind), path.open("rb") as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
        recording = _recording(array, path.name, columns)
    else:
        with damage(path.name, kind):
            array = np.lib.format.open_memmap(path, mode="r")
        note = (
            f"{path.name} stays on disk ({in_words(n_bytes)}). Do not change it meanwhile: if it "
            "is shortened, the system ends this process."
        )
        recording = replace(_recording(array, path.name, columns), notes=(note,))
    if progress is not None:
        progress(1.0)
    return recording


def read_npz(
    path: Path,
    *,
    key: str | None = None,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read one matrix from a .npz file."""
    with damage(path.name, "a .npz file"), open_archive(path) as archive:
        members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy")
        }
        info = members[_choose(key, list(members), path.name)]
        with archive.open(info) as member:
            shape, dtype = _announced(member, info.file_size, path.name)
        _check_array(shape, dtype, path.name)
        with archive.open(info) as member:
            array = np.lib.format.read_array(member, allow_pickle=False)
    recording = _recording(array, path.name, columns)
    if progress is not None:
        progress(1.0)
    return recording


def _choose(key: str | None, keys: list[str], source: str) -> str:
    listed = ", ".join(map(repr, keys[:20])) + (", …" if len(keys) > 20 else "")
    if not keys:
        raise DataFileError(f"{source} holds no arrays.")
    if key is None:
        if len(keys) > 1:
            raise DataFileError(
                f"{source} holds {len(keys)} arrays: {listed}. Choose one of them with `key`."
            )
        return keys[0]
    if key not in keys:
        raise DataFileError(f"{source} holds no array {key!r}, only {listed}.")
    return key


def _check_array(shape: tuple[int, ...], dtype: np.dtype[Any], source: str) -> None:
    """Refuse an array that does not fit as it is, or as the floats that it becomes."""
    if len(shape) > 1:
        COLUMNS.check(shape[1], source)
    n_bytes = dtype.itemsize + (0 if dtype.kind == "f" and dtype.itemsize <= 8 else 8)
    check_fits(source, math.prod(shape) * n_bytes, _ADVICE)


def _announced(
    member: IO[bytes], n_bytes: int, source: str
) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return shape and type as the header has them, compared with the bytes there are."""
    version = np.lib.format.read_magic(member)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        # Version 3.0 differs only in names of fields, and tables of fields are refused anyway.
        raise DataFileError(f"{source} holds an array in format {version}, not 1.0 or 2.0.")
    shape, _, dtype = read_header(member)
    claimed = dtype.itemsize * math.prod(shape)
    if dtype.hasobject:
        raise DataFileError(f"{source} {_OBJECTS}")
    if claimed > n_bytes:
        raise DataFileError(
            f"{source} is damaged: its header states an array of shape {shape}, but it holds only "
            f"{n_bytes} bytes."
        )
    return shape, dtype


_OBJECTS = (
    "holds Python objects (dtype object), which are never loaded because that could run code. "
    "Save numbers: np.save(path, X.astype(float))."
)


def _recording(array: AnyArray, source: str, columns: Sequence[str] | None) -> Recording:
    values = _as_matrix(array, source)
    names = tuple(f"column {i + 1}" for i in range(values.shape[1]))
    if columns is not None:
        chosen = select_columns(names, columns, source)
        values, names = values[:, chosen], tuple(names[i] for i in chosen)
    return Recording(values, names, source)


def _as_matrix(array: AnyArray, source: str) -> FloatArray:
    kind = array.dtype.kind
    if kind == "c":
        raise DataFileError(
            f"{source} holds complex numbers ({array.dtype}). Features need real ones: "
            "save np.hstack([X.real, X.imag])."
        )
    if kind not in "biuf":
        what = "is a table of fields" if array.dtype.names else "holds no numbers"
        raise DataFileError(
            f"{source} {what} (dtype {_short(array.dtype)}). Save a plain matrix of numbers, "
            "rows in time by columns."
        )
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        advice = (
            "Trials × time × channels goes through predfeat.series.from_trials."
            if array.ndim == 3
            else "Save rows in time by columns."
        )
        raise DataFileError(
            f"{source} must hold a matrix of rows (time) by columns, but the array has "
            f"{array.ndim} dimensions, shape {array.shape}. {advice}"
        )
    if 0 in array.shape:
        raise DataFileError(f"{source} holds no numbers: its shape is {array.shape}.")
    if kind == "f" and array.dtype.itemsize <= 8:
        # Same type, this machine's byte order; nothing is copied where it is so already.
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    return array.astype(np.float64)


def _short(dtype: np.dtype[Any]) -> str:
    text = str(dtype)
    return text if len(text) <= 80 else text[:80] + "…"
