"""Standard output and error that survive a full disk, a closed pipe or a small character set.

A command writes its files before it prints, and a failed message is no reason to stop. So a stream
that fails is not written to again, and the failure is reported at the end.
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

# The command's own symbols, for character sets that lack some of them.
_IN_ASCII = {"…": "...", "±": "+-", "×": "x", "–": "-", "−": "-", "→": "->", "≈": "~", "≥": ">="}
_READABLE = "predfeat-readable"


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Return what to write for characters that a stream's character set lacks.

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
    """A stream that never raises: it keeps the first failure, and writes nothing after it."""

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
        """Write a text, or keep the reason why it cannot be written."""
        self.attempt(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream, or keep the reason why it cannot be flushed."""
        self.attempt(self._stream.flush)

    def attempt(self, action: Any, *arguments: Any) -> None:
        """Call a writing function, unless an earlier call has failed."""
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
        """Redirect the stream to the null device, or Python would fail to flush it at exit."""
        try:
            number = self._stream.fileno()
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
        except OSError:  # a stream without a file waits for nothing
            pass


class _LastingBytes:
    """The binary side of a lasting stream; both share the failure."""

    def __init__(self, text: _Lasting) -> None:
        self._text = text

    def write(self, content: bytes) -> int:
        """Write bytes after the text written so far, or note why they cannot be."""
        self._text.flush()
        self._text.attempt(self._text._stream.buffer.write, content)
        return len(content)


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Keep failures of standard output and error from stopping the work inside.

    A command that would have succeeded exits with 141 and no message if the reader of its output
    has gone (`predfeat … | head -1`), and with 2 and a message on standard error if its output
    could not be written for another reason.
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
    """Keep files opened later from getting the descriptor of a closed standard stream.

    Otherwise a library that writes to standard output or error would write into them.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
