"""The memory of a worker: a cgroup where one can be made, else a limit on its address space."""

import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class Cgroup:
    """A memory cgroup for one worker, inside that of this process; version 1 or 2."""

    def __init__(self, name: str, n_bytes: int):
        self.folder, self.version = _own_cgroup()
        self.folder = self.folder / name
        self.folder.mkdir()
        try:
            limit = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
            (self.folder / limit).write_text(str(n_bytes))
            _write_if_there(self.folder / "memory.swap.max", "0")
            _write_if_there(self.folder / "memory.memsw.limit_in_bytes", str(n_bytes))
        except OSError:
            self.folder.rmdir()
            raise

    def add(self, pid: int) -> None:
        """Put a process into it, and all that it will start."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def n_kills(self) -> int:
        """Return how often the kernel ended a process for want of memory."""
        counts = "memory.oom_control" if self.version == 1 else "memory.events"
        for line in (self.folder / counts).read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
        return 0

    def close(self) -> None:
        """Remove it; the kernel takes a moment to notice that its processes are gone."""
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.05)


def _own_cgroup() -> tuple[Path, int]:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return ROOT / "memory" / path.lstrip("/"), 1
    path = lines[0].split(":", 2)[2]
    return ROOT / path.lstrip("/"), 2


def _write_if_there(path: Path, text: str) -> None:
    if path.exists():
        path.write_text(text)


def make_cgroup(name: str, n_bytes: int) -> Cgroup | None:
    """Return a cgroup, or None where none can be made (no root, no Linux, no controller)."""
    try:
        cgroup = Cgroup(f"{name}-{os.getpid()}", n_bytes)
        cgroup.n_kills()
    except (OSError, ValueError, IndexError):
        return None
    return cgroup


def limit_addresses(n_bytes: int) -> None:
    """Allow this process so many bytes beyond what it has; numpy then raises MemoryError."""
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    has = 0
    try:
        has = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        has = 2**32  # what libraries reserve
    resource.setrlimit(resource.RLIMIT_AS, (has + n_bytes, resource.RLIM_INFINITY))
