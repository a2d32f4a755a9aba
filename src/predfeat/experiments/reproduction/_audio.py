"""The audio experiment: short-time spectra of three recordings."""

from __future__ import annotations

import os

from predfeat.datasets import read, short_time_spectra, synthetic_soundscape
from predfeat.experiments.reproduction._recorded import (
    N_TEST,
    N_TRAIN,
    QUICK_ROWS,
    recorded_setup,
)
from predfeat.experiments.reproduction._setup import Setup
from predfeat.experiments.reproduction._sources import RecordingSource

__all__ = ["RECORDINGS", "audio_setup", "audio_source"]

_RATE, _FRAME, _HOP = 22_050, 512, 256

# The paper's choice of p and k for each recording.
RECORDINGS = {"piano": (5, 10), "bar": (7, 2), "forest": (6, 20)}


def audio_source(
    recording: str, path: str | os.PathLike[str] | None = None, *, quick: bool = False
) -> RecordingSource:
    """Return the spectra of a recording, or of a synthetic soundscape where no file is given.

    Parameters
    ----------
    recording : {"piano", "bar", "forest"}
        Which of the paper's recordings the sound stands for.
    path : str or path, optional
        A sound file.
    quick : bool, default=False
        A short soundscape.

    Returns
    -------
    RecordingSource

    Raises
    ------
    DataFileError
        The file cannot be read.

    Examples
    --------
    >>> from predfeat.experiments.reproduction import audio_source
    >>> source = audio_source("forest", quick=True)
    >>> source.name, source.values.shape
    ('forest, synthetic', (1200, 512))
    """
    if path is not None:
        spectra = read(path, rate=_RATE, spectrum="complex", frame=_FRAME, hop=_HOP)
        return RecordingSource(
            recording, f"Short-time spectra of {spectra.source}, 22 kHz mono.", spectra.values
        )
    # Twice the rows needed, so that the windows lie elsewhere in every repetition.
    n_frames = QUICK_ROWS if quick else 2 * (N_TRAIN + N_TEST)
    sound = synthetic_soundscape(recording, (n_frames * _HOP + _FRAME) / _RATE, rate=_RATE)
    values = short_time_spectra(sound, _RATE, frame=_FRAME, hop=_HOP).values[:n_frames]
    return RecordingSource(
        f"{recording}, synthetic",
        f"Short-time spectra of a synthetic soundscape in the manner of a {recording}: made up, "
        "not recorded.",
        values,
    )


def audio_setup(
    recording: str, source: RecordingSource, *, quick: bool = False, random_state: int = 0
) -> Setup:
    """Return the paper's experiment on a recording.

    Parameters
    ----------
    recording : {"piano", "bar", "forest"}
        Decides the paper's p and k.
    source : RecordingSource
        From `audio_source`.
    quick : bool, default=False
        A small version: to see that everything works.
    random_state : int, default=0
        The seed of the data that is drawn.

    Returns
    -------
    Setup

    Raises
    ------
    SplitError
        The recording is too short.
    """
    n_lags, n_neighbors = RECORDINGS[recording]
    return recorded_setup(
        "audio",
        source,
        n_lags=n_lags,
        n_neighbors=n_neighbors,
        lags=tuple(sorted({1, 3, 5, 7, 10, n_lags})),
        neighbors=(2, 5, 10, 20, 30),
        components=(1, 2, 3, 5, 7, 10),
        tested_components=(5,),
        n_repeats=tuple(range(11)),
        quick=quick,
        random_state=random_state,
    )
