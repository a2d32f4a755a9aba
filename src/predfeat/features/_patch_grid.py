"""Where the patches of an image lie, and which columns of a flattened image each of them has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._typing import IntArray
from predfeat.exceptions import DimensionError

__all__ = ["PatchGrid", "patch_grid"]


@dataclass(frozen=True)
class PatchGrid:
    """Patches of equal size at regular places of an image that is flattened row by row.

    Attributes
    ----------
    image_shape : (int, int, int)
        Height, width, and the numbers at each pixel, which stand together.
    patch : (int, int)
        Height and width of a patch.
    stride : (int, int)
        Steps down and across from one patch to the next.
    """

    image_shape: tuple[int, int, int]
    patch: tuple[int, int]
    stride: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int]:
        """How many patches lie below each other, and beside each other."""
        down, across = (
            (length - side) // step + 1
            for length, side, step in zip(self.image_shape, self.patch, self.stride, strict=False)
        )
        return down, across

    @property
    def n_patches(self) -> int:
        """Number of patches."""
        return self.shape[0] * self.shape[1]

    @property
    def columns(self) -> IntArray:
        """The columns of each patch, an array of shape (n_patches, columns of a patch).

        Patches are numbered row by row, as pixels are, and so are the columns within a patch.
        """
        (down, across), depth = self.shape, self.image_shape[2]
        pixels = np.arange(np.prod(self.image_shape)).reshape(self.image_shape)
        windows = np.lib.stride_tricks.sliding_window_view(pixels, self.patch, axis=(0, 1))
        chosen = windows[:: self.stride[0], :: self.stride[1]]  # down, across, depth, patch
        return chosen.transpose(0, 1, 3, 4, 2).reshape(
            down * across, self.patch[0] * self.patch[1] * depth
        )


def patch_grid(
    n_columns: int,
    image_shape: Any = None,
    patch: Any = None,
    stride: Any = None,
) -> PatchGrid:
    """Place patches on an image, so that each pixel is in one of them.

    Parameters
    ----------
    n_columns : int
        Columns of the flattened image.
    image_shape : int, (int, int), (int, int, int) or None, default=None
        The image: a line of pixels, (height, width), or (height, width, numbers at each pixel).
        None means one line of all columns.
    patch : int, (int, int) or None, default=None
        Height and width of a patch. An int means a square, or that many pixels of a line. None
        means the whole image.
    stride : int, (int, int) or None, default=None
        Steps down and across. None means the size of a patch: patches side by side.

    Returns
    -------
    PatchGrid

    Raises
    ------
    DimensionError
        The image has other columns, a patch is larger than the image, or the patches leave
        columns out.

    Examples
    --------
    >>> from predfeat.features import patch_grid
    >>> grid = patch_grid(1600, image_shape=(40, 40), patch=16, stride=8)
    >>> grid.shape, grid.columns.shape
    ((4, 4), (16, 256))
    >>> patch_grid(6, patch=2).columns
    array([[0, 1],
           [2, 3],
           [4, 5]])
    """
    image = _image(image_shape, n_columns)
    sides = image[:2] if patch is None else _pair("patch", patch, is_line=image[0] == 1)
    steps = sides if stride is None else _pair("stride", stride, is_line=image[0] == 1)
    for what, length, side, step in zip(("high", "wide"), image, sides, steps, strict=False):
        if side > length:
            raise DimensionError(
                f"a patch of {_words(sides)} does not fit into an image of {_words(image[:2])}: "
                f"it is {side} pixels {what}, and the image {length}. Use a smaller patch."
            )
        if step > side:
            raise DimensionError(
                f"with a stride of {_words(steps)}, patches of {_words(sides)} leave out the "
                "pixels between them. Use a stride that is at most the size of a patch."
            )
        if left_out := (length - side) % step:
            fitting = [s for s in range(1, side + 1) if (length - side) % s == 0]
            raise DimensionError(
                f"patches of {_words(sides)} with a stride of {_words(steps)} leave out the last "
                f"{left_out} of the {length} pixels that the image is {what}. With this patch, "
                f"strides that fit are {', '.join(map(str, fitting[-6:]))}; or cut the image."
            )
    return PatchGrid(image, sides, steps)


def _image(given: Any, n_columns: int) -> tuple[int, int, int]:
    """Return height, width and depth of the image."""
    if given is None:
        return 1, n_columns, 1
    lengths = (1, given) if np.ndim(given) == 0 else tuple(given)
    if len(lengths) == 2:
        lengths = (*lengths, 1)
    if len(lengths) != 3 or not all(map(_is_count, lengths)):
        raise DimensionError(
            f"image_shape must be a number of pixels, (height, width) or (height, width, numbers "
            f"at each pixel), all from 1 on, but it is {given!r}."
        )
    height, width, depth = map(int, lengths)
    if height * width * depth != n_columns:
        raise DimensionError(
            f"an image of {_words((height, width))} with {depth} number(s) at each pixel has "
            f"{height * width * depth} columns, but X has {n_columns}. Give the image_shape of X: "
            "after another layer of patches, it is that layer's output_shape_."
        )
    return height, width, depth


def _pair(name: str, given: Any, *, is_line: bool) -> tuple[int, int]:
    pair = ((1 if is_line else given), given) if np.ndim(given) == 0 else tuple(given)
    if len(pair) != 2 or not all(map(_is_count, pair)):
        raise DimensionError(
            f"{name} must be a number of pixels or (height, width), from 1 on, but it is {given!r}."
        )
    return int(pair[0]), int(pair[1])


def _is_count(value: Any) -> bool:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and value >= 1


def _words(sides: tuple[int, ...]) -> str:
    return " × ".join(map(str, sides))
