"""A small simulator that stands in for a game: sprites in front of a moving background."""

from __future__ import annotations

import numpy as np

from predfeat._compat import validate_parameter_constraints, whole_number
from predfeat._typing import FloatArray
from predfeat.datasets._recording import Image, Recording

__all__ = ["moving_sprites"]

_GRAVITY = 0.12
_LEAP = 1.6
_FRAMES_AT_ONCE = 2000


def moving_sprites(n_frames: int, *, size: int = 20, random_state: int = 0) -> Recording:
    """Simulate a side-scrolling game, seen through a small window.

    Hills scroll past at a speed that changes now and then, some sprites cross the window at
    constant speeds, and a player leaps at random and falls under gravity. A stand-in for a real
    game, so that the visual experiment can be tried without a simulator.

    Parameters
    ----------
    n_frames : int
        Rows.
    size : int, default=20
        Height and width of the window, in pixels.
    random_state : int, default=0
        The seed.

    Returns
    -------
    Recording
        One row per frame, gray values between 0 and 255.

    Examples
    --------
    >>> from predfeat.datasets import moving_sprites
    >>> recording = moving_sprites(100)
    >>> recording.values.shape, recording.layout
    ((100, 400), Image(height=20, width=20))
    >>> recording.source
    'moving sprites (simulated)'
    """
    validate_parameter_constraints(
        {
            "n_frames": [whole_number(1)],
            "size": [whole_number(4)],
        },
        {"n_frames": n_frames, "size": size},
        caller_name="moving_sprites",
    )
    random = np.random.default_rng(random_state)
    scrolled = _scrolled(n_frames, random)
    positions = _positions(n_frames, size, scrolled, random)
    hills = random.uniform(0, 2 * np.pi, size=3)
    values = np.empty((n_frames, size * size))
    for start in range(0, n_frames, _FRAMES_AT_ONCE):
        some = slice(start, min(start + _FRAMES_AT_ONCE, n_frames))
        frames = _background(scrolled[some], size, hills)
        for rows, columns, gray in positions:
            frames += gray * _blobs(rows[some], columns[some], size)
        values[some] = np.clip(frames, 0, 255).reshape(len(frames), -1)
    names = tuple(f"pixel {i + 1}, {j + 1}" for i in range(size) for j in range(size))
    return Recording(values, names, "moving sprites (simulated)", layout=Image(size, size))


def _scrolled(n_frames: int, random: np.random.Generator) -> FloatArray:
    """Return how far the world has moved: the player walks, runs or stands for a while."""
    changes = random.random(n_frames) < 1 / 40
    chosen = random.choice([0.0, 0.4, 0.8, 1.2], size=n_frames, p=[0.1, 0.3, 0.4, 0.2])
    last_change = np.maximum.accumulate(np.where(changes, np.arange(n_frames), 0))
    distance: FloatArray = np.cumsum(chosen[last_change])
    return distance


def _positions(
    n_frames: int, size: int, scrolled: FloatArray, random: np.random.Generator
) -> list[tuple[FloatArray, FloatArray, float]]:
    """Return rows, columns and brightness of every sprite in every frame."""
    time = np.arange(n_frames)
    sprites: list[tuple[FloatArray, FloatArray, float]] = []
    for gray in (120.0, -90.0, 80.0, 140.0):
        # They come round again after a way of their own, longer than the window.
        period = size * random.uniform(1.8, 3.5)
        speed, sway = random.uniform(-0.5, 0.5), random.uniform(0.05, 0.2)
        columns = (random.uniform(0, period) + speed * time - scrolled) % period - 3
        rows = size * random.uniform(0.2, 0.6) + 0.12 * size * np.sin(sway * time)
        sprites.append((rows, columns, gray))
    height, speed, heights = 0.0, 0.0, np.empty(n_frames)
    leaps = random.random(n_frames) < 1 / 15
    for i in range(n_frames):
        if height == 0 and leaps[i]:
            speed = _LEAP
        height = max(0.0, height + speed)
        speed = speed - _GRAVITY if height > 0 else 0.0
        heights[i] = height
    sprites.append((0.75 * size - heights * size / 20, np.full(n_frames, 0.4 * size), 150.0))
    return sprites


def _background(scrolled: FloatArray, size: int, phases: FloatArray) -> FloatArray:
    """Return a sky, and hills whose outline is a sum of waves."""
    across = scrolled[:, None] + np.arange(size)
    outline = sum(
        height * np.sin(across / length + phase)
        for height, length, phase in zip((0.06, 0.04, 0.03), (9.0, 5.3, 2.9), phases, strict=True)
    )
    ground = size * (0.8 + outline)
    inside = np.clip(np.arange(size)[None, :, None] - ground[:, None, :] + 0.5, 0, 1)
    frames: FloatArray = 90.0 + 60.0 * inside
    return frames


def _blobs(rows: FloatArray, columns: FloatArray, size: int) -> FloatArray:
    """Return round blobs about three pixels wide, wherever between the pixels they are."""
    pixels = np.arange(size)
    down = np.exp(-0.5 * ((pixels - rows[:, None]) / 1.3) ** 2)
    across = np.exp(-0.5 * ((pixels - columns[:, None]) / 1.3) ** 2)
    blobs: FloatArray = down[:, :, None] * across[:, None, :]
    return blobs
