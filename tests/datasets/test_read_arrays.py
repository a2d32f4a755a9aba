"""NumPy's files: matrices are read, everything else is refused without running anything."""

import io
import zipfile

import numpy as np
import pytest

from predfeat.datasets import _arrays, _opening, read
from predfeat.exceptions import DataFileError


def saved(tmp_path, array, **options):
    path = tmp_path / "array.npy"
    np.save(path, array, **options)
    return path


@pytest.mark.parametrize("dtype", ["f8", "f4", ">f8", "f2", "i2", "u8", "?", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_of_any_real_type(tmp_path, dtype, order):
    X = np.asarray(np.arange(12).reshape(6, 2) % 2, dtype=dtype, order=order)
    recording = read(saved(tmp_path, X))
    np.testing.assert_array_equal(recording.values, X.astype(float))
    expected = np.dtype(dtype).newbyteorder("=") if dtype in ("f4", "f2") else np.float64
    assert recording.values.dtype == expected
    assert recording.names == ("column 1", "column 2")


def test_one_dimension_is_one_column(tmp_path):
    np.testing.assert_array_equal(read(saved(tmp_path, np.arange(3))).values, [[0], [1], [2]])


def test_columns_by_name(tmp_path):
    recording = read(saved(tmp_path, np.eye(3)), columns=["column 3", "column 1"])
    np.testing.assert_array_equal(recording.values, np.eye(3)[:, [2, 0]])


def test_big_arrays_stay_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(_arrays, "available_memory", lambda: 1000)
    big = read(saved(tmp_path, np.ones((50, 2))))
    assert isinstance(big.values, np.memmap)
    assert "stays on disk" in big.notes[0]
    small = read(saved(tmp_path, np.ones((5, 2))))
    assert type(small.values) is np.ndarray
    assert small.notes == ()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((2, 3, 4)), r"3 dimensions, shape \(2, 3, 4\).*from_trials"),
        (np.float64(1), "0 dimensions"),
        (np.zeros((0, 3)), "no numbers|damaged"),
        (np.zeros((3, 0)), "no numbers|damaged"),
        (np.ones((2, 2), complex), "complex"),
        (np.array(["a"]), "no numbers"),
        (np.array(["2024-01-01"], "M8[D]"), "no numbers"),
        (np.zeros(3, [("a", float)]), "table of fields"),
        (np.array([1, "a"], dtype=object), "object"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_explained(tmp_path, array, message):
    with pytest.raises(DataFileError, match=message):
        read(saved(tmp_path, array, allow_pickle=True))
    np.savez(tmp_path / "one.npz", array)
    with pytest.raises(DataFileError, match=message):
        read(tmp_path / "one.npz")


def test_npz_asks_for_a_key_only_where_it_must(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, x=np.eye(3))
    np.testing.assert_array_equal(read(path).values, np.eye(3))
    np.savez(path, x=np.eye(3), y=np.ones((2, 2)))
    with pytest.raises(DataFileError, match=r"2 arrays: 'x', 'y'.*key"):
        read(path)
    with pytest.raises(DataFileError, match="no array 'z', only 'x', 'y'"):
        read(path, key="z")
    np.testing.assert_array_equal(read(path, key="y").values, np.ones((2, 2)))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(DataFileError, match="no arrays"):
        read(path)


class Boom:
    def __reduce__(self):
        return (_mark, ())


ran = []


def _mark():
    ran.append(1)


def test_no_pickle_is_ever_run(tmp_path):
    array = np.array([Boom()], dtype=object)
    np.savez(tmp_path / "a.npz", array)
    for path in (saved(tmp_path, array, allow_pickle=True), tmp_path / "a.npz"):
        with pytest.raises(DataFileError, match=r"[Oo]bject"):
            read(path)
    np.load(tmp_path / "a.npz", allow_pickle=True)["arr_0"]
    assert ran == [1]  # it would have run


def header_claiming(shape):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return buffer.getvalue() + bytes(64)


def test_a_header_that_claims_too_much_takes_no_memory(tmp_path):
    for shape in ((10**9, 10**3), (2**62, 2**62), (10**30,)):
        raw = header_claiming(shape)
        (tmp_path / "a.npy").write_bytes(raw)
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("x.npy", raw)
        # Refused by us: NumPy would ask for the memory first.
        for name in ("a.npy", "a.npz"):
            with pytest.raises(DataFileError, match="header states"):
                read(tmp_path / name)


def test_too_big_for_memory_is_said_before(tmp_path, monkeypatch):
    monkeypatch.setattr(_opening, "available_memory", lambda: 1000)
    np.savez(tmp_path / "a.npz", np.ones((100, 2)))
    for path in (saved(tmp_path, np.ones((100, 2))), tmp_path / "a.npz"):
        with pytest.raises(DataFileError, match="of memory"):
            read(path)
