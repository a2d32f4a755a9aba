"""The features of rows that come one by one on standard input, each answered at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from predfeat.cli._data import missing_columns_explained, options_like
from predfeat.cli._notes import known_data
from predfeat.cli._options import PREPARATION
from predfeat.cli._terminal import write_now

__all__ = ["transform_rows"]

# Options of text tables that say how one row is read, and those that need many rows.
_OF_ONE_ROW = ("columns", "time", "group", "missing", "header", "delimiter")
_OF_MANY_ROWS = ("keep", "exclude", "jumps", "day_first")


def transform_rows(model: Path, reading: dict[str, Any]) -> bool:
    """Answer each row of standard input with its features; tell whether the model can do that.

    Rows are read as the model's training data was, but one at a time: what a reader finds out from
    many rows has to be given. `write_now` ends the work when nobody reads the answers any more.
    """
    from predfeat.datasets import RowPreparation, text_line
    from predfeat.persistence import read_model

    fitted, header = read_model(model)
    if header.estimator == "SymbolFeatures":
        return False  # a table of symbols is read as a whole
    data = known_data(header.notes, model)
    for name in (*_OF_MANY_ROWS, *(set(reading) - set(_OF_ONE_ROW) - set(PREPARATION))):
        if name in reading:
            raise typer.BadParameter(
                "rows are answered as they come, which leaves nothing to do for this option. With "
                "--out FILE the input is read as a whole.",
                param_hint=f"--{name.replace('_', '-')}",
            )
    options = options_like(data, reading, takes_columns=True)
    preparation = RowPreparation(**{n: v for n, v in options.items() if n in PREPARATION})
    rows = _opened(data, options)
    _check_width(rows, fitted, preparation)
    blank = _sentinels(data, rows.names)
    names = [str(name) for name in fitted.get_feature_names_out()]
    if rows.has_names and not write_now(text_line([*rows.aside, *names])):
        return True
    for row in rows:
        values = row.values
        for position, number in blank:
            if values[position] == number:
                values[position] = float("nan")
        prepared = preparation.next(values, row.group)
        if prepared is None:
            continue
        (features,) = _transformed(fitted, prepared, row.line)
        if not write_now(text_line(row.aside, features)):
            break
    return True


def _opened(data: dict[str, Any], options: dict[str, Any]) -> Any:
    from predfeat.datasets import RowStream
    from predfeat.exceptions import DataFileError

    if sys.stdin is None:  # of a process that was started without one
        raise DataFileError("standard input is closed: give it a table, or name a file.")
    of_rows = {name: value for name, value in options.items() if name in _OF_ONE_ROW}
    with missing_columns_explained(data):
        return RowStream(sys.stdin.buffer, **of_rows)


def _check_width(rows: Any, fitted: Any, preparation: Any) -> None:
    from predfeat.exceptions import DataFileError

    width = preparation.width(len(rows.names))
    if width != fitted.n_features_in_:
        raise DataFileError(
            f"the rows of standard input give {width} columns, but the model was fitted to "
            f"{fitted.n_features_in_}. Name its columns with --columns."
        )


def _sentinels(data: dict[str, Any], names: tuple[str, ...]) -> list[tuple[int, float]]:
    """Return the numbers that meant a missing value in the training data, by position."""
    pairs = data.get("sentinels", [])
    return [(names.index(name), number) for name, number in pairs if name in names]


def _transformed(fitted: Any, values: Any, line: int) -> list[list[float]]:
    from predfeat.exceptions import DataFileError, ScaleError

    try:
        features: list[list[float]] = fitted.transform(values[None]).tolist()
    except ScaleError as error:
        raise DataFileError(f"line {line} of standard input: {error}") from error
    return features
