"""The entrance for all files: `read` picks the reader by the file's suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from predfeat._progress import OnProgress
from predfeat.datasets._arrays import read_npy, read_npz
from predfeat.datasets._audio import read_audio
from predfeat.datasets._compressed import COMPRESSED
from predfeat.datasets._delimited import TEXT_SUFFIXES, read_delimited
from predfeat.datasets._edf import read_edf
from predfeat.datasets._elsewhere import way_to_csv
from predfeat.datasets._finding_files import Files, find_files
from predfeat.datasets._json import read_json, read_json_lines
from predfeat.datasets._many import read_many
from predfeat.datasets._matlab import read_mat
from predfeat.datasets._netcdf import read_netcdf
from predfeat.datasets._opening import Progress, check_file, memory_errors_explained
from predfeat.datasets._parquet import read_feather, read_parquet
from predfeat.datasets._recording import Recording
from predfeat.datasets._sheets import read_sheet
from predfeat.datasets._table_options import TABLE_OPTIONS, TableOptions
from predfeat.datasets._video import read_video
from predfeat.exceptions import DataFileError

__all__ = ["SUFFIXES", "files_to_read", "read", "reading_options"]

_TEXT_OPTIONS = (*TABLE_OPTIONS, "header", "delimiter")
_AUDIO_OPTIONS = ("rate", "spectrum", "frame", "hop")
_VIDEO_OPTIONS = ("height", "width", "window", "jumps")

_READERS: dict[str, tuple[Callable[..., Recording], tuple[str, ...]]] = {
    ".npy": (read_npy, ("columns",)),
    ".npz": (read_npz, ("columns", "key")),
    **{
        text + compressed: (read_delimited, _TEXT_OPTIONS)
        for text in TEXT_SUFFIXES
        for compressed in ("", *COMPRESSED)
    },
    ".zip": (read_delimited, _TEXT_OPTIONS),
    ".parquet": (read_parquet, TABLE_OPTIONS),
    ".feather": (read_feather, TABLE_OPTIONS),
    ".arrow": (read_feather, TABLE_OPTIONS),
    ".xlsx": (read_sheet, (*TABLE_OPTIONS, "header", "sheet")),
    **{
        json + compressed: (reader, (*TABLE_OPTIONS, *more))
        for json, reader, more in (
            (".json", read_json, ("key",)),
            (".jsonl", read_json_lines, ()),
            (".ndjson", read_json_lines, ()),
        )
        for compressed in ("", *COMPRESSED)
    },
    ".mat": (read_mat, (*TABLE_OPTIONS, "key")),
    **dict.fromkeys((".edf", ".bdf"), (read_edf, ("columns",))),
    **dict.fromkeys((".nc", ".cdf", ".nc4"), (read_netcdf, (*TABLE_OPTIONS, "key"))),
    **dict.fromkeys((".wav", ".flac", ".ogg", ".mp3"), (read_audio, _AUDIO_OPTIONS)),
    **dict.fromkeys((".mp4", ".avi", ".mkv", ".gif"), (read_video, _VIDEO_OPTIONS)),
}

SUFFIXES = tuple(_READERS)


def read(
    path: Files,
    *,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    time: str | None = None,
    group: str | None = None,
    annotations: Mapping[str, str | Sequence[str]] | None = None,
    missing: str | float | Sequence[str | float] | None = None,
    jumps: str | None = None,
    day_first: bool | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    key: str | None = None,
    rate: float | None = None,
    spectrum: str | None = None,
    frame: int | None = None,
    hop: int | None = None,
    height: int | None = None,
    width: int | None = None,
    window: Sequence[int] | None = None,
    on_progress: OnProgress | None = None,
) -> Recording:
    r"""Read a time series from a file, or from many.

    The suffix decides how: .npy, .npz; text tables .csv, .tsv, .tab, .txt, .dat (also .gz, .bz2,
    .xz, .zst, or one in a .zip); .xlsx; .parquet, .feather; .json, .jsonl; .mat; .edf, .bdf; .nc;
    .wav, .flac, .ogg, .mp3; .mp4, .avi, .mkv, .gif. An option that does not apply to this kind of
    file is an error.

    Parameters
    ----------
    path : str or path, or a list of them
        The file; "-" reads a text table from standard input. Several files, a folder, or a
        pattern such as ``data/*.csv`` give one sequence per file, whose id in `groups` is the
        file's name; all files must have the same columns. From a folder, the files of the most
        common kind are read.
    columns : list of str, optional
        For arrays, tables and .edf: the columns to read, in this order; by default all columns of
        numbers that are data (see Notes). A string such as "a,b" names both, unless a column has
        that very name. The columns of an array, and of a text table without a header, are
        called "column 1", "column 2", …
    keep : list of str, optional
        For tables: columns to read even if they would be left out by default.
    exclude : list of str, optional
        For tables: columns to leave out.
    time : str, optional
        For tables: the column of time stamps: dates in any usual form, numbers, or Unix time. By
        default a column called time, timestamp, datetime, date, epoch or t (in any case, with or
        without a unit as in "time (s)"), else the first column of dates. Rows are put in
        chronological order within each group: newest-first files are reversed, others sorted.
        Naming such a column in `columns` makes it a channel.
    group : str, optional
        For tables: the column with the ids of the sequences, text or numbers. Where groups are
        interleaved in the file, the rows of each are collected.
    annotations : dict of str to str, optional
        For tables: columns that are no channels but say something about each row, such as
        {"label": "mode", "action": ["left", "right"]}. `Recording.annotations` holds them by these
        names. Cells may be missing; one column may hold text, several must hold numbers. With
        columns=[], nothing else is read.
    missing : list of str or float, optional
        For tables: cells that mean a missing value, in addition to the usual ones. Text is compared
        ignoring case, numbers by value: "-999" matches -999.0, too. A string such as "?,-999"
        names both.
    jumps : {"gaps", "ignore"}, optional
        For tables and videos: what to do where time stamps jump. "gaps" inserts
        rows of NaN for the missing ones, or starts a new sequence if more than 100 are missing;
        "ignore" keeps the rows as they are. By default, where the dates are working days, weekends
        and up to a week of missing working days make no gap.
    day_first : bool, optional
        For tables: whether 1/2/2012 is the first of February (True) or the second of January
        (False). By default the whole column decides; if it cannot, that is an error.
    header : bool, optional
        For text tables: whether the first row holds the names. By default, it does if any of its
        cells is neither a number nor a date nor empty.
    delimiter : str, optional
        For text tables: the character between cells. By default a tab, a semicolon or a comma,
        whichever splits all rows into the same number of cells. With a semicolon, numbers may have
        a decimal comma.
    sheet : str, optional
        For .xlsx: the name of the sheet. By default the first.
    key : str, optional
        For .npz, .mat, .nc and .json: the name of the array, variable or table. Not needed if
        there is only one.
    rate : float, optional
        For sound: resample to that many samples per second. By default the file's own rate.
    spectrum : {"complex", "log-magnitude"}, optional
        For sound: see `short_time_spectra`; "complex" by default.
    frame, hop : int, optional
        For sound: see `short_time_spectra`; 512 and 256 samples by default.
    height, width : int, optional
        For video: scale the frames to this size. Given only one, the other keeps the
        proportions; given neither, frames are shrunk to at most 1024 pixels.
    window : (int, int, int, int), optional
        For video: (top, left, height, width) of the part to keep, in pixels after scaling.
    on_progress : callable, optional
        Called now and then as on_progress(done, total).

    Returns
    -------
    Recording
        The series, with what is known about its rows and columns. `notes` says what the reader
        decided, `left_out` which columns of numbers it left out.

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
    Columns of a table that are not data are left out, with a note, unless `columns` or `keep` names
    them: columns that count rows or time in constant steps (an index, a timer); that follow from
    the time stamps (year, month, weekday, hour) or cycle like a clock; that have each value in one
    stretch of rows only, or are constant in each group (trial numbers, ids); and that have so many
    empty cells that complete rows hold more numbers without them. If such a column is the only
    one in the table, it is read.

    Empty cells and those that hold NA, N/A, #N/A, #NA, <NA>, NaN, NaT, null, none, -, ? or a single
    dot (in any case) are NaN; so are non-numeric cells of a column that mostly holds numbers, with
    a note that counts them. A row of units below the names, and comments, are recognised.

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
        "annotations": annotations,
        "missing": missing, "jumps": jumps, "day_first": day_first, "header": header,
        "delimiter": delimiter, "sheet": sheet, "key": key, "rate": rate, "spectrum": spectrum,
        "frame": frame, "hop": hop, "height": height, "width": width, "window": window,
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None}
    progress = None if on_progress is None else lambda share: on_progress(share, 1.0)
    files, notes = find_files(path, SUFFIXES)
    if files is None:
        return _read_one(None, progress, options)
    if len(files) == 1:
        recording = _read_one(files[0], progress, options)
        return replace(recording, notes=(*notes, *recording.notes)) if notes else recording
    return read_many(
        files, lambda file, part: _read_one(file, part, dict(options)), notes, progress
    )


def _read_one(file: Path | None, progress: Progress | None, options: dict[str, Any]) -> Recording:
    suffix = ".csv" if file is None else _known_suffix(file)
    reader, known = _READERS[suffix]
    _check_options(options, known, "standard input" if file is None else f"a {suffix} file")
    if file is not None:
        check_file(file)
    if suffix.startswith((".tsv", ".tab")):
        options.setdefault("delimiter", "\t")
    source = "standard input" if file is None else file.name
    with memory_errors_explained(source, _advice(known)):
        if "time" not in known:
            return reader(file, progress=progress, **options)
        shared = TableOptions(**{n: v for n, v in options.items() if n in TABLE_OPTIONS})
        own = {n: v for n, v in options.items() if n not in TABLE_OPTIONS}
        return reader(file, shared, progress=progress, **own)


def _advice(known: tuple[str, ...]) -> str:
    """Return advice on reading less of a file with these options."""
    if "rate" in known:
        return "Use a lower rate, a larger hop or a shorter recording."
    if "height" in known:
        return "Scale it down with height and width, or cut out a window."
    less = "Choose fewer of its columns with `columns`"
    if "key" in known:
        less += ", or a smaller part of it with `key`"
    return f"{less}, or save fewer rows."


def files_to_read(path: Files) -> list[Path]:
    """Return the files that `read` would read.

    Parameters
    ----------
    path : str or path, or a list of them
        As `read` takes it. A file need not exist.

    Returns
    -------
    list of Path
        Empty for standard input.

    Examples
    --------
    >>> from predfeat.datasets import files_to_read
    >>> [file.name for file in files_to_read(["trial2.csv", "trial10.csv"])]
    ['trial2.csv', 'trial10.csv']
    """
    return find_files(path, SUFFIXES)[0] or []


def reading_options(path: Files) -> tuple[str, ...]:
    """Return the options of `read` that apply to a kind of file.

    Parameters
    ----------
    path : str or path, or a list of them
        As `read` takes it. A file need not exist. If there are several, the first counts.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from predfeat.datasets import reading_options
    >>> reading_options("series.npz")
    ('columns', 'key')
    """
    files = files_to_read(path)
    return _READERS[_known_suffix(files[0]) if files else ".csv"][1]


def _known_suffix(path: Path) -> str:
    name = path.name.lower()
    for suffix in sorted(_READERS, key=len, reverse=True):
        if name.endswith(suffix):
            return suffix
    given = f"ends in {path.suffix!r}" if path.suffix else "has no suffix"
    way = way_to_csv(path)
    if way:
        raise DataFileError(f"{path.name} {given}, which predfeat does not read.{way}")
    shown = [suffix for suffix in SUFFIXES if not suffix.endswith(COMPRESSED)]
    raise DataFileError(
        f"{path.name} {given}, which is not a known format. Known are "
        f"{', '.join(shown)}, text tables and JSON also with {', '.join(COMPRESSED)} appended, and "
        "- for a text table from standard input."
    )


def _check_options(options: dict[str, Any], known: tuple[str, ...], kind: str) -> None:
    for name, value in options.items():
        if name not in known:
            raise DataFileError(
                f"{name}={value!r} does not apply to {kind}; its options are "
                f"{', '.join(f'`{option}`' for option in known)}."
            )
    if options.get("jumps", "gaps") not in ("gaps", "ignore"):
        raise DataFileError(f"jumps={options['jumps']!r} is unknown: give 'gaps' or 'ignore'.")
    delimiter = options.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise DataFileError(
            f"delimiter={delimiter!r} is not possible: give one character, such as ';'."
        )
