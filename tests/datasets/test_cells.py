"""What cells and lines of text tables say beside numbers: nothing, odd things, units, comments."""

import gzip
import io
import sys

import numpy as np
import pytest

from predfeat.datasets import _delimited, read
from predfeat.datasets._units import unit_in_name
from predfeat.exceptions import DataFileError, SkippedColumnsWarning

nan = np.nan


@pytest.fixture
def csv_file(tmp_path):
    def make(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return make


# --- missing -------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["#N/A", "#N/A N/A", "#NA", "<NA>", "?", ".", "-nan", "NaT"])
def test_more_spellings_of_missing(csv_file, cell):
    recording = read(csv_file(f"a,b\n1,2\n3,{cell}\n5,7\n"))
    np.testing.assert_array_equal(recording.values, [[1, 2], [3, nan], [5, 7]])
    assert recording.notes == ("1 of 3 rows is a gap because a number is missing: 1 only for 'b'.",)


@pytest.mark.parametrize(
    "missing", ["-999,bad", ["-999", "bad"], ["bad", -999], ("BAD ", -999.0), '"bad",-999']
)
def test_cells_named_as_missing(csv_file, missing):
    path = csv_file("a,b\n1,-999\n-999.0,2\n3,bad\n5,-9990\n-9.99e2,4\n")
    recording = read(path, missing=missing)
    expected = [[1, nan], [nan, 2], [3, nan], [5, -9990], [nan, 4]]
    np.testing.assert_array_equal(recording.values, expected)
    assert len(recording.notes) == 1  # on the gaps


def test_missing_numbers_with_decimal_commas(csv_file):
    path = csv_file("a;b\n1,5;2\n-99,9;3\n")
    np.testing.assert_array_equal(read(path, missing='"-99,9"').values, [[1.5, 2], [nan, 3]])
    np.testing.assert_array_equal(read(path, missing=[-99.9]).values, [[1.5, 2], [nan, 3]])


def test_what_cannot_be_missing(csv_file):
    for missing in ([None], True, [["a"]]):
        with pytest.raises(DataFileError, match="give texts or numbers"):
            read(csv_file("a,b\n1,2\n"), missing=missing)


def test_missing_in_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    columns = {
        "whole": [1, -999, 3],
        "single": np.array([-999.9, 2, 3], dtype=np.float32),
        "text": ["1.5", "-999", "?"],
        "odd": ["1", "error", "3"],
        "category": arrow.array(["7", "8", None]).dictionary_encode(),
    }
    parquet.write_table(arrow.table(columns), path)
    recording = read(path, missing=["-999", "-999.9"])
    assert recording.names == tuple(columns)
    np.testing.assert_array_equal(
        recording.values,
        [[1, nan, 1.5, 1, 7], [nan, 2, nan, nan, 8], [3, 3, nan, 3, nan]],
    )
    assert "column 'odd'" in recording.notes[0]
    floats = {"a": np.array([-999.9, 2], dtype=np.float32), "place": ["Bern", "Chur"]}
    parquet.write_table(arrow.table(floats), path)
    with pytest.warns(SkippedColumnsWarning, match="place"):
        narrow = read(path, missing=-999.9).values
    assert narrow.dtype == np.float32
    np.testing.assert_array_equal(narrow, [[nan], [2]])


SAW = [3, 1, 4, 1.5, 5, 9, 2, 6, 5, 3, 5, 8, 7, 4.5]


@pytest.mark.parametrize(
    ("extreme", "rest", "found"),
    [
        ("-999", SAW, "taken"),
        ("9.99", [4.99, 5.49, 4.99, 5.49, 3.49] * 3, ""),  # prices
        ("-9999.0", SAW, "taken"),
        ("99.99", SAW, "taken"),
        ("999", SAW, "taken"),
        ("99", SAW, "named"),  # may be a number like others
        ("-998", SAW, ""),  # no sentinel
        ("99", [97, 12, 55, 98, 3, 40], ""),  # not outside
        ("999", [1001, 998, 1003, 1012, 997, 1020], ""),
        ("9", [0.1, 0.2, 0.3], ""),  # a single nine is a number like others
    ],
)
def test_sentinels_are_missing_values(csv_file, extreme, rest, found):
    rows = [*map(str, rest), extreme, extreme]
    path = csv_file("a\n" + "\n".join(rows) + "\n")
    recording = read(path)
    number = f"{float(extreme):g}"
    assert np.isnan(recording.values[-2:, 0]).tolist() == [found == "taken"] * 2
    assert not np.isnan(recording.values[:-2]).any()
    assert recording.sentinels == ((("a", float(extreme)),) if found == "taken" else ())
    said = " ".join(recording.notes)
    assert (f"holds {number} in 2 rows, far outside the rest." in said) == bool(found)
    assert ('taken as missing; missing="none" keeps it as a number' in said) == (found == "taken")
    assert (f'give missing="{number}"' in said) == (found == "named")
    assert read(path, missing="none").values[-1, 0] == float(extreme)
    assert np.isnan(read(path, missing=number).values[-2:]).all()


def test_sentinels_belong_to_their_column_and_to_all_files(tmp_path):
    # 999 is no temperature, but a pressure. The second file has it once only.
    temps, pressures = [*SAW, 999, 999], [998, 999, 1001, 1013, 1002, 999, 1000, 1004] * 2
    for name, temp in (("a.csv", temps), ("b.csv", [*SAW, 7, 999])):
        lines = [f"{t},{p}\n" for t, p in zip(temp, pressures, strict=True)]
        (tmp_path / name).write_text("temp,pressure\n" + "".join(lines))
    recording = read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert np.flatnonzero(np.isnan(recording.values[:, 0])).tolist() == [14, 15, 31]
    assert not np.isnan(recording.values[:, 1]).any()
    assert recording.sentinels == (("temp", 999.0),)


def test_several_sentinels_and_a_single_one(csv_file):
    recording = read(csv_file("a\n" + "\n".join(map(str, [*SAW, -999, 9999, -999])) + "\n"))
    assert np.isnan(recording.values[-3:]).all()
    assert recording.sentinels == (("a", -999.0), ("a", 9999.0))
    recording = read(csv_file("a\n" + "\n".join(map(str, [*SAW, -999])) + "\n"))
    assert "holds -999 in 1 row, far outside" in recording.notes[0]


def test_infinite_cells_are_missing(csv_file):
    recording = read(csv_file("a,b\n" + "".join(f"{x},{x * x}\n" for x in SAW) + "inf,3\n4,-inf\n"))
    assert np.isnan(recording.values[-2:]).tolist() == [[True, False], [False, True]]
    assert recording.notes[0].startswith(
        "2 infinite number(s), in 'a', 'b' (first in row 15), were taken as missing."
    )


def test_a_column_of_infinite_cells_is_left_out(csv_file):
    path = csv_file("a,b\n" + "".join(f"inf,{x}\n" for x in SAW))
    with pytest.warns(SkippedColumnsWarning, match="column 'a' holds no number"):
        assert read(path).names == ("b",)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1,234.5", "12,000", "999"], [1234.5, 12000, 999]),
        (["1.234,5", "2,25", "0,125", "12,345"], [1234.5, 2.25, 0.125, 12.345]),  # decimal commas
        (["(0.79)", "\N{MINUS SIGN}3", "50%", "12 000"], [-0.79, -3, 50, 12000]),
    ],
)
def test_numbers_as_in_reports(csv_file, cells, expected):
    path = csv_file("a\tb\n" + "".join(f"{cell}\t{i % 3}\n" for i, cell in enumerate(cells)))
    assert read(path).values[:, 0].tolist() == expected


# --- odd cells -----------------------------------------------------------------------------


def test_odd_cells_are_counted_across_pieces(csv_file, monkeypatch):
    monkeypatch.setattr(_delimited, "_CELLS_AT_ONCE", 8)
    cells = [str(x) for x in SAW]
    cells[2], cells[5], cells[7], cells[8], cells[10] = "x", "y", "x", "1_000", "w" * 60
    path = csv_file("a,b\n" + "".join(f"{cell},{x}\n" for cell, x in zip(cells, SAW, strict=True)))
    recording = read(path)
    assert np.flatnonzero(np.isnan(recording.values[:, 0])).tolist() == [2, 5, 7, 8, 10]
    assert recording.notes[0] == (
        "5 cell(s) of column 'a' are not numbers and were taken as missing: 'x' (row 3), "
        "'y' (row 6), '1_000' (row 9), …. missing=\"x,y,1_000\" confirms this."
    )
    assert len(read(path, missing=["x", "y", "1_000", "w" * 60]).notes) == 1


def test_the_majority_decides_what_a_column_is(csv_file):
    path = csv_file("a,b\nx,1\n2,2\ny,5\n,3\n")
    with pytest.warns(SkippedColumnsWarning, match=r"'a' holds text such as 'x' \(row 1\)"):
        assert read(path).names == ("b",)
    assert read(csv_file("a,b\nx,1\n2,2\n3,5\n,3\n")).names == ("a", "b")


def test_text_ids_are_asked_about(csv_file, monkeypatch):
    monkeypatch.setattr(_delimited, "_CELLS_AT_ONCE", 14)
    noise = np.random.default_rng(0).normal(size=40).round(3)

    def stations(names):
        rows = [f"{name},{x}" for name, x in zip(names, noise, strict=True)]
        return csv_file("station,x\n" + "\n".join(rows) + "\n")

    with pytest.warns(SkippedColumnsWarning):
        notes = read(stations(["Bern"] * 25 + ["Chur"] * 15)).notes
    assert notes == (
        "Column 'station' changes rarely and never returns to an earlier value. If it tells "
        'sequences (trials, stations) apart, give group="station".',
    )
    for names in (["Bern"] * 15 + ["Chur"] * 15 + ["Bern"] * 10, ["a", "b"] * 20, ["Bern"] * 40):
        with pytest.warns(SkippedColumnsWarning):
            assert read(stations(names)).notes == ()


# --- units ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("speed [m/s]", "m/s"),
        ("temp (°C)", "°C"),
        ("temp(degC)", "degC"),
        ("p [hPa]", "hPa"),
        ("flux (W m^-2)", "W m^-2"),
        ("flux (W/m²)", "W/m²"),
        ("humidity (%)", "%"),
        ("PM2.5 (µg/m3)", "µg/m3"),
        ("price [Swiss francs]", "Swiss francs"),
        ("temp (max)", ""),
        ("pressure (sea level)", ""),
        ("x (2)", ""),
        ("x [2]", ""),
        ("(m)", ""),
        ("speed", ""),
    ],
)
def test_units_in_names(name, unit):
    assert unit_in_name(name) == unit


def test_a_units_row(csv_file):
    recording = read(csv_file("time,temp,wind [kn],n\ns,degC,m/s,-\n0,1.5,2,3\n1,2.5,4,3\n"))
    assert recording.values.tolist() == [[1.5, 2, 3], [2.5, 4, 3]]
    assert recording.units == ("degC", "m/s", "")
    assert recording.time.tolist() == [0, 1]
    assert recording.notes[0] == "The row below the names was taken as units."
    chosen = read(csv_file("a,b\nm,s\n1,2\n4,4\n"), columns=["b", "a"])
    assert chosen.units == ("s", "m")


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nx,2\n3,4\n5,9\n",  # a cell of it is a number
        "a,b\nNA,\n3,4\n5,9\n",  # nothing but missing values
        "place,a\nBern,NA\nChur,4\nBern,5\n",
    ],
)
@pytest.mark.filterwarnings("ignore::predfeat.exceptions.SkippedColumnsWarning")
def test_no_units_row(csv_file, text):
    recording = read(csv_file(text))
    assert recording.units == ()
    assert len(recording.values) == 3


# --- comments ------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["#", "%", "//", ";", "  # "])
def test_comments_above_the_names(csv_file, sign):
    recording = read(csv_file(f"{sign} one, two; three\n\n{sign}\na,b\n1,2\n4,4\n"))
    assert recording.names == ("a", "b")
    assert recording.values.tolist() == [[1, 2], [4, 4]]
    assert recording.notes == ("2 line(s) of comments were skipped.",)


def test_comments_between_rows(csv_file, monkeypatch):
    text = 'a,b\n1,2\n# "half a quote, and\n3,4\n#\n5,"6"\n'
    recording = read(csv_file(text))
    assert recording.values.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert recording.notes == ("2 line(s) of comments were skipped.",)
    packed = read(csv_file(gzip.compress(text.encode()), "table.csv.gz"))
    assert packed.values.tolist() == recording.values.tolist()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read("-").notes == recording.notes
    one = read(csv_file("a\n1\n# no\n3\n"))
    assert one.values.tolist() == [[1], [3]]


def test_a_line_inside_a_quoted_cell_is_no_comment(csv_file):
    recording = read(csv_file('who,x\n"one\n# two",3\n"one\n# two",5\n'), group="who")
    assert recording.groups.tolist() == ["one\n# two"] * 2
    assert recording.notes == ()


def test_line_numbers_count_comments(csv_file):
    with pytest.raises(DataFileError, match=r"line 6 of table.csv has 3 cell"):
        read(csv_file("# one\n# two\na,b\n1,2\n# three\n3,4,5\n"))


def test_a_sign_that_begins_most_rows_is_none(csv_file):
    with pytest.warns(SkippedColumnsWarning, match="'id'"):
        recording = read(csv_file("id,x\n#1,3\n#2,4\n#3,9\n"))
    assert recording.values.tolist() == [[3], [4], [9]]


def test_an_empty_first_cell_is_no_comment(csv_file):
    recording = read(csv_file(";temp;wind\n0;1,5;2\n;3,5;7\n"))
    assert recording.names == ("column 1", "temp", "wind")
    np.testing.assert_array_equal(recording.values, [[0, 1.5, 2], [nan, 3.5, 7]])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# a,b\n1,2\n4,4\n", ("a", "b")),
        ("#a,b\n1,2\n4,4\n", ("a", "b")),
        ("% made by hand\n% a,b\n1,2\n4,4\n", ("a", "b")),
        ("#,b\n1,2\n4,4\n", ("#", "b")),
        ("# made by hand\n1,2\n4,4\n", ("column 1", "column 2")),
        ("# made, by hand\na,b\n1,2\n4,4\n", ("a", "b")),
    ],
)
def test_names_in_the_last_comment(csv_file, text, names):
    recording = read(csv_file(text))
    assert recording.names == names
    assert recording.values.tolist() == [[1, 2], [4, 4]]


def test_names_that_begin_with_a_sign(csv_file):
    assert read(csv_file("%x,y\n1,2\n"), header=True).names == ("%x", "y")
    assert read(csv_file("#x\n1\n"), header=True).names == ("#x",)
    assert read(csv_file("# a,b\n1,2\n"), header=False).names == ("column 1", "column 2")
