"""Choose the method as well: many candidates, scored by one criterion on the training data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from predfeat._compat import JOBS, POSITIVE, WINDOW, StrOptions, whole_number
from predfeat._method_names import METHOD_NAMES
from predfeat._progress import step
from predfeat._typing import FloatArray
from predfeat.exceptions import NoSpectrumError, ShortSequencesError
from predfeat.features._base import LinearFeatures
from predfeat.features._candidate_scores import (
    CRITERIA,
    EQUAL_SCORES,
    MEAN_OF_BEST,
    CandidateScorer,
    candidate_scores,
    mean_of_best,
)
from predfeat.features._embedding import GraphSettings
from predfeat.features._first_within_tolerance import first_within_tolerance
from predfeat.features._foreca import forecastable_directions
from predfeat.features._iteration import iterate
from predfeat.features._pfa import linearly_predictable_directions
from predfeat.features._run import Run, averaged
from predfeat.features._sfa import slow_and_fast_directions, slow_directions
from predfeat.graph import Future, Past
from predfeat.measures import fit_autoregression, left_open
from predfeat.series import Sequences
from predfeat.splits import purged_folds
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["AutoFeatures", "WITH_INVERSE_SPREAD"]

_REPEATS = (0, 1, 3, 10)
_FULL, _STAR = METHOD_NAMES["gpfa1"], METHOD_NAMES["gpfa2"]
_FULL_BY_SPREAD = f"{_FULL}, inverse spread"
_KINDS: dict[str, dict[str, Any]] = {
    _FULL: {"terms": (Future("full"), Past("full"))},
    _STAR: {"terms": (Future("star"), Past("star"))},
    _FULL_BY_SPREAD: {
        "terms": (Future("full"), Past("full")),
        "weighting": "inverse_spread",
        "normalized": False,
    },
}
# A fit with one more feature can succeed where a fit with M does not: features that are
# predictable together need not be predictable alone.
_ONE_MORE = "M + 1 features"
# Where GPFA starts: in the feature space of another candidate (its name), or elsewhere (None).
_STARTS = {
    "input": None,
    "pca": None,
    "sfa": "SFA",
    "slow_fast": "SFA, both ends",
    "pfa": "PFA (K=0)",
    "PFA (K=3)": "PFA (K=3)",
    _ONE_MORE: None,
}
_STARTS_OF = {
    _FULL: list(_STARTS),
    # From M + 1 features it ends where GPFA (1) does.
    _STAR: [start for start in _STARTS if start != _ONE_MORE],
    # From other starts, a fit weighted by inverse spread may end at features that are silent
    # except for a few loud moments of the training data. The criterion favours these for the same
    # reason as the fit does, and so cannot detect them.
    _FULL_BY_SPREAD: ["slow_fast"],
}
_WITH_GRAPH = {
    f"{kind} from {start}": (kind, start) for kind in _KINDS for start in _STARTS_OF[kind]
}
WITH_INVERSE_SPREAD = {name for name, (kind, _) in _WITH_GRAPH.items() if kind == _FULL_BY_SPREAD}
_N_AVERAGED = 10
# The other methods need more successive samples than a state and its successor.
_NEVER_TOO_SHORT = ("SFA", "SFA, both ends", "PFA (K=0)")


class AutoFeatures(LinearFeatures):
    """The most predictable features that any of the methods finds.

    The candidates are SFA (the slowest directions; with changes over two steps; both the slowest
    and the fastest), PFA (with several K), ForeCA, and GPFA: with both graphs from six starts, with
    graph (1) also from the features of a fit with M + 1, and weighted by inverse spread
    (weighting="inverse_spread", normalized=False) from the slowest and fastest directions, with the
    last iterations averaged: 22 candidates. One more is the mean of the feature spaces within 3 per
    cent of the best one (without the weighted one). Each third of the training data is scored by
    itself, and the features with the lowest score are kept. Among candidates within 0.2 per cent of
    the best, the mean is preferred, then the simplest.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples in a state, p, in the methods and the score.
    horizon : int, default=1
        How many steps ahead to predict, H, in the score and the methods that have a horizon.
    n_neighbors : int, default=10
        Neighbours of each state, k, in GPFA.
    criterion : {"balanced", "typical", "training", "validation"}, default="balanced"
        What is scored. "training" measures the features of the training data, in each third of it,
        by eq. (2), the mean variance of the next step around similar states. A few loud moments can
        dominate that. "typical" uses the square of the mean standard deviation instead, which is
        the same where all moments are alike. "balanced" is the geometric mean of the two, in which
        eq. (2) has the weight 0.6, times the features' mean kurtosis to the power 0.15: a feature
        that is loud in few rows may be louder elsewhere. (The candidate weighted by inverse spread
        gets the kurtosis of the best other one.) "validation" fits every candidate to all but one
        of `n_folds` parts, measures it on the remaining part by eq. (2), and takes the mean:
        `n_folds` times the work. It does not include the mean of the best.
    n_folds : int, default=3
        For "validation"; see `predfeat.splits.purged_folds`.
    pca_components : int, float or None, default=None
        Principal components to keep before whitening: a count, a share of variance, or all.
    theiler : int, default=0
        Exclude neighbours of the same sequence at most that many rows away, in GPFA.
    n_jobs : int or None, default=None
        Threads of the neighbour searches. The result does not depend on it.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_columns)
        The features are (X - mean_) @ components_.T.
    mean_ : ndarray of shape (n_columns,)
    best_candidate_ : str
        The candidate whose features are kept.
    scores_ : dict of str to float
        The score of each candidate, in ascending order; lower is better.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature appears in the inputs: the rows of the least-squares inverse.
    rank_ : int
        Dimension of white space.

    Examples
    --------
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat import AutoFeatures
    >>> model = AutoFeatures().fit(predictable_noise(500, 6, random_state=0))
    >>> model.best_candidate_ in ("SFA", "PFA (K=0)")  # which do not find both dimensions
    False
    >>> model.scores_[model.best_candidate_] < 0.7 * model.scores_["SFA"]
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_neighbors": [POSITIVE],
        "criterion": [StrOptions(set(CRITERIA))],
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
        criterion: str = "balanced",
        n_folds: int = 3,
        pca_components: int | float | None = None,
        theiler: int = 0,
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.n_folds = n_folds
        self.pca_components = pca_components
        self.theiler = theiler
        self.n_jobs = n_jobs

    def find_directions(self, white: Sequences, whitening: Whitening) -> FloatArray:
        """Fit all candidates, and keep the best; see `LinearFeatures.find_directions`."""
        found: dict[str, FloatArray] = {}
        if self.criterion == "validation":
            scores = self._validated(white)
        else:
            found = self._directions(white)
            scorer = CandidateScorer(white, self.n_lags, self.n_jobs, horizon=self.horizon)
            measured = {name: scorer.measure(directions) for name, directions in found.items()}
            scores = candidate_scores(measured, self.criterion, WITH_INVERSE_SPREAD)
            mean = mean_of_best(found, scores, WITH_INVERSE_SPREAD)
            if mean is not None:
                found = {MEAN_OF_BEST: mean, **found}
                measured = {MEAN_OF_BEST: scorer.measure(mean), **measured}
            scores = candidate_scores(measured, self.criterion, WITH_INVERSE_SPREAD)
        self.scores_ = dict(sorted(scores.items(), key=lambda item: item[1]))
        self.best_candidate_ = best = first_within_tolerance(scores, EQUAL_SCORES)
        return found[best] if found else self._directions(white, best)[best]

    def _validated(self, white: Sequences) -> dict[str, float]:
        """Return every candidate's mean score over the folds in which it could be fitted."""
        scores: dict[str, list[float]] = {}
        folds = purged_folds(white, self.n_folds, gap=self.n_lags + self.horizon)
        for number, fold in enumerate(folds, 1):
            train, test = _whitened_again(*fold.parts(white), self.n_components)
            with step(number, len(folds) + 1):
                found = self._directions(train)
            for name, directions in found.items():
                features = test.with_rows(test.rows @ directions)
                open_here = left_open(
                    features, self.n_lags, None, horizon=self.horizon, n_jobs=self.n_jobs
                )
                scores.setdefault(name, []).append(float(open_here.by_state.mean()))
        most = max(len(parts) for parts in scores.values())
        return {name: float(np.mean(parts)) for name, parts in scores.items() if len(parts) == most}

    def _directions(self, white: Sequences, only: str | None = None) -> dict[str, FloatArray]:
        """Return the directions of all candidates, or of one (and of the one it starts from).

        Simpler candidates come first: among equal scores, the first wins.
        """
        found: dict[str, FloatArray] = {}
        wanted = {only, _STARTS[_WITH_GRAPH[only][1]]} if only in _WITH_GRAPH else {only}
        simple = dict(self._without_graph(white))
        total = len(simple) + len(_WITH_GRAPH)
        for number, (name, find) in enumerate(simple.items(), 1):
            with step(number, total):
                if only is None or name in wanted:
                    try:
                        found[name] = find()
                    except (NoSpectrumError, ShortSequencesError):
                        if name in _NEVER_TOO_SHORT:
                            raise
        for number, (name, (kind, start)) in enumerate(_WITH_GRAPH.items(), len(simple) + 1):
            with step(number, total):
                if only in (None, name) and self._is_possible(start, white, found):
                    run = self._gpfa(white, kind, start, found)
                    normalized = _KINDS[kind].get("normalized", True)
                    found[name] = averaged(run, _N_AVERAGED, normalized=normalized)[0]
        return found

    def _is_possible(self, start: str, white: Sequences, found: dict[str, FloatArray]) -> bool:
        if start == _ONE_MORE:  # with all directions it would equal "input"
            return self.n_components + 1 < white.n_columns
        from_candidate = _STARTS[start]
        return from_candidate is None or from_candidate in found

    def _without_graph(self, white: Sequences) -> Iterator[tuple[str, Callable[[], FloatArray]]]:
        """Yield the names of the methods without a graph, with functions that fit them."""
        m = self.n_components
        # All PFAs repeat the same one-step prediction.
        one_step = cache(lambda: fit_autoregression(white, self.n_lags))
        yield "SFA", lambda: slow_directions(white, m).vectors
        yield "SFA, two steps", lambda: slow_directions(white, m, n_steps=2).vectors
        yield "SFA, both ends", lambda: slow_and_fast_directions(white, m)
        for k in _REPEATS:
            yield f"PFA (K={k})", partial(self._pfa, white, k, one_step)
        yield "ForeCA", lambda: forecastable_directions(white, m)[0]

    def _pfa(
        self, white: Sequences, n_repeats: int, one_step: Callable[[], FloatArray]
    ) -> FloatArray:
        return linearly_predictable_directions(
            white, self.n_components, self.n_lags, n_repeats, one_step(), horizon=self.horizon
        ).vectors

    def _gpfa(self, white: Sequences, kind: str, start: str, found: dict[str, FloatArray]) -> Run:
        """Iterate GPFA of a kind from a start."""
        settings = GraphSettings(
            n_lags=self.n_lags,
            horizon=self.horizon,
            n_neighbors=self.n_neighbors,
            theiler=self.theiler,
            n_jobs=self.n_jobs,
            **_KINDS[kind],
        )
        space, from_candidate = white, _STARTS[start]
        if start == "pca":
            space = white.with_rows(white.rows[:, : self.n_components])
        elif start == _ONE_MORE:
            more = iterate(white, white, settings, self.n_components + 1).directions
            space = white.with_rows(white.rows @ more)
        elif from_candidate is not None:
            space = white.with_rows(white.rows @ found[from_candidate])
        return iterate(white, space, settings, self.n_components)


def _whitened_again(train: Sequences, test: Sequences, n_components: int) -> list[Sequences]:
    """Return both parts of a fold in the white space of its training part.

    The axes stay the principal axes of all the data where possible: the principal axes of a part
    of white data mean nothing.
    """
    whitening = fit_whitening(train, warn=False)
    whitening.require(n_components)
    directions = whitening.directions
    if whitening.rank == train.n_columns:
        directions = directions @ (directions / np.linalg.norm(directions, axis=0)).T
    turned = replace(whitening, directions=directions)  # the inverse is not needed
    return [turned.apply(part) for part in (train, test)]
