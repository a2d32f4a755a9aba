"""How notes and errors speak of columns and options."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["LONGEST_NAME", "in_python", "quoted"]

_LISTED = 8
# Characters of a name that a person may have given. A longer one is cut where it is shown, and not
# searched for a unit: the search takes the square of its length.
LONGEST_NAME = 200


def quoted(names: Sequence[str]) -> str:
    """List names in quotes; of many the first ones only.

    Examples
    --------
    >>> from predfeat.datasets._naming import quoted
    >>> print(quoted(["year", "month"]))
    'year', 'month'
    """
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(repr(_short(name)) for name in names[:_LISTED]) + more


def in_python(option: str, values: Sequence[str]) -> str:
    """Return an option with its values as `read` takes them, one text with commas in between.

    Examples
    --------
    >>> from predfeat.datasets._naming import in_python
    >>> print(in_python("group", ["trial"]), in_python("keep", ["year", "wind, east"]))
    group="trial" keep='year,"wind, east"'
    """
    shown = [_short(value) for value in values[:_LISTED]]
    text = ",".join(f'"{v}"' if "," in v and len(values) > 1 else v for v in shown)
    more = ",…" if len(values) > _LISTED else ""
    return f"{option}='{text}{more}'" if '"' in text else f'{option}="{text}{more}"'


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
