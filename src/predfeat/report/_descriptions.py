"""A few words for each feature, in the terms of the recording."""

from __future__ import annotations

from typing import Any

import numpy as np

from predfeat._typing import FloatArray
from predfeat.datasets import Image, Recording, Spectrum
from predfeat.report._cycles import cycle_name
from predfeat.report._in_time import in_time
from predfeat.report._loadings import frequency_profile
from predfeat.report._svg import number, shorten

__all__ = ["describe_feature", "made_of", "numbered"]

# A column is named if it shares at least this part of the variance that the nearest one shares.
_NEAR_SHARE = 0.5
# If even the nearest column shares less variance, no single column represents the feature.
_SMALLEST_SHARE = 0.1
_MOST_COLUMNS_NAMED = 3
_ROWS = ("top", "middle", "bottom")
_SIDES = ("left", "centre", "right")


def describe_feature(
    recording: Recording, feature: FloatArray, loadings: FloatArray, cycle: dict[str, Any]
) -> str:
    """Return what a feature is made of, and how it behaves in time.

    Parameters
    ----------
    recording : Recording
    feature : ndarray of shape (n_rows,)
        Of every row; gaps are NaN.
    loadings : ndarray of shape (n_columns,)
        Correlation of every column with it.
    cycle : dict
        From `cycles_of`.

    Returns
    -------
    str
        Such as "temp and dewp together, yearly cycle, highest in July".
    """
    # The sign of a feature is arbitrary: it is chosen to agree with the nearest column.
    leading = loadings[int(np.argmax(np.abs(loadings)))]
    oriented = -feature if leading < 0 else feature
    words = [made_of(recording, loadings), cycle_name(cycle)]
    words += in_time(oriented, recording.time, one_sequence=recording.groups is None)
    return ", ".join(word for word in words if word)


def numbered(descriptions: list[str]) -> list[str]:
    """Return a line for each feature.

    Examples
    --------
    >>> numbered(["temp, yearly cycle"])
    ['feature 1: temp, yearly cycle']
    """
    return [f"feature {i + 1}: {text}" for i, text in enumerate(descriptions)]


def made_of(recording: Recording, loadings: FloatArray) -> str:
    """Return the columns, frequencies or parts of the picture that a feature represents."""
    if isinstance(recording.layout, Spectrum):
        return _frequencies(*frequency_profile(recording.layout, loadings[None, :]))
    if isinstance(recording.layout, Image):
        return _picture(loadings.reshape(recording.layout.height, recording.layout.width))
    return _columns(recording.names, loadings)


def _columns(names: tuple[str, ...], loadings: FloatArray) -> str:
    """Name the columns nearest to a feature; those that run against the nearest come last.

    Examples
    --------
    >>> import numpy as np
    >>> _columns(("temp", "dewp", "pressure"), np.array([0.9, 0.8, -0.7]))
    'temp and dewp against pressure'
    """
    shared = loadings**2
    order = np.argsort(-shared, kind="stable")
    largest = shared[order[0]]
    if largest < _SMALLEST_SHARE:
        return f"a mixture of many columns, nearest to {shorten(names[order[0]])}"
    near = [i for i in order if shared[i] >= _NEAR_SHARE * largest]
    leading = np.sign(loadings[order[0]])
    along = [shorten(names[i]) for i in near if np.sign(loadings[i]) == leading]
    against = [shorten(names[i]) for i in near if np.sign(loadings[i]) != leading]
    if against:
        return f"{_listed(along)} against {_listed(against)}"
    if len(along) > 1:
        return f"{_listed(along)} together"
    return along[0] if largest > _NEAR_SHARE else f"mostly {along[0]}"


def _listed(names: list[str]) -> str:
    shown = (
        names[:_MOST_COLUMNS_NAMED]
        if len(names) <= _MOST_COLUMNS_NAMED
        else names[: _MOST_COLUMNS_NAMED - 1]
    )
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _frequencies(frequencies: FloatArray, profiles: FloatArray) -> str:
    """Return the band around the strongest frequency with at least half of its power."""
    profile = profiles[0]
    peak = int(np.argmax(profile))
    strong = profile >= np.sqrt(_NEAR_SHARE) * profile[peak]
    if profile[peak] ** 2 < _SMALLEST_SHARE:
        return "a mixture of all frequencies"
    if strong.mean() > _NEAR_SHARE:
        return "nearly all frequencies together"
    low = peak - int(np.argmin(strong[peak::-1])) + 1 if not strong[: peak + 1].all() else 0
    high = peak + int(np.argmin(strong[peak:])) - 1 if not strong[peak:].all() else len(strong) - 1
    if frequencies[high] <= 1.25 * frequencies[low]:
        return f"sound around {number(float(frequencies[peak]))} Hz"
    return f"sound from {number(float(frequencies[low]))} to {number(float(frequencies[high]))} Hz"


def _picture(pattern: FloatArray) -> str:
    """Return where in the picture a feature shows, and where with the opposite sign."""
    strength = np.abs(pattern)
    top = np.unravel_index(int(np.argmax(strength)), pattern.shape)
    if strength[top] ** 2 < _SMALLEST_SHARE:
        return "no single place in the picture"
    signed = pattern * np.sign(pattern[top])
    limit = np.sqrt(_NEAR_SHARE) * strength[top]
    bright, dark = _where(signed, limit), _where(-signed, limit)
    if bright == "all":
        return "the whole picture"
    if not dark:
        return f"the {bright} of the picture"
    if dark == bright:
        return f"a pattern in the {bright} of the picture"
    return f"the {bright} against the {dark} of the picture"


def _where(pattern: FloatArray, limit: float) -> str:
    rows, columns = np.nonzero(pattern >= limit)
    if len(rows) == 0:
        return ""
    if len(rows) > _NEAR_SHARE * pattern.size:
        return "all"
    height, width = pattern.shape
    row = _ROWS[int(3 * rows.mean() / height)]
    side = _SIDES[int(3 * columns.mean() / width)]
    return "middle" if (row, side) == ("middle", "centre") else f"{row} {side}"
