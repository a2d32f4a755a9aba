"""The registry of engines, what they declare, and which one "auto" takes."""

import numpy as np
import pytest

import naive
from predfeat import GPFA, _jit, nearest_neighbors
from predfeat.neighbors import (
    ENGINES,
    Engine,
    choose_engine,
    engines,
    rank_candidates,
    register_engine,
    search,
    unregister_engine,
)
from predfeat.neighbors._blockwise import BLOCKWISE
from predfeat.neighbors._dimension import intrinsic_dimension
from predfeat.series import check_sequences, find_states


class AllPairs(Engine):
    """Brute force, written as a user would write it."""

    name = "all pairs"
    is_exact = True
    takes_library = True

    def __init__(self):
        self.asked = []

    def search(self, question, n_threads):
        self.asked.append(question)
        n_queries, n_states = len(question.queries), len(question.library)
        owner, candidates = np.divmod(np.arange(n_queries * n_states), n_states)
        return rank_candidates(question, owner, candidates)


class NextInTime(Engine):
    """No search at all: the states that follow, whatever their distance."""

    name = "next in time"
    is_exact = False

    def expected_seconds(self, queries, library, at_most=np.inf):
        return 0.0

    def search(self, question, n_threads):
        owner, step = np.divmod(
            np.arange(len(question.queries) * question.n_neighbors), question.n_neighbors
        )
        return rank_candidates(question, owner, (owner + 1 + step) % len(question.library))


@pytest.fixture
def added(request):
    """Register an engine for one test."""
    engine = request.param()
    register_engine(engine)
    yield engine
    unregister_engine(engine.name)


@pytest.mark.parametrize("added", [AllPairs], indirect=True)
@pytest.mark.parametrize("kind", ["normal", "lattice"])
def test_an_engine_from_outside_is_one_of_them(added, kind):
    X, groups = naive.random_series(0, [25, 30], 2, n_gaps=3, kind=kind)
    options = {"n_neighbors": 4, "n_lags": 2, "groups": groups, "theiler": 1}
    found = nearest_neighbors(X, engine="all pairs", **options)
    assert added.asked
    _, indices, distances = naive.nearest(X, groups, 2, 4, 1)
    assert found.indices.tolist() == indices
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)
    table = nearest_neighbors(X, n_neighbors=3, library=X[::-1], engine="all pairs")
    assert table.indices.tolist() == naive.nearest_in_library(X, None, X[::-1], None, 1, 3)[1]


@pytest.mark.parametrize("added", [AllPairs], indirect=True)
def test_estimators_take_a_registered_engine(added):
    X, _ = naive.random_series(1, [60], 3)
    options = {"n_neighbors": 3, "max_iter": 2, "tol": 0}
    expected = GPFA(1, **options).fit(X)
    model = GPFA(1, engine="all pairs", **options).fit(X)
    assert len(added.asked) == 2
    np.testing.assert_array_equal(model.components_, expected.components_)


@pytest.mark.parametrize("added", [AllPairs], indirect=True)
def test_the_names_follow_the_registry(added):
    own = ["tree", "tiles", "blockwise", "ivf"]
    assert list(ENGINES) == ["auto", *own, "all pairs"]
    assert "all pairs" in ENGINES
    assert [engine.name for engine in engines()] == [*own, "all pairs"]
    with pytest.raises(
        ValueError, match=r"'auto', 'tree', 'tiles', 'blockwise', 'ivf', 'all pairs'"
    ):
        nearest_neighbors([[0.0], [1.0]], n_neighbors=1, engine="balltree")
    with pytest.raises(ValueError, match='"blockwise", "ivf" or "all pairs", but is \'ball'):
        search(states_of(5, 1), 1, engine="balltree")
    unregister_engine("all pairs")
    assert list(ENGINES) == ["auto", *own]
    with pytest.raises(ValueError, match="'engine' parameter of nearest_neighbors"):
        nearest_neighbors([[0.0], [1.0]], n_neighbors=1, engine="all pairs")
    register_engine(added)


@pytest.mark.parametrize("added", [NextInTime], indirect=True)
def test_what_is_not_exact_is_never_chosen_but_used_when_named(added):
    states = states_of(60, 3)
    assert choose_engine(states) != added.name
    table = search(states, 2, engine=added.name)
    assert np.sort(table.indices[:-2]).tolist() == [[t + 1, t + 2] for t in range(58)]
    with pytest.raises(
        ValueError, match=r"cannot search a library .*\"tiles\", \"blockwise\" or \"ivf\""
    ):
        search(states, 2, library=states_of(50, 3), engine=added.name)


def test_an_exact_engine_that_expects_to_be_quickest_is_chosen():
    class Quick(AllPairs):
        name = "quick"

        def expected_seconds(self, queries, library, at_most=np.inf):
            return 1e-9

    register_engine(Quick())
    try:
        assert choose_engine(states_of(100, 2)) == "quick"
    finally:
        unregister_engine("quick")
    assert choose_engine(states_of(100, 2)) != "quick"


class Nameless(AllPairs):
    name = ""


class Undeclared(Engine):
    name = "undeclared"

    def search(self, question, n_threads):
        raise AssertionError


class Automatic(AllPairs):
    name = "auto"


class Second(AllPairs):
    name = "tree"


@pytest.mark.parametrize(
    ("engine", "error", "message"),
    [
        (AllPairs, TypeError, "an instance of a subclass of predfeat.neighbors.Engine"),
        ("tree", TypeError, "but this is 'tree'"),
        (Nameless(), ValueError, "needs a name"),
        (Undeclared(), ValueError, "'undeclared' must declare with is_exact"),
        (Automatic(), ValueError, "'auto' already"),
        (Second(), ValueError, "'tree' already"),
    ],
)
def test_what_cannot_be_registered(engine, error, message):
    before = list(ENGINES)
    with pytest.raises(error, match=message):
        register_engine(engine)
    assert list(ENGINES) == before


@pytest.mark.parametrize("name", ["tree", "auto", "balltree"])
def test_only_what_was_registered_is_removed(name):
    with pytest.raises(ValueError, match=f"no engine '{name}' was registered"):
        unregister_engine(name)


def test_too_few_candidates_are_the_engines_fault():
    class Lazy(AllPairs):
        def search(self, question, n_threads):
            return rank_candidates(question, np.array([0]), np.array([1]))

    register_engine(Lazy())
    try:
        with pytest.raises(ValueError, match=r"query 1 has 0 candidates .* must find more"):
            search(states_of(5, 1), 1, engine="all pairs")
    finally:
        unregister_engine("all pairs")


def states_of(n_rows, n_columns, p=1, values=None):
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns)) if values is None else values
    return find_states(check_sequences(X), p, n_neighbors=1)


@pytest.fixture
def compiler(monkeypatch):
    monkeypatch.setattr("predfeat.neighbors._tiles.is_available", lambda: True)


@pytest.fixture
def nothing_loaded(compiler, monkeypatch):
    monkeypatch.setattr("predfeat.neighbors._tiles.is_loaded", lambda: False)
    monkeypatch.setattr(BLOCKWISE, "seconds_spent", 0.0)


def test_auto_rule(nothing_loaded):
    assert choose_engine(states_of(1000, 4, 2)) == "tree"
    assert choose_engine(states_of(1000, 25)) == "blockwise"
    assert choose_engine(states_of(3000, 2)) == "tree"
    assert choose_engine(states_of(3000, 4, 2)) == "tiles"
    assert choose_engine(states_of(3000, 50)) == "tiles"
    assert choose_engine(states_of(10_000, 4)) == "tree"
    assert choose_engine(states_of(10_000, 10)) == "tiles"


def test_auto_rule_with_the_compiled_code_in_memory(compiler, monkeypatch):
    monkeypatch.setattr("predfeat.neighbors._tiles.is_loaded", lambda: True)
    assert choose_engine(states_of(1000, 25)) == "tiles"


@pytest.mark.parametrize("seconds", [0.2, 0.4])
def test_many_small_searches_make_the_compiled_code_worth_loading(
    seconds, nothing_loaded, monkeypatch
):
    monkeypatch.setattr("predfeat.neighbors._tiles.loading_seconds", lambda: seconds)
    states = states_of(1000, 25)
    search(states, 1, engine="tree")
    assert BLOCKWISE.seconds_spent == 0.0
    while BLOCKWISE.seconds_spent <= seconds:
        assert choose_engine(states) == "blockwise"
        before = BLOCKWISE.seconds_spent
        search(states, 1)
        assert BLOCKWISE.seconds_spent > before
    assert choose_engine(states) == "tiles"


def test_searches_of_a_library_are_no_reason_to_load_the_compiled_code(nothing_loaded):
    search(states_of(50, 25), 1, library=states_of(1000, 25), engine="blockwise")
    assert BLOCKWISE.seconds_spent == 0.0


def test_auto_rule_with_a_library(compiler, monkeypatch):
    monkeypatch.setattr("predfeat.neighbors._tiles.is_loaded", lambda: True)
    assert choose_engine(states_of(3000, 50), states_of(3000, 50)) == "tiles"
    assert choose_engine(states_of(3000, 2), states_of(3000, 2)) == "tree"
    # For one query, building a tree costs more than looking at every state once.
    assert choose_engine(states_of(2, 3), states_of(3000, 3)) == "tiles"
    # And so does loading compiled code.
    monkeypatch.setattr("predfeat.neighbors._tiles.is_loaded", lambda: False)
    monkeypatch.setattr(BLOCKWISE, "seconds_spent", 0.0)
    assert choose_engine(states_of(2, 3), states_of(3000, 3)) == "blockwise"
    assert choose_engine(states_of(3000, 50), states_of(3000, 50)) == "tiles"


def test_loading_takes_longer_where_nothing_was_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(_jit, "__file__", str(tmp_path / "_jit.py"))
    compiling = _jit.loading_seconds()
    kept = tmp_path / "neighbors" / "__pycache__"
    kept.mkdir(parents=True)
    (kept / "_kernels.scan_tile-141.py311.nbi").touch()
    assert _jit.loading_seconds() < compiling


def test_auto_rule_sees_that_many_coordinates_fill_few_dimensions(compiler):
    line = np.random.default_rng(0).uniform(size=(40_000, 1)) * np.ones(10)
    assert choose_engine(states_of(40_000, 10, values=line)) == "tree"
    assert choose_engine(states_of(40_000, 10)) == "tiles"


@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_intrinsic_dimension_is_that_of_the_subspace(dimension):
    rng = np.random.default_rng(dimension)
    flat = rng.uniform(size=(5000, dimension)) @ rng.normal(size=(dimension, 12))
    assert intrinsic_dimension(states_of(5000, 12, values=flat)) == pytest.approx(
        dimension, rel=0.25
    )


def test_intrinsic_dimension_where_nothing_can_be_seen():
    assert intrinsic_dimension(states_of(100, 3, values=np.ones((100, 3)))) == 3.0
    assert intrinsic_dimension(states_of(2, 4)) == 4.0
    some_twice = np.random.default_rng(1).normal(size=(400, 1))[np.arange(500) % 400]
    assert intrinsic_dimension(states_of(500, 1, values=some_twice)) <= 1.0


def test_without_the_compiler(monkeypatch, nothing_loaded):
    monkeypatch.setattr("predfeat.neighbors._tiles.is_available", lambda: False)
    assert choose_engine(states_of(3000, 2, 2)) == "tree"
    assert choose_engine(states_of(3000, 50)) == "blockwise"
    with pytest.raises(ImportError, match="needs numba: pip install numba"):
        nearest_neighbors(np.zeros((5, 1)), n_neighbors=1, engine="tiles")
