"""NetCDF: variables along time, decoded by their attributes."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._columns import record_columns
from predfeat.datasets._dates import parse_dates
from predfeat.datasets._hdf5 import chunk_bytes
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._table_options import TableOptions
from predfeat.datasets._timestamps import SECONDS, is_time_name
from predfeat.exceptions import DataFileError

__all__ = ["read_netcdf"]

_KIND = "a NetCDF file"
_ADVICE = "Choose one of its variables with `key`, or save a part of the grid."
_SINCE = re.compile(r"\s*([a-z]+)\s+since\s+(.+?)\s*", re.IGNORECASE)
_NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable"  # as the format has it
_REACH = 1e11  # seconds around the origin that are converted to dates: some 3000 years
# What counts days as Python and NumPy do; others, such as noleap, have years of their own.
_CALENDARS = ("", "standard", "gregorian", "proleptic_gregorian")


def read_netcdf(
    path: Path,
    options: TableOptions,
    *,
    key: str | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read all variables along time, or the one named by `key`.

    A variable on a grid becomes one column for each point of it.
    """
    with _variables(path) as variables:
        dimension = _time_dimension(variables, path.name)
        wanted = _wanted(variables, dimension, key, path.name)
        check_fits(path.name, 8 * sum(variables[name].size for name in wanted), _ADVICE)
        for name in wanted:
            check_fits(path.name, variables[name].chunk_bytes, _ADVICE)
        n_columns = sum(math.prod(variables[name].shape[1:]) for name in wanted)
        COLUMNS.check(n_columns, path.name)
        names: list[str] = []
        columns: list[AnyArray] = []
        units: list[str] = []
        notes: tuple[str, ...] = ()
        if dimension in variables and variables[dimension].dimensions == (dimension,):
            time, notes = _moments(variables[dimension], dimension, path.name)
            names, columns, units = [dimension], [time], [""]
            if options.time is None:
                options = replace(options, time=dimension)
        for done, name in enumerate(wanted):
            with damage(path.name, _KIND):
                block = variables[name].values()
            shape = variables[name].shape[1:]
            block = block.reshape(len(block), math.prod(shape))
            names += [_at(name, index) for index in np.ndindex(*shape)]
            columns += list(block.T)
            units += [variables[name].text("units")] * block.shape[1]
            if progress is not None:
                progress((done + 1) / len(wanted))
    if len({len(column) for column in columns}) > 1:
        raise DataFileError(f"{path.name} is damaged: its variables are not equally long.")
    return record_columns(path.name, names, columns, options, units=units, notes=notes)


def _at(name: str, index: tuple[int, ...]) -> str:
    return f"{name} {', '.join(str(i + 1) for i in index)}" if index else name


class _Variable:
    """A variable of either library."""

    def __init__(
        self, own: Any, attributes: Mapping[str, Any], dimensions: tuple[str, ...]
    ) -> None:
        self._own, self._attributes = own, attributes
        self.dimensions = dimensions
        self.shape = tuple(int(length) for length in own.shape)
        self.kind = np.dtype(own.dtype).kind if hasattr(own, "dtype") else own.data.dtype.kind
        self.size = math.prod(self.shape)
        self.chunk_bytes = chunk_bytes(own)

    def text(self, attribute: str) -> str:
        return _text(self._attributes.get(attribute, ""))

    def _number(self, attribute: str) -> float | None:
        found = self._attributes.get(attribute)
        return None if found is None else float(np.asarray(found).ravel()[0])

    def values(self) -> AnyArray:
        """Return the numbers, scaled as the attributes say; what is filled is NaN."""
        raw = np.asarray(self._own[...])
        own: AnyArray = raw.astype(
            np.float32 if raw.dtype in (np.float32, np.float16) else np.float64
        )
        for attribute in ("_FillValue", "missing_value"):
            fill = self._number(attribute)
            if fill is not None:
                own[raw == raw.dtype.type(fill)] = np.nan
        scale, offset = self._number("scale_factor"), self._number("add_offset")
        if scale is not None or offset is not None:
            own = own.astype(np.float64) * (1.0 if scale is None else scale) + (offset or 0.0)
        return own

    def counts(self) -> AnyArray | None:
        """Return the numbers where they are whole and stand for themselves, with all digits."""
        scaled = ("_FillValue", "missing_value", "scale_factor", "add_offset")
        raw = np.asarray(self._own[...])
        if raw.dtype.kind != "i" or any(self._number(name) is not None for name in scaled):
            return None
        return raw.astype(np.int64)


class _NoMoreThanThere(io.FileIO):
    """A file that takes no memory for bytes beyond its end, however many are asked for."""

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(os.fstat(self.fileno()).st_size - self.tell(), 0)
        return super().read(left if size is None or size < 0 else min(size, left)) or b""


@contextmanager
def _variables(path: Path) -> Iterator[dict[str, _Variable]]:
    with path.open("rb") as file:
        start = file.read(8)
    if start[:4] == b"\x89HDF":
        h5py = library("h5py", extra="hdf5", what="reading NetCDF 4")
        with damage(path.name, _KIND):
            opened = h5py.File(path, "r")
    else:
        from scipy.io import netcdf_file

        with damage(path.name, _KIND):
            opened = netcdf_file(_NoMoreThanThere(path), "r", mmap=False)
    try:
        with damage(path.name, _KIND):
            found = _of_hdf5(opened) if start[:4] == b"\x89HDF" else _of_classic(opened)
        yield found
    finally:
        opened.close()


def _of_classic(file: Any) -> dict[str, _Variable]:
    return {
        name: _Variable(own, dict(own._attributes), tuple(own.dimensions))
        for name, own in file.variables.items()
    }


def _of_hdf5(file: Any) -> dict[str, _Variable]:
    """Read NetCDF 4 as the HDF5 that it is: dimensions are scales, which variables refer to.

    By attributes alone, as HDF5's own functions for scales end the process on damaged files.
    """
    variables = {}
    for name, own in file.items():
        if not hasattr(own, "shape"):
            continue  # a group
        attributes = dict(own.attrs)
        if _text(attributes.get("NAME", "")).startswith(_NO_VARIABLE):
            continue
        if len(own.shape) == 1 and _text(attributes.get("CLASS", "")) == "DIMENSION_SCALE":
            dimensions = [name]
        else:
            listed = attributes.get("DIMENSION_LIST", [])
            dimensions = [
                file[scales[0]].name.lstrip("/") if len(scales) else "" for scales in listed
            ]
        variables[name] = _Variable(own, attributes, tuple(dimensions))
    return variables


def _text(found: Any) -> str:
    """Return an attribute that is text, however it is kept."""
    if isinstance(found, np.ndarray):
        found = found.ravel()[0] if found.size else ""
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)


def _time_dimension(variables: dict[str, _Variable], source: str) -> str:
    """Find the dimension that is time: by its units, else by its name."""
    lines = [name for name, v in variables.items() if v.dimensions == (name,)]
    found = [name for name in lines if _SINCE.fullmatch(variables[name].text("units"))]
    found += [name for name in lines if is_time_name(name) is not None and name not in found]
    dimensions = dict.fromkeys(d for v in variables.values() for d in v.dimensions)
    found += [name for name in dimensions if is_time_name(name) is not None and name not in found]
    if found:
        return found[0]
    if len(dimensions) == 1:
        return next(iter(dimensions))
    listed = ", ".join(map(repr, [*dimensions][:10])) or "none"
    raise DataFileError(
        f"{source} has no time dimension; its dimensions are {listed}. Rename the right "
        'one: xarray.open_dataset(path).rename(x="time").to_netcdf("renamed.nc").'
    )


def _wanted(
    variables: dict[str, _Variable], dimension: str, key: str | None, source: str
) -> list[str]:
    along = [
        name
        for name, v in variables.items()
        if v.dimensions[:1] == (dimension,) and name != dimension and v.kind in "iuf"
    ]
    # Bounds of cells belong to a coordinate; they are no data.
    bounds = {v.text("bounds") for v in variables.values()}
    along = [name for name in along if name not in bounds]
    listed = ", ".join(map(repr, along[:20])) or "nothing"
    if key is not None:
        if key not in along:
            raise DataFileError(
                f"{source} has no variable {key!r} with {dimension!r} as first dimension, only "
                f"{listed}."
            )
        return [key]
    if not along:
        raise DataFileError(f"{source} has no numeric variable along {dimension!r}.")
    return along


def _moments(variable: _Variable, name: str, source: str) -> tuple[AnyArray, tuple[str, ...]]:
    """Decode "hours since 1900-01-01"; keep numbers where the calendar is not the usual one."""
    with damage(source, _KIND):
        numbers = variable.values().astype(np.float64)
    since = _SINCE.fullmatch(variable.text("units"))
    if since is None or not np.isfinite(numbers).all():
        return numbers, ()
    seconds = SECONDS.get(since[1].lower())
    # 1900-01-01 0:0:0.0 is usual here, and nowhere else.
    origin = parse_dates([re.sub(r":(\d)(?!\d)", r":0\1", since[2])])
    if variable.text("calendar").lower() not in _CALENDARS or seconds is None:
        note = (
            f"Time ({name!r}) was kept as numbers: {since[0].strip()}, {variable.text('calendar')}."
        )
        return numbers, (note,)
    if isinstance(origin, str) or np.abs(numbers).max(initial=0) > _REACH / seconds:
        return numbers, (f"Time ({name!r}) was kept as numbers: {since[0].strip()}.",)
    counts = variable.counts()
    if counts is not None and seconds == SECONDS["ns"]:
        start = int(origin.time.astype("M8[s]").astype(np.int64)[0]) * 10**9
        if abs(start) + int(np.abs(numbers).max(initial=0)) < 2**62:  # some 146 years from 1970
            return (counts + start).astype("M8[ns]"), ()
    moved = np.rint(numbers * (seconds * 1e6)).astype(np.int64).astype("m8[us]")
    return origin.time.astype("M8[us]")[0] + moved, ()
