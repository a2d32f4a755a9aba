"""Standard output and error that nothing can break: no disk, no reader, no character set.

What a command has worked out is in its files before it is printed, and a remark is no reason to
stop. So a stream that can no longer be written to takes no more, and is told of at the end.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["lasting_streams", "occupy_standard_files"]

_READER_LEFT = 141  # what a shell shows for a command that SIGPIPE ended: 128 + 13
_UNWRITABLE = 2

# The command's own signs, for character sets that have not all of them.
_IN_ASCII = {"…": "...", "±": "+-", "×": "x", "–": "-", "−": "-", "→": "->", "≈": "~", "≥": ">="}
_READABLE = "predfeat-readable"


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Return what to write for characters that a stream's character set has not.

    Examples
    --------
    >>> "2 ± 1 €".encode("ascii", errors="predfeat-readable")
    b'2 +- 1 \\u20ac'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    said = (_IN_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in missing)
    return "".join(said), error.end


codecs.register_error(_READABLE, _readable)


class _Lasting:
    """A stream whose writing never fails: the first failure is kept, and no more is written."""

    def __init__(self, stream: Any) -> None:
        self.failure: OSError | None = None
        self._closed = stream is None
        self._stream = io.TextIOWrapper(io.BytesIO(), "utf-8") if self._closed else stream
        if hasattr(self._stream, "reconfigure"):
            self._stream.reconfigure(errors=_READABLE)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> _LastingBytes:
        """The same stream, for bytes."""
        return _LastingBytes(self)

    def write(self, text: str) -> int:
        """Write a text, or note why it cannot be written."""
        self.attempt(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Write what waits to be written, or note why it cannot be."""
        self.attempt(self._stream.flush)

    def attempt(self, action: Any, *arguments: Any) -> None:
        """Write in some way, unless that has failed before."""
        if self.failure is not None:
            return
        try:
            if self._closed and arguments:
                raise OSError("it is closed")
            action(*arguments)
        except OSError as error:
            self.failure = error
            self._drop_what_waits()

    def _drop_what_waits(self) -> None:
        """Lead the stream to nowhere, or Python would complain of the rest when it ends."""
        try:
            number = self._stream.fileno()
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
        except OSError:  # a stream without a file waits for nothing
            pass


class _LastingBytes:
    """The bytes of a lasting stream; they share what went wrong."""

    def __init__(self, text: _Lasting) -> None:
        self._text = text

    def write(self, content: bytes) -> int:
        """Write bytes after the text written so far, or note why they cannot be."""
        self._text.flush()
        self._text.attempt(self._text._stream.buffer.write, content)
        return len(content)


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Let nothing that befalls standard output or error stop what is done inside.

    A command that would have ended well ends with 141 and without a word where the reader of its
    output has left (`predfeat … | head -1`), and with 2 and a word on standard error where its
    output could not be written for another reason.
    """
    before = sys.stdout, sys.stderr
    out, err = _Lasting(sys.stdout), _Lasting(sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        yield
    except SystemExit as ended:
        out.flush()
        if out.failure is None or ended.code:
            raise
        if isinstance(out.failure, BrokenPipeError):
            raise SystemExit(_READER_LEFT) from None
        why = out.failure.strerror or out.failure
        err.write(
            f"predfeat: standard output cannot be written: {why}. What was to be printed there is "
            "lost; files that were to be written are written.\n"
        )
        raise SystemExit(_UNWRITABLE) from None
    finally:
        err.flush()
        sys.stdout, sys.stderr = before


def occupy_standard_files() -> None:
    """Keep files that are opened later from getting the number of a closed standard stream.

    What a library then wrote to standard output or error would get into them.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
