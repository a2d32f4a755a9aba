"""Files that appear under their name complete, or not at all."""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

__all__ = ["read_whole", "remove_unfinished", "try_to_write", "write_whole", "write_whole_text"]

# Temporary files, to be removed by whoever ends the process without leaving the blocks.
_unfinished: set[Path] = set()


def read_whole(path: str | os.PathLike[str], *, at_most: int | None = None) -> bytes:
    """Return the bytes of a regular file.

    Parameters
    ----------
    path : str or path
    at_most : int, optional
        The largest size allowed.

    Raises
    ------
    OSError
        It is a pipe or a device, which may never end, or it is too large.

    Examples
    --------
    >>> from predfeat._files import read_whole
    >>> read_whole("/dev/null")
    Traceback (most recent call last):
        ...
    OSError: /dev/null is a pipe or a device, not a file. Give the name of a file.
    """
    # Checked before opening: opening a pipe would wait for a writer.
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(
            f"{os.fspath(path)} is a pipe or a device, not a file. Give the name of a file."
        )
    with open(path, "rb") as stream:
        n_bytes = os.fstat(stream.fileno()).st_size
        if at_most is not None and n_bytes > at_most:
            raise OSError(
                f"{os.fspath(path)} has {n_bytes} bytes, and at most {at_most} are read. It is not "
                "a file that predfeat wrote."
            )
        return stream.read(n_bytes)


def remove_unfinished() -> None:
    """Remove unfinished files before the process ends in the middle of writing them.

    Examples
    --------
    >>> import os, tempfile
    >>> from predfeat._files import remove_unfinished, write_whole
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     try:
    ...         with write_whole(directory + "/numbers.bin"):
    ...             remove_unfinished()
    ...             os.listdir(directory)
    ...     except FileNotFoundError:
    ...         os.listdir(directory)
    []
    []
    """
    for path in list(_unfinished):
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def write_whole(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a file that gets its name only when everything is written.

    Until the block ends, the bytes go to a hidden temporary file in the same directory. An error
    in the block, including Ctrl-C, removes that file and leaves `path` as it was.

    Parameters
    ----------
    path : str or path
        The name the file gets. A symbolic link is followed.
    overwrite : bool, default=False
        Replace a file of that name. Otherwise such a file is never touched, even if it is created
        while the block runs.

    Yields
    ------
    binary stream

    Raises
    ------
    FileExistsError
        The file exists, and `overwrite` is False.
    FileNotFoundError
        The directory does not exist.
    OSError
        The system refuses (disk full, no permission); its `filename` is `path`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from predfeat._files import write_whole
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "numbers.bin"
    ...     with write_whole(path) as stream:
    ...         _ = stream.write(b"123")
    ...         path.exists()
    ...     path.read_bytes()
    False
    b'123'
    """
    target = Path(os.path.realpath(path))
    _refuse_bad_target(target, overwrite)
    temporary = _hidden_beside(target)
    with _errors_naming(target, temporary), _opened(temporary) as stream:
        if overwrite and target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
        stream.close()
        if overwrite:
            os.replace(temporary, target)
        else:
            _give_new_name(temporary, target)


def try_to_write(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Raise now what `write_whole` would raise after the work; nothing is left behind.

    A hidden file is created beside `path` and removed, as `write_whole` will do: permission bits
    show neither read-only file systems nor what the superuser may do. A file to be replaced must
    be writable.

    Parameters
    ----------
    path : str or path
        The file that will be written. Its directory must exist.
    overwrite : bool, default=False
        Whether a file of that name will be replaced.

    Raises
    ------
    OSError
        It cannot be written; the message says why.

    Examples
    --------
    >>> import tempfile
    >>> from predfeat._files import try_to_write
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     try_to_write(f"{directory}/model.predfeat")
    ...     os.listdir(directory)
    []
    """
    target = Path(os.path.realpath(path))
    _refuse_bad_target(target, overwrite)
    try:
        with suppress(FileNotFoundError):
            os.lstat(target)  # raises for a name that is too long
            os.close(os.open(target, os.O_WRONLY))
        with _opened(_hidden_beside(target)):
            pass
    except OSError as error:
        raise type(error)(
            f"cannot write {path}: {error.strerror}. Give a name in another folder."
        ) from error


def _hidden_beside(target: Path) -> Path:
    # Not derived from the target's name, which may already have the maximum length.
    return target.parent / f".predfeat-{secrets.token_hex(8)}.part"


@contextmanager
def _opened(temporary: Path) -> Iterator[BinaryIO]:
    """Open a new file, and remove it at the end if it still has that name."""
    binary = getattr(os, "O_BINARY", 0)
    _unfinished.add(temporary)
    try:
        # open() also asks for 0o666: the umask turns it into the mode of any new file.
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | binary, 0o666)
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
    finally:
        # If this fails as well, either the file is complete or the first error says what is wrong.
        with suppress(OSError):
            os.unlink(temporary)
        _unfinished.discard(temporary)


@contextmanager
def write_whole_text(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[TextIO]:
    r"""Open a text file (UTF-8, line ends as written) as `write_whole` does.

    Parameters
    ----------
    path : str or path
        The name the file gets.
    overwrite : bool, default=False
        Replace a file of that name.

    Yields
    ------
    text stream

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from predfeat._files import write_whole_text
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "notes.txt"
    ...     with write_whole_text(path) as stream:
    ...         _ = stream.write("λ = 0.5\n")
    ...     path.read_text(encoding="utf-8")
    'λ = 0.5\n'
    """
    with write_whole(path, overwrite=overwrite) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()  # the stream is closed by its owner


@contextmanager
def _errors_naming(target: Path, temporary: Path) -> Iterator[None]:
    """Make the system's errors name the target file, not the temporary one or none."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and str(error.filename) in ("None", str(temporary)):
            error.filename, error.filename2 = str(target), None
        raise


def _refuse_bad_target(target: Path, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot write {target}: there is no directory {target.parent}. Create it first."
        )
    if os.path.lexists(target):
        if not overwrite:
            raise _exists(target)
        if not target.is_file():
            raise IsADirectoryError(
                f"cannot write {target}: it is a directory or a device, not a file that could be "
                "replaced. Give the name of a file."
            )


def _give_new_name(temporary: Path, target: Path) -> None:
    """Name a finished file; fail if the name is taken. A link is made or refused in one step."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:
        _reserve_and_replace(temporary, target)


def _reserve_and_replace(temporary: Path, target: Path) -> None:
    """Do the same on file systems without hard links, such as FAT.

    The name is first reserved with an empty file. Only a kill between these two calls would leave
    it behind, while testing and then replacing could destroy somebody's file.
    """
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        raise _exists(target) from None
    _unfinished.add(target)
    try:
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):  # the first error says what is wrong
            os.unlink(target)
        raise
    finally:
        _unfinished.discard(target)


def _exists(target: Path) -> FileExistsError:
    return FileExistsError(
        f"{target} exists already and will not be replaced. Give another name, or overwrite=True."
    )
