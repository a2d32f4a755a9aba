"""One door for all files: `read` picks the reader by the file's suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from predfeat.datasets._arrays import read_npy, read_npz
from predfeat.datasets._audio import read_audio
from predfeat.datasets._delimited import read_delimited
from predfeat.datasets._opening import Progress, check_file
from predfeat.datasets._parquet import read_parquet
from predfeat.datasets._recording import Recording
from predfeat.datasets._video import read_video
from predfeat.exceptions import DataFileError

__all__ = ["SUFFIXES", "read", "reading_options"]

_TABLE_OPTIONS = ("columns", "keep", "exclude", "time", "group", "missing", "jumps")
_TEXT_OPTIONS = (*_TABLE_OPTIONS, "header", "delimiter")
_AUDIO_OPTIONS = ("rate", "spectrum", "frame", "hop")
_VIDEO_OPTIONS = ("height", "width", "window", "jumps")

_READERS: dict[str, tuple[Callable[..., Recording], tuple[str, ...]]] = {
    ".npy": (read_npy, ("columns",)),
    ".npz": (read_npz, ("columns", "key")),
    ".csv": (read_delimited, _TEXT_OPTIONS),
    ".csv.gz": (read_delimited, _TEXT_OPTIONS),
    ".tsv": (read_delimited, _TEXT_OPTIONS),
    ".tsv.gz": (read_delimited, _TEXT_OPTIONS),
    ".parquet": (read_parquet, _TABLE_OPTIONS),
    **dict.fromkeys((".wav", ".flac", ".ogg", ".mp3"), (read_audio, _AUDIO_OPTIONS)),
    **dict.fromkeys((".mp4", ".avi", ".mkv", ".gif"), (read_video, _VIDEO_OPTIONS)),
}

SUFFIXES = tuple(_READERS)


def read(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    time: str | None = None,
    group: str | None = None,
    missing: str | float | Sequence[str | float] | None = None,
    jumps: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    key: str | None = None,
    rate: float | None = None,
    spectrum: str | None = None,
    frame: int | None = None,
    hop: int | None = None,
    height: int | None = None,
    width: int | None = None,
    window: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Recording:
    r"""Read a time series from a file.

    The suffix decides how: .npy, .npz, .csv, .tsv (also .csv.gz and .tsv.gz), .parquet, .wav,
    .flac, .ogg, .mp3, .mp4, .avi, .mkv, .gif. An option that the kind of file does not know is an
    error.

    Parameters
    ----------
    path : str or path
        The file; "-" reads a text table from standard input.
    columns : list of str, optional
        For arrays and tables: the columns to read, in this order; by default all columns of
        numbers that are data (see Notes). A text such as "a,b" names both, unless a column is
        called so itself. The columns of an array, and of a text table without a header, are
        called "column 1", "column 2", …
    keep : list of str, optional
        For tables: columns to read although they would be left out by default.
    exclude : list of str, optional
        For tables: columns to leave out.
    time : str, optional
        For tables: the column of time stamps, numbers or ISO dates, which must increase inside
        each group. By default a column called time, timestamp, datetime, date or t (in capitals
        or not) is taken if it increases; if it does not, t is read as a channel and the others
        are left out, with a warning. Naming such a column in `columns` makes it a channel.
    group : str, optional
        For tables: the column with the ids of the sequences, text or numbers.
    missing : list of str or float, optional
        For tables: cells that stand for a missing value, beside the usual ones. Texts are compared
        as texts, in capitals or not, numbers as numbers: "-999" is -999.0, too. A text such as
        "?,-999" holds both.
    jumps : {"gaps", "ignore"}, optional
        For tables and videos: what to do where time stamps jump. "gaps", the default, puts in
        rows of NaN for the missing ones, or begins a new sequence after more than 100 of them;
        "ignore" keeps the rows as they are, for example for working days.
    header : bool, optional
        For text tables: whether the first row holds the names. By default it does if any of its
        cells is neither a number nor a date nor empty.
    delimiter : str, optional
        For text tables: the character between cells. By default a tab, a semicolon or a comma,
        whichever cuts all rows into equally many cells. With a semicolon, numbers may have a
        decimal comma.
    key : str, optional
        For .npz: the name of the array. Not needed where there is one only.
    rate : float, optional
        For sound: resample to that many samples per second. The file's own by default.
    spectrum : {"complex", "log-magnitude"}, optional
        For sound: see `short_time_spectra`; "complex" by default.
    frame, hop : int, optional
        For sound: see `short_time_spectra`; 512 and 256 samples by default.
    height, width : int, optional
        For video: scale the pictures to that size. With one of them the other follows in
        proportion; with none the pictures are made small enough to have at most 1024 pixels.
    window : (int, int, int, int), optional
        For video: (top, left, height, width) of the part to keep, in pixels after scaling.
    progress : callable, optional
        Called now and then with the share that is done, from 0 to 1; 1 at the end.

    Returns
    -------
    Recording
        The series, with what is known about its rows and columns. `notes` says what was decided
        on the way, `left_out` which columns of numbers were left out.

    Raises
    ------
    DataFileError
        When the file cannot be read, or an option does not fit it. Nothing in a file is ever
        run: pickled objects are refused.
    MissingLibraryError
        When a library for this kind of file is not installed.

    Warns
    -----
    SkippedColumnsWarning
        For columns of a table that hold no numbers.
    UnevenSamplingWarning
        When time stamps are not evenly spaced.

    Notes
    -----
    Of tables, columns that are no data are left out unless `columns` or `keep` names them, each
    with a note: what counts rows or time in constant steps (an index, a timer); what follows from
    the time stamps (year, month, weekday, hour) or turns like a clock; what has each of its values
    in one stretch of rows only, or is constant in each group (trial numbers, ids); and what has so
    many empty cells that more numbers stand in complete rows without it. Where a table would be
    empty without its only such column, that one is read.

    Empty cells and those that hold NA, N/A, #N/A, #NA, <NA>, NaN, NaT, null, none, -, ? or a single
    point (in capitals or not) are NaN; so are odd cells of a column where most are numbers, with a
    note that counts them. A row of units below the names, and comments, are recognised.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from predfeat.datasets import read
    >>> file = Path(tempfile.mkdtemp()) / "weather.csv"
    >>> _ = file.write_text("time,wind,rain\n0,1.5,0\n1,2.5,1\n3,2.0,0\n4,1.0,0\n5,1.0,2\n")
    >>> recording = read(file)
    >>> recording.values
    array([[1.5, 0. ],
           [2.5, 1. ],
           [nan, nan],
           [2. , 0. ],
           [1. , 0. ],
           [1. , 2. ]])
    >>> recording.names
    ('wind', 'rain')
    >>> recording.notes[0]
    "Column 'time' was taken as time stamps."
    """
    given = {
        "columns": columns, "keep": keep, "exclude": exclude, "time": time, "group": group,
        "missing": missing, "jumps": jumps, "header": header, "delimiter": delimiter, "key": key,
        "rate": rate, "spectrum": spectrum, "frame": frame, "hop": hop, "height": height,
        "width": width, "window": window,
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None}
    file = None if str(path) == "-" else Path(path)
    suffix = ".csv" if file is None else _known_suffix(file)
    reader, known = _READERS[suffix]
    _check_options(options, known, "standard input" if file is None else f"a {suffix} file")
    if file is not None:
        check_file(file)
    if suffix in (".tsv", ".tsv.gz"):
        options.setdefault("delimiter", "\t")
    return reader(file, progress=progress, **options)


def reading_options(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the options of `read` that a kind of file knows.

    Parameters
    ----------
    path : str or path
        The file, which need not exist; "-" is standard input.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from predfeat.datasets import reading_options
    >>> reading_options("series.npz")
    ('columns', 'key')
    """
    return _READERS[".csv" if str(path) == "-" else _known_suffix(Path(path))][1]


def _known_suffix(path: Path) -> str:
    name = path.name.lower()
    for suffix in sorted(_READERS, key=len, reverse=True):
        if name.endswith(suffix):
            return suffix
    if path.is_dir():
        raise DataFileError(f"{path} is a folder. Give one file.")
    given = f"{path.suffix!r}" if path.suffix else "no suffix"
    raise DataFileError(
        f"{path.name} has {given}, which does not tell how to read it. Known are "
        f"{', '.join(SUFFIXES)}, and - for a text table from standard input."
    )


def _check_options(options: dict[str, Any], known: tuple[str, ...], kind: str) -> None:
    for name, value in options.items():
        if name not in known:
            raise DataFileError(
                f"{name}={value!r} means nothing for {kind}, which knows "
                f"{', '.join(f'`{option}`' for option in known)}."
            )
    if options.get("jumps", "gaps") not in ("gaps", "ignore"):
        raise DataFileError(f"jumps={options['jumps']!r} is unknown: give 'gaps' or 'ignore'.")
    delimiter = options.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise DataFileError(
            f"delimiter={delimiter!r} is not possible: give one character, such as ';'."
        )
