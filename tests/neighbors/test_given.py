"""Neighbours that were found elsewhere: every form means the same, and what does not fit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors, kneighbors_graph

import naive
from predfeat.exceptions import GraphError
from predfeat.neighbors import NeighborTable, check_neighbors, is_neighbors, search
from predfeat.series import check_sequences, find_states

# Other programs round distances of a few numbers in another order.
ROUNDING = 1e-10


def states_of(X, groups=None, p=1):
    return find_states(check_sequences(X, groups), p, n_neighbors=0)


def assert_same(table, expected):
    np.testing.assert_array_equal(table.times, expected.times)
    np.testing.assert_array_equal(table.indices, expected.indices)
    np.testing.assert_allclose(table.distances, expected.distances, rtol=ROUNDING)


def matrices(X, k):
    """Return distances and rows as scikit-learn gives them: each row is its own first neighbour."""
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(X)


FORMS = {
    "transformer": lambda X, k: KNeighborsTransformer(n_neighbors=k).fit_transform(X),
    "graph with self": lambda X, k: kneighbors_graph(X, k + 1, mode="distance", include_self=True),
    "graph": lambda X, k: kneighbors_graph(X, k, mode="distance", include_self=False),
    "csc array": lambda X, k: sparse.csc_array(kneighbors_graph(X, k, mode="distance")),
    "coo": lambda X, k: kneighbors_graph(X, k, mode="distance").tocoo(),
    "distances, rows": lambda X, k: matrices(X, k + 1),
    "rows, distances": lambda X, k: matrices(X, k + 1)[::-1],
    "without self": lambda X, k: tuple(part[:, 1:] for part in matrices(X, k + 1)),
    "lists": lambda X, k: tuple(part.tolist() for part in matrices(X, k + 1)),
    "unsigned": lambda X, k: (matrices(X, k + 1)[1].astype(np.uint32), matrices(X, k + 1)[0]),
    "table": lambda X, k: search(states_of(X), k),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_table_of_a_search(seed, form):
    X, _ = naive.random_series(seed, [60], 3)
    given = FORMS[form](X, 6)
    assert is_neighbors(given)
    states = states_of(X)
    for k in (1, 4, 6):
        table = check_neighbors(given, states, k)
        assert_same(table, search(states, k))
        assert table.indices.dtype == np.intp
        assert table.distances.dtype == np.float64


@pytest.mark.parametrize("form", ["rows, distances", "graph", "table"])
def test_only_states_ask_and_answer(seed, form):
    X, groups = naive.random_series(seed, [30, 25], 2)
    gap = X.copy()
    gap[[7, 8, 41]] = np.nan
    states = states_of(gap, groups, 3)
    table = check_neighbors(FORMS[form](X, 54), states, 5)
    times = naive.state_times(gap, groups, 3)
    assert table.times.tolist() == times
    for t, rows, distances in zip(times, table.indices, table.distances, strict=True):
        # What is given are distances between samples: the nearest that are states are taken.
        nearest = sorted((naive.distance(X[t], X[i]), i) for i in times if i != t)[:5]
        assert rows.tolist() == [i for _, i in nearest]
        np.testing.assert_allclose(distances, [d for d, _ in nearest], rtol=ROUNDING)


def test_a_table_of_more_states_than_are_needed():
    X, _ = naive.random_series(1, [40], 2)
    table = check_neighbors(search(states_of(X), 39), states_of(X, p=4), 3)
    assert table.times.tolist() == list(range(3, 40))
    assert table.indices.min() >= 3


def test_itself_is_dropped_by_its_number_among_equal_rows():
    # Rows 0, 1 and 2 are equal: any of them may come first, and none but itself is dropped.
    states = states_of([[0.0], [0.0], [0.0], [5.0]])
    rows = np.array([[1, 0, 2], [0, 2, 1], [0, 1, 2], [3, 2, 1]])
    distances = np.array([[0.0, 0.0, 0.0]] * 3 + [[0.0, 5.0, 5.0]])
    table = check_neighbors((rows, distances), states, 2)
    assert table.indices.tolist() == [[1, 2], [0, 2], [0, 1], [2, 1]]
    np.testing.assert_array_equal(table.distances, [[0, 0], [0, 0], [0, 0], [5, 5]])


def test_zeros_of_a_graph_are_distances_and_not_absent():
    X = np.array([[0.0], [0.0], [0.0], [5.0], [6.0]])
    table = check_neighbors(kneighbors_graph(X, 2, mode="distance"), states_of(X), 2)
    assert [sorted(rows) for rows in table.indices[:3].tolist()] == [[1, 2], [0, 2], [0, 1]]
    np.testing.assert_array_equal(table.distances[:3], 0.0)


def test_a_graph_may_give_more_to_some():
    dense = np.array([[0, 1, 2, 3], [1, 0, 0, 0], [2, 5, 0, 0], [0, 0, 4, 0]], dtype=float)
    table = check_neighbors(sparse.csr_array(dense), states_of(np.zeros((4, 1))), 1)
    assert table.indices.ravel().tolist() == [1, 0, 0, 2]
    np.testing.assert_array_equal(table.distances.ravel(), [1, 1, 2, 4])


def test_equally_distant_ones_stay_in_their_order():
    rows = np.array([[3, 1, 2], [2, 0, 3], [3, 0, 1], [0, 2, 1]])
    table = check_neighbors((rows, np.ones((4, 3))), states_of(np.zeros((4, 1))), 3)
    assert table.indices.tolist() == rows.tolist()


def test_nearest_first_in_whatever_order_they_come(seed):
    X, _ = naive.random_series(seed, [30], 2)
    distances, rows = matrices(X, 8)
    shuffled = np.random.default_rng(seed).permuted(np.tile(np.arange(8), (30, 1)), axis=1)
    given = (np.take_along_axis(part, shuffled, axis=1) for part in (rows, distances))
    assert_same(check_neighbors(tuple(given), states_of(X), 5), search(states_of(X), 5))


def test_whole_numbers_may_be_distances_after_the_rows():
    rows, distances = np.array([[1, 2], [2, 0], [0, 1]]), np.array([[4, 3], [1, 4], [3, 1]])
    table = check_neighbors((rows, distances), states_of(np.zeros((3, 1))), 1)
    assert table.indices.ravel().tolist() == [2, 2, 1]


def test_what_is_given_stays_as_it_was():
    X, _ = naive.random_series(0, [30], 2)
    graph, parts = kneighbors_graph(X, 5, mode="distance"), matrices(X, 6)
    before = graph.copy(), [part.copy() for part in parts]
    for given in (graph, parts):
        check_neighbors(given, states_of(X), 3)
    np.testing.assert_array_equal(graph.indices, before[0].indices)
    np.testing.assert_array_equal(graph.data, before[0].data)
    for part, copy in zip(parts, before[1], strict=True):
        np.testing.assert_array_equal(part, copy)


@pytest.mark.parametrize(
    "other",
    [
        "input",
        None,
        np.eye(3),
        [[1, 2], [3, 4]],
        (np.eye(3),),
        (np.eye(3), np.eye(3), np.eye(3)),
        [np.eye(3), np.eye(3)],  # a list of two matrices is one array
        (np.arange(3), np.arange(3)),
        ([1.0, 2.0], [3.0, 4.0]),
        ([[1], [1, 2]], [[1], [1, 2]]),
    ],
    ids=lambda other: type(other).__name__,
)
def test_what_is_not_meant_as_neighbours(other):
    assert not is_neighbors(other)


# What is refused. Six rows: good neighbours, and one thing wrong at a time.

ROWS = np.array([[1, 2], [0, 2], [1, 3], [2, 4], [3, 5], [4, 3]])
DISTANCES = np.array([[1.0, 2.0]] * 6)


def changed(array, value, row=3, column=1):
    array = array.astype(np.result_type(array, type(value)))
    array[row, column] = value
    return array


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            (ROWS[:5], DISTANCES[:5]),
            r"two matrices with a row for each of the 6 rows of X, but .* \(5, 2\) and \(5, 2\)\.$",
        ),
        ((ROWS, DISTANCES[:, :1]), r"but their shapes are \(6, 2\) and \(6, 1\)"),
        ((ROWS[:, 0], DISTANCES[:, 0]), r"but their shapes are \(6,\) and \(6,\)"),
        (
            (DISTANCES, DISTANCES),
            r"row numbers \(integers\) and distances \(real .* float64 and float64\.$",
        ),
        ((ROWS, DISTANCES.astype(complex)), "types are int64 and complex128"),
        ((ROWS, DISTANCES.astype(str)), "types are int64 and <U"),
        ((ROWS.astype(bool), DISTANCES), "types are bool and float64"),
        ((changed(ROWS, 6), DISTANCES), r"must be rows 0 to 5 of X, but one is 6\.$"),
        ((changed(ROWS, -1), DISTANCES), r"must be rows 0 to 5 of X, but one is -1\.$"),
        (
            (ROWS, changed(DISTANCES, -0.5)),
            r"must be finite and not negative, but 1 of 12 are not; the first is -0\.5\.$",
        ),
        ((ROWS, changed(DISTANCES, np.nan)), "but 1 of 12 are not; the first is nan"),
        ((ROWS, changed(DISTANCES, np.inf)), "the first is inf"),
        (
            (changed(ROWS, 3), DISTANCES),
            r"^n_neighbors=2, but the state at row 3 was given 1 neighbours that are other states "
            r"with n_lags=1\. Give more neighbours for each row, or use fewer\.$",
        ),
        (
            sparse.csr_array(np.ones((6, 5))),
            r"must have the shape \(6, 6\), a row and a column .*, but its shape is \(6, 5\)\.$",
        ),
        (sparse.csr_array(-np.ones((6, 6))), "36 of 36 are not; the first is -1.0"),
        (sparse.csr_array(np.full((6, 6), np.nan)), "the first is nan"),
        (sparse.csr_array(np.ones((6, 6)) * 1j), r"distances \(real numbers\).* is complex128"),
        (sparse.csr_array(np.eye(6)), "the state at row 0 was given 0 neighbours"),
        (
            NeighborTable(np.array([0, 1, 4]), ROWS[[0, 1, 4]], DISTANCES[:3]),
            r"no entry for the state at row 2, and for 2 more of 6\. Search them with the same",
        ),
        (NeighborTable(np.arange(6), changed(ROWS, 9), DISTANCES), "rows 0 to 5 .*one is 9"),
        (NeighborTable(np.arange(6), ROWS, changed(DISTANCES, -1.0)), "first is -1.0"),
        (NeighborTable(np.arange(6), ROWS[:, :1], DISTANCES[:, :1]), "given 1 neighbours"),
        (
            NeighborTable(np.arange(6), ROWS, DISTANCES[:, :1]),
            r"row for each of its 6 states, but their shapes are \(6, 2\) and \(6, 1\)",
        ),
        (NeighborTable(np.arange(6), ROWS[:, 0], DISTANCES[:, 0]), r"\(6,\) and \(6,\)"),
        (NeighborTable(np.arange(6), DISTANCES, DISTANCES), "types are float64 and float64"),
        (
            NeighborTable(np.arange(7), ROWS[[0, 1, 2, 3, 4, 5, 0]], DISTANCES[[0] * 7]),
            r"X has 6 rows, but neighbours are given for a state at row 6\. Search them with",
        ),
    ],
    ids=[
        "rows missing", "shapes", "one axis", "no rows", "complex", "text", "truth", "too large",
        "too small", "negative", "NaN", "infinite", "too few", "graph's shape", "graph negative",
        "graph NaN", "graph complex", "graph of selves", "states missing", "table outside",
        "table negative", "table too few", "table's shapes", "table's axis", "table's types",
        "table of more rows",
    ],
)  # fmt: skip
def test_what_does_not_fit(given, message):
    states = states_of(np.zeros((6, 1)))
    assert check_neighbors((ROWS, DISTANCES), states, 2).indices.tolist() == ROWS.tolist()
    with pytest.raises(GraphError, match=message):
        check_neighbors(given, states, 2)


def test_too_few_because_some_are_no_states():
    # Row 0 ends no state of two samples: what it was given is not looked for, and row 1 lost it.
    states = states_of(np.zeros((6, 1)), p=2)
    with pytest.raises(GraphError, match=r"the state at row 1 was given 1 .* with n_lags=2"):
        check_neighbors((ROWS, DISTANCES), states, 2)
    assert check_neighbors((ROWS, DISTANCES), states, 1).indices[0].tolist() == [2]
