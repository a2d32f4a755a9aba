"""Make the small files of this folder: tables as people have them, each with one or two oddities.

`python tests/raw/make.py` writes them again, with the same bytes. The weather in them is made up:
a temperature with a daily cycle, a wind that forgets within some hours, a humidity that follows
the temperature; so that there is something to predict, and something left to chance.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

N_ROWS = 168  # a week of hours
START = datetime(2012, 1, 5)  # so that days are no months: 13 to 31 come, too

Row = tuple[str, ...]
_MAKERS: dict[str, Callable[[random.Random], bytes]] = {}


def weather(chance: random.Random) -> list[Row]:
    """Return rows of temperature, wind and humidity."""
    rows, slow, wind = [], 0.0, 0.0
    for hour in range(N_ROWS):
        slow = 0.95 * slow + 0.4 * chance.gauss(0, 1)
        wind = 0.85 * wind + 0.8 * chance.gauss(0, 1)
        temperature = 12 + 4 * math.sin(2 * math.pi * hour / 24) + slow
        humidity = 90 - 2 * temperature + chance.gauss(0, 3)
        rows.append((f"{temperature:.1f}", f"{6 + wind:.1f}", f"{humidity:.0f}"))
    return rows


def hours(start: datetime = START) -> list[datetime]:
    return [start + timedelta(hours=i) for i in range(N_ROWS)]


def days() -> list[datetime]:
    return [START + timedelta(days=i) for i in range(N_ROWS)]


def beside(*columns: Iterable[object], rows: Sequence[Row]) -> list[Row]:
    """Put columns in front of rows."""
    front = zip(*columns, strict=True)
    return [(*map(str, cells), *row) for cells, row in zip(front, rows, strict=True)]


def text(header: str, rows: Iterable[Row], delimiter: str = ",") -> str:
    lines = [header.replace(",", delimiter), *(delimiter.join(row) for row in rows)]
    return "\n".join(lines) + "\n"


def file(name: str) -> Callable[[Callable[[random.Random], str | bytes]], None]:
    """Register a function that makes a file; text is written as UTF-8."""

    def register(make: Callable[[random.Random], str | bytes]) -> None:
        def as_bytes(chance: random.Random) -> bytes:
            made = make(chance)
            return made if isinstance(made, bytes) else made.encode("utf-8")

        _MAKERS[name] = as_bytes

    return register


def contents() -> dict[str, bytes]:
    """Return all files by their names; each has a seed of its own."""
    return {name: make(random.Random(name)) for name, make in _MAKERS.items()}


# --- columns that are no data --------------------------------------------------------------


@file("pandas_index.csv")
def _(chance: random.Random) -> str:
    return text(",temp,wind,humid", beside(range(N_ROWS), rows=weather(chance)))


@file("rownames.csv")
def _(chance: random.Random) -> str:
    quoted = [f'"{i + 1}"' for i in range(N_ROWS)]
    return text('"rownames","temp","wind","humid"', beside(quoted, rows=weather(chance)))


@file("timer.tsv")
def _(chance: random.Random) -> str:
    timer = [f"{i / 30:.3f}" for i in range(N_ROWS)]
    return text("timer,temp,wind,humid", beside(timer, rows=weather(chance)), "\t")


@file("calendar.csv")
def _(chance: random.Random) -> str:
    t = hours(datetime(2011, 12, 29))
    calendar = [
        [f"{m:%Y-%m-%d %H:%M}" for m in t], [m.year for m in t], [m.month for m in t],
        [m.day for m in t], [m.hour for m in t], [m.isoweekday() for m in t],
        [f"{m.year + (m.timetuple().tm_yday - 1 + m.hour / 24) / 365:.4f}" for m in t],
    ]  # fmt: skip
    header = "time,year,month,day,hour,dow,decimal,temp,wind,humid"
    return text(header, beside(*calendar, rows=weather(chance)))


@file("calendar_without_dates.csv")
def _(chance: random.Random) -> str:
    t = hours()
    calendar = [m.day for m in t], [m.hour for m in t]
    return text("d,h,temp,wind,humid", beside(*calendar, rows=weather(chance)))


@file("trial_numbers.csv")
def _(chance: random.Random) -> str:
    lengths = [31, 24, 27, 33, 22, 31]
    trial = [i + 1 for i, length in enumerate(lengths) for _ in range(length)]
    sample = [i for length in lengths for i in range(length)]
    return text("trial,sample,x,y,z", beside(trial, sample, rows=weather(chance)))


@file("stations.csv")
def _(chance: random.Random) -> str:
    station = ["Bern"] * 60 + ["Chur"] * 58 + ["Genève"] * 50
    return text("station,temp,wind,humid", beside(station, rows=weather(chance)))


@file("whole_numbers.csv")
def _(chance: random.Random) -> str:
    """Slow and whole, but measured: nothing of it is to be left out."""
    rows, on = [], 0
    for temperature, wind, _ in weather(chance):
        on = 1 - on if chance.random() < 0.05 else on
        rows.append((f"{float(temperature):.0f}", f"{float(wind):.0f}", str(on)))
    return text("temp,beaufort,pump", rows)


# --- cells that are no numbers -------------------------------------------------------------


@file("sparse.csv")
def _(chance: random.Random) -> str:
    gust = [f"{9 + chance.gauss(0, 2):.1f}" if chance.random() < 0.2 else "" for _ in range(N_ROWS)]
    return text("gust,temp,wind,humid", beside(gust, rows=weather(chance)))


@file("sentinels.csv")
def _(chance: random.Random) -> str:
    rows = weather(chance)
    for i in (20, 21, 90):
        rows[i] = ("-999.0", *rows[i][1:])
    return text("temp,wind,humid", rows)


@file("spreadsheet_errors.csv")
def _(chance: random.Random) -> str:
    rows = weather(chance)
    for i in (30, 31, 100):
        rows[i] = (rows[i][0], "#N/A", rows[i][2])
    rows[60] = ("?", *rows[60][1:])
    return text("temp,wind,humid", rows)


@file("odd_cells.csv")
def _(chance: random.Random) -> str:
    rows = weather(chance)
    for i, cell in ((16, "error"), (40, "<0.5"), (41, "error"), (120, "calibration")):
        rows[i] = (rows[i][0], cell, rows[i][2])
    return text("temp,wind,humid", rows)


@file("units_row.csv")
def _(chance: random.Random) -> str:
    rows = [("s", "degC", "m/s", "%"), *beside(range(0, 60 * N_ROWS, 60), rows=weather(chance))]
    return text("time,temp,wind,humid", rows)


@file("comments.csv")
def _(chance: random.Random) -> str:
    lines = text("temp [°C],wind [m/s],humid (%)", weather(chance)).splitlines()
    lines.insert(80, "# battery changed, clock kept running")
    return "\n".join(["# station 17, roof", "# made up", *lines]) + "\n"


@file("numpy_savetxt.csv")
def _(chance: random.Random) -> str:
    return text("# temp,wind,humid", weather(chance))


# --- time ----------------------------------------------------------------------------------


@file("newest_first.csv")
def _(chance: random.Random) -> str:
    rows = beside([t.isoformat() for t in hours()], rows=weather(chance))
    return text("time,temp,wind,humid", rows[::-1])


@file("shuffled.csv")
def _(chance: random.Random) -> str:
    rows = beside([t.isoformat() for t in hours()], range(N_ROWS), rows=weather(chance))
    chance.shuffle(rows)
    return text("time,id,temp,wind,humid", rows)


@file("duplicate_stamps.csv")
def _(chance: random.Random) -> str:
    rows = beside([t.isoformat() for t in hours()], rows=weather(chance))
    rows.insert(51, rows[50])
    rows.insert(101, (rows[100][0], *rows[99][1:]))
    return text("time,temp,wind,humid", rows)


def _dates(name: str, form: Callable[[datetime], object], column: str = "date") -> None:
    @file(name)
    def _(chance: random.Random) -> str:
        return text(f"{column},temp,wind,humid", beside(map(form, days()), rows=weather(chance)))


_dates("dates_iso.csv", lambda t: t.date().isoformat(), column="observed")
_dates("dates_slashes.csv", lambda t: f"{t:%Y/%m/%d}")
_dates("dates_dots.csv", lambda t: f"{t:%d.%m.%Y}")
_dates("dates_american.csv", lambda t: f"{t:%m/%d/%Y}")
_dates("dates_words.csv", lambda t: f"{_MONTHS[t.month - 1]} {t.day} {t.year}")
_dates("dates_epoch.csv", lambda t: (t - datetime(1970, 1, 1)) // timedelta(seconds=1), "epoch")

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


# --- bytes ---------------------------------------------------------------------------------


@file("semicolons.csv")
def _(chance: random.Random) -> str:
    rows = [tuple(cell.replace(".", ",") for cell in row) for row in weather(chance)]
    return text(",temp,wind,humid", beside(range(N_ROWS), rows=rows), ";")


@file("latin_1.csv")
def _(chance: random.Random) -> bytes:
    return text("Température (°C),vent (m/s),humidité (%)", weather(chance)).encode("latin-1")


@file("byte_order_mark.csv")
def _(chance: random.Random) -> bytes:
    return text("temp,wind,humid", weather(chance)).encode("utf-8-sig")


if __name__ == "__main__":
    for _name, _content in contents().items():
        Path(__file__).with_name(_name).write_bytes(_content)
        print(f"{len(_content):6d} {_name}", file=sys.stderr)
