"""A library in parts: the nearest of all parts are the nearest of the whole."""

from itertools import pairwise

import numpy as np
import pytest

from predfeat.neighbors import Asked, Nearest, nearest_in_part, search
from predfeat.series import States, check_sequences, find_states

CUTS = [0, 7, 60, 61, 150, 200]


def search_in_parts(X, groups, n_lags, k, cuts, theiler=0, order=1):
    """Search every state's neighbours in pieces of the series, each with the rows it needs."""
    series = check_sequences(X, groups)
    states = find_states(series, n_lags, n_neighbors=k)
    times = states.times
    first = np.maximum(times - theiler, series.sequence_first[times])
    last = np.minimum(times + theiler, series.sequence_last[times])
    asked = Asked(states, times, first, last + 1)
    found = Nearest.nothing(len(times), k)
    for start, stop in list(pairwise(cuts))[::order]:
        begin = max(start - n_lags + 1, 0)
        part = check_sequences(X[begin:stop], groups[begin:stop], is_part=True)
        own = np.flatnonzero(part.reach(back=n_lags - 1))
        own = own[own >= start - begin]
        if len(own):
            library = States(part, own, n_lags)
            found = found.combined(nearest_in_part(asked, library, begin, k))
    return found.table(times), search(states, k, theiler=theiler)


@pytest.mark.parametrize("n_lags", [1, 3])
@pytest.mark.parametrize("theiler", [0, 5, 80])  # 80 forbids whole parts
def test_parts_find_what_the_whole_finds(n_lags, theiler, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 3))
    X[random.integers(0, 200, 6)] = np.nan
    groups = np.repeat([0, 1], [90, 110])
    parts, whole = search_in_parts(X, groups, n_lags, 8, CUTS, theiler)
    assert np.array_equal(parts.indices, whole.indices)
    assert np.array_equal(parts.distances, whole.distances)


def test_the_order_of_parts_does_not_matter():
    X = np.random.default_rng(0).integers(0, 3, size=(200, 2)).astype(float)  # many ties
    groups = np.zeros(200)
    forth, _ = search_in_parts(X, groups, 1, 5, CUTS)
    back, _ = search_in_parts(X, groups, 1, 5, CUTS, order=-1)
    assert np.array_equal(forth.indices, back.indices)


def test_equal_states_share_their_neighbours_fairly():
    """Among 200 equal states nobody is everybody's neighbour, nor anybody its own."""
    parts, _ = search_in_parts(np.zeros((200, 2)), np.zeros(200), 1, 5, CUTS)
    assert np.all(parts.distances == 0.0)
    assert not np.any(parts.indices == parts.times[:, None])
    assert np.all(np.diff(np.sort(parts.indices, axis=1), axis=1) > 0)  # nobody twice
    # Each would be met 5 times on average; by row number, five rows would be met 200 times.
    assert np.bincount(parts.indices.ravel()).max() <= 30


def test_parts_with_too_few_states_say_so():
    parts, _ = search_in_parts(np.arange(20.0)[:, None], np.zeros(20), 1, 3, [0, 2, 20])
    assert np.all(parts.indices >= 0)
    states = find_states(check_sequences(np.arange(3.0)[:, None]), 1, n_neighbors=1)
    rows = np.arange(3)
    found = nearest_in_part(Asked(states, rows, rows, rows + 1), states, 0, 4)
    assert (found.rows >= 0).sum(axis=1).tolist() == [2, 2, 2]
    assert np.all(np.isinf(found.squared[:, 2:]))
