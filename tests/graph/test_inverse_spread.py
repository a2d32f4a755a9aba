"""Neighbourhoods that count by the inverse of their spread."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
import naive_measures as twins
from predfeat import nearest_neighbors
from predfeat.graph import (
    GRAPHS,
    Future,
    GraphContext,
    Past,
    connect,
    explicit_graph,
    projected_laplacian,
    weigh_by_inverse_spread,
)
from predfeat.series import check_sequences

both_graphs = pytest.mark.parametrize("graph", GRAPHS)


def make_terms(X, graph, k, p=1, groups=None):
    table = nearest_neighbors(X, n_neighbors=k, n_lags=p, groups=groups)
    series = check_sequences(X, groups)
    context = GraphContext(white=series, space=series, neighbors=table, n_lags=p)
    return table, connect([Future(graph), Past(graph)], context)


@both_graphs
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    n_gaps=st.sampled_from([0, 1, 4]),
    p=st.integers(1, 3),
    k=st.integers(1, 4),
)
def test_weighted_projection_is_explicit_is_twin(graph, seed, lengths, n_gaps, p, k):
    X, groups = naive.random_series(seed, lengths, 2, n_gaps)
    assume(len(naive.state_times(X, groups, p)) > k)
    series = check_sequences(X, groups)
    table, terms = make_terms(X, graph, k, p, groups)
    space = np.random.default_rng(seed).normal(size=(len(X), 3))
    neighbors = dict(zip(table.times.tolist(), table.indices.tolist(), strict=True))
    W = twins.graph(np.asarray(X, dtype=float), neighbors, p, graph, True, groups, space)
    terms = weigh_by_inverse_spread(terms, space)
    np.testing.assert_allclose(explicit_graph(terms).weights.toarray(), W, atol=1e-9)
    Z = np.random.default_rng(seed + 1).normal(size=(len(X), 3)) + 5.0
    Z[~series.valid] = 0.0
    expected_L, expected_D = naive.projected(W, Z)
    projected = projected_laplacian(terms, Z)
    scale = max(np.abs(expected_D).max(), 1.0)
    np.testing.assert_allclose(projected.laplacian, expected_L, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(projected.degree, expected_D, rtol=0, atol=1e-9 * scale)


@both_graphs
def test_units_do_not_matter(graph):
    X = np.random.default_rng(0).standard_t(2, size=(200, 3))
    _, terms = make_terms(X, graph, 4)
    small, large = (weigh_by_inverse_spread(terms, scale * X) for scale in (1, 50))
    for one, other in zip(small, large, strict=True):
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-9)
        assert one.weights.mean() == pytest.approx(1.0)


@both_graphs
def test_where_all_nodes_coincide_all_count_the_same(graph):
    X = np.random.default_rng(1).normal(size=(30, 2))
    _, terms = make_terms(X, graph, 3)
    for term in weigh_by_inverse_spread(terms, np.ones((30, 2))):
        assert set(term.weights) <= {0.0, 1.0}


@both_graphs
def test_blocks_do_not_matter(graph, monkeypatch):
    X = np.random.default_rng(2).normal(size=(100, 3))
    _, terms = make_terms(X, graph, 4)
    whole = weigh_by_inverse_spread(terms, X)
    monkeypatch.setattr("predfeat.graph._inverse_spread._NEIGHBORHOODS_AT_ONCE", 7)
    for one, other in zip(whole, weigh_by_inverse_spread(terms, X), strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)


@both_graphs
def test_the_order_of_weighted_neighbourhoods_does_not_matter(graph):
    X = np.random.default_rng(3).normal(size=(60, 3))
    _, terms = make_terms(X, graph, 3)
    terms = weigh_by_inverse_spread(terms, X)
    turned = [
        replace(
            term,
            centers=term.centers[::-1],
            members=term.members[::-1],
            weights=term.weights[::-1],
        )
        for term in terms
    ]
    one, other = (projected_laplacian(some, X).laplacian for some in (terms, turned))
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
