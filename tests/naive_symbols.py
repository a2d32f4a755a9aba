"""The slow, obvious twin of SymbolFeatures. Imports NumPy alone.

A series is a list of sequences without gaps, each a list of symbols.
"""

import numpy as np


def samples(sequences, n_lags):
    """Return (the symbols before it, newest first; the symbol) for all that have enough before."""
    found = []
    for sequence in sequences:
        for t in range(n_lags, len(sequence)):
            context = tuple(sequence[t - lag] for lag in range(1, n_lags + 1))
            found.append((context, sequence[t]))
    return found


def shared_contexts(pairs, n_lags):
    """Return the context that each sample counts under, by the definition, one length at a time."""
    chosen = [None] * len(pairs)
    for length in range(n_lags, 0, -1):
        waiting = [i for i in range(len(pairs)) if chosen[i] is None]
        for i in waiting:
            own = pairs[i][0][:length]
            equal = [j for j in waiting if pairs[j][0][:length] == own]
            if len(equal) > 1 or length == 1:
                chosen[i] = own
    return chosen


def table_of(contexts, successors, symbols):
    """Return the counts of each symbol after each context, contexts in order of appearance."""
    rows = list(dict.fromkeys(contexts))
    table = np.zeros((len(rows), len(symbols)))
    for context, successor in zip(contexts, successors, strict=True):
        table[rows.index(context), symbols.index(successor)] += 1
    return rows, table


def laplacian_and_degrees(table):
    """Return L and D of the graph: in every row of the table all pairs, of weight 1 / its sum."""
    n_symbols = table.shape[1]
    weights = np.zeros((n_symbols, n_symbols))
    for row in table:
        for i in range(n_symbols):
            for j in range(n_symbols):
                weights[i, j] += row[i] * row[j] / row.sum()
    degrees = np.diag(weights.sum(axis=1))
    return degrees - weights, degrees


def smallest_solutions(laplacian, degrees, n_pairs):
    """Solve D⁻¹L v = λ v in the space of vectors whose mean, weighted by D, is 0."""
    weights = np.diag(degrees)
    basis = np.linalg.svd(weights[None])[2][1:].T  # orthogonal to the weights
    small, large = basis.T @ laplacian @ basis, basis.T @ degrees @ basis
    values, vectors = np.linalg.eig(np.linalg.solve(large, small))
    order = np.argsort(values.real)[:n_pairs]
    return values.real[order], basis @ vectors.real[:, order]


def standardised(vectors, counts):
    """Give each column mean 0 and variance 1, symbols weighted by their counts."""
    tokens = np.repeat(vectors, counts, axis=0)
    return (vectors - tokens.mean(axis=0)) / tokens.std(axis=0)


def singular_values(table):
    """Return σ of correspondence analysis, as its textbooks do: of standardised residuals."""
    share = table / table.sum()
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    residuals = (share - np.outer(rows, columns)) / np.sqrt(np.outer(rows, columns))
    return np.linalg.svd(residuals, compute_uv=False)


def neighborhoods(states, n_neighbors):
    """Return for each state itself and its nearest others; one without a place has none."""
    found = []
    for i, state in enumerate(states):
        distances = [np.linalg.norm(state - other) for other in states]
        others = sorted(
            (j for j in range(len(states)) if j != i and not np.isnan(distances[j])),
            key=lambda j: distances[j],
        )
        found.append([i, *others[:n_neighbors]])
    return found


def features(sequences, symbols, counts, n_components, n_lags=1, n_neighbors=None, n_iterations=1):
    """Return λ and the vectors of the symbols, after that many iterations.

    Symbols of contexts that are not among `symbols` have no vector.
    """
    pairs = samples(sequences, n_lags)
    successors = [successor for _, successor in pairs]
    _, table = table_of(shared_contexts(pairs, n_lags), successors, symbols)
    whole, plain = table_of([context for context, _ in pairs], successors, symbols)
    values, vectors = smallest_solutions(*laplacian_and_degrees(table), n_components)
    for _ in range(n_iterations - 1):
        places = dict(zip(symbols, standardised(vectors, counts), strict=True))
        nowhere = np.full(n_components, np.nan)
        states = [
            np.concatenate([places.get(symbol, nowhere) for symbol in context]) for context in whole
        ]
        table = np.zeros_like(plain)
        for i, members in enumerate(neighborhoods(states, n_neighbors)):
            table[i] = plain[i].sum() * plain[members].sum(axis=0) / plain[members].sum()
        values, vectors = smallest_solutions(*laplacian_and_degrees(table), n_components)
    return values, standardised(vectors, counts)
