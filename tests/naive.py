"""Slow, obvious twins of the first five stages, from rows to projection.

They restate the definitions with loops over rows. Only NumPy is imported: a twin that shared
code with what it checks would share its mistakes.
"""

import numpy as np

# A singular value below this share of the largest is a direction that is not there. The square,
# 1e-12, is where float64 covariances stop telling variance from rounding.
RANK_CUT = 1e-6


# --- data to run on ------------------------------------------------------------------------


def random_series(seed, lengths, n_columns=2, n_gaps=0, kind="normal"):
    """Return (X, groups) of sequences with the given lengths, NaN in some rows."""
    rng = np.random.default_rng(seed)
    n_rows = int(sum(lengths))
    X = rng.normal(size=(n_rows, n_columns))
    if kind == "lattice":
        X = rng.integers(0, 3, size=(n_rows, n_columns)).astype(float)
    elif kind == "equal":
        X = np.full((n_rows, n_columns), 0.3)
    elif kind == "offset":
        X = X + 1e6
    elif kind == "scales":
        X = X * 10.0 ** rng.integers(-8, 9, size=n_columns)
    elif kind == "outlier":
        X[rng.integers(0, n_rows)] *= 1e12
    elif kind == "float32":
        X = X.astype(np.float32)
    elif kind == "int16":
        X = rng.integers(-40, 40, size=(n_rows, n_columns)).astype(np.int16)
    if n_gaps and X.dtype.kind == "f":
        for row in rng.integers(0, n_rows, size=n_gaps):
            X[row, rng.integers(0, n_columns)] = np.nan
    groups = np.repeat(np.arange(len(lengths)), lengths)
    return X, groups


# --- sequences, runs, states ---------------------------------------------------------------


def is_gap(row):
    return any(value != value for value in row)


def sequence_of_rows(X, groups=None):
    """Return the number of the sequence every row belongs to."""
    numbers = []
    for row in range(len(X)):
        if row == 0:
            numbers.append(0)
        elif groups is not None and groups[row] != groups[row - 1]:
            numbers.append(numbers[-1] + 1)
        else:
            numbers.append(numbers[-1])
    return numbers


def run_of_rows(X, groups=None):
    """Return the number of the run every row belongs to; None for gaps."""
    sequence = sequence_of_rows(X, groups)
    numbers, n_runs = [], 0
    for row in range(len(X)):
        if is_gap(X[row]):
            numbers.append(None)
        elif row > 0 and numbers[-1] is not None and sequence[row] == sequence[row - 1]:
            numbers.append(numbers[-1])
        else:
            numbers.append(n_runs)
            n_runs += 1
    return numbers


def bounds(numbers):
    """Return (first row, one past the last row) of every number, in order."""
    found = []
    for number in sorted({number for number in numbers if number is not None}):
        rows = [row for row in range(len(numbers)) if numbers[row] == number]
        found.append((rows[0], rows[-1] + 1))
    return found


def reaches(run, t, back=0, ahead=0):
    """Tell whether rows t-back … t+ahead are all samples of the run of row t."""
    rows = range(t - back, t + ahead + 1)
    inside = rows[0] >= 0 and rows[-1] < len(run)
    return run[t] is not None and inside and all(run[row] == run[t] for row in rows)


def state_times(X, groups, p, ahead=0):
    """Return the rows t whose rows t-p+1 … t+ahead are samples of one run."""
    run = run_of_rows(X, groups)
    return [t for t in range(len(X)) if reaches(run, t, back=p - 1, ahead=ahead)]


def state(X, t, p):
    """Return (x_t, x_{t-1}, …, x_{t-p+1}) as one vector."""
    return np.concatenate([np.asarray(X[t - lag], dtype=float) for lag in range(p)])


# --- neighbours ----------------------------------------------------------------------------


def distance(a, b):
    """Return |a - b|, with squares kept in range by an exact power of two."""
    difference = a - b
    exponent = int(np.frexp(np.abs(difference).max())[1])
    scaled = np.ldexp(difference, -exponent)
    return float(np.ldexp(np.sqrt(np.sum(scaled * scaled)), exponent))


def allowed(sequence, t, i, theiler):
    """Tell whether the state at i may be a neighbour of the one at t."""
    return i != t and not (sequence[i] == sequence[t] and abs(i - t) <= theiler)


def mixed(row):
    """Return the upper 32 bits of SplitMix64's finaliser of a row number."""
    number = (row + 0x9E3779B97F4A7C15) % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return (number ^ number >> 31) >> 32


def places(states):
    """Return the place of each state of {t: state} on a circle of 2^32 places.

    Equal states are spread evenly in a shuffled order, from a place hashed from the first one.
    """
    crowds = {}
    for t in sorted(states):
        crowds.setdefault(tuple((states[t] + 0.0).tolist()), []).append(t)
    place = {}
    for members in crowds.values():
        for rank, t in enumerate(sorted(members, key=lambda t: (mixed(t), t))):
            place[t] = (mixed(members[0]) + rank * 2**32 // len(members)) % 2**32
    return place


def nearest(X, groups, p, k, theiler=0, queries=None):
    """Return times, and for every query (all times) its neighbours' rows and distances.

    Nearest first; tied ones in their order round the circle, from the query's place on. Where
    fewer than k are allowed the lists are shorter.
    """
    times = state_times(X, groups, p)
    states = {t: state(X, t, p) for t in times}
    sequence = sequence_of_rows(X, groups)
    place = places(states)
    found = [
        nearest_to(
            states[t],
            place[t],
            {i: states[i] for i in times if allowed(sequence, t, i, theiler)},
            place,
            k,
        )
        for t in (times if queries is None else queries)
    ]
    return times, [rows for rows, _ in found], [distances for _, distances in found]


def nearest_in_library(X, groups, library, library_groups, p, k):
    """Return the same for states whose neighbours are those of another series, all allowed.

    Both series have their places on the circle, each among its own states.
    """
    times, others = state_times(X, groups, p), state_times(library, library_groups, p)
    states = {t: state(X, t, p) for t in times}
    answers = {i: state(library, i, p) for i in others}
    place, answer_place = places(states), places(answers)
    found = [nearest_to(states[t], place[t], answers, answer_place, k) for t in times]
    return times, [rows for rows, _ in found], [distances for _, distances in found]


def nearest_to(query, place, answers, answer_place, k):
    """Return rows and distances of the k of {row: state} that are nearest to one state."""
    ranked = sorted(
        (distance(query, other), (answer_place[i] - place) % 2**32, i)
        for i, other in answers.items()
    )[:k]
    return [i for _, _, i in ranked], [d for d, _, _ in ranked]


# --- graph ---------------------------------------------------------------------------------


def node(run, t, shift):
    """Return row t + shift where all rows from t to it are samples of t's run, else None."""
    inside = reaches(run, t, back=max(-shift, 0), ahead=max(shift, 0))
    return t + shift if inside else None


def weights(X, groups, p, times, indices, graph, past=True, future=True, horizon=1):
    """Return W, one count for every edge of every neighbourhood."""
    run = run_of_rows(X, groups)
    W = np.zeros((len(X), len(X)))
    oldest = 1 - p
    for shift in ([horizon] if future else []) + ([oldest - horizon] if past else []):
        for t, neighbors in zip(times, indices, strict=True):
            center = node(run, t, shift)
            if center is None:
                continue
            others = [node(run, i, shift) for i in neighbors]
            others = [other for other in others if other is not None]
            if graph == "full":
                for a in [center, *others]:
                    for b in [center, *others]:
                        W[a, b] += 1
            else:
                for other in others:
                    W[center, other] += 1
                    W[other, center] += 1
    return W


def joined(n_rows, kind, neighborhoods):
    """Return W of neighbourhoods (centre, its weight v, [(member, its weight m), …])."""
    W = np.zeros((n_rows, n_rows))
    for center, v, members in neighborhoods:
        if kind == "full":
            nodes = [(center, 1.0), *members]
            for a, of_a in nodes:
                for b, of_b in nodes:
                    W[a, b] += v * of_a * of_b
        else:
            for member, m in members:
                W[center, member] += v * m
                W[member, center] += v * m
    return W


def squared_spread(kind, neighborhood, space):
    """Return the mean squared distance along a neighbourhood's edges, NaN without members."""
    center, _, members = neighborhood
    if not sum(m for _, m in members) > 0:
        return np.nan
    W = joined(len(space), kind, [(center, 1.0, members)])
    total = 0.0
    for a in range(len(space)):
        for b in range(len(space)):
            total += W[a, b] * np.sum((space[a] - space[b]) ** 2)
    return total / W.sum()


def laplacian(W):
    """Return L = D - W and D."""
    D = np.diag(W.sum(axis=1))
    return D - W, D


def projected(W, Z):
    """Return Zᵀ L Z and Zᵀ D Z; gap rows, which have no edge, count as zero."""
    L, D = laplacian(W)
    Z = np.nan_to_num(np.asarray(Z, dtype=float))
    return Z.T @ L @ Z, Z.T @ D @ Z


# --- white space, eigenproblem, the whole method -------------------------------------------


def whiten(X):
    """Return mean, directions and white rows (gaps stay NaN), from the SVD of the samples."""
    X = np.asarray(X, dtype=float)
    samples = np.array([X[row] for row in range(len(X)) if not is_gap(X[row])])
    mean = samples.mean(axis=0)
    _, singular, axes = np.linalg.svd(samples - mean, full_matrices=False)
    kept = singular > RANK_CUT * singular[0]
    directions = axes[kept].T / singular[kept] * np.sqrt(len(samples))
    return mean, directions, (X - mean) @ directions


def smallest_solutions(A, B, n_pairs):
    """Solve A v = λ B v as B⁻¹A v = λ v, in the range of B (B None: A v = λ v); unit columns.

    By LU and the solver for matrices without any symmetry, which is not how it is done elsewhere:
    what that takes for granted of symmetric matrices is not taken for granted here.
    """
    B = np.eye(len(A)) if B is None else np.asarray(B, dtype=float)
    axes, singular, _ = np.linalg.svd(B)
    seen = axes[:, singular > 1e-12 * singular.max()]
    values, vectors = np.linalg.eig(np.linalg.solve(seen.T @ B @ seen, seen.T @ A @ seen))
    first = np.argsort(values.real)[:n_pairs]
    solutions = seen @ vectors[:, first].real
    return values.real[first], solutions / np.linalg.norm(solutions, axis=0)


def gpfa(X, groups, p, k, M, R, graph="star", past=True, normalized=True, centers=None):
    """Return the GPFA projection (n_columns × M) in input coordinates after R iterations.

    Only the states at the rows `centers` have a neighbourhood, or all states.
    """
    _, directions, Z = whiten(X)
    space = Z
    for _ in range(R):
        times, indices, _ = nearest(space, groups, p, k, queries=centers)
        asking = times if centers is None else centers
        W = weights(X, groups, p, asking, indices, graph, past=past)
        A, B = projected(W, Z)
        _, vectors = smallest_solutions(A, B if normalized else None, M)
        space = Z @ vectors
    columns = directions @ vectors
    for m in range(M):
        if columns[np.argmax(np.abs(columns[:, m])), m] < 0:
            columns[:, m] = -columns[:, m]
    return columns


def lpp(X, k, M):
    """Return λ and the LPP projection (n_columns × M) in input coordinates; rows have no order."""
    X = np.asarray(X, dtype=float)
    _, directions, Z = whiten(X)
    times, indices, _ = nearest(X, None, 1, k)
    stars = [(t, 1.0, [(i, 1.0) for i in rows]) for t, rows in zip(times, indices, strict=True)]
    A, B = projected(joined(len(X), "star", stars), Z)
    values, vectors = smallest_solutions(A, B, M)
    return values, directions @ vectors
