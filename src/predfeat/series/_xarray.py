"""Data with named dimensions: from xarray to (X, groups), and features and patterns back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, ArrayLike, BoolArray
from predfeat._warnings import warn
from predfeat.exceptions import DimensionError, GroupsError, UnevenSamplingWarning
from predfeat.series._matrix import check_matrix

__all__ = ["Field", "from_xarray"]

# Months differ by a tenth in length and leap years by a day; what is missing is a whole step.
_LONGEST_STEP = 1.5


@dataclass(frozen=True, eq=False)
class _Variable:
    """One variable of a field, and which of its cells are columns."""

    name: Any
    cells: Any  # a DataArray over the variable's own dimensions, without time
    used: BoolArray  # of the cells in C order


@dataclass(frozen=True, eq=False)
class Field:
    """Data of xarray as a matrix, and the way back; `from_xarray` makes it.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        A row for each time. A column is a cell: one variable at one place.
    groups : ndarray of shape (n_rows,), or None
        The sequence of each row, for `fit(X, groups=groups)`.
    names : tuple of str
        Of the columns.
    """

    X: AnyArray
    groups: AnyArray | None
    names: tuple[str, ...]
    _variables: tuple[_Variable, ...]
    _rows: Any  # a DataArray over the dimensions of the rows
    _is_dataset: bool

    def features(self, Y: ArrayLike) -> Any:
        """Return features as a DataArray with the times of the rows.

        Parameters
        ----------
        Y : array-like of shape (n_rows, n_features)
            Such as `model.transform(field.X)`.

        Returns
        -------
        xarray.DataArray
            With the dimensions of the rows, and "feature".
        """
        import xarray

        values = check_matrix(Y, name="Y").values
        if len(values) != len(self.X):
            raise DimensionError(
                f"Y has {len(values)} rows, but this field has {len(self.X)}. Give the features "
                "of its own X; other data has a field of its own, from_xarray(other, like=field)."
            )
        rows, n_features = self._rows, values.shape[1]
        return xarray.DataArray(
            values.reshape(*rows.shape, n_features),
            dims=(*rows.dims, "feature"),
            coords={**rows.coords, "feature": np.arange(n_features)},
            name="features",
        )

    def patterns(self, rows: ArrayLike) -> Any:
        """Return rows over the columns of X as maps, with the coordinates of the cells.

        Parameters
        ----------
        rows : array-like of shape (n_features, n_columns)
            Such as `model.patterns_`, or `model.components_` for the weights.

        Returns
        -------
        xarray.DataArray or Dataset
            What was given to `from_xarray`, with "feature" in the place of time. Cells that were
            left out are NaN.
        """
        import xarray

        values = check_matrix(rows, name="rows").values
        if values.shape[1] != len(self.names):
            raise DimensionError(
                f"rows has {values.shape[1]} columns, but this field has {len(self.names)}: give "
                "patterns_ or components_ of a model that was fitted to its X."
            )
        maps, done = {}, 0
        for variable in self._variables:
            flat = np.full((len(values), variable.used.size), np.nan)
            n_used = int(variable.used.sum())
            flat[:, variable.used] = values[:, done : done + n_used]
            done += n_used
            cells = variable.cells
            maps[variable.name] = xarray.DataArray(
                flat.reshape(len(values), *cells.shape),
                dims=("feature", *cells.dims),
                coords={"feature": np.arange(len(values)), **cells.coords},
                name=variable.name,
                attrs=cells.attrs,
            )
        if self._is_dataset:
            return xarray.Dataset(maps)
        return maps[self._variables[0].name]


def from_xarray(
    data: Any, *, time: str = "time", group: str | None = None, like: Field | None = None
) -> Field:
    """Convert a DataArray or a Dataset to X and groups, with a way back.

    Cells that are NaN at all times, such as land in a field of the sea, are left out. Any other
    time with a NaN is a gap. All data is read into memory.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        With a dimension of time. The variables of a Dataset stand side by side; those without
        time are left out.
    time : str, default="time"
        The dimension of time.
    group : str, optional
        What tells sequences apart: a dimension, such as "trial" (all variables must have it), or a
        coordinate along time.
    like : Field, optional
        Use the cells of this field, to which a model was fitted.

    Returns
    -------
    Field

    Raises
    ------
    DimensionError
        There is no such dimension, no cell, or not the cells of `like`.
    GroupsError
        `group` is neither a dimension nor a coordinate along time.

    Warns
    -----
    UnevenSamplingWarning
        Times are missing: two neighbouring ones lie much further apart than usual.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray
    >>> from predfeat import SFA
    >>> from predfeat.series import from_xarray
    >>> rng = np.random.default_rng(0)
    >>> heat = xarray.DataArray(
    ...     rng.normal(size=(200, 2, 3)),
    ...     dims=("time", "lat", "lon"),
    ...     coords={"lat": [10.0, 20.0], "lon": [0.0, 5.0, 10.0]},
    ... )
    >>> field = from_xarray(heat)
    >>> field.X.shape
    (200, 6)
    >>> model = SFA(n_components=2).fit(field.X)
    >>> field.features(model.transform(field.X)).dims
    ('time', 'feature')
    >>> field.patterns(model.patterns_).sel(lat=20.0).shape
    (2, 3)
    """
    _refuse_other_types(data)
    is_dataset = hasattr(data, "data_vars")
    named = dict(data.data_vars) if is_dataset else {data.name: data}
    named = {name: values for name, values in named.items() if time in values.dims}
    if not named:
        raise DimensionError(
            f"there is no dimension {time!r}; the dimensions are {_listed(data.dims)}. Name that "
            "of time with time=…"
        )
    first = next(iter(named.values()))
    _check_times(first, time)
    groups_by_dimension = group is not None and group in data.dims
    row_dims = (group, time) if groups_by_dimension else (time,)
    for name, values in named.items():
        if groups_by_dimension and group not in values.dims:
            raise GroupsError(
                f"group={group!r} is a dimension, but not of the variable {name!r}, whose "
                f"dimensions are {_listed(values.dims)}. Leave the variable out."
            )
    rows = _over(first, row_dims)
    matrices, variables, names = [], [], []
    for number, (name, values) in enumerate(named.items()):
        cells = _over(values, tuple(dim for dim in values.dims if dim not in row_dims))
        flat = np.asarray(values.transpose(*row_dims, *cells.dims).values)
        flat = flat.reshape(rows.size, cells.size)
        used = _used(flat) if like is None else _cells_of(like, number, name, cells)
        matrices.append(flat[:, used])
        variables.append(_Variable(name, cells, used))
        names += _names(name if is_dataset else None, cells, used)
    if like is not None and len(like._variables) != len(variables):
        raise DimensionError(_other_variables(like, list(named)))
    if not names:
        raise DimensionError("the data has no cell with a number: everything is NaN.")
    return Field(
        X=np.hstack(matrices),
        groups=_groups(first, time, group, rows, groups_by_dimension),
        names=tuple(names),
        _variables=tuple(variables),
        _rows=rows,
        _is_dataset=is_dataset,
    )


def _refuse_other_types(data: Any) -> None:
    if not hasattr(data, "dims") or not hasattr(data, "coords"):
        raise DimensionError(
            f"data must be a DataArray or a Dataset of xarray, but it is a {type(data).__name__}. "
            "Other arrays are given to fit as they are."
        )


def _over(values: Any, dims: tuple[Any, ...]) -> Any:
    """Return zeros over some dimensions of a variable, with the coordinates that belong to them."""
    import xarray

    coords = {
        name: coord
        for name, coord in values.coords.items()
        if coord.dims and set(coord.dims) <= set(dims)
    }
    shape = [values.sizes[dim] for dim in dims]
    # One number in memory, whatever the shape: only the coordinates are of interest.
    zeros = np.broadcast_to(np.zeros(()), shape)
    return xarray.DataArray(zeros, dims=dims, coords=coords, attrs=values.attrs)


def _check_times(values: Any, time: str) -> None:
    if time not in values.coords or values.sizes[time] < 3:
        return
    at = values.coords[time].values
    if at.dtype.kind == "O":  # dates of other calendars: differences are timedeltas
        steps = np.array([step.total_seconds() for step in np.diff(at)])
    elif at.dtype.kind in "iufM":
        steps = np.diff(at).astype(np.float64)
    else:
        return
    if np.any(steps <= 0):
        row = int(np.argmax(steps <= 0)) + 1
        raise DimensionError(
            f"the times along {time!r} must increase, but row {row} ({at[row]}) comes after "
            f"{at[row - 1]}. Sort the data, data.sortby({time!r}), and drop repeated times."
        )
    usual = float(np.median(steps))
    if steps.max() > _LONGEST_STEP * usual:
        row = int(steps.argmax())
        warn(
            f"times are missing along {time!r}: from {at[row]} to {at[row + 1]} is "
            f"{steps[row] / usual:.3g} times the usual step. Rows on both sides count as "
            "neighbours in time. Put the missing times in as NaN (data.reindex or data.resample), "
            "or tell sequences apart by a coordinate (group=…).",
            UnevenSamplingWarning,
        )


def _used(flat: AnyArray) -> BoolArray:
    if flat.dtype.kind not in "fc":
        return np.ones(flat.shape[1], dtype=bool)
    return np.asarray(~np.isnan(flat).all(axis=0))


def _cells_of(like: Field, number: int, name: Any, cells: Any) -> BoolArray:
    """Return which cells another field uses, if it has the same ones."""
    if number >= len(like._variables):
        raise DimensionError(_other_variables(like, [name]))
    other = like._variables[number]
    same = other.cells.dims == cells.dims and other.cells.shape == cells.shape
    same = same and other.name == name
    for dim in cells.dims if same else ():
        if dim in cells.coords and dim in other.cells.coords:
            same &= bool(np.array_equal(cells.coords[dim], other.cells.coords[dim]))
    if not same:
        raise DimensionError(
            f"the cells of {name!r} ({dict(cells.sizes)}) are not those of the field given as like "
            f"({other.name!r}, {dict(other.cells.sizes)}): names, sizes and coordinates must be "
            "the same. Select or interpolate first."
        )
    return other.used


def _other_variables(like: Field, names: list[Any]) -> str:
    theirs = ", ".join(repr(variable.name) for variable in like._variables)
    return (
        f"the field given as like has the variables {theirs}, but the data has "
        f"{', '.join(map(repr, names))}. Give the same, in the same order."
    )


def _names(variable: Any, cells: Any, used: BoolArray) -> list[str]:
    """Return what the cells that are used are called, such as "heat lat=10.0 lon=0.0"."""
    at = [
        cells.coords[dim].values if dim in cells.coords else np.arange(cells.sizes[dim])
        for dim in cells.dims
    ]
    start = [] if variable is None else [str(variable)]
    names = []
    for flat in np.flatnonzero(used):
        place = np.unravel_index(flat, cells.shape) if cells.dims else ()
        parts = [f"{dim}={at[i][place[i]]}" for i, dim in enumerate(cells.dims)]
        names.append(" ".join([*start, *parts]) or "x0")
    return names


def _groups(
    values: Any, time: str, group: str | None, rows: Any, by_dimension: bool
) -> AnyArray | None:
    if group is None:
        return None
    if by_dimension:
        ids = rows.coords[group].values if group in rows.coords else np.arange(rows.sizes[group])
        return np.repeat(np.asarray(ids), rows.sizes[time])
    if group not in values.coords or values.coords[group].dims != (time,):
        along = [name for name, coord in values.coords.items() if coord.dims == (time,)]
        raise GroupsError(
            f"group={group!r} is neither a dimension ({_listed(values.dims)}) nor a coordinate "
            f"along {time!r} ({_listed(along)})."
        )
    return np.asarray(values.coords[group].values)


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names) or "none"
