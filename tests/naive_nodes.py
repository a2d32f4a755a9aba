"""Slow twin of the embedding of a graph's nodes."""

import numpy as np


def node_solutions(weights, n_solutions, normalized=True):
    """Minimise the quotient of y'Ly and y'Dy (or y'y) over the connected nodes, with sum 0.

    Returns the nodes, all eigenvalues and the vectors of the smallest, as columns.
    """
    weights = np.asarray(weights)
    nodes = np.flatnonzero(weights.sum(axis=1) > 0)
    weights = weights[np.ix_(nodes, nodes)]
    degree = np.diag(weights.sum(axis=1))
    n = len(nodes)
    # Any basis of the vectors with sum 0 will do: differences to the last node.
    basis = np.vstack([np.eye(n - 1), -np.ones(n - 1)])
    top = basis.T @ (degree - weights) @ basis
    bottom = basis.T @ (degree if normalized else np.eye(n)) @ basis
    values, vectors = np.linalg.eig(np.linalg.solve(bottom, top))
    order = np.argsort(values.real)[:n_solutions]
    return nodes, np.sort(values.real), basis @ vectors.real[:, order]
