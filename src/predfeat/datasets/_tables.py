"""A recording from the pieces of a table: the common part of all readers of tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray
from predfeat._warnings import warn
from predfeat.datasets._annotations import annotation, of_rows
from predfeat.datasets._cells import CellTally
from predfeat.datasets._clocks import ENOUGH
from predfeat.datasets._dates import AmbiguousDatesError
from predfeat.datasets._file_column import FileColumn, stored_texts
from predfeat.datasets._missing import Missing
from predfeat.datasets._naming import in_python
from predfeat.datasets._opening import check_fits, library
from predfeat.datasets._ordering import arrange, copies_of
from predfeat.datasets._recording import Recording
from predfeat.datasets._roles import Roles
from predfeat.datasets._screening import Rows, about_ids, screen
from predfeat.datasets._sentinels import without_infinities, without_sentinels
from predfeat.datasets._timeline import Timeline, lay_out
from predfeat.datasets._timestamps import Stamps, parse_times
from predfeat.exceptions import DataFileError, SkippedColumnsWarning

__all__ = ["Pieces"]

_DECIMAL_COMMA = re.compile(r"^(\s*[-+]?\d*),(\d*(?:[eE][-+]?\d+)?\s*)$")
# Beyond 32 MB, memory comes from the system and goes back to it.
_CHUNK_BYTES = 1 << 26


@dataclass
class Pieces:
    """A table as it is being read, block by block.

    Attributes
    ----------
    source : str
    names : tuple of str
        Of all columns of the file.
    roles : Roles
    blocks : list of ndarray
        The channels; a column in `text` may hold anything.
    time_cells, group_cells : list
        One entry per row, as read. `time_cells` may be blocks of text or of arrays.
    annotation_cells : dict of int to list
        Cells of the columns that annotate rows, by position.
    arrow_cells : dict of int to list of Arrow arrays
        Blocks of the time and the group column as a file of Arrow's has them, by position.
    decimal_comma : bool
        Whether numbers of the time column and of annotations may have a decimal comma.
    tallies : dict of int to CellTally
        What the cells of text are, by the column's position.
    text : dict of int to str
        Positions of the columns that turned out to hold no numbers, each with a sentence on why.
    units : tuple of str
        Of all columns of the file, "" where it says nothing.
    missing : Missing
    notes : tuple of str
    n_rows, n_bytes : int
        Read so far.
    """

    source: str
    names: tuple[str, ...]
    roles: Roles
    blocks: list[FloatArray] = field(default_factory=list)
    time_cells: Any = field(default_factory=list)
    group_cells: list[Any] = field(default_factory=list)
    annotation_cells: dict[int, list[Any]] = field(default_factory=dict)
    arrow_cells: dict[int, list[Any]] = field(default_factory=dict)
    decimal_comma: bool = False
    tallies: dict[int, CellTally] = field(default_factory=dict)
    text: dict[int, str] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    missing: Missing = field(default_factory=Missing)
    notes: tuple[str, ...] = ()
    n_rows: int = 0
    n_bytes: int = 0
    _shared: dict[Any, Any] = field(default_factory=dict)
    _stamps: AnyArray | None = None
    _chunk: FloatArray | None = None  # the last of the blocks is a part of it

    def tally(self, position: int) -> CellTally:
        """Return what is known so far of the cells of a column of text."""
        return self.tallies.setdefault(position, CellTally())

    def add(
        self,
        block: FloatArray,
        time: Sequence[str] | AnyArray | None,
        group: Sequence[Any] | None,
        annotations: Mapping[int, Sequence[Any]] = MappingProxyType({}),
    ) -> None:
        """Append one block of rows; annotations by the positions of their columns."""
        self._keep(block)
        if isinstance(time, np.ndarray):
            self.time_cells.append(time)
        elif time is not None:
            self.time_cells.extend(time)
        if group is not None:
            self._share(group, self.group_cells)
        for position, cells in annotations.items():
            self._share(cells, self.annotation_cells.setdefault(position, []))
        self.n_rows += len(block)
        self.n_bytes += block.nbytes + _held(time)
        check_fits(self.source, self.n_bytes, "Choose fewer of its columns with `columns`.")

    def _keep(self, block: FloatArray) -> None:
        """Append a block to the last chunk, or begin one that is as large as all before.

        What is large is given back to the system when it is freed; of thousands of small blocks
        the allocator would keep the memory.
        """
        last = self.blocks[-1] if self.blocks else block[:0]
        chunk = self._chunk
        stop = len(last) + len(block)
        if chunk is None or chunk.dtype != block.dtype or stop > len(chunk):
            most = max(1, _CHUNK_BYTES // max(1, block[:1].nbytes))
            n_rows = max(len(block), min(self.n_rows, most))
            chunk = self._chunk = np.empty((n_rows, block.shape[1]), dtype=block.dtype)
            self.blocks.append(chunk[:0])
            stop = len(block)
        chunk[stop - len(block) : stop] = block
        self.blocks[-1] = chunk[:stop]

    def _share(self, cells: Sequence[Any], kept: list[Any]) -> None:
        """Keep cells; equal ones share one object: a million rows of three ids are three texts."""
        known = len(self._shared)
        kept.extend(self._shared.setdefault((type(cell), cell), cell) for cell in cells)
        self.n_bytes += 8 * len(cells)
        self.n_bytes += _held([cell for _, cell in islice(self._shared, known, None)])

    def recording(self, jumps: str | None = None, day_first: bool | None = None) -> Recording:
        """Join the blocks, leave out what holds no numbers, and lay the rows out in time."""
        if self.n_rows == 0:
            raise DataFileError(f"{self.source} has a header but no rows.")
        ids = self._ids()
        timeline, stamps, as_channel = self._timeline(ids, jumps, day_first)
        self._judge_text()
        values, places, skipped = self._channels(as_channel)
        named = [self.names[i] for i in places]
        wanted = [k for k, i in enumerate(places) if i in self.roles.wanted]
        said = without_infinities(values, named)
        sentinels: tuple[tuple[str, float], ...] = ()
        if not self.missing.named:
            values, sentinels, more = without_sentinels(values, named)
            said += more
        rows = Rows(self.n_rows, self._stamps, ids)
        found = screen(values, named, rows, wanted=wanted, source=self.source)
        if found.left_out:
            values = values[:, found.kept]
        names = tuple(self.names[places[k]] for k in found.kept)
        left_out = tuple(self.names[places[k]] for k in found.left_out)
        units = tuple(self.units[places[k]] for k in found.kept) if any(self.units) else ()
        units = units if any(units) else ()
        bare = Recording(
            values, names, self.source, units=units, skipped=skipped, left_out=left_out,
            group_column=self._group_column(ids), notes=self.notes, sentinels=sentinels,
        )  # fmt: skip
        if timeline is None:
            recording = in_file_order(bare, ids, self.source)
        else:
            assert stamps is not None
            recording = laid_out(bare, timeline, self._time_column(), stamps)
        annotations = {
            role: of_rows(self._annotation(role, positions), recording.rows)
            for role, positions in self.roles.annotations.items()
        }
        notes = (*recording.notes, *said, *found.notes)
        return replace(recording, notes=notes, annotations=annotations)

    def _annotation(self, role: str, positions: list[int]) -> AnyArray:
        return annotation(
            [self.annotation_cells[position] for position in positions],
            self.missing,
            comma=self.decimal_comma,
            name=f"{role} of {self.source}",
        )

    def _ids(self) -> AnyArray | None:
        position = self.roles.group
        if position is None:
            return None
        name = self.names[position]
        for row, cell in enumerate(self.group_cells):
            if cell is None or cell == "" or cell != cell:
                raise DataFileError(
                    f"row {row + 1} of {self.source} has no group id (column {name!r}). Every row "
                    "must belong to a group."
                )
        return _plain_ids(self.group_cells)

    def _group_column(self, ids: AnyArray | None) -> FileColumn | None:
        position = self.roles.group
        if position is None:
            return None
        return FileColumn(self.names[position], self._from_arrow(position, ids))

    def _time_column(self) -> FileColumn:
        assert self.roles.time is not None
        stored: Any = self.time_cells
        if not isinstance(stored, np.ndarray) and self.roles.time not in self.arrow_cells:
            stored = stored_texts(stored)
        return FileColumn(self._time_name(), self._from_arrow(self.roles.time, stored))

    def _from_arrow(self, position: int, otherwise: Any) -> Any:
        blocks = self.arrow_cells.get(position)
        if blocks is None:
            return otherwise
        arrow = library("pyarrow", extra="tables", what="reading .parquet")
        return arrow.chunked_array(blocks)

    def _time_name(self) -> str:
        assert self.roles.time is not None
        name = self.names[self.roles.time]
        return name if self.roles.clock is None else f"{name} {self.names[self.roles.clock]}"

    def _timeline(
        self, ids: AnyArray | None, jumps: str | None, day_first: bool | None
    ) -> tuple[Timeline | None, Stamps | None, FloatArray | None]:
        """Lay out the time column; one guessed wrongly is left out or made a channel."""
        position = self.roles.time
        if position is None:
            return None, None, None
        name = self._time_name()
        cells: Any = self.time_cells
        if isinstance(cells, list) and isinstance(cells[0], np.ndarray):
            cells = self.time_cells = np.concatenate(cells)
        elif self.decimal_comma:
            cells = [_DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in cells]
        try:
            unit = self.units[position] if self.units else ""
            stamps = parse_times(
                cells, name=name, source=self.source, day_first=day_first, unit=unit
            )
            self._stamps = stamps.time
            arrangement = arrange(
                stamps.exact, ids, source=self.source, name=name, guessed=self.roles.guessed,
                told=stamps.time,
            )  # fmt: skip
            timeline = lay_out(
                stamps.exact, ids, source=self.source, name=name, jumps=jumps, tick=stamps.tick,
                n_columns=len(self.roles.channels), arrangement=arrangement,
            )  # fmt: skip
        except AmbiguousDatesError:
            raise
        except DataFileError as error:
            if not self.roles.guessed:
                raise
            # "t" may be a temperature; a column called time or date is never a channel.
            numbers = self._as_numbers(cells) if name.lower() == "t" else None
            if numbers is None:
                self.text[position] = str(error)
            else:
                self._stamps = None
            if self.roles.clock is not None:
                self.text[self.roles.clock] = (
                    f"column {self.names[self.roles.clock]!r} belongs to it."
                )
            return None, None, numbers
        if self.roles.clock is not None:
            both = f"{self.names[position]!r} and {self.names[self.roles.clock]!r}"
            self.notes = (*self.notes, f"Columns {both} were joined as time stamps.")
        elif self.roles.guessed:
            what = "was" if self.roles.by_name else "holds dates and was"
            self.notes = (*self.notes, f"Column {name!r} {what} taken as time stamps.")
        return timeline, stamps, None

    def _judge_text(self) -> None:
        """Tell columns of text from columns of numbers with a few odd cells, with notes."""
        ids = []
        odd = {}
        for position, tally in sorted(self.tallies.items()):
            if position in self.text or not tally.n_odd:
                continue
            name = self.names[position]
            if not tally.is_text:
                odd[name] = tally
                continue
            self.text[position] = f"column {name!r} holds text such as {tally.in_words(1)}."
            stretches = 0 if tally.ids is None or tally.n_numbers else len(tally.ids)
            if stretches > 1 and stretches * ENOUGH <= self.n_rows:
                ids.append(name)
        for name, tally in odd.items():
            option = in_python("missing", list(tally.examples))
            self.notes += (
                f"{tally.n_odd} cell(s) of column {name!r} are not numbers and were taken as "
                f"missing: {tally.in_words()}{', …' if tally.n_odd > len(tally.examples) else ''}."
                f" {option} confirms this.",
            )
        if ids and self.roles.group is None and not self.roles.asked:
            self.notes += (about_ids(ids),)

    def _channels(
        self, as_channel: FloatArray | None
    ) -> tuple[FloatArray, list[int], tuple[str, ...]]:
        channels = self.roles.channels
        filled = np.zeros(len(channels), dtype=bool)
        for block in self.blocks:
            filled |= np.isfinite(block).any(axis=0)
        for i, position in enumerate(channels):
            if position not in self.text and not filled[i]:
                self.text[position] = f"column {self.names[position]!r} holds no numbers."
        self._say_what_is_skipped()
        kept = [i for i, position in enumerate(channels) if position not in self.text]
        places = [channels[i] for i in kept]
        if not kept and as_channel is None and (channels or not self.roles.annotations):
            raise DataFileError(
                f"{self.source} has no column of numbers. "
                "A table needs one row per time step and one column per channel."
            )
        narrow = all(block.dtype == np.float32 for block in self.blocks)
        values = np.empty((self.n_rows, len(kept)), dtype=np.float32 if narrow else np.float64)
        at = 0
        self._chunk = None
        for i, block in enumerate(self.blocks):
            values[at : at + len(block)] = block if len(kept) == len(channels) else block[:, kept]
            at += len(block)
            # Freed at once, so that the series is in memory only once: a slice would keep it.
            self.blocks[i] = np.empty((0, block.shape[1]), dtype=block.dtype)
        if as_channel is not None:
            assert self.roles.time is not None
            before = sum(channels[i] < self.roles.time for i in kept)
            values = np.insert(values, before, as_channel, axis=1)
            places.insert(before, self.roles.time)
        return values, places, tuple(self.names[i] for i in sorted(self.text))

    def _as_numbers(self, cells: Any) -> FloatArray | None:
        try:
            return np.array([np.nan if self.missing.says(str(c)) else float(c) for c in cells])
        except ValueError:
            return None

    def _say_what_is_skipped(self) -> None:
        if not self.text:
            return
        reasons = [self.text[i] for i in sorted(self.text)]
        if self.roles.asked and set(self.text) & set(self.roles.channels):
            raise DataFileError(
                f"a requested column of {self.source} holds no numbers: {reasons[0]}"
            )
        listed = " ".join(reasons[:5]) + (
            f" And {len(reasons) - 5} more." if len(reasons) > 5 else ""
        )
        warn(
            f"{len(reasons)} column(s) of {self.source} were left out: {listed}",
            SkippedColumnsWarning,
        )


def _held(cells: Sequence[Any] | AnyArray | None) -> int:
    """Return the memory of cells in bytes, in an array or as objects in a list."""
    if isinstance(cells, np.ndarray):
        return cells.nbytes
    return 0 if cells is None else sum(map(sys.getsizeof, cells)) + 8 * len(cells)


def in_file_order(recording: Recording, ids: AnyArray | None, source: str) -> Recording:
    """Finish a recording without time stamps: only interleaved groups are reordered."""
    if ids is None:
        return recording
    found = arrange(None, ids, source=source, name="", guessed=False)
    return replace(
        recording,
        values=found.of(recording.values),
        groups=found.of(ids),
        rows=found.order,
        notes=(*recording.notes, *found.notes),
    )


def laid_out(
    recording: Recording, timeline: Timeline, column: FileColumn, stamps: Stamps
) -> Recording:
    """Finish a recording with time stamps: rows in order, gaps inserted, copies left out."""
    values, rows = recording.values, timeline.rows
    if rows is not None:
        values = np.where((rows >= 0)[:, None], values[rows], np.nan)
    known = np.arange(len(values)) if rows is None else rows
    time = stamps.times(timeline.time, rows)
    exact = None if timeline.coarse else timeline.time
    if values.shape[1] == 0:  # rows without channels cannot be told from copies
        exact = None
    keep, copies, repeats = copies_of(known, exact, timeline.groups, values, time)
    groups = timeline.groups
    if len(copies):
        values, rows = values[keep], known[keep]
        groups = None if groups is None else groups[keep]
    return replace(
        recording,
        values=values,
        groups=groups,
        time=time[keep] if len(copies) else time,
        rows=rows,
        copies=copies if len(copies) else None,
        step=timeline.step,
        unit=timeline.unit or stamps.unit or f"units of {column.name!r}",
        time_column=column,
        notes=(*recording.notes, *stamps.notes, *timeline.notes, *repeats),
    )


def _plain_ids(cells: list[Any]) -> AnyArray:
    """Return ids as integers if that loses nothing of their text, else as they are."""
    if cells and all(isinstance(i, str) for i in set(cells)):
        canonical = {i: int(i) for i in set(cells) if i.isascii() and i.isdigit() and len(i) < 19}
        if all(str(canonical.get(i)) == i for i in set(cells)):
            return np.array([canonical[i] for i in cells], dtype=np.int64)
        return np.array(cells, dtype=object)
    if all(isinstance(i, int | np.integer) for i in set(cells)):
        return np.array(cells)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
