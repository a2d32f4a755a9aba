"""Terms beside the paper's: labels, values, neighbours in time and in space."""

import numpy as np
import pytest

import naive
import naive_edges
from predfeat import nearest_neighbors
from predfeat.exceptions import AnnotationError, GraphError
from predfeat.graph import (
    Adjacent,
    Different,
    Future,
    GraphContext,
    Local,
    Past,
    RelativeTerm,
    SameLabel,
    SimilarValue,
    combined,
    explicit_graph,
    projected_once,
    relative_distances,
)
from predfeat.series import check_annotations, check_sequences

LABELS = ["a", None, "b", "c"]
ALL = [Adjacent, Local, SameLabel, SimilarValue, Different]


@pytest.fixture
def case(seed):
    """Two sequences with gaps, labels and values for most rows, actions for all."""
    random = np.random.default_rng(seed)
    X, groups = naive.random_series(seed, [30, 25], 3, n_gaps=3)
    labels = [LABELS[i] for i in random.integers(0, 4, size=55)]
    values = np.where(random.random(55) < 0.2, np.nan, random.normal(size=55))
    actions = random.integers(0, 2, size=55)
    series = check_sequences(X, groups)
    table = nearest_neighbors(X, n_neighbors=3, n_lags=2, groups=groups)
    context = GraphContext(
        white=series,
        space=series.with_rows(series.rows[:, :1]),
        neighbors=table,
        n_lags=2,
        annotations=check_annotations(55, y=labels, actions=actions, rewards=values),
    )
    return X, groups, labels, values, actions, context


def twin_of(term, X, groups, labels, values, actions):
    """Return the whole weight matrix of a term, by its definition."""
    gaps = [naive.is_gap(row) for row in X]
    labels = [None if gap else label for gap, label in zip(gaps, labels, strict=True)]
    if isinstance(term, Adjacent):
        runs = naive.run_of_rows(X, groups)
        return naive_edges.adjacent([-1 if run is None else run for run in runs])
    if isinstance(term, Local):
        rows = [t for t in range(len(X)) if not gaps[t]]
        space = X if term.space == "input" else X[:, :1]
        return naive_edges.nearest(space, rows, term.n_neighbors)
    if isinstance(term, SameLabel):
        return naive_edges.same_label(labels)
    if isinstance(term, SimilarValue):
        rows = [t for t in range(len(X)) if not gaps[t] and values[t] == values[t]]
        return naive_edges.nearest(values[:, None], rows, term.n_neighbors)
    return naive_edges.different(labels, actions.tolist())


TERMS = [
    Adjacent(),
    Local(n_neighbors=4),
    Local(n_neighbors=4, space="features"),
    SameLabel(),
    SimilarValue(of="rewards", n_neighbors=3),
    Different(of="y"),
]


@pytest.mark.parametrize("term", TERMS, ids=repr)
def test_a_projection_is_that_of_the_definition(term, case):
    X, *known, context = case
    W = twin_of(term, X, *known)
    projection, total = term.project(context)
    laplacian, degree = naive_edges.laplacian_and_degree(W, context.white.rows)
    # Sums of some hundred numbers of size one, in another order.
    np.testing.assert_allclose(projection.laplacian, laplacian, rtol=0, atol=1e-9)
    np.testing.assert_allclose(projection.degree, degree, rtol=0, atol=1e-9)
    assert total == pytest.approx(naive_edges.total(W), rel=1e-12)
    if not isinstance(term, Different):
        explicit = explicit_graph([term.neighborhoods(context)]).weights.toarray()
        np.testing.assert_allclose(explicit, W, rtol=1e-12)


@pytest.mark.parametrize("term", TERMS, ids=repr)
def test_a_weight_of_one_is_as_much_as_the_future_has(term, case):
    X, *known, context = case
    weighted = type(term)(**{**vars(term), "weight": 0.7})
    future = explicit_graph([Future("full").neighborhoods(context)]).weights.toarray()
    past = explicit_graph([Past().neighborhoods(context)]).weights.toarray()
    own = twin_of(term, X, *known)
    own *= 0.7 * naive_edges.total(future) / naive_edges.total(own)
    found = combined([Future("full"), weighted, Past()], context)
    pulled = future + past if term.pulls_apart else future + past + own
    Z = context.white.rows
    laplacian, degree = naive_edges.laplacian_and_degree(pulled, Z)
    own_laplacian, own_degree = naive_edges.laplacian_and_degree(own, Z)
    if term.pulls_apart:
        degree = degree + own_laplacian
    elif term.is_partial:
        degree = degree - own_degree + naive_edges.centred_degree(own, Z)
    np.testing.assert_allclose(found.laplacian, laplacian, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.degree, degree, rtol=0, atol=1e-8)


def test_without_future_edges_relative_terms_have_equal_totals(case):
    X, *known, context = case
    found = combined([Adjacent(), SameLabel(weight=2.0)], context)
    parts = [twin_of(term, X, *known) for term in (Adjacent(), SameLabel())]
    W = sum(w * part / naive_edges.total(part) for w, part in zip((1, 2), parts, strict=True))
    Z = context.white.rows
    np.testing.assert_allclose(found.laplacian, naive_edges.laplacian_and_degree(W, Z)[0])


def test_unrelated_terms_read_one(seed):
    """In white space, L / R is the identity for edges that have nothing to do with the rows."""
    random = np.random.default_rng(seed)
    Z = np.linalg.qr(random.normal(size=(3000, 4)))[0] * np.sqrt(3000)
    series = check_sequences(Z)
    context = GraphContext(
        white=series,
        space=series,
        neighbors=nearest_neighbors(Z, n_neighbors=5),
        n_lags=1,
        annotations=check_annotations(
            3000, y=random.integers(0, 3, 3000), rewards=random.normal(size=3000)
        ),
    )
    for term in (Adjacent(), SameLabel(), SimilarValue(of="rewards"), Different(of="y")):
        projection, total = term.project(context)
        # 3000 edges at least: each entry is off by about 1/sqrt(3000).
        np.testing.assert_allclose(projection.laplacian / total, np.eye(4), atol=0.1)


def test_terms_of_weight_zero_change_no_bit(case):
    *_, context = case
    alone = combined([Future(), Past()], context)
    nothing = [term(weight=0.0) for term in ALL]
    both = combined([Future(), *nothing, Past()], context)
    np.testing.assert_array_equal(alone.laplacian, both.laplacian)
    np.testing.assert_array_equal(alone.degree, both.degree)
    with pytest.raises(GraphError, match=r"no samples are connected.*no term with a weight"):
        combined(nothing, context)


def test_what_does_not_change_is_projected_once(case, monkeypatch):
    *_, context = case
    terms = (Future(), SameLabel(), Local(space="features"), Different(of="y"))
    before = combined(terms, context)
    prepared = projected_once(terms, context)

    def never(self, context):
        raise AssertionError("projected again")

    for term in (SameLabel, Different):
        monkeypatch.setattr(term, "project", never)
    after = combined(prepared, context)
    np.testing.assert_array_equal(before.laplacian, after.laplacian)
    np.testing.assert_array_equal(before.degree, after.degree)
    with pytest.raises(AssertionError, match="projected again"):
        combined(terms, context)


@pytest.mark.parametrize("term", ALL)
def test_terms_are_values(term):
    assert issubclass(term, RelativeTerm)
    assert term() == term(weight=1.0) != term(weight=2.0)
    assert len({term(), term()}) == 1
    with pytest.raises(GraphError, match=r"weight must be a finite number.* is -1"):
        term(weight=-1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Local(n_neighbors=0), "n_neighbors must be a whole number of at least 1.* 0"),
        (lambda: SimilarValue(n_neighbors=2.5), r"n_neighbors must be a whole number.* 2\.5"),
        (lambda: Local(n_neighbors=True), "n_neighbors must be a whole number.* True"),
        (lambda: Local(space="output"), "space must be 'input' or 'features', but .* 'output'"),
        (lambda: SameLabel(of="labels"), "of must be one of 'y', 'actions', 'rewards', .*'labels'"),
        (lambda: Different(of=None), "of must be one of .* None"),
    ],
)
def test_parameters_that_are_none_are_refused(make, message):
    with pytest.raises(GraphError, match=message):
        make()


def with_annotations(context, **known):
    return GraphContext(
        white=context.white,
        space=context.space,
        neighbors=context.neighbors,
        n_lags=2,
        annotations=check_annotations(55, **known) if known else None,
    )


@pytest.mark.parametrize(
    ("terms", "known", "message"),
    [
        ([SameLabel()], {}, r"SameLabel\(.*needs labels.*none were given"),
        ([SameLabel()], {"rewards": np.ones(55)}, r"y is needed.*fit\(X, y\)"),
        ([SameLabel()], {"y": ["a"] * 55}, "at least two different labels.*all are 'a'"),
        ([SimilarValue()], {"y": [*range(5), *[None] * 50]}, r"at least 11 samples.* has [2-5]"),
        ([SimilarValue()], {"y": ["a", "b"] * 27 + ["c"]}, "must hold numbers here.*'a'"),
        (
            [Future(), Different(of="y")],
            {"y": [0, 1] * 27 + [0], "actions": [0, 1] * 27 + [0]},
            "no two samples with the same action and different y",
        ),
    ],
)
def test_annotations_that_say_nothing_are_refused(terms, known, message, case):
    *_, context = case
    with pytest.raises(AnnotationError, match=message):
        combined(terms, with_annotations(context, **known))


def test_pulling_apart_needs_something_that_pulls_together(case):
    *_, context = case
    with pytest.raises(GraphError, match=r"pulls samples apart.*Add one, such as Future"):
        combined([Different(of="y")], context)
    with pytest.raises(GraphError, match=r"no neighbourhoods\. Use its method project"):
        Different(of="y").neighborhoods(context)


def test_a_term_that_joins_nothing_is_refused(case):
    *_, context = case
    with pytest.raises(GraphError, match=r"SameLabel\(.*connects no two samples"):
        combined([Future(), SameLabel()], with_annotations(context, y=list(range(55))))


@pytest.mark.parametrize("term", [Adjacent(), SameLabel(), SimilarValue(of="rewards")])
def test_relative_distances_by_their_definition(case, term):
    X, groups, labels, values, actions, context = case
    weights = twin_of(term, X, groups, labels, values, actions)
    degrees = weights.sum(axis=1)
    joined = np.flatnonzero(degrees)
    expected = []
    for column in X[joined].T:
        W, d = weights[np.ix_(joined, joined)], degrees[joined]
        mean = column @ d / d.sum() if term.is_partial else 0.0
        apart = (W * np.square(column[:, None] - column[None, :])).sum() / 2
        expected.append(apart / (d @ np.square(column - mean)))
    # Sums of some thousand squares, in another order.
    np.testing.assert_allclose(relative_distances(term, context), expected, rtol=1e-10)
