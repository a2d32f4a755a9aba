"""GPFA from every start: the run with the most predictable training features is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from predfeat._progress import step
from predfeat._typing import FloatArray
from predfeat.features._first_within_tolerance import first_within_tolerance
from predfeat.features._iteration import Observer
from predfeat.features._run import Run
from predfeat.features._starts import TRIED
from predfeat.features._stopping import BestIteration, Settled, StopPolicy, either

__all__ = ["BestStart", "best_start"]

# Starts whose scores on the training data differ by less than this share are equally good.
EQUAL_STARTS = 0.1
# A run ends after this many iterations in a row without better features.
LOOK_AHEAD = 8


@dataclass(frozen=True)
class BestStart:
    """The start that was kept, its run up to the best iteration, and the scores of all."""

    name: str
    run: Run
    scores: dict[str, float]


def best_start(
    run_from: Callable[[str, StopPolicy, Observer], Run],
    score: Callable[[FloatArray], float],
    directions_of: Callable[[Run], FloatArray],
    tol: float,
) -> BestStart:
    """Iterate from every start, and keep the first of those with nearly the best features.

    Parameters
    ----------
    run_from : callable
        run_from(start, stop, observer) iterates from a named start.
    score : callable
        Takes directions, returns a number; lower is better.
    directions_of : callable
        The directions that would be kept of a run.
    tol : float
        As in GPFA; with 0, every run takes all of its iterations.

    Returns
    -------
    BestStart
    """
    runs: dict[str, Run] = {}
    scores: dict[str, float] = {}
    for number, start in enumerate(TRIED, 1):
        best = BestIteration(score)
        stop: StopPolicy = Settled(tol)
        if tol > 0:
            stop = either(stop, best.not_for(LOOK_AHEAD))
        with step(number, len(TRIED)):
            runs[start] = best.end_of(run_from(start, stop, best))
        scores[start] = score(directions_of(runs[start]))
    name = first_within_tolerance(scores, EQUAL_STARTS)
    return BestStart(name, runs[name], scores)
