"""`predfeat forecast --follow`: a forecast after each row that comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from predfeat.cli._data import ReadData
from predfeat.cli._incoming_rows import incoming_rows, naming_the_line, without_sentinels
from predfeat.cli._options import PREPARATION
from predfeat.cli._terminal import say, write_now

__all__ = ["follow_rows", "row_preparation"]


def follow_rows(forecaster: Any, data: ReadData, *, channels: bool, quiet: bool) -> None:
    """Read rows from standard input, learn from each, and print what comes after it.

    They go on where the data ends, and are read and prepared as it was. Each forecast is printed
    as lines of CSV as soon as its row is there. A row that is a gap, or after which there are too
    few for a state, is learned from, and nothing is forecast. How many numbers the intervals
    contained is said at the end, also after Ctrl-C. `write_now` ends the work when nobody reads
    the forecasts any more.
    """
    from predfeat.datasets import text_line

    of_columns = channels or forecaster.model_.features is None
    names = data.prepared.names if of_columns else forecaster.names_
    ends = [end for name in names for end in (name, f"{name} lower", f"{name} upper")]
    columns = list(data.prepared.prepared_from or data.prepared.names)
    options = {**data.options, "columns": columns}
    with _what_rows_need_explained(columns, data.raw.source):
        rows = incoming_rows(options)
    if not write_now(text_line(["row", *rows.aside, "step", *ends])):
        return
    watch = _Watch(forecaster.n_steps)
    try:
        for lines in _answers(forecaster, rows, data, watch, of_columns=of_columns):
            if lines and not write_now(b"".join(lines)):
                return
    except KeyboardInterrupt:  # the usual end of rows without an end
        say(*watch.words(forecaster.level), quiet=quiet)
        raise
    say(*watch.words(forecaster.level), quiet=quiet)


def row_preparation(options: dict[str, Any]) -> Any:
    """Return the `RowPreparation` of these options, or raise an error that says why not."""
    from predfeat.datasets import RowPreparation

    return RowPreparation(**{n: value for n, value in options.items() if n in PREPARATION})


def _answers(
    forecaster: Any, rows: Any, data: ReadData, watch: _Watch, *, of_columns: bool
) -> Iterator[list[bytes]]:
    """Yield the lines to print after each row: none if there is no forecast."""
    from predfeat.exceptions import ForecastError

    group = _last_group(data.raw) if "group" in data.options else None
    preparation = _primed(data, group)
    predict = forecaster.predict_channels if of_columns else forecaster.predict
    sequence = None  # goes on
    for number, row in enumerate(without_sentinels(rows, data.raw.sentinels), 1):
        if row.group != group:
            group, sequence = row.group, [row.group]
            watch.begin()
        values = preparation.next(row.values, row.group)
        if values is None:
            continue
        with naming_the_line(row.line):
            watch.see(_as_forecast(forecaster, values, of_columns=of_columns))
            forecaster.update([values], groups=sequence)
        try:
            ahead = predict()
        except ForecastError:
            ahead = None
        watch.add(ahead)
        yield [] if ahead is None else _lines(number, row.aside, ahead)


def _last_group(recording: Any) -> str | None:
    """Return the cell that identifies the last sequence, as the file has it."""
    if recording.group_column is None:
        return None
    cells = recording.group_column
    last = len(cells.stored) - 1 if recording.rows is None else int(recording.rows[-1])
    return str(cells.texts(last, last + 1)[0])


def _primed(data: ReadData, group: str | None) -> Any:
    """Return a preparation that goes on where that of the recording ended."""
    import numpy as np

    preparation = row_preparation(data.options)
    values, groups = data.raw.values, data.raw.groups
    first = 0
    if groups is not None:
        others = np.flatnonzero(np.asarray(groups) != groups[-1])
        first = int(others[-1]) + 1 if len(others) else 0
    # Only the last rows matter, from one that is kept.
    every = data.options.get("every", 1)
    back = every * (data.options.get("delays", 0) + 2)
    first += max(0, (len(values) - first - back) // every) * every
    for row in values[first:]:
        preparation.next(np.asarray(row, dtype=np.float64), group)
    return preparation


@contextmanager
def _what_rows_need_explained(columns: list[str], source: str) -> Iterator[None]:
    from predfeat.exceptions import DataFileError, MissingColumnsError

    try:
        yield
    except MissingColumnsError as error:
        missing, needed = (", ".join(names[:10]) + " …" * (len(names) > 10)
                           for names in (error.columns, columns))  # fmt: skip
        asks_columns = set(error.columns) <= set(columns)
        raise DataFileError(
            f"standard input goes on with the rows of {source}, but has no column {missing}. Begin "
            "it with a line of names"
            + (f", or give exactly these columns, in this order: {needed}." if asks_columns
               else " that has it.")
        ) from error  # fmt: skip


def _lines(number: int, aside: tuple[str, ...], ahead: Any) -> list[bytes]:
    from predfeat.datasets import text_line

    lines = []
    for h in range(ahead.n_steps):
        one = zip(ahead.mean[h], ahead.lower[h], ahead.upper[h], strict=True)
        numbers = [float(x) for ends in one for x in ends]
        lines.append(text_line([str(number), *aside, str(h + 1)], numbers))
    return lines


def _as_forecast(forecaster: Any, row: Any, *, of_columns: bool) -> Any:
    """Return a row as what is forecast: columns, or features."""
    if of_columns:
        return row
    return forecaster.model_.features.transform(row[None])[0]


class _Watch:
    """How many numbers lay in the intervals that were printed for them."""

    def __init__(self, n_steps: int):
        self._pending: deque[Any] = deque(maxlen=n_steps)
        self._inside = self._seen = 0

    def begin(self) -> None:
        """Forget the forecasts of a sequence that has ended."""
        self._pending.clear()

    def add(self, ahead: Any) -> None:
        """Remember a forecast, or that there was none."""
        self._pending.append(ahead)

    def see(self, actual: Any) -> None:
        """Compare a row with all forecasts of it."""
        for back, ahead in enumerate(reversed(self._pending)):
            known = actual == actual
            if ahead is not None:
                inside = (ahead.lower[back] <= actual) & (actual <= ahead.upper[back])
                self._inside += int((inside & known).sum())
                self._seen += int(known.sum())

    def words(self, level: float) -> list[str]:
        """Return what was attained, in words."""
        if not self._seen:
            return []
        return [
            f"{100 * self._inside / self._seen:.1f} % of {self._seen} numbers that came lay in the "
            f"intervals printed for them; {100 * level:g} % were to."
        ]
