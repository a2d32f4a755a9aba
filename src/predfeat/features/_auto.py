"""Choose the method as well: every method, judged on held-out parts of the training data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from predfeat._compat import JOBS, POSITIVE, WINDOW, whole_number
from predfeat._method_names import METHOD_NAMES
from predfeat._progress import step
from predfeat._typing import FloatArray
from predfeat.exceptions import RankError, ShortSequencesError, SplitError
from predfeat.features._base import LinearFeatures
from predfeat.features._descent import Objective, descend, lowest, sorted_by_share
from predfeat.features._descent_features import DescentFeatures
from predfeat.features._gpfa import GPFA
from predfeat.features._pfa import PFA
from predfeat.features._sfa import SFA
from predfeat.measures import available_neighbors, left_open
from predfeat.series import Sequences, find_states
from predfeat.splits import purged_folds
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["AutoFeatures"]

# What descents minimise: the mean variance left open, by which methods are judged, and the mean
# deviation, for which a few loud moments do not decide.
_POWERS = {METHOD_NAMES["descent"]: 2, f"{METHOD_NAMES['descent']} (power 1)": 1}
# Every part of the data has descents of its own, so that each needs fewer starts.
_N_SINGLES, _N_SETS = 8, 2


class AutoFeatures(LinearFeatures):
    """The most predictable features that any of the methods finds.

    SFA, PFA, both kinds of GPFA, and descents as in `DescentFeatures`, with power=2 and with
    power=1 (so that a few loud moments do not decide), are fitted to all but one part of the
    training data, for each part in turn. The method is kept whose features leave the smallest share
    of their own variance open in the parts that they were not fitted to. It is then fitted to all
    of the data; a descent goes on from the features that it found in the parts.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples in a state, p, in the methods and the judgement.
    horizon : int, default=1
        How many steps ahead to predict, H, in the judgement and the methods that have a horizon.
    n_neighbors : int, default=10
        Neighbours of each state, k, in GPFA and the descent.
    n_folds : int, default=2
        Number of parts; see `predfeat.splits.purged_folds`. Training data that is too short to
        be cut is judged as a whole, by the data that the methods were fitted to.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    theiler : int, default=0
        Exclude neighbours of the same sequence at most that many rows away.
    n_jobs : int or None, default=None
        Threads of the neighbour searches. The result does not depend on it.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T.
    mean_ : ndarray of shape (n_columns,)
    best_candidate_ : str
        The method that is kept.
    scores_ : dict of str to float
        The share that each method's features left open in the held-out parts, in ascending order.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    Examples
    --------
    >>> from predfeat import AutoFeatures
    >>> from predfeat.datasets import predictable_noise
    >>> model = AutoFeatures().fit(predictable_noise(600, 6, random_state=0))
    >>> model.best_candidate_ in ("SFA", "PFA")  # which do not find both dimensions
    False
    >>> model.scores_[model.best_candidate_] < 0.8 * model.scores_["SFA"]
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_neighbors": [POSITIVE],
        "n_folds": [whole_number(2)],
        "theiler": [WINDOW],
        "n_jobs": [JOBS, None],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_lags: int = 1,
        horizon: int = 1,
        n_neighbors: int = 10,
        n_folds: int = 2,
        pca_components: int | float | None = None,
        theiler: int = 0,
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.n_folds = n_folds
        self.pca_components = pca_components
        self.theiler = theiler
        self.n_jobs = n_jobs

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """Judge all methods, and fit the best; see `LinearFeatures.find_directions`."""
        # Raises an error if there are too few states; a part may have fewer.
        find_states(white, self.n_lags, n_neighbors=self.n_neighbors, horizon=self.horizon)
        folds = self._folds(white)
        found: dict[str, list[FloatArray]] = {}
        shares: dict[str, list[float]] = {}
        n_steps = len(folds) + 1
        for number, fold in enumerate(folds, 1):
            with step(number, n_steps):
                for name, directions in self._found_in(fold).items():
                    shares.setdefault(name, []).append(self._share(fold.test, directions))
                    found.setdefault(name, []).append(fold.in_whole @ directions)
        scores = {name: float(np.mean(of_parts)) for name, of_parts in shares.items()}
        self.scores_ = dict(sorted(scores.items(), key=lambda item: item[1]))
        self.best_candidate_ = best = next(iter(self.scores_))
        with step(n_steps, n_steps):
            if best in _POWERS:
                objective = self._descent(self.n_neighbors, _POWERS[best]).objective
                directions = _lowest_end(white, found[best], objective)
                return sorted_by_share(white, directions, objective)[0]
            return self._methods(self.n_neighbors)[best].find_directions(white, whitening)

    def _found_in(self, fold: _Fold) -> dict[str, FloatArray]:
        """Return what each method finds in a part, the simplest first: of equals, it is kept."""
        n_neighbors = min(self.n_neighbors, fold.n_neighbors)
        methods = self._methods(n_neighbors)
        n_steps = len(methods) + 1 + len(_POWERS)
        found = {}
        for number, (name, method) in enumerate(methods.items(), 1):
            with step(number, n_steps):
                found[name] = method.find_directions(fold.train, fold.whitening)
        with step(len(methods) + 1, n_steps):  # both descents share their starts
            embedded = np.linalg.qr(found[METHOD_NAMES["gpfa1"]])[0]
            starts = self._descent(n_neighbors, power=1).find_starts(fold.train, embedded)
        for number, (name, power) in enumerate(_POWERS.items(), len(methods) + 2):
            with step(number, n_steps):
                objective = self._descent(n_neighbors, power).objective
                found[name] = _lowest_end(fold.train, starts, objective)
        return found

    def _methods(self, n_neighbors: int) -> dict[str, LinearFeatures]:
        m = self.n_components
        by_neighbors = self._by_neighbors(n_neighbors)
        return {
            METHOD_NAMES["sfa"]: SFA(m),
            METHOD_NAMES["pfa"]: PFA(m, n_lags=self.n_lags, horizon=self.horizon),
            METHOD_NAMES["gpfa1"]: GPFA(m, graph="full", **by_neighbors),
            METHOD_NAMES["gpfa2"]: GPFA(m, graph="star", **by_neighbors),
        }

    def _descent(self, n_neighbors: int, power: int) -> DescentFeatures:
        return DescentFeatures(
            self.n_components,
            power=power,
            n_singles=_N_SINGLES,
            n_sets=_N_SETS,
            **self._by_neighbors(n_neighbors),
        )

    def _by_neighbors(self, n_neighbors: int) -> dict[str, Any]:
        return {
            "n_lags": self.n_lags,
            "horizon": self.horizon,
            "n_neighbors": n_neighbors,
            "theiler": self.theiler,
            "n_jobs": self.n_jobs,
        }

    def _share(self, test: Sequences, directions: FloatArray) -> float:
        features = test.with_rows(test.rows @ np.linalg.qr(directions)[0])
        return left_open(
            features,
            self.n_lags,
            None,
            horizon=self.horizon,
            theiler=self.theiler,
            n_jobs=self.n_jobs,
        ).share()

    def _folds(self, white: Sequences) -> list[_Fold]:
        """Return the parts to fit to and to judge by, or the whole as both if it is too short."""
        try:
            splits = purged_folds(white, self.n_folds, gap=self.n_lags + self.horizon)
            folds = [self._fold(*split.parts(white)) for split in splits]
            if all(fold.n_neighbors for fold in folds):
                return folds
        except (SplitError, RankError, ShortSequencesError):
            pass
        return [self._fold(white, white)]

    def _fold(self, train: Sequences, test: Sequences) -> _Fold:
        """Return a fold in the white space of its training part.

        The axes stay the principal axes of all the data where possible: the principal axes of a
        part of white data mean nothing.
        """
        whitening = fit_whitening(train, warn=False)
        whitening.require(self.n_components)
        directions = whitening.directions
        if whitening.rank == train.n_columns:
            directions = directions @ (directions / np.linalg.norm(directions, axis=0)).T
        turned = replace(whitening, directions=directions)  # the inverse is not needed
        train, test = turned.apply(train), turned.apply(test)
        n_neighbors = min(
            available_neighbors(
                part, self.n_lags, at_most=None, horizon=self.horizon, theiler=self.theiler
            )
            for part in (train, test)
        )
        return _Fold(train, test, turned, directions, n_neighbors)


def _lowest_end(white: Sequences, starts: list[FloatArray], objective: Objective) -> FloatArray:
    """Descend from some starts, and return the directions that end lowest."""
    descents = [descend(white, start, objective) for start in starts]
    return lowest(white, descents, objective).directions


@dataclass(frozen=True)
class _Fold:
    """A part of the training data to fit to, and another to judge by.

    Attributes
    ----------
    train, test : Sequences
        In the white space of the training part.
    whitening : Whitening
        The map from the white space of all the data to that of the training part.
    in_whole : ndarray
        Turns directions of the part's white space into those of the whole's.
    n_neighbors : int
        How many neighbours every state can have, in both parts.
    """

    train: Sequences
    test: Sequences
    whitening: Whitening
    in_whole: FloatArray
    n_neighbors: int
