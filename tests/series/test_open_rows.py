"""Rows that are read a window at a time: what is read, and what is refused."""

import os
import pickle

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from predfeat.exceptions import (
    ChangedFileError,
    DataFileError,
    DimensionError,
    GroupsError,
    MissingColumnsError,
    NotEnoughMemoryError,
    NotNumericError,
)
from predfeat.series import Rows, check_matrix, check_sequences, open_rows

X = np.random.default_rng(0).normal(size=(50, 3))


def as_parquet(path, values, row_group_size=7, **columns):
    names = {f"c{i}": column for i, column in enumerate(values.T)}
    parquet.write_table(pa.table({**names, **columns}), path, row_group_size=row_group_size)
    return path


def as_npy(path, values):
    np.save(path, values)
    return path


def in_parts(folder, values, cuts, suffix):
    """Write part 1, part 2, … part 10 of a series."""
    folder.mkdir()
    for number, part in enumerate(np.split(values, cuts), 1):
        file = folder / f"part{number}{suffix}"
        (as_npy if suffix == ".npy" else as_parquet)(file, part)
    return folder


def sources(folder):
    """Return the same numbers from everything that they can be in."""
    da = pytest.importorskip("dask.array")
    cuts = [1, 5, 9, 14, 19, 20, 31, 40, 45]
    return {
        "array": X,
        "Fortran order": np.asfortranarray(X),
        "npy": as_npy(folder / "x.npy", X),
        "Fortran npy": as_npy(folder / "f.npy", np.asfortranarray(X)),
        "memory map": np.load(as_npy(folder / "m.npy", X), mmap_mode="r"),
        "parquet": as_parquet(folder / "x.parquet", X),
        "folder of npy": in_parts(folder / "npy", X, cuts, ".npy"),
        "folder of parquet": in_parts(folder / "parquet", X, cuts, ".parquet"),
        "dask": da.from_array(X, chunks=(11, 2)),
    }


def test_every_source_reads_the_same_rows(tmp_path):
    for name, source in sources(tmp_path).items():
        rows = open_rows(source)
        assert rows.shape == (50, 3), name
        for start, stop in [(0, 50), (0, 1), (13, 32), (49, 50), (20, 20)]:
            read = rows.read(start, stop)
            assert read.dtype == np.float64
            assert read.flags.c_contiguous
            assert np.array_equal(read, X[start:stop]), name


def test_checks_take_rows_in_place_of_an_array(tmp_path):
    rows = open_rows(as_npy(tmp_path / "x.npy", X.astype(np.float32)), groups=[0] * 20 + [1] * 30)
    matrix = check_matrix(rows)
    assert np.array_equal(matrix.values, X.astype(np.float32))
    assert matrix.resolution == np.finfo(np.float32).eps
    assert check_sequences(rows).sequence_bounds() == [(0, 20), (20, 50)]
    with pytest.raises(GroupsError, match="group ids of its own"):
        check_sequences(rows, [0] * 50)


def test_a_column_tells_sequences_apart(tmp_path):
    file = as_parquet(tmp_path / "x.parquet", X, day=["a"] * 20 + ["b"] * 30)
    rows = open_rows(file, groups="day")
    assert rows.names == ["c0", "c1", "c2"]
    assert check_sequences(rows).sequence_bounds() == [(0, 20), (20, 50)]
    assert open_rows(file, groups="day", columns=["c2"]).read(3, 4).tolist() == [[X[3, 2]]]


def test_files_are_one_sequence_or_many(tmp_path):
    folder = in_parts(tmp_path / "parts", X, [10, 30], ".npy")
    assert check_sequences(open_rows(folder)).sequence_bounds() == [(0, 50)]
    apart = check_sequences(open_rows(folder, by_file=True)).sequence_bounds()
    assert apart == [(0, 10), (10, 30), (30, 50)]


def test_empty_cells_are_missing(tmp_path):
    file = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"a": [1, None, 3], "b": [True, False, True]}), file)
    read = open_rows(file).read(0, 3)
    assert np.array_equal(read, [[1, 1], [np.nan, 0], [3, 1]], equal_nan=True)


def test_rows_of_files_travel_without_their_numbers(tmp_path):
    rows = open_rows(as_npy(tmp_path / "x.npy", X), groups=np.arange(50))
    there = pickle.loads(pickle.dumps(rows))
    assert np.array_equal(there.read(4, 9), X[4:9])
    assert there.ids is None  # as long as the series: tasks know the borders that they need


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_a_file_that_changes_is_noticed(tmp_path, suffix):
    file = tmp_path / f"x{suffix}"
    write = as_npy if suffix == ".npy" else as_parquet
    rows = open_rows(write(file, X))
    rows.read(0, 5)
    write(file, X[:40])
    with pytest.raises(ChangedFileError, match=r"x\.\w+ has changed since it was opened"):
        rows.read(0, 5)
    rows = open_rows(file)
    os.utime(file, (1, 1))
    with pytest.raises(ChangedFileError, match="written again"):
        rows.read(0, 5)
    file.unlink()
    with pytest.raises(DataFileError, match="at the same path; a cluster needs a shared"):
        rows.read(0, 5)


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    one = as_npy(tmp_path / "1.npy", X)
    wide = as_npy(tmp_path / "2.npy", np.zeros((4, 5)))
    whole = as_npy(tmp_path / "3.npy", np.zeros((4, 3), dtype=int))
    table = as_parquet(tmp_path / "1.parquet", X)
    other = as_parquet(tmp_path / "2.parquet", X[:, :2])
    text = as_parquet(tmp_path / "3.parquet", X, word=["a"] * 50)
    with pytest.raises(DimensionError, match=r"1\.npy has 3 columns of float64, 2\.npy has 5"):
        open_rows([one, wide])
    with pytest.raises(DimensionError, match=r"3 columns of float64, 3\.npy has 3 of int64"):
        open_rows([one, whole])
    with pytest.raises(MissingColumnsError, match=r"2\.parquet has no column 'c2'"):
        open_rows([table, other])
    with pytest.raises(
        DimensionError, match=r"those of 1\.parquet differ from those of 2\.parquet"
    ):
        open_rows([other, table])
    with pytest.raises(DataFileError, match=r"either \.npy or \.parquet, but these are \.npy, \.p"):
        open_rows([one, table])
    with pytest.raises(NotNumericError, match="column 'word' of type string"):
        open_rows(text, columns=["c0", "word"])
    assert open_rows([table, text]).shape == (100, 3)


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        (b"'fortran_order': False,", b"'fortran_order': Fals{\0"),  # a bracket that never closes
        (b"(50, 3)", b"(50, 3 "),
        (b"(50, 3)", b"((((((("),
        (b"(50, 3)", b"(-9, 3)"),
        (b"(50, 3)", b"(5e9, 3"),
        (b"'<f8'", b"'<q8'"),
        (b"'descr'", b"'desce'"),
        (b"\x93NUMPY\x01", b"\x93NUMPY\x09"),
    ],
)
def test_a_damaged_header_is_refused(tmp_path, sound, damaged):
    path = as_npy(tmp_path / "x.npy", np.zeros((50, 3)))
    assert sound in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(sound, damaged.ljust(len(sound))))
    with pytest.raises(DataFileError, match=r"x\.npy is no \.npy file that can be mapped"):
        open_rows(path)


def test_what_is_no_series_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "no.npy").write_text("no array")
    (tmp_path / "no.parquet").write_text("no table")
    flat = as_npy(tmp_path / "flat.npy", np.zeros(5))
    words = as_npy(tmp_path / "words.npy", np.array([["a"]]))
    objects = tmp_path / "objects.npy"
    np.save(objects, np.array([[{}]]), allow_pickle=True)
    with pytest.raises(DataFileError, match=r"empty holds no \.npy or \.parquet file"):
        open_rows(tmp_path / "empty")
    with pytest.raises(DataFileError, match=r"there is no file .*nowhere\.npy"):
        open_rows(tmp_path / "nowhere.npy")
    with pytest.raises(DataFileError, match=r"no\.npy is no \.npy file that can be mapped"):
        open_rows(tmp_path / "no.npy")
    with pytest.raises(DataFileError, match=r"no\.parquet is no Parquet file"):
        open_rows(tmp_path / "no.parquet")
    with pytest.raises(DataFileError, match="files to be read block by block are either"):
        open_rows(tmp_path / "table.csv")
    with pytest.raises(DataFileError, match="can be mapped"):
        open_rows(objects)
    with pytest.raises(DimensionError, match=r"its shape is \(5,\)"):
        open_rows(flat)
    with pytest.raises(NotNumericError, match="its type is <U1"):
        open_rows(words)


def test_options_that_do_not_apply_are_refused(tmp_path):
    file = as_npy(tmp_path / "x.npy", X)
    with pytest.raises(GroupsError, match="X has 50 rows, groups has 49"):
        open_rows(file, groups=[0] * 49)
    with pytest.raises(DataFileError, match=r"the columns of a \.npy file have no names"):
        open_rows(file, columns=["a"])
    with pytest.raises(ValueError, match="by_file=True and groups both say"):
        open_rows(file, groups=[0] * 50, by_file=True)
    with pytest.raises(ValueError, match="are for files"):
        open_rows(X, columns=["a"])
    with pytest.raises(ValueError, match="is not sent to a cluster"):
        open_rows(X, client=object())


def test_memory_is_estimated_before_a_series_is_read_whole(tmp_path, monkeypatch):
    rows = open_rows(as_npy(tmp_path / "x.npy", X))
    assert isinstance(rows, Rows)
    monkeypatch.setattr("predfeat.series._rows.available_memory", lambda: 3000)
    with pytest.raises(
        NotEnoughMemoryError, match=r"takes about 3\.6 kB of memory, and 3 kB are free"
    ):
        check_matrix(rows)
