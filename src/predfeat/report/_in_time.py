"""What a feature follows in time: a drift, a sudden change, the hour, the season."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray

__all__ = ["calendar_shares", "drift_share", "in_time", "sudden_change"]

# A pattern is mentioned if it explains more than this share of the variance.
_EXPLAINED_SHARE = 0.5
# A sudden change must show in the rows next to it, this share of all rows on either side, with at
# least this part of the whole difference.
_ADJACENT_ROWS, _ADJACENT_DIFFERENCE = 0.02, 0.75
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class _Clock:
    """A cycle of the calendar: its name, its number of bins, and its length in days."""

    name: str
    n_places: int
    days: float


_CLOCKS = (
    _Clock("time of day", 24, 1.0),
    _Clock("day of the week", 7, 7.0),
    _Clock("time of year", 12, 365.2425),
)
# A recording must cover this many cycles before a feature is said to follow them.
_FEWEST_CYCLES = 2.0
# The fewest bins of a cycle that must hold rows.
_FEWEST_BINS = 4


def drift_share(feature: FloatArray) -> float:
    """Return the share of variance that a straight line over the rows explains."""
    time = np.flatnonzero(~np.isnan(feature)).astype(float)
    values = feature[~np.isnan(feature)]
    if len(values) < 3 or values.min() == values.max():
        return 0.0
    return float(np.corrcoef(time, values)[0, 1] ** 2)


def sudden_change(feature: FloatArray) -> int | None:
    """Return the row at which the level changes suddenly and permanently, if there is one.

    Two constants, one before and one after it, must explain most of the variance, and the rows
    next to the change must differ by nearly as much as all rows before and after it.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.report._in_time import sudden_change
    >>> noise = np.random.default_rng(0).normal(size=300)
    >>> sudden_change(noise + 5 * (np.arange(300) >= 120)), sudden_change(noise.cumsum())
    (120, None)
    """
    rows = np.flatnonzero(~np.isnan(feature))
    values = feature[rows] - feature[rows].mean() if len(rows) else feature[rows]
    n_beside = max(3, int(_ADJACENT_ROWS * len(values)))
    if len(values) < 4 * n_beside:
        return None
    whole = float(values @ values)
    before = np.arange(1, len(values))
    sums = np.cumsum(values)[:-1]
    # The two means' share: the sums before and after cancel.
    explained = sums**2 * (1 / before + 1 / (len(values) - before))
    inside = slice(n_beside - 1, len(values) - n_beside)
    at = int(np.argmax(explained[inside])) + n_beside
    if whole <= 0 or explained[at - 1] <= _EXPLAINED_SHARE * whole:
        return None
    difference = values[at:].mean() - values[:at].mean()
    there = values[at : at + n_beside].mean() - values[at - n_beside : at].mean()
    return (
        int(rows[at])
        if there * np.sign(difference) >= _ADJACENT_DIFFERENCE * abs(difference)
        else None
    )


def calendar_shares(feature: FloatArray, time: AnyArray) -> dict[str, tuple[float, int]]:
    """Return how much of a feature's variance follows the calendar, and when it is highest.

    Parameters
    ----------
    feature : ndarray of shape (n_rows,)
        NaN for gaps.
    time : ndarray of datetime64

    Returns
    -------
    dict of (share, place)
        By "time of day" (hours), "day of the week" (0 is Monday) and "time of year" (months),
        those that the series is long and fine enough for. The share is that of the means of the
        places, less what as many places of noise would have.
    """
    there = ~np.isnan(feature) & ~np.isnat(time)
    values, time = feature[there], time[there].astype("datetime64[s]")
    found: dict[str, tuple[float, int]] = {}
    if len(values) < 2 or values.min() == values.max():
        return found
    span = float((time.max() - time.min()) / np.timedelta64(1, "s")) / 86_400.0
    places = _places(time)
    for clock in _CLOCKS:
        where = places[clock.name]
        counts = np.bincount(where, minlength=clock.n_places)
        n_met = int(np.count_nonzero(counts))
        # A series of one value a day has no time of day.
        if span < _FEWEST_CYCLES * clock.days or n_met < _FEWEST_BINS or len(values) <= 2 * n_met:
            continue
        means = np.bincount(where, values, clock.n_places) / np.maximum(counts, 1)
        between = float(counts @ (means - values.mean()) ** 2) / float(
            np.sum((values - values.mean()) ** 2)
        )
        chance = (n_met - 1) / (len(values) - 1)
        highest = int(np.argmax(np.where(counts > 0, means, -np.inf)))
        found[clock.name] = ((between - chance) / (1 - chance), highest)
    return found


def _places(time: AnyArray) -> dict[str, IntArray]:
    days = time.astype("datetime64[D]")
    months = time.astype("datetime64[M]").astype(np.int64)
    return {
        "time of day": ((time - days) // np.timedelta64(3600, "s")).astype(np.intp),
        "day of the week": ((days.astype(np.int64) + 3) % 7).astype(np.intp),
        "time of year": (months % 12).astype(np.intp),
    }


def in_time(feature: FloatArray, time: AnyArray | None, *, one_sequence: bool) -> list[str]:
    """Return what a feature follows in time, in a few words each.

    Parameters
    ----------
    feature : ndarray of shape (n_rows,)
        NaN for gaps.
    time : ndarray of shape (n_rows,), or None
        Time stamps; only dates are used.
    one_sequence : bool
        Whether rows follow each other throughout: several sequences have no common start.

    Returns
    -------
    list of str
    """
    dates = time if time is not None and time.dtype.kind == "M" else None
    words = []
    if dates is not None:
        words += [
            _when(name, place)
            for name, (share, place) in calendar_shares(feature, dates).items()
            if share > _EXPLAINED_SHARE
        ]
    if one_sequence:
        row = sudden_change(feature)
        if row is not None:
            words.append(f"changes level at {_moment(row, dates)}")
        elif drift_share(feature) > _EXPLAINED_SHARE:
            words.append("drifts from beginning to end")
    return words


def _when(clock: str, place: int) -> str:
    if clock == "day of the week":  # among equal working days, the highest is due to chance
        return "follows the day of the week"
    return (
        f"highest {f'around {place:02d}:00' if clock == 'time of day' else f'in {_MONTHS[place]}'}"
    )


def _moment(row: int, dates: AnyArray | None) -> str:
    return f"row {row}" if dates is None else str(dates[row].astype("datetime64[D]"))
