"""What a search engine is: a name, declared properties, and one method that searches."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from predfeat._typing import FloatArray, IntArray
from predfeat.neighbors._question import Question
from predfeat.series import States

__all__ = ["Engine"]


class Engine(ABC):
    """A way to find nearest neighbours; `register_engine` makes it available to users.

    Subclasses declare what they are and implement `search`.

    Attributes
    ----------
    name : str
        What users write: ``nearest_neighbors(..., engine=name)``.
    is_exact : bool
        Whether it always returns the neighbours that brute force in float64 returns, with ties
        broken in the order of the circle. ``engine="auto"`` takes only exact engines, and the
        tests check every registered engine against its declaration.
    takes_library : bool
        Whether it can search a library other than the queries.
    needs : str
        The optional Python package it requires, for the error message.
    extra : str
        The extra of predfeat that installs it, if there is one.

    Examples
    --------
    An engine that compares all pairs, registered, used and removed:

    >>> import numpy as np
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.neighbors import Engine, rank_candidates, register_engine, unregister_engine
    >>> class AllPairs(Engine):
    ...     name, is_exact, takes_library = "all pairs", True, True
    ...
    ...     def search(self, question, n_threads):
    ...         n_queries, n_states = len(question.queries), len(question.library)
    ...         owner = np.repeat(np.arange(n_queries), n_states)
    ...         return rank_candidates(question, owner, np.tile(np.arange(n_states), n_queries))
    >>> register_engine(AllPairs())
    >>> X = [[0.0], [5.0], [0.5], [5.2]]
    >>> nearest_neighbors(X, n_neighbors=1, engine="all pairs").indices.ravel().tolist()
    [2, 3, 0, 1]
    >>> unregister_engine("all pairs")
    """

    name: str
    is_exact: bool
    takes_library: bool = False
    needs: str = ""
    extra: str = ""

    def is_available(self) -> bool:
        """Tell whether what it needs is installed."""
        return True

    def expected_seconds(self, queries: States, library: States, at_most: float = np.inf) -> float:
        """Estimate how long a search takes on one thread.

        ``engine="auto"`` takes the exact engine with the smallest estimate. The default, infinity,
        leaves an engine to users who ask for it by name. `at_most` is the smallest estimate so
        far: an engine that is clearly slower, or clearly faster, need not estimate any closer.
        """
        return np.inf

    @abstractmethod
    def search(self, question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
        """Find the nearest states of the library to each query.

        Parameters
        ----------
        question : Question
            Queries, library, the number of neighbours and the exclusions. Engines that do not
            take a library are only asked if ``question.is_within``.
        n_threads : int
            How many threads may be used.

        Returns
        -------
        positions : ndarray of int, shape (n_queries, n_neighbors)
            Positions in the library, nearest first.
        squared : ndarray of float, shape (n_queries, n_neighbors)
            Squared distances.
        """
