"""Slow, obvious twins of the relative edge terms: whole weight matrices, by their definitions."""

import numpy as np


def adjacent(runs):
    """Join rows t and t + 1 of one run; runs holds -1 for gaps."""
    W = np.zeros((len(runs), len(runs)))
    for t in range(len(runs) - 1):
        if runs[t] >= 0 and runs[t] == runs[t + 1]:
            W[t, t + 1] = W[t + 1, t] = 1.0
    return W


def nearest(values, rows, k):
    """Join each of some rows with the k others whose values are nearest."""
    W = np.zeros((len(values), len(values)))
    for t in rows:
        others = [i for i in rows if i != t]
        distances = [np.sum((values[t] - values[i]) ** 2) for i in others]
        for place in np.argsort(distances)[:k]:
            W[t, others[place]] += 1.0
            W[others[place], t] += 1.0
    return W


def same_label(labels):
    """Join all rows of a class of n rows with weight 1/n, each with itself, too."""
    W = np.zeros((len(labels), len(labels)))
    for i, one in enumerate(labels):
        for j, other in enumerate(labels):
            if one is not None and one == other:
                W[i, j] = 1.0 / sum(label == one for label in labels)
    return W


def different(labels, actions):
    """Join rows with different labels and the same action."""
    W = np.zeros((len(labels), len(labels)))
    for i in range(len(labels)):
        for j in range(len(labels)):
            known = None not in (labels[i], labels[j], actions[i], actions[j])
            if known and labels[i] != labels[j] and actions[i] == actions[j]:
                W[i, j] = 1.0
    return W


def total(W):
    """The sum of all edge weights, both ways, without self-loops."""
    return W.sum() - np.trace(W)


def laplacian_and_degree(W, Z):
    D = np.diag(W.sum(axis=1))
    return Z.T @ (D - W) @ Z, Z.T @ D @ Z


def centred_degree(W, Z):
    """The scatter of the rows around their mean, each weighted by its degree."""
    d = W.sum(axis=1)
    mean = d @ Z / d.sum()
    return sum(d[t] * np.outer(Z[t] - mean, Z[t] - mean) for t in range(len(Z)))
