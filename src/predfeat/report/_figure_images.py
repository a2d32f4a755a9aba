"""Features of pictures: where they show, and a frame in which to see it."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from markupsafe import Markup

from predfeat.report._figure_features import feature_panel
from predfeat.report._svg import number, tag

__all__ = ["diverging_png", "grey_png", "image_panels"]


def image_panels(results: dict[str, Any]) -> list[Markup]:
    """Draw where each feature shows, or what it responds to, beside frames of the recording."""
    loadings = results["loadings"]
    is_linear = "responses" not in loadings
    panels = []
    for i, pattern in enumerate(loadings["patterns"]):
        row, column = max(
            ((r, c) for r in range(len(pattern)) for c in range(len(pattern[0]))),
            key=lambda at: abs(pattern[at[0]][at[1]]),
        )
        where = (
            f"{('top', 'middle', 'bottom')[3 * row // len(pattern)]} "
            f"{('left', 'centre', 'right')[3 * column // len(pattern[0])]}"
        )
        shown = [
            _image(grey_png(frames[i]), f"A frame of the recording in which feature {i + 1} is as "
                   f"{word} as it gets.", f"a frame where it is {word}")
            for word, frames in (("high", loadings.get("frames", [])),
                                 ("low", loadings.get("low_frames", [])))
            if i < len(frames)
        ]  # fmt: skip
        strongest = f"strongest at the {where} ({number(pattern[row][column])})"
        if is_linear:
            words = "shows here"
            alt = f"Where feature {i + 1} shows: pixels by their correlation with it, {strongest}."
        else:
            words = "responds to these pixels"
            alt = (
                f"What feature {i + 1} responds to: pixels by the size of its change with them, "
                f"{strongest}."
            )
        shown.append(_image(diverging_png(pattern), alt, words))
        if is_linear and i < len(loadings["filters"]):
            alt = f"Filter of feature {i + 1}: the weight with which each pixel is read."
            shown.append(
                _image(diverging_png(loadings["filters"][i]), alt, "is read by this filter")
            )
        panels.append(feature_panel(i, tag("div", *shown, class_="pictures"), ""))
    return panels


def _image(png: bytes, alt: str, words: str) -> Markup:
    encoded = base64.b64encode(png).decode("ascii")
    # <img> already has the role img; it is set for tools that look for the attribute.
    image = Markup('<img role="img" alt="{0}" aria-label="{0}" src="data:image/png;base64,{1}">')
    return tag("div", image.format(alt, encoded), tag("p", words, class_="under"))


def diverging_png(values: list[list[float]]) -> bytes:
    """Return a picture of signed numbers: orange below zero, white at zero, blue above.

    Parameters
    ----------
    values : list of rows

    Returns
    -------
    bytes
        A PNG, one pixel per number, scaled to the largest of them.
    """
    largest = max(abs(v) for row in values for v in row) or 1.0
    positive, neutral, negative = (0, 74, 140), (250, 250, 250), (178, 69, 0)
    lines = bytearray()
    for row in values:
        lines.append(0)
        for value in row:
            strength = abs(value) / largest
            end = positive if value > 0 else negative
            lines += bytes(round(n + strength * (e - n)) for n, e in zip(neutral, end, strict=True))
    return _png(len(values[0]), len(values), lines, colour=2)


def grey_png(values: list[list[float]]) -> bytes:
    """Return a picture of numbers, the smallest black and the largest white.

    Parameters
    ----------
    values : list of rows

    Returns
    -------
    bytes
        A PNG, one pixel per number.
    """
    low = min(v for row in values for v in row)
    span = max(v for row in values for v in row) - low or 1.0
    lines = bytearray()
    for row in values:
        lines.append(0)
        lines += bytes(round(255 * ((value - low) / span)) for value in row)
    return _png(len(values[0]), len(values), lines, colour=0)


def _png(width: int, height: int, lines: bytearray, *, colour: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(lines), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
