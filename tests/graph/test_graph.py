"""The graph of the neighbourhoods: sums against explicit matrices against loops."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from engines import needs_numba
from predfeat import nearest_neighbors
from predfeat.graph import (
    GRAPHS,
    Future,
    GraphContext,
    Past,
    connect,
    explicit_graph,
    projected_laplacian,
)
from predfeat.neighbors import NeighborTable
from predfeat.series import check_sequences

# Sums of at most some thousand products of numbers of order one, relative to the largest.
ROUNDING = 1e-12

both_graphs = pytest.mark.parametrize("graph", GRAPHS)


def assert_equal_matrices(found, expected):
    scale = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * scale)


def make_case(seed, lengths, n_gaps=0, p=1, k=2, n_columns=2):
    """Return X, groups, the series and the library's neighbours."""
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps)
    table = nearest_neighbors(X, n_neighbors=k, n_lags=p, groups=groups)
    return X, groups, check_sequences(X, groups), table


def find_terms(table, series, p, graph, past=True, horizon=1):
    """Return the future neighbourhoods and, with `past`, the past ones."""
    context = GraphContext(white=series, space=series, neighbors=table, n_lags=p, horizon=horizon)
    return connect([Future(graph), Past(graph)] if past else [Future(graph)], context)


def draw_case(seed, lengths, n_gaps, p, k):
    """Return the same, or give the example up where there are too few states."""
    X, groups = naive.random_series(seed, lengths, 2, n_gaps)
    assume(len(naive.state_times(X, groups, p)) > k)
    return make_case(seed, lengths, n_gaps, p, k)


cases = {
    "seed": st.integers(0, 10**6),
    "lengths": st.lists(st.integers(1, 14), min_size=1, max_size=4),
    "n_gaps": st.sampled_from([0, 1, 4]),
    "p": st.integers(1, 4),
    "k": st.integers(1, 4),
}
horizons = st.integers(1, 4)


@both_graphs
@pytest.mark.parametrize("past", [True, False])
@settings(max_examples=30, deadline=None)
@given(horizon=horizons, **cases)
def test_projected_is_explicit_is_naive(graph, past, horizon, seed, lengths, n_gaps, p, k):
    X, groups, series, table = draw_case(seed, lengths, n_gaps, p, k)
    terms = find_terms(table, series, p, graph, past, horizon)
    assert len(terms) == 1 + past
    W = naive.weights(X, groups, p, table.times, table.indices, graph, past=past, horizon=horizon)
    L, D = naive.laplacian(W)
    explicit = explicit_graph(terms)
    np.testing.assert_array_equal(explicit.weights.toarray(), W)
    np.testing.assert_array_equal(explicit.degree.toarray(), D)
    np.testing.assert_array_equal(explicit.laplacian.toarray(), L)

    # Any numbers can be projected, not only those in which the neighbours were found.
    Z = np.random.default_rng(seed).normal(size=(len(X), 3)) + 5.0
    Z[~series.valid] = 0.0
    projected = projected_laplacian(terms, Z)
    expected_L, expected_D = naive.projected(W, Z)
    assert_equal_matrices(projected.laplacian, expected_L)
    assert_equal_matrices(projected.degree, expected_D)


@both_graphs
@settings(max_examples=25, deadline=None)
@given(**cases)
def test_terms_are_future_and_past(graph, seed, lengths, n_gaps, p, k):
    X, groups, series, table = draw_case(seed, lengths, n_gaps, p, k)
    both = find_terms(table, series, p, graph)
    for term, which in zip(both, [{"past": False}, {"future": False}], strict=True):
        W = naive.weights(X, groups, p, table.times, table.indices, graph, **which)
        np.testing.assert_array_equal(explicit_graph([term]).weights.toarray(), W)
        # Every centre is the node of one state, and no centre counts among its own others.
        assert len(set(term.centers.tolist())) == len(term.centers)
        members = term.members.toarray()
        assert set(np.unique(members)) <= {0.0, 1.0}
        assert not members[np.arange(len(term.centers)), term.centers].any()


@both_graphs
@settings(max_examples=25, deadline=None)
@given(**cases)
def test_weights_are_symmetric_counts_on_samples(graph, seed, lengths, n_gaps, p, k):
    _, _, series, table = draw_case(seed, lengths, n_gaps, p, k)
    explicit = explicit_graph(find_terms(table, series, p, graph))
    W = explicit.weights.toarray()
    np.testing.assert_array_equal(W, W.T)
    assert np.all(W >= 0)
    assert not W[~series.valid].any()
    np.testing.assert_array_equal(explicit.laplacian.toarray().sum(axis=1), 0.0)


@both_graphs
@settings(max_examples=25, deadline=None)
@given(horizon=horizons, **cases)
def test_no_node_without_a_state_on_its_own_side_of_a_boundary(
    graph, horizon, seed, lengths, n_gaps, p, k
):
    X, groups, series, table = draw_case(seed, lengths, n_gaps, p, k)
    run = naive.run_of_rows(X, groups)
    # A future node ends p+H rows of one run, a past node begins them.
    both = find_terms(table, series, p, graph, horizon=horizon)
    spans = [{"back": p - 1 + horizon}, {"ahead": p - 1 + horizon}]
    for term, span in zip(both, spans, strict=True):
        W = explicit_graph([term]).weights.toarray()
        for row in np.flatnonzero(W.any(axis=0)):
            assert naive.reaches(run, int(row), **span)


def test_self_loops_belong_to_the_full_graph_only():
    X, _, series, table = make_case(0, [40], k=3)
    terms = find_terms(table, series, 1, "full")
    full = explicit_graph(terms).weights.diagonal()
    star = explicit_graph(find_terms(table, series, 1, "star")).weights.diagonal()
    # In the full graph a row has one self-loop for every neighbourhood it is in.
    memberships = sum(np.asarray(term.members.sum(axis=0)).ravel() for term in terms)
    for term in terms:
        memberships[term.centers] += 1
    np.testing.assert_array_equal(full, memberships)
    np.testing.assert_array_equal(star, np.zeros(len(X)))


@pytest.mark.parametrize("past", [True, False])
@settings(max_examples=25, deadline=None)
@given(**{name: cases[name] for name in ("seed", "lengths", "n_gaps", "p")})
def test_full_and_star_have_one_laplacian_for_one_neighbor(past, seed, lengths, n_gaps, p):
    _, _, series, table = draw_case(seed, lengths, n_gaps, p, k=1)
    both = [find_terms(table, series, p, graph, past) for graph in ("full", "star")]
    full, star = (explicit_graph(terms) for terms in both)
    np.testing.assert_array_equal(full.laplacian.toarray(), star.laplacian.toarray())
    full, star = (projected_laplacian(terms, series.rows) for terms in both)
    assert_equal_matrices(full.laplacian, star.laplacian)
    # A neighbourhood of two has two self-loops in the full graph, so that degrees differ.
    if any(len(term.centers) for term in both[0]) and np.abs(star.degree).max() > 0:
        assert not np.allclose(full.degree, star.degree)


@both_graphs
def test_far_sequences_are_blocks_of_the_graph(graph):
    # Sequences too far apart to share neighbours: the graph is that of each alone.
    parts = [naive.random_series(seed, [25], 2, n_gaps=2)[0] for seed in range(3)]
    X = np.concatenate([part + 1e4 * number for number, part in enumerate(parts)])
    groups = np.repeat(["a", "b", "c"], 25)
    table = nearest_neighbors(X, n_neighbors=3, n_lags=2, groups=groups)
    series = check_sequences(X, groups)
    terms = find_terms(table, series, 2, graph)
    W = explicit_graph(terms).weights.toarray()
    blocks = np.zeros_like(W)
    total_L, total_D = 0.0, 0.0
    for number in range(3):
        rows = slice(25 * number, 25 * (number + 1))
        alone = check_sequences(X[rows])
        own_table = nearest_neighbors(X[rows], n_neighbors=3, n_lags=2)
        own_terms = find_terms(own_table, alone, 2, graph)
        blocks[rows, rows] = explicit_graph(own_terms).weights.toarray()
        own = projected_laplacian(own_terms, alone.rows)
        total_L, total_D = total_L + own.laplacian, total_D + own.degree
    np.testing.assert_array_equal(W, blocks)
    projected = projected_laplacian(terms, series.rows)
    # Zᵀ D Z is of order (2e4)² times the degrees, and L is its small remainder.
    np.testing.assert_allclose(
        projected.laplacian, total_L, atol=ROUNDING * np.abs(total_D).max(), rtol=0
    )
    np.testing.assert_allclose(projected.degree, total_D, rtol=1e-11)


@both_graphs
def test_groups_of_one_id_are_one_sequence(graph):
    X, _ = naive.random_series(2, [40], 2, n_gaps=3)
    results = []
    for groups in (None, np.zeros(40, dtype=int)):
        table = nearest_neighbors(X, n_neighbors=3, n_lags=2, groups=groups)
        series = check_sequences(X, groups)
        terms = find_terms(table, series, 2, graph)
        results.append(projected_laplacian(terms, series.rows))
    np.testing.assert_array_equal(results[0].laplacian, results[1].laplacian)
    np.testing.assert_array_equal(results[0].degree, results[1].degree)


@both_graphs
def test_neighbors_in_another_sequence_are_connected(graph):
    # Two equal sequences: each state's twin is in the other one, and so are the edges.
    part = np.random.default_rng(3).normal(size=(10, 2))
    X, groups = np.concatenate([part, part]), np.repeat([0, 1], 10)
    table = nearest_neighbors(X, n_neighbors=1, groups=groups)
    terms = find_terms(table, check_sequences(X, groups), 1, graph, past=False)
    W = explicit_graph(terms).weights.toarray()
    off_diagonal = W - np.diag(W.diagonal())
    assert set(zip(*np.nonzero(off_diagonal), strict=True)) == {
        pair for row in range(1, 10) for pair in [(row, row + 10), (row + 10, row)]
    }


@both_graphs
def test_constant_rows_have_no_laplacian(graph):
    _, _, series, table = make_case(4, [30], k=3)
    terms = find_terms(table, series, 1, graph)
    projected = projected_laplacian(terms, np.full((30, 1), 1e3))
    assert abs(projected.laplacian.item()) < ROUNDING * projected.degree.item()
    assert projected.degree.item() > 0


@both_graphs
def test_result_is_exactly_symmetric_and_positive(graph):
    _, _, series, table = make_case(5, [60], k=4, n_columns=4)
    projected = projected_laplacian(find_terms(table, series, 1, graph), series.rows)
    for matrix in (projected.laplacian, projected.degree):
        np.testing.assert_array_equal(matrix, matrix.T)
        values = np.linalg.eigvalsh(matrix)
        assert values[0] > -ROUNDING * values[-1]


def test_rows_are_not_modified():
    _, _, series, table = make_case(6, [30, 20], n_gaps=2, k=2)
    rows = series.rows.copy()
    kept = rows.copy()
    for graph in GRAPHS:
        projected_laplacian(find_terms(table, series, 1, graph), rows)
    np.testing.assert_array_equal(rows, kept)


def random_table(n_rows, k):
    """Return a table in which state t has the k rows after some stride as its neighbours."""
    times = np.arange(n_rows)
    indices = (times[:, None] + 7 * np.arange(1, k + 1)) % n_rows
    return NeighborTable(times, indices, np.ones(indices.shape))


@both_graphs
def test_memory_is_linear_in_the_neighbors(graph):
    n_rows = 4000
    rows = np.random.default_rng(7).normal(size=(n_rows, 3))
    series = check_sequences(rows)
    peaks = []
    for k in (10, 80):
        table = random_table(n_rows, k)
        tracemalloc.start()
        try:
            projected_laplacian(find_terms(table, series, 1, graph), rows)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    # Eight times the neighbours: linear growth is at most a factor 8, pairs would give 64.
    assert peaks[1] < 8 * peaks[0]


@needs_numba
@both_graphs
@settings(max_examples=30, deadline=None)
@given(**cases, block=st.integers(1, 9))
def test_projection_in_blocks_compiled_or_not(graph, seed, lengths, n_gaps, p, k, block):
    """Blocks only round differently; compiled sums do not even do that."""
    X, _, series, table = draw_case(seed, lengths, n_gaps, p, k)
    terms = find_terms(table, series, p, graph)
    Z = np.where(np.isnan(X), 0.0, X)
    whole = projected_laplacian(terms, Z)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("predfeat.graph._projected._rows_at_once", lambda n_columns: block)
        results = []
        for is_loaded in (True, False):
            patch.setattr("predfeat.graph._sums.is_loaded", lambda answer=is_loaded: answer)
            results.append(projected_laplacian(terms, Z))
    compiled, plain = results
    assert_equal_matrices(compiled.laplacian, whole.laplacian)
    assert_equal_matrices(compiled.degree, whole.degree)
    np.testing.assert_array_equal(compiled.laplacian, plain.laplacian)
    np.testing.assert_array_equal(compiled.degree, plain.degree)


@both_graphs
def test_the_order_of_neighborhoods_does_not_matter(graph, monkeypatch):
    X, _, series, table = make_case(3, [40, 30], n_gaps=3, p=2, k=3)
    terms = find_terms(table, series, 2, graph)
    Z = np.where(np.isnan(X), 0.0, X)
    rng = np.random.default_rng(0)
    shuffled = []
    for term in terms:
        order = rng.permutation(len(term.centers))
        shuffled.append(replace(term, centers=term.centers[order], members=term.members[order]))
    whole = projected_laplacian(terms, Z)
    monkeypatch.setattr("predfeat.graph._projected._rows_at_once", lambda n_columns: 10)
    assert_equal_matrices(projected_laplacian(shuffled, Z).laplacian, whole.laplacian)
