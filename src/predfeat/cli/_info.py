"""`predfeat info`: what is in a model or data file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._data import read_recording
from predfeat.cli._facts import data_in_words, model_in_words
from predfeat.cli._notes import known_data, own_notes
from predfeat.cli._options import Json, reads_a_file
from predfeat.cli._terminal import show_json, show_table

__all__ = ["info"]


@reads_a_file
def info(
    reading: dict[str, Any],
    file: Annotated[
        Path,
        typer.Argument(help="A model, a data file, or a folder of data files.", show_default=False),
    ],
    as_json: Json = False,
) -> None:
    """Describe a model file or a data file.

    For example:

        predfeat info model.predfeat

        predfeat info weather.csv --json
    """
    if file.suffix.lower() == ".predfeat":
        if reading:
            raise typer.BadParameter(
                f"--{next(iter(reading))} is an option for reading data, but {file} is a model."
            )
        facts, in_words = _of_model(file), model_in_words
    else:
        facts, in_words = _of_data(file, reading), data_in_words
    if as_json:
        show_json(facts)
    else:
        show_table(str(file), in_words(facts).items())


def _of_model(file: Path) -> dict[str, Any]:
    from predfeat.persistence import read_header

    header = read_header(file)
    return {
        "kind": "model",
        "estimator": header.estimator,
        "parameters": header.parameters,
        "n_columns": header.n_columns,
        "fitted": header.fitted,
        "arrays": {entry.name: list(entry.shape) for entry in header.arrays},
        "fitted_to": known_data(header.notes, file),
        "notes": own_notes(header.notes),
        "predfeat": header.version,
        "schema": header.schema,
        "fingerprint": header.fingerprint,
    }


def _of_data(file: Path, reading: dict[str, Any]) -> dict[str, Any]:
    from predfeat.report import describe_data
    from predfeat.series import check_sequences
    from predfeat.whitening import fit_whitening

    recording = read_recording([file], reading, quiet=True)  # the notes are among the facts
    series = check_sequences(recording.values, recording.groups, name=recording.source)
    rank = fit_whitening(series, None, warn=False).rank
    facts = describe_data(recording, series, rank)
    facts.pop("coverage")
    return {
        **facts,
        "columns": list(recording.names),
        "left_out": list(recording.left_out),
        "notes": list(recording.notes),
    }
