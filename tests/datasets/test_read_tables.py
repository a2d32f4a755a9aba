"""Text tables and Parquet: what a cell, a name, a row means."""

import gzip
import io
import sys

import numpy as np
import pytest

from predfeat.datasets import _opening, _tables, read
from predfeat.exceptions import DataFileError, SkippedColumnsWarning

nan = np.nan


@pytest.fixture
def csv_file(tmp_path):
    def make(text, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return make


def values_of(path, **options):
    return read(path, **options).values


def test_a_header_is_a_first_row_with_a_word(csv_file):
    with_header = read(csv_file("a,b\n1,2\n3,4\n"))
    assert with_header.names == ("a", "b")
    np.testing.assert_array_equal(with_header.values, [[1, 2], [3, 4]])
    without = read(csv_file("1,2\n3,4\n"))
    assert without.names == ("column 1", "column 2")
    np.testing.assert_array_equal(without.values, [[1, 2], [3, 4]])
    assert read(csv_file("1,\n3,4\n")).names == ("column 1", "column 2")
    assert read(csv_file("1,2\n3,4\n"), header=True).names == ("1", "2")
    dates = read(csv_file("2024-01-01,1\n2024-01-02,2\n"), time="column 1")
    assert dates.names == ("column 2",)
    assert len(dates.values) == 2


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(csv_file, delimiter, end):
    rows = [["a", "b"], ["1.5", "2"], ["-3e2", "4"]]
    path = csv_file(end.join(delimiter.join(row) for row in rows) + end)
    np.testing.assert_array_equal(values_of(path), [[1.5, 2], [-300, 4]])


def test_a_tsv_is_cut_at_tabs_only(csv_file):
    recording = read(csv_file("a,b\tc;d\n1\t2\n", "table.tsv"))
    assert recording.names == ("a,b", "c;d")
    assert read(csv_file("1|2\n3|4\n"), delimiter="|").values.shape == (2, 2)


def test_semicolons_allow_decimal_commas(csv_file):
    recording = read(csv_file("time;x;y\n0,5;1,25;2\n1,0;-3,5e1;4.5\n"))
    np.testing.assert_array_equal(recording.values, [[1.25, 2], [-35, 4.5]])
    np.testing.assert_array_equal(recording.time, [0.5, 1.0])
    # Commas cut these rows into equal numbers of cells as well.
    np.testing.assert_array_equal(
        values_of(csv_file("1,5;2,5\n3,5;4,5\n")), [[1.5, 2.5], [3.5, 4.5]]
    )


@pytest.mark.parametrize("cell", ["", "NA", "N/A", "NaN", "nan", "null", "None", "-", "  "])
def test_missing_values_have_many_spellings(csv_file, cell):
    np.testing.assert_array_equal(values_of(csv_file(f"a,b\n1,{cell}\n3,4\n")), [[1, nan], [3, 4]])


def test_names_may_be_quoted_and_hold_anything(csv_file):
    recording = read(csv_file('"a, b","say ""hi""","two\nlines"\n1,2,3\n'))
    assert recording.names == ("a, b", 'say "hi"', "two\nlines")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_encodings(csv_file, encoding):
    recording = read(csv_file("Zürich,Genève\n1,2\n", encoding=encoding))
    assert recording.names == ("Zürich", "Genève")


def test_compressed_and_from_standard_input(csv_file, monkeypatch):
    text = b"a,b\n1,2\n3,4\n"
    for raw, name in ((gzip.compress(text), "t.csv.gz"), (gzip.compress(text), "t.csv")):
        np.testing.assert_array_equal(values_of(csv_file(raw, name)), [[1, 2], [3, 4]])
    for raw in (text, gzip.compress(text)):
        stdin = io.TextIOWrapper(io.BytesIO(raw))
        monkeypatch.setattr(sys, "stdin", stdin)
        recording = read("-")
        np.testing.assert_array_equal(recording.values, [[1, 2], [3, 4]])
        assert recording.source == "standard input"
        assert not stdin.buffer.closed


def test_columns_of_text_are_named_and_skipped(csv_file):
    path = csv_file("a,place,b,empty\n1,Bern,2,\n3,Basel,4,NA\n")
    with pytest.warns(SkippedColumnsWarning, match=r"'place'.*'Bern' \(row 1\).*'empty'"):
        recording = read(path)
    assert recording.names == ("a", "b")
    assert recording.skipped == ("place", "empty")
    np.testing.assert_array_equal(recording.values, [[1, 2], [3, 4]])
    with pytest.raises(DataFileError, match="'place'"):
        read(path, columns=["a", "place"])
    with (
        pytest.raises(DataFileError, match="no column of numbers"),
        pytest.warns(SkippedColumnsWarning, match="2 column"),
    ):
        read(csv_file("a,b\nx,y\n"))


def test_an_odd_cell_far_down_is_a_missing_value(csv_file):
    x = np.arange(120_000) ** 2 % 1009  # no counter
    rows = ["a,b", *(f"{i},{i}" for i in x), "oops,1"]
    recording = read(csv_file("\n".join(rows)))
    assert recording.values.shape == (120_001, 2)
    np.testing.assert_array_equal(recording.values[:-1, 0], x)
    assert np.isnan(recording.values[-1, 0])
    assert "1 cell(s) of column 'a'" in recording.notes[0]
    assert "'oops' (row 120001)" in recording.notes[0]


def test_what_python_calls_a_number_but_nobody_else(csv_file):
    with pytest.warns(SkippedColumnsWarning, match="1_000"):
        assert read(csv_file("a,b\n1_000,2\n")).names == ("b",)


def test_chosen_columns_in_their_order(csv_file):
    recording = read(csv_file("a,b,c\n1,2,3\n"), columns=["c", "a"])
    assert recording.names == ("c", "a")
    np.testing.assert_array_equal(recording.values, [[3, 1]])
    with pytest.raises(DataFileError, match=r"no column 'd'.*'a', 'b', 'c'"):
        read(csv_file("a,b,c\n1,2,3\n"), columns=["d"])
    with pytest.raises(DataFileError, match="twice"):
        read(csv_file("a,b,c\n1,2,3\n"), columns=["a", "a"])


def test_namesakes_are_numbered(csv_file):
    recording = read(csv_file("x,x,x (2),\n1,2,3,4\n"))
    assert recording.names == ("x", "x (3)", "x (2)", "column 4")
    assert "'x'" in recording.notes[0]


def test_ragged_rows_are_refused_with_their_line(csv_file):
    with pytest.raises(DataFileError, match=r"line 3 of table.csv has 3 cell.*first row has 2"):
        read(csv_file("a,b\n1,2\n3,4,5\n"))
    with pytest.raises(DataFileError, match="line 6 of"):
        read(csv_file('a,"b\nc"\n1,2\n\n3,4\n5\n'))
    with pytest.raises(DataFileError, match="line 5 of"):
        read(csv_file('a,b\n1,"x\ny"\n3,4\n5\n'))
    with pytest.raises(DataFileError, match="cannot be split into cells"):
        read(csv_file('a,b\n1,"2\n3,4\n'))


def test_blank_lines(csv_file):
    np.testing.assert_array_equal(values_of(csv_file("a,b\n\n1,2\n\n3,4\n\n")), [[1, 2], [3, 4]])
    # In a single column a blank line is the only way to say that nothing is known.
    np.testing.assert_array_equal(values_of(csv_file("a\n1\n\n3\n\n\n")), [[1], [nan], [3]])


def test_bad_files_and_options_are_answered(csv_file, tmp_path, monkeypatch):
    good = csv_file("a,b\n1,2\n")
    empty = tmp_path / "folder"
    empty.mkdir()
    cases = [
        (tmp_path / "none.csv", {}, "there is no file"),
        (empty, {}, "a folder without readable files"),
        (csv_file("", "empty.csv"), {}, "is empty"),
        (csv_file("\n\n\n", "blank.csv"), {}, "blank lines"),
        (csv_file("a,b\n", "head.csv"), {}, "no rows"),
        (csv_file("x", "table.foo"), {}, r"'.foo'.*\.npy.*\.gif"),
        (
            csv_file("x", "table.dta"),
            {},
            r"pandas.read_stata\('.*table.dta'\).to_csv\('table.csv'\)",
        ),
        (csv_file("x", "table.rds"), {}, r"write.csv\(readRDS\("),
        (csv_file("x", "table"), {}, "no suffix"),
        (csv_file(gzip.compress(b"a,b\n1,2\n")[:-9], "cut.csv.gz"), {}, "cut short"),
        (csv_file(b"a,b\n1,2\n", "no.csv.gz"), {}, "another kind"),
        (csv_file("x" * 200_000 + "\n1\n", "wide.csv"), {}, "split into cells"),
        (good, {"rate": 8000}, r"rate=8000 does not apply.*\.csv"),
        (good, {"key": "a"}, "key='a' does not apply"),
        (good, {"delimiter": ",,"}, "one character"),
        (good, {"jumps": "fill"}, "'gaps' or 'ignore'"),
        (good, {"time": "when"}, "no column 'when'"),
        (good, {"time": "a", "group": "a"}, "both time and group"),
        (good, {"time": "a", "columns": ["a", "b"]}, "both time and a channel"),
        ("a\x00.csv", {}, "not a valid file name|there is no file"),
    ]
    for path, options, message in cases:
        with pytest.raises(DataFileError, match=message):
            read(path, **options)
    monkeypatch.setattr(_opening, "available_memory", lambda: 31)
    with pytest.raises(DataFileError, match=r"of memory.*columns"):
        read(good)


def test_a_file_without_line_ends_does_not_fill_memory(csv_file):
    # 200 MB of zeros in 200 kB.
    path = csv_file(gzip.compress(b"0" * 200_000_000, compresslevel=1), "bomb.csv.gz")
    with pytest.raises(DataFileError, match="is not a text table"):
        read(path)


def test_progress_goes_from_little_to_one(csv_file):
    seen = []
    rows = "\n".join(f"{i},{i % 10}" for i in range(200_000))
    read(
        csv_file(rows),
        columns=["column 1", "column 2"],
        on_progress=lambda done, total: seen.append(done / total),
    )
    assert seen == sorted(seen)
    assert 0 < seen[0] < 0.5
    assert seen[-1] == 1.0


# --- Parquet -------------------------------------------------------------------------------


@pytest.fixture
def parquet_file(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def make(columns, **options):
        path = tmp_path / "table.parquet"
        parquet.write_table(arrow.table(columns), path, **options)
        return path

    return make


def test_parquet_types(parquet_file):
    path = parquet_file(
        {
            "time": np.array(["2024-01-01", "2024-01-02", "2024-01-04"], dtype="M8[D]"),
            "trial": ["u", "u", "u"],
            "int": [1, None, 3],
            "bool": [True, False, None],
            "float": np.array([0.5, nan, 2.5], dtype=np.float32),
            "text": ["a", "b", "c"],
        },
        row_group_size=2,
    )
    with pytest.warns(SkippedColumnsWarning, match="'text' holds text such as 'a'"):
        recording = read(path, group="trial")
    assert recording.names == ("int", "bool", "float")
    np.testing.assert_array_equal(
        recording.values, [[1, 1, 0.5], [nan, 0, nan], [nan, nan, nan], [3, nan, 2.5]]
    )
    assert recording.rows.tolist() == [0, 1, -1, 2]
    assert recording.groups.tolist() == ["u"] * 4
    assert (recording.step, recording.unit) == (86_400.0, "s")


def test_parquet_keeps_float32_so_that_rounding_is_no_signal(parquet_file):
    path = parquet_file({"a": np.ones(3, np.float32), "b": np.ones(3, np.float32)})
    assert read(path).values.dtype == np.float32
    assert read(parquet_file({"a": np.ones(3, np.float32), "b": np.ones(3)})).values.dtype == float


def test_parquet_equals_csv(parquet_file, csv_file):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    trial = np.repeat([3, 1, 2], 100)
    time = np.tile(np.arange(100) * 0.25, 3)
    path = parquet_file(
        {"time": time, "trial": trial, **{f"x{i}": X[:, i] for i in range(3)}}, row_group_size=70
    )
    rows = [f"{t!r},{g},{a!r},{b!r},{c!r}" for t, g, (a, b, c) in zip(
        time.tolist(), trial.tolist(), X.tolist(), strict=True)]  # fmt: skip
    text = csv_file("time,trial,x0,x1,x2\n" + "\n".join(rows))
    one, other = read(path, group="trial"), read(text, group="trial")
    for field in ("values", "time", "groups"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert (one.names, one.step, one.unit) == (other.names, other.step, other.unit)


def test_a_missing_library_is_answered_with_its_extra(tmp_path, monkeypatch):
    for name, suffix, extra in [
        ("pyarrow", ".parquet", "tables"),
        ("pyarrow", ".feather", "tables"),
        ("openpyxl", ".xlsx", "sheets"),
        ("edfio", ".edf", "edf"),
        ("soundfile", ".flac", "audio"),
        ("av", ".mkv", "video"),
    ]:
        path = tmp_path / f"file{suffix}"
        path.write_bytes(b"x")
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(DataFileError, match=rf'{name}: pip install "predfeat\[{extra}\]"'):
            read(path)


def test_standard_input_that_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataFileError, match="standard input is closed"):
        read("-")


@pytest.mark.parametrize("name", ["a=[" * 40_000, "(" * 120_000, "x" + " " * 120_000 + "_"])
def test_a_very_long_name_is_a_name(csv_file, name):
    rows = "".join(f"{i**3 % 31},{i**2 % 29}\n" for i in range(30))
    recording = read(csv_file(f'"{name}",b\n{rows}'))
    assert recording.names == (name.strip(), "b")
    assert recording.units == ()


@pytest.mark.parametrize("chunk_bytes", [1, 200, 1 << 26])
def test_rows_are_the_same_however_the_pieces_are_kept(csv_file, monkeypatch, chunk_bytes):
    monkeypatch.setattr("predfeat.datasets._tables._CHUNK_BYTES", chunk_bytes)
    monkeypatch.setattr("predfeat.datasets._delimited._CELLS_AT_ONCE", 9)
    X = np.random.default_rng(0).normal(size=(100, 3))
    text = "a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in X.tolist())
    np.testing.assert_array_equal(values_of(csv_file(text)), X)


def test_a_table_is_in_memory_only_once(csv_file, monkeypatch):
    pieces = []
    joined = _tables.Pieces.recording

    def watched(self, *options):
        pieces.append(self)
        return joined(self, *options)

    monkeypatch.setattr(_tables.Pieces, "recording", watched)
    monkeypatch.setattr("predfeat.datasets._delimited._CELLS_AT_ONCE", 30)
    read(csv_file("a,b\n" + "".join(f"{i % 7},{i * i % 11}\n" for i in range(500))))
    (found,) = pieces
    # A slice of a block, even an empty one, would keep all of it.
    assert found.blocks
    assert all(block.base is None and block.size == 0 for block in found.blocks)
    assert found._chunk is None
