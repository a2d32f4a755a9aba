"""Uncompress and decode the bytes of a text table as they are read, and refuse endless lines."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from predfeat.datasets._compressed import STREAM_ERRORS, uncompressed
from predfeat.datasets._limits import COLUMNS, LINE_CHARACTERS
from predfeat.datasets._opening import check_fits
from predfeat.exceptions import DataFileError

__all__ = ["LimitedLines", "decoded", "is_cut", "sampled", "unreadable"]

_DELIMITERS = (",", ";", "\t")
_CHARACTERS_AT_ONCE = 2**18
_SAMPLE_LINES = 50
_SAMPLE_CHARACTERS = 2**22  # so that a sample of a wide table takes only its first rows
_UNCHECKED = 2**22  # characters of rows at once; rows are usually far smaller
_BYTES_PER_CHARACTER = 30  # in memory: a cell of one character takes about sixty


def unreadable(source: str, error: Exception) -> DataFileError:
    """Return the error for a stream that ends or breaks before its end."""
    return DataFileError(
        f"{source} cannot be read to its end: it is damaged, cut short or of another kind "
        f"({error})."
    )


def decoded(raw: Any, source: str) -> io.TextIOWrapper:
    """Uncompress and decode a stream of bytes as it is read."""
    try:
        binary: Any = uncompressed(io.BufferedReader(_Borrowed(raw)), source)
        start = binary.peek(2)[:2]
    except STREAM_ERRORS as error:
        raise unreadable(source, error) from error
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return io.TextIOWrapper(binary, encoding="utf-16", newline="")
    # Bytes that are not UTF-8 are read as Latin-1 one by one, so that a name reads the same
    # wherever it stands in the file.
    codecs.register_error("predfeat-latin-1", _as_latin_1)
    return io.TextIOWrapper(binary, encoding="utf-8-sig", errors="predfeat-latin-1", newline="")


class LimitedLines:
    """The lines of a text; a line too long to belong to a table is refused.

    Parameters
    ----------
    text : text stream
    source : str
    advice : str
        What makes the table smaller.
    """

    def __init__(self, text: io.TextIOWrapper, source: str, advice: str) -> None:
        self._text, self._source, self._advice = text, source, advice
        self._n_pending = 0
        self._checked = _UNCHECKED

    def __iter__(self) -> Iterator[str]:
        rest = ""
        while True:
            try:
                # As much again as we have of the line, so that long lines are joined less often.
                more = self._text.read(max(_CHARACTERS_AT_ONCE, len(rest)))
            except STREAM_ERRORS as error:
                raise unreadable(self._source, error) from error
            if not more:
                break
            self._n_pending += len(more)
            if self._n_pending > self._checked:
                self._check()
            lines = io.StringIO(rest + more, newline="").readlines()
            # The last line may go on, and so may its end, which can have two characters.
            if len(rest) + len(more) > COLUMNS.at_most:
                for line in lines:
                    _refuse_too_long(line, self._source)
            rest = lines.pop()
            yield from lines
        yield from io.StringIO(rest, newline="").readlines()

    def taken(self) -> None:
        """Report that the lines so far were cut into rows and that these rows are done with.

        A row may span any number of lines, so only finished rows free the memory they take.
        """
        self._n_pending = 0
        self._checked = _UNCHECKED

    def _check(self) -> None:
        check_fits(self._source, _BYTES_PER_CHARACTER * self._n_pending, self._advice)
        self._checked += _UNCHECKED


def sampled(lines: Iterable[str]) -> list[str]:
    """Take enough lines to show how a table is cut into cells: at least two, however wide."""
    sample: list[str] = []
    n_characters = 0
    for line in islice(lines, _SAMPLE_LINES):
        sample.append(line)
        n_characters += len(line)
        if n_characters >= _SAMPLE_CHARACTERS and len(sample) > 1:
            break
    return sample


def is_cut(sample: list[str]) -> bool:
    """Tell whether more lines may follow a sample, and its last row may go on in them."""
    return len(sample) >= _SAMPLE_LINES or sum(map(len, sample)) >= _SAMPLE_CHARACTERS


def _refuse_too_long(line: str, source: str) -> None:
    """Count the cells of a long line before cutting it."""
    if len(line) <= COLUMNS.at_most:
        return
    if len(line) > LINE_CHARACTERS.at_most:
        raise LINE_CHARACTERS.error(source, f"more than {LINE_CHARACTERS.at_most}")
    COLUMNS.check(max(line.count(mark) for mark in _DELIMITERS) + 1, source)
    characters = np.frombuffer(line.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    blank = characters <= ord(" ")
    COLUMNS.check(int(np.count_nonzero(blank[:-1] & ~blank[1:])) + 1, source)


class _Borrowed(io.RawIOBase):
    """A stream, such as standard input, that stays open when its readers are closed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._stream.readinto(buffer))


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end
