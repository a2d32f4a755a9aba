"""The visual experiment: a small window of a game's pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence

from predfeat.datasets import busiest_window, game_frames, moving_sprites, read
from predfeat.experiments.reproduction._recorded import (
    N_TEST,
    N_TRAIN,
    QUICK_ROWS,
    recorded_setup,
)
from predfeat.experiments.reproduction._setup import Setup
from predfeat.experiments.reproduction._sources import RecordingSource

__all__ = ["GAME", "game_source", "sprites_source", "video_source", "visual_setup"]

GAME = "ALE/Riverraid-v5"

# River Raid: the right bank of the river and what comes down it, without the score below.
_WINDOWS = {GAME: (30, 40, 20, 20)}

_WINDOW_SIZE = 20
_VIDEO_HEIGHT, _VIDEO_WIDTH = 120, 160  # as in the paper
_COARSENING = 4


def sprites_source(*, quick: bool = False) -> RecordingSource:
    """Return frames of the built-in simulator, named as such.

    Parameters
    ----------
    quick : bool, default=False
        Few frames.

    Returns
    -------
    RecordingSource

    Examples
    --------
    >>> from predfeat.experiments.reproduction import sprites_source
    >>> sprites_source(quick=True).name
    'moving sprites (simulated)'
    """
    recording = moving_sprites(_n_frames(quick))
    return RecordingSource(
        recording.source,
        "The built-in simulator of moving sprites, in place of a game: no game was played.",
        recording.values,
    )


def game_source(
    name: str = GAME, *, window: Sequence[int] | None = None, quick: bool = False
) -> RecordingSource:
    """Return frames of a gymnasium environment under random play.

    Parameters
    ----------
    name : str
        Of the environment.
    window : (int, int, int, int), optional
        (top, left, height, width), in pixels of the picture shrunk by half; by default one
        chosen by eye for River Raid, and the one with the most change for others.
    quick : bool, default=False
        Few frames.

    Returns
    -------
    RecordingSource

    Raises
    ------
    MissingLibraryError
        The extra `games` is not installed.
    DataFileError
        The environment cannot be played.
    """
    recording = game_frames(
        name, _n_frames(quick), window=_WINDOWS.get(name) if window is None else window
    )
    return RecordingSource(name, " ".join(recording.notes), recording.values, recording.groups)


def video_source(
    path: str | os.PathLike[str], *, window: Sequence[int] | None = None
) -> RecordingSource:
    """Return a window of a video, scaled to 160 × 120 pixels as in the paper.

    Parameters
    ----------
    path : str or path
    window : (int, int, int, int), optional
        (top, left, height, width) after scaling; by default the 20 × 20 pixels that change most.

    Returns
    -------
    RecordingSource

    Raises
    ------
    DataFileError
        The file cannot be read.
    """
    if window is None:
        # Searched in a coarse copy: the whole video in full would not fit into memory.
        height, width = _VIDEO_HEIGHT // _COARSENING, _VIDEO_WIDTH // _COARSENING
        coarse = read(path, height=height, width=width).values.reshape(-1, height, width)
        at = busiest_window(coarse, _WINDOW_SIZE // _COARSENING, _WINDOW_SIZE // _COARSENING)
        del coarse
        window = tuple(_COARSENING * number for number in at)
    recording = read(path, height=_VIDEO_HEIGHT, width=_VIDEO_WIDTH, window=window)
    top, left, height, width = window
    return RecordingSource(
        recording.source,
        f"Video, window of {height} × {width} pixels at row {top}, column {left}.",
        recording.values,
        recording.groups,
    )


def visual_setup(source: RecordingSource, *, quick: bool = False, random_state: int = 0) -> Setup:
    """Return the paper's experiment on frames of a game.

    Parameters
    ----------
    source : RecordingSource
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
        There are too few frames.
    """
    return recorded_setup(
        "visual",
        source,
        n_lags=1,
        n_neighbors=2,
        lags=(1, 2, 3, 5),
        neighbors=(1, 2, 5, 10, 20),
        components=(1, 2, 3, 5, 8, 12),
        tested_components=(5, 12),
        n_repeats=(1,),
        quick=quick,
        random_state=random_state,
    )


def _n_frames(quick: bool) -> int:
    return QUICK_ROWS if quick else 2 * (N_TRAIN + N_TEST)
