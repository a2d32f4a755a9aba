"""`predfeat info`: what is in a model or data file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._data import read_recording
from predfeat.cli._options import Json, reads_a_file
from predfeat.cli._terminal import show

__all__ = ["info"]

_SHOWN = 12


@reads_a_file
def info(
    reading: dict[str, Any],
    file: Annotated[Path, typer.Argument(help="A model or data file.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Say what is in a model file or a data file.

    For example:

        predfeat info model.predfeat

        predfeat info weather.csv --json
    """
    if file.suffix.lower() == ".predfeat":
        if reading:
            raise typer.BadParameter(
                f"--{next(iter(reading))} says how to read data, but {file} is a model."
            )
        facts = _of_model(file)
    else:
        facts = _of_data(file, reading, quiet=as_json)
    if as_json:
        typer.echo(json.dumps(facts, indent=2, allow_nan=False))
    else:
        _show(str(file), facts)


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
        "fitted_to": header.notes,
        "predfeat": header.version,
        "schema": header.schema,
        "fingerprint": header.fingerprint,
    }


def _of_data(file: Path, reading: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    from predfeat.report import describe_data
    from predfeat.series import check_sequences
    from predfeat.whitening import fit_whitening

    recording = read_recording(file, reading, quiet=quiet)
    series = check_sequences(recording.values, recording.groups, name=recording.source)
    rank = fit_whitening(series, None, warn=False).rank
    facts = describe_data(recording, series, rank)
    facts.pop("coverage")
    return {**facts, "columns": list(recording.names), "notes": list(recording.notes)}


def _show(title: str, facts: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, value in facts.items():
        if value in ([], {}, None):
            continue
        table.add_row(name.replace("_", " "), escape(_in_words(value)))
    show(table)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        told = {name: part for name, part in value.items() if part not in ({}, [])}
        return "\n".join(f"{name}: {_on_one_line(part)}" for name, part in told.items())
    return _on_one_line(value)


def _on_one_line(value: Any) -> str:
    if isinstance(value, dict):
        parts = [f"{name} {_on_one_line(part)}" for name, part in value.items()]
        return _first("; ", parts)  # as names may hold a comma
    if isinstance(value, list):
        return _first(", ", [_on_one_line(part) for part in value])
    return f"{value:g}" if isinstance(value, float) else str(value)


def _first(between: str, parts: list[str]) -> str:
    more = f"{between}… ({len(parts)} in all)" if len(parts) > _SHOWN else ""
    return between.join(parts[:_SHOWN]) + more
