"""The statistics of `partial_fit` in a model file, so that a loaded model can go on or be merged.

Each `Moments` is one array: its scatter, and below it four rows with the mean, what the mean's
rounding left over, and the smallest and largest values. Counts and the rest are in the JSON.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import ModelFileError
from predfeat.features import MOST_STEPS, Counted, Stream, StreamingFeatures
from predfeat.persistence._plain import find_unplain
from predfeat.whitening import Moments

__all__ = ["find_odd_stream", "read_stream", "stream_arrays", "stream_facts", "stream_shapes"]

_KEYS = ("counts", "n_tail", "resolution", "parameters", "is_grouped", "last_id")


def stream_facts(stream: Stream) -> dict[str, Any]:
    """Return what the JSON says about a stream."""
    odd = None if stream.last_id is None else _find_odd_id(stream.last_id)
    if odd is not None:
        raise ModelFileError(
            f"the last group id is {odd}, which a model file does not keep, and without it the "
            "model could not tell whether its last sequence goes on. Convert ids before "
            "partial_fit, for example with str()."
        )
    moments = (stream.samples, *stream.dynamics)
    facts = (
        [each.count for each in moments],
        len(stream.tail),
        float(stream.resolution),
        dict(stream.parameters),
        stream.is_grouped,
        stream.last_id,
    )
    return dict(zip(_KEYS, facts, strict=True))


def stream_arrays(stream: Stream) -> dict[str, FloatArray]:
    """Return the arrays of a stream, in file order; an empty tail is none."""
    names = _names(len(stream.dynamics), len(stream.tail))
    arrays = [*map(_packed, (stream.samples, *stream.dynamics)), stream.tail]
    return dict(zip(names, arrays, strict=False))


def stream_shapes(
    facts: dict[str, Any], estimator: type[StreamingFeatures], n_columns: int
) -> dict[str, tuple[int, ...]]:
    """Return the shapes that the arrays of a stream must have; the facts are already checked."""
    counted = _counted(facts, estimator)
    widths = [n_columns, *(kind.n_blocks * n_columns for kind in counted)]
    shapes = [*((width + 4, width) for width in widths), (facts["n_tail"], n_columns)]
    return dict(zip(_names(len(counted), facts["n_tail"]), shapes, strict=False))


def find_odd_stream(facts: Any, estimator: type[StreamingFeatures]) -> str | None:
    """Describe what is wrong with a stream's part of the JSON, or return None."""
    if type(facts) is not dict or tuple(facts) != _KEYS:
        return f"stream_ does not have the entries {_KEYS}"
    parameters = facts["parameters"]
    if type(parameters) is not dict or tuple(parameters) != estimator.counted_parameters:
        return f"stream_ has other parameters than {estimator.counted_parameters}"
    if not all(_is_count(value, MOST_STEPS) for value in parameters.values()):
        return f"stream_ has a parameter that is no number from 0 to {MOST_STEPS}"
    counted = _counted(facts, estimator)
    counts = facts["counts"]
    if type(counts) is not list or len(counts) != 1 + len(counted):
        return f"stream_ does not have {1 + len(counted)} counts"
    if not all(_is_count(count, 2**62) for count in counts) or counts[0] == 0:
        return "stream_ has a count that is none"
    if not _is_count(facts["n_tail"], max((kind.span for kind in counted), default=1) - 1):
        return "stream_ has a tail that is longer than anything that is counted"
    resolution, is_grouped = facts["resolution"], facts["is_grouped"]
    if type(resolution) is not float or not 0 <= resolution <= 1:
        return "stream_ has a resolution that is no share"
    if type(is_grouped) not in (bool, type(None)):
        return "stream_ does not say whether there are groups"
    has_id = facts["last_id"] is not None
    if has_id != (is_grouped is True) or (has_id and _find_odd_id(facts["last_id"])):
        return "stream_ has a group id that is none"
    return None


def read_stream(facts: dict[str, Any], arrays: dict[str, FloatArray], n_columns: int) -> Stream:
    """Return the stream that checked facts and arrays describe."""
    counts = facts["counts"]
    names = _names(len(counts) - 1, facts["n_tail"])
    samples, *dynamics = (
        _unpacked(count, arrays[name]) for count, name in zip(counts, names, strict=False)
    )
    tail = arrays[names[-1]] if facts["n_tail"] else np.zeros((0, n_columns))
    return Stream(
        samples,
        tuple(dynamics),
        tail,
        facts["resolution"],
        facts["parameters"],
        facts["is_grouped"],
        facts["last_id"],
    )


def _names(n_dynamics: int, n_tail: int) -> list[str]:
    dynamics = [f"stream_.dynamics.{i}" for i in range(n_dynamics)]
    return ["stream_.samples", *dynamics, *(["stream_.tail"] if n_tail else [])]


def _counted(facts: dict[str, Any], estimator: type[StreamingFeatures]) -> tuple[Counted, ...]:
    return estimator(**facts["parameters"]).counted()


def _is_count(value: Any, largest: int) -> bool:
    return type(value) is int and 0 <= value <= largest


def _find_odd_id(group_id: Any) -> str | None:
    if type(group_id) not in (str, int, float, bool):
        return f"a {type(group_id).__name__}"
    return find_unplain(group_id)


def _packed(moments: Moments) -> FloatArray:
    rows = (moments.mean, moments.mean_rest, moments.smallest, moments.largest)
    return np.vstack([moments.scatter, *rows])


def _unpacked(count: int, array: FloatArray) -> Moments:
    mean, mean_rest, smallest, largest = (row.copy() for row in array[-4:])
    return Moments(count, mean, mean_rest, array[:-4].copy(), smallest, largest)
