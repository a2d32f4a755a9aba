"""What a fit does not use: most methods ignore `y`, but ids of sequences in its place are reported.

So are actions and rewards that nothing uses.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from predfeat._typing import AnyArray
from predfeat._warnings import warn
from predfeat.exceptions import GroupsError, IgnoredTargetWarning
from predfeat.series import Annotations, check_annotations

__all__ = ["check_ignored_target", "used_annotations"]

_USED_BY = {
    "rewards": 'SimilarValue(of="rewards") or Different(of="rewards")',
    "actions": "Future() or Past()",
}


def used_annotations(
    used: Collection[str] | None,
    n_rows: int,
    method: str,
    *,
    y: Any = None,
    groups: Any = None,
    actions: Any = None,
    rewards: Any = None,
) -> Annotations:
    """Check the labels, actions and rewards that a fit uses, and warn of the others.

    Parameters
    ----------
    used : collection of str, or None
        Which of "y", "actions" and "rewards" the terms of a graph use. None: there are no terms.
    n_rows : int
    method : str
        Its name, for messages.
    y, groups, actions, rewards : array-like, optional
        As they were given to `fit`.

    Returns
    -------
    Annotations
        None of what is not used.
    """
    given = {"y": y, "actions": actions, "rewards": rewards}
    has_terms, used = used is not None, used or ()
    if "y" not in used:
        check_ignored_target(y, groups, n_rows, method)
    for name in ("rewards", "actions"):
        if given[name] is not None and name not in used:
            reason = f"{method} uses them only with GPFA."
            if has_terms:
                reason = (
                    f"no term of this {method} uses them. Add one, such as {_USED_BY[name]}, to "
                    "terms."
                )
            warn(f"{name} are ignored: {reason}", IgnoredTargetWarning)
    return check_annotations(n_rows, **{name: given[name] for name in given if name in used})


def check_ignored_target(y: Any, groups: Any, n_rows: int, method: str) -> None:
    """Reject a `y` that cannot be a target for the rows; warn if it looks like `groups`.

    Each sequence id fills one block of two or more rows. Sorted class labels do so too, and a
    pipeline may pass them on to a later step, so this is a warning and not an error.
    """
    if y is None:
        return
    _refuse_other_length(y, n_rows, method)
    if groups is None and _looks_like_groups(y):
        warn(
            f"y, the second argument, is ignored by {method}, but what was given looks like the "
            "ids of sequences: each comes in one block of rows. Give them by name, groups=…; "
            "without groups all rows are one sequence.",
            IgnoredTargetWarning,
        )


def _refuse_other_length(y: Any, n_rows: int, method: str) -> None:
    shape = _plain(y).shape if getattr(y, "shape", None) is None else y.shape
    if shape and shape[0] == n_rows:
        return
    given = f"has {shape[0]} entries" if shape else f"is {y!r}"
    advice = "Ids of sequences are given by name, groups=…, one for every row."
    if _are_lengths(y, n_rows):
        advice = "For sequences of these lengths give groups=np.repeat(np.arange(len(y)), y)."
    raise GroupsError(
        f"y, the second argument, is ignored by {method}, but it {given} where X has {n_rows} "
        f"rows, and can be no target of them. {advice}"
    )


def _plain(y: Any) -> AnyArray:
    try:
        return np.asarray(y)
    except ValueError:  # lists of different lengths
        return np.asarray(y, dtype=object)


def _are_lengths(y: Any, n_rows: int) -> bool:
    lengths = _plain(y)
    return lengths.ndim == 1 and lengths.dtype.kind in "iu" and int(lengths.sum()) == n_rows


def _looks_like_groups(y: Any) -> bool:
    ids = _plain(y)
    if ids.ndim == 2 and ids.shape[1] == 1:
        ids = ids[:, 0]
    if ids.ndim != 1:
        return False
    try:
        starts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
        distinct = set(ids[starts].tolist())
    except (TypeError, ValueError):  # values that cannot be compared or hashed are not ids
        return False
    sizes = np.diff(np.r_[starts, len(ids)])
    return 1 < len(starts) == len(distinct) and int(sizes.min()) > 1
