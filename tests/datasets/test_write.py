"""Features in a file: time stamps, groups, names and every bit of the numbers come back."""

import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from predfeat.datasets import Recording, read, write_features
from predfeat.exceptions import DataFileError

FORMATS = [".csv", ".tsv", ".parquet"]


def written(tmp_path, values, names, suffix=".csv", recording=None):
    path = tmp_path / f"features{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    with path.open("wb") as file:
        write_features(file, values, names, suffix=suffix, recording=recording)
        assert not file.closed
    return path


def same_bits(one, other):
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    assert one.shape == other.shape
    nan = np.isnan(one)
    np.testing.assert_array_equal(nan, np.isnan(other))
    np.testing.assert_array_equal(one[~nan].view(np.int64), other[~nan].view(np.int64))


# Not in a name: what cannot be encoded, and a mark that means "UTF-8" at the start of a file.
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff")
TIME_NAMES = ("time", "timestamp", "datetime", "date", "t")
NAMES = st.text(LETTERS, min_size=1, max_size=8).filter(
    lambda name: name.strip() == name and name.lower() not in TIME_NAMES
)
IDS = st.one_of(
    st.text(LETTERS, min_size=1, max_size=5), st.sampled_from([" a", ";", "\t", "\r", "-"])
)
NUMBERS = st.floats(allow_infinity=True, allow_nan=True, width=64)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_names_and_numbers_survive_text(tmp_path, data):
    names = data.draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rows = data.draw(
        st.lists(
            st.lists(NUMBERS, min_size=len(names), max_size=len(names)), min_size=1, max_size=6
        )
    )
    values = np.array(rows)
    values[0] = np.where(np.isfinite(values[0]), values[0], 0.0)  # no column is empty throughout
    for suffix in (".csv", ".tsv"):
        recording = read(written(tmp_path, values, names, suffix), header=True)
        assert recording.names == tuple(names)
        # What is infinite is written as it is, and read as missing.
        same_bits(recording.values, np.where(np.isinf(values), np.nan, values))
        assert any("infinite" in note for note in recording.notes) == np.isinf(values).any()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    ids=st.lists(IDS, min_size=3, max_size=8),
    seed=st.integers(0, 1000),
)
def test_any_group_ids_survive(tmp_path, ids, seed):
    ids = sorted(ids)
    time = np.arange(len(ids)) * 0.5
    recording = Recording(
        np.zeros((len(ids), 1)), ("x",), "x", groups=np.array(ids, dtype=object), time=time
    )
    features = np.random.default_rng(seed).normal(size=(len(ids), 1))
    again = read(written(tmp_path, features, ["f"], ".csv", recording), group="group")
    assert [str(i) for i in again.group_column.cells] == ids
    np.testing.assert_array_equal(again.time, time)
    same_bits(again.values, features)


@pytest.fixture
def trials(tmp_path):
    """A file with text ids, dates with a missing hour and a long pause, and an empty cell."""
    lines = ["who,Date,x,y"]
    for who, hours in (("Zoë", [0, 1, 2, 4, 5]), ("07", [0, 1, 2, 3, 1000, 1001])):
        for hour in hours:
            date = np.datetime64("2024-03-01T00:00") + np.timedelta64(hour, "h")
            cell = "" if hour == 1 else repr(hour / 3)
            lines.append(f"{who},{str(date).replace('T', ' ')},{cell},{hour % 2}")
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path, lines


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_round_trip_keeps_time_stamps_groups_and_names(tmp_path, trials, suffix):
    source, lines = trials
    recording = read(source, group="who")
    assert len(recording.values) == 12  # one hour was put in
    assert len(np.unique(recording.groups)) == 3  # and the long pause begins a new sequence
    features = recording.values @ np.array([[1.0, 2.0, 3.0], [-1.0, 1 / 3, 0.0]])
    names = ["slow", "fast, wild", 'a "b"']
    path = written(tmp_path, features, names, suffix, recording)
    again = read(path, group="who")
    assert again.names == tuple(names)
    same_bits(again.values, features)
    np.testing.assert_array_equal(again.time, recording.time)
    np.testing.assert_array_equal(again.groups, recording.groups)
    np.testing.assert_array_equal(again.rows, recording.rows)
    assert again.group_column.cells.tolist() == [line.split(",")[0] for line in lines[1:]]
    if suffix == ".csv":
        text = path.read_text(encoding="utf-8").splitlines()
        assert text[0] == 'Date,who,slow,"fast, wild","a ""b"""'
        dates = [line.split(",")[1] for line in lines[1:]]
        assert [line.split(",")[0] for line in text[1:]] == dates
        assert text[2].endswith(",,,")  # a gap is empty cells
    # Once more gives the same file: the round trip is at rest.
    if suffix != ".parquet":
        before = path.read_bytes()
        written(tmp_path, again.values, names, suffix, again)
        assert path.read_bytes() == before


def test_parquet_to_csv_and_back(tmp_path, trials):
    source, _ = trials
    recording = read(source, group="who")
    values, names = recording.values, ["x", "y"]
    parquet = read(written(tmp_path, values, names, ".parquet", recording), group="who")
    csv = read(written(tmp_path, parquet.values, names, ".csv", parquet), group="who")
    np.testing.assert_array_equal(csv.time, recording.time)
    np.testing.assert_array_equal(csv.groups, recording.groups)
    same_bits(csv.values, values)


def test_a_gap_at_the_end_of_a_single_column(tmp_path):
    values = np.array([[1.0], [np.nan], [3.0], [np.nan]])
    same_bits(read(written(tmp_path, values, ["x"])).values, values)


def test_whole_numbers_of_time_stay_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("time,x\n1600000000,1\n1600000060,2\n1600000120,3\n", encoding="utf-8")
    recording = read(path)
    again = written(tmp_path, recording.values, ["x"], ".csv", recording)
    assert again.read_text(encoding="utf-8").splitlines()[1] == "1600000000,1.0"


def test_npy_holds_the_rows_of_the_file(tmp_path, trials):
    recording = read(trials[0], group="who")
    features = np.arange(24.0).reshape(12, 2)
    path = written(tmp_path, features, ["a", "b"], ".npy", recording)
    np.testing.assert_array_equal(np.load(path), features[recording.rows >= 0])


def test_what_does_not_fit_is_refused():
    recording = Recording(np.zeros((3, 1)), ("x",), "x.wav", time=np.arange(3.0))
    for values, names, options, message in [
        (np.zeros((3, 2)), ["a"], {}, r"shape is \(3, 2\), and there are 1 names"),
        (np.zeros(3), ["a"], {}, "must be a matrix"),
        (np.zeros((2, 1)), ["a"], {"recording": recording}, "2 rows.*into 3"),
        (np.zeros((3, 1)), ["time"], {"recording": recording}, "two columns .* 'time'"),
        (np.zeros((3, 2)), ["a", "a"], {}, "two columns .* 'a'"),
        (np.zeros((3, 1)), ["a"], {"suffix": ".xlsx"}, r"'\.xlsx' is not a format.*\.csv"),
    ]:
        with pytest.raises(DataFileError, match=message):
            write_features(io.BytesIO(), values, names, **options)
