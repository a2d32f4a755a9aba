"""Time in whole counts, so that no digit is lost when stamps are subtracted.

A float64 holds fifteen digits. Nanoseconds since 1970 have nineteen, and so has a Unix time with
nine decimals: both have to be subtracted as whole numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat.datasets._clocks import quantum

__all__ = ["counts_of", "differences", "in_float", "since"]

_SAFE_DIGITS = 15  # that a float64 keeps of any decimal
_MOST_DIGITS = 19  # that a count in 64 bits can have
_LONGEST = 100  # characters in any number people write; a million digits must not take hours
# Enough that scaling never rounds; digits are only cut off.
_ENOUGH_DIGITS = Context(prec=_LONGEST + _MOST_DIGITS)


def counts_of(numbers: AnyArray, texts: Sequence[str] | None) -> tuple[AnyArray, Fraction]:
    """Return numbers as whole counts of a power of ten, and that power; unchanged if none fits.

    Parameters
    ----------
    numbers : ndarray
        Whole numbers, or finite float64.
    texts : sequence of str, optional
        What the numbers were read from: it may have more digits. The largest count keeps
        nineteen; further digits are cut off.

    Returns
    -------
    counts : ndarray of int64, uint64 or float64
    tick : Fraction
        What one count stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._counting import counts_of
    >>> texts = ["1700000000.123456789", "1700000000.12345679"]
    >>> counts_of(np.array(texts, dtype=float), texts)[0].tolist()
    [1700000000123456789, 1700000000123456790]
    >>> counts_of(np.array([0.25, 3.5]), None)
    (array([ 25, 350]), Fraction(1, 100))
    """
    if numbers.dtype.kind in "iu":
        wide = numbers.dtype.kind == "u" and numbers.dtype.itemsize == 8
        return numbers if wide else numbers.astype(np.int64), Fraction(1)
    if texts is not None and _SAFE_DIGITS < max(map(len, texts), default=0) <= _LONGEST:
        with suppress(InvalidOperation):  # exponents of nineteen digits: float64 says 0
            found = _counts_of_texts(texts)
            if found is not None and _distinct(found[0], numbers):
                return found
    whole = (np.abs(numbers) < 2.0**53) & (numbers == np.rint(numbers))
    unit = 1.0 if whole.all() else quantum(numbers)
    if unit is None:
        return numbers, Fraction(1)
    tick = Fraction(repr(unit))
    counts = np.rint(numbers * float(1 / tick)).astype(np.int64)
    return (counts, tick) if _distinct(counts, numbers) else (numbers, Fraction(1))


def _distinct(counts: AnyArray, numbers: AnyArray) -> bool:
    """Return whether no two numbers have one count.

    A small number among large ones may lose all its digits to a cut, or to a tick that is right
    for the large ones.
    """
    return len(np.unique(counts)) >= len(np.unique(numbers))


def _counts_of_texts(texts: Sequence[str]) -> tuple[AnyArray, Fraction] | None:
    try:
        counts = [int(text) for text in texts]
    except ValueError:
        return _counts_of_decimals([Decimal(text) for text in texts])
    if min(counts) >= 0 and max(counts) < 2**64:
        return np.array(counts, np.int64 if max(counts) < 2**63 else np.uint64), Fraction(1)
    return _counts_of_decimals([Decimal(count) for count in counts])


def _counts_of_decimals(numbers: Sequence[Decimal]) -> tuple[AnyArray, Fraction] | None:
    decimals = max(-int(number.as_tuple().exponent) for number in numbers)
    largest = max((number.adjusted() for number in numbers if number), default=0)
    decimals = min(max(decimals, 0), _MOST_DIGITS - 1 - largest)
    if decimals > sys.float_info.max_10_exp:
        return None  # a float64 cannot hold such a tick
    while True:
        counts = [int(number.scaleb(decimals, _ENOUGH_DIGITS)) for number in numbers]
        if min(counts) >= -(2**63) and max(counts) < 2**63:
            return np.array(counts, dtype=np.int64), Fraction(10) ** -decimals
        decimals -= 1


def in_float(counts: AnyArray, tick: Fraction) -> FloatArray:
    """Return what counts stand for; a fraction such as 1/10 loses no digits on the way."""
    if tick == 1:
        return counts.astype(np.float64)
    with np.errstate(over="ignore"):
        return counts.astype(np.float64) * float(tick.numerator) / float(tick.denominator)


def differences(time: AnyArray, tick: Fraction = Fraction(1)) -> FloatArray:
    """Return the time from row to row, in seconds for dates: exact, then rounded once to float64.

    Parameters
    ----------
    time : ndarray of shape (n_rows,)
        datetime64, or counts of `tick`.
    tick : Fraction

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets._counting import differences
    >>> differences(np.array([2**63 - 1, -(2**63)])).tolist() == [-(2.0**64)]
    True
    """
    return _subtracted(time[1:], time[:-1], tick)


def since(time: AnyArray, tick: Fraction = Fraction(1)) -> FloatArray:
    """Return the time of each row since the first, as exactly as `differences` does."""
    return _subtracted(time, time[:1], tick)


def _subtracted(later: AnyArray, earlier: AnyArray, tick: Fraction) -> FloatArray:
    if later.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return in_float(later.astype(np.float64) - earlier.astype(np.float64), tick)
    if later.dtype.kind == "M":
        tick = _seconds(later.dtype)
    forward = later >= earlier
    # Unsigned, the larger minus the smaller is right however far apart they are.
    one, other = later.view(np.uint64), earlier.view(np.uint64)
    apart = in_float(np.where(forward, one - other, other - one), tick)
    return np.where(forward, apart, -apart)


def _seconds(dates: np.dtype[np.datetime64]) -> Fraction:
    """Return the seconds between neighbouring moments of a type."""
    unit, n = np.datetime_data(dates)
    finer = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}
    if unit in finer:
        return Fraction(n, 10 ** finer[unit])
    return Fraction(n * {"m": 60, "h": 3600, "D": 86_400, "W": 604_800}[unit])
