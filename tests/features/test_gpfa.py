"""GPFA equals its slow twin, which builds every state, neighbourhood and edge."""

import numpy as np
import pytest

import naive_measures as twins
from predfeat import GPFA, PFA, SFA, ForeCA
from predfeat.exceptions import DimensionError, RankError
from predfeat.measures import predictability, subspace_angles

# Degrees. Both sides solve the same eigenproblem; 1e-6 degrees are 2e-8 rad, the rounding of
# 1e-16 enlarged by gaps between eigenvalues of down to 1e-8.
SAME = 1e-6


def recording(seed=0, lengths=(70,), gaps=(), n_columns=4):
    """A nonlinear oscillation among noise, mixed, in sequences with gaps."""
    random = np.random.default_rng(seed)
    n_rows = sum(lengths)
    X = random.normal(size=(n_rows, n_columns))
    phase = 0.7 * np.arange(n_rows) + 0.3 * random.normal(size=n_rows).cumsum()
    X[:, 0] = 1.4 * np.sin(phase) + 0.1 * X[:, 0]
    X[:, 1] = 1.4 * np.abs(np.cos(phase)) + 0.1 * X[:, 1]
    X = X @ random.normal(size=(n_columns, n_columns)) + random.normal(size=n_columns)
    X[list(gaps), 0] = np.nan
    groups = None if len(lengths) == 1 else np.repeat(np.arange(len(lengths)), lengths)
    return X, groups


def assert_twins(X, groups, *, n_components, n_lags, n_neighbors, n_iterations, **options):
    kind = options.pop("graph", "star")
    model = GPFA(
        n_components,
        n_lags=n_lags,
        n_neighbors=n_neighbors,
        max_iter=n_iterations,
        tol=0,
        graph=kind,
        **options,
    ).fit(X, groups=groups)
    directions, values = twins.gpfa(
        X,
        n_components,
        n_lags,
        n_neighbors,
        kind=kind,
        n_iterations=n_iterations,
        groups=groups,
        **options,
    )
    assert subspace_angles(model, directions, X)[0] < SAME
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    # Not the span alone: each feature, in the order of the eigenvalues.
    for own, twin in zip(model.components_, directions.T, strict=True):
        assert subspace_angles(own[:, None], twin[:, None], X)[0] < 100 * SAME
    return model


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("weighting", ["equal", "inverse_spread"])
@pytest.mark.parametrize("n_iterations", [1, 3])
def test_every_kind_of_graph(graph, past, normalized, weighting, n_iterations):
    X, groups = recording(lengths=(40, 30), gaps=(12, 55))
    assert_twins(
        X,
        groups,
        n_components=2,
        n_lags=2,
        n_neighbors=4,
        n_iterations=n_iterations,
        graph=graph,
        past=past,
        normalized=normalized,
        weighting=weighting,
    )


@pytest.mark.parametrize("graph", ["full", "star"])
def test_rare_loud_moments_count_less_when_calm(graph):
    random = np.random.default_rng(3)
    X = random.normal(size=(1500, 3))
    X[1:, 0] = X[:-1, 1]  # half predictable, all the time
    X[:, 2] *= np.where(random.random(1500) < 0.02, 5.0, 0.1)  # silent but for clicks
    equal, calm = (
        GPFA(1, weighting=weighting, graph=graph, normalized=False).fit(X).components_[0]
        for weighting in ("equal", "inverse_spread")
    )
    assert abs(equal[2]) * X[:, 2].std() < 0.1
    assert abs(calm[2]) * X[:, 2].std() > 0.9


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize("n_lags", [1, 2, 4])
@pytest.mark.parametrize("n_neighbors", [1, 3, 8])
@pytest.mark.parametrize(
    "shape",
    [
        {"lengths": (70,)},
        {"lengths": (70,), "gaps": (0, 20, 21, 69)},
        {"lengths": (25, 1, 30, 14)},  # a sequence of one row has no edges
        {"lengths": (30, 40), "gaps": (10, 29, 30, 60)},  # gaps on both sides of a border
    ],
    ids=["one", "gaps", "sequences", "both"],
)
def test_lags_neighbours_sequences_and_gaps(graph, n_lags, n_neighbors, shape):
    X, groups = recording(seed=n_lags + 10 * n_neighbors, **shape)
    assert_twins(
        X,
        groups,
        n_components=2,
        n_lags=n_lags,
        n_neighbors=n_neighbors,
        n_iterations=2,
        graph=graph,
    )


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize(("n_lags", "horizon"), [(1, 2), (3, 2), (2, 5)])
def test_more_steps_ahead(graph, past, n_lags, horizon):
    # Gaps so near to each other that a step of one row would be inside and one of five is not.
    X, groups = recording(lengths=(40, 6, 44), gaps=(12, 15, 20, 66))
    options = {"n_components": 2, "n_lags": n_lags, "n_neighbors": 4, "n_iterations": 2}
    assert_twins(X, groups, graph=graph, past=past, horizon=horizon, **options)


@pytest.mark.parametrize("theiler", [1, 5])
def test_theiler(theiler):
    X, groups = recording(seed=3, lengths=(40, 30))
    common = {"n_components": 2, "n_lags": 1, "n_neighbors": 3, "n_iterations": 2}
    windowed = assert_twins(X, groups, theiler=theiler, **common)
    plain = assert_twins(X, groups, **common)
    assert subspace_angles(windowed, plain, X)[0] > 1e-3  # the window makes a difference


@pytest.mark.parametrize("n_intermediate", [1, 2, 4])
def test_features_between_iterations(n_intermediate):
    X, groups = recording(seed=4)
    assert_twins(
        X,
        groups,
        n_components=2,
        n_lags=1,
        n_neighbors=4,
        n_iterations=3,
        n_intermediate=n_intermediate,
    )


def test_given_directions_to_start_in():
    X, groups = recording(seed=5)
    # Of very different lengths: only what they extract may count.
    init = np.random.default_rng(0).normal(size=(4, 3)) * [1.0, 100.0, 0.01]
    model = assert_twins(
        X, groups, n_components=2, n_lags=1, n_neighbors=4, n_iterations=1, init=init
    )
    elsewhere = GPFA(2, n_neighbors=4, max_iter=1).fit(X)
    assert subspace_angles(model, elsewhere, X)[0] > 1e-3


@pytest.mark.parametrize("n_intermediate", [None, 3])
@pytest.mark.parametrize("name", ["pca", "sfa", "slow_fast", "pfa", "foreca"])
def test_starting_in_the_features_of_another_method(name, n_intermediate):
    X, _ = recording(seed=6, lengths=(150,))
    n_between = n_intermediate or 2
    if name == "pca":
        centred = X - X.mean(axis=0)
        directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :n_between]
    elif name == "slow_fast":
        every = SFA(X.shape[1]).fit(X)
        furthest = np.argsort(-np.abs(every.eigenvalues_ - 2))[:n_between]
        directions = every.components_[furthest].T
    else:
        method = {
            "sfa": SFA(n_between),
            "pfa": PFA(n_between, n_lags=2),
            "foreca": ForeCA(n_between),
        }[name]
        directions = method.fit(X).components_.T
    options = {"n_lags": 2, "n_neighbors": 5, "max_iter": 2, "n_intermediate": n_intermediate}
    named = GPFA(2, init=name, **options).fit(X)
    given = GPFA(2, init=directions, **options).fit(X)
    assert subspace_angles(named, given, X)[0] < SAME
    np.testing.assert_allclose(named.eigenvalues_, given.eigenvalues_, rtol=1e-9)
    from_input = GPFA(2, **options).fit(X)
    assert subspace_angles(named, from_input, X)[0] > 1e-3  # the start makes a difference


def eq_2(Y, groups):
    return predictability(Y, 2, groups=groups)


def typical_variance(Y, groups):
    return twins.typical_variance(Y, 2, groups=groups)


STARTS = ["input", "pca", "sfa", "slow_fast", "pfa"]


def fits_of_all_lengths(start, longest, X, groups, **options):
    """Return the fits from a start that end after 1, 2, … iterations."""
    return [
        GPFA(2, init=start, max_iter=n, tol=0, **options).fit(X, groups=groups)
        for n in range(1, longest + 1)
    ]


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize(
    ("weighting", "judge"), [("equal", eq_2), ("inverse_spread", typical_variance)]
)
@pytest.mark.parametrize("seed", range(3))
def test_auto_keeps_the_start_and_the_iteration_with_the_most_predictable_training_features(
    graph, weighting, judge, seed
):
    # So many columns that the starts end apart, some by more than 10 % and some by less.
    X, groups = recording(seed=seed, lengths=(100, 60), n_columns=20)
    options = {"n_lags": 2, "n_neighbors": 5, "graph": graph, "weighting": weighting}
    best, scores = {}, {}
    for start in STARTS:
        fits = fits_of_all_lengths(start, 7, X, groups, **options)
        left_open = [judge(fit.transform(X), groups) for fit in fits]
        scores[start] = min(left_open)
        best[start] = fits[left_open.index(scores[start])]
    assert any(fit.n_iter_ < 7 for fit in best.values())  # or this would show nothing
    auto = GPFA(2, init="auto", max_iter=7, **options).fit(X, groups=groups)
    assert auto.start_scores_ == pytest.approx(scores, rel=1e-9)
    good = 1.1 * min(scores.values())
    assert auto.init_ == next(start for start in STARTS if scores[start] <= good)
    kept = best[auto.init_]
    assert auto.n_iter_ == kept.n_iter_
    np.testing.assert_array_equal(auto.components_, kept.components_)
    np.testing.assert_array_equal(auto.eigenvalues_, kept.eigenvalues_)
    for name in ("eigenvalues", "angle"):
        np.testing.assert_array_equal(auto.history_[name], kept.history_[name])
    assert len(auto.history_["seconds"]) == kept.n_iter_


@pytest.mark.parametrize("tol", [1e-3, 0])
def test_auto_looks_ahead_before_it_stops(tol, monkeypatch):
    monkeypatch.setattr("predfeat.features._best_start.LOOK_AHEAD", 2)
    monkeypatch.setattr("predfeat.features._best_start.TRIED", ("sfa",))
    n_kept = []
    for seed in range(6):
        X, groups = recording(seed=seed, lengths=(100, 60), n_columns=20)
        fits = fits_of_all_lengths("sfa", 6, X, groups, n_neighbors=5)
        scores = [predictability(fit.transform(X), 1, groups=groups) for fit in fits]
        auto = GPFA(2, init="auto", n_neighbors=5, max_iter=6, tol=tol).fit(X, groups=groups)
        best = 0
        for n, score in enumerate(scores):
            if score < scores[best]:
                best = n
            if tol > 0 and n - best == 2:
                break
        np.testing.assert_array_equal(auto.components_, fits[best].components_)
        n_kept.append((best, int(np.argmin(scores))))
    # In some the best comes after two in vain, which only tol=0 sees.
    assert any(kept != best for kept, best in n_kept) == (tol > 0)


def test_auto_averages_what_ends_with_the_best():
    X, groups = recording(seed=2, lengths=(100, 60), n_columns=20)
    options = {"n_neighbors": 5, "n_averaged": 3}
    auto = GPFA(2, init="auto", max_iter=12, **options).fit(X, groups=groups)
    assert auto.n_iter_ >= 4  # or there is nothing to average
    same = GPFA(2, init=auto.init_, max_iter=auto.n_iter_, tol=0, **options).fit(X, groups=groups)
    np.testing.assert_array_equal(auto.components_, same.components_)
    np.testing.assert_array_equal(auto.eigenvalues_, same.eigenvalues_)


def mean_of_spaces(spaces):
    """Return the first directions of the mean projector."""
    projectors = [A @ np.linalg.inv(A.T @ A) @ A.T for A in spaces]
    vectors = np.linalg.eigh(np.mean(projectors, axis=0))[1]
    return vectors[:, ::-1][:, : spaces[0].shape[1]]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize(("n_averaged", "n_used"), [(2, 2), (3, 3), (9, 3)])
def test_the_last_spaces_averaged(n_averaged, n_used, normalized):
    X, groups = recording(seed=5, lengths=(100, 60))
    X = (X - X.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(X.T, bias=True))).T  # white
    options = {"n_neighbors": 3, "tol": 0, "normalized": normalized}
    ends = [
        GPFA(2, max_iter=7 - n, **options).fit(X, groups=groups).components_.T
        for n in range(n_used)
    ]
    assert subspace_angles(ends[0], ends[1])[0] > 1  # they differ, or this would show nothing
    model = GPFA(2, max_iter=7, n_averaged=n_averaged, **options).fit(X, groups=groups)
    assert subspace_angles(model, mean_of_spaces(ends))[0] < SAME
    assert len(model.history_["angle"]) == model.n_iter_ == 7
    # Ordered by their own eigenvalues: those of the last graph within the mean space.
    last = GPFA(2, max_iter=7, **options).fit(X, groups=groups)
    assert np.all(np.diff(model.eigenvalues_) > 0)
    assert np.all(model.eigenvalues_ >= last.eigenvalues_ - 1e-12)
    variances = model.transform(X).var(axis=0)
    np.testing.assert_allclose(variances, 1.0, rtol=1e-9)


def test_one_iteration_has_nothing_to_average():
    X, _ = recording(seed=5)
    for n_iterations in (1, 2, 3):
        plain = GPFA(2, max_iter=n_iterations, tol=0).fit(X)
        averaged = GPFA(2, max_iter=n_iterations, tol=0, n_averaged=10).fit(X)
        np.testing.assert_array_equal(plain.components_, averaged.components_)


def test_auto_takes_the_few_states_there_are():
    X = np.random.default_rng(0).normal(size=(6, 2))
    assert GPFA(1, n_neighbors=2, init="auto").fit(X).components_.shape == (1, 2)


def test_a_start_may_have_any_number_of_columns():
    X, _ = recording(seed=7)
    one = GPFA(2, init=np.eye(4)[:, :1], max_iter=1, n_neighbors=4).fit(X)
    assert one.components_.shape == (2, 4)
    # All white axes, in any basis that keeps distances, are white space itself.
    basis = GPFA(4, max_iter=1, normalized=False, n_neighbors=4).fit(X).components_.T
    everything = GPFA(2, init=basis, max_iter=1, n_neighbors=4).fit(X)
    plain = GPFA(2, max_iter=1, n_neighbors=4).fit(X)
    assert subspace_angles(everything, plain, X)[0] < SAME


@pytest.mark.parametrize(
    ("init", "error", "message"),
    [
        (np.eye(3), DimensionError, r"init must have one row per column of X, 4, .*\(3, 3\)"),
        (np.ones(4), DimensionError, r"init must be .*2-D.*shape \(4,\)"),
        (np.c_[np.eye(4)[:, 0], np.zeros(4)], RankError, r"column 1 of init extracts nothing"),
    ],
)
def test_directions_that_cannot_be_started_in(init, error, message):
    X, _ = recording()
    with pytest.raises(error, match=message):
        GPFA(2, init=init).fit(X)


def test_more_intermediate_features_than_directions():
    X, _ = recording()
    with pytest.raises(RankError, match=r"n_intermediate=5 is more than the rank 4"):
        GPFA(2, n_intermediate=5).fit(X)


def test_eigenvalues_ascend():
    X, _ = recording(seed=8)
    for graph in ("full", "star"):
        for normalized in (True, False):
            model = GPFA(4, graph=graph, normalized=normalized, n_neighbors=5, max_iter=2).fit(X)
            assert np.all(np.diff(model.eigenvalues_) >= 0)
            assert model.eigenvalues_[0] >= -1e-12  # a Laplacian has no negative ones
            if normalized:
                assert model.eigenvalues_[-1] <= 2 + 1e-12  # a bound of normalised Laplacians


@pytest.mark.parametrize("method", ["tree", "blockwise"])
def test_the_engine_does_not_matter(method):
    X, groups = recording(seed=9, lengths=(100, 100))
    options = {"n_lags": 2, "n_neighbors": 5, "max_iter": 4}
    chosen = GPFA(2, engine=method, **options).fit(X, groups=groups)
    automatic = GPFA(2, **options).fit(X, groups=groups)
    np.testing.assert_array_equal(chosen.components_, automatic.components_)


@pytest.mark.parametrize("method", ["tree", "blockwise"])
def test_threads_do_not_matter(method):
    # Large enough for several blocks, and more columns than the tree takes by itself.
    X = np.random.default_rng(10).normal(size=(2500, 10))
    options = {"engine": method, "max_iter": 2, "n_lags": 1}
    one = GPFA(3, n_jobs=1, **options).fit(X)
    two = GPFA(3, n_jobs=2, **options).fit(X)
    np.testing.assert_array_equal(two.components_, one.components_)
    np.testing.assert_array_equal(two.eigenvalues_, one.eigenvalues_)
