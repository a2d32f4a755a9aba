"""What is known about rows besides their samples: what counts as missing, and what is refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from predfeat.exceptions import AnnotationError
from predfeat.series import ANNOTATIONS, Annotations, check_annotations

NAN = float("nan")
MISSING = [None, NAN, np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan")]


def classes_of(values):
    """Return codes and names, and check that they say the same as the values."""
    found = check_annotations(len(values), y=values).classes("y")
    assert len(found.codes) == len(values)
    assert len(set(found.names)) == len(found.names)
    used = found.codes[found.codes >= 0]
    # Numbered as they first appear, and each counted.
    assert list(dict.fromkeys(used.tolist())) == list(range(len(found.names)))
    assert found.sizes.tolist() == [int(np.sum(used == code)) for code in range(len(found.names))]
    return found.codes.tolist(), found.names


@pytest.mark.parametrize(
    "values",
    [
        ["up", None, "down", "up"],
        ["up", NAN, "down", "up"],
        ("up", np.nan, "down", "up"),
        np.array(["up", None, "down", "up"], dtype=object),
        pd.Series(["up", None, "down", "up"]),
        pd.Series(["up", pd.NA, "down", "up"], dtype="string"),
        pd.Series(["up", None, "down", "up"], index=[9, 3, 7, 1]),  # rows count, not an index
        pd.Categorical(["up", None, "down", "up"], categories=["down", "never", "up"]),
        pd.Series(["up", None, "down", "up"], dtype="category"),
        [["up"], [None], ["down"], ["up"]],
        pd.DataFrame({"label": ["up", None, "down", "up"]}),
    ],
    ids=[
        "None", "NaN", "tuple", "objects", "Series", "string", "index", "Categorical",
        "categories", "column", "frame",
    ],
)  # fmt: skip
def test_text_in_any_form_gives_the_same_classes(values):
    assert classes_of(values) == ([0, -1, 1, 0], ("up", "down"))


@pytest.mark.parametrize(
    "values",
    [
        [3, None, -1, 3],
        [3.0, NAN, -1.0, 3.0],
        np.array([3, np.nan, -1, 3], dtype=np.float32),
        pd.Series([3, None, -1, 3], dtype="Int64"),
        pd.Series([3, None, -1, 3], dtype="Float32"),
        np.array([[3.0], [np.nan], [-1.0], [3.0]]),
    ],
    ids=["None", "NaN", "float32", "Int64", "Float32", "column"],
)
def test_numbers_in_any_form_give_the_same_classes_and_numbers(values):
    assert classes_of(values) == ([0, -1, 1, 0], (3, -1))
    numbers = check_annotations(4, y=values).numbers("y")
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, [[3.0], [np.nan], [-1.0], [3.0]])


@pytest.mark.parametrize("missing", MISSING, ids=lambda value: f"{type(value).__name__}")
def test_every_kind_of_missing_value_is_missing(missing):
    assert classes_of(["a", missing, "b"]) == ([0, -1, 1], ("a", "b"))
    assert classes_of([missing, 2.5, 2.5]) == ([-1, 0, 0], (2.5,))
    known = check_annotations(3, y=[missing, 2, 7], rewards=[0.5, missing, 1])
    np.testing.assert_array_equal(known.numbers("y"), [[np.nan], [2.0], [7.0]])
    np.testing.assert_array_equal(known.numbers("rewards"), [[0.5], [np.nan], [1.0]])


def test_dates_are_labels_and_nat_is_missing():
    days = np.array(["2020-01-02", "NaT", "2020-01-01", "2020-01-02"], dtype="M8[D]")
    for values in (days, days.astype("M8[ns]"), pd.Series(days), list(pd.Series(days))):
        assert classes_of(values)[0] == [0, -1, 1, 0]


def test_a_nan_that_is_text_is_a_label():
    # An array of text has no missing values: it was text before it came here.
    assert classes_of(np.array(["nan", "a"])) == ([0, 1], ("nan", "a"))
    assert classes_of(["nan", NAN, "a"]) == ([0, -1, 1], ("nan", "a"))


def test_numbers_and_text_are_different_labels():
    assert classes_of([1, "1", 1.0, b"1"]) == ([0, 1, 0, 2], (1, "1", b"1"))
    assert classes_of([True, False, 1, 0]) == ([0, 1, 0, 1], (True, False))


def test_tuples_in_one_column_are_labels():
    assert classes_of(pd.Series([(0, 1), (1, 0), (0, 1)])) == ([0, 1, 0], ((0, 1), (1, 0)))


def test_several_columns_are_numbers():
    known = check_annotations(3, y=[[1, 2], [None, 4], [5, 6]], actions=np.eye(3))
    np.testing.assert_array_equal(known.numbers("y"), [[1, 2], [np.nan, 4], [5, 6]])
    np.testing.assert_array_equal(known.numbers("actions"), np.eye(3))
    with pytest.raises(
        AnnotationError, match=r"y has shape \(3, 2\), but classes need one value for each row"
    ):
        known.classes("y")


def test_what_is_given_stays_as_it_was():
    values = np.array([1.0, np.nan, 2.0])
    known = check_annotations(3, y=values)
    numbers = known.numbers("y")
    numbers[:] = 0.0
    np.testing.assert_array_equal(known.numbers("y")[:, 0], [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(values, [1.0, np.nan, 2.0])


@pytest.mark.parametrize(
    ("actions", "discrete"),
    [
        (["left", None, "right"], True),
        ([0, 2, 1], True),
        ([0.0, NAN, 1.0], True),
        ([True, False, True], True),
        (pd.Series([0, None, 5], dtype="Int64"), True),
        ([b"a", b"b", b"a"], True),
        ([0.0, 0.5, 1.0], False),
        ([None, 0.5, 1], False),
        ([[0], [2], [1]], False),  # a matrix, even of one column, holds quantities
        ([[0, 1], [1, 0], [1, 1]], False),
        ([["left", "up"], ["left", "up"], ["left", "up"]], False),
    ],
)
def test_actions_are_kinds_or_quantities(actions, discrete):
    assert check_annotations(3, actions=actions).has_discrete_actions is discrete


def test_a_single_column_stays_a_matrix_for_actions_alone():
    column = [[1.0], [2.0], [3.0]]
    known = check_annotations(3, y=column, actions=column, rewards=column)
    assert known.y.shape == known.rewards.shape == (3,)
    assert known.actions.shape == (3, 1)


# What is refused


@pytest.mark.parametrize("name", ANNOTATIONS)
@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([1, 2], r"\(2,\)"),
        ([1, 2, 3, 4], r"\(4,\)"),
        ([], r"\(0,\)"),
        (5, r"\(\)"),
        ("abc", r"\(\)"),
        ({1, 2, 3}, r"\(\)"),
        (np.zeros((1, 3)), r"\(1, 3\)"),
        (np.zeros((3, 2, 2)), r"\(3, 2, 2\)"),
        ([[1], [2]], r"\(2, 1\)|\(2,\)"),
    ],
)
def test_there_is_one_entry_for_each_row(name, values, shape):
    message = f"^{name} must have one entry for each of the 3 rows of X, but its shape is {shape}"
    with pytest.raises(AnnotationError, match=message):
        check_annotations(3, **{name: values})


def test_rewards_are_single_numbers():
    with pytest.raises(AnnotationError, match=r"^rewards must have one entry .* \(3, 2\)\.$"):
        check_annotations(3, rewards=np.zeros((3, 2)))


@pytest.mark.parametrize("name", ANNOTATIONS)
@pytest.mark.parametrize(
    "values",
    [
        [None, None, None],
        [NAN, None, pd.NA],
        np.full(3, np.nan),
        np.full(3, "NaT", dtype="M8[ns]"),
        pd.Series([None] * 3, dtype="string"),
        pd.Categorical([None] * 3),
        [[None], [NAN], [pd.NaT]],
    ],
    ids=["None", "mixed", "NaN", "NaT", "string", "Categorical", "column"],
)
def test_something_must_be_known(name, values):
    message = rf"^all 3 entries of {name} are missing \(None or NaN\): nothing .* Leave it out\.$"
    with pytest.raises(AnnotationError, match=message):
        check_annotations(3, **{name: values})


@pytest.mark.parametrize(
    ("of", "call"),
    [("y", r"fit\(X, y\)"), ("actions", r"fit\(X, actions=…\)"), ("rewards", "rewards=…")],
)
def test_what_is_needed_must_be_given(of, call):
    message = f"^{of} is needed, but was not given. Call .*{call}"
    for ask in (Annotations().classes, Annotations().numbers):
        with pytest.raises(AnnotationError, match=message):
            ask(of)
    if of == "actions":
        with pytest.raises(AnnotationError, match=message):
            _ = Annotations().has_discrete_actions


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([1, "fast", None], "'fast'"),
        (np.array(["slow", "fast", "slow"]), "'slow'"),
        (np.array([np.int64(3), "fast", 1.5], dtype=object), "'fast'"),
        (pd.Categorical(["a", None, "b"]), "'a'"),
        ([None, "7", 1], "'7'"),  # a number as text is text
        ([[1, 2], [3, "x"], [5, 6]], "'x'"),
        ([[1], [1, 2], [3]], r"\[1\]"),
        ([1j, 2, 3], "1j"),
        (np.array(["NaT", "2020-01-01", "NaT"], dtype="M8[ns]"), "2020-01-01"),
        (pd.Series([1, (2, 3), 4]), r"\(2, 3\)"),
        (pd.Series([1, np.zeros(2), 4]), r"array\(\[0., 0.\]\)"),
    ],
)
def test_what_is_no_number_is_shown(values, shown):
    with pytest.raises(
        AnnotationError, match=f"^y must hold numbers here, but holds {shown}.*Give numbers, and"
    ):
        check_annotations(3, y=values).numbers("y")


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 1.0, np.inf],
        [0.0, None, -np.inf],
        [0, 1, 10**400],
        [[0, 1, 2], [NAN, 4, 5], [6, 7, np.inf]],
        [[0, 1, 2], [NAN, 4, 5], [-np.inf, 7, np.inf]],
    ],
    ids=["plain", "objects", "huge", "last of a row", "first of a row"],
)
def test_infinite_numbers_are_named_by_their_row(values):
    known = check_annotations(3, y=values)
    with pytest.raises(AnnotationError, match=r"^y holds an infinite value in row 2\. Give finite"):
        known.numbers("y")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([[1], [1, 2], [3]], r"\[1\] in row 0"),
        (pd.Series([None, {"a": 1}, "b"]), r"{'a': 1} in row 1"),
        (pd.Series(["a", "b", np.zeros(2)]), r"array\(\[0., 0.\]\) in row 2"),
    ],
    ids=["ragged", "dict", "array"],
)
def test_labels_must_be_comparable(values, shown):
    message = f"^y holds {shown}, which cannot be compared as a label. Give numbers, text or tuples"
    with pytest.raises(AnnotationError, match=message):
        check_annotations(3, y=values).classes("y")


def test_arrays_of_different_shapes_are_no_entries():
    ragged = [np.zeros((2, 2)), np.zeros((2, 3))]
    with pytest.raises(AnnotationError, match=r"^actions must have one .* arrays of different sha"):
        check_annotations(2, actions=ragged)
