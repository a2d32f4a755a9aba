"""Spectral regression: the nodes' eigenproblem, its relation to GPFA's, and regressors."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVR

import naive_nodes
from predfeat import GPFA, nearest_neighbors
from predfeat.datasets import predictable_noise
from predfeat.exceptions import (
    DisconnectedGraphWarning,
    GraphError,
    RankError,
    ShortSequencesError,
)
from predfeat.features import FewChannels, SpectralRegression
from predfeat.graph import Neighborhoods, explicit_graph, shifted_neighborhoods
from predfeat.measures import subspace_angles
from predfeat.series import check_sequences
from predfeat.solvers import count_solutions, embed_nodes


def successors(X, kind="star", k=3, **options):
    table = nearest_neighbors(X, n_neighbors=k, **options)
    term = shifted_neighborhoods(table, check_sequences(X, options.get("groups")), 1, graph=kind)
    return explicit_graph([term])


def in_pieces(sizes, seed=0):
    """A graph of random weights whose pieces have these sizes, shuffled, and a row without edge."""
    random = np.random.default_rng(seed)
    total = sum(sizes) + 1
    weights, start = np.zeros((total, total)), 0
    for size in sizes:
        block = random.uniform(0.5, 2, size=(size, size))
        weights[start : start + size, start : start + size] = block + block.T
        start += size
    order = random.permutation(total)
    weights = weights[np.ix_(order, order)]
    return weights, explicit_graph([Neighborhoods(np.arange(total), weights / 2)])


def test_the_twin_solves_the_constrained_problem():
    weights = in_pieces([9])[0]
    nodes, values, vectors = naive_nodes.node_solutions(weights, 4)
    weights = weights[np.ix_(nodes, nodes)]
    degree = weights.sum(axis=1)
    np.testing.assert_allclose(vectors.sum(axis=0), 0, atol=1e-10)
    left = degree[:, None] * vectors - weights @ vectors - values[:4] * degree[:, None] * vectors
    # What is left of L y - λ D y may only be the multiplier of the constraint: the same everywhere.
    np.testing.assert_allclose(left - left.mean(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("kind", ["star", "full"])
@pytest.mark.parametrize("n_rows", [60, 230])  # solved as dense, and by Lanczos
def test_nodes_are_those_of_the_twin(n_rows, kind, normalized, seed):
    X = np.random.default_rng(seed).normal(size=(n_rows, 2))
    graph = successors(X, kind, k=5)
    found = embed_nodes(graph, 6, normalized=normalized)
    nodes, values, _ = naive_nodes.node_solutions(graph.weights.toarray(), 6, normalized)
    np.testing.assert_array_equal(found.nodes, nodes)
    # Rounding of the largest eigenvalue; the twin's solver is no symmetric one.
    np.testing.assert_allclose(found.eigenvalues, values[:6], atol=1e-8 * values[-1])
    check_definition(graph, found, normalized)


def check_definition(graph, found, normalized):
    """Quotients, unit length, and sum 0."""
    y, laplacian = found.values, graph.laplacian.toarray()[np.ix_(found.nodes, found.nodes)]
    metric = graph.degree.diagonal()[found.nodes] if normalized else np.ones(len(y))
    np.testing.assert_allclose(y.T @ (metric[:, None] * y), np.eye(y.shape[1]), atol=1e-9)
    quotients = np.diag(y.T @ laplacian @ y)
    np.testing.assert_allclose(quotients, found.eigenvalues, atol=1e-9 * max(metric.max(), 1))
    np.testing.assert_allclose(y.sum(axis=0), 0, atol=1e-8)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("n_solutions", [1, 2, 3, 5])
def test_pieces_have_eigenvalues_of_zero(n_solutions, normalized):
    sizes = [20, 30, 25, 40]
    graph = in_pieces(sizes)[1]
    found = embed_nodes(graph, n_solutions, normalized=normalized)
    assert found.n_pieces == 4
    assert np.bincount(found.pieces).tolist() == sorted(sizes, reverse=True)
    n_zero = min(n_solutions, 3)  # one fewer than pieces, because the sum is 0
    np.testing.assert_allclose(found.eigenvalues[:n_zero], 0, atol=1e-12)
    assert np.all(found.eigenvalues[n_zero:] > 1e-3)
    check_definition(graph, found, normalized)
    for values in found.values[:, :n_zero].T:
        assert all(np.ptp(values[found.pieces == piece]) < 1e-12 for piece in range(4))
    # The first sets the largest piece apart: all others are equal to each other.
    if normalized is False and n_solutions == 1:
        others = found.values[found.pieces > 0]
        assert np.sign(others[0]) != np.sign(found.values[found.pieces == 0][0])


def test_the_largest_piece_alone():
    weights, graph = in_pieces([20, 30])
    found = embed_nodes(graph, 3, largest_only=True)
    assert len(found.nodes) == 30
    assert count_solutions(graph, largest_only=True) == 29
    assert count_solutions(graph) == 49
    kept = np.zeros_like(weights)
    kept[np.ix_(found.nodes, found.nodes)] = weights[np.ix_(found.nodes, found.nodes)]
    np.testing.assert_allclose(
        found.eigenvalues, naive_nodes.node_solutions(kept, 3)[1][:3], atol=1e-9
    )


def test_more_solutions_than_rows_are_refused():
    graph = in_pieces([4, 5])[1]
    with pytest.raises(GraphError, match="9 solutions are asked for, but the graph connects 9 row"):
        embed_nodes(graph, 9)
    with pytest.raises(GraphError, match="connects 5 rows in its largest piece, which have 4"):
        embed_nodes(graph, 5, largest_only=True)
    assert embed_nodes(graph, 8).values.shape == (9, 8)


# --- the relation to the eigenproblem -----------------------------------------------------------

OPTIONS = {"max_iter": 1, "n_neighbors": 10}


def angle_to_gpfa(model, gpfa, X):
    return max(np.atleast_1d(subspace_angles(model.transform(X), gpfa.transform(X))))


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
@pytest.mark.parametrize("graph", ["star", "full"])
@pytest.mark.parametrize("normalized", [True, False])
def test_with_as_many_columns_as_rows_it_is_the_eigenproblem(graph, normalized, seed):
    X = np.random.default_rng(seed).normal(size=(80, 120)).cumsum(axis=0)
    options = {**OPTIONS, "graph": graph, "normalized": normalized}
    gpfa = GPFA(3, tol=0, **options).fit(X)
    # With M solutions alone: none but the first can be right.
    model = SpectralRegression(3, n_embedded=3, **options).fit(X)
    assert model.n_pieces_ == 1
    np.testing.assert_allclose(model.eigenvalues_, gpfa.eigenvalues_, rtol=1e-6)
    assert angle_to_gpfa(model, gpfa, X) < 1e-4  # degrees; eigenvectors are known to about 1e-8
    np.testing.assert_allclose(model.r2_, 1.0, atol=1e-8)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(gpfa.transform(X)), atol=1e-5)


@pytest.mark.parametrize("normalized", [True, False])
def test_with_as_many_solutions_as_columns_it_is_the_eigenproblem(normalized, seed):
    X = predictable_noise(300, 6, random_state=seed)
    options = {**OPTIONS, "normalized": normalized, "max_iter": 3}
    gpfa = GPFA(2, tol=0, **options).fit(X)
    model = SpectralRegression(2, n_embedded=8, **options).fit(X)
    assert angle_to_gpfa(model, gpfa, X) < 1e-4  # both are eigenvectors of the same 6 × 6 matrices
    np.testing.assert_allclose(model.eigenvalues_, gpfa.eigenvalues_, rtol=1e-8)


def test_few_solutions_only_come_near():
    # As documented: as many solutions as features are not enough where columns are few.
    X = predictable_noise(1000, 20, random_state=0)
    lambdas = [
        SpectralRegression(2, n_embedded=n, **OPTIONS).fit(X).eigenvalues_.sum() for n in (2, 20)
    ]
    assert lambdas[1] < lambdas[0] - 0.05


def test_features_are_white_and_sorted():
    X = predictable_noise(400, 6, random_state=1)
    for regressor in (None, Ridge(), ExtraTreesRegressor(5, random_state=0)):
        model = SpectralRegression(3, regressor=regressor, max_iter=2).fit(X)
        Y = model.transform(X)
        np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(Y.std(axis=0), 1, rtol=1e-9)
        assert np.all(np.diff(model.eigenvalues_) >= 0)
        assert np.all((model.r2_ > 0) & (model.r2_ <= 1))


# --- regressors ---------------------------------------------------------------------------------


def test_a_linear_regressor_has_components():
    X = predictable_noise(400, 6, random_state=0) * np.logspace(-3, 3, 6) + 7
    model = SpectralRegression(2, regressor=Ridge(1e-8)).fit(X)
    np.testing.assert_allclose(model.transform(X), (X - model.mean_) @ model.components_.T)
    # With hardly a penalty, ridge is least squares, whatever the units.
    plain = SpectralRegression(2).fit(X)
    assert max(np.atleast_1d(subspace_angles(model.transform(X), plain.transform(X)))) < 1e-3


@pytest.mark.parametrize(
    "regressor",
    [make_pipeline(PolynomialFeatures(2), Ridge()), ExtraTreesRegressor(5, random_state=0), SVR()],
    ids=lambda regressor: type(regressor).__name__,
)
def test_other_regressors_have_none(regressor):
    X = predictable_noise(150, 3, random_state=0)
    model = SpectralRegression(2, regressor=regressor, max_iter=1, n_embedded=5).fit(X)
    assert not hasattr(model, "components_")
    assert not hasattr(regressor, "n_features_in_")  # a copy is fitted
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    predicted = model.regressor_.predict(scaled) - model.output_mean_
    np.testing.assert_allclose(model.transform(X), predicted @ model.output_weights_)


def test_quadratic_regression_finds_what_no_linear_map_shows():
    # The sum of squares of two channels is slow; the channels themselves have random signs.
    random = np.random.default_rng(0)
    slow = 1 + 0.6 * np.sin(0.05 * np.arange(1200))
    angle = random.uniform(0, 2 * np.pi, size=1200)
    X = np.column_stack([slow * np.cos(angle), slow * np.sin(angle), random.normal(size=1200)])
    quadratic = make_pipeline(PolynomialFeatures(2), Ridge())

    def found(regressor):
        model = SpectralRegression(1, regressor=regressor, n_neighbors=20).fit(X[:800])
        return abs(np.corrcoef(model.transform(X[800:])[:, 0], slow[800:])[0, 1])

    assert found(quadratic) > 0.9
    assert found(None) < 0.3


def test_groups_and_gaps_are_respected():
    X = predictable_noise(400, 4, random_state=2)
    groups = np.repeat([0, 1], 200)
    X[300] = np.nan
    model = SpectralRegression(2, n_lags=2).fit(X, groups=groups)
    Y = model.transform(X)
    np.testing.assert_allclose(np.nanstd(Y, axis=0), 1, rtol=1e-9)
    assert np.flatnonzero(np.isnan(Y).any(axis=1)).tolist() == [300]
    assert np.isfinite(model.score(X, groups=groups))
    # A gap cuts as the border of a group does.
    cut = np.delete(X, 300, axis=0)
    ids = np.repeat([0, 1, 2], [200, 100, 99])
    other = SpectralRegression(2, n_lags=2).fit(cut, groups=ids)
    # Lanczos starts from other numbers, and finds eigenvectors to about half of the digits.
    np.testing.assert_allclose(other.transform(cut), np.delete(Y, 300, axis=0), atol=1e-6)


def test_the_same_bits_again():
    X = predictable_noise(400, 4, random_state=3)
    first, second = (SpectralRegression(2, n_jobs=n).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(first.components_, second.components_)


# --- what goes wrong ----------------------------------------------------------------------------


def two_worlds():
    """Two sequences whose states are never similar: the graph has two pieces."""
    X = predictable_noise(200, 3, random_state=0)
    X[:80] += 1000.0
    return X, np.repeat([0, 1], [80, 120])


def test_pieces_are_reported():
    X, groups = two_worlds()
    with pytest.warns(DisconnectedGraphWarning, match=r"200 rows falls into 2 pieces .*120.*80\)"):
        model = SpectralRegression(1, max_iter=1).fit(X, groups=groups)
    assert model.n_pieces_ == 2
    assert model.eigenvalues_[0] < 1e-4  # 0 for the pieces; the noise of a channel is 1e-3 of it
    Y = model.transform(X)[:, 0]
    assert Y[:80].max() < Y[80:].min() or Y[:80].min() > Y[80:].max()


def test_the_largest_piece_can_be_embedded_alone():
    X, groups = two_worlds()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SpectralRegression(1, max_iter=1, pieces="largest").fit(X, groups=groups)
    assert model.n_pieces_ == 1
    # As if the smaller sequence were not there, up to the whitening before the search.
    assert model.eigenvalues_[0] > 0.1
    alone = SpectralRegression(1, max_iter=1).fit(X[80:])
    both = model.transform(X[80:])[:, 0], alone.transform(X[80:])[:, 0]
    assert abs(np.corrcoef(*both)[0, 1]) > 0.9


def test_errors():
    X = predictable_noise(100, 3, random_state=0)
    with pytest.raises(RankError, match="n_components=4 is more than the rank 3"):
        SpectralRegression(4).fit(X)
    with pytest.raises(RankError, match=r"more than the 0 independent functions .*Lasso"):
        SpectralRegression(1, regressor=Lasso(100.0)).fit(X)
    with pytest.raises(RankError, match=r"more than the \d independent functions .*FewChannels"):
        SpectralRegression(2, regressor=FewChannels(1, shared=True)).fit(X)
    with pytest.raises(ShortSequencesError):
        SpectralRegression(1, n_lags=2).fit(X, groups=np.repeat(np.arange(50), 2))
    with pytest.raises(ValueError, match="'regressor' parameter of SpectralRegression must be"):
        SpectralRegression(1, regressor=3).fit(X)
