"""Slow, obvious twins of what is asked of the columns of a table; NumPy and the calendar only."""

from datetime import timedelta
from itertools import combinations

import numpy as np


def cells_in_complete_rows(values, columns):
    """Return how many numbers stand in rows without a gap."""
    rows = [row for row in values[:, list(columns)].tolist() if not any(x != x for x in row)]
    return len(rows) * len(columns)


def nested_choice(values):
    """Take the fullest columns first, as many as make the most cells; then what costs nothing."""
    n_columns = values.shape[1]
    empty = [sum(x != x for x in values[:, i].tolist()) for i in range(n_columns)]
    order = sorted(range(n_columns), key=lambda i: (empty[i], i))
    most = max(cells_in_complete_rows(values, order[: i + 1]) for i in range(n_columns))
    kept = max(
        (order[: i + 1] for i in range(n_columns)
         if cells_in_complete_rows(values, order[: i + 1]) == most),
        key=len,
    )  # fmt: skip
    for column in order[len(kept) :]:
        if cells_in_complete_rows(values, [*kept, column]) >= cells_in_complete_rows(values, kept):
            kept = [*kept, column]
    return sorted(kept)


def best_choice(values):
    """Return the most cells in complete rows that any set of columns has."""
    n_columns = values.shape[1]
    return max(
        cells_in_complete_rows(values, columns)
        for size in range(1, n_columns + 1)
        for columns in combinations(range(n_columns), size)
    )


def calendar_columns(moments):
    """Return what tables have beside their dates, by Python's calendar."""
    made = {
        "year": lambda t: t.year,
        "month": lambda t: t.month,
        "month from 0": lambda t: t.month - 1,
        "day": lambda t: t.day,
        "hour": lambda t: t.hour,
        "hour from 1": lambda t: t.hour + 1,
        "weekday": lambda t: t.weekday(),
        "weekday from 1": lambda t: t.isoweekday(),
        "weekday from Sunday": lambda t: t.isoweekday() % 7,
        "ISO week": lambda t: t.isocalendar()[1],
        "day of year": lambda t: t.timetuple().tm_yday,
        "quarter": lambda t: (t.month - 1) // 3 + 1,
        "yyyymm": lambda t: 100 * t.year + t.month,
        "yyyymmdd": lambda t: int(t.strftime("%Y%m%d")),
        "decimal year": lambda t: round(t.year + (t.timetuple().tm_yday - 1) / 365, 3),
        "decimal month": lambda t: round(t.year + (t.month - 1) / 12, 2),
        "weekend": lambda t: float(t.weekday() >= 5),
        "sine of the hour": lambda t: np.sin(2 * np.pi * t.hour / 24),
        "afternoon": lambda t: float(t.hour >= 12),
        "seconds since": lambda t: (t - moments[0]) / timedelta(seconds=1),
    }
    return {name: np.array([make(t) for t in moments], float) for name, make in made.items()}


def wheel(n_rows, n_values, held, first=0, step=1, start=0):
    """Let a wheel turn: `held` rows at each of its values, from value number `start`."""
    at, rows = start, []
    while len(rows) < n_rows:
        rows += [first + step * at] * held
        at = (at + 1) % n_values
    return np.array(rows[:n_rows], float)
