"""Columns that say something about each row stay with their rows, whatever happens to these."""

import numpy as np
import pandas as pd
import pytest

from predfeat.datasets import prepare, read
from predfeat.exceptions import DataFileError, MissingColumnsError

KINDS = np.array(["low", "high", None], dtype=object)
WRITERS = {
    ".csv": lambda table, path: table.to_csv(path, index=False),
    ".parquet": lambda table, path: table.to_parquet(path),
    ".xlsx": lambda table, path: table.to_excel(path, index=False),
    ".json": lambda table, path: table.to_json(path, orient="records"),
}


def kind_of(x):
    return KINDS[(10 * x).astype(int) % 3]


@pytest.fixture
def table():
    """Rows out of order, of two interleaved groups, with a jump in time."""
    random = np.random.default_rng(0)
    time = np.concatenate([np.arange(20), np.arange(23, 40)] * 2)
    x = random.random(len(time)).round(3)
    rows = {"time": time, "id": np.repeat(["a", "b"], len(time) // 2), "x": x,
            "y": random.random(len(time)), "kind": kind_of(x), "gain": 2 * x}  # fmt: skip
    return pd.DataFrame(rows).sample(frac=1, random_state=1)


def check(recording):
    x = recording.values[:, 0]
    known = ~np.isnan(x)
    assert known.sum() > 0
    label, reward = recording.annotations["label"], recording.annotations["reward"]
    assert len(label) == len(reward) == len(x)
    assert label[known].tolist() == kind_of(x[known]).tolist()
    assert all(kind is None for kind in label[~known])
    assert reward.dtype == np.float64
    np.testing.assert_array_equal(reward, 2 * x)


@pytest.mark.filterwarnings("ignore::predfeat.exceptions.AliasingWarning")
@pytest.mark.parametrize("suffix", WRITERS)
def test_they_follow_their_rows(tmp_path, table, suffix):
    path = tmp_path / f"table{suffix}"
    WRITERS[suffix](table, path)
    recording = read(path, group="id", annotations={"label": "kind", "reward": "gain"})
    assert recording.names == ("x", "y")
    assert np.isnan(recording.values[:, 0]).any()  # or no gap was met
    check(recording)
    check(prepare(recording, every=3))


def test_they_follow_their_rows_in_many_files(tmp_path, table):
    for name in ("one", "two"):
        table[table.id == "a"].drop(columns="id").to_csv(tmp_path / f"{name}.csv", index=False)
    check(read(tmp_path, annotations={"label": "kind", "reward": "gain"}))


def test_text_in_one_file_and_numbers_in_another_are_refused(tmp_path):
    (tmp_path / "one.csv").write_text("x,kind\n1,a\n2.5,b\n3,a\n")
    (tmp_path / "two.csv").write_text("x,kind\n1,1\n2.5,2\n3,1\n")
    with pytest.raises(
        DataFileError, match=r"label holds text in one\.csv, but numbers in two\.csv"
    ):
        read(tmp_path, annotations={"label": "kind"})


@pytest.mark.parametrize(
    ("cells", "options", "expected"),
    [
        (["1", "", "2.5", "NA"], {}, [1, np.nan, 2.5, np.nan]),
        (["1", "-999", "2.5", "-999.0"], {"missing": "-999"}, [1, np.nan, 2.5, np.nan]),
        (["up", " ", "1", " down "], {}, ["up", None, "1", "down"]),
        (["up", "?", "none", "lost"], {"missing": "lost"}, ["up", None, None, None]),
    ],
)
def test_cells(tmp_path, cells, options, expected):
    path = tmp_path / "t.csv"
    rows = zip((0.3, 1.0, 0.2, 5.0), cells, strict=True)
    path.write_text("x,c\n" + "".join(f"{x},{cell}\n" for x, cell in rows))
    found = read(path, annotations={"label": "c"}, **options).annotations["label"]
    if found.dtype.kind == "f":
        np.testing.assert_array_equal(found, expected)
    else:
        assert found.tolist() == expected


def test_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;c\n0,5;1,5\n1,5;2\n0,1;\n")
    found = read(path, annotations={"reward": "c"}).annotations["reward"]
    np.testing.assert_array_equal(found, [1.5, 2.0, np.nan])


def test_several_columns_are_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,a,b,c\n0.5,1,2,u\n1.5,3,4,v\n0.1,5,,w\n")
    found = read(path, exclude=["c"], annotations={"action": "a,b"}).annotations["action"]
    np.testing.assert_array_equal(found, [[1, 2], [3, 4], [5, np.nan]])
    with pytest.raises(DataFileError, match="has 2 columns, and not all of them"):
        read(path, annotations={"action": ["a", "c"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["kind"]}, "both label and a channel"),
        ({"keep": ["kind"]}, "both the label column and kept as a channel"),
        ({"exclude": ["kind"]}, "both the label column and excluded"),
        ({"group": "kind"}, "both the label column and time or group"),
    ],
)
def test_a_column_has_one_role(tmp_path, options, message):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n1,a\n2.5,b\n3,a\n")
    with pytest.raises(DataFileError, match=message):
        read(path, annotations={"label": "kind"}, **options)


def test_unknown_columns_are_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n1,a\n2.5,b\n3,a\n")
    with pytest.raises(MissingColumnsError, match=r"no column 'mode' \(`label`\)"):
        read(path, annotations={"label": "mode"})
    with pytest.raises(DataFileError, match="`label` names no column"):
        read(path, annotations={"label": []})


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ("kind", "annotations='kind' is no dict"),
        (["kind"], r"annotations=\['kind'\] is no dict"),
        ({"label": 3}, "`label` names 3, which is no column"),
        ({"label": None}, "`label` names None, which is no column"),
    ],
)
def test_what_is_no_dict_of_columns_is_refused(tmp_path, annotations, message):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n1,a\n2.5,b\n3,a\n")
    with pytest.raises(DataFileError, match=message):
        read(path, annotations=annotations)
