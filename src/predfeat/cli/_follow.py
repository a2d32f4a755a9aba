"""`predfeat forecast --follow`: a forecast after each row that comes."""

from __future__ import annotations

import sys
from collections import deque
from typing import Any

from predfeat.cli._row_stream import rows_of
from predfeat.cli._terminal import say, show

__all__ = ["follow_rows"]


def follow_rows(forecaster: Any, columns: list[str], *, channels: bool, quiet: bool) -> None:
    """Read rows from standard input, learn from each, and print what comes after it.

    Each forecast is printed as lines of CSV as soon as its row is there. A row that is a gap, or
    after which there are too few for a state, is learned from, and nothing is forecast. How many
    numbers the intervals contained is said at the end.
    """
    from predfeat.exceptions import ForecastError

    is_of_columns = channels or forecaster.model_.features is None
    names = columns if is_of_columns else list(forecaster.names_)
    ends = [end for name in names for end in (name, f"{name} lower", f"{name} upper")]
    show(",".join(["row", "step", *map(_cell, ends)]))
    predict = forecaster.predict_channels if channels else forecaster.predict
    watch = _Watch(forecaster.n_steps)
    for number, row in enumerate(rows_of(sys.stdin, columns), 1):
        watch.see(_as_forecast(forecaster, row, channels=channels))
        forecaster.update([row])
        try:
            ahead = predict()
        except ForecastError:
            watch.add(None)
            continue
        watch.add(ahead)
        show(*_lines(number, ahead))
    say(*watch.words(forecaster.level), quiet=quiet)


def _lines(number: int, ahead: Any) -> list[str]:
    lines = []
    for h in range(ahead.n_steps):
        one = zip(ahead.mean[h], ahead.lower[h], ahead.upper[h], strict=True)
        numbers = [repr(float(x)) for ends in one for x in ends]
        lines.append(",".join([str(number), str(h + 1), *numbers]))
    return lines


def _cell(name: str) -> str:
    return f'"{name.replace(chr(34), chr(34) * 2)}"' if set(name) & set(',"') else name


def _as_forecast(forecaster: Any, row: list[float], *, channels: bool) -> Any:
    """Return a row as what is forecast: columns, or features."""
    import numpy as np

    values = np.array([row])
    if channels or forecaster.model_.features is None:
        return values[0]
    return np.asarray(forecaster.model_.features.transform(values))[0]


class _Watch:
    """How many numbers lay in the intervals that were printed for them."""

    def __init__(self, n_steps: int):
        self._pending: deque[Any] = deque(maxlen=n_steps)
        self._inside = self._seen = 0

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
            f"{self._inside / self._seen:.1%} of {self._seen} numbers that came lay in the "
            f"intervals printed for them; {level:.0%} were to."
        ]
