"""NumPy's own files: .npy and .npz."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._opening import Progress, check_fits, damage
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import select_columns
from predfeat.exceptions import DataFileError

__all__ = ["read_npy", "read_npz"]

_KEEP_ON_DISK = 2**26  # bytes; smaller arrays are copied, so that the file may change afterwards
_ADVICE = "Save fewer rows or columns, or save as .npy, which can stay on disk as float64."


def read_npy(
    path: Path, *, columns: Sequence[str] | None = None, progress: Progress | None = None
) -> Recording:
    """Read a matrix from a .npy file; a big one of floats stays on disk, memory-mapped."""
    # A map never allocates what the header claims: a size beyond the file's end is an error.
    with damage(path.name, "a .npy file"):
        array = np.lib.format.open_memmap(path, mode="r")
    if array.dtype.kind == "f" and array.nbytes > _KEEP_ON_DISK:
        recording = _recording(array, path.name, columns)
    else:
        check_fits(path.name, array.size * 8, _ADVICE)
        recording = _recording(np.array(array), path.name, columns)
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
    with damage(path.name, "a .npz file"), zipfile.ZipFile(path) as archive:
        members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy")
        }
        info = members[_choose(key, list(members), path.name)]
        check_fits(path.name, info.file_size, _ADVICE)
        with archive.open(info) as member:
            _refuse_false_claim(member, info.file_size, path.name)
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


def _refuse_false_claim(member: IO[bytes], n_bytes: int, source: str) -> None:
    """Compare the shape in the header with the bytes there are, before memory is taken for it."""
    version = np.lib.format.read_magic(member)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        # Version 3.0 differs only in names of fields, and tables of fields are refused anyway.
        raise DataFileError(f"{source} holds an array in format {version}, not 1.0 or 2.0.")
    shape, _, dtype = read_header(member)
    claimed = dtype.itemsize
    for length in shape:
        claimed *= int(length)
    if dtype.hasobject:
        raise DataFileError(f"{source} {_OBJECTS}")
    if claimed > n_bytes:
        raise DataFileError(
            f"{source} is damaged: an array of shape {shape} is announced, but only {n_bytes} "
            "bytes are there."
        )


_OBJECTS = (
    "holds Python objects (dtype object), which are never loaded, as that could run code. "
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
            f"{source} holds complex numbers ({array.dtype}). Features are defined for real ones: "
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
