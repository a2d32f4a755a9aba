"""All terms of a graph together, weighted against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from predfeat._typing import FloatArray
from predfeat.exceptions import GraphError
from predfeat.graph._inverse_spread import weigh_by_inverse_spread
from predfeat.graph._neighborhoods import Neighborhoods
from predfeat.graph._projected import ProjectedLaplacian, projected_laplacian
from predfeat.graph._relative_terms import RelativeTerm
from predfeat.graph._terms import EdgeTerm, Future, GraphContext, connect

__all__ = ["combined", "is_fixed", "projected_once", "relative_distances"]


@dataclass(frozen=True, kw_only=True)
class _ProjectedTerm(RelativeTerm):
    """A relative term with its projection."""

    term: RelativeTerm
    projection: ProjectedLaplacian
    total_weight: float

    @property
    def is_partial(self) -> bool:
        return self.term.is_partial

    @property
    def pulls_apart(self) -> bool:
        return self.term.pulls_apart

    def neighborhoods(self, context: GraphContext) -> Neighborhoods:
        return self.term.neighborhoods(context)

    def project(self, context: GraphContext) -> tuple[ProjectedLaplacian, float]:
        return self.projection, self.total_weight

    def factor(self, unit: float) -> float:
        """Return by what to multiply the edges, so that a weight of 1 gives them `unit`."""
        return self.weight * unit / self.total_weight


def projected_once(terms: Iterable[EdgeTerm], context: GraphContext) -> tuple[EdgeTerm, ...]:
    """Return the terms for `combined`, with those projected that do not depend on the features.

    Terms of weight 0 are left out.

    Parameters
    ----------
    terms : iterable of EdgeTerm or RelativeTerm
    context : GraphContext
        Of any iteration.
    """
    return tuple(
        _projected(term, context) if is_fixed(term) else term for term in with_weight(terms)
    )


def is_fixed(term: EdgeTerm) -> TypeGuard[RelativeTerm]:
    """Return whether the edges of a term stay the same when the features change."""
    return isinstance(term, RelativeTerm) and term.is_fixed


def with_weight(terms: Iterable[EdgeTerm]) -> list[EdgeTerm]:
    """Leave out terms of weight 0; refuse to leave out all."""
    given = list(terms)
    kept = [term for term in given if getattr(term, "weight", None) != 0.0]
    if not kept:
        raise GraphError(
            f"no samples are connected: {given} has no term with a weight. Use Future(), Past() "
            "or another term."
        )
    return kept


def combined(
    terms: Sequence[EdgeTerm],
    context: GraphContext,
    *,
    weighting: str = "equal",
) -> ProjectedLaplacian:
    """Project the graph of all terms.

    The edges of terms such as `Future` and `Past` count as they are. The others are relative: each
    is multiplied by its weight and by what gives it the total edge weight of the future edges (if
    there are none, all relative terms get the same total). So in white space, where unrelated
    samples have unit variance, every term reads alike: 1 means unrelated, 0 identical.

    Parameters
    ----------
    terms : sequence of EdgeTerm or RelativeTerm
        Also as `projected_once` returns them.
    context : GraphContext
    weighting : {"equal", "inverse_spread"}, default="equal"
        The weight of each neighbourhood of the terms that are not relative.

    Returns
    -------
    ProjectedLaplacian

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import Adjacent, Future, GraphContext, combined
    >>> from predfeat.series import check_sequences
    >>> Z = np.random.default_rng(0).normal(size=(500, 3))
    >>> series, table = check_sequences(Z), nearest_neighbors(Z, n_neighbors=4)
    >>> context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    >>> alone = combined([Future()], context)
    >>> both = combined([Future(), Adjacent()], context)
    >>> bool(1.9 < np.trace(both.laplacian) / np.trace(alone.laplacian) < 2.1)
    True
    """
    terms = with_weight(terms)
    relative = [term for term in terms if isinstance(term, RelativeTerm)]
    plain = [term for term in terms if not isinstance(term, RelativeTerm)]
    connected = connect(plain, context)
    if weighting == "inverse_spread":
        connected = weigh_by_inverse_spread(connected, context.space.rows)
    graph = projected_laplacian(connected, context.white.rows)
    if not relative:
        return graph
    parts = [_projected(term, context) for term in relative]
    _refuse_only_apart(plain, parts)
    unit = _unit(plain, connected)
    for part in parts:
        if part.pulls_apart:
            apart = part.factor(unit) * part.projection.laplacian
            graph = replace(graph, degree=graph.degree + apart)
        else:
            own = part.projection.centred() if part.is_partial else part.projection
            graph = graph.plus(own, part.factor(unit))
    return graph


def relative_distances(term: RelativeTerm, context: GraphContext) -> FloatArray:
    """Return how near to each other the samples lie that a term joins, in each column.

    Parameters
    ----------
    term : RelativeTerm
    context : GraphContext
        With the columns of interest, such as features, as `white`.

    Returns
    -------
    ndarray of shape (n_columns,)
        The mean squared distance of joined samples, relative to that of unrelated ones: 0 means
        that they are identical, 1 that the term says nothing about this column. NaN for a column
        that is constant.

    Examples
    --------
    The label decides about the second column, and about no other:

    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import GraphContext, SameLabel, relative_distances
    >>> from predfeat.series import check_annotations, check_sequences
    >>> random = np.random.default_rng(0)
    >>> label = random.choice([0, 3], size=2000)
    >>> Y = random.normal(size=(2000, 2))
    >>> Y[:, 1] += label
    >>> series, table = check_sequences(Y), nearest_neighbors(Y, n_neighbors=1)
    >>> known = check_annotations(2000, y=label)
    >>> context = GraphContext(
    ...     white=series, space=series, neighbors=table, n_lags=1, annotations=known
    ... )
    >>> relative_distances(SameLabel(), context).round(1)
    array([1. , 0.3])
    """
    found = _projected(term, context).projection
    if term.is_partial:
        found = found.centred()
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: FloatArray = np.diag(found.laplacian) / np.diag(found.degree)
    return shares


def _projected(term: RelativeTerm, context: GraphContext) -> _ProjectedTerm:
    if isinstance(term, _ProjectedTerm):
        return term
    projection, total_weight = term.project(context)
    if not total_weight > 0.0:
        raise GraphError(f"{term!r} connects no two samples. Leave the term out.")
    return _ProjectedTerm(
        weight=term.weight, term=term, projection=projection, total_weight=total_weight
    )


def _unit(plain: Sequence[EdgeTerm], connected: Sequence[Neighborhoods]) -> float:
    """Return the total edge weight of the future edges, of all plain ones, or 1."""
    totals = [found.total_weight for found in connected]
    of_future = [
        total for term, total in zip(plain, totals, strict=True) if isinstance(term, Future)
    ]
    return sum(of_future or totals) or 1.0


def _refuse_only_apart(plain: Sequence[EdgeTerm], parts: Sequence[_ProjectedTerm]) -> None:
    if not plain and all(part.pulls_apart for part in parts):
        raise GraphError(
            f"{parts[0].term!r} pulls samples apart, and no other term pulls any together. Add "
            "one, such as Future()."
        )
