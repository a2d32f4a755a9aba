"""Features found by descending the objective itself."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from predfeat._compat import JOBS, POSITIVE, WINDOW, Interval, StrOptions, whole_number
from predfeat._logging import tell
from predfeat._progress import step
from predfeat._typing import FloatArray
from predfeat.features._base import LinearFeatures
from predfeat.features._descent import (
    Descent,
    DescentStep,
    Objective,
    descend,
    lowest,
    sorted_by_share,
)
from predfeat.features._embedding import GraphSettings
from predfeat.features._growth import best_distinct, grow, score, single_directions
from predfeat.features._iteration import iterate
from predfeat.graph import Future, Past
from predfeat.neighbors import ENGINES
from predfeat.series import Sequences, find_states
from predfeat.whitening import Whitening

__all__ = ["DescentFeatures"]


class DescentFeatures(LinearFeatures):
    r"""The features that minimise what similar states leave open, by descent on that objective.

    GPFA connects the successors of similar states and pulls them together, but ignores that moving
    the features also changes which states are similar: half of the gradient. Here the objective

    .. math:: \frac{1}{2} \langle \sum_i w_{ti} |y_{t+H} - y_{i+H}|^2 \rangle_t

    is descended with its full gradient, over all spaces of M features; the weights w fall with the
    distance of states in the features themselves (`predfeat.measures.soft_left_open`).

    The objective has many valleys, so the search for starts matters more than the descent. Single
    directions that are predictable alone are found first, by regression on smooth functions of
    their past (`nonlinear_directions`) and among the slow directions. They are put together one by
    one, with further directions that are predicted by those already there (`grow`). The best sets,
    and the result of GPFA (1), are descended, first in wide neighbourhoods and then in narrow ones,
    and the one that ends lowest, measured with hard neighbourhoods as in the paper, is kept.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples in a state, p.
    horizon : int, default=1
        How many steps ahead to predict, H.
    n_neighbors : int, default=10
        Neighbours that set the width of a neighbourhood, k. Twice as many are compared.
    power : {2, 1, 0} or float, default=2
        What to minimise: the mean over states of the variance left open to the power of
        `power` / 2. 2 is the mean variance, as in the paper. With 1, moments that leave much open
        count for less. 0 is the mean logarithm: the information that is missing about the next
        step, in nats, the paper's coding length.
    form : {"trace", "determinant"}, default="trace"
        With power=0, take the logarithm of the total variance, or of the determinant of the
        covariance, which also knows that features may be predictable together.
    n_starts : int, default=16
        From how many directions to search nonlinear single ones.
    n_singles : int, default=12
        How many single directions to combine.
    n_sets : int, default=3
        How many sets to grow, and to descend in the end.
    max_iter : int, default=20
        Neighbour searches at most in each width of a descent.
    tol : float, default=1e-3
        End a descent when an iteration lowers the objective by less than this share.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    theiler : int, default=0
        Exclude neighbours of the same sequence at most that many rows away.
    engine : str, default="auto"
        The neighbour-search engine; see `predfeat.nearest_neighbors`.
    n_jobs : int or None, default=None
        Threads. They do not affect the result.
    verbose : int, default=0
        1 logs a line for each iteration to the logger "predfeat".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T, most predictable first. They have unit
        variance and are uncorrelated on the training data.
    mean_ : ndarray of shape (n_columns,)
    shares_ : ndarray of shape (n_components,)
        The share of each feature's variance that is left open on the training data, between a
        state and all that it is compared with, with equal weights.
    history_ : dict of ndarray
        Of the descent that was kept, for its start in each width and every iteration: the `value`
        of the objective, the width of the neighbourhoods (`every` n-th of the nearest states was
        taken) and the `seconds`.
    n_iter_ : int
        Number of these entries.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    See Also
    --------
    GPFA : `refine=True` descends from its result only.
    AutoFeatures : judges descents from more starts on held-out data.

    Examples
    --------
    A logistic map, which looks like noise, among nine slow channels:

    >>> import numpy as np
    >>> from predfeat import DescentFeatures
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(1500, 10))
    >>> X[0, 0] = 0.3
    >>> for t in range(1, 1500):
    ...     X[t, 0] = 3.9 * X[t - 1, 0] * (1 - X[t - 1, 0])
    ...     X[t, 1:] += 0.8 * X[t - 1, 1:]
    >>> mixed = X @ random.normal(size=(10, 10))
    >>> model = DescentFeatures(n_components=1).fit(mixed)
    >>> bool(abs(np.corrcoef(model.transform(mixed)[:, 0], X[:, 0])[0, 1]) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_neighbors": [POSITIVE],
        "power": [Interval(Real, 0, 2, closed="both")],
        "form": [StrOptions({"trace", "determinant"})],
        "n_starts": [POSITIVE],
        "n_singles": [POSITIVE],
        "n_sets": [POSITIVE],
        "max_iter": [whole_number(0)],
        "tol": [Interval(Real, 0, None, closed="left")],
        "theiler": [WINDOW],
        "engine": [StrOptions(ENGINES)],
        "n_jobs": [JOBS, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_lags: int = 1,
        horizon: int = 1,
        n_neighbors: int = 10,
        power: float = 2,
        form: str = "trace",
        n_starts: int = 16,
        n_singles: int = 12,
        n_sets: int = 3,
        max_iter: int = 20,
        tol: float = 1e-3,
        pca_components: int | float | None = None,
        theiler: int = 0,
        engine: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.power = power
        self.form = form
        self.n_starts = n_starts
        self.n_singles = n_singles
        self.n_sets = n_sets
        self.max_iter = max_iter
        self.tol = tol
        self.pca_components = pca_components
        self.theiler = theiler
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """Search starts, descend from the best; see `LinearFeatures.find_directions`."""
        # Raises an error if there are too few states.
        find_states(white, self.n_lags, n_neighbors=self.n_neighbors, horizon=self.horizon)
        with step(1, 3):
            starts = self.find_starts(white)
        with step(2, 3):
            descents = [
                self._descend(white, start, number, len(starts))
                for number, start in enumerate(starts, 1)
            ]
        with step(3, 3):
            best = lowest(white, descents, self.objective)
            directions, self.shares_ = sorted_by_share(white, best.directions, self.objective)
        self.history_, self.n_iter_ = best.history(), len(best.steps)
        return directions

    def find_starts(self, white: Sequences, embedded: FloatArray | None = None) -> list[FloatArray]:
        """Return the spaces to descend from, the best first.

        Parameters
        ----------
        white : Sequences
            The series in white space.
        embedded : ndarray of shape (n_columns, n_components), optional
            The orthonormal directions of GPFA (1), if they are known.

        Returns
        -------
        list of ndarray of shape (n_columns, n_components)
            Orthonormal.
        """
        objective = self.objective
        singles = single_directions(white, objective, self.n_singles, self.n_starts)
        sets = grow(white, singles, objective, self.n_components, self.n_sets)
        if embedded is None:
            embedded = self._embedded(white)
        sets = best_distinct([*sets, *score(white, [embedded], objective)], self.n_sets)
        return [directions for _, directions in sets]

    def _embedded(self, white: Sequences) -> FloatArray:
        """Return the directions of GPFA (1)."""
        settings = GraphSettings(
            n_lags=self.n_lags,
            horizon=self.horizon,
            n_neighbors=self.n_neighbors,
            terms=(Future("full"), Past("full")),
            theiler=self.theiler,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )
        run = iterate(white, white, settings, self.n_components)
        directions: FloatArray = np.linalg.qr(run.directions)[0]
        return directions

    @property
    def objective(self) -> Objective:
        """What is minimised, for `descend`."""
        return Objective(
            n_lags=self.n_lags,
            horizon=self.horizon,
            n_neighbors=self.n_neighbors,
            power=self.power,
            form=self.form,
            theiler=self.theiler,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )

    def _descend(self, white: Sequences, start: FloatArray, number: int, total: int) -> Descent:
        def observe(done: DescentStep) -> None:
            tell(f"descent {number}/{total}: objective {done.value:.6g}", self.verbose)

        with step(number, total):
            return descend(
                white,
                start,
                self.objective,
                max_iter=self.max_iter,
                tol=self.tol,
                observer=observe,
            )
