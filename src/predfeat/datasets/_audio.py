"""Sound files, as short-time spectra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import AnyArray
from predfeat.datasets._limits import SAMPLES_PER_SECOND
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Recording
from predfeat.datasets._spectra import check_framing, n_columns, short_time_spectra
from predfeat.exceptions import DataFileError

__all__ = ["read_audio"]

_SAMPLES_AT_ONCE = 2**18
_UNKNOWN_LENGTH = 2**62  # frames; libsndfile's word for "not told" is just above
_ADVICE = 'Use a lower rate, a larger hop, spectrum="log-magnitude" or a shorter recording.'


def read_audio(
    path: Path,
    *,
    rate: float | None = None,
    spectrum: str = "complex",
    frame: int = 512,
    hop: int = 256,
    progress: Progress | None = None,
) -> Recording:
    """Read a sound: channels averaged, resampled on request, cut into short-time spectra."""
    soundfile = library("soundfile", extra="audio", what=f"reading {path.suffix}")
    fastest = SAMPLES_PER_SECOND.at_most
    if rate is not None and not 1 <= rate <= fastest:
        raise DataFileError(f"rate={rate} samples per second is not possible: give 1 to {fastest}.")
    with damage(path.name, "a sound"):
        file = soundfile.SoundFile(path)
    with file:
        own_rate = file.samplerate
        SAMPLES_PER_SECOND.check(own_rate, path.name)
        if own_rate < 1:
            raise DataFileError(f"{path.name} is damaged: it claims {own_rate} samples per second.")
        check_framing(own_rate, frame, hop, spectrum)
        longer = max(1.0, (rate or own_rate) / own_rate)
        # A sample is held twice when pieces are joined, and again as its share of the spectra.
        per_sample = 2 * 4 + n_columns(frame, spectrum) * 8 / hop
        if 0 < file.frames < _UNKNOWN_LENGTH:
            n_bytes = int(file.frames * (rate or own_rate) / own_rate * per_sample)
            check_fits(path.name, n_bytes, _ADVICE)
        blocks = _mono(
            file, path.name, longer, None if progress is None else lambda done: progress(0.5 * done)
        )
        if rate is not None and rate != own_rate:
            blocks = _resampled(blocks, own_rate, rate)
        pieces, n_read = [], 0
        for block in blocks:
            pieces.append(block)
            n_read += len(block)
            check_fits(path.name, int(n_read * per_sample), _ADVICE)
    signal = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.float32)
    del pieces
    recording = short_time_spectra(
        signal, rate or own_rate, frame=frame, hop=hop, spectrum=spectrum, source=path.name,
        on_progress=None if progress is None else lambda done, n: progress(0.5 + 0.5 * done / n),
    )  # fmt: skip
    notes = []
    if file.channels > 1:
        notes.append(f"The {file.channels} channels were averaged.")
    if rate is not None and rate != own_rate:
        notes.append(f"Resampled from {own_rate} to {rate:g} samples per second.")
    return replace(recording, notes=tuple(notes))


def _mono(file: Any, source: str, longer: float, progress: Progress | None) -> Iterator[AnyArray]:
    """Yield the mean of the channels, in blocks that stay small when they get that much longer."""
    at_once = max(1, int(_SAMPLES_AT_ONCE / max(file.channels, longer)))
    done = 0
    while True:
        with damage(source, "a sound"):
            block = file.read(at_once, dtype="float32", always_2d=True)
        if len(block) == 0:
            return
        done += len(block)
        yield block.mean(axis=1)
        if progress is not None and file.frames > 0:
            progress(min(done / file.frames, 1.0))


def _resampled(blocks: Iterator[AnyArray], old: float, new: float) -> Iterator[AnyArray]:
    soxr = library("soxr", extra="audio", what="resampling")
    stream = soxr.ResampleStream(old, new, 1, dtype="float32")
    for block in blocks:
        yield stream.resample_chunk(block)
    yield stream.resample_chunk(np.empty(0, dtype=np.float32), last=True)
