"""Time stamps and group ids: every character comes back, and no digit is lost in between."""

import csv
import io
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from naive_times import seconds_of, steps_of
from predfeat.datasets import prepare, read, write_features
from predfeat.datasets._counting import differences
from predfeat.datasets._timestamps import parse_times
from predfeat.exceptions import AliasingWarning, DataFileError

BOUNDED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
INTEGERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1), st.integers(-999, 999)
)
SPELT = st.sampled_from(["{}", "+{}", "00{}", " {}", "{} ", "{}.0", "{}e0", "{}E+3"])
NUMBERS = st.one_of(
    INTEGERS.map(str),
    st.builds(lambda form, n: form.format(n), SPELT, st.integers(0, 10**6)),
    st.decimals(-(10**12), 10**12, places=9).map(str),
    st.decimals(-(10**3), 10**3, places=25).map(str),
    st.floats(-1e18, 1e18).map(repr),
)


@st.composite
def moments(draw, zone):
    """One moment in ISO 8601, from year 1 to 9999, with no to nine decimals."""
    day = date(1, 1, 2) + timedelta(draw(st.integers(0, 3_652_055)))
    clock = timedelta(seconds=draw(st.integers(0, 86_399)))
    digits = draw(st.text("0123456789", max_size=9))
    between = draw(st.sampled_from("T "))
    part = f".{digits}" if digits else ""
    end = draw(st.sampled_from(["Z", "+05:30", "-11:00", "+00:00"])) if zone else ""
    return f"{day.isoformat()}{between}{clock!s:0>8}{part}{end}"


TIMES = st.one_of(
    st.lists(NUMBERS, min_size=3, max_size=9),
    st.lists(moments(zone=False), min_size=3, max_size=9),
    st.lists(moments(zone=True), min_size=3, max_size=9),
)
# All that UTF-8 can hold.
LETTERS = st.characters(exclude_categories=["Cs"])
IDS = st.one_of(
    st.text(LETTERS, min_size=1, max_size=6),
    st.sampled_from(["=1+1", "@x", "-", "+1", " a ", '"', "a,b", "a\r\nb", "007", "7", "1e3", "é"]),
)


def as_csv(path, header, *columns, quoting=csv.QUOTE_ALL):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=quoting)
        writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))
    return path


def written(recording, suffix=".csv"):
    file = io.BytesIO()
    features = np.arange(len(recording.values), dtype=float)[:, None]
    write_features(file, features, ["feature"], suffix=suffix, recording=recording)
    file.seek(0)
    return file


def from_csv(file, delimiter=","):
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    return list(csv.reader(text, delimiter=delimiter, strict=True))


def readable(path, **options):
    """Read a table unless most of its time stamps are the same, which is refused."""
    try:
        return read(path, **options)
    except DataFileError as error:
        assume("occur more than once" not in str(error))
        raise


@pytest.mark.filterwarnings("ignore")
@BOUNDED
@given(data=st.data())
def test_cells_of_text_come_back_character_by_character(tmp_path, data):
    times = data.draw(TIMES)
    n_ids = data.draw(st.integers(1, len(times)))
    pool = data.draw(st.lists(IDS, min_size=n_ids, max_size=n_ids))
    ids = [data.draw(st.sampled_from(pool)) for _ in times]
    x = [f"{i}.5" for i in range(len(times))]
    path = as_csv(tmp_path / "a.csv", ["x", "t", "g"], x, times, ids)
    recording = readable(path, time="t", group="g", columns=["x"])
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        rows = from_csv(written(recording, suffix), delimiter)
        assert rows[0] == ["t", "g", "feature"]
        assert [row[:2] for row in rows[1:]] == [
            list(pair) for pair in zip(times, ids, strict=True)
        ]
    # Rows in order of time have their own cells beside them.
    there = np.arange(len(times)) if recording.rows is None else recording.rows
    kept = there[there >= 0]
    in_series = recording.values[there >= 0, 0]
    np.testing.assert_array_equal(in_series, np.array(x, dtype=float)[kept])


@pytest.mark.filterwarnings("ignore")
@BOUNDED
@given(times=TIMES)
@example(times=["2E-9", "0", "0", "2252E+3"])
def test_differences_are_those_of_whole_numbers(times):
    stamps = parse_times(times, name="t", source="a.csv")
    exact = steps_of(times)
    numbers = [seconds_of(cell) for cell in times]
    found = differences(stamps.exact, stamps.tick).tolist()
    if stamps.time.dtype.kind == "M":
        # Stamps that lie centuries apart are compared to the microsecond.
        near = max(numbers) - min(numbers) < 180 * 365 * 86_400
        off = 0 if near else Fraction(1, 10**6)
    else:
        whole = all(cell.strip().lstrip("+-").isdigit() for cell in times)
        held = min(numbers) >= (0 if max(numbers) >= 2**63 else -(2**63))
        # Decimals are counted in their last place, as far as 64 bits go.
        digits = max(len(cell.strip().partition(".")[2]) for cell in times)
        plain = all(set(cell) <= set("+-.0123456789") for cell in times)
        counted = max(map(abs, numbers)) * 10**digits < 2**63 and max(map(len, times)) > 15
        exact_in_64_bits = (whole and held) or (plain and counted)
        off = 0 if exact_in_64_bits else max(map(abs, numbers)) / Fraction(2**51)
    for step, approximate in zip(exact, found, strict=True):
        # Rounded to float64 once, and once more by a tick such as 1/1000.
        assert abs(Fraction(approximate) - step) <= off + abs(step) * Fraction(3, 2**53)


@pytest.mark.parametrize(
    ("cells", "step"),
    [
        ([str(1_700_000_000_123_456_789 + 1000 * i) for i in range(20)], 1e-6),
        ([str(1_700_000_000_123_456 + 40 * i) for i in range(20)], 40e-6),
        ([str(1_700_000_000_123 + 7 * i) for i in range(20)], 7e-3),
        ([f"1700000000.1234567{i:02d}" for i in range(20)], 1e-9),
        ([f"2024-01-01T00:00:00.1234567{i:02d}Z" for i in range(20)], 1e-9),
        ([f"1500-06-01T12:00:00.1234567{i:02d}" for i in range(20)], 1e-9),
        ([f"3000-06-01 12:00:00.000000{i:02d}0+02:00" for i in range(20)], 1e-8),
        ([f"0001-01-01T00:00:00.0000{i:02d}7" for i in range(20)], 1e-6),
        ([f"9999-12-31T23:59:59.99999{i:02d}" for i in range(20)], 1e-7),
        ([f"1500-01-{i + 1:02d}" for i in range(20)], 86_400),
        ([f"3000-01-{i + 1:02d}" for i in range(20)], 86_400),
        ([f"{i * 0.01:.2f}" for i in range(100_000, 100_020)], 0.01),
        ([f"10:00:00.1234567{i:02d}" for i in range(20)], 1e-9),
        ([str(2**64 - 100 + 3 * i) for i in range(20)], 3),
        ([str(-(2**63) + 3 * i) for i in range(20)], 3),
        ([str(123_456_789_012_345_678 + 3 * i) for i in range(20)], 3),
    ],
)  # fmt: skip
def test_steps_of_many_digits(tmp_path, cells, step):
    x = np.random.default_rng(0).normal(size=20)
    recording = read(as_csv(tmp_path / "a.csv", ["time", "x"], cells, x.tolist()), time="time")
    assert recording.step == step
    assert (recording.rows, recording.groups) == (None, None)  # nothing is missing or out of order
    assert [row[0] for row in from_csv(written(recording))[1:]] == cells


def test_missing_rows_and_copies_are_found_to_the_nanosecond(tmp_path):
    start = 1_700_000_000_123_456_789
    numbers = [start, start + 1, start + 2, start + 5, start + 4, start + 6, start + 6]
    x = [1.5, 2.25, 3.125, 5.5, 4.75, 6.5, 6.5]
    for unix in (str, lambda n: f"{n // 10**9}.{n % 10**9:09d}"):
        cells = [unix(n) for n in numbers]
        recording = read(as_csv(tmp_path / "a.csv", ["time", "x"], cells, x))
        assert recording.rows.tolist() == [0, 1, 2, -1, 4, 3, 5]
        expected = (start + np.arange(7)).astype("M8[ns]")
        np.testing.assert_array_equal(recording.time, expected)
        assert recording.copies.tolist() == [[6, 5]]
        assert [row[0] for row in from_csv(written(recording))[1:]] == cells


def test_what_lies_beyond_the_calendar_is_an_error(tmp_path):
    for cells, message in (
        (["10000-01-01", "10000-01-02"], "'10000-01-01' in row 1, which is neither"),
        (["2016-12-31T23:59:59", "2016-12-31T23:59:60"], "row 2, which is a leap second"),
        (["0000-13-01", "0000-13-02"], "'0000-13-01' in row 1"),
    ):
        path = as_csv(tmp_path / "a.csv", ["time", "x"], cells, [1.5, 2.5])
        with pytest.raises(DataFileError, match=message):
            read(path, time="time")


def test_blanks_after_a_delimiter_are_no_part_of_a_cell_unless_in_quotes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x, t, g\n1.5, 007, a \n2.5,  08," a"\n', encoding="utf-8")
    rows = from_csv(written(read(path, time="t", group="g")))
    assert [row[:2] for row in rows[1:]] == [["007", "a "], ["08", " a"]]


def test_an_empty_cell_is_no_time_and_no_group(tmp_path):
    path = as_csv(tmp_path / "a.csv", ["x", "t", "g"], [1.5, 2.5], ["1", ""], ["a", ""])
    with pytest.raises(DataFileError, match="is empty in row 2"):
        read(path, time="t")
    with pytest.raises(DataFileError, match=r"row 2 of a\.csv has no group id"):
        read(path, group="g", columns=["x"])


def test_decimal_commas_stay(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;t\n1,5;0,10\n2,5;0,20\n3,25;0,40\n4;0,50\n", encoding="utf-8")
    recording = read(path, time="t")
    assert recording.step == 0.1
    assert len(recording.values) == 5
    assert [row[0] for row in from_csv(written(recording))[1:]] == ["0,10", "0,20", "0,40", "0,50"]


def test_numbers_of_json_keep_their_digits(tmp_path):
    cells = ["1700000000.123456789", "1700000000.123456790", "1700000000.123456791"]
    lines = [f'{{"time": {cell}, "g": "{i}0", "x": {i}.50}}' for i, cell in enumerate(cells)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "a.json").write_text(f"[{', '.join(lines)}]", encoding="utf-8")
    for name in ("a.jsonl", "a.json"):
        recording = read(tmp_path / name, group="g", columns=["x"])
        rows = from_csv(written(recording))
        assert [row[0] for row in rows[1:]] == cells
        assert recording.values[:, 0].tolist() == [0.5, 1.5, 2.5]


def test_cells_of_several_files_and_of_thinned_rows(tmp_path):
    cells = [["1", "2", "3", "4"], ["01", "02", "03", "04"], ["1.50", "2.50", "3.50", "4.50"]]
    for i, own in enumerate(cells):
        as_csv(tmp_path / f"{i}.csv", ["time", "x"], own, [1.5, 2.5, 4.0, 7.0])
    recording = read(tmp_path)
    assert recording.time_column.texts() == [cell for own in cells for cell in own]
    with pytest.warns(AliasingWarning):
        thinned = prepare(recording, every=2)
    assert [row[1] for row in from_csv(written(thinned))[1:]] == [
        cell for own in cells for cell in own[::2]
    ]
    huge = [[str(2**63 + i) for i in range(3)], ["-1", "0", "1"]]
    assert huge == [
        read(as_csv(tmp_path / "b.csv", ["time", "x"], own, [1.5, 0.5, 2.5])).time_column.texts()
        for own in huge
    ]


TYPED = ["int64", "uint64", "int16", "float64", "float32", "timestamp[s]", "timestamp[ns]",
         "timestamp[us, Europe/Berlin]", "date32", "time64[ns]", "duration[ns]", "string",
         "large_string", "dictionary", "decimal"]  # fmt: skip


def typed(arrow, kind, start):
    """Return ten increasing cells of a type."""
    counts = [start + 3 * i for i in range(10)]
    if kind.startswith("timestamp["):
        unit, _, zone = kind[len("timestamp[") : -1].partition(", ")
        return arrow.array(counts, arrow.timestamp(unit, zone or None))
    if kind == "date32":
        return arrow.array(counts, arrow.int32()).cast(arrow.date32())
    if kind in ("time64[ns]", "duration[ns]"):
        return arrow.array(counts, arrow.int64()).cast(
            arrow.time64("ns") if kind == "time64[ns]" else arrow.duration("ns")
        )
    if kind == "decimal":
        return arrow.array(counts, arrow.int64()).cast(arrow.decimal128(21, 2))
    if kind in ("string", "large_string", "dictionary"):
        texts = [f"{count:09d}" for count in counts]
        if kind == "dictionary":
            return arrow.array(texts).dictionary_encode()
        return arrow.array(texts, arrow.string() if kind == "string" else arrow.large_string())
    return arrow.array(np.array(counts, dtype=kind))


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("role", ["time", "group"])
@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_typed_cells_keep_their_type(tmp_path, kind, role, suffix):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    feather = pytest.importorskip("pyarrow.feather")
    start = 2**63 + 5 if kind == "uint64" else 7
    cells = typed(arrow, kind, start)
    rng = np.random.default_rng(0)
    table = arrow.table({"cells": cells, "x": rng.normal(size=10)})
    path = tmp_path / f"a{suffix}"
    if suffix == ".parquet":
        parquet.write_table(table, path)
        table = parquet.read_table(path)
    else:
        feather.write_feather(table, path, compression="uncompressed")
    recording = read(path, columns=["x"], **{role: "cells"})
    column = parquet.read_table(written(recording, ".parquet")).column("cells")
    # Parquet has no seconds, and chooses the type of a dictionary's index itself.
    if suffix == ".parquet" or kind not in ("dictionary", "timestamp[s]"):
        assert column.type == table.column("cells").type
    assert column.cast(cells.type).equals(table.column("cells").cast(cells.type))
    # As text it says the same: read again, it makes the same steps.
    path = tmp_path / "again.csv"
    path.write_bytes(written(recording).getvalue())
    again = read(path, columns=["feature"], **{role: "cells"})
    if role == "time":
        assert again.step == recording.step or kind == "duration[ns]"
    else:
        assert len(set(again.groups.tolist())) == 10


@pytest.mark.filterwarnings("ignore")
@BOUNDED
@given(
    counts=st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=3, max_size=9, unique=True),
    unit=st.sampled_from(["int64", "ms", "us", "ns"]),
    zone=st.sampled_from([None, "UTC", "America/New_York"]),
)
def test_any_count_in_parquet_comes_back(tmp_path, counts, unit, zone):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    if unit in ("ms", "us"):  # years that NumPy can write
        counts = [count >> (16 if unit == "ms" else 6) for count in counts]
    kind = arrow.int64() if unit == "int64" else arrow.timestamp(unit, zone)
    table = arrow.table({"t": arrow.array(counts, kind), "x": np.arange(len(counts)) ** 2.0})
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path)
    recording = readable(path, time="t", columns=["x"])
    assert parquet.read_table(written(recording, ".parquet")).column("t").equals(table.column("t"))
    rows = from_csv(written(recording))
    if unit == "int64":
        assert [int(row[0]) for row in rows[1:]] == counts
    else:
        found = [np.datetime64(row[0].removesuffix("Z"), unit) for row in rows[1:]]
        assert [int(moment.astype(np.int64)) for moment in found] == counts
