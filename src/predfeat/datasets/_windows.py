"""The part of a picture that is kept."""

from __future__ import annotations

from collections.abc import Sequence

from predfeat.exceptions import DataFileError

__all__ = ["check_window"]


def check_window(
    window: Sequence[int], size: tuple[int, ...], picture: str
) -> tuple[int, int, int, int]:
    """Return top, left, height and width of a window that lies inside a picture.

    `picture` names it in the message, and `size` is its height and width.
    """
    if len(window) != 4:
        raise DataFileError(
            f"window must be four numbers (top, left, height, width), not {tuple(window)}."
        )
    top, left, height, width = (int(number) for number in window)
    inside = top >= 0 and left >= 0 and top + height <= size[0] and left + width <= size[1]
    if height < 1 or width < 1 or not inside:
        raise DataFileError(
            f"window (top, left, height, width) = {tuple(window)} does not lie inside the "
            f"{picture} of {size[0]} rows and {size[1]} columns."
        )
    return top, left, height, width
