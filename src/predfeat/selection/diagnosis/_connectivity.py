"""Is the graph connected?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from predfeat._typing import FloatArray, IntArray
from predfeat.graph import Future, GraphContext, Neighborhoods, Past, connect
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._subject import Subject

__all__ = ["between_share", "check_connectivity", "pieces_of"]

# Share of samples outside the largest piece. Any graph has a few stray ones.
_OUTSIDE_WARNING, _OUTSIDE_PROBLEM = 0.01, 0.1
# A feature with more than this share of its variance between pieces only labels them.
_LABEL_SHARE = 0.9


def pieces_of(terms: list[Neighborhoods], n_rows: int) -> IntArray:
    """Return the number of the connected piece of every sample, -1 for samples without an edge.

    All nodes of a neighbourhood are connected through its centre, in either kind of graph.
    Pieces are numbered by size: 0 is the largest.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.graph import Future, GraphContext, Past, connect
    >>> from predfeat.selection.diagnosis._connectivity import pieces_of
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [9.3]]
    >>> series = check_sequences(X, groups=[0, 0, 0, 1, 1, 1, 1])
    >>> table = nearest_neighbors(X, n_neighbors=1, groups=[0, 0, 0, 1, 1, 1, 1])
    >>> context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    >>> pieces_of(connect([Future(), Past()], context), n_rows=7).tolist()
    [1, 1, 1, 0, 0, 0, 0]
    """
    starts, ends = [], []
    for term in terms:
        starts.append(np.repeat(term.centers, np.diff(term.members.indptr)))
        ends.append(term.members.indices)
    start, end = np.concatenate(starts), np.concatenate(ends)
    edges: Any = sparse.coo_array((np.ones(len(start)), (start, end)), shape=(n_rows, n_rows))
    _, labels = sparse.csgraph.connected_components(edges, directed=False)
    touched = np.zeros(n_rows, dtype=bool)
    touched[start] = touched[end] = True
    found, sizes = np.unique(labels[touched], return_counts=True)
    number = np.full(n_rows, -1, dtype=np.intp)
    number[found[np.argsort(-sizes, kind="stable")]] = np.arange(len(found))
    pieces: IntArray = number[labels]  # a sample without an edge has its own label, still -1
    return pieces


def between_share(rows: FloatArray, pieces: IntArray) -> FloatArray:
    """Return for each feature the share of its variance that is between the pieces' means.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection.diagnosis._connectivity import between_share
    >>> rows = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> between_share(rows, np.array([0, 0, 1, 1]))
    array([1., 0.])
    """
    rows, pieces = rows[pieces >= 0], pieces[pieces >= 0]
    sizes = np.bincount(pieces)
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, pieces, rows)
    means = sums / sizes[:, None]
    whole = rows.var(axis=0)
    between = sizes @ np.square(means - rows.mean(axis=0)) / len(rows)
    share: FloatArray = np.divide(between, whole, out=np.zeros_like(whole), where=whole > 0)
    return share


def check_connectivity(subject: Subject) -> Iterator[Finding]:
    """Count the pieces of the graph, and look for features that tell them apart."""
    if not subject.searches:
        return
    past = bool(subject.model.get_params(deep=False)["past"])
    context = GraphContext(
        white=subject.white,
        space=subject.space,
        neighbors=subject.neighbors,
        n_lags=subject.n_lags,
        horizon=subject.horizon,
    )
    neighborhoods = connect([Future(), Past()] if past else [Future()], context)
    pieces = pieces_of(neighborhoods, subject.series.n_rows)
    if pieces.max() < 1:
        return
    sizes = np.bincount(pieces[pieces >= 0])
    outside = 1.0 - sizes[0] / sizes.sum()
    k = subject.n_neighbors
    # Each tiny piece of a shattered graph has its own mean: only large pieces count as labelled.
    large = np.where(pieces < int((sizes > _OUTSIDE_WARNING * sizes.sum()).sum()), pieces, -1)
    share = between_share(subject.features.rows, large)
    labels = np.flatnonzero(share > _LABEL_SHARE)
    severity = by_degree(outside, _OUTSIDE_WARNING, _OUTSIDE_PROBLEM)
    if severity is None:
        return
    longest = max(stop - start for start, stop in subject.series.run_bounds())
    never_meet = past and longest <= 2 * (subject.n_lags - 1 + subject.horizon)
    values = {"n_pieces": len(sizes), "outside": float(outside), "n_labels": len(labels)}
    yield Finding(
        "disconnected-graph",
        "problem" if len(labels) else severity,
        f"The graph of the last iteration has {len(sizes)} pieces without an edge between them; "
        f"{outside:.0%} of the samples are outside the largest."
        + (
            f" Feature{'s' if len(labels) > 1 else ''} {', '.join(str(i + 1) for i in labels)} "
            f"only label{'' if len(labels) > 1 else 's'} the pieces "
            f"({share[labels].min():.0%} of the variance is between them)."
            if len(labels)
            else ""
        ),
        "A feature that is constant on each piece costs nothing (eigenvalue 0), whatever the "
        "dynamics: such features tell parts of the data apart and predict nothing.",
        (
            "Sequences are so short that a row is either a predecessor or a successor, never both: "
            f"use `past=False`, or fewer lags (`n_lags`, now {subject.n_lags}). "
            if never_meet
            else f"Use more neighbours (`n_neighbors={2 * k}` or more) until the graph is "
            "connected. "
        )
        + "Where the parts really are different (levels of trials, regimes), subtract each "
        "part's mean, or fit them separately.",
        values,
    )
