"""Actions as simulators log them: discrete or continuous, missing at the end of an episode."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import AnyArray
from predfeat.exceptions import EpisodesError, NotNumericError
from predfeat.series._observations import as_array, flatten_rows, is_nested

__all__ = ["check_actions", "join_actions"]

_LARGEST_WHOLE = 2**53  # whole numbers up to this one are exact in float64


def check_actions(actions: Any, name: str) -> AnyArray:
    """Return the actions of an episode: (n_steps,) if discrete, (n_steps, d) if continuous.

    Parameters
    ----------
    actions : array-like, or nested dicts and tuples of arrays
        One action per step.
    name : str
        Name of the episode in messages.

    Returns
    -------
    ndarray
        Whole numbers, bools or objects of one dimension, or float64 of two.
    """
    what = f"the actions of {name}"
    has_parts = is_nested(actions) or (isinstance(actions, list) and any(map(is_nested, actions)))
    array = flatten_rows(actions, what)[0] if has_parts else as_array(actions, what)
    if array.ndim == 0:
        raise EpisodesError(f"{what} are a single value, {array.item()!r}: give one for each step.")
    is_column = array.ndim == 2 and array.shape[1] == 1
    if array.dtype.kind in "iubUSO" and (array.ndim == 1 or is_column) and not has_parts:
        flat = array.reshape(len(array))
        return flat if flat.dtype.kind in "iub" else _as_objects(flat.tolist())
    if array.dtype.kind not in "iubf":
        raise NotNumericError(
            f"{what} must be numbers, or one value per step that names a discrete action, but "
            f"they are {array.dtype} of shape {array.shape}."
        )
    return array.reshape(len(array), int(np.prod(array.shape[1:]))).astype(np.float64)


def join_actions(actions: list[AnyArray]) -> AnyArray:
    """Join the actions of all episodes, with a missing one after the last of each.

    Parameters
    ----------
    actions : list of ndarray
        What `check_actions` returned for each episode.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, d)
        Float with NaN for numbers, objects with None otherwise.
    """
    taken = [(i, each) for i, each in enumerate(actions) if len(each)]
    n_rows = sum(len(each) + 1 for each in actions)
    if not taken:
        return np.full(n_rows, np.nan)
    _refuse_other_actions(taken)
    first = taken[0][1]
    is_exact = all(each.dtype.kind == "f" or _is_exact(each) for _, each in taken)
    joined = (
        np.full((n_rows, *first.shape[1:]), np.nan)
        if is_exact
        else np.full(n_rows, None, dtype=object)
    )
    start = 0
    for each in actions:
        stop = start + len(each)
        if len(each):
            joined[start:stop] = each if is_exact else _as_objects(each.tolist())
        start = stop + 1
    return joined


def _is_exact(actions: AnyArray) -> bool:
    """Tell whether discrete actions are numbers that float64 tells apart."""
    if actions.dtype.kind == "O":
        return False
    return max(abs(int(actions.min())), abs(int(actions.max()))) <= _LARGEST_WHOLE


def _as_objects(values: list[Any]) -> AnyArray:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _refuse_other_actions(taken: list[tuple[int, AnyArray]]) -> None:
    def in_words(actions: AnyArray) -> str:
        if actions.dtype.kind == "f":
            return f"continuous actions of {actions.shape[1]} number(s)"
        return "names of actions" if actions.dtype.kind == "O" else "whole numbers as actions"

    number, first = taken[0]
    for i, each in taken:
        if in_words(each) != in_words(first):
            raise EpisodesError(
                f"all episodes must have the same kind of actions, but episode {number} has "
                f"{in_words(first)} and episode {i} has {in_words(each)}. Convert them first."
            )
