"""The method itself chosen: many candidates, one judge, and the training data only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from predfeat._compat import JOBS, WINDOW, StrOptions, whole_number
from predfeat._typing import FloatArray
from predfeat.exceptions import NoSpectrumError, ShortSequencesError
from predfeat.features import GPFA
from predfeat.features._base import POSITIVE, LinearFeatures
from predfeat.features._foreca import forecastable_directions
from predfeat.features._gpfa import GPFARun
from predfeat.features._near_best import first_near_best
from predfeat.features._pfa import linearly_predictable_directions
from predfeat.features._sfa import slow_and_fast_directions, slow_directions
from predfeat.measures._autoregression import fit_autoregression
from predfeat.measures._predictability import variance_left_open
from predfeat.selection._judging import (
    EQUAL_SCORES,
    JUDGES,
    MIDDLE,
    Thirds,
    judged,
    middle_of_best,
)
from predfeat.series import Sequences
from predfeat.splits import purged_folds
from predfeat.whitening import Whitening, fit_whitening

__all__ = ["AutoFeatures"]

_REPEATS = (0, 1, 3, 10)
_KINDS: dict[str, dict[str, Any]] = {
    "GPFA (1)": {"graph": "full"},
    "GPFA (2)": {"graph": "star"},
    "GPFA (1), calm": {"graph": "full", "weighting": "calm", "normalized": False},
}
# A fit with one feature more has found its way where one with M has not: not all features that are
# predictable together are so by themselves.
_ONE_MORE = "M + 1 features"
# The candidate in whose feature space GPFA starts, where it is one.
_STARTS = {
    "input": None,
    "pca": None,
    "sfa": "SFA",
    "extremes": "SFA, both ends",
    "pfa": "PFA (K=0)",
    "PFA (K=3)": "PFA (K=3)",
    _ONE_MORE: None,
}
_STARTS_OF = {
    "GPFA (1)": list(_STARTS),
    # From one feature more it ends where GPFA (1) does.
    "GPFA (2)": [start for start in _STARTS if start != _ONE_MORE],
    # From other starts a calm fit may end at features that are silent but for a few loud moments
    # of the training data. It likes them as the judge does, so that the judge cannot tell.
    "GPFA (1), calm": ["extremes"],
}
_WITH_GRAPH = {
    f"{kind} from {start}": (kind, start) for kind in _KINDS for start in _STARTS_OF[kind]
}
CALM = {name for name, (kind, _) in _WITH_GRAPH.items() if "calm" in kind}
_AVERAGED = 10
# The others want more successive samples than a state and its successor.
_NEVER_TOO_SHORT = ("SFA", "SFA, both ends", "PFA (K=0)")


class AutoFeatures(LinearFeatures):
    """The most predictable features that any of the methods finds.

    Fitted are SFA (the slowest directions; with changes over two steps; the slowest and fastest
    alike), PFA (with several K), ForeCA, GPFA with both graphs from six starts, graph (1) also from
    the features of a fit with M + 1, and in its calm form (weighting="calm", normalized=False) from
    the slowest and fastest directions, with the last iterations averaged: 22 candidates. Another
    is the space in the middle of those within 3 per cent of the best one (without the calm). Kept
    are the features that leave the least open on the training data, as the judge sees its thirds,
    one by one; of candidates within 0.2 per cent of the best that middle, or the simplest, in this
    order.

    Parameters
    ----------
    n_components : int, default=2
        Number of features, M.
    n_lags : int, default=1
        Samples in a state, p, of the methods and of the judge.
    horizon : int, default=1
        How many steps ahead to predict, H, of the methods that know it and of the judge.
    n_neighbors : int, default=10
        Neighbours of each state, k, of GPFA.
    judge : {"both", "typical", "training", "validation"}, default="both"
        "training" measures the features of the training data, in each third of it, by eq. (2),
        the mean variance of the next step around similar states. A few loud moments can decide;
        "typical" takes the square of the mean standard deviation instead, which is the same
        where all moments are alike, and "both" their geometric mean, in which eq. (2) has the
        weight 0.6, times the features' mean kurtosis to the power 0.15: what is loud in few rows
        may be louder elsewhere (to the calm candidate, the kurtosis of the best other one).
        "validation" fits every candidate to all but one of `n_folds` parts, measures it on that
        one by eq. (2), and takes the mean: so much more work. It has no middle of the best.
    n_folds : int, default=3
        For "validation"; see `purged_folds`.
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
    winner_ : str
        The candidate whose features are kept.
    scores_ : dict of str to float
        What the judge gave each candidate, in ascending order; lower is better.
    patterns_ : ndarray of shape (n_components, n_columns)
        How each feature shows in the inputs: the rows of the least-squares way back.
    rank_ : int
        Dimension of white space.

    Examples
    --------
    >>> from predfeat.datasets import predictable_noise
    >>> from predfeat.selection import AutoFeatures
    >>> model = AutoFeatures().fit(predictable_noise(500, 6, random_state=0))
    >>> model.winner_ in ("SFA", "PFA (K=0)")  # which do not find both dimensions
    False
    >>> model.scores_[model.winner_] < 0.7 * model.scores_["SFA"]
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearFeatures._parameter_constraints,
        "n_lags": [POSITIVE],
        "horizon": [POSITIVE],
        "n_neighbors": [POSITIVE],
        "judge": [StrOptions(set(JUDGES))],
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
        judge: str = "both",
        n_folds: int = 3,
        pca_components: int | float | None = None,
        theiler: int = 0,
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.n_lags = n_lags
        self.horizon = horizon
        self.n_neighbors = n_neighbors
        self.judge = judge
        self.n_folds = n_folds
        self.pca_components = pca_components
        self.theiler = theiler
        self.n_jobs = n_jobs

    def _find_projection(self, white: Sequences, whitening: Whitening) -> FloatArray:
        found: dict[str, FloatArray] = {}
        if self.judge == "validation":
            scores = self._validated(white)
        else:
            found = self._directions(white)
            thirds = Thirds(white, self.n_lags, self.n_jobs, horizon=self.horizon)
            marks = {name: thirds.mark(directions) for name, directions in found.items()}
            middle = middle_of_best(found, judged(marks, self.judge, CALM), CALM)
            if middle is not None:
                found = {MIDDLE: middle, **found}
                marks = {MIDDLE: thirds.mark(middle), **marks}
            scores = judged(marks, self.judge, CALM)
        self.scores_ = dict(sorted(scores.items(), key=lambda item: item[1]))
        self.winner_ = first_near_best(scores, EQUAL_SCORES)
        return found[self.winner_] if found else self._directions(white, self.winner_)[self.winner_]

    def _validated(self, white: Sequences) -> dict[str, float]:
        """Return every candidate's mean score over the folds in which it could be fitted."""
        left_open: dict[str, list[float]] = {}
        for fold in purged_folds(white, self.n_folds, gap=self.n_lags + self.horizon):
            train, test = _whitened_again(*fold.parts(white), self.n_components)
            for name, directions in self._directions(train).items():
                features = test.with_rows(test.rows @ directions)
                value = variance_left_open(features, self.n_lags, self.n_jobs, horizon=self.horizon)
                left_open.setdefault(name, []).append(value.mean)
        most = max(len(parts) for parts in left_open.values())
        return {
            name: float(np.mean(parts)) for name, parts in left_open.items() if len(parts) == most
        }

    def _directions(self, white: Sequences, only: str | None = None) -> dict[str, FloatArray]:
        """Return what the candidates find, or one of them (and what it starts from).

        The simpler ones come first: of equal scores the first wins.
        """
        found: dict[str, FloatArray] = {}
        tell = self._after_candidate or (lambda n_done, n_all: None)
        wanted = {only, _STARTS[_WITH_GRAPH[only][1]]} if only in _WITH_GRAPH else {only}
        simple = dict(self._without_graph(white))
        n_all = len(simple) + len(_WITH_GRAPH)
        for n_done, (name, find) in enumerate(simple.items()):
            tell(n_done, n_all)
            if only is None or name in wanted:
                try:
                    found[name] = find()
                except (NoSpectrumError, ShortSequencesError):
                    if name in _NEVER_TOO_SHORT:
                        raise
        for n_done, (name, (kind, start)) in enumerate(_WITH_GRAPH.items(), len(simple)):
            tell(n_done, n_all)
            from_candidate = _STARTS[start]
            possible = from_candidate is None or from_candidate in found
            if start == _ONE_MORE:  # all directions are the input space
                possible = self.n_components + 1 < white.n_columns
            if possible and only in (None, name):
                found[name] = self._gpfa(white, kind, start, found).projection
        tell(n_all, n_all)
        return found

    # Called with the number of candidates done and of all: for whoever shows progress.
    _after_candidate: Callable[[int, int], None] | None = None

    def _without_graph(self, white: Sequences) -> Iterator[tuple[str, Callable[[], FloatArray]]]:
        """Yield the names of the methods without a graph, and what fits them."""
        m = self.n_components
        # The repeated predictions of all PFAs start from the same one.
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

    def _gpfa(
        self, white: Sequences, kind: str, start: str, found: dict[str, FloatArray]
    ) -> GPFARun:
        def run(space: Sequences, n_components: int, n_averaged: int) -> GPFARun:
            model = GPFA(
                n_components,
                n_lags=self.n_lags,
                horizon=self.horizon,
                n_neighbors=self.n_neighbors,
                n_averaged=n_averaged,
                theiler=self.theiler,
                n_jobs=self.n_jobs,
                **_KINDS[kind],
            )
            return model._run(white, space, n_components)

        space, from_candidate = white, _STARTS[start]
        if start == "pca":
            space = white.with_rows(white.rows[:, : self.n_components])
        elif start == _ONE_MORE:
            more = run(white, self.n_components + 1, n_averaged=1).projection
            space = white.with_rows(white.rows @ more)
        elif from_candidate is not None:
            space = white.with_rows(white.rows @ found[from_candidate])
        return run(space, self.n_components, _AVERAGED)


def _whitened_again(train: Sequences, test: Sequences, n_components: int) -> list[Sequences]:
    """Return both parts of a fold in the white space of its training part.

    The axes stay what they were where that is possible, the principal ones of all the data: to
    the principal axes of a part of something white there is nothing.
    """
    whitening = fit_whitening(train, warn=False)
    whitening.require(n_components)
    directions = whitening.directions
    if whitening.rank == train.n_columns:
        directions = directions @ (directions / np.linalg.norm(directions, axis=0)).T
    turned = replace(whitening, directions=directions)  # the way back is not needed
    return [turned.apply(part) for part in (train, test)]
