"""Slow, obvious twins of the measures and the methods: loops and definitions, NumPy only.

Nothing here is shared with the package, so that a mistake there is not repeated here. Every
function takes a matrix of rows in time order (NaN rows are gaps) and one group id per row.
"""

import numpy as np

from naive import places

PRIOR = 1e-3


# --- sequences, gaps, states -------------------------------------------------------------------


def runs(Y, groups=None):
    """The stretches of consecutive rows of one id without a gap, each a list of row numbers."""
    found = []
    for t in range(len(Y)):
        if np.isnan(Y[t]).any():
            continue
        joined = (
            len(found) > 0
            and found[-1][-1] == t - 1
            and (groups is None or groups[t] == groups[t - 1])
        )
        if joined:
            found[-1].append(t)
        else:
            found.append([t])
    return found


def sequences(Y, groups=None):
    """The blocks of consecutive rows of one id, gaps included."""
    found = [[0]]
    for t in range(1, len(Y)):
        if groups is None or groups[t] == groups[t - 1]:
            found[-1].append(t)
        else:
            found.append([t])
    return found


def windows(Y, back, ahead, groups=None):
    """The rows t whose rows t-back … t+ahead all lie in one run."""
    return [
        run[i]
        for run in runs(Y, groups)
        for i in range(len(run))
        if i - back >= 0 and i + ahead < len(run)
    ]


def samples(Y):
    return np.array([row for row in Y if not np.isnan(row).any()])


def state(Y, t, n_lags):
    return np.concatenate([Y[t - lag] for lag in range(n_lags)])


def nearest(Y, times, n_lags, n_neighbors, theiler=0, groups=None):
    """For every state the rows of its nearest others, tied ones in their order round the circle."""
    states = [state(Y, t, n_lags) for t in times]
    place = places(dict(zip(times, states, strict=True)))
    number = {t: i for i, rows in enumerate(sequences(Y, groups)) for t in rows}
    table = {}
    for a, t in enumerate(times):
        candidates = []
        for b, other in enumerate(times):
            near = number[other] == number[t] and abs(other - t) <= theiler
            if other != t and not near:
                difference = states[a] - states[b]
                ahead = (place[other] - place[t]) % 2**32
                candidates.append((float(difference @ difference), ahead, other))
        candidates.sort()
        table[t] = [other for _, _, other in candidates[:n_neighbors]]
    return table


# --- measures ----------------------------------------------------------------------------------


def predictability(Y, n_lags, n_neighbors, groups=None, ddof=0, theiler=0, horizon=1):
    """Eq. (2), one value per feature: their sum is the trace."""
    times = windows(Y, n_lags - 1, horizon, groups)
    table = nearest(Y, times, n_lags, n_neighbors, theiler, groups)
    total = np.zeros(Y.shape[1])
    for t in times:
        successors = np.array([Y[i + horizon] for i in [t, *table[t]]])
        total += successors.var(axis=0, ddof=ddof)
    return total / len(times)


def variance_by_state(Y, n_lags, n_neighbors=10, groups=None, horizon=1, theiler=0):
    """For every state the summed variance of what follows it and its neighbours."""
    times = windows(Y, n_lags - 1, horizon, groups)
    table = nearest(Y, times, n_lags, n_neighbors, theiler, groups)
    return np.array(
        [np.array([Y[i + horizon] for i in [t, *table[t]]]).var(axis=0).sum() for t in times]
    )


def typical_variance(Y, n_lags, n_neighbors=10, groups=None, horizon=1):
    """Square of the mean of the standard deviations whose mean square is eq. (2)."""
    variances = variance_by_state(Y, n_lags, n_neighbors, groups, horizon)
    return np.mean(np.sqrt(variances)) ** 2


def share_left(Y, feature, columns, n_lags, n_neighbors, steps, theiler=0, groups=None, horizon=1):
    """What similar states of some columns leave open of a feature's variance."""
    state_of = Y[:, columns]
    after, before = horizon, -(n_lags - 1) - horizon
    times = windows(Y, -before if steps == "both" else n_lags - 1, after, groups)
    table = nearest(state_of, times, n_lags, n_neighbors, theiler, groups)
    whole = samples(Y)[:, feature].var()
    shares = []
    for shift in (after, before) if steps == "both" else (after,):
        open_ = [np.var([Y[i + shift, feature] for i in [t, *table[t]]], ddof=1) for t in times]
        shares.append(np.mean(open_) / whole)
    return np.mean(shares)


def nested_shares(Y, n_lags=1, n_neighbors=10, steps="both", theiler=0, groups=None, horizon=1):
    M = Y.shape[1]
    values = []
    for j in range(M):
        spaces = [[j]] + [list(range(n)) for n in range(j + 1, M + 1)]
        asked = (n_lags, n_neighbors, steps, theiler, groups, horizon)
        values.append(min(share_left(Y, j, s, *asked) for s in spaces))
    return np.array(values)


def slowness(Y, groups=None):
    squares = [(Y[t + 1] - Y[t]) ** 2 for t in windows(Y, 0, 1, groups)]
    return np.mean(squares, axis=0)


def fit_regression(Y, n_lags, groups=None, horizon=1):
    """The matrix that predicts a row so many after n_lags rows from these, newest first."""
    times = windows(Y, n_lags - 1, horizon, groups)
    history = np.array([state(Y, t, n_lags) for t in times])
    target = np.array([Y[t + horizon] for t in times])
    return np.linalg.lstsq(history, target, rcond=None)[0].T


def autoregression_error(Y, n_lags, groups=None, fit_on=None, fit_groups=None, horizon=1):
    """One value per feature. The mean of the fit data is taken off; there is no intercept."""
    if fit_on is None:
        fit_on, fit_groups = Y, groups
    mean = samples(fit_on).mean(axis=0)
    weights = fit_regression(fit_on - mean, n_lags, fit_groups, horizon)
    squares = [
        (Y[t + horizon] - mean - weights @ state(Y - mean, t, n_lags)) ** 2
        for t in windows(Y, n_lags - 1, horizon, groups)
    ]
    return np.mean(squares, axis=0)


def log_determinant_bias(freedom, n_features):
    """Mean of log|S| - log|Σ| of a Wishart sample covariance, by the digamma recurrence."""

    def digamma_of_half(n):  # ψ(n / 2)
        value = -np.euler_gamma if n % 2 == 0 else -np.euler_gamma - 2 * np.log(2)
        for m in range(2 - n % 2, n, 2):
            value += 2.0 / m  # ψ(x + 1) = ψ(x) + 1/x at x = m / 2
        return value

    halves = sum(digamma_of_half(freedom - i) for i in range(n_features))
    return halves - n_features * np.log(freedom / 2)


def predictive_information(Y, n_lags, n_neighbors, estimate, groups=None, horizon=1):
    n_features = Y.shape[1]
    times = windows(Y, n_lags - 1, horizon, groups)
    following = [t + horizon for t in times]
    if estimate == "linear":
        mean = samples(Y).mean(axis=0)
        weights = fit_regression(Y - mean, n_lags, groups, horizon)
        errors = [Y[t + horizon] - mean - weights @ state(Y - mean, t, n_lags) for t in times]
        conditional = np.mean([np.outer(e, e) for e in errors], axis=0)
        left_open = np.log(np.linalg.det(conditional))
    else:
        table = nearest(Y, times, n_lags, n_neighbors, 0, groups)
        covariances = []
        for t in times:
            points = np.array([Y[i + horizon] for i in [t, *table[t]]])
            points = points - points.mean(axis=0)
            covariances.append(points.T @ points / n_neighbors)
        if estimate == "shared":
            left_open = np.log(np.linalg.det(np.mean(covariances, axis=0)))
        else:
            left_open = np.mean([np.log(np.linalg.det(c)) for c in covariances])
            left_open -= log_determinant_bias(n_neighbors, n_features)
    points = np.array([Y[t] for t in following])
    points = points - points.mean(axis=0)
    whole = np.log(np.linalg.det(points.T @ points / len(points)))
    return 0.5 * (whole - left_open)


# --- spectra -----------------------------------------------------------------------------------


def taper(n_block):
    hann = np.array(
        [0.5 * (1 - np.cos(2 * np.pi * j / (n_block + 1))) for j in range(1, n_block + 1)]
    )
    return hann / np.sqrt(np.sum(hann**2))


def reference_length(lengths):
    """The length n such that half of all rows lie in sequences at least as long as n."""
    covered = 0
    for length in sorted(lengths, reverse=True):
        covered += length
        if covered >= sum(lengths) / 2:
            return length
    raise ValueError("there is no sequence")


def segment_starts(n, n_block):
    n_segments = int(np.floor((n - n_block) / (n_block / 2))) + 1
    if n_segments == 1:
        return [0]
    return [int(np.floor(i * (n - n_block) / (n_segments - 1))) for i in range(n_segments)]


def cross_spectrum(Y, groups=None):
    """The spectral matrices at the frequencies 1/n … 1/2, by explicit Fourier sums.

    A gap has no weight: it adds nothing to the sums.
    """
    found = sequences(Y, groups)
    n = reference_length([len(rows) for rows in found])
    n_block = n // 4
    window = taper(n_block)
    mean = samples(Y).mean(axis=0)
    waves = np.array(
        [[np.exp(-2j * np.pi * f * t / n) for t in range(n_block)] for f in range(1, n // 2 + 1)]
    )
    matrices, count = 0.0, 0
    for sequence in found:
        if len(sequence) < n_block:
            continue
        for start in segment_starts(len(sequence), n_block):
            rows = np.array([Y[t] - mean for t in sequence[start : start + n_block]])
            rows[np.isnan(rows).any(axis=1)] = 0.0
            transform = waves @ (window[:, None] * rows)
            matrices = matrices + transform[:, :, None] * transform[:, None, :].conj()
            count += 1
    return matrices / count


def spectral_entropy(power, prior=PRIOR):
    """The entropy of a spectrum mirrored to negative frequencies; white noise has 1."""
    cells = np.concatenate([power, power])
    shares = cells / cells.sum()
    shares = (1 - prior) * shares + prior / len(cells)
    return -sum(share * np.log(share) for share in shares if share > 0) / np.log(len(cells))


def forecastability(Y, groups=None, prior=PRIOR):
    """One Ω per feature."""
    spectrum = cross_spectrum(Y, groups)
    return np.array(
        [1 - spectral_entropy(spectrum[:, i, i].real, prior) for i in range(Y.shape[1])]
    )


def foreca_objective(spectrum, direction, prior=PRIOR):
    """Ω of the feature that a direction extracts, from the spectral matrices of the series."""
    power = np.array([(direction @ matrix @ direction).real for matrix in spectrum])
    return 1 - spectral_entropy(power, prior)


# --- methods -----------------------------------------------------------------------------------


def whiten(X):
    """The white series, and the matrix that maps centred rows to it (full rank only)."""
    mean = samples(X).mean(axis=0)
    centred = samples(X) - mean
    values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
    to_white = vectors / np.sqrt(values)
    return (X - mean) @ to_white, to_white


def sfa(X, n_components, groups=None, n_steps=1):
    """Directions in input coordinates as columns, and the slowness of each."""
    Z, to_white = whiten(X)
    scatters = []
    for n in range(1, n_steps + 1):
        changes = [Z[t + n] - Z[t] for t in windows(Z, 0, n, groups)]
        scatters.append(np.mean([np.outer(c, c) for c in changes], axis=0))
    values, vectors = np.linalg.eigh(np.mean(scatters, axis=0))
    return to_white @ vectors[:, :n_components], values[:n_components]


def pfa(X, n_components, n_lags, n_repeats=0, groups=None, horizon=1):
    """Directions as columns, and the summed error of each; powers of the companion matrix."""
    Z, to_white = whiten(X)
    n = Z.shape[1]
    one_step = fit_regression(Z, n_lags, groups)
    at_once = fit_regression(Z, n_lags, groups, horizon)
    companion = np.zeros((n * n_lags, n * n_lags))
    companion[:n] = one_step
    companion[n:, : n * (n_lags - 1)] = np.eye(n * (n_lags - 1))
    times = windows(Z, n_lags + n_repeats + horizon - 1, 0, groups)
    total = np.zeros((n, n))
    for i in range(n_repeats + 1):
        prediction = at_once @ np.linalg.matrix_power(companion, i)
        for t in times:
            error = Z[t] - prediction @ state(Z, t - i - horizon, n_lags)
            total += np.outer(error, error) / len(times)
    values, vectors = np.linalg.eigh(total)
    return to_white @ vectors[:, :n_components], values[:n_components]


def graph(Z, table, n_lags, kind, past, groups=None, space=None, horizon=1):
    """W, entry by entry. `table` gives the neighbours of every state.

    With a space, the neighbourhoods count by the inverse of their spread in it.
    """
    weights = np.zeros((len(Z), len(Z)))
    for shift in [horizon, -(n_lags - 1) - horizon] if past else [horizon]:
        has_node = set(windows(Z, max(-shift, 0), max(shift, 0), groups))
        edges = []
        for t, neighbors in table.items():
            if t not in has_node:
                continue
            nodes = [i + shift for i in [t, *neighbors] if i in has_node]
            if kind == "full":
                edges.append([(a, b) for a in nodes for b in nodes])
            else:
                edges.append([(nodes[0], other) for other in nodes[1:]])
                edges[-1] += [(b, a) for a, b in edges[-1]]
        counts = np.ones(len(edges)) if space is None else calm(edges, space)
        for pairs, count in zip(edges, counts, strict=True):
            for a, b in pairs:
                weights[a, b] += count
    return weights


def calm(edges, space):
    """The weight of each neighbourhood: 0 without members, of mean 1 over all."""
    squares = np.full(len(edges), np.nan)
    for i, pairs in enumerate(edges):
        if any(a != b for a, b in pairs):
            squares[i] = np.mean([np.sum((space[a] - space[b]) ** 2) for a, b in pairs])
    if not np.nansum(squares) > 0:
        return np.where(np.isnan(squares), 0.0, 1.0)
    weights = np.nan_to_num(1 / np.sqrt(np.maximum(squares, 1e-3 * np.nanmean(squares))))
    return weights / weights.mean()


def embed(Z, weights, n_directions, normalized):
    """The smallest solutions of Zᵀ L Z a = λ Zᵀ D Z a (or λ a), as unit columns."""
    rows = np.where(np.isnan(Z).any(axis=1)[:, None], 0.0, Z)  # gaps have no edges
    degrees = np.diag(weights.sum(axis=1))
    laplacian = rows.T @ (degrees - weights) @ rows
    root = np.eye(rows.shape[1])
    if normalized:
        root = np.linalg.inv(np.linalg.cholesky(rows.T @ degrees @ rows)).T
    values, vectors = np.linalg.eigh(root.T @ laplacian @ root)
    vectors = root @ vectors[:, :n_directions]
    return values[:n_directions], vectors / np.sqrt(np.sum(vectors**2, axis=0))


def gpfa(
    X,
    n_components,
    n_lags,
    n_neighbors,
    *,
    kind="star",
    past=True,
    normalized=True,
    weighting="equal",
    n_iterations=1,
    n_intermediate=None,
    theiler=0,
    init=None,
    groups=None,
    horizon=1,
):
    """Directions in input coordinates as columns, and their eigenvalues."""
    n_between = n_components if n_intermediate is None else n_intermediate
    Z, to_white = whiten(X)
    # Given directions count by what they extract, not by their length: unit variance for each.
    space = Z if init is None else X @ init / samples(X @ init).std(axis=0)
    times = windows(Z, n_lags - 1, 0, groups)
    for _ in range(n_iterations):
        table = nearest(space, times, n_lags, n_neighbors, theiler, groups)
        where = space if weighting == "inverse_spread" else None
        weights = graph(Z, table, n_lags, kind, past, groups, where, horizon)
        values, vectors = embed(Z, weights, max(n_between, n_components), normalized)
        space = Z @ vectors[:, :n_between]
    return to_white @ vectors[:, :n_components], values[:n_components]
