"""Locality preserving projections."""

from __future__ import annotations

from typing import Any, ClassVar

from predfeat._compat import JOBS, POSITIVE, StrOptions
from predfeat._typing import FloatArray
from predfeat.features._base import LinearFeatures
from predfeat.graph import projected_laplacian, shifted_neighborhoods
from predfeat.neighbors import ENGINES, search
from predfeat.series import Sequences, find_states
from predfeat.solvers import smallest_eigenpairs
from predfeat.whitening import Whitening

__all__ = ["LPP"]


class LPP(LinearFeatures):
    r"""Locality preserving projections: features in which similar samples stay close together.

    Every sample is joined with its nearest samples in the input, and the features are the smallest
    solutions of

    .. math:: X^T L X \, a = \lambda \, X^T D X \, a

    where L and D are the graph's Laplacian and degrees, W = A + A^T with A the table of neighbours.
    Time plays no part. It is what GPFA minimises, with samples themselves in place of the
    successors of similar states; `predfeat.graph.Local` adds the same edges to those of GPFA.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_neighbors : int, default=10
        Neighbours of each sample, k, by Euclidean distance in the input.
    pca_components : int, float or None, default=None
        Principal components to keep before the search: a count, a share of variance, or all.
    engine : {"auto", "tree", "tiles", "blockwise"}, default="auto"
        The neighbour-search engine; see `predfeat.nearest_neighbors`.
    n_jobs : int or None, default=None
        Threads for the neighbour search. They do not affect the result.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, the smoothest first. They have unit variance
        on the training data.
    mean_ : ndarray of shape (n_columns,)
    eigenvalues_ : ndarray of shape (n_components,)
        λ of each feature.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    References
    ----------
    X. He and P. Niyogi, Locality preserving projections, NIPS 2003; edges have weight 1, and those
    of samples that are each other's neighbours weight 2.

    Examples
    --------
    Two clusters, one above the other:

    >>> import numpy as np
    >>> from predfeat import LPP
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> X[::2, 1] += 9
    >>> int(np.abs(LPP(n_components=1).fit(X).components_ * X.std(axis=0)).argmax())
    1
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_neighbors": [POSITIVE],
        "engine": [StrOptions(ENGINES)],
        "n_jobs": [JOBS, None],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 10,
        pca_components: int | float | None = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.pca_components = pca_components
        self.engine = engine
        self.n_jobs = n_jobs

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """Join similar samples and embed their graph; see `LinearFeatures.find_directions`."""
        # The input, up to its mean: white space has other distances.
        inputs = white.with_rows(white.rows @ whitening.patterns)
        samples = find_states(inputs, 1, n_neighbors=self.n_neighbors)
        table = search(samples, self.n_neighbors, engine=self.engine, n_jobs=self.n_jobs)
        graph = projected_laplacian([shifted_neighborhoods(table, white, 0)], white.rows)
        pairs = smallest_eigenpairs(graph.laplacian, self.n_components, graph.degree)
        self.eigenvalues_ = pairs.values
        return pairs.vectors
