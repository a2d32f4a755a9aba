"""Several files, a folder, a pattern: one sequence each, and every row finds its way back."""

import io

import numpy as np
import pytest

from csv_tables import write_columns
from predfeat.datasets import read, write_features
from predfeat.exceptions import DataFileError, SkippedColumnsWarning, UnevenSamplingWarning


@pytest.fixture
def trials(tmp_path):
    folder = tmp_path / "trials"
    folder.mkdir()
    for i in (1, 2, 10):
        time = np.arange(4) * 0.5
        first, second = np.arange(4) + 100 * i, -np.arange(4) - 100 * i
        if i == 2:  # the same columns in another order
            write_columns(folder / f"trial{i}.csv", "b,time,a", second, time, first)
        else:
            write_columns(folder / f"trial{i}.csv", "time,a,b", time, first, second)
    return folder


IN_ORDER = ["trial1.csv"] * 4 + ["trial2.csv"] * 4 + ["trial10.csv"] * 4


def test_a_folder_a_pattern_and_a_list_are_the_same(trials):
    given = [trials, str(trials), f"{trials}/trial*.csv", sorted(trials.iterdir())]
    for files in given:
        recording = read(files)
        assert recording.groups.tolist() == IN_ORDER
        assert recording.names == ("a", "b")
        expected = np.concatenate([np.arange(4) + 100 * i for i in (1, 2, 10)])
        np.testing.assert_array_equal(recording.values, np.stack([expected, -expected], axis=1))
        assert recording.time.tolist() == [0, 0.5, 1, 1.5] * 3
        assert recording.source == "3 files (trial1.csv to trial10.csv)"
        assert recording.notes == ("Column 'time' was taken as time stamps.",)
        assert (recording.step, recording.rows) == (0.5, None)
    own = [trials / f"trial{i}.csv" for i in (10, 1)]  # an order that somebody chose stays
    assert read(own).groups.tolist() == ["trial10.csv"] * 4 + ["trial1.csv"] * 4
    alone = read([trials / "trial1.csv"])
    assert (alone.groups, alone.file_column, alone.source) == (None, None, "trial1.csv")


def test_what_is_left_out_of_a_folder_is_said(trials):
    (trials / "README.txt").write_text("about these\n")
    (trials / "clip.avi").write_text("x")
    (trials / ".hidden").write_text("x")
    (trials / "sub").mkdir()
    recording = read(trials)
    assert recording.groups.tolist() == IN_ORDER
    assert recording.notes[0] == (
        "The 3 .csv file(s) of trials were read; left out: clip.avi, README.txt."
    )


def test_names_tell_files_of_several_folders_apart(trials, tmp_path):
    other = tmp_path / "more"
    other.mkdir()
    (other / "trial1.csv").write_bytes((trials / "trial1.csv").read_bytes())
    recording = read(str(tmp_path / "*" / "trial1.csv"))
    assert list(dict.fromkeys(recording.groups)) == ["more/trial1.csv", "trials/trial1.csv"]


def test_columns_that_are_missing_are_named(trials):
    write_columns(trials / "trial3.csv", "time,a,c", [0, 0.5, 1], range(3), range(3))
    with pytest.raises(DataFileError, match=r"trial3.csv has no column 'b', which trial1.csv has"):
        read(trials)
    assert read(trials, columns=["a"]).names == ("a",)
    # One that a file has, but without numbers, is left out of all.
    write_columns(trials / "trial3.csv", "time,a,b", range(3), range(3), ["x"] * 3)
    with (
        pytest.warns(SkippedColumnsWarning, match="1 column"),
        pytest.warns(UnevenSamplingWarning, match="trial1.csv are 0.5 .* those of trial3.csv 1 "),
    ):
        recording = read(trials)
    assert recording.names == ("a",)
    assert "'b' (trial3.csv)" in recording.notes[-1]


def test_groups_and_gaps_inside_the_files(tmp_path):
    for name in ("one", "two"):
        write_columns(tmp_path / f"{name}.csv", "time,g,x", [0, 1, 3, 0, 1], "aaabb", range(5))
    recording = read(tmp_path, group="g")
    assert recording.groups.tolist() == [
        f"{name}.csv: {g}" for name in ("one", "two") for g in "aaaabb"
    ]
    assert recording.rows.tolist() == [0, 1, -1, 2, 3, 4, 5, 6, -1, 7, 8, 9]
    assert sum("jump(s)" in note for note in recording.notes) == 1


def test_features_of_many_files_go_back_to_their_rows(tmp_path):
    # In order; newest first, with a gap and a copy; shuffled.
    days = [[1, 2, 3, 4, 5], [9, 8, 8, 5, 4], [2, 0, 4, 1, 3]]
    for i, own in enumerate(days):
        dates = [f"2012-01-{day + 1:02}" for day in own]
        write_columns(tmp_path / f"f{i}.csv", "date,x", dates, [10 * i + day for day in own])
    recording = read(tmp_path)
    assert recording.copies.tolist() == [[6, 7]]
    file = io.BytesIO()
    write_features(file, recording.values, ["f"], recording=recording)
    lines = file.getvalue().decode().splitlines()
    assert lines[0] == "file,date,f"
    assert lines[1:] == [
        f"f{i}.csv,2012-01-{day + 1:02},{10.0 * i + day}"
        for i, own in enumerate(days)
        for day in own
    ]


def test_what_cannot_be_put_together(trials, tmp_path, monkeypatch):
    one = trials / "trial1.csv"
    dated = write_columns(
        tmp_path / "dated.csv", "time,a,b", ["2012-01-01", "2012-01-02"], [1, 1], [3, 7]
    )
    for files, message in [
        ([], "list is empty"),
        ([one, one], "is given twice"),
        ([one, "-"], "standard input"),
        ([one, tmp_path / "none.csv"], "there is no file"),
        (str(tmp_path / "no*.csv"), "no file matches the pattern"),
        ([one, dated], "trial1.csv has numbers as time stamps, but dated.csv dates"),
    ]:
        with pytest.raises(DataFileError, match=message):
            read(files)
    odd = write_columns(tmp_path / "odd[1].csv", "a,b", [1, 2], [3, 4])
    assert len(read(str(odd)).values) == 2  # a name is a name before it is a pattern


def test_progress_over_files(trials):
    seen = []
    read(trials, on_progress=lambda done, total: seen.append(done / total))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert any(share <= 1 / 3 for share in seen)


def test_sounds_of_several_files(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    rng = np.random.default_rng(0)
    for i, rate in enumerate((8000, 8000, 16000)):
        soundfile.write(tmp_path / f"{i}.wav", rng.uniform(-1, 1, size=4000), rate)
    recording = read([tmp_path / "0.wav", tmp_path / "1.wav"], frame=64, hop=64)
    assert list(dict.fromkeys(recording.groups)) == ["0.wav", "1.wav"]
    with pytest.raises(DataFileError, match=r"2.wav has no column.*Give the same `rate`"):
        read(tmp_path, frame=64, hop=64)


def test_a_count_that_is_alike_in_all_files_is_said_of_each(tmp_path):
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text("x,y\n1,2\n,3\n4,7\n5,1\n", encoding="utf-8")
    notes = read(tmp_path).notes
    assert any(note.startswith("In each file: 1 of 4 rows is a gap") for note in notes)
