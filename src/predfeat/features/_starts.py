"""Where GPFA searches its first neighbours: in the feature space of another method."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import ArrayLike, FloatArray
from predfeat.exceptions import DimensionError, RankError
from predfeat.features._foreca import forecastable_directions
from predfeat.features._pfa import PFA, linearly_predictable_directions
from predfeat.features._sfa import (
    SFA,
    furthest_from_noise,
    slow_and_fast_directions,
    slow_directions,
)
from predfeat.series import Blocks, Sequences, check_matrix
from predfeat.whitening import Whitening

__all__ = [
    "BLOCK_STARTS",
    "STARTS",
    "TRIED",
    "given_directions",
    "start_directions",
    "start_in_blocks",
]

# The starts that init="auto" tries, in tie-breaking order; ForeCA's is slow.
TRIED = ("input", "pca", "sfa", "slow_fast", "pfa")
STARTS = (*TRIED, "foreca")
# The starts that need sums over blocks alone.
BLOCK_STARTS = TRIED


def start_directions(
    start: str, white: Sequences, n_directions: int, n_lags: int, horizon: int = 1
) -> FloatArray:
    """Return the directions of a start other than "input", as unit columns in white space."""
    if start == "pca":
        axes: FloatArray = np.eye(white.n_columns)[:, :n_directions]
        return axes
    if start == "sfa":
        return slow_directions(white, n_directions).vectors
    if start == "slow_fast":
        return slow_and_fast_directions(white, n_directions)
    if start == "pfa":
        return linearly_predictable_directions(white, n_directions, n_lags, horizon=horizon).vectors
    return forecastable_directions(white, n_directions)[0]


def start_in_blocks(
    init: Any,
    blocks: Blocks,
    whitening: Whitening,
    n_directions: int,
    n_lags: int,
    horizon: int = 1,
) -> FloatArray | None:
    """Return the directions of a start for a series that is read block by block; None for all."""
    if not isinstance(init, str):
        return given_directions(init, whitening)
    if init == "input":
        return None
    if init == "pca":
        return np.eye(whitening.rank)[:, :n_directions]
    if init == "pfa":
        pfa = PFA(n_directions, n_lags=n_lags, horizon=horizon)
        return pfa.find_directions_in_blocks(blocks, whitening)
    if init == "sfa":
        return SFA(n_directions).find_directions_in_blocks(blocks, whitening)
    slowness = SFA(whitening.rank)
    directions = slowness.find_directions_in_blocks(blocks, whitening)
    return directions[:, furthest_from_noise(slowness.eigenvalues_)[:n_directions]]


def given_directions(init: ArrayLike, whitening: Whitening) -> FloatArray:
    """Return a projection given in input coordinates as unit columns in white space."""
    given = check_matrix(init, name="init").values
    if len(given) != len(whitening.mean):
        raise DimensionError(
            f"init must have one row per column of X, {len(whitening.mean)}, but its shape is "
            f"{given.shape}."
        )
    directions = whitening.patterns @ given
    lengths = np.linalg.norm(directions, axis=0)
    if not np.all(lengths > 0):
        raise RankError(
            f"column {int(np.argmin(lengths > 0))} of init extracts nothing from the data: it is "
            "zero, or sees only constant columns."
        )
    unit: FloatArray = directions / lengths
    return unit
