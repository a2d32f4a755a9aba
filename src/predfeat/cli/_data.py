"""From a file's name and the reading options to a recording, with progress and notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from predfeat.cli._options import PREPARATION
from predfeat.cli._terminal import progress_bar, say
from predfeat.cli._wording import in_options

__all__ = [
    "ReadData",
    "missing_columns_explained",
    "options_like",
    "read_data",
    "read_data_like",
    "read_recording",
    "recording_like",
]


@dataclass(frozen=True)
class ReadData:
    """A recording before and after its preparation, and the options that gave it."""

    raw: Any
    prepared: Any
    options: dict[str, Any]


def read_recording(files: list[Path], reading: dict[str, Any], *, quiet: bool) -> Any:
    """Read and prepare one or several files, and print the reader's notes."""
    return read_data(files, reading, quiet=quiet).prepared


def read_data(files: list[Path], reading: dict[str, Any], *, quiet: bool) -> ReadData:
    """Do as `read_recording`, and also return what there was before the preparation."""
    raw = _read(files, reading, quiet=quiet)
    return ReadData(raw, _prepared(raw, reading, quiet=quiet), reading)


def _read(files: list[Path], reading: dict[str, Any], *, quiet: bool) -> Any:
    from predfeat.datasets import read

    options = {name: value for name, value in reading.items() if name not in PREPARATION}
    title = files[0].name if len(files) == 1 else f"{len(files)} files"
    with progress_bar(f"reading {title}", quiet=quiet) as progress:
        recording = read(files, **options, on_progress=progress)
    for note in recording.notes:
        say(f"note: {in_options(note)}", quiet=quiet)
    return recording


def _prepared(recording: Any, reading: dict[str, Any], *, quiet: bool) -> Any:
    from predfeat.datasets import prepare

    options = {name: value for name, value in reading.items() if name in PREPARATION}
    prepared = prepare(recording, **options)
    for note in prepared.notes[len(recording.notes) :]:
        say(f"note: {in_options(note)}", quiet=quiet)
    return prepared


def recording_like(
    data: dict[str, Any], files: list[Path], reading: dict[str, Any], quiet: bool
) -> Any:
    """Read files as a model's training data was read, unless options say otherwise.

    `data` comes from `known_data`.
    """
    return read_data_like(data, files, reading, quiet).prepared


def read_data_like(
    data: dict[str, Any], files: list[Path], reading: dict[str, Any], quiet: bool
) -> ReadData:
    """Do as `recording_like`, and also return what there was before the preparation."""
    from predfeat.datasets import blank_sentinels, reading_options

    options = options_like(data, reading, takes_columns="columns" in reading_options(files))
    with missing_columns_explained(data):
        recording = _read(files, options, quiet=quiet)
    recording = blank_sentinels(recording, [(n, x) for n, x in data.get("sentinels", [])])
    chosen = _with_columns(recording, data)
    return ReadData(chosen, _prepared(chosen, options, quiet=quiet), options)


def options_like(
    data: dict[str, Any], reading: dict[str, Any], *, takes_columns: bool
) -> dict[str, Any]:
    """Return the options with which a model's training data was read, unless others are given."""
    kept = data.get("reading", {})
    then = {name: tuple(v) if name == "window" else v for name, v in kept.items()}
    wanted = data.get("columns")
    if wanted is not None and takes_columns:
        # The model's columns are read whatever they hold here, and no others.
        then = {name: v for name, v in then.items() if name not in ("keep", "exclude")}
        then["columns"] = wanted
    return {**then, **reading}


@contextmanager
def missing_columns_explained(data: dict[str, Any]) -> Iterator[None]:
    """Say of columns that new data lacks that the model was fitted to them."""
    from predfeat.exceptions import MissingColumnsError

    wanted = data.get("columns")
    try:
        yield
    except MissingColumnsError as error:
        if wanted is None or not set(error.columns) <= set(wanted):
            raise
        raise _other_columns(error.source, list(error.columns), data) from error


def _with_columns(recording: Any, data: dict[str, Any]) -> Any:
    """Return a recording with the columns that a model was fitted to, in their order."""
    from predfeat.datasets import Channels

    wanted = data.get("columns")
    if wanted is None or list(recording.names) == wanted:
        return recording
    missing = [name for name in wanted if name not in recording.names]
    if missing or not isinstance(recording.layout, Channels):
        raise _other_columns(recording.source, missing, data)
    order = [recording.names.index(name) for name in wanted]
    units = tuple(recording.units[i] for i in order) if recording.units else ()
    values = recording.values[:, order]
    return replace(recording, values=values, names=tuple(wanted), units=units)


def _other_columns(source: str, missing: list[str], data: dict[str, Any]) -> Exception:
    from predfeat.exceptions import DataFileError

    shown = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
    return DataFileError(
        f"{source} does not have the columns that the model was fitted to: "
        + (f"{shown} is missing. " if missing else "its columns are different. ")
        + f"The model needs {len(data['columns'])} columns of {data.get('source', 'its data')}."
    )
