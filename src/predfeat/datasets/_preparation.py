"""A recording prepared for a method, with its names, times and rows kept consistent."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._recording import Channels, Recording
from predfeat.exceptions import ReturningGroupWarning
from predfeat.series import Matrix, check_matrix, delay, thin
from predfeat.series import detrend as remove_lines
from predfeat.series import difference as changes

__all__ = ["prepare"]


def prepare(
    recording: Recording,
    *,
    every: int = 1,
    detrend: bool = False,
    difference: bool = False,
    delays: int = 0,
) -> Recording:
    """Thin out, detrend, take differences of, and delay a recording, in this order.

    With `every=10`, for example, differences and delays are between kept rows, 10 rows apart.

    Parameters
    ----------
    recording : Recording
    every : int, default=1
        Keep one row in that many of each sequence; see `predfeat.series.thin`. The recording is
        then as if the file had these rows only; where it has no time stamps, `time_column` holds
        their numbers, from 1 on.
    detrend : bool, default=False
        Remove the straight line from each column of each sequence; see `predfeat.series.detrend`.
        The line is fitted to the whole recording: methods compared on parts of it then know where
        the drift will end.
    difference : bool, default=False
        Take the change from row to row; see `predfeat.series.difference`. The columns are then
        called "Δ …".
    delays : int, default=0
        Append that many delayed copies of every column; see `predfeat.series.delay`. They are
        called "… (1 before)", "… (2 before)", and so on.

    Returns
    -------
    Recording
        As many rows as before, except with `every`: rows whose predecessors are missing are gaps.
        `prepared_from` holds the names as they were.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import Recording, prepare
    >>> recording = Recording(np.array([[1.0], [4.0], [6.0], [7.0]]), ("level",), "tank.csv")
    >>> prepared = prepare(recording, difference=True, delays=1)
    >>> prepared.names
    ('Δ level', 'Δ level (1 before)')
    >>> prepared.values
    array([[nan, nan],
           [nan, nan],
           [ 2.,  3.],
           [ 1.,  2.]])
    """
    names, units = recording.names, recording.units
    notes = list(recording.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReturningGroupWarning)  # the method that uses it will warn
        if every != 1:
            before = len(recording.values)
            recording = _thinned(recording, every)
            notes.append(f"One row in {every} was kept: {len(recording.values)} of {before}.")
        values: Any = recording.values
        if detrend:
            values = remove_lines(values, groups=recording.groups)
            notes.append("The straight line was removed from each column of each sequence.")
        if difference:
            values = changes(values, groups=recording.groups)
            names = tuple(f"Δ {name}" for name in names)
            notes.append("The columns are changes from row to row (Δ).")
        layout = recording.layout
        if delays != 0:
            values = delay(values, delays, groups=recording.groups)
            layout = Channels()
            back = ["", *(f" ({i} before)" for i in range(1, delays + 1))]
            names = tuple(name + when for when in back for name in names)
            units *= delays + 1
            past = "row" if delays == 1 else f"{delays} rows"
            notes.append(f"Each row also holds the {past} before it: {len(names)} columns.")
    if values is recording.values and every == 1:
        return recording
    return replace(
        recording,
        values=values,
        names=names,
        units=units,
        layout=layout,
        notes=tuple(notes),
        prepared_from=recording.prepared_from or recording.names,
    )


def _thinned(recording: Recording, every: int) -> Recording:
    matrix = check_matrix(recording.values, name=recording.source)
    named = Matrix(matrix.values, list(recording.names), matrix.resolution)
    kept = thin(named, every, groups=recording.groups)
    numbers = kept if recording.rows is None else recording.rows[kept]
    of_file = np.sort(numbers[numbers >= 0])
    rows = None
    if recording.rows is not None:
        rows = np.where(numbers >= 0, np.searchsorted(of_file, numbers), -1).astype(np.intp)
    time = recording.time_column
    if time is None and recording.time is None:
        time = FileColumn("row", np.arange(len(recording.values)) + 1)
    return replace(
        recording,
        values=recording.values[kept],
        groups=None if recording.groups is None else recording.groups[kept],
        time=None if recording.time is None else recording.time[kept],
        rows=rows,
        copies=None,
        step=None if recording.step is None else recording.step * every,
        time_column=_cells(time, of_file),
        group_column=_cells(recording.group_column, of_file),
        file_column=_cells(recording.file_column, of_file),
        annotations={role: cells[kept] for role, cells in recording.annotations.items()},
    )


def _cells(column: FileColumn | None, rows: Any) -> FileColumn | None:
    return None if column is None else column.take(rows)
