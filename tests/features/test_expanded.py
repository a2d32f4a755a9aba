"""Nonlinear features: the relations to the linear methods, kernels, gaps, layers, and guards."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
import naive_kernel
from predfeat import (
    DCA,
    GPFA,
    LPP,
    PFA,
    SFA,
    DescentFeatures,
    Expanded,
    ForeCA,
    RandomFeatures,
    nearest_neighbors,
    significance,
)
from predfeat.datasets import hidden_amplitude, hidden_cascade, hidden_product
from predfeat.exceptions import (
    ConstantColumnsWarning,
    ExpansionError,
    IgnoredTargetWarning,
    ManyColumnsWarning,
    RankError,
    ScaleError,
)
from predfeat.expansions import LandmarkKernel, Polynomial
from predfeat.features import find_neighbors
from predfeat.features._layers import with_ridge
from predfeat.graph import (
    Future,
    GraphContext,
    Past,
    SameLabel,
    SimilarValue,
    connect,
    explicit_graph,
)
from predfeat.measures import left_open, subspace_angles
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening

METHODS = [
    GPFA(max_iter=4),
    GPFA(graph="full", n_lags=2, max_iter=3, init="pfa", pca_components=3),
    SFA(),
    PFA(),
    ForeCA(random_state=0),
    DCA(n_window=2, n_starts=2),
    LPP(),
    DescentFeatures(n_starts=1, n_sets=1, max_iter=2),
    RandomFeatures(random_state=0),
]
by_name = pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
few_rows = pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.IgnoredTargetWarning")
@few_rows  # most checks have 20 rows or so
@parametrize_with_checks([Expanded(), Expanded(SFA(), "kernel", n_layers=2)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def data(seed=0, n_rows=400, n_columns=4):
    """Two sequences with gaps, of columns that are mixed and not centred."""
    X, groups = naive.random_series(seed, [n_rows // 2, n_rows - n_rows // 2], n_columns, n_gaps=9)
    random = np.random.default_rng(seed)
    X[:, 0] += 2 * np.sin(0.1 * np.arange(n_rows))
    return X @ random.normal(size=(n_columns, n_columns)) + 5.0, groups


# --- relations -----------------------------------------------------------------------------------


@by_name
@pytest.mark.parametrize("n_layers", [1, 2])
def test_the_identity_is_the_plain_method_bit_for_bit(method, n_layers):
    X, groups = data()
    plain = clone(method).fit(X, groups=groups)
    model = Expanded(method, "identity", n_layers=n_layers).fit(X, groups=groups)
    assert model.transform(X).tobytes() == plain.transform(X).tobytes()
    for name in ("components_", "mean_", "patterns_"):
        np.testing.assert_array_equal(getattr(model.estimator_, name), getattr(plain, name))
    assert model.score(X, groups=groups) == plain.score(X, groups=groups)


@pytest.mark.parametrize("method", [GPFA(max_iter=3), SFA(), PFA()], ids=repr)
def test_a_polynomial_kernel_with_all_landmarks_is_the_polynomial(method):
    X = data(n_rows=120, n_columns=3)[0]
    X = X[~np.isnan(X).any(axis=1)]
    quadratic = Expanded(method, "quadratic").fit(X)
    with few():
        kernel = Expanded(method, LandmarkKernel("poly", n_landmarks=len(X), degree=2)).fit(X)
    assert kernel.rank_ == quadratic.rank_ == 9
    angles = subspace_angles(kernel.transform(X), quadratic.transform(X))
    assert np.max(angles) < 1e-6


def few():
    """Return a context in which few rows for each direction are no warning."""
    return warnings.catch_warnings(action="ignore", category=ManyColumnsWarning)


def graph_of(X, k=5, graph="star"):
    """Return the explicit Laplacian and degrees of the graph of neighbours in the white input."""
    series = check_sequences(X)
    white = fit_whitening(series).apply(series)
    table = nearest_neighbors(white.rows, n_neighbors=k)
    context = GraphContext(white=white, space=white, neighbors=table, n_lags=1)
    found = explicit_graph(connect([Future(graph), Past(graph)], context))
    return found.laplacian.toarray(), found.degree.toarray(), white.rows


@pytest.mark.parametrize("graph", ["star", "full"])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_primal_is_the_kernel_in_the_dual(graph, degree):
    X = np.random.default_rng(degree).normal(size=(150, 3)) @ np.random.default_rng(0).normal(
        size=(3, 3)
    )
    L, D, white = graph_of(X, graph=graph)
    K = naive_kernel.polynomial_kernel(white, white, degree, coef0=0.0 if degree == 1 else 1.0)
    features, values = naive_kernel.solve(K, L, D, 2)
    method = GPFA(2, n_neighbors=5, graph=graph, max_iter=1)
    if degree == 1:  # the linear kernel is the plain method
        plain = clone(method).fit(X)
        assert np.max(subspace_angles(features, plain.transform(X))) < 1e-6
    with few():
        for expansion in (
            Polynomial(degree),
            LandmarkKernel("poly", 150, degree=degree, coef0=1.0),
        ):
            model = Expanded(method, expansion).fit(X)
            np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-6)
            assert np.max(subspace_angles(features, model.transform(X))) < 1e-4


def test_the_first_neighbors_come_from_the_white_input():
    X = data()[0]
    series = check_sequences(X)
    white = fit_whitening(series).apply(series)
    method = GPFA(2, max_iter=1)
    given = find_neighbors(white, method.settings)
    model = Expanded(method).fit(X)
    same = Expanded(clone(method).set_params(init=given)).fit(X)
    np.testing.assert_array_equal(model.transform(X), same.transform(X))
    # Neighbours among the expanded columns are others.
    expanded = fit_whitening(check_sequences(X)).apply(series).samples
    products = PolynomialFeatures(2, include_bias=False).fit_transform(expanded)
    rows = np.full((len(X), products.shape[1]), np.nan)
    rows[series.valid] = products
    other = clone(method).fit(rows)
    assert np.max(angles_of(other.transform(rows), model.transform(X))) > 1.0


def angles_of(first, second):
    """Return the angles between features of the rows without a gap."""
    known = ~np.isnan(first).any(axis=1)
    return subspace_angles(first[known], second[known])


@by_name
def test_an_expansion_is_the_method_on_expanded_columns(method):
    # All but GPFA and LPP see nothing but the expanded white series.
    if isinstance(method, GPFA | LPP | RandomFeatures | DescentFeatures):
        pytest.skip("depends on the basis of the columns")
    X, groups = data(n_columns=3)
    model = Expanded(method).fit(X, groups=groups)
    series = check_sequences(X, groups)
    white = fit_whitening(series).apply(series)
    rows = np.full((len(X), 9), np.nan)
    rows[series.valid] = PolynomialFeatures(2, include_bias=False).fit_transform(white.samples)
    plain = clone(method).fit(rows, groups=groups)
    # ForeCA and DCA stop where they no longer improve, in other digits of the same columns.
    assert np.max(angles_of(plain.transform(rows), model.transform(X))) < 0.1


@pytest.mark.parametrize("expansion", ["quadratic", "cubic"])
def test_any_invertible_mixing_of_the_inputs_leaves_the_features(expansion, seed):
    X, groups = data(seed, n_columns=3)
    mixing = np.random.default_rng(seed).normal(size=(3, 3))
    model = Expanded(SFA(2), expansion)
    first = model.fit(X, groups=groups).transform(X)
    second = clone(model).fit(X @ mixing, groups=groups).transform(X @ mixing)
    assert np.max(angles_of(first, second)) < 1e-4


def test_a_transformer_of_scikit_learn():
    X, groups = data()
    ours = Expanded(SFA(2), "quadratic").fit(X, groups=groups)
    theirs = Expanded(SFA(2), PolynomialFeatures(2, include_bias=False)).fit(X, groups=groups)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


# --- layers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", ["star", "full"])
def test_later_layers_embed_the_same_graph(graph):
    # With one iteration the graph is that of the white input, in both layers.
    X = np.random.default_rng(3).normal(size=(200, 3))
    L, D, _ = graph_of(X, k=10, graph=graph)
    model = Expanded(GPFA(2, graph=graph, max_iter=1), n_layers=2, layer_components=4)
    with few():
        model.fit(X)
    rows = X
    for layer in model.layers_:
        rows = layer.expand(rows)
    rows = rows - rows.mean(axis=0)
    # The graph's own smallest solutions among all functions of the last layer.
    A, B = rows.T @ L @ rows, rows.T @ D @ rows
    values, _ = naive.smallest_solutions(A, B, 2)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-6)
    features = model.transform(X)
    quotients = [f @ L @ f / (f @ D @ f) for f in features.T]
    np.testing.assert_allclose(quotients, model.eigenvalues_, rtol=1e-6)


def test_later_layers_are_richer():
    # Their functions include those of the layer before, so that the same graph is embedded better.
    X = data(n_rows=800, n_columns=3)[0]
    values = [
        Expanded(GPFA(2, max_iter=1), n_layers=n, layer_components=5).fit(X).eigenvalues_
        for n in (1, 2, 3)
    ]
    assert np.all(np.diff(np.sum(values, axis=1)) < 0)


def test_layers_of_other_methods_are_fitted_anew():
    X, groups = data(n_rows=800)
    model = Expanded(SFA(2), n_layers=2, layer_components=3).fit(X, groups=groups)
    first = Expanded(SFA(3)).fit(X, groups=groups)
    second = Expanded(SFA(2)).fit(first.transform(X), groups=groups)
    features = second.transform(first.transform(X))
    assert np.max(angles_of(model.transform(X), features)) < 1e-5
    assert len(model.layers_) == 2
    assert len(model.layers_[1].directions[0]) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"init": "auto"}, "init='auto' does not go with"),
        ({"refine": True}, "refine=True does not"),
    ],
)
def test_layers_refuse_what_does_not_keep_a_graph(changes, message):
    with pytest.raises(ExpansionError, match=message):
        Expanded(GPFA(**changes), n_layers=2).fit(data()[0])
    Expanded(GPFA(max_iter=2, **changes)).fit(data()[0])


# --- what is found -------------------------------------------------------------------------------


def halves(make, n_noise, seed):
    X, _ = make(5000, n_noise, random_state=seed)
    return X[:3500], X[3500:]


@pytest.mark.parametrize("make", [hidden_amplitude, hidden_product])
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_hidden_is_found_on_rows_not_seen(make, seed):
    train, test = halves(make, 8, seed)
    linear = left_open(GPFA(1, max_iter=10).fit(train).transform(test)).share()
    quadratic = left_open(Expanded(GPFA(1, max_iter=10)).fit(train).transform(test)).share()
    assert linear > 0.9
    assert quadratic < 0.1


def test_what_needs_two_layers_is_found_by_two():
    train, test = halves(hidden_cascade, 2, 0)
    one, two = (
        left_open(Expanded(GPFA(1, max_iter=10), n_layers=n).fit(train).transform(test)).share()
        for n in (1, 2)
    )
    assert one > 0.4
    assert two < 0.2


@few_rows
def test_noise_stays_insignificant():
    X = np.random.default_rng(0).normal(size=(120, 6))
    found = significance(Expanded(SFA(1)), X, n_surrogates=19)
    assert found.n_significant == 0


def test_labels_reach_the_graph():
    X, labels = np.random.default_rng(0).normal(size=(400, 3)), np.arange(400) % 2
    X[:, 0] *= 1 + 2 * labels  # the classes differ in what they spread
    model = Expanded(GPFA(1, terms=[SameLabel()])).fit(X, labels)
    feature = model.transform(X)[:, 0]
    linear = GPFA(1, terms=[SameLabel()]).fit(X, labels).transform(X)[:, 0]
    assert abs(np.corrcoef(feature, labels)[0, 1]) > 0.3 > abs(np.corrcoef(linear, labels)[0, 1])
    with pytest.warns(IgnoredTargetWarning, match="ignored by Expanded"):
        Expanded(SFA(1)).fit(X, np.repeat([0, 1], 200))


def test_the_identity_knows_actions_and_rewards_as_the_plain_method():
    X, groups = data()
    random = np.random.default_rng(0)
    known = {"actions": random.integers(2, size=len(X)), "rewards": random.normal(size=len(X))}
    method = GPFA(1, terms=[Future(), SimilarValue(of="rewards")], max_iter=3)
    plain = clone(method).fit(X, groups=groups, **known)
    for n_layers in (1, 2):
        model = Expanded(method, "identity", n_layers=n_layers).fit(X, groups=groups, **known)
        np.testing.assert_array_equal(model.estimator_.components_, plain.components_)
    assert not np.allclose(plain.components_, clone(method).fit(X[::-1], **known).components_)


def flipped_amplitude(seed, n_rows=1500):
    """The action decides whether the next amplitude is large or small; angles are uniform."""
    random = np.random.default_rng(seed)
    action = random.choice([-1, 1], size=n_rows)
    x = np.zeros(n_rows)
    for t in range(n_rows - 1):
        x[t + 1] = action[t] * 0.95 * x[t] + 0.3 * random.normal()
    amplitude, angle = np.exp(0.4 * x), random.uniform(0, 2 * np.pi, n_rows)
    hidden = amplitude[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.hstack([hidden, random.normal(size=(n_rows, 2))]), action, amplitude


@pytest.mark.parametrize("n_layers", [1, 2])
def test_actions_reach_the_graph(n_layers):
    X, action, amplitude = flipped_amplitude(0)
    method = GPFA(1, max_iter=10)
    knowing = Expanded(method, n_layers=n_layers).fit(X, actions=action)
    ignorant = Expanded(method, n_layers=n_layers).fit(X)
    assert abs(np.corrcoef(knowing.transform(X)[:, 0], amplitude**2)[0, 1]) > 0.9
    assert 2 * knowing.eigenvalues_[0] < ignorant.eigenvalues_[0]


def test_actions_and_rewards_that_nothing_uses_are_reported():
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.warns(IgnoredTargetWarning, match="actions are ignored: Expanded uses them only"):
        Expanded(SFA(1)).fit(X, actions=np.arange(200) % 2)
    with pytest.warns(IgnoredTargetWarning, match="rewards are ignored: no term of this Expanded"):
        Expanded(GPFA(1)).fit(X, rewards=np.arange(200) % 2)


# --- guards --------------------------------------------------------------------------------------


def test_few_rows_for_each_direction_are_reported():
    X = np.random.default_rng(0).normal(size=(80, 4))
    with pytest.warns(ManyColumnsWarning, match="80 rows for 14 directions .* fewer than 10"):
        Expanded(SFA()).fit(X)
    Expanded(SFA(), expanded_components=8).fit(X)


def test_a_ridge_gives_way_to_none():
    X, groups = data()
    plain = Expanded(SFA(2)).fit(X, groups=groups).transform(X)
    shrunk = Expanded(SFA(2), ridge=1e-12).fit(X, groups=groups).transform(X)
    assert np.max(angles_of(plain, shrunk)) < 1e-2


def test_a_ridge_protects_from_what_hardly_varies():
    # A slow difference of two columns that are almost equal; what they share is faster.
    random = np.random.default_rng(0)
    tiny = np.sin(0.01 * np.arange(2000))
    other = random.normal(size=2000) + 2 * np.sin(0.3 * np.arange(2000))

    def nearly_equal(rows):
        return np.column_stack([rows[:, 0], rows[:, 0] + 1e-4 * rows[:, 1]])  # widest first

    X = np.column_stack([tiny, other])
    plain, careful = (
        Expanded(SFA(1), FunctionTransformer(nearly_equal), ridge=ridge).fit(X).transform(X)[:, 0]
        for ridge in (0.0, 1e-2)
    )
    assert abs(np.corrcoef(plain, tiny)[0, 1]) > 0.99
    assert abs(np.corrcoef(careful, other)[0, 1]) > 0.99


def test_a_ridge_is_tikhonov(seed):
    # In the limit of many rows, the noise adds its share to the columns' covariance.
    random = np.random.default_rng(seed)
    X = random.normal(size=(40_000, 3)) @ random.normal(size=(3, 3))
    series = check_sequences(X)
    whitening = fit_whitening(series)
    white, back = with_ridge(whitening.apply(series), whitening, 0.3, random)
    covariance = np.cov(X.T, ddof=0)
    noisy = covariance + 0.3 * np.diag(np.diag(covariance))
    np.testing.assert_allclose(back.directions.T @ noisy @ back.directions, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(back.patterns @ back.directions, np.eye(3), atol=1e-9)
    # 40 000 rows: a covariance is off by one part in two hundred.
    np.testing.assert_allclose(white.rows.T @ white.rows / len(X), np.eye(3), atol=0.03)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_layers": 0}, "'n_layers' parameter of Expanded must be"),
        ({"ridge": -1.0}, "'ridge' parameter of Expanded must be"),
        ({"expanded_components": 1.0}, "'expanded_components' parameter of Expanded must be"),
        ({"estimator": StandardScaler()}, "estimator must be a linear method"),
        ({"estimator": GPFA(0)}, "'n_components' parameter of GPFA must be"),
        ({"expansion": "cubik"}, "expansion must be one of 'identity'"),
        ({"expansion": 3}, "'expansion' parameter of Expanded must be"),
        ({"expansion": "cubic", "estimator": SFA(pca_components=80)}, "cubic makes 91880 columns"),
    ],
)
def test_parameters_that_cannot_be(parameters, message):
    with pytest.raises(ValueError, match=message):
        Expanded(**parameters).fit(data()[0])


def test_more_features_than_expanded_directions():
    with pytest.raises(RankError, match="n_components=6 is more than the rank 5"):
        Expanded(SFA(6)).fit(np.random.default_rng(0).normal(size=(100, 2)))
    assert Expanded(SFA(5)).fit(np.random.default_rng(0).normal(size=(100, 2))).rank_ == 5


def test_numbers_of_another_size_are_refused():
    X = data()[0]
    model = Expanded(SFA()).fit(X)
    with pytest.raises(ScaleError, match="larger than the largest number of float64"):
        model.transform(X * 1e200)


# --- conventions ---------------------------------------------------------------------------------


def test_before_a_fit():
    model = Expanded()
    with pytest.raises(NotFittedError):
        model.transform(data()[0])
    for name in ("history_", "eigenvalues_", "rank_", "inverse_transform"):
        assert not hasattr(model, name)
    assert (model.n_lags, model.horizon) == (1, 1)
    assert Expanded(PFA(n_lags=3, horizon=2)).n_lags == 3


def test_a_failed_fit_keeps_the_earlier_one():
    X = data()[0]
    model = Expanded(SFA()).fit(X)
    before = model.transform(X)
    with pytest.raises(RankError):
        model.set_params(estimator__n_components=50).fit(X)
    np.testing.assert_array_equal(model.transform(X), before)


def test_what_describes_the_method_is_at_hand():
    X = data()[0]
    model = Expanded(GPFA(max_iter=3, tol=0)).fit(X)
    assert model.history_["eigenvalues"].shape == (3, 2)
    assert list(model.get_feature_names_out()) == ["expanded0", "expanded1"]
    deep = Expanded(GPFA(max_iter=3, tol=0), n_layers=2, layer_components=4).fit(X)
    assert deep.history_["eigenvalues"].shape == (3, 2)


def test_sequences_do_not_reach_into_each_other():
    X, groups = data()
    X[groups == 1] += 40.0
    apart = Expanded(SFA(1)).fit(X, groups=groups)
    joined = Expanded(SFA(1)).fit(X)
    assert np.max(angles_of(apart.transform(X), joined.transform(X))) > 1e-6
    with sklearn.config_context(enable_metadata_routing=True):
        method = Expanded(SFA(1)).set_fit_request(groups=True).set_score_request(groups=True)
        pipeline = make_pipeline(FunctionTransformer(), method).fit(X, groups=groups)
        assert pipeline.score(X, groups=groups) == apart.score(X, groups=groups)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_other_kinds_of_numbers(kind):
    X = (100 * np.random.default_rng(0).normal(size=(300, 3))).astype(kind)
    X.setflags(write=False)
    model = Expanded(SFA()).fit(np.asfortranarray(X))
    expected = Expanded(SFA()).fit(X.astype(np.float64)).transform(X.astype(np.float64))
    # float32 leaves 7 digits, of which whitening and squares need a few.
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(expected), atol=1e-3)


def test_duplicate_and_constant_columns():
    X = np.random.default_rng(0).normal(size=(300, 2))
    more = np.column_stack([X, X[:, 0], np.ones(300)])
    with pytest.warns(ConstantColumnsWarning, match="1 of 4"):
        model = Expanded(SFA()).fit(more)
    assert model.rank_ == 5
    plain = Expanded(SFA()).fit(X)
    assert np.max(subspace_angles(model.transform(more), plain.transform(X))) < 1e-4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (SFA, r"it is the class SFA\. Give an object, SFA\(\)\."),
        (Expanded(SFA(1)), r"such as GPFA\(\) or SFA\(\), or None, but it is Expanded\("),
        ("sfa", "but it is 'sfa'"),
    ],
)
def test_what_is_no_linear_method_is_refused_in_words(given, message):
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(ValueError, match=f"^estimator must be a linear method .*{message}"):
        Expanded(given).fit(X)
