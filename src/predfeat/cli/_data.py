"""From a file's name and the reading options to a recording, with progress and notes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from predfeat.cli._terminal import progress_bar, say

__all__ = ["data_notes", "read_recording", "recording_like"]


def read_recording(file: Path, reading: dict[str, Any], *, quiet: bool) -> Any:
    """Read a file, and say what the reader decided by itself."""
    from predfeat.datasets import read

    with progress_bar(f"reading {file.name}", quiet=quiet) as progress:
        recording = read(file, **reading, progress=lambda share: progress(share, 1.0))
    for note in recording.notes:
        say(f"note: {note}", quiet=quiet)
    return recording


def data_notes(recording: Any, reading: dict[str, Any]) -> dict[str, Any]:
    """Return what a model file should know about its training data, in plain JSON."""
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in reading.items()}
    return {
        "source": recording.source,
        "n_rows": len(recording.values),
        "columns": list(recording.names),
        "reading": plain,
    }


def recording_like(notes: dict[str, Any], file: Path, reading: dict[str, Any], quiet: bool) -> Any:
    """Read a file as a model's training data was read, unless told otherwise."""
    from predfeat.datasets import Channels, Recording
    from predfeat.exceptions import DataFileError

    kept = notes.get("reading", {})
    known = {name: tuple(v) if name == "window" else v for name, v in kept.items()}
    recording: Recording = read_recording(file, {**known, **reading}, quiet=quiet)
    wanted = notes.get("columns")
    if wanted is None or list(recording.names) == wanted:
        return recording
    missing = [name for name in wanted if name not in recording.names]
    if missing or not isinstance(recording.layout, Channels):
        shown = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        raise DataFileError(
            f"{recording.source} has not the columns that the model was fitted on: "
            + (f"{shown} is missing. " if missing else "they are others. ")
            + f"The model wants {len(wanted)} columns of {notes.get('source', 'its data')}."
        )
    order = [recording.names.index(name) for name in wanted]
    return replace(recording, values=recording.values[:, order], names=tuple(wanted))
