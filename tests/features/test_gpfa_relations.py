"""What GPFA must and must not be moved by: trials, missing rows, past edges."""

from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, sparse

from predfeat import GPFA, SFA, RandomFeatures, nearest_neighbors
from predfeat.datasets import predictable_noise
from predfeat.measures import predictability, subspace_angles

REFERENCE = Path(__file__).parents[1] / "reference"


def block_graph(times, neighbors, n_lags, length, graph):
    """W over trials of one length; a row's trial is its number divided by the length."""
    n_rows = length * (int(times[-1]) // length + 1)
    centers, others = [], []
    for shift in (1, -n_lags):

        def stays(rows, shift=shift):
            return (rows + shift) // length == rows // length

        for t, row in zip(times, neighbors, strict=True):
            if not stays(t):
                continue
            nodes = np.r_[t, row[stays(row)]] + shift
            if graph == "full":
                centers.append(np.repeat(nodes, len(nodes)))
                others.append(np.tile(nodes, len(nodes)))
            else:
                centers += [np.full(len(nodes) - 1, t + shift), nodes[1:]]
                others += [nodes[1:], np.full(len(nodes) - 1, t + shift)]
    rows, columns = np.concatenate(centers), np.concatenate(others)
    shape = (n_rows, n_rows)
    return sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()


@pytest.mark.parametrize("graph", ["full", "star"])
def test_many_trials_are_a_block_graph(graph):
    # 200 trials of 60 samples. The neighbours may come from any trial; every edge's nodes are
    # successors, or predecessors, within their own.
    random = np.random.default_rng(0)
    n_trials, length, n_lags = 200, 60, 2
    groups = np.repeat(np.arange(n_trials), length)
    X = random.normal(size=(n_trials * length, 4))
    X[:, 0] += np.sin(0.5 * np.arange(len(X)) + random.uniform(0, 6, n_trials)[groups])
    X[1:, 1] += X[:-1, 0]
    # White from the start, so that the model's own whitening is no part of the comparison.
    X -= X.mean(axis=0)
    X = X @ linalg.inv(linalg.sqrtm(X.T @ X / len(X)))
    model = GPFA(2, n_lags=n_lags, n_neighbors=5, graph=graph, max_iter=1).fit(X, groups=groups)

    table = nearest_neighbors(X, n_neighbors=5, n_lags=n_lags, groups=groups)
    W = block_graph(table.times, table.indices, n_lags, length, graph)
    D = sparse.diags_array(W.sum(axis=1))
    vectors = linalg.eigh(X.T @ ((D - W) @ X), X.T @ (D @ X))[1][:, :2]
    assert subspace_angles(model, vectors, X)[0] < 1e-6  # the same problem, solved twice
    # The borders matter: without them the span is another.
    joined = GPFA(2, n_lags=n_lags, n_neighbors=5, graph=graph, max_iter=1).fit(X)
    assert subspace_angles(joined, vectors, X)[0] > 1e-3


def test_shuffling_many_trials_leaves_the_span():
    trials = predictable_noise(6000, 5, random_state=0).reshape(100, 60, 5)
    groups = np.repeat(np.arange(100), 60)
    order = np.random.default_rng(1).permutation(100)
    X, shuffled = trials.reshape(-1, 5), trials[order].reshape(-1, 5)
    options = {"n_neighbors": 5, "max_iter": 3, "tol": 0}
    model = GPFA(2, **options).fit(X, groups=groups)
    other = GPFA(2, **options).fit(shuffled, groups=groups)
    assert subspace_angles(model, other, X)[0] < 1e-6


@pytest.mark.parametrize(
    "method",
    [GPFA(3, n_lags=2, max_iter=20), GPFA(3, n_lags=2, max_iter=20, graph="full"), SFA(3)],
    ids=["star", "full", "sfa"],
)
def test_a_fifth_of_the_rows_may_be_missing(method):
    with np.load(REFERENCE / "var2_0.npz") as figures:
        X = figures["x_train"]
    holed = X.copy()
    holed[np.random.default_rng(0).random(len(X)) < 0.2] = np.nan
    complete = method.fit(X).components_.T
    # A random span of the same size would be off by about 80 degrees.
    assert subspace_angles(method.fit(holed), complete, X)[0] < 10.0


@pytest.fixture(scope="module")
def toy_scores():
    """Mean predictability of the test features on the toy data, three repetitions."""
    methods = {
        "star": GPFA(2),
        "full": GPFA(2, graph="full"),
        "star, no past": GPFA(2, past=False),
        "full, no past": GPFA(2, past=False, graph="full"),
        "random": RandomFeatures(2, random_state=0),
    }
    scores = {name: [] for name in [*methods, "truth"]}
    for seed in range(3):
        X = predictable_noise(800, 10, random_state=seed)
        for name, method in methods.items():
            features = method.fit(X[:700]).transform(X[700:])
            scores[name].append(predictability(features))
        scores["truth"].append(predictability(X[700:, :2]))
    return {name: np.mean(values) for name, values in scores.items()}


@pytest.mark.parametrize("graph", ["star", "full"])
def test_toy_is_solved(toy_scores, graph):
    # The tolerance for 50 repetitions is 0.06; the mean over 3 varies a little more.
    assert toy_scores[graph] < toy_scores["truth"] + 0.1
    assert toy_scores["random"] > 1.6


@pytest.mark.parametrize("graph", ["star", "full"])
def test_without_past_edges_toy_is_not_solved(toy_scores, graph):
    # Noise that only remembers its own last value: the future alone cannot tell.
    assert toy_scores[f"{graph}, no past"] > 1.6


def test_the_features_found_are_the_two_that_can_be_predicted():
    X = predictable_noise(1500, 10, random_state=3)
    truth = np.eye(10)[:, :2]
    assert subspace_angles(GPFA(2).fit(X), truth, X)[0] < 15.0  # random: about 80 degrees


def test_a_nonlinear_law_is_found_where_linear_methods_see_noise():
    # The logistic map has the spectrum and the autocorrelation of white noise.
    random = np.random.default_rng(4)
    y = np.empty(1000)
    y[0] = 0.3
    for t in range(999):
        y[t + 1] = 4 * y[t] * (1 - y[t])
    X = np.column_stack([(y - 0.5) * np.sqrt(8), random.normal(size=(1000, 3))])
    X = X @ random.normal(size=(4, 4))
    signal = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0][:, None]
    assert subspace_angles(GPFA(1).fit(X), signal, X)[0] < 1.0
