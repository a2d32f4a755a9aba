"""What every method answers to input it cannot use: what was given, what is allowed, what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from predfeat import DCA, GPFA, LPP, PFA, SFA, DescentFeatures, ForeCA, RandomFeatures
from predfeat.exceptions import (
    ComplexDataError,
    ConstantColumnsWarning,
    DataError,
    DimensionError,
    EmptyColumnError,
    GroupsError,
    InfiniteValueError,
    NotNumericError,
    RankError,
    ReturningGroupWarning,
    ShortSequencesError,
    TooFewStatesError,
)

METHODS = [
    GPFA(n_neighbors=5),
    SFA(),
    PFA(),
    ForeCA(),
    DCA(n_starts=1),
    LPP(n_neighbors=5),
    DescentFeatures(n_neighbors=5, n_starts=1),
    RandomFeatures(random_state=0),
]
every = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


def noise(n_rows=60, n_columns=4):
    return np.random.default_rng(0).normal(size=(n_rows, n_columns))


@pytest.fixture(params=["fit", "transform", "score"])
def entrance(request):
    """Every door through which data comes: what fit refuses, a fitted model refuses too."""

    def enter(method, X):
        if request.param == "fit":
            return clone(method).fit(X)
        return getattr(clone(method).fit(noise()), request.param)(X)

    return enter


@every
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (noise()[:, 0], r"X must be a 2-D .*1 dimensions, shape \(60,\).*reshape\(-1, 1\)"),
        (noise().reshape(3, 20, 4), r"3 dimensions, shape \(3, 20, 4\).*from_trials"),
        (noise().reshape(3, 5, 4, 4), r"4 dimensions, shape \(3, 5, 4, 4\).*flatten"),
        (5.0, r"0 dimensions, shape \(\).*one row per time step"),
        ([[1.0, 2.0], [1.0]], r"rows differ in length.*from_list"),
    ],
    ids=["1-D", "3-D", "4-D", "scalar", "ragged"],
)
def test_not_a_matrix(method, entrance, X, message):
    with pytest.raises(DimensionError, match=message):
        entrance(method, X)


@every
def test_infinite(method, entrance):
    X = noise()
    X[7, 2] = np.inf
    X[9, 1] = -np.inf
    with pytest.raises(InfiniteValueError, match=r"2 value\(s\), .* row 7, column 'x2'.*NaN"):
        entrance(method, X)


def test_an_infinite_value_in_a_frame_is_named():
    frame = pd.DataFrame(noise(), columns=["a", "b", "c", "d"])
    frame.loc[11, "c"] = np.inf
    with pytest.raises(InfiniteValueError, match=r"row 11, column 'c'"):
        SFA().fit(frame)


@every
def test_complex(method, entrance):
    with pytest.raises(ComplexDataError, match=r"X is complex128.*real numbers.*X\.real, X\.imag"):
        entrance(method, noise() + 1j)


@every
@pytest.mark.parametrize("kind", [str, object])
def test_strings(method, entrance, kind):
    X = noise().astype(kind)
    X[3, 1] = "high"
    with pytest.raises(NotNumericError, match=r"X must hold numbers only.*'high'.*[Ee]ncode"):
        entrance(method, X)


@every
def test_columns_of_text_and_of_time_are_named(method):
    frame = pd.DataFrame(noise(), columns=["a", "b", "c", "d"])
    with pytest.raises(NotNumericError, match=r"'label'.*Drop them"):
        clone(method).fit(frame.assign(label="rest"))
    stamped = frame.assign(when=pd.date_range("2020-01-01", periods=60))
    with pytest.raises(NotNumericError, match=r"'when' \(datetime64.*Drop them"):
        clone(method).fit(stamped)


@every
def test_columns_without_a_number(method):
    X = noise()
    X[:, [1, 3]] = np.nan
    with pytest.raises(EmptyColumnError, match=r"2 column\(s\).*NaN throughout: 'x1', 'x3'.*Drop"):
        clone(method).fit(X)


@every
def test_no_row_without_a_gap(method):
    X = noise()
    X[::2, 0] = np.nan
    X[1::2, 1] = np.nan
    with pytest.raises(ShortSequencesError, match=r"every row is a gap.*Fill or drop"):
        clone(method).fit(X)


@every
def test_no_two_rows_without_a_gap_between(method):
    X = noise()
    X[::2, 0] = np.nan
    with pytest.raises(DataError, match=r"2 rows in a row .*longest stretch has 1 .*30 of 60"):
        clone(method).fit(X)


@every
@pytest.mark.parametrize("n_rows", [0, 1])
def test_too_few_rows(method, n_rows):
    with pytest.raises(ValueError, match=rf"{n_rows} sample\(s\).*minimum of 2 is required"):
        clone(method).fit(noise()[:n_rows])


@every
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(59), r"one id per row: X has 60 rows, groups has 59"),
        (np.zeros((60, 1)), r"1-D.*shape \(60, 1\)"),
        ([None] + [1] * 59, r"row 0 has none.*NaN in X"),
        (np.r_[np.zeros(30), np.full(30, np.nan)], r"row 30 has none"),
    ],
    ids=["length", "2-D", "None", "NaN"],
)
def test_groups_that_fit_no_rows(method, groups, message):
    with pytest.raises(GroupsError, match=message):
        clone(method).fit(noise(), groups=groups)


@every
def test_groups_are_checked_in_score_too(method):
    with pytest.raises(GroupsError, match=r"60 rows, groups has 59"):
        clone(method).fit(noise()).score(noise(), groups=np.zeros(59))


@every
def test_an_id_that_comes_back_warns_and_starts_a_new_sequence(method):
    with pytest.warns(ReturningGroupWarning, match=r"group id .*'a'.* reappears at row 40"):
        model = clone(method).fit(noise(), groups=["a"] * 20 + ["b"] * 20 + ["a"] * 20)
    expected = clone(method).fit(noise(), groups=np.repeat([0, 1, 2], 20))
    np.testing.assert_array_equal(model.components_, expected.components_)


@pytest.mark.parametrize("n_lags", [1, 3, 5])
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("graph", ["star", "full"])
def test_gpfa_needs_a_state_and_its_successor(n_lags, normalized, graph):
    # In sequences of p rows there are states, and nothing comes before or after any of them: no
    # edge at all. The longest sequence is named.
    method = GPFA(n_lags=n_lags, n_neighbors=5, normalized=normalized, graph=graph)
    X = noise(10 * n_lags)
    with pytest.raises(
        ShortSequencesError,
        match=rf"{n_lags + 1} rows in a row are needed.*longest stretch has {n_lags} .*rows 0 to",
    ):
        method.fit(X, groups=np.arange(len(X)) // n_lags)
    longer = np.arange(len(X)) // (n_lags + 1)
    assert np.isfinite(method.fit(X, groups=longer).components_).all()


@pytest.mark.parametrize("method", [GPFA(n_lags=5), PFA(n_lags=5)], ids=["GPFA", "PFA"])
def test_the_longest_sequence_is_named(method):
    groups = np.repeat(["a", "b", "c"], [2, 4, 3])
    with pytest.raises(
        ShortSequencesError,
        match=r"longest stretch has 4 \(rows 2 to 5, group .*'b'.*; n_samples = 9\).*fewer lags",
    ):
        method.fit(noise(9), groups=groups)


def test_pfa_needs_room_for_its_repeats():
    method = PFA(n_lags=2, n_repeats=3)
    with pytest.raises(ShortSequencesError, match=r"6 rows in a row .*longest stretch has 5 "):
        method.fit(noise(), groups=np.arange(60) // 5)
    assert np.isfinite(method.fit(noise(), groups=np.arange(60) // 6).components_).all()


def test_fewer_states_than_neighbours():
    with pytest.raises(
        TooFewStatesError,
        match=r"n_neighbors=10 needs at least 11 states, but with n_lags=2 there are 10 "
        r"\(n_samples=11, .*at most n_neighbors=9.*more data",
    ):
        GPFA(n_lags=2).fit(noise(11))
    assert np.isfinite(GPFA(n_lags=2).fit(noise(12)).components_).all()


def test_a_theiler_window_that_leaves_too_few_states():
    with pytest.raises(TooFewStatesError, match=r"n_neighbors=10 with theiler=28.*only"):
        GPFA(theiler=28).fit(noise())


@every
def test_more_features_than_directions(method):
    X = noise()
    X[:, 3] = X[:, 0] - 2 * X[:, 1]
    with pytest.raises(RankError, match=r"n_components=4 is more than the rank 3.*between 1 and 3"):
        clone(method).set_params(n_components=4).fit(X)
    with pytest.raises(RankError, match=r"n_components=3 is more than the rank 2.*pca_components"):
        clone(method).set_params(n_components=3, pca_components=2).fit(X)
    assert clone(method).set_params(n_components=3).fit(X).rank_ == 3


@every
def test_constant_columns_are_named_and_left_out(method):
    X = noise()
    X[:, 2] = 0.1
    with pytest.warns(ConstantColumnsWarning, match=r"1 of 4 column\(s\).*left out: 'x2'"):
        model = clone(method).fit(X)
    assert model.rank_ == 3
    np.testing.assert_array_equal(model.components_[:, 2], 0.0)
    frame = pd.DataFrame(X, columns=["a", "b", "stuck", "d"])
    with pytest.warns(ConstantColumnsWarning, match=r"left out: 'stuck'"):
        clone(method).fit(frame)


@every
@pytest.mark.parametrize("value", [0.0, 0.1, -1e9])
def test_nothing_but_a_repeated_value(method, value):
    with (
        pytest.warns(ConstantColumnsWarning, match=r"3 of 3 column\(s\)"),
        pytest.raises(
            RankError, match=r"n_components=2 .*all 3 column\(s\) are constant.*rank .* 0"
        ),
    ):
        clone(method).fit(np.full((50, 3), value))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("n_neighbors", 0, r"\[1, 2147483647\]"),
        ("n_neighbors", 2.0, "int"),
        ("n_lags", 0, r"\[1, 2147483647\]"),
        ("n_lags", -3, r"\[1, 2147483647\]"),
        ("graph", "ring", "'full'.*'star'|'star'.*'full'"),
        ("init", "random", "'foreca'"),
        ("past", "yes", "bool"),
        ("normalized", 3, "bool"),
        ("weighting", "loud", "inverse_spread"),
        ("max_iter", 0, r"\[1, 2147483647\]"),
        ("tol", -1e-3, r"\[0.*inf\)"),
        ("n_intermediate", 0, r"\[1, 2147483647\]"),
        ("theiler", -1, r"\[0, inf\)"),
        ("engine", "guess", "'blockwise'"),
        ("n_jobs", 1.5, "int"),
        ("verbose", "loud", "bool"),
    ],
)
def test_parameters_of_gpfa(name, value, allowed):
    with pytest.raises(
        ValueError, match=rf"'{name}' parameter of GPFA .*({allowed}).*Got {value!r}"
    ):
        GPFA(**{name: value}).fit(noise())


@every
def test_true_and_false_are_no_numbers(method):
    # Not meant: what scikit-learn checks, and a real number.
    for name in method.get_params().keys() - {"random_state", "verbose", "power"}:
        value = getattr(method, name)
        if not isinstance(value, bool) and isinstance(value, int):
            for given in (True, False):
                model = clone(method).set_params(**{name: given})
                with pytest.raises(ValueError, match=f"'{name}' parameter .* int .*Got {given}"):
                    model.fit(noise())


@every
def test_a_failed_fit_leaves_no_half_model(method):
    # After a failure the model is what it was: not fitted, or fitted on the data before.
    model = clone(method)
    with pytest.raises(ValueError, match="rank"):
        model.set_params(n_components=9).fit(noise())
    assert not hasattr(model, "components_")
    model.set_params(n_components=2).fit(noise())
    before = model.transform(noise())
    with pytest.raises(RankError):
        model.set_params(n_components=9).fit(noise() ** 3)
    np.testing.assert_array_equal(model.transform(noise()), before)
