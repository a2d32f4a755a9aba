"""Frames of a simulator: gray pixels of a window, under random play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np

from predfeat._progress import OnProgress
from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._opening import check_fits, library
from predfeat.datasets._recording import Image, Recording
from predfeat.datasets._windows import check_window
from predfeat.exceptions import DataFileError

__all__ = ["busiest_window", "game_frames"]

_SEARCHED_FRAMES = 2000  # frames in which the busiest window is searched
_GRAY = np.array([0.299, 0.587, 0.114])  # brightness of red, green and blue


def game_frames(
    name: str,
    n_frames: int,
    *,
    window: Sequence[int] | None = None,
    size: int = 20,
    shrink: int = 2,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
) -> Recording:
    """Play a gymnasium environment at random and record a window of its pictures.

    Each episode is a sequence of its own (`groups` of the recording). Needs the extra `games`.

    Parameters
    ----------
    name : str
        Of the environment, for example "ALE/Riverraid-v5".
    n_frames : int
        Rows.
    window : (int, int, int, int), optional
        (top, left, height, width) of the part to keep, in pixels after shrinking. By default the
        square of side `size` that changes most during the first 2000 frames.
    size : int, default=20
        Side of the window, in pixels, if none is given.
    shrink : int, default=2
        Blocks of `shrink` × `shrink` pixels are averaged into one.
    random_state : int, default=0
        Seed of the game and of the player.
    on_progress : callable, optional
        Called now and then as on_progress(done, total).

    Returns
    -------
    Recording

    Raises
    ------
    MissingLibraryError
        gymnasium, or what the environment needs, is not installed.
    DataFileError
        There is no such environment, or it draws no pictures, or the window is outside them.
    """
    library("gymnasium", extra="games", what=f"playing {name}")
    check_fits(name, n_frames * size * size * 8, "Ask for fewer frames.")
    environment = _make(name)
    try:
        pictures = _pictures(environment, name, shrink, random_state)
        first = list(islice(pictures, min(_SEARCHED_FRAMES, n_frames)))
        if window is None:
            window = busiest_window(np.array([picture for _, picture in first]), size, size)
        top, left, height, width = check_window(
            window, first[0][1].shape, f"shrunken picture of {name}"
        )
        values = np.empty((n_frames, height * width))
        groups = np.empty(n_frames, dtype=np.intp)
        for i, (episode, picture) in enumerate(islice(chain(first, pictures), n_frames)):
            values[i] = picture[top : top + height, left : left + width].ravel()
            groups[i] = episode
            if on_progress is not None and (i + 1) % 500 == 0:
                on_progress(i + 1, n_frames)
    finally:
        environment.close()
    names = tuple(f"pixel {i + 1}, {j + 1}" for i in range(height) for j in range(width))
    where = f"window of {height} × {width} pixels at row {top}, column {left}"
    return Recording(
        values, names, name, layout=Image(height, width), groups=groups,
        notes=(f"Random play, {int(groups[-1]) + 1} episode(s), {where}.",),
    )  # fmt: skip


def busiest_window(pictures: AnyArray, height: int, width: int) -> tuple[int, int, int, int]:
    """Return the part of the pictures that changes most from one to the next.

    Parameters
    ----------
    pictures : ndarray of shape (n_pictures, rows, columns)
        Changes that are NaN do not count.
    height, width : int
        Of the part; no larger than the pictures.

    Returns
    -------
    top, left, height, width : int

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import busiest_window
    >>> pictures = np.zeros((2, 9, 9))
    >>> pictures[1, 4:6, 2:4] = 1
    >>> busiest_window(pictures, 2, 2)
    (4, 2, 2, 2)
    """
    rows, columns = pictures.shape[1:]
    height, width = min(height, rows), min(width, columns)
    changes = np.zeros((rows, columns))
    for before, after in pairwise(pictures):
        change = np.abs(after.astype(np.float64) - before)
        changes += np.where(np.isnan(change), 0.0, change)
    # Sums over all windows from a table of sums over all corners.
    corners = np.zeros((rows + 1, columns + 1))
    corners[1:, 1:] = changes.cumsum(axis=0).cumsum(axis=1)
    inside = (
        corners[height:, width:]
        - corners[:-height, width:]
        - corners[height:, :-width]
        + corners[:-height, :-width]
    )
    top, left = np.unravel_index(int(np.argmax(inside)), inside.shape)
    return int(top), int(left), height, width


def _make(name: str) -> Any:
    gymnasium = library("gymnasium", extra="games", what=f"playing {name}")
    if name.startswith("ALE/"):
        ale = library("ale_py", extra="games", what=f"playing {name}")
        gymnasium.register_envs(ale)
    try:
        return gymnasium.make(name, render_mode="rgb_array")
    except (gymnasium.error.Error, ImportError, ValueError) as error:
        why = " ".join(str(error).split())
        raise DataFileError(
            f"{name} cannot be played: {why}. Give the name of an installed gymnasium environment, "
            "such as ALE/Riverraid-v5."
        ) from error


def _pictures(
    environment: Any, name: str, shrink: int, seed: int
) -> Iterator[tuple[int, FloatArray]]:
    """Yield (episode, gray picture) without end; the seed decides everything."""
    environment.action_space.seed(seed)
    environment.reset(seed=seed)
    episode = 0
    while True:
        action = environment.action_space.sample()
        *_, terminated, truncated, _ = environment.step(action)
        yield episode, _gray(environment.render(), name, shrink)
        if terminated or truncated:
            environment.reset()
            episode += 1


def _gray(picture: Any, name: str, shrink: int) -> FloatArray:
    pixels = np.asarray(picture)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or min(pixels.shape[:2]) < shrink:
        raise DataFileError(
            f"{name} draws no colour pictures (its render() gives shape {pixels.shape}). Use "
            "another environment."
        )
    gray = pixels @ _GRAY
    height, width = gray.shape[0] // shrink, gray.shape[1] // shrink
    cut = gray[: height * shrink, : width * shrink]
    small: FloatArray = cut.reshape(height, shrink, width, shrink).mean(axis=(1, 3))
    return small
