"""A prepared recording: names, units, times and the file's rows stay in step."""

import io
import warnings

import numpy as np
import pytest

from predfeat.datasets import (
    Channels,
    FileColumn,
    Image,
    Recording,
    prepare,
    read,
    write_features,
)
from predfeat.exceptions import AliasingWarning

N_ROWS = 40


def waves(n_columns=2):
    t = np.arange(N_ROWS)[:, None]
    return np.sin(t / 15 + np.arange(n_columns))


def recording(**more):
    return Recording(waves(), ("temp", "wind"), "here.csv", units=("°C", "m/s"), **more)


def test_nothing_asked_for_nothing_done():
    given = recording()
    assert prepare(given) is given


def test_names_units_and_where_they_come_from():
    prepared = prepare(recording(), difference=True, delays=2)
    assert prepared.names == (
        "Δ temp", "Δ wind", "Δ temp (1 before)", "Δ wind (1 before)", "Δ temp (2 before)",
        "Δ wind (2 before)",
    )  # fmt: skip
    assert prepared.units == ("°C", "m/s") * 3
    assert prepared.prepared_from == ("temp", "wind")
    assert prepared.values.shape == (N_ROWS, 6)
    again = prepare(prepared, detrend=True)
    assert again.prepared_from == ("temp", "wind")
    assert "straight line was removed" in again.notes[-1]


def test_the_order_is_thin_detrend_difference_delay():
    prepared = prepare(recording(), every=4, detrend=True, difference=True, delays=1)
    kept = waves()[::4]
    t = np.arange(len(kept))
    level = kept - np.column_stack([np.polyval(np.polyfit(t, c, 1), t) for c in kept.T])
    steps = np.diff(level, axis=0)
    np.testing.assert_allclose(prepared.values[2:], np.c_[steps[1:], steps[:-1]], atol=1e-12)
    assert np.isnan(prepared.values[:2]).all()


def test_pictures_stay_pictures_unless_rows_stand_side_by_side():
    film = Recording(waves(4), tuple("abcd"), "film.mp4", layout=Image(2, 2))
    assert prepare(film, difference=True).layout == Image(2, 2)
    assert prepare(film, delays=1).layout == Channels()


def written(recording):
    file = io.BytesIO()
    features = np.arange(len(recording.values), dtype=float)[:, None]
    write_features(file, features, ["feature"], recording=recording)
    return file.getvalue().decode().splitlines()


def table_of_days(tmp_path, days):
    path = tmp_path / "days.csv"
    lines = [f"2026-01-{day:02},{np.sin(day / 9):.6f}" for day in days]
    path.write_text("\n".join(["date,x", *lines]) + "\n")
    return read(path)


def test_thinned_rows_keep_their_dates_beyond_a_jump(tmp_path):
    # Of days 1 to 19 without 5, 6 and 7, one in 3 from the first on: 1, 4, (7), 10, 13, 16, 19.
    days = table_of_days(tmp_path, [*range(1, 5), *range(8, 20)])
    thinned = prepare(days, every=3)
    assert thinned.step == 3 * 86_400
    assert np.isnan(thinned.values[:, 0]).tolist() == [False, False, True] + [False] * 4
    assert thinned.rows.tolist() == [0, 1, -1, 2, 3, 4, 5]
    assert written(thinned) == [
        "date,feature", "2026-01-01,0.0", "2026-01-04,1.0", "2026-01-10,3.0", "2026-01-13,4.0",
        "2026-01-16,5.0", "2026-01-19,6.0",
    ]  # fmt: skip
    assert "One row in 3 was kept: 7 of 19." in thinned.notes


def test_thinned_rows_of_sequences_keep_their_ids():
    ids = np.repeat(["a", "b"], [15, 25])
    given = recording(groups=ids, group_column=FileColumn("trial", ids))
    thinned = prepare(given, every=10)
    assert thinned.groups.tolist() == ["a", "a", "b", "b", "b"]
    assert written(thinned)[1:] == ["1,a,0.0", "11,a,1.0", "16,b,2.0", "26,b,3.0", "36,b,4.0"]
    assert written(thinned)[0] == "row,trial,feature"  # numbers, as there are no times


def test_rows_that_were_sorted_by_the_reader_keep_their_own_cells():
    # The file's newest row came first; its cells stay in the file's order.
    turned = recording(
        rows=np.arange(N_ROWS)[::-1].astype(np.intp),
        time=np.arange(N_ROWS, dtype=float),
        time_column=FileColumn("clock", np.arange(N_ROWS, dtype=float)[::-1]),
    )
    thinned = prepare(turned, every=10)
    assert thinned.time.tolist() == [0, 10, 20, 30]
    assert thinned.time_column.cells[thinned.rows].tolist() == [0, 10, 20, 30]


def test_the_aliasing_warning_knows_the_columns_names():
    noisy = Recording(np.random.default_rng(0).normal(size=(99, 1)), ("hiss",), "noise.csv")
    with pytest.warns(AliasingWarning, match="'hiss'"):
        prepare(noisy, every=5)


def test_ids_that_come_back_are_told_by_who_uses_the_recording():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepare(recording(groups=np.arange(N_ROWS) // 10 % 2), difference=True)
