"""In the child: notice what is executed and written, and how much memory is taken."""

import contextlib
import os
import sys
from pathlib import Path

from fuzzing.cases import MARKER

EXECUTING = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork",
             "os.startfile", "pty.", "socket.connect", "socket.bind",
             "webbrowser.")  # fmt: skip
# Where a pickle finds what it needs to do harm; numba's own cache holds pickles of other things.
HARMFUL_MODULES = {"os", "posix", "nt", "subprocess", "shutil", "pty", "socket", "runpy"}
CHANGING = {"os.mkdir": 0, "os.remove": 0, "os.rmdir": 0, "os.rename": 1, "os.link": 1,
            "os.symlink": 1, "os.truncate": 0, "os.chmod": 0, "shutil.rmtree": 0}  # fmt: skip
# Compiled code, which numba keeps beside its source, and devices.
HARMLESS = ("__pycache__", ".nbi", ".nbc", "/dev/null", "/dev/full", "/proc/self/")


class Forbidden(BaseException):
    """Raised where something is executed or written; no `except Exception` keeps it back."""


class Watch:
    """An audit hook that is armed while a case runs."""

    def __init__(self, place: Path):
        self.place = os.path.realpath(place)
        self.seen: list[str] = []
        self._armed = False
        sys.addaudithook(self._hear)

    def __enter__(self) -> "Watch":
        self.seen = []
        self._armed = True
        return self

    def __exit__(self, *_: object) -> None:
        self._armed = False

    def _hear(self, event: str, given: tuple) -> None:
        if not self._armed:
            return
        self._armed = False  # what is asked below makes events of its own
        try:
            if self._is_forbidden(event, given):
                self.seen.append(f"{event} {given!r:.200}")
                raise Forbidden(self.seen[-1])
        finally:
            self._armed = True

    def _is_forbidden(self, event: str, given: tuple) -> bool:
        if event.startswith(EXECUTING):
            return True
        if event == "pickle.find_class":
            return str(given[0]).split(".")[0] in HARMFUL_MODULES
        if event == "open":
            path, mode, flags = given
            writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
            changes = bool(set(mode) & set("wax+")) if mode else bool((flags or 0) & writes)
            return changes and self._is_elsewhere(path)
        if event in CHANGING:
            return self._is_elsewhere(given[CHANGING[event]])
        return False

    def _is_elsewhere(self, path: object) -> bool:
        if isinstance(path, int):
            return False  # a descriptor: its opening was seen
        full = os.path.realpath(os.fsdecode(path))
        if os.path.basename(full) == MARKER:
            return True
        inside = full == self.place or full.startswith(self.place + os.sep)
        return not inside and not any(part in full for part in HARMLESS)


def forget_peak() -> None:
    """Let the peak begin anew, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """Return the most memory that was resident since, in bytes; 0 where the system is silent."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
