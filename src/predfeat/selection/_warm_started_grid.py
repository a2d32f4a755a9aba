"""The features of many settings at once, for a fraction of what separate fits would cost.

Shared *exactly*: a search for the largest k contains the neighbours for every smaller k; the first
M features of SFA, PFA and ForeCA do not depend on how many follow; whitening is the same for all
settings of a training part.

Shared *approximately*, for GPFA: its iteration runs once for each p, with the middle k, from the
largest M downwards. Each smaller M takes two iterations, starting from the features of the next
larger M, where a separate fit would start from the input. The other k branch off at the last of
these. The surface thus shows which settings are promising; at the end, `choose` scores the chosen
one by separate fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from predfeat._typing import FloatArray
from predfeat.features import GPFA, PFA, embed, find_neighbors
from predfeat.neighbors import NeighborTable
from predfeat.series import Sequences
from predfeat.whitening import Whitening

__all__ = ["surface_directions"]

_STEPS_AT_LARGEST = 10
_STEPS_BELOW = 2


def surface_directions(
    template: Any,
    white: Sequences,
    whitening: Whitening,
    n_lags: int,
    neighbors: Sequence[int],
    components: Sequence[int],
) -> dict[tuple[int, int], FloatArray]:
    """Return the directions a method finds in white space, for every k and M.

    Parameters
    ----------
    template : estimator
        The method, with the parameters that are not varied.
    white : Sequences
        The training part in white space.
    whitening : Whitening
        The map to white space.
    n_lags : int
        p.
    neighbors, components : sequence of int
        The values of k and M, ascending; a single k for methods without neighbours.

    Returns
    -------
    dict of (k, M) to ndarray of shape (n_columns, M)
    """
    if isinstance(template, GPFA):
        return _WarmStarts(template, white, whitening, n_lags, neighbors).run(components)
    largest = clone(template).set_params(n_components=components[-1])
    if isinstance(template, PFA):
        largest.set_params(n_lags=n_lags)
    directions: FloatArray = largest.find_directions(white, whitening)
    return {(k, m): directions[:, :m] for k in neighbors for m in components}


class _WarmStarts:
    """GPFA's iteration for one p, from the largest M down to the smallest."""

    def __init__(
        self,
        template: GPFA,
        white: Sequences,
        whitening: Whitening,
        n_lags: int,
        neighbors: Sequence[int],
    ) -> None:
        self.middle = neighbors[len(neighbors) // 2]
        self.model: GPFA = clone(template).set_params(
            n_lags=n_lags, n_neighbors=self.middle, n_intermediate=None
        )
        self.white, self.whitening = white, whitening
        self.neighbors = neighbors

    def run(self, components: Sequence[int]) -> dict[tuple[int, int], FloatArray]:
        """Return the directions for every k and M."""
        start = clone(self.model).set_params(
            n_components=components[-1], max_iter=_STEPS_AT_LARGEST
        )
        directions = start.find_directions(self.white, self.whitening)
        found: dict[tuple[int, int], FloatArray] = {}
        for m in reversed(components):
            directions = directions[:, :m]
            for _ in range(_STEPS_BELOW - 1):
                space = self._space(directions)
                directions = self._step(space, self._search(space, self.middle), m)
            space = self._space(directions)
            table = self._search(space, self.neighbors[-1])
            for k in self.neighbors:
                found[k, m] = self._step(space, table, m, k)
            directions = found[self.middle, m]
        return found

    def _space(self, directions: FloatArray) -> Sequences:
        return self.white.with_rows(self.white.rows @ directions)

    def _search(self, space: Sequences, n_neighbors: int) -> NeighborTable:
        return find_neighbors(space, self.model.settings, n_neighbors=n_neighbors)

    def _step(
        self, space: Sequences, table: NeighborTable, m: int, k: int | None = None
    ) -> FloatArray:
        """Embed the graph of each state's first k neighbours in a table."""
        if k is not None:
            table = replace(table, indices=table.indices[:, :k], distances=table.distances[:, :k])
        return embed(self.white, space, table, self.model.settings, m).directions
