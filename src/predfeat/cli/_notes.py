"""What the command writes into a model's notes about its training data, and reads from there."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, get_args, get_origin

from predfeat.cli._options import MOST, OPTION_KINDS

__all__ = ["data_notes", "known_data", "own_notes"]

# All other keys are the user's own.
_KEY = "predfeat"


def data_notes(
    recording: Any,
    reading: dict[str, Any],
    effects: Sequence[str] = (),
    *,
    symbols: str | None = None,
    responses: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the notes about the training data for a model file, as plain JSON.

    `effects` are sentences on labels, actions and rewards, which new data need not have. `symbols`
    is the column of a model's symbols, "" if they are the words of a text. `responses` are
    sentences on what nonlinear features respond to.
    """
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in reading.items()}
    files = recording.file_column
    known = {
        "source": recording.source,
        "n_files": 1 if files is None else len(set(files.cells.tolist())),
        "n_rows": len(recording.values),
        "columns": list(recording.prepared_from or recording.names),
        "reading": plain,
    }
    if recording.sentinels:
        known["sentinels"] = [list(pair) for pair in recording.sentinels]
    if effects:
        known["effects"] = list(effects)
    if responses:
        known["responses"] = list(responses)
    if symbols is not None:
        known["symbols"] = symbols
    return {_KEY: known}


def known_data(notes: dict[str, Any], file: Any) -> dict[str, Any]:
    """Return what the command noted about a model's training data; empty if it noted nothing.

    Notes may hold anything. Version 0.1 mixed the command's notes with the user's: those without
    the expected form are the user's.
    """
    from predfeat.exceptions import ModelFileError

    if _KEY in notes:
        problem = _find_problem(notes[_KEY])
        if problem is None:
            known: dict[str, Any] = notes[_KEY]
            return known
        raise ModelFileError(
            f"the notes of {file} are invalid: {_KEY!r} is reserved for facts about the "
            f"training data, but {problem}. Save the model again, with other notes."
        )
    return notes if _is_of_first_version(notes) else {}


def own_notes(notes: dict[str, Any]) -> dict[str, Any]:
    """Return the notes that are the user's own."""
    if _KEY not in notes and _is_of_first_version(notes):
        return {}
    return {name: value for name, value in notes.items() if name != _KEY}


def _is_of_first_version(notes: dict[str, Any]) -> bool:
    return {"source", "columns"} <= set(notes) and _find_problem(notes) is None


def _find_problem(known: Any) -> str | None:
    if not isinstance(known, dict):
        return f"it is {_shown(known)}"
    for name, value in known.items():
        if name not in _FORMS:
            return f"it has {_shown(name)} in it"
        if not _FORMS[name](value):
            return f"{name} is {_shown(value)}"
    for name, value in known.get("reading", {}).items():
        if name not in OPTION_KINDS or not _has_kind(value, OPTION_KINDS[name]):
            return f"the option {_shown(name)} of reading is {_shown(value)}"
    return None


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_sentinel(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and (_has_kind(value[1], float))
    )


_FORMS: dict[str, Callable[[Any], bool]] = {
    "source": lambda value: isinstance(value, str),
    "n_files": _is_count,
    "n_rows": _is_count,
    "columns": lambda value: _has_kind(value, list[str]),
    "reading": lambda value: isinstance(value, dict),
    "symbols": lambda value: isinstance(value, str),
    "effects": lambda value: _has_kind(value, list[str]),
    "responses": lambda value: _has_kind(value, list[str]),
    "sentinels": lambda value: isinstance(value, list) and all(map(_is_sentinel, value)),
}


def _has_kind(value: Any, kind: Any) -> bool:
    """Tell whether a value from JSON is valid for an option of this type."""
    if get_origin(kind) is types.UnionType:
        return any(_has_kind(value, part) for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_has_kind(v, get_args(kind)[0]) for v in value)
    if get_origin(kind) is tuple:
        kinds = get_args(kind)
        return (
            isinstance(value, list)
            and len(value) == len(kinds)
            and all(_has_kind(v, each) for v, each in zip(value, kinds, strict=True))
        )
    if kind is int:
        return type(value) is int and abs(value) <= MOST
    return type(value) in ((int, float) if kind is float else (kind,))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
