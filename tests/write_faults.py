"""Every step of writing a file, counted, and made to fail one after the other."""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path

# Which steps a fault of the disk meets once it is there: a full disk lets files be removed.
LASTING = {
    errno.ENOSPC: {"open", "write", "flush", "link", "mkdir"},
    errno.EROFS: {"open", "write", "flush", "chmod", "link", "replace", "mkdir", "unlink"},
    errno.EIO: {"open", "write", "flush", "chmod", "link", "replace", "mkdir", "unlink"},
    errno.EACCES: {"open", "chmod", "link", "replace", "mkdir", "unlink"},
}


class Disk:
    """Stands between a folder and the system, and lets the n-th step of writing fail.

    Attributes
    ----------
    steps : list of str
        What was asked of the system so far.
    written : dict of set of bytes
        Every content that a name was given.
    """

    def __init__(self, monkeypatch, folder: Path):
        self.folder = os.path.realpath(folder)
        self.steps: list[str] = []
        self.written: dict[str, set[bytes]] = {}
        self.failed: list[str] = []
        self._fails: tuple[int, int, bool] | None = None
        names = ("open", "fdopen", "chmod", "fsync", "link", "replace", "mkdir", "unlink")
        system = {name: getattr(os, name) for name in names}
        self._system = system
        monkeypatch.setattr(os, "open", self._open)
        monkeypatch.setattr(os, "fdopen", self._fdopen)
        monkeypatch.setattr(os, "fsync", self._fsync)
        for name, place in (("chmod", 0), ("mkdir", 0), ("unlink", 0), ("link", 1), ("replace", 1)):
            monkeypatch.setattr(os, name, self._watched(name, system[name], place))

    def let_fail(self, number: int, code: int, *, lasting: bool) -> None:
        """Let a step fail with an error code, and all later ones that such a fault would meet."""
        self.steps, self.failed, self._fails = [], [], (number, code, lasting)

    def heal(self) -> None:
        """Let everything work again, and count from the beginning."""
        self.steps, self.failed, self._fails = [], [], None

    def step(self, name: str, path: object) -> None:
        """Count a step, and raise if it is to fail."""
        self.steps.append(name)
        if self._fails is None:
            return
        number, code, lasting = self._fails
        at = len(self.steps) - 1
        if at == number or (lasting and at > number and name in LASTING[code]):
            self.failed.append(name)
            raise OSError(code, os.strerror(code), *([] if path is None else [str(path)]))

    def _is_inside(self, path: object) -> bool:
        if isinstance(path, int):
            return False
        full = os.path.realpath(os.fsdecode(path))
        return full == self.folder or full.startswith(self.folder + os.sep)

    def _open(self, path, flags, *rest, **options):
        if flags & (os.O_WRONLY | os.O_RDWR) and self._is_inside(path):
            self.step("open", path)
        return self._system["open"](path, flags, *rest, **options)

    def _fdopen(self, descriptor, mode="r", *rest, **options):
        if mode == "wb":
            return io.BufferedWriter(_Watched(descriptor, self))
        return self._system["fdopen"](descriptor, mode, *rest, **options)

    def _fsync(self, descriptor):
        self.step("flush", None)
        return self._system["fsync"](descriptor)

    def _watched(self, name: str, original: Callable, place: int) -> Callable:
        def step(*given, **options):
            if self._is_inside(given[place]):
                self.step(name, given[0])
                if name in ("link", "replace"):
                    contents = self.written.setdefault(os.path.basename(given[1]), set())
                    contents.add(Path(given[0]).read_bytes())
            return original(*given, **options)

        return step


class _Watched(io.FileIO):
    """A file whose writing can fail as on a full disk: half of the bytes are written."""

    def __init__(self, descriptor: int, disk: Disk):
        super().__init__(descriptor, "wb")
        self._disk = disk

    def write(self, content) -> int:
        try:
            self._disk.step("write", None)
        except OSError:
            view = memoryview(content).cast("B")
            super().write(view[: len(view) // 2])
            raise
        return super().write(content)
