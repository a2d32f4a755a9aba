"""What the methods do with a series that is read block by block.

Each function here goes over the blocks once. What a block contributes is computed from that block
and a few rows beside it, by whichever process reads it; contributions are added up in the order of
the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.features._stream import Counted, moments_of
from predfeat.neighbors import Asked, Nearest, NeighborTable, nearest_in_part
from predfeat.series import (
    ArrayRows,
    Blocks,
    Piece,
    Rows,
    Sequences,
    States,
    Window,
    block_windows,
    refuse_huge,
    refuse_overflow,
)
from predfeat.whitening import Moments, Whitening

__all__ = [
    "chunk_features",
    "features_of",
    "mapped",
    "nearest_of_all",
    "states_that_ask",
    "taken",
    "white_dynamics",
]

# Rows are mapped so many at a time, always: then the features of a row do not depend on where in a
# block it lies, and equal rows have equal features.
_ROWS_AT_ONCE = 1024


def mapped(rows: FloatArray, mean: FloatArray, directions: FloatArray) -> FloatArray:
    """Return (rows - mean) @ directions, for each row by the same operations."""
    found = np.empty((len(rows), directions.shape[1]))
    centred = np.zeros((_ROWS_AT_ONCE, rows.shape[1]))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = rows[start : start + _ROWS_AT_ONCE]
        np.subtract(part, mean, out=centred[: len(part)])
        found[start : start + len(part)] = (centred @ directions)[: len(part)]
    return found


def white_dynamics(
    blocks: Blocks, whitening: Whitening, counted: Sequence[Counted]
) -> tuple[FloatArray, ...]:
    """Return the mean outer product of each kind of what is counted, in white space."""
    back = max(kind.span for kind in counted) - 1
    blocks.check_times(back, 0, shorten="fewer lags or steps")
    totals = [Moments.none(kind.n_blocks * whitening.rank) for kind in counted]
    for found in blocks.map(_dynamics, back=back, whitening=whitening, counted=tuple(counted)):
        totals = [total.combined(one) for total, one in zip(totals, found, strict=True)]
    # White space is centred already.
    return tuple(total.scatter_about(0.0) / total.count for total in totals)


def _dynamics(piece: Piece, whitening: Whitening, counted: tuple[Counted, ...]) -> list[Moments]:
    white = whitening.apply(piece.series)
    return [moments_of(white, kind, piece.start, piece.stop) for kind in counted]


def features_of(rows: Rows, mean: FloatArray, components: FloatArray) -> FloatArray:
    """Return the features of all rows; those of gaps are NaN."""
    features = np.empty((rows.n_rows, len(components)))
    parts = rows.map(
        _features,
        block_windows(rows),
        {"mean": mean, "components": components, "names": rows.names},
    )
    start = 0
    for part in parts:
        features[start : start + len(part)] = part
        start += len(part)
    return features


def _features(
    rows: Rows, window: Window, mean: FloatArray, components: FloatArray, names: list[str]
) -> FloatArray:
    # Of an array, little is converted at a time; elsewhere a block is read at once.
    height = 4 * _ROWS_AT_ONCE if isinstance(rows, ArrayRows) else window.stop - window.start
    found = np.empty((window.stop - window.start, len(components)))
    for start in range(window.start, window.stop, height):
        values = rows.read(start, min(start + height, window.stop))
        refuse_huge(values, names, "X", first_row=start)
        first = start - window.start
        found[first : first + len(values)] = chunk_features(values, mean, components)
    return found


def chunk_features(values: AnyArray, mean: FloatArray, components: FloatArray) -> FloatArray:
    """Return the features of some rows, whatever rows lie around them."""
    rows = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        features = mapped(rows, mean, np.ascontiguousarray(components.T))
    gaps = np.isnan(rows).any(axis=1)
    features[gaps] = np.nan
    refuse_overflow(features[~gaps], "features", of="X")
    return features


def taken(blocks: Blocks, times: IntArray) -> FloatArray:
    """Return some rows; their numbers ascend."""
    parts = list(blocks.map(_taken, times=times))
    return np.concatenate(parts)


def _taken(piece: Piece, times: IntArray) -> FloatArray:
    borders = np.searchsorted(times, (piece.first + piece.start, piece.first + piece.stop))
    here: FloatArray = piece.series.rows[times[slice(*borders)] - piece.first]
    return here


def states_that_ask(blocks: Blocks, times: IntArray, n_lags: int, theiler: int) -> Asked:
    """Return some states, with the rows as they are in the source."""
    rows = (times[:, None] - np.arange(n_lags)[::-1]).ravel()  # oldest first
    wanted, place = np.unique(rows, return_inverse=True)
    values = taken(blocks, wanted)[place]
    first = np.arange(len(rows)) // n_lags * n_lags
    everything: BoolArray = np.ones(len(rows), dtype=bool)
    bounds = first, first + n_lags - 1
    series = Sequences(values, everything, *bounds, *bounds)
    begin, end = blocks.sequences_of(times)
    theiler = min(theiler, blocks.n_rows)
    return Asked(
        States(series, np.arange(n_lags - 1, len(rows), n_lags), n_lags),
        times,
        np.maximum(times - theiler, begin),
        np.minimum(times + theiler + 1, end),
    )


def nearest_of_all(
    blocks: Blocks,
    asked: Asked,
    mean: FloatArray,
    directions: FloatArray,
    n_neighbors: int,
    *,
    engine: str,
    n_jobs: int | None,
) -> NeighborTable:
    """Find the nearest states of the whole series, along some directions of its columns."""
    directions = np.ascontiguousarray(directions)
    asking = asked.moved(mapped(asked.states.series.rows, mean, directions))
    found = Nearest.nothing(len(asked), n_neighbors)
    for of_block in blocks.map(
        _nearest,
        back=asked.states.n_lags - 1,
        asked=asking,
        mean=mean,
        directions=directions,
        n_neighbors=n_neighbors,
        engine=engine,
        n_jobs=n_jobs,
    ):
        found = found.combined(of_block)
    return found.table(asked.times)


def _nearest(
    piece: Piece,
    asked: Asked,
    mean: FloatArray,
    directions: FloatArray,
    n_neighbors: int,
    engine: str,
    n_jobs: int | None,
) -> Nearest:
    n_lags = asked.states.n_lags
    times = piece.own(np.flatnonzero(piece.series.reach(back=n_lags - 1)))
    if len(times) == 0:
        return Nearest.nothing(len(asked), n_neighbors)
    rows = mapped(piece.series.rows, mean, directions)
    rows[~piece.series.valid] = 0.0
    library = States(piece.series.with_rows(rows), times, n_lags)
    return nearest_in_part(asked, library, piece.first, n_neighbors, engine=engine, n_jobs=n_jobs)
