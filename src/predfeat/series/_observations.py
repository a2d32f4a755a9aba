"""Observations as simulators log them, pictures and nested dicts included, as rows of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from predfeat._typing import AnyArray
from predfeat.exceptions import DimensionError, EpisodesError

__all__ = ["Layout", "as_array", "columns_of", "flatten_observation", "flatten_rows", "is_nested"]

# Which part of an observation the columns come from: its path, and the shape of one row of it.
Layout: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]


def flatten_observation(observation: Any) -> AnyArray:
    """Return the numbers of one observation in the order of the columns of `from_episodes`.

    Parameters
    ----------
    observation : number, array-like, or nested dicts and tuples of these
        As an environment of gymnasium returns it. The parts of a dict are taken in the
        alphabetical order of their keys, those of a tuple in its own order, and arrays row by row.

    Returns
    -------
    ndarray of shape (n_columns,)

    Examples
    --------
    >>> from predfeat.series import flatten_observation
    >>> flatten_observation({"wheels": [3.0, 4.0], "arm": {"angle": 0.5}}).tolist()
    [0.5, 3.0, 4.0]
    """
    leaves = [as_array(leaf, "an observation").ravel() for _, leaf in _leaves(observation)]
    return leaves[0] if len(leaves) == 1 else np.concatenate(leaves)


def flatten_rows(observations: Any, name: str) -> tuple[AnyArray, Layout]:
    """Return one row per observation, and where its columns come from.

    Parameters
    ----------
    observations : array-like, DataFrame, or nested dicts and tuples of arrays
        Time is the first axis of every array. A list of observations that are dicts or tuples
        themselves is also taken.
    name : str
        Name of the observations in messages.

    Returns
    -------
    rows : ndarray of shape (n_rows, n_columns)
    layout : tuple of (str, shape)
        What `columns_of` makes names of.
    """
    if hasattr(observations, "columns"):
        rows = as_array(observations, name)
        return rows, tuple((str(column), ()) for column in observations.columns)
    parts = [(path, as_array(leaf, name)) for path, leaf in _leaves(observations, of_rows=True)]
    if not parts:
        raise DimensionError(f"{name} are an empty dict or tuple: give at least one array.")
    for path, array in parts:
        if array.ndim == 0 or (array.ndim == 1 and path == ""):
            raise DimensionError(
                f"{name} must be a row of numbers for each time, but they have shape "
                f"{array.shape}. A single channel is observations.reshape(-1, 1); numbers of "
                "states without an order are better given as np.eye(n_states)[observations]."
            )
        if len(array) != len(parts[0][1]):
            raise EpisodesError(
                f"{name} have parts of different lengths: {parts[0][0]!r} has "
                f"{len(parts[0][1])} rows, {path!r} has {len(array)}. Give every part one row for "
                "each time."
            )
    layout = tuple((path, array.shape[1:]) for path, array in parts)
    flat = [array.reshape(len(array), int(np.prod(array.shape[1:]))) for _, array in parts]
    return (flat[0] if len(flat) == 1 else np.concatenate(flat, axis=1)), layout


def columns_of(layout: Layout) -> tuple[str, ...]:
    """Return the names of the columns: x0, x1 … for plain rows, else paths and places."""
    if len(layout) == 1 and layout[0][0] == "" and len(layout[0][1]) == 1:
        return tuple(f"x{i}" for i in range(layout[0][1][0]))
    names = []
    for path, shape in layout:
        places = product(*(range(n) for n in shape))
        names += [
            f"{path or 'x'}[{', '.join(map(str, place))}]" if place else path for place in places
        ]
    return tuple(names)


def is_nested(value: Any) -> bool:
    """Tell whether a value has parts: a dict, or a tuple of other things than numbers."""
    if isinstance(value, tuple):
        return any(isinstance(p, Mapping | list | tuple) or getattr(p, "ndim", 0) for p in value)
    return isinstance(value, Mapping)


def as_array(values: Any, name: str) -> AnyArray:
    """Return an array with NaN where values are masked; refuse rows of different lengths."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    try:
        return np.asarray(values)
    except ValueError as error:
        raise DimensionError(
            f"{name} must be an array, but its rows differ in length or shape ({error}). Give "
            "every row the same number of values."
        ) from error


def _leaves(tree: Any, path: str = "", of_rows: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield (path, array-like) of all parts, in the order of the columns."""
    if of_rows and isinstance(tree, list) and tree and is_nested(tree[0]):
        tree = _joined(tree, path)
    if not is_nested(tree):
        yield path, tree
        return
    parts = sorted(tree.items(), key=_key) if isinstance(tree, Mapping) else enumerate(tree)
    for key, part in parts:
        yield from _leaves(part, f"{path}.{key}" if path else str(key), of_rows)


def _key(item: tuple[Any, Any]) -> str:
    return str(item[0])


def _joined(rows: list[Any], path: str) -> Any:
    """Turn a list of dicts, or of tuples, into a dict, or a tuple, of lists."""

    def keys_of(row: Any) -> set[Any]:
        if isinstance(rows[0], Mapping):
            return set(row) if isinstance(row, Mapping) else set()
        return set(range(len(row))) if isinstance(row, tuple) else set()

    keys = keys_of(rows[0])
    for i, row in enumerate(rows):
        if keys_of(row) != keys:
            where = f"in {path!r}, " if path else ""
            raise EpisodesError(
                f"observations must all have the same parts: {where}observation 0 has "
                f"{sorted(map(str, keys))}, observation {i} has {sorted(map(str, keys_of(row)))}."
            )
    if isinstance(rows[0], Mapping):
        return {key: [row[key] for row in rows] for key in rows[0]}
    return tuple([row[i] for row in rows] for i in range(len(rows[0])))
