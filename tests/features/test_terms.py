"""GPFA with terms of other kinds, with actions, with other metrics and with given neighbours."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import naive
import naive_edges
from predfeat import GPFA, SFA, nearest_neighbors
from predfeat.exceptions import (
    AnnotationError,
    GraphError,
    IgnoredTargetWarning,
    MetricError,
    TooFewStatesError,
)
from predfeat.graph import (
    Adjacent,
    Different,
    Future,
    GraphContext,
    Local,
    Past,
    SameLabel,
    SimilarValue,
)
from predfeat.measures import subspace_angles
from predfeat.series import check_sequences
from predfeat.whitening import fit_whitening


def angle(model, directions):
    return float(subspace_angles(model.components_.T, directions).max())


def filters_of(hidden, X):
    """Return the directions that extract hidden signals from the data by regression."""
    return np.linalg.lstsq(X - X.mean(axis=0), hidden - hidden.mean(axis=0), rcond=None)[0]


def mixed(hidden, n_noise, random):
    """Hide signals among dimensions of noise."""
    sources = np.column_stack([hidden, random.normal(size=(len(hidden), n_noise))])
    n_columns = sources.shape[1]
    return sources @ np.linalg.qr(random.normal(size=(n_columns, n_columns)))[0]


# --- known answers ---------------------------------------------------------------------------


def test_adjacent_alone_is_slow_feature_analysis(seed):
    X, groups = naive.random_series(seed, [150, 120], 5, n_gaps=4)
    model = GPFA(2, terms=[Adjacent()], normalized=False).fit(X, groups=groups)
    slow = SFA(2).fit(X, groups=groups)
    # One eigenproblem, with another scale of the matrix.
    assert angle(model, slow.components_.T) < 1e-8
    assert model.n_iter_ == 1


def test_same_label_alone_is_linear_discriminant_analysis(seed):
    random = np.random.default_rng(seed)
    X, label = random.normal(size=(400, 6)), random.integers(0, 3, size=400)
    X[label == 1, :2] += 2.0
    X[label == 2, 1:3] -= 1.0
    model = GPFA(2, terms=[SameLabel()]).fit(X, label)
    discriminant = LinearDiscriminantAnalysis(solver="eigen").fit(X, label)
    assert angle(model, discriminant.scalings_[:, :2]) < 1e-6


def test_local_alone_is_a_dense_eigenproblem(seed):
    X = np.random.default_rng(seed).normal(size=(80, 4))
    white = fit_whitening(check_sequences(X)).apply(check_sequences(X)).rows
    W = naive_edges.nearest(white, range(80), 5)
    laplacian, degree = naive_edges.laplacian_and_degree(W, white)
    expected = white @ eigh(laplacian, degree)[1][:, :2]
    found = GPFA(2, terms=[Local(n_neighbors=5)]).fit_transform(X)
    assert subspace_angles(found, expected).max() < 1e-6


@pytest.mark.parametrize("graph", ["star", "full"])
def test_the_papers_terms_are_the_default(graph, seed):
    X = np.random.default_rng(seed).normal(size=(200, 4))
    both = GPFA(2, terms=[Future(graph), Past(graph)]).fit(X)
    np.testing.assert_array_equal(both.components_, GPFA(2, graph=graph).fit(X).components_)
    future = GPFA(2, terms=[Future(graph)]).fit(X)
    expected = GPFA(2, graph=graph, past=False).fit(X)
    np.testing.assert_array_equal(future.components_, expected.components_)


def test_a_weight_of_zero_is_no_term(seed):
    random = np.random.default_rng(seed)
    X, label = random.normal(size=(200, 4)), random.integers(0, 2, size=200)
    terms = [Future(), SameLabel(weight=0), Past(), Local(weight=0.0), Different(weight=0, of="y")]
    found = GPFA(2, terms=terms).fit(X, label)
    np.testing.assert_array_equal(found.components_, GPFA(2).fit(X).components_)


# --- labels ----------------------------------------------------------------------------------


def biased_labels(seed):
    """A class in one direction, known for a tenth of the rows that lie on one side of another."""
    random = np.random.default_rng(seed)
    is_one = random.integers(0, 2, size=3000)
    X = random.normal(size=(3000, 6))
    X[:, 0] += 2.0 * is_one
    known = np.argsort(-X[:, 1] + random.normal(size=3000))[:300]
    label = np.full(3000, np.nan)
    label[known] = is_one[known]
    return X, label


def test_labels_of_a_biased_tenth_find_the_class():
    truth, with_labels, without = np.eye(6)[:, :1], [], []
    for seed in range(20):
        X, label = biased_labels(seed)
        model = GPFA(1, terms=[Future(), Past(), SameLabel()], max_iter=10).fit(X, label)
        with_labels.append(angle(model, truth))
        if seed < 5:
            without.append(angle(GPFA(1, max_iter=10).fit(X), truth))
    assert np.mean(with_labels) < 25.0 < 45.0 < np.mean(without)


def test_labels_and_time_find_what_neither_finds_alone():
    """Two slow channels; one tells a class, too; another channel tells the class better."""
    found = {"both": [], "time": [], "labels": []}
    terms = {
        "both": [Future(), Past(), SameLabel(weight=0.5)],
        "time": [Future(), Past()],
        "labels": [SameLabel()],
    }
    for seed in range(5):
        random = np.random.default_rng(seed)
        label = np.repeat(random.integers(0, 2, size=60), 50)
        slow = np.zeros((3000, 2))
        for t in range(1, 3000):
            slow[t] = (0.97, 0.9) * slow[t - 1] + random.normal(size=2)
        slow /= slow.std(axis=0)
        slow[:, 1] += 1.5 * label
        fast = random.normal(size=3000) + 3.0 * label * random.choice([1, 1, 0], size=3000)
        X = mixed(np.column_stack([slow, fast]), 3, random)
        truth = filters_of(slow[:, 1:], X)
        for name, of_name in terms.items():
            model = GPFA(1, terms=of_name).fit(X, label if name != "time" else None)
            found[name].append(angle(model, truth))
    mean = {name: np.mean(angles) for name, angles in found.items()}
    assert mean["both"] < 0.7 * min(mean["time"], mean["labels"]), mean


def test_values_and_rewards_find_what_tells_them(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(1000, 5))
    reward = X[:, 2] + 0.1 * random.normal(size=1000)
    reward[random.random(1000) < 0.5] = np.nan
    model = GPFA(1, terms=[Future(), SimilarValue(of="rewards")]).fit(X, rewards=reward)
    assert angle(model, np.eye(5)[:, 2:3]) < 10.0
    model = GPFA(1, terms=[SimilarValue()]).fit(X, reward)
    assert angle(model, np.eye(5)[:, 2:3]) < 5.0


# --- actions ---------------------------------------------------------------------------------


def sign_flips(seed, n_rows=3000, phi=0.98):
    """The action decides the sign of the next state; four dimensions of noise."""
    random = np.random.default_rng(seed)
    action = random.choice([-1, 1], size=n_rows)
    x = np.zeros((n_rows, 1))
    for t in range(n_rows - 1):
        x[t + 1] = action[t] * phi * x[t] + np.sqrt(1 - phi**2) * random.normal()
    return mixed(x, 4, random), action, x


def rotations(seed, n_rows=3000, phi=0.98):
    """The action is the angle by which two dimensions turn; four dimensions of noise."""
    random = np.random.default_rng(seed)
    turn = random.uniform(-np.pi, np.pi, size=n_rows)
    x = np.zeros((n_rows, 2))
    for t in range(n_rows - 1):
        c, s = np.cos(turn[t]), np.sin(turn[t])
        x[t + 1] = phi * (x[t] @ [[c, s], [-s, c]])
        x[t + 1] += np.sqrt(1 - phi**2) * random.normal(size=2)
    return mixed(x, 4, random), turn, x


def test_the_action_decides_the_sign():
    with_actions, without = [], []
    for seed in range(20):
        X, action, x = sign_flips(seed)
        truth = filters_of(x, X)
        with_actions.append(angle(GPFA(1).fit(X, actions=action), truth))
        if seed < 5:
            without.append(angle(GPFA(1).fit(X), truth))
    assert max(with_actions) < 1.0
    assert np.mean(without) > 45.0


@pytest.mark.parametrize("n_lags", [1, 2])
def test_both_kinds_of_edges_know_the_action(n_lags):
    X, action, x = sign_flips(0)
    truth = filters_of(x, X)
    for terms in ([Future()], [Past()]):
        model = GPFA(1, n_lags=n_lags, terms=terms).fit(X, actions=action)
        assert angle(model, truth) < 2.0


def test_actions_may_be_quantities():
    for seed in range(3):
        X, turn, x = rotations(seed)
        truth = filters_of(x, X)
        assert angle(GPFA(2).fit(X, actions=turn[:, None]), truth) < 1.0
        assert angle(GPFA(2).fit(X, actions=turn), truth) < 1.0
        assert angle(GPFA(2).fit(X), truth) > 30.0


def test_what_actions_are_called_does_not_matter():
    X, action, _ = sign_flips(0, n_rows=400)
    named = np.where(action > 0, "up", "down")
    expected = GPFA(1).fit(X, actions=action).components_
    for same in (named, named.tolist(), action.astype(float), action > 0):
        np.testing.assert_array_equal(GPFA(1).fit(X, actions=same).components_, expected)


def test_one_action_is_no_action():
    X, _, _ = sign_flips(0, n_rows=400)
    # The state without a predecessor has no action that led to it.
    one = GPFA(2, past=False).fit(X, actions=np.zeros(400, dtype=int))
    np.testing.assert_array_equal(one.components_, GPFA(2, past=False).fit(X).components_)


def test_actions_do_not_cross_episodes():
    """The action of the last row leads nowhere: whatever it is, nothing changes."""
    X, action, _ = sign_flips(0, n_rows=600)
    groups = np.repeat(np.arange(6), 100)
    ends = np.arange(99, 600, 100)
    models = []
    for other in (None, 1, -1):
        changed = action.astype(object)
        changed[ends] = other
        models.append(GPFA(1, terms=[Past()], n_neighbors=5, n_lags=1))
        models[-1].fit(X, groups=groups, actions=changed)
    for model in models[1:]:
        np.testing.assert_array_equal(model.components_, models[0].components_)


def test_quantities_of_any_scale_count_alike():
    X, turn, _ = rotations(0, n_rows=300)
    expected = GPFA(2).fit(X, actions=turn[:, None]).components_
    constant = np.full(300, 0.1)
    # A power of two changes no digit.
    for scaled in (2.0**660 * turn, 2.0**-660 * turn, np.column_stack([turn, constant])):
        found = GPFA(2).fit(X, actions=scaled.reshape(300, -1)).components_
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    nothing = np.column_stack([turn, np.full(300, np.nan)])
    with pytest.raises(TooFewStatesError, match=r"states with an action, but .* there are 0"):
        GPFA(2).fit(X, actions=nothing)


def test_rare_actions_are_named():
    X, action, _ = sign_flips(0, n_rows=400)
    action[[5, 17, 33]] = 7
    message = r"at least 11 states with each action, but .* fewer with 7 \(3\)\. Use at most"
    with pytest.raises(TooFewStatesError, match=message):
        GPFA(1).fit(X, actions=action)
    missing = action.astype(float)
    missing[action == 7] = np.nan
    GPFA(1).fit(X, actions=missing)


# --- metrics and given neighbours --------------------------------------------------------------


def white_rows(X):
    series = check_sequences(X)
    return fit_whitening(series).apply(series).rows


def test_given_euclidean_neighbors_are_the_input_to_the_bit(seed):
    X = np.random.default_rng(seed).normal(size=(200, 4))
    Z = white_rows(X)
    expected = GPFA(2, n_lags=2, n_neighbors=5).fit(X).components_
    table = nearest_neighbors(Z, n_neighbors=7, n_lags=2)
    model = GPFA(2, n_lags=2, n_neighbors=5, init=table).fit(X)
    np.testing.assert_array_equal(model.components_, expected)
    expected = GPFA(2, n_neighbors=5).fit(X).components_
    graph = KNeighborsTransformer(n_neighbors=5, mode="distance").fit_transform(Z)
    table = nearest_neighbors(Z, n_neighbors=5)
    for init in (graph, (table.indices, table.distances), (table.distances, table.indices)):
        model = GPFA(2, n_neighbors=5, init=init).fit(X)
        np.testing.assert_array_equal(model.components_, expected)


def test_given_neighbors_are_used_once(seed):
    """Wrong neighbours change the first iteration only by what they connect."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 4))
    wrong = (random.integers(0, 200, size=(200, 30)), random.random(size=(200, 30)))
    first = GPFA(2, n_neighbors=5, init=wrong, max_iter=1).fit(X)
    right = GPFA(2, n_neighbors=5, max_iter=1).fit(X)
    assert not np.allclose(first.components_, right.components_)
    second = GPFA(2, n_neighbors=5, init=wrong, max_iter=2, tol=0).fit(X)
    again = GPFA(2, n_neighbors=5, init=first.components_.T, max_iter=1).fit(X)
    np.testing.assert_allclose(second.components_, again.components_, rtol=1e-6, atol=1e-9)


def test_the_euclidean_metric_is_the_default(seed):
    X = np.random.default_rng(seed).normal(size=(200, 4))
    model = GPFA(2, metric="euclidean").fit(X)
    np.testing.assert_array_equal(model.components_, GPFA(2).fit(X).components_)


def test_a_metric_compares_the_data_as_given():
    """The 1000-fold scale of one column decides in the input, and not in white space."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3)) * (1.0, 1000.0, 1.0)
    by_name = GPFA(1, metric="sqeuclidean", max_iter=1).fit(X)

    def squared(a, b):
        return float(np.sum((a - b) ** 2))

    by_function = GPFA(1, metric=squared, max_iter=1).fit(X)
    np.testing.assert_allclose(by_name.components_, by_function.components_)
    table = nearest_neighbors(X, n_neighbors=10)
    given = GPFA(1, init=table, max_iter=1).fit(X)
    np.testing.assert_allclose(by_name.components_, given.components_)


# --- scikit-learn, bad input -------------------------------------------------------------------


def test_annotations_reach_the_last_step_of_a_pipeline():
    import sklearn

    X, action, _ = sign_flips(0, n_rows=400)
    with sklearn.config_context(enable_metadata_routing=True):
        model = GPFA(1).set_fit_request(actions=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, actions=action)
    expected = GPFA(1).fit(StandardScaler().fit_transform(X), actions=action)
    np.testing.assert_array_equal(pipeline[-1].components_, expected.components_)


def test_terms_are_cloned():
    model = GPFA(terms=[Future("full"), SameLabel(weight=0.5)])
    assert clone(model).get_params()["terms"] == model.terms
    assert model.__sklearn_tags__().target_tags.required
    assert not GPFA().__sklearn_tags__().target_tags.required


RANDOM = np.random.default_rng(0)
X60, Y60 = RANDOM.normal(size=(60, 3)), RANDOM.integers(0, 2, size=60)


@pytest.mark.parametrize(
    ("parameters", "known", "error", "message"),
    [
        ({"terms": [SameLabel()]}, {}, AnnotationError, r"y is needed.*fit\(X, y\)"),
        ({"terms": [SameLabel()]}, {"y": Y60[:50]}, AnnotationError, r"60 rows .* \(50,\)"),
        ({"terms": [SameLabel()]}, {"y": [None] * 60}, AnnotationError, r"all 60 .* are missing"),
        ({}, {"actions": Y60[:9]}, AnnotationError, r"actions must have one entry .* \(9,\)"),
        ({}, {"actions": [np.inf] + [0.5] * 59}, AnnotationError, "infinite value in row 0"),
        ({"terms": [Future(), 7]}, {}, ValueError, r"terms must hold edge terms.* 7"),
        ({"terms": []}, {}, GraphError, "no samples are connected"),
        ({"terms": [Future()], "graph": "full"}, {}, ValueError, "graph='full' has no effect"),
        ({"terms": [Future()], "past": False}, {}, ValueError, "past=False has no effect"),
        ({"metric": "cosine", "init": "sfa"}, {}, ValueError, "but init is 'sfa'"),
        ({"metric": "nonsense"}, {}, MetricError, "metric='nonsense' failed"),
        ({"metric": "precomputed"}, {}, ValueError, "give the neighbours as init"),
        ({"metric": lambda a, b: np.nan}, {}, MetricError, "returned nan"),
        ({"metric": "cosine"}, {"actions": X60[:, :1]}, ValueError, "quantities stand beside"),
        ({"refine": True}, {"actions": Y60}, ValueError, "refine=True judges features by"),
        ({"init": "auto", "terms": [Adjacent(), Future()]}, {}, ValueError, 'init="auto" judges'),
        (
            {"init": nearest_neighbors(X60, n_neighbors=10)},
            {"actions": Y60},
            ValueError,
            "found without actions",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(parameters, known, error, message):
    known = dict(known)
    with pytest.raises(error, match=message):
        GPFA(1, **parameters).fit(X60, known.pop("y", None), **known)


def test_a_metric_needs_the_data_itself():
    series = check_sequences(X60)
    model, whitening = GPFA(1, metric="cosine"), fit_whitening(series)
    with pytest.raises(ValueError, match=r"metric compares the rows of X.*use fit\(X\)"):
        model.fit_white(whitening.apply(series), whitening)
    of_series = GPFA(1, metric="cosine").fit_series(series)
    np.testing.assert_array_equal(of_series.components_, model.fit(X60).components_)


def test_annotations_that_no_term_uses_are_reported():
    with pytest.warns(IgnoredTargetWarning, match="rewards are ignored: no term"):
        GPFA(1).fit(X60, rewards=Y60)
    with pytest.warns(IgnoredTargetWarning, match="actions are ignored: no term"):
        GPFA(1, terms=[Adjacent()]).fit(X60, actions=Y60)
    GPFA(1, terms=[SameLabel(of="actions")]).fit(X60, actions=Y60)  # warnings are errors


def test_a_term_of_the_users_own_sees_the_annotations():
    seen = []

    class Watching:
        def neighborhoods(self, context):
            seen.append(context)
            return Future().neighborhoods(context)

    GPFA(1, terms=[Watching()], max_iter=1).fit(X60, actions=Y60)
    assert isinstance(seen[0], GraphContext)
    np.testing.assert_array_equal(seen[0].annotations.actions, Y60)
