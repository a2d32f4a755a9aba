"""Neighbourhoods of any shape: the projection is the explicit graph's, which is the twin's."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

import naive
from engines import needs_numba
from predfeat.exceptions import GraphError
from predfeat.graph import (
    GRAPHS,
    Neighborhoods,
    explicit_graph,
    projected_laplacian,
    weigh_by_inverse_spread,
)

# Sums of at most some hundred products of numbers of order ten, relative to the largest.
ROUNDING = 1e-12
N_ROWS = 9

both_graphs = pytest.mark.parametrize("graph", GRAPHS)
both_branches = pytest.mark.parametrize(
    "compiled", [pytest.param(True, marks=needs_numba), False], ids=["compiled", "scipy"]
)

rows_of_series = st.integers(0, N_ROWS - 1)
# Quarters: sums and products of a few of them are exact, so that graphs can be compared exactly.
quarters = st.integers(0, 12).map(lambda quarter: quarter / 4)


@st.composite
def drawn_terms(draw):
    """Return a term as the twin takes it: its kind, and (centre, v, [(member, m), …])."""
    edge_weight = st.just(1.0) if draw(st.booleans()) else quarters
    weight = st.just(1.0) if draw(st.booleans()) else quarters
    members = st.lists(st.tuples(rows_of_series, edge_weight), max_size=6)
    neighborhoods = st.lists(st.tuples(rows_of_series, weight, members), max_size=12)
    return draw(st.sampled_from(GRAPHS)), draw(neighborhoods)


several = st.lists(drawn_terms(), min_size=1, max_size=3)

REPEATED = [(2, 1.0, [(1, 1.0)]), (2, 1.0, [(5, 1.0)]), (4, 1.0, [(1, 1.0)])]
ITS_OWN_MEMBER = [(3, 1.0, [(3, 1.0), (4, 1.0)])]
EMPTY = [(1, 1.0, []), (2, 1.0, [(4, 1.0)]), (3, 1.0, [])]
LISTED_TWICE = [(0, 1.0, [(7, 1.0), (7, 1.0)])]
WEIGHTED = [(0, 0.5, [(7, 0.25), (8, 3.0)])]
LIGHT = [(0, 1.0, [(7, 0.25)]), (1, 1.0, [(7, 0.25), (3, 0.25)])]


def library_term(graph, neighborhoods):
    """Return the library's object; weights that are all 1 are left out."""
    members = [pair for _, _, pairs in neighborhoods for pair in pairs]
    first = np.cumsum([0, *(len(pairs) for _, _, pairs in neighborhoods)])
    matrix = sparse.csr_array(
        ([m for _, m in members], np.array([i for i, _ in members], dtype=int), first),
        shape=(len(neighborhoods), N_ROWS),
        dtype=float,
    )
    weights = [v for _, v, _ in neighborhoods]
    return Neighborhoods(
        [center for center, _, _ in neighborhoods],
        matrix,
        None if all(v == 1.0 for v in weights) else weights,
        graph=graph,
    )


def naive_graph(terms):
    return sum(naive.joined(N_ROWS, graph, neighborhoods) for graph, neighborhoods in terms)


def assert_equal_matrices(found, expected):
    scale = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * scale)


def projected(terms, Z, compiled, block=512):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("predfeat.graph._sums.is_loaded", lambda: compiled)
        patch.setattr("predfeat.graph._projected._rows_at_once", lambda n_columns: block)
        return projected_laplacian(terms, Z)


@settings(max_examples=150, deadline=None)
@given(terms=several)
@example(terms=[("star", REPEATED), ("full", REPEATED)])
@example(terms=[("star", ITS_OWN_MEMBER), ("full", ITS_OWN_MEMBER)])
@example(terms=[("star", EMPTY), ("full", EMPTY)])
@example(terms=[("star", LISTED_TWICE), ("full", LISTED_TWICE)])
@example(terms=[("star", WEIGHTED), ("full", WEIGHTED)])
def test_the_explicit_graph_is_the_twin(terms):
    W = naive_graph(terms)
    L, D = naive.laplacian(W)
    explicit = explicit_graph(library_term(*term) for term in terms)
    np.testing.assert_array_equal(explicit.weights.toarray(), W)
    np.testing.assert_array_equal(explicit.degree.toarray(), D)
    np.testing.assert_array_equal(explicit.laplacian.toarray(), L)


@both_branches
@settings(max_examples=200, deadline=None)
@given(terms=several, block=st.integers(1, N_ROWS), seed=st.integers(0, 10**6))
@example(terms=[("star", REPEATED)], block=9, seed=0)
@example(terms=[("full", REPEATED)], block=9, seed=0)
@example(terms=[("star", ITS_OWN_MEMBER), ("full", ITS_OWN_MEMBER)], block=9, seed=0)
@example(terms=[("star", EMPTY), ("full", EMPTY)], block=9, seed=0)
@example(terms=[("star", LISTED_TWICE), ("full", LISTED_TWICE)], block=9, seed=0)
@example(terms=[("star", WEIGHTED)], block=9, seed=0)
@example(terms=[("full", WEIGHTED)], block=9, seed=0)
def test_the_projection_is_that_of_the_explicit_graph(compiled, terms, block, seed):
    Z = np.random.default_rng(seed).normal(size=(N_ROWS, 3)) + 5.0
    expected_L, expected_D = naive.projected(naive_graph(terms), Z)
    found = projected([library_term(*term) for term in terms], Z, compiled, block)
    assert_equal_matrices(found.laplacian, expected_L)
    assert_equal_matrices(found.degree, expected_D)


@settings(max_examples=100, deadline=None)
@given(term=drawn_terms())
@example(term=("star", ITS_OWN_MEMBER))
@example(term=("full", ITS_OWN_MEMBER))
@example(term=("full", LISTED_TWICE))
def test_total_weight_is_the_sum_of_the_edges_between_different_rows(term):
    W = naive_graph([term])
    np.fill_diagonal(W, 0.0)
    assert library_term(*term).total_weight == W.sum()


@both_graphs
def test_of_unrelated_rows_the_laplacian_is_the_total_weight(graph):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4000, 2))
    indices = rng.integers(0, 4000, 40_000)
    edges = (rng.random(40_000), indices, np.arange(0, 40_001, 10))
    members = sparse.csr_array(edges, shape=(4000, 4000))
    term = Neighborhoods(rng.permutation(4000), members, rng.random(4000), graph=graph)
    share = projected_laplacian([term], Z).laplacian / term.total_weight
    # A mean over some thousand samples, whose squares have a variance of 2.
    np.testing.assert_allclose(share, np.eye(2), atol=0.1)


@both_branches
@both_graphs
def test_weights_of_one_change_nothing(graph, compiled):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(300, 4))
    members = rng.random((300, 300)) < 0.03
    plain = Neighborhoods(np.arange(300), members, graph=graph)
    assert plain.has_unit_members
    weighted = replace(plain, weights=np.ones(300))
    doubled = replace(plain, members=2 * plain.members, weights=np.full(300, 0.5))
    expected = projected([plain], Z, compiled)
    found = projected([weighted], Z, compiled)
    np.testing.assert_allclose(found.laplacian, expected.laplacian, rtol=1e-12)
    if graph == "star":  # half of twice as much
        found = projected([doubled], Z, compiled)
        np.testing.assert_array_equal(found.laplacian, expected.laplacian)
        np.testing.assert_array_equal(found.degree, expected.degree)


@both_branches
def test_many_neighborhoods_of_one_centre_are_summed_in_bounded_rounds(compiled):
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(20, 2))
    indices = rng.integers(0, 20, 3000)
    members = sparse.csr_array((np.ones(3000), indices, np.arange(0, 3001, 3)), shape=(1000, 20))
    for graph in GRAPHS:
        term = Neighborhoods(np.full(1000, 5), members, graph=graph)
        expected = Z.T @ (explicit_graph([term]).laplacian @ Z)
        found = projected([term], Z, compiled, block=7)
        assert_equal_matrices(found.laplacian, expected)


@settings(max_examples=100, deadline=None)
@given(term=drawn_terms(), seed=st.integers(0, 10**6))
@example(term=("star", WEIGHTED + REPEATED + LIGHT), seed=0)
@example(term=("full", WEIGHTED + REPEATED + LIGHT), seed=0)
def test_inverse_spread_multiplies_the_weights_given(term, seed):
    graph, neighborhoods = term
    space = np.random.default_rng(seed).normal(size=(N_ROWS, 2))
    (found,) = weigh_by_inverse_spread([library_term(*term)], space)
    squares = np.array([naive.squared_spread(graph, one, space) for one in neighborhoods])
    factors = np.where(np.isnan(squares), 0.0, 1.0)
    if np.nansum(squares) > 1e-9:
        least = 1e-3 * np.nanmean(squares)
        factors = np.nan_to_num(1 / np.sqrt(np.maximum(squares, least)))
        factors /= factors.mean()
    elif neighborhoods:
        return  # members that are their own centre: only rounding is left of the spread
    expected = factors * np.array([v for _, v, _ in neighborhoods])
    np.testing.assert_allclose(found.weights, expected, rtol=1e-6)
    assert found.graph == graph


# --- what is given is checked ----------------------------------------------------------------


@pytest.mark.parametrize(
    "members",
    [
        [[0, 1, 0], [1, 0, 1]],
        np.array([[False, True, False], [True, False, True]]),
        sparse.csc_matrix([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]),
        sparse.coo_array([[0, 1, 0], [1, 0, 1]], dtype=np.int8),
    ],
    ids=["lists", "dense bool", "csc matrix", "coo int"],
)
def test_any_matrix_will_do(members):
    term = Neighborhoods(np.array([0, 2], dtype=np.uint8), members)
    assert term.members.format == "csr"
    assert term.members.dtype == np.float64
    assert term.centers.dtype == np.intp
    assert term.has_unit_members
    assert (term.n_rows, term.graph, term.weights) == (3, "star", None)
    np.testing.assert_array_equal(term.members.toarray(), [[0, 1, 0], [1, 0, 1]])
    assert term.total_weight == 4.0  # row 2 is its own member, the others are joined both ways


def test_no_neighborhoods_are_a_graph_without_edges():
    term = Neighborhoods([], sparse.csr_array((0, 4)), [])
    assert term.total_weight == 0.0
    assert explicit_graph([term]).weights.nnz == 0
    assert not projected_laplacian([term], np.ones((4, 2))).laplacian.any()
    assert not projected_laplacian([], np.ones((4, 2))).degree.any()


def broken(**changes):
    """Return CSR members of two neighbourhoods whose arrays were changed afterwards."""
    members = sparse.csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    for name, value in changes.items():
        setattr(members, name, np.array(value, dtype=getattr(members, name).dtype))
    return members


GOOD = [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("centers", "members", "options", "message"),
    [
        ([0, 1], GOOD, {"graph": "stars"}, r"graph must be one of 'full', 'star', .* 'stars'"),
        ([0, 1], GOOD, {"graph": None}, r"graph must be one of .* None"),
        ([0], GOOD, {}, r"each of the 2 neighbourhoods in members, but its shape is \(1,\)"),
        ([[0], [1]], GOOD, {}, r"centers .* its shape is \(2, 1\)"),
        ([0.0, 1.0], GOOD, {}, r"centers must be row numbers .* float64"),
        ([True, False], GOOD, {}, r"centers must be row numbers .* bool"),
        ([0, 3], GOOD, {}, r"rows 0 to 2, .* neighbourhood 1 has centre 3"),
        ([-1, 0], GOOD, {}, r"rows 0 to 2, .* neighbourhood 0 has centre -1"),
        ([0, 1], [[0, 1, 0], [-0.5, 0, 1]], {}, r"members must be finite .* 1 of 3 .* is -0\.5"),
        ([0, 1], [[0, NAN, 0], [INF, 0, 1]], {}, r"members must be finite .* 2 of 3 .* is nan"),
        ([0, 1], [[0, 1j, 0], [0, 0, 1]], {}, r"members must hold weights .* complex128"),
        ([0, 1], "neighbours", {}, r"members must be a sparse array"),
        ([0, 1], [0.0, 1.0], {}, r"members must be a sparse array"),
        ([0, 1], broken(indices=[1, 0, 3]), {}, r"members must be a sparse array .* < 3"),
        ([0, 1], broken(indices=[1, 0, -1]), {}, r"members must be a sparse array .* >= 0"),
        ([0, 1], broken(indptr=[0, 4, 3]), {}, r"members must be a sparse array"),
        ([0, 1], GOOD, {"weights": [1.0]}, r"weights must be one number for each .* \(1,\)"),
        ([0, 1], GOOD, {"weights": [1.0, -2.0]}, r"weights must be finite .* 1 of 2 .* -2\.0"),
        ([0, 1], GOOD, {"weights": [INF, 1.0]}, r"weights must be finite .* inf"),
        ([0, 1], GOOD, {"weights": [NAN, 1.0]}, r"weights must be finite .* nan"),
        ([0, 1], GOOD, {"weights": ["a", "b"]}, r"weights must be real numbers"),
    ],
)
def test_what_is_no_graph_is_refused(centers, members, options, message):
    with pytest.raises(GraphError, match=message):
        Neighborhoods(centers, members, **options)


def test_rows_of_another_series_are_refused():
    term = Neighborhoods([0, 1], GOOD)
    for function in (projected_laplacian, weigh_by_inverse_spread):
        with pytest.raises(GraphError, match="a series of 3 rows, but rows has 4"):
            function([term], np.ones((4, 2)))
        with pytest.raises(GraphError, match=r"must be a matrix .* shape is \(3,\)"):
            function([term], np.ones(3))
    with pytest.raises(GraphError, match=r"to one series, but theirs have \[3, 4\] rows"):
        explicit_graph([term, Neighborhoods([0], [[1, 0, 0, 0]])])
    with pytest.raises(GraphError, match="at least one term"):
        explicit_graph([])
