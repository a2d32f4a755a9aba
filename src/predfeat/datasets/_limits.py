"""Upper limits on what a file may state, beyond those of memory.

Anything that takes memory is compared with the free memory (`check_fits`). Here are the other
sizes: those that would waste time, and those that no valid file reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

from predfeat.exceptions import DataFileError

__all__ = [
    "COLUMNS",
    "COMMENT_LINES",
    "DIRECTORY_BYTES",
    "FILES",
    "LIMITS",
    "LINE_CHARACTERS",
    "NESTING",
    "PICTURE_SIDE",
    "SAMPLES_PER_SECOND",
    "SHEET_ROWS",
    "Limit",
]


@dataclass(frozen=True)
class Limit:
    """The most that a file may state of something.

    Attributes
    ----------
    what : str
        In the plural, with its unit.
    at_most : int
    reason : str
        Why there is a limit, and why it is not lower.
    advice : str
        What to do with a file beyond it.

    Examples
    --------
    >>> from predfeat.datasets._limits import COLUMNS
    >>> COLUMNS.check(100_000, "wide.csv")
    >>> COLUMNS.check(2_000_000, "wide.csv")
    Traceback (most recent call last):
        ...
    predfeat.exceptions.DataFileError: wide.csv has 2000000 columns; at most 1000000 are read. ...
    """

    what: str
    at_most: int
    reason: str
    advice: str

    def check(self, stated: int, source: str) -> None:
        """Refuse a file that states more."""
        if stated > self.at_most:
            raise self.error(source, str(stated))

    def error(self, source: str, stated: str) -> DataFileError:
        """Return the refusal, with what the file states in words."""
        return DataFileError(
            f"{source} has {stated} {self.what}; at most {self.at_most} are read. {self.advice}"
        )


COLUMNS = Limit(
    "columns",
    10**6,
    "each has a name and a judgement of its own; every method needs a matrix of columns × columns",
    "Save fewer, or the transpose if time runs along the columns.",
)
LINE_CHARACTERS = Limit(
    "characters in a line",
    2**25,
    "a million numbers with all their digits; what has no line ends is no table",
    "It is not a text table, or all in one line.",
)
COMMENT_LINES = Limit(
    "lines of comments above its first row",
    100_000,
    "they are kept until the first row is found, as the last may hold the names",
    "Remove them, or save the rows alone.",
)
NESTING = Limit(
    "levels of JSON inside each other",
    100,
    "each level is a part of a column's name",
    "Save the table alone, without nesting.",
)
DIRECTORY_BYTES = Limit(
    "bytes in the directory of its archive",
    2**24,
    "more than 100 000 files with names of usual length; it is held in memory as a whole",
    "Unpack it, and give the files to read.",
)
SHEET_ROWS = Limit(
    "rows in a sheet",
    2**20,
    "as many as a sheet has in Excel",
    "Save the sheet as .csv.",
)
SAMPLES_PER_SECOND = Limit(
    "samples of sound per second",
    10**7,
    "no sound is sampled faster; beyond it a header is damaged",
    "Rewrite the file with its true rate.",
)
PICTURE_SIDE = Limit(
    "pixels along a side of its pictures",
    2**14,
    "twice the pictures of 8K; beyond it a header is damaged",
    "Scale it down with another program, or give height and width.",
)
FILES = Limit(
    "files",
    100_000,
    "each is a sequence of its own; a pattern that fits more fits more than was meant",
    "Join some of them, or give a narrower pattern.",
)

LIMITS = (
    COLUMNS, LINE_CHARACTERS, COMMENT_LINES, NESTING, DIRECTORY_BYTES, SHEET_ROWS,
    SAMPLES_PER_SECOND, PICTURE_SIDE, FILES,
)  # fmt: skip
