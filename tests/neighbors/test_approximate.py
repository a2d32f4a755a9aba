"""The contract of approximate engines, and the recall by which they are judged."""

from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from predfeat import GPFA, load, nearest_neighbors, save
from predfeat.exceptions import (
    DimensionError,
    LowRecallWarning,
    NotEnoughMemoryError,
    TooFewStatesError,
)
from predfeat.neighbors import (
    InvertedLists,
    NeighborTable,
    choose_engine,
    engines,
    recall,
    register_engine,
    search,
    unregister_engine,
)
from predfeat.neighbors import _inverted_lists as module
from predfeat.series import check_sequences, find_states

# A sum of squares of differences is right to about N·p roundings of 2e-16.
ROUNDING = 1e-12


def _named(engine):
    missing = pytest.mark.skipif(not engine.is_available(), reason=f"{engine.needs} is missing")
    return pytest.param(engine.name, marks=missing)


APPROXIMATE = [_named(engine) for engine in engines() if not engine.is_exact]
every_engine = pytest.mark.parametrize("engine", APPROXIMATE)


def states_of(X, p=1, groups=None):
    return find_states(check_sequences(X, groups), p, n_neighbors=1)


def clusters(n_rows, n_columns, seed=0, n_clusters=30):
    rng = np.random.default_rng(seed)
    centers = 10.0 * rng.normal(size=(n_clusters, n_columns))
    return centers[rng.integers(0, n_clusters, n_rows)] + rng.normal(size=(n_rows, n_columns))


def assert_honest(table, X, groups, p, k, theiler):
    """Assert all that the contract promises but that no neighbour is missed."""
    sequence = naive.sequence_of_rows(X, groups)
    valid = naive.state_times(X, groups, p)
    assert table.times.tolist() == valid
    assert table.indices.shape == table.distances.shape == (len(valid), k)
    for t, found, distances in zip(valid, table.indices.tolist(), table.distances, strict=True):
        assert len(set(found)) == k
        assert set(found) <= set(valid)
        assert all(naive.allowed(sequence, t, i, theiler) for i in found)
        assert np.all(np.diff(distances) >= 0)
        true = [naive.distance(naive.state(X, t, p), naive.state(X, i, p)) for i in found]
        np.testing.assert_allclose(distances, true, rtol=ROUNDING)


@every_engine
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=4),
    n_columns=st.integers(1, 4),
    n_gaps=st.sampled_from([0, 0, 1, 4]),
    kind=st.sampled_from(["normal", "lattice", "equal", "offset", "scales", "outlier"]),
    p=st.integers(1, 4),
    k=st.integers(1, 5),
    theiler=st.sampled_from([0, 0, 1, 3, 50]),
)
def test_contract(engine, seed, lengths, n_columns, n_gaps, kind, p, k, theiler):
    X, groups = naive.random_series(seed, lengths, n_columns, n_gaps, kind)
    _, indices, _ = naive.nearest(X, groups, p, k, theiler)
    if not indices or min(map(len, indices)) < k:
        return
    table = nearest_neighbors(
        X, n_neighbors=k, n_lags=p, groups=groups, theiler=theiler, engine=engine
    )
    assert_honest(table, X, groups, p, k, theiler)


@every_engine
@pytest.mark.parametrize(("p", "least"), [(1, 0.8), (3, 0.8)])
def test_most_neighbors_are_found_among_clusters(engine, p, least):
    states = states_of(clusters(4000, 6), p)
    assert recall(search(states, 10, engine=engine), states) >= least


@every_engine
def test_a_library_and_its_theiler_window(engine):
    X = clusters(3000, 4, seed=1)
    library = states_of(X)
    some = find_states(library.series, 1, n_neighbors=1)
    some = type(some)(some.series, some.times[::50], 1)
    table = search(some, 5, library=library, theiler=20, engine=engine)
    assert np.all(np.abs(table.indices - table.times[:, None]) > 20)
    assert recall(table, some, library=library, theiler=20) > 0.8
    other = states_of(clusters(200, 4, seed=1))
    table = search(other, 5, library=library, engine=engine)
    assert recall(table, other, library=library) > 0.8


@every_engine
def test_same_bits_whatever_the_threads(engine):
    X = clusters(3000, 5, seed=2)
    first, *others = (
        nearest_neighbors(X, n_neighbors=6, n_lags=2, engine=engine, n_jobs=n_jobs)
        for n_jobs in (1, 2, 3, 1)
    )
    for other in others:
        np.testing.assert_array_equal(first.indices, other.indices)
        np.testing.assert_array_equal(first.distances, other.distances)


@every_engine
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_thread_counts_are_restored(engine, n_jobs, two_blas_threads):
    faiss = pytest.importorskip("faiss")
    before, openmp = two_blas_threads(), faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(2)
    try:
        nearest_neighbors(clusters(1500, 3), n_neighbors=2, engine=engine, n_jobs=n_jobs)
        assert faiss.omp_get_max_threads() == 2
    finally:
        faiss.omp_set_num_threads(openmp)
    assert two_blas_threads()[: len(before)] == before


@every_engine
def test_duplicates_are_not_their_own_neighbors(engine):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((1200, 1)) < 0.5, 7.25, rng.normal(size=(1200, 1)))
    table = nearest_neighbors(X, n_neighbors=4, engine=engine)
    assert not np.any(table.indices == table.times[:, None])
    np.testing.assert_array_equal(table.distances[X[:, 0] == 7.25], 0.0)
    # Four copies of each row, fewer than would be searched as crowds.
    X = np.repeat(rng.normal(size=(400, 3)), 4, axis=0)
    table = nearest_neighbors(X, n_neighbors=5, engine=engine)
    assert not np.any(table.indices == table.times[:, None])
    np.testing.assert_array_equal(table.distances[:, :3], 0.0)


@every_engine
def test_more_neighbors_than_a_cell_holds_and_fewer_states_than_cells(engine):
    X = clusters(600, 3, seed=4)
    table = nearest_neighbors(X, n_neighbors=500, engine=engine)
    assert all(len(set(row)) == 500 for row in table.indices.tolist())
    assert recall(table, states_of(X)) > 0.8
    few = X[:6]
    exact, found = (nearest_neighbors(few, n_neighbors=5, engine=e) for e in ("auto", engine))
    np.testing.assert_array_equal(found.indices, exact.indices)
    with pytest.raises(TooFewStatesError, match="n_neighbors=6 needs"):
        nearest_neighbors(few, n_neighbors=6, engine=engine)


@every_engine
def test_offsets_and_sizes_do_not_matter(engine):
    X = clusters(1500, 3, seed=5)
    expected = nearest_neighbors(X, n_neighbors=3, engine=engine)
    for scale in (2.0**600, 2.0**-600):
        table = nearest_neighbors(scale * X, n_neighbors=3, engine=engine)
        np.testing.assert_array_equal(table.indices, expected.indices)
    moved = nearest_neighbors(X + 1e6, n_neighbors=3, engine=engine)
    assert recall(moved, states_of(X + 1e6)) > 0.8


def test_never_chosen_but_by_name():
    for n_rows, n_columns in [(50, 1), (3000, 2), (20_000, 30)]:
        X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
        assert choose_engine(states_of(X)) not in {e.name for e in engines() if not e.is_exact}


def test_a_larger_share_finds_more_and_the_whole_finds_all():
    pytest.importorskip("faiss")
    states = states_of(np.random.default_rng(6).normal(size=(4000, 12)))
    shares = {"a hundredth": 0.01, "a tenth": 0.1, "all": 1.0}
    found = {}
    for name, share in shares.items():
        register_engine(InvertedLists(name, share=share))
        try:
            found[name] = recall(search(states, 10, engine=name), states)
        finally:
            unregister_engine(name)
    assert found["a hundredth"] < found["a tenth"] < found["all"] == 1.0


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, np.nan])
def test_a_share_that_cannot_be(share):
    with pytest.raises(ValueError, match="more than 0 and at most 1"):
        InvertedLists("x", share=share)


def test_the_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    X = np.zeros((5, 1))
    message = r'engine="ivf" needs faiss-cpu: pip install "predfeat\[approximate\]", or use "auto"'
    with pytest.raises(ImportError, match=message):
        nearest_neighbors(X, n_neighbors=1, engine="ivf")
    with pytest.raises(ImportError, match="which are exact"):
        GPFA(1, engine="ivf").fit(np.random.default_rng(0).normal(size=(50, 2)))


def test_states_that_do_not_fit_are_refused_before_the_work(monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setattr(module, "available_memory", lambda: 10_000)
    with pytest.raises(
        NotEnoughMemoryError, match=r"500 states of 6 numbers .* needs 12 kB; 10 kB are fr"
    ):
        nearest_neighbors(np.random.default_rng(0).normal(size=(501, 3)), n_neighbors=1,
                          n_lags=2, engine="ivf")  # fmt: skip


def test_recall_counts_the_true_neighbors():
    # On a line of whole numbers, the two nearest of 10 are 9 and 11: tied with nothing else.
    states = states_of(np.arange(40.0)[:, None] ** 1.5)
    exact = search(states, 2)
    assert recall(exact, states) == 1.0
    wrong = exact.indices.copy()
    far = (exact.times + 20) % 40
    wrong[:, 1] = far
    position = np.abs(states.series.rows[far, 0] - states.series.rows[exact.times, 0])
    table = NeighborTable(exact.times, wrong, np.column_stack([exact.distances[:, 0], position]))
    assert recall(table, states) == 0.5
    with pytest.raises(DimensionError, match="not among the given ones"):
        recall(table, states_of(np.arange(30.0)[:, None]))


def test_recall_of_tied_neighbors_is_whole():
    # Each of a lattice's states has many at the same distance, and any of them is right.
    X = np.random.default_rng(7).integers(0, 3, size=(300, 4)).astype(float)
    states = states_of(X)
    exact = search(states, 3)
    others = search(states_of(X), 12)
    tied = np.isclose(others.distances, exact.distances[:, -1:])
    last = 11 - np.argmax(tied[:, ::-1], axis=1)
    rows = np.arange(len(last))
    indices, distances = exact.indices.copy(), exact.distances.copy()
    indices[:, -1], distances[:, -1] = others.indices[rows, last], others.distances[rows, last]
    assert np.any(indices != exact.indices)
    assert recall(NeighborTable(exact.times, indices, distances), states) == 1.0


@every_engine
def test_gpfa_keeps_the_recall(engine, tmp_path):
    X = clusters(1500, 5, seed=8)
    options = {"n_components": 2, "max_iter": 3, "tol": 0}
    model = GPFA(**options, engine=engine).fit(X)
    assert 0.5 < model.recall_ <= 1.0
    save(model, tmp_path / "m.predfeat")
    assert load(tmp_path / "m.predfeat").recall_ == model.recall_
    np.testing.assert_array_equal(
        model.components_, GPFA(**options, engine=engine, n_jobs=2).fit(X).components_
    )
    model.set_params(engine="auto").fit(X)
    assert not hasattr(model, "recall_")


class Hardly(InvertedLists):
    """Find one neighbour in a few: those that follow in time."""

    def search(self, question, n_threads):
        from predfeat.neighbors import rank_candidates

        owner, step = np.divmod(
            np.arange(len(question.queries) * question.n_neighbors), question.n_neighbors
        )
        first = np.searchsorted(question.library.times, question.queries.times)
        return rank_candidates(question, owner, (first[owner] + 1 + step) % len(question.library))


def test_a_low_recall_is_warned_of():
    engine = Hardly("hardly")
    engine.is_available = lambda: True
    register_engine(engine)
    try:
        X = np.random.default_rng(9).normal(size=(400, 4))
        with pytest.warns(LowRecallWarning, match=r'engine="hardly" found only \d+% of the true'):
            model = GPFA(1, engine="hardly", max_iter=2).fit(X)
        assert model.recall_ < 0.5
    finally:
        unregister_engine("hardly")


@every_engine
def test_two_threads_of_a_program_may_search_at_once(engine):
    X = clusters(1500, 4, seed=10)
    expected = nearest_neighbors(X, n_neighbors=5, engine=engine)
    found = []
    threads = [
        Thread(target=lambda: found.append(nearest_neighbors(X, n_neighbors=5, engine=engine)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for table in found:
        np.testing.assert_array_equal(table.indices, expected.indices)


@every_engine
def test_queries_that_meet_too_few_states_are_searched_exactly(engine):
    # On a ramp all states of the near cells lie inside the window, however many are visited.
    X = np.arange(2000.0)[:, None]
    options = {"n_neighbors": 3, "theiler": 900}
    exact, found = (nearest_neighbors(X, engine=e, **options) for e in ("auto", engine))
    np.testing.assert_array_equal(found.indices, exact.indices)
