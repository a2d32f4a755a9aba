"""Saving and loading."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from predfeat._files import write_whole
from predfeat._typing import FloatArray
from predfeat._version import __version__
from predfeat.exceptions import ModelFileError
from predfeat.persistence._archive import (
    FIRST_NAME,
    MAX_FILE_BYTES,
    ArchiveReader,
    Chunk,
    archive_size,
    damaged,
    write_archive,
)
from predfeat.persistence._earlier_names import with_current_names
from predfeat.persistence._header import (
    MAX_HEADER_BYTES,
    SCHEMA,
    ArrayEntry,
    ModelHeader,
    decode_header,
)
from predfeat.persistence._kinds import AnyModel, build_any, find_any_problem, parts_of
from predfeat.persistence._model import refuse_unplain_notes
from predfeat.persistence._npy import DTYPE, contiguous, npy_start, order_of
from predfeat.persistence._schema import find_bad_value

__all__ = ["load", "read_header", "read_model", "save"]


def save(
    model: AnyModel,
    path: str | os.PathLike[str],
    *,
    notes: dict[str, Any] | None = None,
    overwrite: bool = False,
) -> None:
    """Write a fitted model to a file, without pickle.

    The file is a zip of one JSON file and one .npy file per array, so it can also be read without
    predfeat. It is written completely or not at all. The same model and notes give the same bytes.

    The parameters, the column names and all fitted attributes are kept, bit for bit. Settings of
    the session (`set_output`, with the names that it gives to columns within a pipeline, and
    `set_fit_request`) are not. A parameter that is a matrix (`init` of `GPFA`) comes back as a
    float64 array. Symbols must be text, whole numbers of up to 63 bits, finite floats or bools.

    Parameters
    ----------
    model : LinearFeatures, SymbolFeatures, Expanded, Patches, SpectralRegression or Pipeline
        One of the fitted estimators of predfeat, `SpectralRegression` with least squares or
        `FewChannels`; or scikit-learn's `Pipeline`, each step of which is one of these, None or
        "passthrough". Of another pipeline, save the predfeat steps: `save(pipeline[-1], path)`.
    path : str or path
        The file to write, by convention with the extension .predfeat.
    notes : dict, optional
        Anything of your own that JSON can hold, such as where the data came from. `read_header`
        returns it unchanged. The key "predfeat" is for what the command records about
        the training data; `predfeat transform` uses it.
    overwrite : bool, default=False
        Replace an existing file.

    Raises
    ------
    ModelFileError
        The model or the notes cannot be saved; the message says why.
    FileExistsError
        The file exists, and `overwrite` is False.

    See Also
    --------
    load : Read the model.
    read_header : Read what a file says about its model.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from predfeat import SFA, load, save
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> model = SFA(n_components=2).fit(X)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(model, f"{directory}/slow.predfeat")
    ...     again = load(f"{directory}/slow.predfeat")
    >>> np.array_equal(again.transform(X), model.transform(X))
    True
    """
    notes = {} if notes is None else notes
    refuse_unplain_notes(notes)
    parts = parts_of(model)
    header = ModelHeader(
        estimator=type(model).__name__,
        parameters=parts.parameters,
        n_columns=parts.n_columns,
        columns=parts.columns,
        fitted=parts.fitted,
        arrays=tuple(_describe(name, array) for name, array in parts.arrays.items()),
        notes=notes,
        version=__version__,
        schema=SCHEMA,
    )
    _refuse_what_cannot_be_loaded(header, parts.arrays)
    members = {entry.member: _npy_chunks(parts.arrays[entry.name]) for entry in header.arrays}
    with write_whole(path, overwrite=overwrite) as stream:
        write_archive(stream, {FIRST_NAME: [header.encode()], **members})


def load(path: str | os.PathLike[str]) -> AnyModel:
    """Read a model that `save` wrote.

    Nothing in the file is executed, and everything is checked: a file that is damaged, changed,
    repacked or not a model file raises `ModelFileError`. The memory used is bounded by the file's
    size. The digests guard against accidents, not against a forger: trust a model's numbers as
    far as you trust their source.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    LinearFeatures, SymbolFeatures, Expanded, Patches, SpectralRegression or Pipeline
        The model as it was saved: it gives the same output to the bit and can be fitted again.

    Raises
    ------
    ModelFileError
        The file is not one that `save` wrote, or it was written by a newer predfeat.

    See Also
    --------
    save : Write a model.
    read_header : Read what a file says about its model.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from predfeat import PFA, load, save
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(PFA(n_components=2, n_lags=3).fit(X), f"{directory}/linear.predfeat")
    ...     load(f"{directory}/linear.predfeat")
    PFA(n_lags=3)
    """
    return read_model(path)[0]


def read_model(path: str | os.PathLike[str]) -> tuple[AnyModel, ModelHeader]:
    """Read a model and its header in one pass, so that they belong together.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    model : LinearFeatures, SymbolFeatures, Expanded, Patches, SpectralRegression or Pipeline
        As `load` returns it.
    header : ModelHeader
        As `read_header` returns it.

    Raises
    ------
    ModelFileError
        The file is not one that `save` wrote, or it was written by a newer predfeat.

    See Also
    --------
    load : Read only the model.
    read_header : Read only what a file says about its model.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from predfeat import SFA, save
    >>> from predfeat.persistence import read_model
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(SFA().fit(X), f"{directory}/slow.predfeat", notes={"source": "noise"})
    ...     model, header = read_model(f"{directory}/slow.predfeat")
    >>> model.rank_, header.notes
    (4, {'source': 'noise'})
    """
    with _opened(path) as archive:
        written, header = _checked_header(archive)
        archive.expect_size(_member_sizes(written))
        arrays = {entry.name: _read_array(archive, entry) for entry in header.arrays}
        archive.finish()
        return build_any(header, arrays), header


def read_header(path: str | os.PathLike[str]) -> ModelHeader:
    """Read what a model file says about its model, without reading the arrays.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    ModelHeader
        The estimator's name and parameters, the columns, the shapes of the arrays, the version
        that wrote the file, the fingerprint of the training, and the notes.

    Raises
    ------
    ModelFileError
        The file does not begin like one that `save` wrote, or is from a newer predfeat.

    See Also
    --------
    load : Read the whole model.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from predfeat import SFA, read_header, save
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(SFA().fit(X), f"{directory}/slow.predfeat", notes={"source": "noise"})
    ...     header = read_header(f"{directory}/slow.predfeat")
    >>> header.estimator, header.n_columns, header.notes
    ('SFA', 4, {'source': 'noise'})
    """
    with _opened(path) as archive:
        return _checked_header(archive)[1]


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[ArchiveReader]:
    """Open a file for reading; errors about its content name the file."""
    try:
        # Check before opening: opening a pipe would wait for a writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ModelFileError(
                "it is a directory, pipe or device. Give the name of a file that save wrote."
            )
        with open(path, "rb") as stream:
            yield ArchiveReader(stream, os.fstat(stream.fileno()).st_size)
    except ModelFileError as error:
        raise ModelFileError(f"cannot load {os.fspath(path)!r}: {error}") from error


def _checked_header(archive: ArchiveReader) -> tuple[ModelHeader, ModelHeader]:
    """Return the header as written, and the same header with this version's names."""
    written = decode_header(archive.read_first(MAX_HEADER_BYTES))
    header = with_current_names(written)
    problem = find_any_problem(header)
    if problem is not None:
        raise damaged(problem)
    return written, header


def _read_array(archive: ArchiveReader, entry: ArrayEntry) -> FloatArray:
    """Read one array; the file is already known to be long enough."""
    start = npy_start(entry.shape, entry.order)
    flat = np.empty(entry.shape, dtype=DTYPE).ravel()
    archive.read_into(entry.member, start, flat)
    if _sha256([start, flat.data.cast("B")]) != entry.sha256:
        raise damaged(f"the numbers of {entry.name} do not match their digest")
    problem = find_bad_value(entry.name, flat)
    if problem is not None:
        raise damaged(problem)
    native: FloatArray = flat.astype(np.float64, copy=False)
    return native.reshape(entry.shape, order="F" if entry.order == "F" else "C")


def _npy_chunks(array: FloatArray) -> list[Chunk]:
    return [npy_start(array.shape, order_of(array)), contiguous(array)]


def _describe(name: str, array: FloatArray) -> ArrayEntry:
    return ArrayEntry(name, array.shape, order_of(array), _sha256(_npy_chunks(array)))


def _sha256(chunks: list[Chunk]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _member_sizes(header: ModelHeader) -> dict[str, int]:
    arrays = {entry.member: entry.member_size for entry in header.arrays}
    return {FIRST_NAME: len(header.encode()), **arrays}


def _refuse_what_cannot_be_loaded(header: ModelHeader, arrays: dict[str, FloatArray]) -> None:
    """Apply the checks of `load` before writing."""
    problem = find_any_problem(header)
    for name, array in arrays.items():
        problem = problem or find_bad_value(name, array)
    if problem is not None:
        raise ModelFileError(f"this {header.estimator} cannot be saved: {problem}. Fit it anew.")
    sizes = _member_sizes(header)
    if sizes[FIRST_NAME] > MAX_HEADER_BYTES:
        raise ModelFileError(
            f"parameters, column names, symbols and notes take {sizes[FIRST_NAME]} bytes, more "
            f"than the {MAX_HEADER_BYTES} that a model file has for them. Shorten the notes, or "
            "fit to fewer symbols."
        )
    if archive_size(sizes) > MAX_FILE_BYTES:
        raise ModelFileError(
            f"the model takes {archive_size(sizes)} bytes, more than the {MAX_FILE_BYTES} that a "
            "model file may have. Fit it on fewer columns."
        )
