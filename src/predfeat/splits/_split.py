"""A training part and a test part of a series."""

from __future__ import annotations

from dataclasses import dataclass

from predfeat._typing import IntArray
from predfeat.series import Sequences
from predfeat.splits._take import take

__all__ = ["Split"]


@dataclass(frozen=True)
class Split:
    """Rows to train on and rows to test on.

    Attributes
    ----------
    train, test : ndarray of int
        Row numbers, ascending. No row is in both.
    kind : {"sequences", "blocks", "windows"}
        What was dealt: whole sequences (or a stretch of each), blocks of rows, or two windows.
    is_cut : bool
        Whether rows were left out to keep within a limit.
    """

    train: IntArray
    test: IntArray
    kind: str
    is_cut: bool = False

    def parts(self, series: Sequences) -> tuple[Sequences, Sequences]:
        """Return both parts of a series; see `take`."""
        return take(series, self.train), take(series, self.test)
