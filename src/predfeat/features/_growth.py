"""Where descents start: single directions that are predictable alone, and sets grown from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg import null_space

from predfeat._progress import step
from predfeat._threads import one_blas_thread
from predfeat._typing import FloatArray, IntArray
from predfeat.features._descent import Objective, descend, mean_scatter
from predfeat.features._pfa import linearly_predictable_directions
from predfeat.features._sfa import slow_and_fast_directions, slow_directions
from predfeat.features._smooth_regression import SmoothRegression, nonlinear_directions
from predfeat.measures import SoftNeighborhoods
from predfeat.series import Sequences
from predfeat.solvers import smallest_eigenpairs

__all__ = ["Scored", "best_distinct", "grow", "score", "single_directions"]

# Spaces that share nine tenths of every feature's variance are the same one, with errors.
_SAME_SPACE = 0.9
# Between two sizes a set is descended a little, so that the next direction is judged beside
# features that are nearly right.
_ITERATIONS_BETWEEN_SIZES = 2

# Directions that a set predicts, to be tried as its next.
_PREDICTED = 3

# A value of the objective, and the orthonormal directions that have it.
Scored = tuple[float, FloatArray]


def single_directions(
    white: Sequences, objective: Objective, n_singles: int, n_starts: int
) -> list[Scored]:
    """Find directions that are predictable alone, the best first.

    They are chosen by their own one-dimensional objective, among the slow directions (all of them,
    to the fastest) and those of `nonlinear_directions`.

    Parameters
    ----------
    white : Sequences
        The series in white space.
    objective : Objective
    n_singles : int
        How many to return at most.
    n_starts : int
        From how many starts to search nonlinear directions.

    Returns
    -------
    list of (float, ndarray of shape (n_columns, 1))
        The value of the objective, and the direction.
    """
    slow = slow_directions(white, white.n_columns).vectors
    lags = objective.n_lags, objective.horizon
    bent = nonlinear_directions(white, slow, n_starts, *lags)
    regression = SmoothRegression(white, *lags)
    with one_blas_thread(white.n_columns):
        left_open = [regression.left_open(direction)[0] for direction in slow.T]
    slow = slow[:, np.argsort(left_open, kind="stable")[:n_singles]]
    found = [direction[:, None] for direction in np.hstack([slow, bent]).T]
    return best_distinct(score(white, found, objective), n_singles)


def grow(
    white: Sequences,
    singles: Sequence[Scored],
    objective: Objective,
    n_components: int,
    n_sets: int,
) -> list[Scored]:
    """Grow sets of directions one by one, the best first.

    To each of the best sets of one size, each single direction is added, and each of those
    directions whose next step the set predicts best: not all that is predictable together is so
    alone. The best sets of the next size, or those of SFA and PFA if they are better, are descended
    a little, and grown again.

    Parameters
    ----------
    white : Sequences
        The series in white space.
    singles : list of (float, ndarray)
        As `single_directions` returns them.
    objective : Objective
    n_components : int
        Size of the sets to grow.
    n_sets : int
        How many sets of each size to pursue.

    Returns
    -------
    list of (float, ndarray of shape (n_columns, n_components))
        The value of the objective, and orthonormal directions.
    """
    sets = list(singles[:n_sets])
    for size in range(2, n_components + 1):
        with step(size, n_components):
            larger = score(white, _linear_sets(white, size, objective), objective)
            for number, (_, directions) in enumerate(sets, 1):
                with step(number, len(sets) + 1):
                    larger += _one_larger(white, directions, singles, objective)
            sets = best_distinct(larger, n_sets)
            if size < n_components:
                sets = [_improved(white, each, objective) for each in sets]
    return sets


def score(
    white: Sequences,
    spaces: Iterable[FloatArray],
    objective: Objective,
    guess: IntArray | None = None,
) -> list[Scored]:
    """Return the value of the objective for each of some orthonormal directions.

    A guess, such as the members of neighbourhoods in a similar space, makes it quicker.
    """
    scored = []
    with one_blas_thread(white.n_columns):
        for space in spaces:
            features = white.with_rows(white.rows @ space)
            neighborhoods = objective.neighborhoods(features, guess)
            scored.append((objective.measure(features, neighborhoods).value, space))
    return scored


def best_distinct(scored: Iterable[Scored], n_best: int) -> list[Scored]:
    """Return the best of some scored spaces, leaving out those that are nearly a better one."""
    best: list[Scored] = []
    for value, space in sorted(scored, key=lambda each: each[0]):
        if len(best) == n_best:
            break
        if not any(_contains(other, space) for _, other in best):
            best.append((value, space))
    return best


def _contains(space: FloatArray, other: FloatArray) -> bool:
    """Return whether a space contains nearly all of another of at most its size."""
    smallest = np.linalg.svd(space.T @ other, compute_uv=False)[-1]
    return bool(smallest**2 > _SAME_SPACE)


def _one_larger(
    white: Sequences, directions: FloatArray, singles: Sequence[Scored], objective: Objective
) -> list[Scored]:
    """Return the sets that have one direction more than a given one."""
    features = white.with_rows(white.rows @ directions)
    with one_blas_thread(white.n_columns):
        neighborhoods = objective.neighborhoods(features)
        predicted = _predicted_directions(white, directions, neighborhoods)
    more = [single for _, single in singles if not _contains(directions, single)]
    larger = [np.linalg.qr(np.hstack([directions, one]))[0] for one in [*more, *predicted]]
    return score(white, larger, objective, neighborhoods.members)


def _predicted_directions(
    white: Sequences, directions: FloatArray, neighborhoods: SoftNeighborhoods
) -> list[FloatArray]:
    """Return the other directions whose next step similar states of some features predict best.

    They are the smallest solutions of the graph that connects the successors of similar states,
    which GPFA (2) embeds, in the space that the features leave.
    """
    scatter = mean_scatter(white, neighborhoods)
    rest = null_space(directions.T)
    pairs = smallest_eigenpairs(rest.T @ scatter @ rest, min(_PREDICTED, rest.shape[1]))
    return list((rest @ pairs.vectors).T[:, :, None])


def _linear_sets(white: Sequences, size: int, objective: Objective) -> list[FloatArray]:
    return [
        np.linalg.qr(directions)[0]
        for directions in (
            slow_directions(white, size).vectors,
            slow_and_fast_directions(white, size),
            linearly_predictable_directions(
                white, size, objective.n_lags, horizon=objective.horizon
            ).vectors,
        )
    ]


def _improved(white: Sequences, scored: Scored, objective: Objective) -> Scored:
    found = descend(white, scored[1], objective, widths=(1,), max_iter=_ITERATIONS_BETWEEN_SIZES)
    return found.value, found.directions
