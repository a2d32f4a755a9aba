"""Videos, as gray pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._file_column import FileColumn
from predfeat.datasets._limits import COLUMNS, PICTURE_SIDE
from predfeat.datasets._opening import Progress, check_fits, damage, library
from predfeat.datasets._recording import Image, Recording
from predfeat.datasets._timeline import lay_out
from predfeat.datasets._windows import check_window
from predfeat.exceptions import DataFileError

__all__ = ["read_video"]

_PIXELS = 1024  # of a picture, unless the user says otherwise
_FRAMES_AT_ONCE = 64
_DECODED = 16  # bytes per pixel: some pictures in colour, which later ones build upon
_NUMBERS_AT_ONCE = 2**20
_SMALLER = "Scale it down with another program first."
_ADVICE = "Scale it down with height and width, or cut out a window."


def read_video(
    path: Path,
    *,
    height: int | None = None,
    width: int | None = None,
    window: Sequence[int] | None = None,
    jumps: str | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Read a video: gray, scaled, then cut to a window; one row per frame."""
    av = library("av", extra="video", what=f"reading {path.suffix}")
    with damage(path.name, "a video"):
        container = av.open(str(path))
    with container:
        if not container.streams.video:
            raise DataFileError(f"{path.name} holds no video.")
        with damage(path.name, "a video"):
            stream = container.streams.video[0]
            own_size = stream.height, stream.width
            fps = float(stream.average_rate or 0)
            expected = _expected_frames(stream)
        size = _scaled_size(*own_size, height, width, path.name)
        check_fits(path.name, _DECODED * own_size[0] * own_size[1], _SMALLER)
        whole = (0, 0, *size)
        top, left, rows, columns = check_window(
            whole if window is None else window, size, "scaled picture"
        )
        n_pixels = rows * columns
        COLUMNS.check(n_pixels, path.name)
        at_once = max(1, min(_FRAMES_AT_ONCE, _NUMBERS_AT_ONCE // n_pixels))
        pieces: list[FloatArray] = []
        block: list[AnyArray] = []
        stamps: list[float | None] = []
        for picture, stamp in _pictures(container, stream, size, path.name):
            block.append(picture[top : top + rows, left : left + columns].ravel())
            stamps.append(stamp)
            if len(block) == at_once:
                pieces.append(np.array(block, dtype=np.float64))
                block = []
                check_fits(path.name, len(stamps) * n_pixels * 8, _ADVICE)
                if progress is not None and expected:
                    progress(min(len(stamps) / expected, 1.0))
    if block:
        pieces.append(np.array(block, dtype=np.float64))
    if not pieces:
        raise DataFileError(f"{path.name} holds no frames that can be decoded.")
    recording = _recording(pieces, stamps, fps, (rows, columns), path.name, jumps)
    if progress is not None:
        progress(1.0)
    return recording


def _pictures(
    container: Any, stream: Any, size: tuple[int, int], source: str
) -> Iterator[tuple[AnyArray, float | None]]:
    with damage(source, "a video"):
        frames = container.decode(stream)
    while True:
        with damage(source, "a video"):
            frame = next(frames, None)
            if frame is None:
                return
            gray = frame.reformat(width=size[1], height=size[0], format="gray").to_ndarray()
            stamp = frame.time
        yield gray, stamp


def _recording(
    pieces: list[FloatArray],
    stamps: list[float | None],
    fps: float,
    shape: tuple[int, int],
    source: str,
    jumps: str | None,
) -> Recording:
    values = np.concatenate(pieces)
    height, width = shape
    names = tuple(f"pixel {i + 1}, {j + 1}" for i in range(height) for j in range(width))
    layout = Image(height, width)
    time = np.array([np.nan if stamp is None else stamp for stamp in stamps])
    if not (np.isfinite(time).all() and (np.diff(time) > 0).all()):
        if not fps > 0:
            return Recording(values, names, source, layout=layout)
        time = np.arange(len(values)) / fps
    timeline = lay_out(
        time, None, source=source, name="time", jumps=jumps, n_columns=values.shape[1]
    )
    if timeline.rows is not None:
        values = np.where((timeline.rows >= 0)[:, None], values[timeline.rows], np.nan)
    return Recording(
        values,
        names,
        source,
        layout=layout,
        groups=timeline.groups,
        time=timeline.time,
        rows=timeline.rows,
        step=timeline.step or (1 / fps if fps > 0 else None),
        unit="s" if timeline.step or fps > 0 else "rows",
        time_column=FileColumn("time", time),
        notes=timeline.notes,
    )


def _scaled_size(
    own_height: int, own_width: int, height: int | None, width: int | None, source: str
) -> tuple[int, int]:
    """Return (height, width): as asked, in proportion, or small enough to work with."""
    if own_height < 1 or own_width < 1:
        raise DataFileError(f"{source} is damaged: its pictures have no size.")
    for name, given in (("height", height), ("width", width)):
        most = PICTURE_SIDE.at_most
        if given is not None and not 1 <= given <= most:
            raise DataFileError(f"{name}={given} pixels is not possible: give 1 to {most}.")
    if height is not None and width is not None:
        return height, width
    if height is not None:
        width = max(1, round(own_width * height / own_height))
        PICTURE_SIDE.check(width, source)
        return height, width
    if width is not None:
        height = max(1, round(own_height * width / own_width))
        PICTURE_SIDE.check(height, source)
        return height, width
    shrink = min(1.0, (_PIXELS / (own_height * own_width)) ** 0.5)
    return max(1, int(own_height * shrink)), max(1, int(own_width * shrink))


def _expected_frames(stream: Any) -> float:
    if stream.frames:
        return float(stream.frames)
    if stream.duration and stream.time_base and stream.average_rate:
        return float(stream.duration * stream.time_base * stream.average_rate)
    return 0.0
