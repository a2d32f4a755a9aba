"""How much memory is available to the machine, the container and the process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["available_memory", "in_words"]

_NO_LIMIT = 2**62  # version 1 of control groups shows a number just above this
_STATM_FIELDS = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}  # what each limit of a process counts


def available_memory(root: str | os.PathLike[str] = "/") -> int | None:
    """Return the bytes of memory now available to this process.

    It is the minimum of the machine's free memory, of what the process's control groups and their
    parents leave (containers are such groups), and of what its own limits leave (``ulimit -v``,
    ``ulimit -d``). File caches that can be dropped count as free.

    Parameters
    ----------
    root : path, default="/"
        The folder that holds ``proc`` and ``sys``.

    Returns
    -------
    int or None
        None if the system does not say.

    Examples
    --------
    >>> from predfeat._memory import available_memory, in_words
    >>> available = available_memory()
    >>> available is None or available >= 0
    True
    >>> in_words(2_500_000)
    '2.5 MB'
    """
    base = Path(root)
    found = [*_of_machine(base), *_of_groups(base), *_of_process(base)]
    return max(min(found), 0) if found else None


def in_words(n_bytes: int) -> str:
    """Return a number of bytes in readable form."""
    size = float(n_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def _of_machine(base: Path) -> Iterator[int]:
    for line in _lines(base / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024
            return
    try:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return


def _of_groups(base: Path) -> Iterator[int]:
    """Yield what each control group of the process leaves, in both versions of them."""
    mounted = base / "sys/fs/cgroup"
    for line in _lines(base / "proc/self/cgroup"):
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if number == "0":
            # If both versions are in use, the second has a folder of its own.
            for top in (mounted, mounted / "unified"):
                for folder in _upwards(top, path):
                    yield from _left_in_version_2(folder)
        elif "memory" in controllers.split(","):
            for folder in _upwards(mounted / "memory", path):
                yield from _left_in_version_1(folder)


def _upwards(top: Path, path: str) -> Iterator[Path]:
    """Yield a group's folder and those above it.

    In a container the path may be the host's, whose last group alone is visible, as `top` itself.
    Folders that do not exist have no files, and so no limits.
    """
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for n in range(len(parts), -1, -1):
        yield top.joinpath(*parts[:n])


def _left_in_version_2(folder: Path) -> Iterator[int]:
    limits = [_number(folder / name) for name in ("memory.max", "memory.high")]
    used = _number(folder / "memory.current")
    droppable = _statistics(folder).get("inactive_file", 0)
    for limit in limits:
        if limit is not None and used is not None:
            yield limit - max(used - droppable, 0)


def _left_in_version_1(folder: Path) -> Iterator[int]:
    statistics = _statistics(folder)
    limits = [
        _number(folder / "memory.limit_in_bytes"),
        statistics.get("hierarchical_memory_limit"),  # including groups that are not visible
    ]
    used = _number(folder / "memory.usage_in_bytes")
    droppable = statistics.get("total_inactive_file", 0)
    for limit in limits:
        if limit is not None and limit < _NO_LIMIT and used is not None:
            yield limit - max(used - droppable, 0)


def _of_process(base: Path) -> Iterator[int]:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    statm = " ".join(_lines(base / "proc/self/statm")).split()
    for name, position in _STATM_FIELDS.items():
        soft, _ = resource.getrlimit(getattr(resource, name))
        if soft == resource.RLIM_INFINITY:
            continue
        used = int(statm[position]) * resource.getpagesize() if len(statm) > position else 0
        yield soft - used


def _statistics(folder: Path) -> dict[str, int]:
    pairs = [line.split() for line in _lines(folder / "memory.stat")]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is none, or the word max."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
