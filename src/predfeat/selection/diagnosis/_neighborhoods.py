"""Are neighbours returns to a state or just adjacent moments, and do a few hubs dominate?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from predfeat._typing import IntArray
from predfeat.neighbors import NeighborTable
from predfeat.selection.diagnosis._findings import Finding, by_degree
from predfeat.selection.diagnosis._subject import Subject
from predfeat.series import Sequences

__all__ = [
    "adjacent_share",
    "chance_of_adjacent",
    "check_adjacent",
    "check_hubs",
    "decorrelation_time",
    "occurrences",
    "skewness",
]

# Neighbours are adjacent within this many rows beyond what `theiler` excludes; or within p if that
# is more; or within k, as on a smooth path the k nearest are k / 2 on either side, but no more than
# the decorrelation time: anything farther is a return.
_MIN_ADJACENT_ROWS = 3
# Above a half, the graph mostly connects each moment with the next, as SFA does.
_ADJACENT_WARNING, _ADJACENT_PROBLEM = 0.5, 0.8
# With few states that can be chance: the share must be this many times what chance gives.
_MIN_TIMES_CHANCE = 3.0

# Skewness of how often a state is a neighbour. Gaussian noise (1000 to 5000 states, k = 10) has
# less than 1 up to 10 dimensions, 3.5 in 30 and 8 or 9 in 100, where one state is in the
# neighbourhoods of a third or an eighth of all.
_SKEWNESS_WARNING, _SKEWNESS_PROBLEM = 3.0, 8.0
# A hub is in more than this many times k neighbourhoods.
_HUB_FACTOR = 5.0


def adjacent_share(table: NeighborTable, series: Sequences, within: int) -> float:
    """Return the share of neighbours in the same sequence at most `within` rows away.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.selection.diagnosis._neighborhoods import adjacent_share
    >>> from predfeat.series import check_sequences
    >>> X = [[0.0], [1.0], [2.0], [0.1], [1.1], [2.1]]
    >>> adjacent_share(nearest_neighbors(X, n_neighbors=1), check_sequences(X), within=2)
    0.0
    >>> adjacent_share(nearest_neighbors(X, n_neighbors=1), check_sequences(X), within=3)
    1.0
    """
    first = series.sequence_first
    near = np.abs(table.indices - table.times[:, None]) <= within
    same = first[table.indices] == first[table.times][:, None]
    return float(np.mean(near & same))


def chance_of_adjacent(
    table: NeighborTable, series: Sequences, within: int, theiler: int = 0
) -> float:
    """Return that share for neighbours drawn at random from the allowed states."""
    near = _states_within(table.times, series, within)
    excluded = _states_within(table.times, series, min(theiler, within))
    forbidden = _states_within(table.times, series, theiler)
    return float(np.mean((near - excluded) / np.maximum(1, len(table.times) - forbidden)))


def _states_within(times: IntArray, series: Sequences, rows: int) -> IntArray:
    """Return how many states, each itself included, lie that near in its own sequence."""
    rows = min(rows, series.n_rows)
    first = np.maximum(times - rows, series.sequence_first[times])
    last = np.minimum(times + rows, series.sequence_last[times])
    return np.asarray(np.searchsorted(times, last, "right") - np.searchsorted(times, first, "left"))


def occurrences(table: NeighborTable) -> IntArray:
    """Return for every state the number of other states' neighbourhoods it is in.

    Examples
    --------
    >>> from predfeat import nearest_neighbors
    >>> from predfeat.selection.diagnosis._neighborhoods import occurrences
    >>> occurrences(nearest_neighbors([[0.0], [1.0], [-1.1], [1.2]], n_neighbors=1)).tolist()
    [1, 2, 0, 1]
    """
    positions = np.searchsorted(table.times, table.indices.reshape(-1))
    return np.bincount(positions, minlength=len(table.times))


def skewness(counts: IntArray) -> float:
    """Return the third standardized moment; 0 where all counts are the same."""
    deviation = counts - counts.mean()
    spread = deviation.std()
    return float(np.mean(deviation**3) / spread**3) if spread > 0 else 0.0


def decorrelation_time(series: Sequences) -> int:
    """Return the first lag at which no feature's autocorrelation is above 1/e.

    If there is none within a tenth of the longest stretch, that tenth.
    """
    longest = max(stop - start for start, stop in series.run_bounds())
    most = max(1, longest // 10)
    centred = series.rows - series.samples.mean(axis=0)
    variance = series.samples.var(axis=0)
    for lag in range(1, most):
        times = np.flatnonzero(series.reach(ahead=lag))
        products = np.einsum("ij,ij->j", centred[times], centred[times + lag]) / len(times)
        if np.all(products <= variance / np.e):
            return lag
    return most


def check_adjacent(subject: Subject) -> Iterator[Finding]:
    """Check how many neighbours are just the moments before and after."""
    table, series = subject.neighbors, subject.series
    memory = decorrelation_time(subject.features)
    few = max(_MIN_ADJACENT_ROWS, subject.n_lags, min(subject.n_neighbors, memory))
    within = subject.theiler + few
    share = adjacent_share(table, series, within)
    chance = chance_of_adjacent(table, series, within, subject.theiler)
    severity = by_degree(share, _ADJACENT_WARNING, _ADJACENT_PROBLEM)
    if severity is None or share < _MIN_TIMES_CHANCE * chance:
        return
    window = max(within, memory)
    if subject.searches:
        advice = (
            f"Exclude them with `theiler={window}`, about the decorrelation time of the "
            "features. If too few neighbours remain, the series hardly ever returns to a state: "
            "SFA would find the same features faster, or take every few rows only."
        )
    else:
        advice = (
            f"Measure with `predictability(theiler={window})`; fewer features (`n_components`) "
            "return to a state more often."
        )
    yield Finding(
        "adjacent-neighbors",
        severity if subject.searches else "note",
        f"{share:.0%} of the neighbours lie within {within} rows of their state; by chance it "
        f"would be {chance:.1%}.",
        "Most neighbours are not returns to a similar state but the same moment again. If their "
        "next steps agree, the features are slow; it does not show that they follow a law.",
        advice,
        {"share": share, "chance": chance, "within": within, "decorrelation_time": window},
    )


def check_hubs(subject: Subject) -> Iterator[Finding]:
    """Look for states that are neighbours of very many others, in the first and last search."""
    places = [("last", subject.neighbors)]
    if subject.searches:
        places.append(("first", subject.first_neighbors))
    for place, table in places:
        counts = occurrences(table)
        skew = skewness(counts)
        severity = by_degree(skew, _SKEWNESS_WARNING, _SKEWNESS_PROBLEM)
        if severity is None:
            continue
        k = subject.n_neighbors
        hubs, orphans = counts > _HUB_FACTOR * k, counts == 0
        if subject.searches:
            advice = subject.search_in_less(
                place, "fewer features between the iterations (`n_intermediate`)"
            )
        else:
            advice = (
                "Do not trust measures with neighbours here, such as predictability; fewer "
                f"features (`n_components`, now {subject.n_components}) would help."
            )
        yield Finding(
            "hubs",
            severity if place == "last" else "warning",
            f"In the {place} neighbour search, {hubs.sum()} of {len(counts)} states are in more "
            f"than {_HUB_FACTOR * k:.0f} neighbourhoods ({_HUB_FACTOR:.0f} times the mean), the "
            f"largest in {counts.max()}; {orphans.mean():.0%} are in none (skewness {skew:.1f}).",
            "A few states are neighbours of nearly all others and determine the result; other "
            "states have no influence on it.",
            advice,
            {
                "skewness": skew,
                "largest": int(counts.max()),
                "n_hubs": int(hubs.sum()),
                "orphan_share": float(orphans.mean()),
                "n_neighbors": k,
            },
        )
        return
