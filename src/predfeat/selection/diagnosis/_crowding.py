"""Are there enough states for meaningful neighbours?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from predfeat.neighbors import NeighborTable
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._subject import Subject
from predfeat.series import Sequences, what_follows

__all__ = [
    "check_equal_states",
    "check_neighbor_count",
    "check_sequences_lengths",
    "check_sparse_states",
    "equal_share",
    "neighbor_contrast",
    "still_share",
]

# k as a share of the states: a neighbourhood of a tenth of all states covers half of the range
# in three dimensions, and from a third on it hardly differs from the whole.
_NEIGHBOR_SHARE_WARNING, _NEIGHBOR_SHARE_PROBLEM = 0.1, 1 / 3
# A variance from two or three points has a relative error of about one; the sum over all states
# evens that out, but the graph itself falls to pieces and flips with every iteration.
_FEW_NEIGHBORS = 2
# Share of the samples that end no state with a successor.
_LOST_WARNING, _LOST_PROBLEM = 0.3, 0.6
# Share of states that equal any other, and of states that equal the one just before.
_EQUAL_SHARE = 0.05
_STILL_WARNING, _STILL_PROBLEM = 0.5, 0.9
# Distances below this share of a usual one are rounding.
_ROUNDING = 1e-9
# The farthest neighbour's distance against that of any two states: 1000 states of Gaussian noise
# with k = 10 have 0.55 in 10 dimensions (GPFA works well there), 0.8 in 50 and 0.9 in 200.
_CONTRAST_WARNING, _CONTRAST_PROBLEM = 0.8, 0.9

_N_RANDOM_PAIRS = 4000


def equal_share(table: NeighborTable, usual: float) -> float:
    """Return the share of states with a neighbour at distance zero, to rounding.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.selection.diagnosis._crowding import equal_share
    >>> equal_share(nearest_neighbors([[1.0], [2.0], [1.0], [5.0]], n_neighbors=1), usual=1.0)
    0.5
    """
    return float(np.mean(table.distances[:, 0] <= _ROUNDING * usual))


def still_share(table: NeighborTable, space: Sequences, n_lags: int, usual: float) -> float:
    """Return the share of states that are equal to the one just before, to rounding."""
    times = table.times[np.isin(table.times - 1, table.times)]
    times = times[space.run_first[times] < times]
    squared = np.zeros(len(times))
    for lag in range(n_lags):
        squared += np.square(space.rows[times - lag] - space.rows[times - lag - 1]).sum(axis=1)
    return float(np.sum(np.sqrt(squared) <= _ROUNDING * usual) / len(table.times))


def usual_distance(table: NeighborTable, space: Sequences, n_lags: int, seed: int) -> float:
    """Return the median distance between two states drawn at random."""
    random = np.random.default_rng(seed)
    i, j = random.choice(table.times, size=(2, _N_RANDOM_PAIRS))
    i, j = i[i != j], j[i != j]
    squared = np.zeros(len(i))
    for lag in range(n_lags):
        squared += np.square(space.rows[i - lag] - space.rows[j - lag]).sum(axis=1)
    return float(np.sqrt(np.median(squared))) if len(squared) else 0.0


def neighbor_contrast(table: NeighborTable, usual: float) -> float:
    """Return the median distance of the farthest neighbour as a share of the usual distance.

    Near 0, neighbours are alike; near 1, they are as far away as any other state.
    """
    return float(np.median(table.distances[:, -1]) / usual) if usual > 0 else 0.0


def check_sparse_states(subject: Subject) -> Iterator[Finding]:
    """Check whether neighbours are nearer than random states, in the first and last search."""
    places = [("last", subject.neighbors, subject.space)]
    if subject.searches:
        places.append(("first", subject.first_neighbors, subject.first_space))
    for place, table, space in places:
        usual = usual_distance(table, space, subject.n_lags, subject.seed)
        contrast = neighbor_contrast(table, usual)
        severity = by_degree(contrast, _CONTRAST_WARNING, _CONTRAST_PROBLEM)
        if severity is None:
            continue
        dimension = space.n_columns * subject.n_lags
        if subject.searches:
            advice = subject.search_in_less(
                place, f"fewer features (`n_components`, now {subject.n_components})"
            )
        else:
            advice = (
                "Do not trust measures with neighbours here, such as predictability; fewer "
                f"features (`n_components`, now {subject.n_components}) would help, and more data."
            )
        yield Finding(
            "sparse-states",
            severity if place == "last" else "warning",
            f"In the {dimension} dimensions of the {place} neighbour search, the "
            f"{subject.n_neighbors} nearest of {len(table.times)} states are {contrast:.0%} as far "
            "as any two states are.",
            "Neighbours are hardly more similar than random states, so their next steps say "
            "little.",
            advice,
            {"contrast": contrast, "dimension": dimension, "n_states": len(table.times)},
        )
        return


def check_neighbor_count(subject: Subject) -> Iterator[Finding]:
    """Compare k with the number of states."""
    if not subject.searches:
        return
    n_states, k = len(subject.neighbors.times), subject.n_neighbors
    share = k / max(1, n_states - 1)
    values = {"n_neighbors": k, "n_states": n_states, "share": share}
    severity = by_degree(share, _NEIGHBOR_SHARE_WARNING, _NEIGHBOR_SHARE_PROBLEM)
    if severity is not None:
        fewer = max(1, int(_NEIGHBOR_SHARE_WARNING * n_states / 5))
        yield Finding(
            "many-neighbors",
            severity,
            f"Each of the {n_states} states has {k} neighbours, {share:.0%} of all.",
            "Such wide neighbourhoods mix states that are not alike, and average away what "
            "depends on the details of a state.",
            f"Use fewer neighbours, such as `n_neighbors={fewer}`, or more data.",
            values,
        )
    elif k <= _FEW_NEIGHBORS:
        yield Finding(
            "few-neighbors",
            "note",
            f"Each state has {k} neighbour{'s' if k > 1 else ''} only.",
            "Only two or three next steps are compared: the graph falls into pieces and changes "
            "much from one iteration to the next.",
            "Raise `n_neighbors` to 5 or more, unless a comparison shows that few are better here.",
            values,
        )


def check_sequences_lengths(subject: Subject) -> Iterator[Finding]:
    """Check how many samples are unused because of short sequences and gaps."""
    series, p, horizon = subject.series, subject.n_lags, subject.horizon
    n_samples = int(series.valid.sum())
    n_states = int(series.reach(back=p - 1, ahead=horizon).sum())
    lengths = [stop - start for start, stop in series.run_bounds()]
    n_short = sum(length < p + horizon for length in lengths)
    half = int(np.median(lengths))
    lost = 1.0 - n_states / n_samples
    severity = by_degree(lost, _LOST_WARNING, _LOST_PROBLEM)
    if severity is None:
        return
    lags = f"fewer lags (`n_lags`, now {p}), " if subject.has("n_lags") and p > 1 else ""
    lags += f"a nearer horizon (`horizon`, now {horizon}), " if horizon > 1 else ""
    yield Finding(
        "short-sequences",
        severity,
        f"Of {n_samples} samples only {n_states} end a state of {p} and have "
        f"{what_follows(horizon)}: "
        f"half of the {len(lengths)} stretches without a gap have {half} rows or fewer, {n_short} "
        f"are shorter than {p + horizon}.",
        "The dynamics are learned from a part of the data, which may not be like the rest.",
        f"Use {lags}longer sequences, or fill short gaps before fitting; with so few states, few "
        + (
            f"neighbours (`n_neighbors`, now {subject.n_neighbors}) and "
            if subject.searches
            else ""
        )
        + "dimensions (`pca_components`) are better.",
        {
            "n_samples": n_samples,
            "n_states": n_states,
            "n_short": n_short,
            "n_stretches": len(lengths),
            "lost": lost,
        },
    )


def check_equal_states(subject: Subject) -> Iterator[Finding]:
    """Look for states that repeat exactly in the first neighbour search."""
    table = subject.first_neighbors
    usual = usual_distance(table, subject.first_space, subject.n_lags, subject.seed)
    share = equal_share(table, usual)
    if share <= _EQUAL_SHARE:
        return
    still = still_share(table, subject.first_space, subject.n_lags, usual)
    advice = "Drop repeated rows where the recording stands still or was sampled up"
    if subject.searches:
        advice += f"; raise `n_lags` (now {subject.n_lags}) to tell states apart."
    else:
        advice += " before fitting; no parameter can fix it."
    yield Finding(
        "equal-states",
        by_degree(still, _STILL_WARNING, _STILL_PROBLEM) or "note",
        f"{share:.0%} of the {len(table.times)} states are equal to another one, {still:.0%} to "
        "the one just before.",
        "Counts, clipped and rounded values are often equal, which does no harm. A recording that "
        "stands still, was sampled up or repeats itself makes the next step look more certain "
        "than it is.",
        advice,
        {"share": share, "still": still, "n_states": len(table.times)},
    )
