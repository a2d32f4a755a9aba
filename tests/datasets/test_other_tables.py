"""Spreadsheets, JSON, MATLAB, EDF, NetCDF, compressed and blank-separated text: one table each."""

import bz2
import gzip
import io
import json
import lzma
import warnings
import zipfile
from datetime import datetime, timedelta

import numpy as np
import pytest
from scipy.io import loadmat, netcdf_file, savemat

from damage import edf_bytes, nc4_bytes
from predfeat.datasets import _opening, read
from predfeat.exceptions import DataFileError, SkippedColumnsWarning

X = np.random.default_rng(0).normal(size=(30, 3)).round(9)  # as .xlsx keeps 16 digits
NAMES = ("x", "y", "z")
DAYS = [datetime(2012, 1, 20) + timedelta(days=i) for i in range(30)]
CELLS = [f"{day:%Y-%m-%d}" for day in DAYS]
ROWS = [[day, *row] for day, row in zip(CELLS, X.tolist(), strict=True)]
TEXT = "date,x,y,z\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)


def is_the_table(recording):
    assert recording.names == NAMES
    np.testing.assert_array_equal(recording.values, X)
    np.testing.assert_array_equal(recording.time.astype("M8[D]"), np.array(DAYS, dtype="M8[D]"))
    assert (recording.step, recording.unit) == (86_400.0, "s")


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_compressed_text(tmp_path, suffix):
    if suffix == "zst":
        arrow = pytest.importorskip("pyarrow")
        raw = arrow.compress(TEXT.encode(), codec="zstd", asbytes=True)
    else:
        raw = {"gz": gzip, "bz2": bz2, "xz": lzma}[suffix].compress(TEXT.encode())
    for name in (f"table.csv.{suffix}", "table.csv"):  # the bytes tell, whatever the name
        path = tmp_path / name
        path.write_bytes(raw)
        is_the_table(read(path))
    path.write_bytes(raw[:-20])
    with pytest.raises(DataFileError, match="cut short"):
        read(path)


def test_the_one_table_in_an_archive(tmp_path):
    path = tmp_path / "table.zip"
    members = {"data/table.csv": TEXT, "__MACOSX/data/._table.csv": "x", "LICENSE.md": "x"}

    def pack(members):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    pack(members)
    is_the_table(read(path))
    pack({**members, "other.csv": TEXT})
    with pytest.raises(DataFileError, match=r"2 tables: 'data/table.csv', 'other.csv'. Unpack"):
        read(path)
    pack({"a.md": "x"})
    with pytest.raises(DataFileError, match=r"no text table \('a.md'\)"):
        read(path)


@pytest.mark.parametrize("between", [" ", "   ", "\t", " \t "])
def test_text_with_blanks_between_cells(tmp_path, between):
    path = tmp_path / "table.txt"
    lines = [f" {between.join(line.split(','))} " for line in TEXT.splitlines()]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    is_the_table(read(path))
    if between != "\t":
        is_the_table(read(path, delimiter=" "))


def test_a_name_of_two_words_is_one_column(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("my value\n1\n2\n", encoding="utf-8")
    assert read(path).names == ("my value",)


def test_feather(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    path = tmp_path / "table.feather"
    columns = {"date": CELLS, **dict(zip(NAMES, X.T, strict=True))}
    for compression in ("lz4", "uncompressed"):
        feather.write_feather(arrow.table(columns), path, compression=compression)
        is_the_table(read(path))
    narrow = {name: cells.astype(np.float32) for name, cells in zip(NAMES, X.T, strict=True)}
    feather.write_feather(arrow.table(narrow), path)
    assert read(path).values.dtype == np.float32


def sheet(path, *pages):
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for title, rows in pages:
        page = book.create_sheet(title)
        for row in rows:
            page.append(row)
    book.save(path)


def test_sheets(tmp_path):
    path = tmp_path / "table.xlsx"
    rows = [["date", *NAMES], *([day, *row] for day, row in zip(DAYS, X.tolist(), strict=True))]
    sheet(path, ("data", [[], *rows]), ("about", [["words"]]))
    recording = read(path)
    is_the_table(recording)
    assert recording.notes[0] == "The sheet 'data' was read; `sheet` chooses another: 'about'."
    sheet(path, ("about", [["words"]]), ("data", rows))
    is_the_table(read(path, sheet="data"))
    with pytest.raises(DataFileError, match="no sheet 'Data', only 'about', 'data'"):
        read(path, sheet="Data")
    sheet(path, ("data", [["a", "b", "why"], [1, True, "x"], [None, False, "y"], ["NA", 2.5, "z"]]))
    with pytest.warns(SkippedColumnsWarning, match="'why'"):
        np.testing.assert_array_equal(read(path).values, [[1, 1], [np.nan, 0], [np.nan, 2.5]])
    path.write_bytes(b"no workbook")
    with pytest.raises(DataFileError, match=r"cannot be read as an \.xlsx workbook"):
        read(path)


def table_in_json():
    columns = {"date": CELLS, **{name: X[:, i].tolist() for i, name in enumerate(NAMES)}}
    records = [dict(zip(columns, row, strict=True)) for row in ROWS]
    days = [int((day - datetime(1970, 1, 1)).total_seconds()) * 1000 for day in DAYS]
    values = {name: columns[name] for name in NAMES}
    return {
        "records": records,
        "rows": [["date", *NAMES], *ROWS],
        "columns": columns,
        "by row": {name: dict(enumerate(cells)) for name, cells in columns.items()},
        "by date": {n: dict(zip(map(str, days), c, strict=True)) for n, c in values.items()},
        "split": {"columns": list(NAMES), "index": CELLS, "data": X.tolist()},
        "under a key": {"latitude": 47.4, "units": {"x": "m"}, "hourly": columns},
        "parts": [
            {"date": day, "at": None, "in": {"x": x, "y": y, "z": z}} for day, x, y, z in ROWS
        ],
    }


@pytest.mark.parametrize("kind", table_in_json())
def test_json(tmp_path, kind):
    path = tmp_path / "table.json"
    path.write_text(json.dumps(table_in_json()[kind]), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedColumnsWarning)
        recording = read(path)
    if kind == "parts":
        assert recording.names == ("in.x", "in.y", "in.z")
        np.testing.assert_array_equal(recording.values, X)
    else:
        is_the_table(recording)


def test_json_lines_and_what_is_no_table(tmp_path):
    path = tmp_path / "table.jsonl"
    lines = "\n".join(json.dumps(record) for record in table_in_json()["records"])
    path.write_text(lines + "\n\n", encoding="utf-8")
    is_the_table(read(path))
    path.write_text('{"x": 1}\n{"x": 2, "y": 3}\n', encoding="utf-8")
    np.testing.assert_array_equal(read(path).values, [[1, np.nan], [2, 3]])
    path.write_text('{"x": 1}\nx\n', encoding="utf-8")
    with pytest.raises(DataFileError, match=r"line 2 of table\.jsonl is no JSON"):
        read(path)
    path = tmp_path / "table.json"
    for document, message in [
        ({"a": 1}, "holds no table. A table in JSON is"),
        ([1, [2]], "holds no table"),
        ({"a": [1], "b": [1, 2]}, "different lengths, 1 to 2"),
        ({"a": [[1], [2]], "b": [[1], [2]]}, "2 tables: 'a', 'b'. Choose one of them with `key`"),
    ]:
        path.write_text(json.dumps(document), encoding="utf-8")
        with pytest.raises(DataFileError, match=message):
            read(path)
    assert read(path, key="b").values.tolist() == [[1], [2]]
    with pytest.raises(DataFileError, match="nothing under 'c', only 'a', 'b'"):
        read(path, key="c")


@pytest.mark.parametrize("compressed", [False, True])
def test_matlab(tmp_path, compressed):
    path = tmp_path / "data.mat"
    kinds = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
    for kind in kinds:
        savemat(path, {"a_matrix": (X * 10).astype(kind)}, do_compression=compressed)
        np.testing.assert_array_equal(read(path).values, loadmat(path)["a_matrix"])
    savemat(path, {"t": np.arange(30) / 4, "x": X[:, 0], "y": X[:, :1].T, "rate": 4.0, "who": "me"},
            do_compression=compressed)  # fmt: skip
    recording = read(path)
    assert (recording.names, recording.step) == (("x", "y"), 0.25)
    np.testing.assert_array_equal(recording.values, X[:, [0, 0]])
    assert any("'who' (char)" in note for note in recording.notes)
    savemat(path, {"A": X, "B": X[:5].T, "s": {"a": 1}}, do_compression=compressed)
    with pytest.raises(DataFileError, match=r"2 matrices: 'A' \(30 × 3\), 'B' \(3 × 5\)"):
        read(path)
    np.testing.assert_array_equal(read(path, key="A").values, X)
    assert any("save its transpose" in note for note in read(path, key="B").notes)
    for content, message in [
        ({"s": {"a": X}}, r"no matrix of numbers, only 's' \(struct\).*'-struct'"),
        ({"c": X + 1j}, "'c' holds complex numbers"),
    ]:
        savemat(path, content, do_compression=compressed)
        with pytest.raises(DataFileError, match=message):
            read(path)


def test_matlab_of_version_7_3(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "data.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = X.T
        file.create_group("#refs#")
    np.testing.assert_array_equal(read(path).values, X)


def test_edf(tmp_path):
    edfio = pytest.importorskip("edfio")
    path = tmp_path / "night.edf"
    path.write_bytes(edf_bytes())
    recording = read(path)
    assert recording.values.shape == (60, 3)
    assert (recording.step, recording.unit) == (0.1, "s")
    rng = np.random.default_rng(0)
    signals = [
        edfio.EdfSignal(rng.normal(size=40), 4, label="EEG", physical_dimension="uV"),
        edfio.EdfSignal(rng.normal(size=10), 1, label="SpO2", physical_dimension="%"),
        edfio.EdfSignal(rng.normal(size=40), 4, label="EOG", physical_dimension="uV"),
    ]
    edfio.Edf(signals).write(path)
    recording = read(path)
    assert (recording.names, recording.units) == (("EEG", "EOG"), ("uV", "uV"))
    assert recording.skipped == ("SpO2",)
    assert "'SpO2' (1)" in recording.notes[0]
    np.testing.assert_allclose(recording.values[:, 0], signals[0].data)
    assert read(path, columns=["SpO2"]).values.shape == (10, 1)
    with pytest.raises(DataFileError, match=r"'EEG' 4, 'SpO2' 1\. Choose signals of one rate"):
        read(path, columns=["EEG", "SpO2"])
    path.write_bytes(path.read_bytes()[:-100])
    assert any("ends early" in note for note in read(path).notes)


def test_netcdf(tmp_path):
    path = tmp_path / "grid.nc"
    counts = np.random.default_rng(1).integers(0, 200, size=(30, 2, 3))
    counts[counts == 7] = 8
    counts[1, 0, 1] = 7
    with netcdf_file(path, "w") as file:
        for name, length in (("time", 30), ("lat", 2), ("lon", 3)):
            file.createDimension(name, length)
        time = file.createVariable("time", "i4", ("time",))
        time[:] = 6 * np.arange(30)
        time.units = "hours since 2012-02-28 00:00:0.0"
        packed = file.createVariable("t2m", "i2", ("time", "lat", "lon"))
        packed[:] = counts
        packed.scale_factor, packed.add_offset, packed.units = 0.5, 10.0, "K"
        packed._FillValue = np.int16(7)
        file.createVariable("lat", "f4", ("lat",))[:] = [1, 2]
        file.createVariable("wind", "f8", ("time",))[:] = X[:, 0]
    recording = read(path)
    assert recording.names[:3] == ("t2m 1, 1", "t2m 1, 2", "t2m 1, 3")
    assert recording.names[-1] == "wind"
    assert recording.units == ("K",) * 6 + ("",)
    expected = counts.reshape(30, 6) * 0.5 + 10
    expected[1, 1] = np.nan
    np.testing.assert_array_equal(recording.values[:, :6], expected)
    np.testing.assert_array_equal(
        recording.time, np.datetime64("2012-02-28T00") + 6 * np.arange(30)
    )
    assert recording.step == 6 * 3600
    assert read(path, key="wind").names == ("wind",)
    with pytest.raises(DataFileError, match="no variable 'lat' with 'time' as first dimension"):
        read(path, key="lat")


def test_netcdf_of_other_calendars_and_version_4(tmp_path):
    pytest.importorskip("h5py")
    path = tmp_path / "grid.nc"
    path.write_bytes(nc4_bytes())
    recording = read(path)
    assert (recording.names, recording.step) == (("x", "y"), 0.5)
    with netcdf_file(path, "w") as file:
        file.createDimension("time", 30)
        time = file.createVariable("time", "f8", ("time",))
        time[:] = np.arange(30)
        time.units, time.calendar = "days since 2012-02-28", "noleap"
        file.createVariable("wind", "f8", ("time",))[:] = X[:, 0]
    recording = read(path)
    assert recording.time.tolist() == list(range(30))
    assert "kept as numbers: days since 2012-02-28, noleap" in recording.notes[0]


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".mat", ".edf", ".nc", ".xlsx"])
def test_what_would_not_fit_is_refused(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"table{suffix}"
    if suffix == ".xlsx":
        sheet(path, ("data", [list(NAMES), *X.tolist()]))
    elif suffix == ".edf":
        pytest.importorskip("edfio")
        path.write_bytes(edf_bytes())
    elif suffix in (".mat", ".nc"):
        file = io.BytesIO()
        if suffix == ".mat":
            savemat(file, {"X": X})
            path.write_bytes(file.getvalue())
        else:
            with netcdf_file(path, "w") as written:
                written.createDimension("time", 30)
                written.createVariable("x", "f8", ("time",))[:] = X[:, 0]
    else:
        path.write_text("\n".join(['{"x": 1}'] * 30) if suffix == ".jsonl" else str(X.tolist()))
    read(path)
    monkeypatch.setattr(_opening, "available_memory", lambda: 100)
    with pytest.raises(DataFileError, match="of memory, but with 100 bytes free"):
        read(path)


def test_a_netcdf_grid_without_moments_has_no_rows(tmp_path):
    path = tmp_path / "grid.nc"
    with netcdf_file(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("lat", 3)
        file.createVariable("t2m", "f4", ("time", "lat"))
    with pytest.raises(DataFileError, match="no rows"):
        read(path)


def test_netcdf_keeps_nanoseconds(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "grid.nc"
    counts = 700_000_000_123_456_789 + 1000 * np.arange(30)
    with h5py.File(path, "w") as file:
        file["time"] = counts
        file["time"].make_scale("time")
        file["time"].attrs["units"] = "nanoseconds since 2000-01-01"
        file["wind"] = X[:, 0]
        file["wind"].dims[0].attach_scale(file["time"])
    recording = read(path)
    expected = np.datetime64("2000-01-01", "ns") + counts.astype("m8[ns]")
    np.testing.assert_array_equal(recording.time, expected)
    assert recording.step == 1e-6
