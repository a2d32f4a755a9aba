"""Ctrl-C, SIGTERM and a closed terminal end the command: exit code 130, within two seconds.

Usually a KeyboardInterrupt in the main thread unwinds and closes everything. It is raised only when
the main thread returns from compiled code, and may get lost, for instance in a destructor. So a
second thread receives the signal at once, and ends the process if the main thread has not. In both
cases the interpreter is not finalised: threads that are still running would crash in it.

Only the command does this; programs that import predfeat keep their handlers. This module is loaded
before all others, and imports nothing slow.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import sleep
from types import FrameType
from typing import Any, NoReturn

__all__ = ["INTERRUPTED", "interruptible", "was_interrupted"]

INTERRUPTED = 130  # the exit code of shells and of typer after Ctrl-C
_MESSAGE = "predfeat: interrupted: no file was left half written."
_CLEANUP_SECONDS = 1.0  # for the usual way; a busy machine may take as long again
_FLUSH_SECONDS = 0.2  # for standard output, which may be a pipe that nobody reads

_watch: _Watch | None = None


def was_interrupted() -> bool:
    """Tell whether a signal was received: an error may then be a consequence of it."""
    return _watch is not None and _watch.is_signalled


@contextmanager
def interruptible(*, is_all: bool = False) -> Iterator[None]:
    """Run the command in a block that signals end with one line and exit code 130.

    If the command `is_all` that the process is for, it ends here, whole or interrupted: signals
    could also come while the interpreter closes.
    """
    global _watch
    watch = _watch = _Watch()
    code: Any = 0
    try:
        watch.begin()
        yield
    except BaseException as error:
        if watch.is_signalled:
            watch.leave()
        if isinstance(error, KeyboardInterrupt) or getattr(error, "code", 0) == INTERRUPTED:
            watch.tell()  # interrupted without a signal, for instance by a calling program
            error = SystemExit(INTERRUPTED)
        if not (is_all and isinstance(error, SystemExit)):
            raise error from None
        code = error.code
    finally:
        if not is_all:
            watch.end()
            _watch = None
    if watch.is_signalled:
        watch.leave()
    if is_all:
        watch.finish(code)


class _Watch:
    """The signal handlers of one run, and how the process exits."""

    def __init__(self) -> None:
        self.is_signalled = False
        self._is_told = False
        self._is_raised = False
        self._leaving = threading.Lock()
        self._undo: list[Callable[[], Any]] = []
        self._signals: list[int] = []

    def begin(self) -> None:
        """Install the handlers; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            return
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # A process started to ignore it (nohup, a shell's background) keeps ignoring it.
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:
                before = signal.signal(number, self._interrupt)
                self._undo.append(partial(_restore, number, before))
                self._signals.append(number)
        self._keep_quiet()
        if os.name == "posix":
            self._start_thread()

    def end(self) -> None:
        """Restore the previous handlers."""
        while self._undo:
            self._undo.pop()()

    def _start_thread(self) -> None:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        self._undo.append(lambda: os.close(writing))
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self._undo.append(lambda: signal.set_wakeup_fd(before))
        threading.Thread(target=self._wait, args=(reading,), daemon=True).start()

    def _keep_quiet(self) -> None:
        """Let an interrupted run print only one line, whatever fails while it exits."""
        unraisable, in_thread = sys.unraisablehook, threading.excepthook

        def unless_signalled(hook: Callable[[Any], Any]) -> Callable[[Any], None]:
            return lambda what: None if self.is_signalled else hook(what)

        sys.unraisablehook = unless_signalled(unraisable)
        threading.excepthook = unless_signalled(in_thread)
        self._undo.append(lambda: setattr(sys, "unraisablehook", unraisable))
        self._undo.append(lambda: setattr(threading, "excepthook", in_thread))
        # joblib's resource tracker, a separate process, cleans up after us, and would warn.
        known = os.environ.get("PYTHONWARNINGS")
        quiet = "ignore:resource_tracker"
        os.environ["PYTHONWARNINGS"] = f"{known},{quiet}" if known else quiet
        self._undo.append(lambda: _set_variable("PYTHONWARNINGS", known))

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._leaving.locked():
            return
        if self._is_raised:  # the second signal; the other thread may know of the first by now
            self._leave_at_once()
        self.is_signalled = self._is_raised = True
        raise KeyboardInterrupt

    def _wait(self, reading: int) -> None:
        """Wait for a signal in a thread of its own, then for the process to end."""
        while received := os.read(reading, 64):
            if set(received) & set(self._signals):
                self.is_signalled = True
                sleep(_CLEANUP_SECONDS)
                self._leave_at_once()
        os.close(reading)

    def tell(self) -> None:
        """Print the message, once."""
        if not self._is_told:
            self._is_told = True
            with suppress(Exception):
                print(_MESSAGE, file=sys.stderr, flush=True)

    def leave(self) -> NoReturn:
        """Exit after everything was closed, without waiting for threads."""
        for number in self._signals:
            signal.signal(number, signal.SIG_IGN)
        self.tell()
        _remove_unfinished()
        _end_processes()  # what is left of them would be waited for
        with suppress(BaseException):
            sys.stdout.flush()
        with suppress(BaseException):
            atexit._run_exitfuncs()  # joblib's processes and folders, among others
        os._exit(INTERRUPTED)

    def finish(self, code: Any) -> NoReturn:
        """End the process as the interpreter would, with the code of a `SystemExit`."""
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:  # closed before the start
                    stream.flush()  # what fails here is the interpreter's to tell
            if code is None or isinstance(code, int):
                # In the interpreter's order: idle worker processes are sent home by the first.
                threading._shutdown()  # type: ignore[attr-defined]
                atexit._run_exitfuncs()
                if self.is_signalled:  # a function called at exit loses the interrupt
                    self.leave()
                os._exit(code or 0)
        except KeyboardInterrupt:
            self.leave()
        sys.exit(code)

    def _leave_at_once(self) -> NoReturn:
        """Exit wherever the main thread is; only unfinished files are removed."""
        if not self._leaving.acquire(blocking=False):
            sleep(_FLUSH_SECONDS)  # the other thread is exiting
            os._exit(INTERRUPTED)
        _end_processes()
        _remove_unfinished()
        with suppress(BaseException):
            # Not through Python's streams: the main thread may be using them.
            if os.isatty(2):
                os.write(2, b"\r\x1b[K\x1b[?25h")  # where a bar may be, and has hidden the cursor
            if not self._is_told:
                os.write(2, f"{_MESSAGE}\n".encode())
        with suppress(BaseException):
            flushing = threading.Thread(target=sys.stdout.flush, daemon=True)
            flushing.start()
            flushing.join(_FLUSH_SECONDS)
        os._exit(INTERRUPTED)


def _remove_unfinished() -> None:
    # Who has not loaded it has written nothing; loading it now could wait for the main thread.
    files = sys.modules.get("predfeat._files")
    with suppress(BaseException):
        files.remove_unfinished()  # type: ignore[union-attr]


def _end_processes() -> None:
    started = sys.modules.get("multiprocessing.process")
    for child in list(getattr(started, "_children", ())):
        with suppress(BaseException):
            child.kill()


def _restore(number: int, handler: Any) -> None:
    # None is a handler that Python has not installed, and cannot.
    signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _set_variable(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
