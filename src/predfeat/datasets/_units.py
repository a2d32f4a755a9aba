"""Units of measure: in brackets after a name, or in a row of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from predfeat.datasets._cells import number
from predfeat.datasets._missing import Missing
from predfeat.datasets._naming import LONGEST_NAME

__all__ = ["is_units_row", "unit_in_name", "units_of"]

_BRACKETED = re.compile(r".*\S\s*(?:\[\s*(?P<square>[^\[\]]+?)\s*\]|\(\s*(?P<round>[^()]+?)\s*\))$")
# After a name, round brackets hold all kinds of things, "(max)" or "(sea level)": units are
# recognised by their symbols.
_SYMBOLS = (
    "s|sec|min|h|hr|hrs|hour|hours|d|day|days|yr|year|years|m|g|t|A|K|mol|M|cd|Hz|N|Pa|J|W|C|V|F|S"
    "|Ω|ohm|Ohm|T|H|Wb|lm|lx|lux|Bq|Gy|Sv|l|L|bar|eV|cal|Wh|VA|var|Ah|B|bit|bits|byte|bytes"
    "|°|°C|°F|ºC|ºF|℃|℉|K|degC|degF|deg|degrees|deg C|deg F|rad|sr|%|‰|ppm|ppb|pct|percent|dB|dBA"
    "|dBm|rpm|bpm|fps|in|ft|yd|mi|mph|kn|kt|kts|knots|lb|lbs|oz|psi|inHg|mmHg|gal|ha|px|count"
    r"|counts|a\.u\.|au|USD|EUR|GBP|CHF|JPY|\$|€|£"
)
_FACTOR = rf"(?:[YZEPTGMkhcdmµμunpf]|da)?(?:{_SYMBOLS})(?:\^?[-−+]?\d|[²³⁻¹])*"
_UNIT = re.compile(rf"(?:1|{_FACTOR})(?:\s*(?:/|\*|·|×|\s|per|\.)\s*(?:{_FACTOR}))*")


def unit_in_name(name: str) -> str:
    """Return the unit in brackets at the end of a column's name, "" if there is none.

    Examples
    --------
    >>> from predfeat.datasets._units import unit_in_name
    >>> unit_in_name("speed [m/s]"), unit_in_name("temp (°C)"), unit_in_name("temp (max)")
    ('m/s', '°C', '')
    """
    found = _BRACKETED.fullmatch(name.strip()) if len(name) <= LONGEST_NAME else None
    if found is None:
        return ""
    square, rounded = found["square"], found["round"]
    if square is not None:
        return "" if square.isdigit() else square
    return rounded if _UNIT.fullmatch(rounded) else ""


def is_units_row(
    row: Sequence[str], below: Sequence[Sequence[str]], missing: Missing, *, comma: bool
) -> bool:
    """Tell whether the row under the names holds units.

    It does if none of its cells is a number or a date, and at least one is text above a column of
    numbers.
    """
    if not below:
        return False
    texts = []
    for i, cell in enumerate(row):
        value = number(cell, missing, comma=comma)
        if value is None and not _is_date(cell):
            texts.append(i)
        elif not missing.says(cell):
            return False
    for i in texts:
        read = [number(cells[i], missing, comma=comma) for cells in below]
        n_odd = sum(value is None for value in read)
        if sum(value is not None and value == value for value in read) > n_odd:
            return True
    return False


def units_of(names: Sequence[str], row: Sequence[str] | None) -> tuple[str, ...]:
    """Return the unit of every column: its cell in the units row, else the one in its name."""
    in_row = [""] * len(names) if row is None else [cell.strip().strip("[]()") for cell in row]
    return tuple(
        unit if unit not in ("", "-", "–") else unit_in_name(name)
        for unit, name in zip(in_row, names, strict=True)
    )


def _is_date(cell: str) -> bool:
    try:
        datetime.fromisoformat(cell.strip())
    except ValueError:
        return False
    return True
