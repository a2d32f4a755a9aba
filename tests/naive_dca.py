"""The slow, obvious twin of DCA's objective. Imports NumPy alone."""

import numpy as np


def lagged_covariance(sequences, lag):
    """Return the mean of x_t x_{t+lag}ᵀ over all pairs of rows in one sequence.

    A row that holds a NaN is a gap, and none lies between the rows of a pair. The mean of all
    samples is subtracted.
    """
    samples = [row for sequence in sequences for row in sequence if not np.isnan(row).any()]
    mean = np.mean(samples, axis=0)
    products = []
    for sequence in sequences:
        for t in range(len(sequence) - lag):
            if not any(np.isnan(sequence[t + i]).any() for i in range(lag + 1)):
                products.append(np.outer(sequence[t] - mean, sequence[t + lag] - mean))
    return np.mean(products, axis=0)


def covariances_over_windows(sequences, n_rows):
    """Return the lagged covariances as the original program estimates them.

    The covariance of n successive rows is taken over all windows, divided by one less than their
    number, and averaged over the blocks of each lag. In one sequence each of the n rows has a mean
    of its own; in several there is one mean of all.
    """
    mean = np.concatenate(sequences).mean(axis=0)
    windows = np.array(
        [
            (sequence[t : t + n_rows] - mean).ravel()
            for sequence in sequences
            for t in range(len(sequence) - n_rows + 1)
        ]
    )
    if len(sequences) == 1:
        windows = windows - windows.mean(axis=0)
    n_columns = len(mean)
    whole = windows.T @ windows / (len(windows) - 1)
    covariances = []
    for lag in range(n_rows):
        blocks = [
            whole[i * n_columns : (i + 1) * n_columns, (i + lag) * n_columns :][:, :n_columns]
            for i in range(n_rows - lag)
        ]
        covariances.append(np.mean(blocks, axis=0))
    return np.array(covariances)


def window_covariance(covariances, n_rows):
    """Return the covariance of n successive rows, entry by entry."""
    n_columns = len(covariances[0])
    whole = np.empty((n_rows * n_columns, n_rows * n_columns))
    for i in range(n_rows):
        for j in range(n_rows):
            for a in range(n_columns):
                for b in range(n_columns):
                    value = covariances[j - i][a, b] if j >= i else covariances[i - j][b, a]
                    whole[i * n_columns + a, j * n_columns + b] = value
    return whole


def entropy(covariance):
    """Return the entropy of a Gaussian, in nats, from the eigenvalues."""
    return 0.5 * np.sum(np.log(2 * np.pi * np.e * np.linalg.eigvalsh(covariance)))


def information(covariances, directions, n_window):
    """Return the mutual information of T rows and the next T, of projected lagged covariances."""
    projected = [directions.T @ covariance @ directions for covariance in covariances]
    past = entropy(window_covariance(projected, n_window))
    return 2 * past - entropy(window_covariance(projected, 2 * n_window))


def predictive_information(sequences, n_window):
    """Return the predictive information of features, sequences of rows that may hold gaps."""
    covariances = [lagged_covariance(sequences, lag) for lag in range(2 * n_window)]
    return information(covariances, np.eye(len(covariances[0])), n_window)
