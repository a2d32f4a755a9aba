"""A graph embedded by itself: a number for each of its nodes, not for each column of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from predfeat._typing import FloatArray, IntArray
from predfeat.exceptions import GraphError
from predfeat.graph import ExplicitGraph

__all__ = ["NodeEmbedding", "count_solutions", "embed_nodes"]

# Smaller graphs, and those of which a large part of all solutions is wanted, are solved as dense.
_DENSE_NODES, _DENSE_SHARE = 200, 3
# Lanczos vectors beyond twice the number wanted cost memory and save restarts.
_MIN_LANCZOS_VECTORS = 40


@dataclass(frozen=True)
class NodeEmbedding:
    """The smallest solutions of a graph, a number for each connected node.

    Attributes
    ----------
    nodes : ndarray of int, shape (n_nodes,)
        The rows of the graph that were embedded.
    values : ndarray of shape (n_nodes, n_solutions)
        Their sum is 0. The sum of their squares, times the degrees if normalized, is 1.
    eigenvalues : ndarray of shape (n_solutions,)
        Ascending.
    pieces : ndarray of int, shape (n_nodes,)
        Which connected piece of the graph a node belongs to; 0 is the largest.
    """

    nodes: IntArray
    values: FloatArray
    eigenvalues: FloatArray
    pieces: IntArray

    @property
    def n_pieces(self) -> int:
        """Number of connected pieces."""
        return int(self.pieces.max()) + 1


def embed_nodes(
    graph: ExplicitGraph,
    n_solutions: int,
    *,
    normalized: bool = True,
    largest_only: bool = False,
) -> NodeEmbedding:
    r"""Solve L y = λ D y for a number at each node, with sum 0.

    It is the eigenproblem of `predfeat.graph.projected_laplacian` without the restriction that y
    is a linear map of the rows (whose mean is 0, hence the sum). Rows without an edge take no part.
    The Lanczos iteration needs products with the sparse graph only.

    A graph of several pieces has as many eigenvalues of 0, whose vectors are constant in each
    piece. The sum of 0 leaves one fewer. They are known without iteration, and they come first,
    those that set the largest pieces apart before others.

    Parameters
    ----------
    graph : ExplicitGraph
    n_solutions : int
    normalized : bool, default=True
        Whether the degrees D normalise the eigenproblem; otherwise it is L y = λ y.
    largest_only : bool, default=False
        Embed the largest piece alone.

    Returns
    -------
    NodeEmbedding

    Raises
    ------
    GraphError
        There are too few connected rows.

    Examples
    --------
    A chain has waves as solutions:

    >>> from predfeat.graph import Neighborhoods, explicit_graph
    >>> from predfeat.solvers import embed_nodes
    >>> chain = Neighborhoods([0, 1, 2], [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> found = embed_nodes(explicit_graph([chain]), 2, normalized=False)
    >>> abs(found.values.round(2))
    array([[0.65, 0.5 ],
           [0.27, 0.5 ],
           [0.27, 0.5 ],
           [0.65, 0.5 ]])
    """
    degrees = graph.degree.diagonal()
    nodes, pieces = _connected(graph, largest_only)
    if n_solutions >= len(nodes):
        raise GraphError(
            f"{n_solutions} solutions are asked for, but the graph connects {len(nodes)} rows"
            f"{' in its largest piece' if largest_only else ''}, which have "
            f"{max(len(nodes) - 1, 0)}. Use fewer, or more data or neighbours."
        )
    metric = np.sqrt(degrees[nodes]) if normalized else np.ones(len(nodes))
    constant = _constant_in_pieces(metric, pieces, n_solutions)
    n_left = n_solutions - constant.shape[1]
    kept_out = np.column_stack([constant, 1.0 / metric / np.linalg.norm(1.0 / metric)])
    scaled = sparse.diags_array(1.0 / metric)
    laplacian = sparse.csr_array(scaled @ graph.laplacian[nodes][:, nodes] @ scaled)
    values, vectors = _smallest_outside(laplacian, kept_out, n_left)
    return NodeEmbedding(
        nodes,
        np.column_stack([constant, vectors]) / metric[:, None],
        np.concatenate([np.zeros(constant.shape[1]), values]),
        pieces,
    )


def count_solutions(graph: ExplicitGraph, *, largest_only: bool = False) -> int:
    """Return how many solutions `embed_nodes` can find: one fewer than there are connected rows.

    Parameters
    ----------
    graph : ExplicitGraph
    largest_only : bool, default=False
        Whether the largest piece is embedded alone.
    """
    return max(len(_connected(graph, largest_only)[0]) - 1, 0)


def _connected(graph: ExplicitGraph, largest_only: bool) -> tuple[IntArray, IntArray]:
    """Return the rows with edges, or those of the largest piece, and the piece of each."""
    nodes = np.flatnonzero(graph.degree.diagonal() > 0)
    pieces = _pieces(graph.weights, nodes)
    return (nodes[pieces == 0], pieces[pieces == 0]) if largest_only else (nodes, pieces)


def _pieces(weights: Any, nodes: IntArray) -> IntArray:
    """Number the connected pieces of the nodes by size; of equal ones, the earlier comes first."""
    if not nodes.size:
        return nodes
    labels = connected_components(weights[nodes][:, nodes], directed=False)[1]
    _, first, counts = np.unique(labels, return_index=True, return_counts=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.lexsort((first, -counts))] = np.arange(len(first))
    pieces: IntArray = number[labels]
    return pieces


def _constant_in_pieces(metric: FloatArray, pieces: IntArray, n_most: int) -> FloatArray:
    """Return the solutions for λ = 0: constant in each piece, with sum 0, orthonormal.

    In coordinates that scale each piece's constant to unit length, they are all vectors
    orthogonal to the sums of these constants.
    """
    n_pieces = int(pieces.max()) + 1
    n_wanted = min(n_pieces - 1, n_most)
    if not n_wanted:
        return np.empty((len(metric), 0))
    lengths = np.sqrt(np.bincount(pieces, weights=metric**2))
    sums = np.bincount(pieces) / lengths
    sums /= np.linalg.norm(sums)
    units = np.eye(n_pieces, n_wanted)
    units -= np.outer(sums, sums[:n_wanted])
    basis = np.linalg.qr(units)[0]
    basis -= np.outer(sums, sums @ basis)
    return np.asarray(metric[:, None] * (basis / lengths[:, None])[pieces])


def _smallest_outside(
    laplacian: Any, kept_out: FloatArray, n_pairs: int
) -> tuple[FloatArray, FloatArray]:
    """Return the smallest eigenpairs orthogonal to some orthonormal columns."""
    n_nodes = laplacian.shape[0]
    if n_pairs == 0:
        return np.empty(0), np.empty((n_nodes, 0))
    # No eigenvalue is larger (Gershgorin), so the smallest are the largest of the difference,
    # which Lanczos finds without solving systems; what is kept out gets the lowest, 0.
    bound = float(abs(laplacian).sum(axis=1).max())

    def outside(u: FloatArray) -> FloatArray:
        return u - kept_out @ (kept_out.T @ u)

    def difference(u: FloatArray) -> FloatArray:
        within = outside(u.reshape(n_nodes, -1))
        return outside(bound * within - laplacian @ within)

    if n_nodes <= _DENSE_NODES or n_pairs * _DENSE_SHARE >= n_nodes:
        matrix = difference(np.eye(n_nodes))
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    else:
        operator = LinearOperator((n_nodes, n_nodes), matvec=difference, dtype=np.float64)
        start = outside(np.random.default_rng(0).standard_normal((n_nodes, 1)))[:, 0]
        n_vectors = min(n_nodes, max(2 * n_pairs + 1, _MIN_LANCZOS_VECTORS))
        values, vectors = eigsh(operator, n_pairs, which="LA", v0=start, ncv=n_vectors)
    order = np.argsort(-values, kind="stable")[:n_pairs]
    return np.maximum(bound - values[order], 0.0), outside(vectors[:, order])
