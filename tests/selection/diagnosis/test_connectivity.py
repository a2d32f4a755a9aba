"""Pieces of the graph equal those of its slow twin, and labels of pieces are named."""

import numpy as np
import pytest

import naive
import naive_diagnosis
from diagnosis_series import diagnosed, two_levels
from predfeat import GPFA, nearest_neighbors
from predfeat.graph import Future, GraphContext, Past, connect
from predfeat.selection.diagnosis import _connectivity
from predfeat.series import check_sequences


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_pieces(given, graph, past, k):
    p = given.p
    table = nearest_neighbors(given.X, n_neighbors=k, n_lags=p, groups=given.groups)
    times, indices, _ = naive.nearest(given.X, given.groups, p, k)
    W = naive.weights(given.X, given.groups, p, times, indices, graph, past=past)
    np.fill_diagonal(W, 0.0)  # an edge to itself connects nothing
    expected = naive_diagnosis.pieces(W)
    context = GraphContext(white=given.series, space=given.series, neighbors=table, n_lags=p)
    terms = [Future(graph), Past(graph)] if past else [Future(graph)]
    found = _connectivity.pieces_of(connect(terms, context), len(given.X))
    sets = [set(np.flatnonzero(found == i).tolist()) for i in range(found.max() + 1)]
    assert sorted(map(sorted, sets)) == sorted(map(sorted, expected))
    assert [len(s) for s in sets] == [len(s) for s in expected]
    rows = np.nan_to_num(given.X)
    np.testing.assert_allclose(
        _connectivity.between_share(rows, found),
        naive_diagnosis.between_share(rows, found.tolist()),
        atol=1e-12,
    )


def test_the_pieces_tested_are_some():
    rows, _ = naive.random_series(3, [60], n_columns=2)
    table = nearest_neighbors(rows, n_neighbors=1)
    series = check_sequences(rows)
    context = GraphContext(white=series, space=series, neighbors=table, n_lags=1)
    assert _connectivity.pieces_of(connect([Future()], context), 60).max() > 2


def test_a_label_of_pieces_is_named():
    X, groups = two_levels()
    found = {f.name: f for f in diagnosed(GPFA(2), X, groups).findings}
    finding = found["disconnected-graph"]
    assert finding.severity == "problem"
    assert finding.values["n_pieces"] == 2
    assert finding.values["n_labels"] == 1
    assert finding.values["outside"] == pytest.approx(0.5, abs=0.01)
    assert "Feature 1 only labels the pieces" in finding.summary
