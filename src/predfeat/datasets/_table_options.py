"""The options that all readers of tables share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

__all__ = ["TABLE_OPTIONS", "TableOptions"]


@dataclass(frozen=True)
class TableOptions:
    """The options that all readers of tables share; None where the user said nothing.

    Attributes
    ----------
    columns, keep, exclude, time, group, annotations, missing, jumps, day_first
        As `predfeat.datasets.read` takes them.
    """

    columns: Sequence[str] | None = None
    keep: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    time: str | None = None
    group: str | None = None
    annotations: Mapping[str, str | Sequence[str]] | None = None
    missing: str | float | Sequence[str | float] | None = None
    jumps: str | None = None
    day_first: bool | None = None


TABLE_OPTIONS = tuple(option.name for option in fields(TableOptions))
