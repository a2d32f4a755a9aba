"""Edge terms: GPFA's own, and those that others write."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import sparse

import naive
from predfeat import nearest_neighbors
from predfeat.exceptions import GraphError
from predfeat.graph import (
    EdgeTerm,
    Future,
    GraphContext,
    Neighborhoods,
    Past,
    connect,
    explicit_graph,
    projected_laplacian,
    shifted_neighborhoods,
)
from predfeat.series import check_sequences

own_terms = pytest.mark.parametrize("term", [Future, Past])


@pytest.fixture
def case():
    """Two sequences with gaps, and the neighbours of states of two samples."""
    X, groups = naive.random_series(0, [30, 25], 2, n_gaps=3)
    series = check_sequences(X, groups)
    table = nearest_neighbors(X, n_neighbors=3, n_lags=2, groups=groups)
    context = GraphContext(white=series, space=series, neighbors=table, n_lags=2, horizon=2)
    return X, groups, context


def twin(X, groups, context, graph, **which):
    table = context.neighbors
    return naive.weights(
        X, groups, context.n_lags, table.times, table.indices, graph,
        horizon=context.horizon, **which,
    )  # fmt: skip


@dataclass(frozen=True)
class NextSample:
    """A term as a user writes it: every sample is joined with the next, the more the later."""

    def neighborhoods(self, context):
        times = np.flatnonzero(context.white.reach(ahead=1))
        members = sparse.coo_array(
            (1.0 + times, (np.arange(len(times)), times + 1)),
            shape=(len(times), context.white.n_rows),
        )
        return Neighborhoods(times, members)


def test_kinds_and_weights_can_be_mixed(case):
    X, groups, context = case
    terms = [Future("full"), Past("star", weight=0.25)]
    expected = twin(X, groups, context, "full", past=False)
    expected += 0.25 * twin(X, groups, context, "star", future=False)
    np.testing.assert_array_equal(
        explicit_graph(connect(terms, context)).weights.toarray(), expected
    )


def test_anyone_can_write_a_term(case):
    X, groups, context = case
    assert isinstance(NextSample(), EdgeTerm)
    expected = twin(X, groups, context, "star", past=False)
    run = naive.run_of_rows(X, groups)
    for t in range(len(X)):
        if naive.reaches(run, t, ahead=1):
            expected[t, t + 1] += 1.0 + t
            expected[t + 1, t] += 1.0 + t
    found = projected_laplacian(connect([Future(), NextSample()], context), context.white.rows)
    for matrix, twin_matrix in zip(
        (found.laplacian, found.degree), naive.projected(expected, X), strict=True
    ):
        np.testing.assert_allclose(matrix, twin_matrix, rtol=1e-12, atol=1e-9)


def test_connected_samples_lie_as_far_as_is_asked(case):
    _, _, context = case
    series, table = context.white, context.neighbors
    for term, shift in [(Future("full"), 2), (Past("full"), -3)]:
        found = term.neighborhoods(context)
        direct = shifted_neighborhoods(table, series, shift, graph="full")
        np.testing.assert_array_equal(found.centers, direct.centers)
        np.testing.assert_array_equal(found.members.toarray(), direct.members.toarray())
        assert set(found.centers - shift) <= set(table.times)


@own_terms
def test_a_term_is_a_value(term):
    assert term() == term("star", 1.0) == term(graph="star", weight=1.0)
    assert term("full") != term()
    assert len({term(), term("star"), term(weight=2.0)}) == 2
    assert isinstance(term(), EdgeTerm)
    assert repr(term("full")) == f"{term.__name__}(graph='full', weight=1.0)"


@own_terms
def test_a_weight_of_one_leaves_the_paper_as_it_is(term, case):
    _, _, context = case
    assert term().neighborhoods(context).weights is None
    one, half = (term(weight=w).neighborhoods(context).total_weight for w in (1, 0.5))
    assert half == one / 2 > 0
    assert term(weight=0).neighborhoods(context).total_weight == 0


@own_terms
@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), "2", None])
def test_weights_that_are_none_are_refused(term, weight):
    with pytest.raises(GraphError, match=f"weight must be a finite number .* is {weight!r}"):
        term(weight=weight)


@own_terms
def test_unknown_kinds_are_refused(term):
    with pytest.raises(GraphError, match="graph must be one of 'full', 'star', but it is 'ring'"):
        term("ring")


def test_what_a_term_returns_is_checked(case):
    _, _, context = case

    class Nothing:
        def neighborhoods(self, context):
            return None

    class Elsewhere:
        def neighborhoods(self, context):
            return Neighborhoods([0], [[0.0, 1.0]])

    with pytest.raises(GraphError, match=r"Nothing.*must return Neighborhoods.*NoneType"):
        connect([Nothing()], context)
    with pytest.raises(GraphError, match=r"Elsewhere.*a series of 2, but .* has 55"):
        connect([Elsewhere()], context)


def test_states_without_the_sample_have_no_neighborhood(case):
    _, _, context = case
    far = replace(context, horizon=29)
    assert len(Future().neighborhoods(far).centers) == 0
    assert not projected_laplacian(connect([Future(), Past()], far), far.white.rows).degree.any()
