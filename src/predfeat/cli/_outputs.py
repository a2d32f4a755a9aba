"""Files a command writes: refused before the work if they exist, whole or not at all after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["refuse_existing", "replace_own", "writing"]


def refuse_existing(paths: Iterable[Path], *, force: bool) -> None:
    """Say so before hours of work if a result could not be written in the end."""
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder. Give the name of a file.")
        if not force and path.exists():
            raise FileExistsError(
                f"{path} exists already. Give --force to replace it, or another --out."
            )
    for folder in {path.parent for path in paths}:
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(f"{folder} is a file, not a folder. Give another --out.")


@contextmanager
def writing(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Open a file that appears under its name when it is complete."""
    from predfeat._files import write_whole

    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path, overwrite=force) as stream:
        yield stream


def replace_own(path: Path, before: bytes, after: bytes, *, force: bool) -> None:
    """Replace what this run wrote there before; what somebody else wrote since then stays.

    Contents are compared: not all file systems keep a file's number and times as they were.
    """
    there = path.exists()
    if there and not force and path.read_bytes() != before:
        raise FileExistsError(
            f"{path} was changed by somebody else while this command ran, and is left as it is. "
            "Give --force to replace it, or another --out."
        )
    with writing(path, force=force or there) as stream:
        stream.write(after)
