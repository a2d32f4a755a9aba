"""Files that a command writes: checked early, and written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["refuse_unwritable", "replace_own", "writing"]

_STANDARD_INPUT = Path("-")


def refuse_unwritable(
    paths: Collection[Path],
    *,
    force: bool,
    data: Sequence[Path] = (),
    read: Iterable[Path | None] = (),
) -> None:
    """Raise before hours of work if a result could not be written.

    Files that are read are never replaced: those of `data`, which may be folders, patterns or -,
    and those of `read`.
    """
    inputs = [*_data_files(data), *(file for file in read if file is not None)]
    for path in paths:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder. Give the name of a file.")
        source = next((each for each in inputs if _is_same(path, each)), None)
        if source is not None:
            raise FileExistsError(
                f"{path} is {source}, which is an input: it is not replaced, even with --force. "
                "Give another --out."
            )
        if not force and path.exists():
            raise FileExistsError(
                f"{path} exists already. Give --force to replace it, or another --out."
            )
    from predfeat._files import try_to_write

    for path in paths:
        with _folder_for_now(path.parent):
            try_to_write(path, overwrite=force)


def _data_files(data: Sequence[Path]) -> list[Path]:
    if not data:
        return []
    from predfeat.datasets import files_to_read

    return files_to_read(data) or [_STANDARD_INPUT]


def _is_same(path: Path, source: Path) -> bool:
    """Tell whether two paths are the same file, by links or by case."""
    try:
        there = os.stat(path)
        given = os.fstat(0) if source == _STANDARD_INPUT else os.stat(source)
    except OSError:  # one of them does not exist, or there is no standard input
        return False
    return os.path.samestat(there, given)


@contextmanager
def _folder_for_now(folder: Path) -> Iterator[None]:
    """Create a folder, and remove at the end what was created."""
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    made: list[Path] = []
    try:
        for each in reversed(missing):
            each.mkdir()
            made.append(each)
        if not folder.is_dir():
            raise NotADirectoryError(
                f"the folder {folder} cannot be created: there is a file of that name. Give "
                "another --out."
            )
        yield
    except OSError as error:
        if error.strerror is None:  # ours, in words
            raise
        raise type(error)(
            f"the folder {folder} cannot be created: {error.strerror}. Give another --out."
        ) from error
    finally:
        for each in reversed(made):
            with suppress(OSError):  # somebody has put something into it
                each.rmdir()


@contextmanager
def writing(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Open a file that appears under its name when it is complete."""
    from predfeat._files import write_whole

    path.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(path, overwrite=force) as stream:
        yield stream


def replace_own(path: Path, before: bytes, after: bytes, *, force: bool) -> None:
    """Replace what this run wrote before; what another program wrote since then stays.

    Contents are compared: not all file systems keep a file's number and times as they were.
    """
    there = path.exists()
    if there and not force and path.read_bytes() != before:
        raise FileExistsError(
            f"{path} was changed by another program while this command ran, and is left as it is. "
            "Give --force to replace it, or another --out."
        )
    with writing(path, force=force or there) as stream:
        stream.write(after)
