"""A series read block by block has the sequences, gaps and states of the same series at once."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from predfeat.exceptions import (
    EmptyColumnError,
    InfiniteValueError,
    ReturningGroupWarning,
    ScaleError,
    ShortSequencesError,
    TooFewStatesError,
)
from predfeat.series import _rows, check_blocks, check_sequences, find_states, open_rows

# Warnings of ids that return are tested apart.
pytestmark = pytest.mark.filterwarnings("ignore::predfeat.exceptions.ReturningGroupWarning")


@st.composite
def gappy_series(draw):
    """Draw rows with gaps and ids; blocks of four rows have their borders anywhere in them."""
    n_rows = draw(st.integers(1, 40))
    gaps = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
    ids = draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows))
    X = np.arange(2.0 * n_rows).reshape(-1, 2)
    X[gaps, 0] = np.nan
    return X, ids


def seen(piece):
    """Return the piece, for a look at it."""
    return piece


def with_blocks_of_four(patch):
    for name in ("_NUMBERS_IN_A_BLOCK", "_FEWEST_ROWS"):
        patch.setattr(_rows, name, 4)
    patch.setattr(_rows, "_MOST_ROWS", 4)


@settings(deadline=None)
@given(gappy_series(), st.integers(0, 6), st.integers(0, 6))
def test_blocks_know_what_the_whole_series_knows(drawn, back, ahead):
    X, ids = drawn
    if np.isnan(X[:, 0]).all():
        return
    whole = check_sequences(X, ids)
    with pytest.MonkeyPatch.context() as patch:
        with_blocks_of_four(patch)
        blocks = check_blocks(open_rows(X, groups=ids))
        pieces = list(blocks.map(seen, back=back, ahead=ahead))
    bounds = list(zip(blocks.run_first.tolist(), blocks.run_stop.tolist(), strict=True))
    assert bounds == [b for b in whole.run_bounds() if whole.valid[b[0]]]
    assert blocks.borders.tolist() == [b[0] for b in whole.sequence_bounds()] + [len(X)]
    assert np.array_equal(blocks.smallest, whole.samples.min(axis=0))
    assert np.array_equal(blocks.largest, whole.samples.max(axis=0))
    # Every row is one block's own, and each block sees as far as it asked.
    reach = [piece.series.reach(back, ahead)[piece.start : piece.stop] for piece in pieces]
    assert np.array_equal(np.concatenate(reach), whole.reach(back, ahead))
    own = [piece.series.rows[piece.start : piece.stop] for piece in pieces]
    assert np.array_equal(np.concatenate(own), whole.rows)


@settings(deadline=None)
@given(gappy_series(), st.integers(1, 4), st.integers(0, 3))
def test_states_are_counted_without_a_list_of_them(drawn, n_lags, horizon):
    X, ids = drawn
    whole = check_sequences(X, ids, is_part=True)
    if not whole.reach(back=n_lags - 1, ahead=horizon).any():
        return
    blocks = check_blocks(open_rows(X, groups=ids))
    times = find_states(whole, n_lags, n_neighbors=0, horizon=horizon).times
    assert blocks.count_states(n_lags, horizon) == len(times)
    found = blocks.state_times(np.arange(len(times)), n_lags, horizon)
    assert found.tolist() == times.tolist()
    for shift in (-2, 1):
        there = whole.reach(back=max(-shift, 0), ahead=max(shift, 0))[times]
        assert np.array_equal(blocks.has(times, shift), there)


def test_ids_in_a_file_are_joined_over_blocks(tmp_path, monkeypatch):
    with_blocks_of_four(monkeypatch)
    ids = ["a"] * 8 + ["b"] * 3 + ["c"] * 1 + ["d"] * 7
    table = pa.table({"x": np.arange(19.0), "day": ids})
    parquet.write_table(table, tmp_path / "x.parquet", row_group_size=5)
    blocks = check_blocks(open_rows(tmp_path / "x.parquet", groups="day"))
    assert blocks.borders.tolist() == [0, 8, 11, 12, 19]
    assert blocks.run_first.tolist() == [0, 8, 11, 12]


@pytest.mark.filterwarnings("error")
def test_an_id_that_returns_is_reported_with_its_row(tmp_path, monkeypatch):
    with_blocks_of_four(monkeypatch)
    table = pa.table({"x": np.arange(12.0), "day": ["a"] * 5 + ["b"] * 4 + ["a"] * 3})
    parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.warns(ReturningGroupWarning, match="group id 'a' reappears at row 9"):
        check_blocks(open_rows(tmp_path / "x.parquet", groups="day"))


def test_bad_numbers_are_refused_with_their_row(monkeypatch):
    with_blocks_of_four(monkeypatch)
    X = np.zeros((20, 2))
    X[13, 1] = np.inf
    with pytest.raises(InfiniteValueError, match="the first in row 13, column 'x1'"):
        check_blocks(open_rows(X))
    X[13, 1] = 1e305
    with pytest.raises(ScaleError, match="the first in row 13, column 'x1'"):
        check_blocks(open_rows(X))
    X[:, 1] = np.nan
    with pytest.raises(EmptyColumnError, match="NaN throughout: 'x1'"):
        check_blocks(open_rows(X))


def test_series_that_are_too_short_are_refused(monkeypatch):
    with_blocks_of_four(monkeypatch)
    X = np.arange(12.0)[:, None]
    X[4:9] = np.nan  # a whole block, and a row of the next
    blocks = check_blocks(open_rows(X))
    assert blocks.n_samples == 7
    with pytest.raises(ShortSequencesError, match=r"has 4 \(rows 0 to 3;.*5 of 12 rows are gaps"):
        blocks.check_times(4, 1)
    with pytest.raises(TooFewStatesError, match="with n_lags=3 there are 3"):
        blocks.check_states(3, n_neighbors=10)
