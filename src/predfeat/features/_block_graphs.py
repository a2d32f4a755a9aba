"""GPFA's iteration on a series that is read block by block.

In each iteration the centres search their neighbours in one block after the other. Then only the
rows that the graph joins are read, and the graph of this excerpt is projected as that of a whole
series would be.
"""

from __future__ import annotations

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import TooFewStatesError
from predfeat.features._embedding import Embedding, GraphSettings, smallest_directions
from predfeat.features._in_blocks import mapped, nearest_of_all, states_that_ask, taken
from predfeat.graph import (
    EdgeTerm,
    Future,
    Past,
    ProjectedLaplacian,
    neighborhoods_of,
    projected_laplacian,
    weigh_by_inverse_spread,
)
from predfeat.neighbors import NeighborTable, count_centers, draw_positions
from predfeat.series import Blocks
from predfeat.whitening import Whitening

__all__ = ["BlockGraphs", "is_plain"]

# The rows of an excerpt hold so many numbers at most, 256 MB; of more centres, the graph is
# projected in several parts.
_NUMBERS_AT_ONCE = 1 << 25


def is_plain(term: EdgeTerm) -> bool:
    """Tell whether a term joins the successors, or predecessors, of similar states."""
    return type(term) in (Future, Past) and getattr(term, "weight", 0.0) > 0.0


class BlockGraphs:
    """The graphs of one iteration after the other.

    Parameters
    ----------
    blocks : Blocks
    whitening : Whitening
    start : ndarray of shape (rank, n_directions) or None
        Directions of white space along which the first neighbours are searched; None is all of it.
    settings : GraphSettings
        With `Future` and `Past` as terms.
    """

    def __init__(
        self,
        blocks: Blocks,
        whitening: Whitening,
        start: FloatArray | None,
        settings: GraphSettings,
    ) -> None:
        n_lags, n_neighbors = settings.n_lags, settings.n_neighbors
        blocks.check_states(n_lags, n_neighbors=n_neighbors)
        self.blocks, self.whitening, self.start, self.settings = blocks, whitening, start, settings
        n_states = blocks.count_states(n_lags)
        n_centers = count_centers(n_states, settings.n_centers)
        positions = np.arange(n_states)
        if n_centers < n_states:
            positions = draw_positions(n_states, n_centers, settings.random_state)
        times = blocks.state_times(positions, n_lags)
        self.asked = states_that_ask(blocks, times, n_lags, settings.theiler)

    def embedded(self, searched: FloatArray | None, n_directions: int) -> Embedding:
        """Search neighbours along some directions of white space, and embed their graph."""
        settings = self.settings
        along = self.start if searched is None else searched
        forth = self.whitening.directions
        table = nearest_of_all(
            self.blocks,
            self.asked,
            self.whitening.mean,
            forth if along is None else forth @ along,
            settings.n_neighbors,
            engine=settings.engine,
            n_jobs=settings.n_jobs,
        )
        _refuse_too_few(table, settings)
        graph = self._projected(table, along)
        pairs = smallest_directions(graph, n_directions, normalized=settings.normalized)
        return Embedding(graph, pairs.vectors, pairs.values)

    def _projected(self, table: NeighborTable, along: FloatArray | None) -> ProjectedLaplacian:
        rows_each = len(self.settings.terms) * (self.settings.n_neighbors + 1)
        n_centers = max(1, _NUMBERS_AT_ONCE // (rows_each * self.blocks.n_columns))
        if self.settings.weighting != "equal":
            n_centers = len(table.times)  # weights are relative to the mean of all
        total: ProjectedLaplacian | None = None
        for start in range(0, len(table.times), n_centers):
            part = slice(start, start + n_centers)
            some = NeighborTable(table.times[part], table.indices[part], table.distances[part])
            graph = self._projected_part(some, along)
            total = graph if total is None else total.plus(graph)
        assert total is not None
        return total

    def _projected_part(self, table: NeighborTable, along: FloatArray | None) -> ProjectedLaplacian:
        blocks, settings = self.blocks, self.settings
        states = np.column_stack([table.times, table.indices])
        shifts = [term.shift(settings.n_lags, settings.horizon) for term in _plain(settings.terms)]
        there = [blocks.has(states, shift) for shift in shifts]
        joined = [(states + by)[has] for by, has in zip(shifts, there, strict=True)]
        nodes = np.unique(np.concatenate(joined))
        white = mapped(taken(blocks, nodes), self.whitening.mean, self.whitening.directions)
        terms = []
        for term, shift, has in zip(_plain(settings.terms), shifts, there, strict=True):
            used = has[:, 0]
            place = np.searchsorted(nodes, states[used] + shift)
            terms.append(
                neighborhoods_of(
                    place[:, 0],
                    place[:, 1:],
                    has[used, 1:],
                    len(nodes),
                    graph=term.graph,
                    weight=term.weight,
                )
            )
        if settings.weighting == "inverse_spread":
            terms = weigh_by_inverse_spread(terms, white if along is None else white @ along)
        return projected_laplacian(terms, white)


def _plain(terms: tuple[EdgeTerm, ...]) -> list[Future | Past]:
    return [term for term in terms if isinstance(term, Future | Past)]


def _refuse_too_few(table: NeighborTable, settings: GraphSettings) -> None:
    lacking = np.flatnonzero(table.indices[:, -1] < 0)
    if len(lacking):
        found = int((table.indices[lacking[0]] >= 0).sum())
        raise TooFewStatesError(
            f"n_neighbors={settings.n_neighbors} with theiler={settings.theiler} leaves the state "
            f"at row {table.times[lacking[0]]} only {found} states to choose from. Use a smaller "
            f"theiler, fewer neighbors (at most {found}) or more data."
        )
