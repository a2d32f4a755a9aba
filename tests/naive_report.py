"""Slow, obvious twins of what the report says of features in time. Only NumPy is imported."""

import datetime

import numpy as np


def share_by_place(values, places):
    """Return the adjusted share of variance between the means of places, and the highest one."""
    met = sorted(set(places))
    means = {p: np.mean([v for v, q in zip(values, places, strict=True) if q == p]) for p in met}
    whole = sum((v - np.mean(values)) ** 2 for v in values)
    between = sum((means[p] - np.mean(values)) ** 2 for p in places)
    chance = (len(met) - 1) / (len(values) - 1)
    return (between / whole - chance) / (1 - chance), max(met, key=means.get)


def calendar_places(moment):
    """Return hour, weekday and month of a datetime64, by Python's own calendar."""
    day = moment.astype("datetime64[s]").astype(datetime.datetime)
    return {
        "time of day": day.hour,
        "day of the week": day.weekday(),
        "time of year": day.month - 1,
    }


def best_split(values, n_beside):
    """Return the row at which two constants explain the most, and the share they do."""
    whole = sum((v - np.mean(values)) ** 2 for v in values)
    shares = {}
    for at in range(n_beside, len(values) - n_beside + 1):
        within = sum(sum((part - np.mean(part)) ** 2) for part in (values[:at], values[at:]))
        shares[at] = 1 - within / whole
    at = max(shares, key=shares.get)
    return at, shares[at]
