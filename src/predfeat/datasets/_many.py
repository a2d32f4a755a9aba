"""Many files as one recording: a sequence from each, named by the file."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from predfeat._typing import AnyArray
from predfeat._warnings import warn
from predfeat.datasets._file_column import FileColumn, joined
from predfeat.datasets._limits import FILES
from predfeat.datasets._opening import Progress, check_fits
from predfeat.datasets._recording import Channels, Recording, Spectrum
from predfeat.datasets._sentinels import blank_sentinels
from predfeat.exceptions import DataFileError, UnevenSamplingWarning

__all__ = ["read_many"]

_ADVICE = "Give fewer files, or choose fewer of their columns with `columns`."
_SHOWN = 5
_COUNT = re.compile(r"\d+ ")


def read_many(
    files: list[Path],
    read_one: Callable[[Path, Progress | None], Recording],
    notes: tuple[str, ...],
    progress: Progress | None,
) -> Recording:
    """Read files one by one and join them; notes that they share appear once."""
    FILES.check(len(files), files[0].parent.name or "what was given")
    labels = _labels(files)
    recordings: list[Recording] = []
    caught: list[tuple[str, type[Warning], str]] = []
    n_bytes = 0
    for i, file in enumerate(files):
        part = None if progress is None else _share_of(progress, i, len(files))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            recordings.append(read_one(file, part))
        caught += [(labels[i], w.category, str(w.message)) for w in said]
        n_bytes += recordings[-1].values.nbytes
        # Twice: once in parts, once joined.
        check_fits(f"{len(files)} files, {file.name} among them,", 2 * n_bytes, _ADVICE)
    for category in dict.fromkeys(kind for _, kind, _ in caught):
        for text in _once([(label, text) for label, kind, text in caught if kind is category]):
            warn(text, category)
    own = _once([(label, n) for label, r in zip(labels, recordings, strict=True) for n in r.notes],
                len(files))  # fmt: skip
    seen = [pair for recording in recordings for pair in recording.sentinels]
    recordings = [blank_sentinels(recording, seen) for recording in recordings]
    joined = _joined(_with_same_columns(recordings, labels), labels)
    return replace(joined, notes=(*notes, *own, *joined.notes))


def _share_of(progress: Progress, i: int, n: int) -> Progress:
    return lambda share: progress((i + share) / n)


def _labels(files: list[Path]) -> list[str]:
    """Return the files' names, with as much of their folders as distinguishes them."""
    names = [file.name for file in files]
    if len(set(names)) == len(names):
        return names
    common = Path(os.path.commonpath([str(file.absolute().parent) for file in files]))
    return [file.absolute().relative_to(common).as_posix() for file in files]


def _once(said: list[tuple[str, str]], n_files: int = 0) -> tuple[str, ...]:
    """Merge notes of several files that differ only in numbers and names."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for label, text in said:
        stem = Path(label).name
        alike.setdefault(re.sub(r"\d+", "0", text.replace(stem, "")), []).append((label, text))
    lines = []
    for entries in alike.values():
        label, text = entries[0]
        if len({text for _, text in entries}) == 1 and len(entries) == n_files:
            # The count is that of each file, not of all together.
            lines.append(f"In each file: {text}" if _COUNT.match(text) else text)
            continue
        more = f" (The same in {len(entries) - 1} more file(s).)" if len(entries) > 1 else ""
        lines.append((text if Path(label).name in text else f"{label}: {text}") + more)
    return tuple(lines)


def _with_same_columns(recordings: list[Recording], labels: list[str]) -> list[Recording]:
    """Bring the columns into one order; a column that some file lacks is an error."""
    first = recordings[0]
    union = list(dict.fromkeys(name for r in recordings for name in r.names))
    dropped: dict[str, str] = {}
    for name in union:
        has = next(label for r, label in zip(recordings, labels, strict=True) if name in r.names)
        for recording, label in zip(recordings, labels, strict=True):
            if name in recording.names:
                continue
            if name not in (*recording.skipped, *recording.left_out):
                raise DataFileError(_missing_column(name, recording, label, has))
            dropped.setdefault(name, label)
    kept = [name for name in union if name not in dropped]
    if not kept:
        raise DataFileError("the files have no column in common that holds numbers.")
    same = []
    for recording, label in zip(recordings, labels, strict=True):
        if not _same_layout(recording, first):
            raise DataFileError(f"{label} has a different layout from {labels[0]}.")
        if list(recording.names) == kept:
            same.append(recording)
            continue
        order = [recording.names.index(name) for name in kept]
        same.append(
            replace(
                recording,
                values=recording.values[:, order],
                names=tuple(kept),
                units=tuple(recording.units[i] for i in order) if recording.units else (),
            )
        )
    if dropped:
        listed = ", ".join(f"{name!r} ({label})" for name, label in [*dropped.items()][:_SHOWN])
        note = f"Left out of all files because it holds no data in one of them: {listed}."
        same[0] = replace(same[0], notes=(note,))
    else:
        same[0] = replace(same[0], notes=())
    return same


def _missing_column(name: str, recording: Recording, label: str, has: str) -> str:
    own = ", ".join(map(repr, recording.names[:10])) + (", …" if len(recording.names) > 10 else "")
    advice = (
        "Give the same `rate` for all."
        if isinstance(recording.layout, Spectrum)
        else "Choose the common columns with `columns`."
        if isinstance(recording.layout, Channels)
        else "Give `height` and `width`."
    )
    return (
        f"{label} has no column {name!r}, which {has} has; its columns are {own}. All files must "
        f"have the same columns. {advice}"
    )


def _same_layout(one: Recording, other: Recording) -> bool:
    if isinstance(one.layout, Spectrum) and isinstance(other.layout, Spectrum):
        return one.layout.parts == other.layout.parts and np.array_equal(
            one.layout.frequencies, other.layout.frequencies
        )
    return one.layout == other.layout


def _joined(recordings: list[Recording], labels: list[str]) -> Recording:
    first = recordings[0]
    _refuse_mixed_times(recordings, labels)
    n_rows = [_n_file_rows(recording) for recording in recordings]
    offsets = np.concatenate([[0], np.cumsum(n_rows)[:-1]])
    rows = copies = None
    if any(r.rows is not None for r in recordings):
        rows = np.concatenate(
            [
                np.where((own := _rows(r)) >= 0, own + offset, -1)
                for r, offset in zip(recordings, offsets, strict=True)
            ]
        )
        pairs = zip(recordings, offsets, strict=True)
        found = [r.copies + offset for r, offset in pairs if r.copies is not None]
        copies = np.concatenate(found) if found else None
    taken = [c.name for c in (first.time_column, first.group_column) if c is not None]
    file_column = FileColumn(
        "source file" if "file" in taken else "file", np.array(labels, dtype=object).repeat(n_rows)
    )
    return Recording(
        np.concatenate([r.values for r in recordings]),
        first.names,
        f"{len(labels)} files ({labels[0]} to {labels[-1]})",
        layout=first.layout,
        groups=_ids(recordings, labels),
        time=_times(recordings),
        rows=rows,
        copies=copies,
        step=first.step,
        unit=first.unit,
        units=first.units if all(r.units == first.units for r in recordings) else (),
        skipped=tuple(dict.fromkeys(name for r in recordings for name in r.skipped)),
        left_out=tuple(
            dict.fromkeys(n for r in recordings for n in r.left_out if n not in first.names)
        ),
        sentinels=first.sentinels,
        time_column=_column([r.time_column for r in recordings]),
        group_column=_column([r.group_column for r in recordings]),
        file_column=file_column,
        annotations={role: _annotation(role, recordings) for role in first.annotations},
        notes=first.notes,
    )


def _refuse_mixed_times(recordings: list[Recording], labels: list[str]) -> None:
    first = recordings[0]
    for recording, label in zip(recordings, labels, strict=True):
        kinds = [None if r.time is None else r.time.dtype.kind == "M" for r in (first, recording)]
        if kinds[0] != kinds[1]:
            told = {None: "no time stamps", True: "dates", False: "numbers as time stamps"}
            raise DataFileError(
                f"{labels[0]} has {told[kinds[0]]}, but {label} {told[kinds[1]]}. Name the column "
                "with `time`, or read the files separately."
            )
        one, other = first.step, recording.step
        if one is not None and other is not None and not np.isclose(one, other, rtol=0.01):
            warn(
                f"the rows of {labels[0]} are {first.step:g} {first.unit} apart, those of {label} "
                f"{recording.step:g} {recording.unit}. The methods assume the same step in "
                "all sequences: resample the files first.",
                UnevenSamplingWarning,
            )
            return


def _n_file_rows(recording: Recording) -> int:
    if recording.rows is None:
        return len(recording.values)
    copies = 0 if recording.copies is None else len(recording.copies)
    return int((recording.rows >= 0).sum()) + copies


def _rows(recording: Recording) -> AnyArray:
    return np.arange(len(recording.values)) if recording.rows is None else recording.rows


def _times(recordings: list[Recording]) -> AnyArray | None:
    times = [recording.time for recording in recordings if recording.time is not None]
    if len(times) < len(recordings):
        return None
    if times[0].dtype.kind == "M" and len({time.dtype for time in times}) > 1:
        # Nanoseconds would not hold the years that other units do.
        times = [time.astype("M8[us]") for time in times]
    return np.concatenate(times)


def _ids(recordings: list[Recording], labels: list[str]) -> AnyArray:
    """Return the file's name for each row, followed by the group's id or number, if any."""
    ids: list[str] = []
    for recording, label in zip(recordings, labels, strict=True):
        if recording.groups is None:
            ids += [label] * len(recording.values)
        else:
            ids += [f"{label}: {own}" for own in recording.groups.tolist()]
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array


def _annotation(role: str, recordings: list[Recording]) -> AnyArray:
    parts = [recording.annotations[role] for recording in recordings]
    if len({part.dtype.kind for part in parts}) == 1:
        return np.concatenate(parts)
    told = [(part.dtype.kind == "O", r.source) for part, r in zip(parts, recordings, strict=True)]
    text, numbers = (
        next(source for kind, source in told if kind is want) for want in (True, False)
    )
    raise DataFileError(
        f"the {role} holds text in {text}, but numbers in {numbers}. Write them alike in all files."
    )


def _column(columns: list[FileColumn | None]) -> FileColumn | None:
    there = [column for column in columns if column is not None]
    if len(there) < len(columns):
        return None
    return joined(there)
