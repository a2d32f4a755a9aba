"""What may come in, what may not, and what the message says."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import naive
from predfeat import nearest_neighbors
from predfeat.exceptions import (
    ComplexDataError,
    DataError,
    DimensionError,
    EmptyColumnError,
    GroupsError,
    InfiniteValueError,
    NotNumericError,
    ScaleError,
)
from predfeat.series import check_matrix, check_sequences, column_names
from predfeat.whitening import fit_whitening

NAN = float("nan")
EPS32 = float(np.finfo(np.float32).eps)
EPS64 = float(np.finfo(np.float64).eps)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (3.0, "0 dimensions.*one row per time step"),
        (np.zeros(4), r"1 dimensions, shape \(4,\).*X.reshape\(-1, 1\)"),
        (pd.Series([1.0, 2.0]), "1 dimensions"),
        (np.zeros((2, 3, 4)), r"3 dimensions, shape \(2, 3, 4\).*from_trials"),
        (np.zeros((2, 3, 4, 5)), "4 dimensions.*flatten all but the first axis"),
        ([[1.0, 2.0], [3.0]], "rows differ in length.*from_list"),
        ([np.zeros((3, 2)), np.zeros((2, 2))], "rows differ in length.*from_list"),
    ],
    ids=["0-D", "1-D", "Series", "3-D", "4-D", "ragged", "list of sequences"],
)
def test_what_is_no_matrix(X, message):
    with pytest.raises(DimensionError, match=message):
        check_matrix(X)


def test_complex_array():
    with pytest.raises(ComplexDataError, match="Complex data not supported: X is complex128"):
        check_matrix(np.zeros((3, 2), dtype=complex))


def test_complex_column_is_named():
    frame = pd.DataFrame({"re": [1.0, 2.0], "wave": [1j, 2j]})
    with pytest.raises(ComplexDataError, match=r"'wave' \(complex128\)"):
        check_matrix(frame)


@pytest.mark.parametrize(
    "X",
    [
        np.array([["a", "b"], ["c", "d"]]),
        [["a", "b"], ["c", "d"]],
        np.array([[1.0, "b"], [2.0, 3.0]], dtype=object),
        np.array([[1.0, {}], [2.0, 3.0]], dtype=object),
        np.array([[1.0, []], [2.0, 3.0]], dtype=object),
    ],
    ids=["array", "list", "object", "dict", "list in a cell"],
)
def test_no_number_in_an_array(X):
    with pytest.raises(NotNumericError, match=r"must hold numbers only.*[Ee]ncode or drop"):
        check_matrix(X)


@pytest.mark.parametrize(
    "text",
    [
        pd.Series(["x", "y"], dtype=object),
        pd.Series(["x", "y"], dtype="string"),
        pd.Series(["x", None], dtype="str"),
        pd.Series(["x", "y"], dtype="category"),
        pd.Series([1.0, "y"], dtype=object),
        pd.Series(pd.date_range("2020-01-01", periods=2)),
        pd.Series(pd.date_range("2020-01-01", periods=2, tz="UTC")),
        pd.Series(pd.to_timedelta([1, 2], unit="s")),
    ],
    ids=["object", "string", "str", "category", "mixed", "datetime", "time zone", "timedelta"],
)
def test_columns_without_numbers_are_named(text):
    frame = pd.DataFrame({"fine": [1.0, 2.0], "label": text, "also fine": [3, 4]})
    with pytest.raises(NotNumericError, match=r"these columns do not: 'label' \([^)]*\)\."):
        check_matrix(frame)


@pytest.mark.parametrize("dtype", ["datetime64[s]", "timedelta64[s]"])
def test_times_in_an_array(dtype):
    with pytest.raises(NotNumericError, match=r"64\[s\].*Leave time stamps out"):
        check_matrix(np.zeros((3, 2), dtype=dtype))


def test_infinity_is_located():
    X = np.zeros((5, 3))
    X[2, 1] = -np.inf
    X[4, 0] = np.inf
    with pytest.raises(InfiniteValueError, match=r"2 value\(s\), the first in row 2, column 'x1'"):
        check_matrix(X)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(InfiniteValueError, match="row 2, column 'b'"):
        check_matrix(frame)


def test_infinity_beside_nan():
    with pytest.raises(InfiniteValueError, match="row 1, column 'x0'"):
        check_matrix([[NAN, 1.0], [np.inf, 2.0]])


def test_numbers_whose_sums_overflow_are_told_from_infinity():
    X = np.full((4, 2), 1e300)
    np.testing.assert_array_equal(check_matrix(X).values, X)
    X[1, 1], X[2, 0] = 1e308, NAN
    with pytest.raises(ScaleError, match=r"1 number\(s\) beyond 1e\+300, the first in row 1"):
        check_matrix(X)


def test_nan_is_allowed_and_stays():
    values = check_matrix([[NAN, 1.0], [2.0, 3.0]]).values
    assert np.isnan(values).tolist() == [[True, False], [False, False]]


def test_empty_column_is_named():
    X = np.array([[1.0, NAN, 3.0], [NAN, NAN, 4.0]])
    with pytest.raises(EmptyColumnError, match=r"1 column\(s\) that are NaN throughout: 'x1'\."):
        check_sequences(X)
    with pytest.raises(EmptyColumnError, match="NaN throughout: 'dead'"):
        check_sequences(pd.DataFrame(X, columns=["a", "dead", "c"]))


def test_many_empty_columns_are_counted():
    X = np.full((3, 15), NAN)
    X[:, :2] = 1.0
    with pytest.raises(EmptyColumnError, match=r"13 column\(s\).*'x2', .*'x11', …\."):
        check_sequences(X)


def test_sparse_matrices_are_refused():
    with pytest.raises(TypeError, match="Sparse data was passed"):
        check_matrix(sparse.csr_array(np.eye(3)))


def test_no_rows_and_no_columns():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        check_matrix(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="minimum of 3"):
        check_matrix(np.zeros((2, 2)), min_rows=3)
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        check_matrix(np.zeros((2, 0)))
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        check_matrix(np.zeros((2, 0), dtype=str))
    assert check_sequences(np.zeros((0, 2)), min_rows=0).run_bounds() == []


def test_messages_use_the_name_given():
    with pytest.raises(DimensionError, match="sequence 7 must be a 2-D array"):
        check_matrix(np.zeros(3), name="sequence 7")
    with pytest.raises(EmptyColumnError, match="Y has 1 column"):
        check_sequences(np.full((2, 1), NAN), name="Y")


def test_data_errors_are_value_errors():
    assert issubclass(DataError, ValueError)
    for error in (DimensionError, NotNumericError, ComplexDataError, InfiniteValueError):
        assert issubclass(error, DataError)
    assert issubclass(NotNumericError, TypeError)


# --- groups ---------------------------------------------------------------------------------


def test_groups_of_another_length():
    with pytest.raises(GroupsError, match="X has 4 rows, groups has 3"):
        check_sequences(np.zeros((4, 1)), groups=[0, 0, 1])


@pytest.mark.parametrize("groups", [np.zeros((4, 1)), [[0], [0], [1], [1]], 0])
def test_groups_that_are_no_vector(groups):
    with pytest.raises(GroupsError, match=r"1-D array, but it has shape \("):
        check_sequences(np.zeros((4, 1)), groups=groups)


@pytest.mark.parametrize(
    "groups",
    [
        [0.0, NAN, 1.0],
        ["a", None, "b"],
        ["a", NAN, "b"],
        np.array(["a", NAN, "b"], dtype=object),
        np.array(["2020", "NaT", "2021"], dtype="datetime64[Y]"),
        pd.array([1, None, 2], dtype="Int64"),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="str"),
        pd.Categorical(["a", None, "b"]),
    ],
    ids=["float", "None", "list", "object", "NaT", "Int64", "string", "str", "category"],
)
def test_missing_ids(groups):
    with pytest.raises(GroupsError, match="row 1 has none"):
        check_sequences(np.zeros((3, 1)), groups=groups)


def test_columns_of_one_name():
    frame = pd.DataFrame(np.zeros((3, 3)), columns=["a", "b", "a"])
    with pytest.raises(DimensionError, match="several columns called 'a'"):
        check_matrix(frame)


def test_numbers_as_text():
    with pytest.raises(NotNumericError, match=r"text such as .*'1'.*astype\(float\)"):
        check_matrix(np.array([["1", "2"], ["3", "4"]]))


# --- what is fine ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint16, np.bool_, object]
)
def test_real_types_become_float64(dtype):
    X = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    values = check_matrix(X).values
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [[1, 0], [0, 1], [1, 1]])


def test_nullable_types_and_their_gaps():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 3, 4], dtype="Int64"),
            "f": pd.array([1.5, 2.5, None, 4.5], dtype="Float64"),
            "b": pd.array([True, False, True, False], dtype="boolean"),
        }
    )
    matrix = check_matrix(frame)
    assert matrix.names == ["i", "f", "b"]
    expected = [[1.0, 1.5, 1.0], [NAN, 2.5, 0.0], [3.0, NAN, 1.0], [4.0, 4.5, 0.0]]
    np.testing.assert_array_equal(matrix.values, expected)
    assert check_sequences(frame).run_bounds() == [(0, 1), (3, 4)]


def test_what_is_masked_is_missing():
    X = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(check_matrix(X).values, [[1.0, NAN], [3.0, 4.0]])


def test_integer_column_names_become_text():
    assert check_matrix(pd.DataFrame(np.zeros((2, 2)), columns=[10, 20])).names == ["10", "20"]
    assert column_names(np.zeros((2, 3)), 3) == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    ("X", "resolution"),
    [
        (np.zeros((2, 2)), EPS64),
        ([[1.0, 2.0], [3.0, 4.0]], EPS64),
        (np.zeros((2, 2), dtype=np.float32), EPS32),
        (np.zeros((2, 2), dtype=int), 0.0),
        (pd.DataFrame({"a": [1.0], "b": np.float32([1.0])}), EPS32),
        (pd.DataFrame({"a": pd.array([1.0], dtype="Float32"), "b": [1.0]}), EPS32),
    ],
    ids=["float64", "list", "float32", "int", "mixed frame", "nullable float32"],
)
def test_resolution_is_that_of_the_coarsest_type(X, resolution):
    assert check_matrix(X).resolution == resolution


@pytest.fixture(params=["C", "Fortran", "strided", "read-only", "memory-mapped"])
def layout(request, tmp_path):
    """Return a function that lays an array out in one of many ways."""

    def arrange(X):
        if request.param == "Fortran":
            return np.asfortranarray(X)
        if request.param == "strided":
            wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
            return wide[::2, ::3]
        if request.param == "read-only":
            X = X.copy()
            X.setflags(write=False)
            return X
        if request.param == "memory-mapped":
            np.save(tmp_path / "X.npy", X)
            return np.load(tmp_path / "X.npy", mmap_mode="r")
        return X

    return arrange


def test_layout_of_the_memory_does_not_matter(layout):
    X, groups = naive.random_series(3, [20, 15], 2, n_gaps=3)
    given = layout(X)
    series, expected = check_sequences(given, groups), check_sequences(X, groups)
    np.testing.assert_array_equal(series.rows, expected.rows)
    assert series.run_bounds() == expected.run_bounds()

    table = nearest_neighbors(given, groups=groups, n_neighbors=2, n_lags=2)
    reference = nearest_neighbors(X, groups=groups, n_neighbors=2, n_lags=2)
    np.testing.assert_array_equal(table.indices, reference.indices)
    np.testing.assert_array_equal(table.distances, reference.distances)
    # Sums over another layout run in another order; the data is of order one.
    np.testing.assert_allclose(
        fit_whitening(series).directions, fit_whitening(expected).directions, atol=1e-13
    )


@pytest.mark.parametrize("n_gaps", [0, 4])
def test_inputs_are_never_modified(n_gaps):
    X, groups = naive.random_series(4, [20, 15], 3, n_gaps=n_gaps)
    kept, kept_groups = X.copy(), groups.copy()
    series = check_sequences(X, groups)
    whitening = fit_whitening(series)
    fit_whitening(series, 2)
    whitening.apply(series)
    for engine in ("tree", "blockwise"):
        nearest_neighbors(X, groups=groups, n_neighbors=2, n_lags=2, theiler=1, engine=engine)
    np.testing.assert_array_equal(X, kept)
    np.testing.assert_array_equal(groups, kept_groups)


def test_frames_are_never_modified():
    numbers = pd.array([1.0, None, 3.0, 4.0, 6.0], "Float64")
    frame = pd.DataFrame({"a": [1, 2, 4, 8, 1], "b": numbers})
    kept = frame.copy(deep=True)
    fit_whitening(check_sequences(frame, pd.Series([0, 0, 0, 0, 0])))
    pd.testing.assert_frame_equal(frame, kept)
