"""The files given by a name, a folder, a pattern, or a list of them."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from predfeat.datasets._compressed import without_compression
from predfeat.exceptions import DataFileError

__all__ = ["Files", "find_files", "natural_order"]

_SHOWN = 5

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def find_files(given: Files, suffixes: Sequence[str]) -> tuple[list[Path] | None, tuple[str, ...]]:
    """Find the files given by name, in a folder, or by a pattern.

    Parameters
    ----------
    given : str or path, or a sequence of them
        A file, a folder, a pattern with * ? or [], or "-".
    suffixes : sequence of str
        Readable suffixes, the more common first.

    Returns
    -------
    files : list of Path, or None
        None for standard input.
    notes : tuple of str
        What was left out of a folder.
    """
    parts = [given] if isinstance(given, str | os.PathLike) else list(given)
    if not parts:
        raise DataFileError("no file was given: the list is empty.")
    if [str(part) for part in parts] == ["-"]:
        return None, ()
    files: list[Path] = []
    notes: tuple[str, ...] = ()
    for part in parts:
        path = Path(part)
        if str(part) == "-":
            raise DataFileError("- (standard input) cannot be read together with files.")
        if _is_folder(path):
            found, said = _in_folder(path, suffixes)
            files, notes = files + found, notes + said
        elif glob.has_magic(str(part)) and not _exists(path):
            matching = [Path(name) for name in glob.glob(str(part), recursive=True)]
            found = sorted((p for p in matching if not p.is_dir()), key=natural_order)
            if not found:
                raise DataFileError(f"no file matches the pattern {part}.")
            files += found
        else:
            files.append(path)
    # A shell lists trial10 before trial2: files in that order are put in the natural one.
    if len(files) == len(parts) and [str(file) for file in files] == sorted(map(str, files)):
        files.sort(key=natural_order)
    twice = [str(file) for file, n in Counter(files).items() if n > 1]
    if twice:
        raise DataFileError(f"{twice[0]} is given twice.")
    return files, notes


def natural_order(path: Path) -> tuple[Any, ...]:
    """Return a key that sorts trial2 before trial10.

    Examples
    --------
    >>> from pathlib import Path
    >>> from predfeat.datasets._finding_files import natural_order
    >>> [str(p) for p in sorted([Path("trial10"), Path("trial2")], key=natural_order)]
    ['trial2', 'trial10']
    """
    pieces = re.split(r"(\d+)", str(path).lower())
    return tuple((i % 2, int(p) if i % 2 else p) for i, p in enumerate(pieces)), str(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _kind(path: Path, suffixes: Sequence[str]) -> str | None:
    """Return the suffix that tells how to read a file, however it is compressed."""
    name = path.name.lower()
    known = [suffix for suffix in suffixes if name.endswith(suffix)]
    return without_compression(max(known, key=len)) if known else None


def _in_folder(folder: Path, suffixes: Sequence[str]) -> tuple[list[Path], tuple[str, ...]]:
    """Return the files of the kind that most of them are."""
    there = [p for p in folder.iterdir() if not p.name.startswith(".") and not p.is_dir()]
    kinds = {path: _kind(path, suffixes) for path in there}
    counts = Counter(kind for kind in kinds.values() if kind is not None)
    if not counts:
        inside = any(p.is_dir() for p in folder.iterdir())
        also = f" {folder}/*/*.csv would match the .csv files in its subfolders." * inside
        raise DataFileError(f"{folder} is a folder without readable files.{also}")
    order = list(suffixes)
    kind = max(counts, key=lambda k: (counts[k], -order.index(k)))
    chosen = sorted((p for p, own in kinds.items() if own == kind), key=natural_order)
    others = sorted((p for p, own in kinds.items() if own != kind), key=natural_order)
    if not others:
        return chosen, ()
    listed = ", ".join(p.name for p in others[:_SHOWN]) + (", …" if len(others) > _SHOWN else "")
    note = (
        f"The {len(chosen)} {kind} file(s) of {folder.name or folder} were read; left out: "
        f"{listed}."
    )
    return chosen, (note,)
