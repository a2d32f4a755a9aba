"""Kernel GPFA in the dual: a slow, obvious twin of GPFA in a kernel's feature space.

Only NumPy is imported. A direction of the feature space is a weighted sum of the samples' images,
w = Σ_t α_t φ(x_t), so that the features are K α with the centred kernel matrix K, and

    K L K α = λ K D K α

with the graph's Laplacian L and degrees D. K is S × S, and so this is for small S.
"""

import numpy as np

# Directions of less variance than this share of the largest are absent: what remains of them is
# rounding of the kernel.
RANK_CUT = 1e-12


def polynomial_kernel(rows, others, degree, gamma=1.0, coef0=1.0):
    """Return (γ x·y + c)^degree for every pair of rows."""
    return (gamma * rows @ others.T + coef0) ** degree


def centred(K):
    """Return the kernel matrix of the images minus their mean."""
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


def solve(K, L, D, n_pairs, cut=RANK_CUT):
    """Return features (S × n_pairs) and λ of the smallest solutions in the range of K.

    With K = U Λ Uᵀ, every feature K α is U b. In these coordinates the problem is
    Uᵀ L U b = λ Uᵀ D U b.
    """
    values, U = np.linalg.eigh(centred(K))
    U = U[:, values > cut * values[-1]]
    A, B = U.T @ L @ U, U.T @ D @ U
    values, b = np.linalg.eig(np.linalg.solve(B, A))
    order = np.argsort(values.real)[:n_pairs]
    return U @ b[:, order].real, values[order].real
