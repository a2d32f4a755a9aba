"""How notes and errors name columns and options."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["LONGEST_NAME", "in_python", "quoted"]

_LISTED = 8
# Characters of a name that a person may have given. A longer one is cut where it is shown, and not
# searched for a unit: the search takes the square of its length.
LONGEST_NAME = 200
# Characters of a list of names: with the sentences around it, a message stays below 2000.
_ROOM = 1200


def quoted(names: Sequence[str], most: int = _LISTED) -> str:
    """List names in quotes; only the first if they are many or long.

    Examples
    --------
    >>> from predfeat.datasets._naming import quoted
    >>> print(quoted(["year", "month"]))
    'year', 'month'
    >>> print(quoted(["year", "month", "day"], most=2))
    'year', 'month' and 1 more
    """
    shown: list[str] = []
    room = _ROOM
    for name in names[:most]:
        written = repr(_short(name))  # in which a character may take ten
        written = written if len(written) <= 2 * LONGEST_NAME else f"{written[:LONGEST_NAME]}…'"
        room -= len(written)
        if room < 0:
            break
        shown.append(written)
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return ", ".join(shown) + more


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
