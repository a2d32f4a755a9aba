"""EDF and BDF: biosignals, with their rates and units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets._columns import record_columns
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import distinct_names, select_columns
from predfeat.datasets._table_options import TableOptions
from predfeat.exceptions import DataFileError

__all__ = ["read_edf"]

_ADVICE = "Choose fewer of its signals with `columns`."


def read_edf(
    path: Path, *, columns: Sequence[str] | None = None, progress: Progress | None = None
) -> Recording:
    """Read signals of one rate: those asked for, or those of the most common rate."""
    edfio = library("edfio", extra="edf", what=f"reading {path.suffix.lower()}")
    reader = edfio.read_bdf if path.suffix.lower() == ".bdf" else edfio.read_edf
    kind = f"a {path.suffix.lower()} recording"
    with path.open("rb") as raw:
        announced = raw.read(244)[236:]
    with damage(path.name, kind):
        file = reader(path, lazy_load_data=True, header_encoding="latin-1")
        signals = [signal for signal in file.signals if signal.label != "EDF Annotations"]
        labels = [signal.label for signal in signals]
        rates = [float(signal.sampling_frequency) for signal in signals]
        continuous = not str(file.reserved).startswith(("EDF+D", "BDF+D"))
        record, n_records = float(file.data_record_duration), int(file.num_data_records)
    if not signals:
        raise DataFileError(f"{path.name} holds no signals.")
    if not continuous:
        raise DataFileError(
            f"{path.name} is a discontinuous recording (EDF+D). Write its parts to separate "
            "files and give them together."
        )
    names, notes = distinct_names(labels)
    if announced.strip().isdigit() and int(announced) > n_records:
        notes += (f"The file ends early: it holds {n_records} of {int(announced)} records.",)
    chosen, said = _of_one_rate(names, rates, columns, path.name)
    rate = rates[chosen[0]]
    n_rows = round(rate * record * n_records)
    # Twice: signal by signal, and put together.
    check_fits(path.name, 2 * 8 * n_rows * len(chosen), _ADVICE)
    parts: list[FloatArray] = []
    for done, position in enumerate(chosen):
        with damage(path.name, kind):
            parts.append(np.asarray(signals[position].data, dtype=np.float64))
        if progress is not None:
            progress((done + 1) / len(chosen))
    if len({len(part) for part in parts}) > 1 or len(parts[0]) == 0:
        raise DataFileError(f"{path.name} is damaged: its signals are not equally long.")
    with damage(path.name, kind):
        units = [str(signals[i].physical_dimension).strip() for i in chosen]
    recording = record_columns(
        path.name,
        ["time (s)", *(names[i] for i in chosen)],
        [np.arange(len(parts[0])) / rate, *parts],
        TableOptions(time="time (s)"),
        units=["s", *units] if any(units) else (),
        notes=(*notes, *said),
    )
    left_out = tuple(name for i, name in enumerate(names) if i not in chosen)
    return replace(recording, skipped=(*recording.skipped, *left_out))


def _of_one_rate(
    names: Sequence[str], rates: list[float], columns: Sequence[str] | None, source: str
) -> tuple[list[int], tuple[str, ...]]:
    for name, rate in zip(names, rates, strict=True):
        if not (np.isfinite(rate) and rate > 0):
            raise DataFileError(f"{source} is damaged: {name!r} has {rate} samples per second.")
    if columns is not None:
        chosen = select_columns(names, columns, source)
        if len({rates[i] for i in chosen}) > 1:
            told = ", ".join(f"{names[i]!r} {rates[i]:g}" for i in chosen[:10])
            raise DataFileError(
                f"the requested signals of {source} have different numbers of samples per second: "
                f"{told}. Choose signals of one rate with `columns`."
            )
        return chosen, ()
    counts = Counter(rates)
    rate = max(counts, key=lambda r: (counts[r], r))
    chosen = [i for i, own in enumerate(rates) if own == rate]
    others = [f"{names[i]!r} ({rates[i]:g})" for i in range(len(names)) if i not in chosen]
    if not others:
        return chosen, ()
    note = (
        f"{len(chosen)} signal(s) of {rate:g} samples per second were read; left out because "
        f"their rate differs: {', '.join(others[:10])}{', …' if len(others) > 10 else ''}. "
        "`columns` chooses them."
    )
    return chosen, (note,)
