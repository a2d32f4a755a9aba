"""The features of rows that come one by one on standard input, each answered at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from predfeat.cli._data import missing_columns_explained, options_like
from predfeat.cli._incoming_rows import (
    OF_ONE_ROW,
    incoming_rows,
    naming_the_line,
    without_sentinels,
)
from predfeat.cli._notes import known_data
from predfeat.cli._options import PREPARATION
from predfeat.cli._terminal import write_now

__all__ = ["transform_rows"]

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
    for name in (*_OF_MANY_ROWS, *(set(reading) - set(OF_ONE_ROW) - set(PREPARATION))):
        if name in reading:
            raise typer.BadParameter(
                "rows are answered as they come, which leaves nothing to do for this option. With "
                "--out FILE the input is read as a whole.",
                param_hint=f"--{name.replace('_', '-')}",
            )
    options = options_like(data, reading, takes_columns=True)
    preparation = RowPreparation(**{n: v for n, v in options.items() if n in PREPARATION})
    with missing_columns_explained(data):
        rows = incoming_rows(options)
    _check_width(rows, header.n_columns, preparation)
    names = [str(name) for name in fitted.get_feature_names_out()]
    if rows.has_names and not write_now(text_line([*rows.aside, *names])):
        return True
    for row in without_sentinels(rows, data.get("sentinels", [])):
        prepared = preparation.next(row.values, row.group)
        if prepared is None:
            continue
        with naming_the_line(row.line):
            (features,) = fitted.transform(prepared[None]).tolist()
        if not write_now(text_line(row.aside, features)):
            break
    return True


def _check_width(rows: Any, n_columns: int, preparation: Any) -> None:
    from predfeat.exceptions import DataFileError

    width = preparation.width(len(rows.names))
    if width != n_columns:
        raise DataFileError(
            f"the rows of standard input give {width} columns, but the model was fitted to "
            f"{n_columns}. Name its columns with --columns."
        )
