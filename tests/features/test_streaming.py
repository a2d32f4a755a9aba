"""Data in pieces: `partial_fit` and `merge` give what one `fit` gives."""

import pickle
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import naive
import naive_measures as twins
from predfeat import GPFA, PFA, SFA, merge
from predfeat.exceptions import (
    ConstantColumnsWarning,
    EmptyColumnError,
    GroupsError,
    InfiniteValueError,
    NewStartWarning,
    NotNumericError,
    RankError,
    ReturningGroupWarning,
    ScaleError,
    StreamError,
)
from predfeat.measures import subspace_angles

METHODS = [
    SFA(2),
    SFA(2, n_steps=4),
    PFA(2),
    PFA(2, n_lags=2, n_repeats=3),
    PFA(2, n_lags=3, horizon=2),
    PFA(2, n_lags=2, horizon=3, n_repeats=1),
]
every = pytest.mark.parametrize("method", METHODS, ids=str)
both = pytest.mark.parametrize("method", [SFA(2), PFA(2, n_lags=2)], ids=lambda m: type(m).__name__)


def waves(n_rows=240, seed=0):
    """A slow and a fast wave among noise, mixed and moved."""
    random = np.random.default_rng(seed)
    t = np.arange(n_rows)
    X = random.normal(size=(n_rows, 4))
    X[:, 0] += 2 * np.sin(0.11 * t)
    X[:, 1] += 2 * np.cos(2.3 * t)
    return X @ random.normal(size=(4, 4)) + 10 * random.normal(size=4)


def in_pieces(method, X, groups=None, *, cuts):
    """Return a model that took in the rows between cuts one piece after another."""
    model = clone(method)
    bounds = [0, *cuts, len(X)]
    for start, stop in pairwise(bounds):
        if stop > start:
            ids = None if groups is None else groups[start:stop]
            model.partial_fit(X[start:stop], groups=ids)
    return model


def assert_same(found, expected, X, tolerance=1e-10):
    """Compare two models: eigenvalues, angle in degrees, map and the way back.

    White space has unit variance in every direction, so that what differs is rounding: 1e-16 times
    the condition of the data and over the distance of the eigenvalues, some thousands here.
    """
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=tolerance)
    assert subspace_angles(found, expected, X)[0] < np.degrees(tolerance) + 2e-6  # arc cosine
    scale = np.abs(expected.components_).max()
    np.testing.assert_allclose(
        found.components_ / scale, expected.components_ / scale, atol=100 * tolerance
    )
    spread = np.nanstd(X, axis=0)
    np.testing.assert_allclose(
        found.patterns_ / spread, expected.patterns_ / spread, atol=100 * tolerance
    )
    np.testing.assert_allclose(found.mean_, expected.mean_, rtol=1e-15, atol=1e-13)
    assert found.rank_ == expected.rank_


def state_of(model):
    return {name: pickle.dumps(value) for name, value in sorted(vars(model).items())}


# --- pieces ---------------------------------------------------------------------------------------

GAPS = {"none": [], "some": [0, 30, 31, 69, 70, 100, 139, 239]}


@every
@pytest.mark.parametrize("size", [1, 7, 70, 240])
@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("with_groups", [False, True])
def test_pieces_of_any_size_are_one_fit(method, size, gaps, with_groups):
    X = waves()
    X[GAPS[gaps], 1] = np.nan  # with pieces of 7 and of 70, on both sides of their borders, too
    # Sequences over many pieces, over a border, of one row and of two, and one piece by itself.
    groups = np.repeat([3, 1, 4, 5, 9], [65, 1, 4, 2, 168]) if with_groups else None
    model = in_pieces(method, X, groups, cuts=range(size, 240, size))
    assert_same(model, clone(method).fit(X, groups=groups), X)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    method=st.sampled_from(METHODS),
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=6),
    cuts=st.lists(st.integers(1, 400), max_size=12),
    n_gaps=st.integers(0, 8),
    data=st.data(),
)
def test_the_twin_of_one_fit(seed, method, lengths, cuts, n_gaps, data):
    X, groups = naive.random_series(seed, [90, *lengths], 2, n_gaps)
    groups = groups if data.draw(st.booleans(), label="with groups") else None
    # A gap right at a border, before or after it.
    cuts = sorted(cut for cut in cuts if cut < len(X))
    for cut in cuts[::3]:
        X[cut - data.draw(st.integers(0, 1)), 0] = np.nan
    method = clone(method).set_params(n_components=2)
    model = in_pieces(method, X, groups, cuts=cuts)
    if isinstance(method, SFA):
        directions, values = twins.sfa(X, 2, groups, method.n_steps)
    else:
        lags = (method.n_lags, method.n_repeats, groups, method.horizon)
        directions, values = twins.pfa(X, 2, *lags)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    # Both directions together are all of the plane. Weighted by what is minimised, they do not
    # depend on the order of eigenvalues that are close.
    found = model.components_.T * model.eigenvalues_ @ model.components_
    expected = directions * values @ directions.T
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_every_pair_of_rows_counts_once():
    X, groups = naive.random_series(1, [9, 1, 3, 30, 2], 2, n_gaps=4)
    model = in_pieces(PFA(1, n_lags=2, horizon=2, n_repeats=1), X, groups, cuts=range(1, 45, 4))
    counts = [moments.count for moments in model.stream_.dynamics]
    assert counts == [len(twins.windows(X, length - 1, 0, groups)) for length in (3, 4, 5)]
    assert model.stream_.samples.count == len(twins.samples(X))
    model = in_pieces(SFA(1, n_steps=3), X, groups, cuts=range(1, 45, 4))
    counts = [moments.count for moments in model.stream_.dynamics]
    assert counts == [len(twins.windows(X, n, 0, groups)) for n in (1, 2, 3)]


@every
@pytest.mark.parametrize("size", [1, 40])
def test_large_offsets(method, size):
    # Beside 1e8 numbers are rounded by 7e-9. That is the same for both.
    X = 1e8 + 1e-2 * waves()
    model = in_pieces(method, X, cuts=range(size, 240, size))
    assert_same(model, clone(method).fit(X), X - 1e8, tolerance=1e-8)


@every
def test_units_of_columns(method):
    units = np.array([1e-9, 1.0, 1e3, 1e12])
    X = waves() * units
    model = in_pieces(method, X, cuts=range(5, 240, 5))
    expected = clone(method).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(model.components_ * units, expected.components_ * units, rtol=1e-7)


@both
@pytest.mark.parametrize("pca_components", [3, 0.99])
def test_principal_components_are_those_of_all_pieces(method, pca_components):
    X = waves() * [1.0, 5.0, 2.0, 30.0]
    method = clone(method).set_params(pca_components=pca_components)
    model = in_pieces(method, X, cuts=[100, 130])
    assert_same(model, clone(method).fit(X), X)


@both
@pytest.mark.parametrize("kind", [np.float32, np.int16])
def test_other_types_of_numbers(method, kind):
    X = (50 * waves()).astype(kind)
    model = in_pieces(method, X, cuts=range(9, 240, 9))
    assert_same(model, clone(method).fit(X), X)


@both
def test_the_coarsest_type_decides_what_is_rounding(method):
    random = np.random.default_rng(7)
    X = random.normal(size=(800, 3)) + 1000.0
    mixture = (X * [0.3, -0.7, 1.1]).sum(axis=1).astype(np.float32)
    X = np.column_stack([X.astype(np.float32), mixture])
    assert in_pieces(method, X, cuts=[300]).rank_ == 3
    model = clone(method).partial_fit(X[:300])
    assert model.partial_fit(X[300:].astype(np.float64)).rank_ == 3
    assert in_pieces(method, X.astype(np.float64), cuts=[300]).rank_ == 4


@both
def test_a_singular_regression_gets_the_same_ridge(method):
    # Waves obey their own recursion: with four lags, histories lie in a plane.
    t = np.arange(300)
    random = np.random.default_rng(4)
    X = np.column_stack([np.cos(0.7 * t), np.sin(0.7 * t), random.normal(size=300)])
    X = X @ random.normal(size=(3, 3))
    method = clone(method).set_params(**({"n_lags": 4} if isinstance(method, PFA) else {}))
    model, expected = in_pieces(method, X, cuts=[7, 100]), clone(method).fit(X)
    # An error of zero is known to the rounding of the variances that it is the difference of.
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-9)
    assert subspace_angles(model, expected, X)[0] < 1e-3


# --- what a piece goes on with --------------------------------------------------------------------


@both
def test_ids_compare_by_value(method):
    X = waves()
    expected = clone(method).fit(X)
    kinds = [
        [np.full(120, 1), [1.0] * 120],
        [["a"] * 120, np.full(120, "a")],
        [pd.Series(["a"] * 120), np.full(120, "a", dtype=object)],
        [np.full(120, "2020-01-01", dtype="M8[D]")] * 2,
    ]
    for first, second in kinds:
        model = clone(method).partial_fit(X[:120], groups=first)
        assert_same(model.partial_fit(X[120:], groups=second), expected, X)
    apart = clone(method).partial_fit(X[:120], groups=[1] * 120)
    apart.partial_fit(X[120:], groups=["1"] * 120)
    assert_same(apart, clone(method).fit(X, groups=np.repeat([0, 1], 120)), X)


@both
def test_an_id_that_returns_within_a_piece_is_reported(method):
    model = clone(method).partial_fit(waves(50), groups=[0] * 50)
    with pytest.warns(ReturningGroupWarning, match="id 0 reappears at row 20"):
        model.partial_fit(waves(30), groups=[0] * 10 + [1] * 10 + [0] * 10)


@both
@pytest.mark.parametrize("is_first_grouped", [False, True])
def test_groups_come_with_every_piece_or_with_none(method, is_first_grouped):
    X = waves()
    ids = [[0] * 120, None] if is_first_grouped else [None, [0] * 120]
    model = clone(method).partial_fit(X[:120], groups=ids[0])
    before = state_of(model)
    with pytest.raises(GroupsError, match=r"earlier pieces came with.* groups and this one"):
        model.partial_fit(X[120:], groups=ids[1])
    assert state_of(model) == before


# --- too little data ------------------------------------------------------------------------------


@every
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.ManyColumnsWarning")
def test_too_little_data_is_not_fitted_yet(method):
    X = waves()
    X[2] = np.nan
    model = clone(method)
    are_fitted = []
    for n_rows in range(1, 13):
        model.partial_fit(X[n_rows - 1 : n_rows])
        assert model.n_features_in_ == 4
        try:
            clone(method).fit(X[:n_rows])
        except ValueError:  # too few rows, sequences too short, or a rank too low
            are_fitted.append(False)
            with pytest.raises(NotFittedError):
                model.transform(X)
        else:
            are_fitted.append(True)
            model.transform(X)
    assert are_fitted == sorted(are_fitted)
    assert len(set(are_fitted)) == 2
    assert_same(model.partial_fit(X[12:]), clone(method).fit(X), X)


@both
def test_pieces_of_gaps_alone(method):
    X = waves()
    nothing = np.full((3, 4), np.nan)
    model = clone(method).partial_fit(nothing).partial_fit(X[:100])
    model.partial_fit(nothing).partial_fit(X[100:])
    whole = np.vstack([nothing, X[:100], nothing, X[100:]])
    assert_same(model, clone(method).fit(whole), X)
    with pytest.raises(EmptyColumnError):  # of a whole series that is all there is
        clone(method).fit(nothing)


@both
def test_more_features_than_columns_can_never_be(method):
    model = clone(method).set_params(n_components=5)
    with pytest.raises(RankError, match="n_components=5 is more than the 4 columns"):
        model.partial_fit(waves())
    assert not hasattr(model, "stream_")


@both
def test_numbers_that_hide_all_others_are_refused(method):
    model = clone(method).set_params(pca_components=3).partial_fit(waves())
    before = state_of(model)
    with pytest.raises(RankError, match="more than the rank 1"):
        model.partial_fit(1e30 * np.ones((2, 4)))
    with pytest.raises(ScaleError, match="squares of the numbers are too large"):
        model.partial_fit(1e200 * np.ones((2, 4)))
    assert state_of(model) == before


@both
def test_constant_columns_are_reported_once(method):
    X = waves()
    X[:, 2] = 7.0
    X[:50, 1] = 1.0  # varies later
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.warns(ConstantColumnsWarning) as given:
        model = in_pieces(method, frame, cuts=range(10, 240, 10))
    assert [str(each.message).partition(":")[2] for each in given] == [" 'b', 'c'"]
    with pytest.warns(ConstantColumnsWarning, match="1 of 4.*: 'c'"):
        merge([model, model])
    assert model.rank_ == 3


# --- what cannot go on ----------------------------------------------------------------------------

BAD = {
    "wrong width": (waves()[:, :3], {}, ValueError),
    "infinity": (np.where(np.eye(4) > 0, np.inf, 1.0), {}, InfiniteValueError),
    "text": ([["a", "b", "c", "d"]], {}, NotNumericError),
    "no rows": (waves()[:0], {}, ValueError),
    "groups of another length": (waves(), {"groups": [1, 2]}, GroupsError),
    "other names": (pd.DataFrame(waves(), columns=list("abce")), {}, ValueError),
    "names in another order": (pd.DataFrame(waves(), columns=list("badc")), {}, ValueError),
}


@both
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_bad_piece_leaves_the_model_as_it_was(method, kind):
    model = clone(method).partial_fit(pd.DataFrame(waves(), columns=list("abcd")))
    before = state_of(model)
    X, options, error = BAD[kind]
    with pytest.raises(error):
        model.partial_fit(X, **options)
    assert state_of(model) == before


@both
@pytest.mark.parametrize("moment", ["check_sequences", "whitening_from_moments"])
@pytest.mark.parametrize("is_first", [False, True])
def test_an_interrupt_leaves_the_model_as_it_was(method, moment, is_first, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    model, X = clone(method), waves()
    if not is_first:
        model.partial_fit(X[:100])
    before = state_of(model)
    monkeypatch.setattr(f"predfeat.features._streaming.{moment}", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[100:])
    monkeypatch.undo()
    assert state_of(model) == before
    assert_same(model.partial_fit(X[100:]), clone(method).fit(X if not is_first else X[100:]), X)


@pytest.mark.parametrize(
    ("method", "name"),
    [(SFA(2), "n_steps"), (PFA(2), "n_lags"), (PFA(2), "horizon"), (PFA(2), "n_repeats")],
)
def test_what_is_counted_cannot_be_changed(method, name):
    X = waves()
    model = clone(method).partial_fit(X[:120])
    earlier = getattr(model, name)
    model.set_params(**{name: 3})
    for call in (lambda: model.partial_fit(X[120:]), lambda: merge([model])):
        with pytest.raises(StreamError, match=rf"{name} is 3, but .* with {name}={earlier}"):
            call()
    model.set_params(**{name: earlier}).partial_fit(X[120:])
    assert_same(model, clone(method).fit(X), X)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (SFA(n_steps=2**31 - 1), "n_steps=2147483647 is more than.*at most n_steps=65536"),
        (PFA(n_lags=2**20), "n_lags=1048576 is more than"),
        (PFA(n_lags=2**16), r"of PFA counts for 4 columns takes \d.* TB of memory"),
        (PFA(n_repeats=2**16), r"TB of memory, with .*'n_repeats': 65536.*are free"),
    ],
)
def test_sums_that_no_memory_holds_are_refused_at_once(method, message):
    with pytest.raises(StreamError, match=message):
        clone(method).partial_fit(waves())


@both
def test_how_many_features_there_are_can_be_changed(method):
    X = waves()
    model = clone(method).partial_fit(X[:120]).set_params(n_components=3, pca_components=3)
    model.partial_fit(X[120:])
    assert_same(model, clone(method).set_params(n_components=3, pca_components=3).fit(X), X)


@both
def test_fit_starts_anew_and_so_does_what_follows_it(method):
    X = waves()
    model = clone(method).partial_fit(X[:50]).fit(X)
    assert state_of(model) == state_of(clone(method).fit(X))
    with pytest.warns(NewStartWarning, match="fit, which keeps no statistics.*starts anew"):
        model.partial_fit(X[:150, :3])
    assert_same(model, clone(method).fit(X[:150, :3]), X[:, :3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X[150:, :3])  # the second piece goes on
    assert_same(model, clone(method).fit(X[:, :3]), X[:, :3])


@both
def test_names_are_kept(method):
    frame = pd.DataFrame(waves(), columns=list("abcd"))
    model = in_pieces(method, frame, cuts=[30, 31])
    assert list(model.feature_names_in_) == list("abcd")
    merged = merge([model, model])
    assert list(merged.feature_names_in_) == list("abcd")
    assert merged.transform(frame).shape == (240, 2)


# --- merging --------------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("gaps", GAPS)
def test_merged_models_are_one_fit_to_all_sequences(method, gaps):
    X = waves()
    X[GAPS[gaps], 1] = np.nan
    sequence = np.repeat([0, 1, 2], [70, 69, 101])
    parts = [in_pieces(method, X[sequence == i], cuts=[10, 40]) for i in range(3)]
    before = [state_of(part) for part in parts]
    expected = clone(method).fit(X, groups=sequence)
    assert_same(merge(parts), expected, X)
    assert_same(merge(iter(parts[::-1])), expected, X)  # up to rounding
    assert_same(merge([merge(parts[:2]), parts[2]]), expected, X)
    assert_same(in_pieces(method, X, sequence, cuts=[100]), merge(parts), X)
    assert [state_of(part) for part in parts] == before


@both
def test_nothing_crosses_from_one_model_to_the_next_piece(method):
    X = waves()
    parts = [clone(method).partial_fit(X[:60]), clone(method).partial_fit(X[60:100])]
    model = merge(parts).partial_fit(X[100:])
    assert_same(model, clone(method).fit(X, groups=np.repeat([0, 1, 2], [60, 40, 140])), X)
    joined = parts[0].stream_.combined(parts[1].stream_)
    assert (len(joined.tail), joined.is_grouped) == (0, None)
    parts = [clone(method).partial_fit(X[:100], groups=[7] * 100)]
    model = merge(parts).partial_fit(X[100:], groups=[7] * 140)
    assert_same(model, clone(method).fit(X, groups=np.repeat([0, 1], [100, 140])), X)


@both
def test_models_with_too_little_data_can_be_enough_together(method):
    X, groups = waves(60), np.arange(60) // 3
    method = clone(method).set_params(n_components=3)  # three rows have a rank of two
    parts = [clone(method).partial_fit(X[groups == i]) for i in range(20)]
    assert not any(hasattr(part, "components_") for part in parts)
    assert_same(merge(parts), clone(method).fit(X, groups=groups), X)
    with pytest.raises(NotFittedError):
        merge(parts[:1]).transform(X)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (lambda X: [], "at least one model"),
        (lambda X: [SFA().fit(X)], "model 0 has no statistics.*fitted by fit"),
        (lambda X: [SFA().partial_fit(X), SFA()], "model 1 has no statistics.*it is new"),
        (lambda X: [GPFA()], "model 0 is a GPFA, which cannot be merged.*SFA and PFA"),
        (lambda X: [SFA().partial_fit(X), 3], "model 1 is a int"),
        (lambda X: [SFA().partial_fit(X), PFA().partial_fit(X)], "1 is a PFA and model 0 a SFA"),
        (
            lambda X: [SFA().partial_fit(X), SFA(n_steps=2).partial_fit(X)],
            "model 1 has n_steps=2 and model 0 n_steps=1",
        ),
        (
            lambda X: [SFA(1).partial_fit(X), SFA(2).partial_fit(X)],
            "model 1 has n_components=2 and model 0 n_components=1",
        ),
        (
            lambda X: [SFA().partial_fit(X), SFA().partial_fit(X[:, :3])],
            "model 1 has 3 columns and model 0 4",
        ),
        (
            lambda X: [SFA().partial_fit(X), SFA().partial_fit(pd.DataFrame(X, columns=[*"abcd"]))],
            "columns of model 1 are 'a', 'b', 'c', 'd' and those of model 0 without names",
        ),
        (
            lambda X: [
                SFA().partial_fit(pd.DataFrame(X, columns=[*names])) for names in ("abcd", "bacd")
            ],
            "columns of model 1 are 'b', 'a', 'c', 'd'.*in the same order",
        ),
    ],
)
def test_models_that_do_not_belong_together(models, message):
    parts = models(waves())
    with pytest.raises(StreamError, match=message):
        merge(parts)
