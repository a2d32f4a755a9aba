"""Slow, obvious twins of what is asked of time stamps; Python's whole numbers and fractions."""

import re
from datetime import date
from fractions import Fraction
from itertools import pairwise

_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:(Z)|([+-])(\d\d):(\d\d))?"
)


def seconds_of(text):
    """Return a number as it stands, or a moment in seconds since the first day of year 1."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        return Fraction(text.strip())
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    part = Fraction(int(found[7]), 10 ** len(found[7])) if found[7] else Fraction(0)
    zone = (int(found[10]) * 60 + int(found[11])) * 60 if found[9] else 0
    days = date(year, month, day).toordinal()
    seconds = days * 86_400 + (hour * 60 + minute) * 60 + second
    return seconds + part - (-zone if found[9] == "-" else zone)


def steps_of(texts):
    """Return the time from each cell to the next, exactly."""
    times = [seconds_of(text) for text in texts]
    return [later - earlier for earlier, later in pairwise(times)]
