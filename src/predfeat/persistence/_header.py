"""The member model.json: everything about a model except its arrays, plus all digests."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any, NoReturn

from predfeat._version import __version__
from predfeat.exceptions import ModelFileError
from predfeat.persistence._archive import MAX_FILE_BYTES, damaged
from predfeat.persistence._array_names import is_repeatable
from predfeat.persistence._npy import DTYPE, npy_start
from predfeat.persistence._plain import as_json, from_json

__all__ = ["MAX_HEADER_BYTES", "SCHEMA", "ArrayEntry", "ModelHeader", "decode_header"]

SCHEMA = 1
MAX_HEADER_BYTES = 2**23  # hundreds of thousands of column names; about 200 MB at most when parsed
_FORMAT = "predfeat model"
_ITEM_SIZE = 8


@dataclass(frozen=True)
class ArrayEntry:
    """What a model file says about one of its arrays.

    Attributes
    ----------
    name : str
        The estimator's attribute or parameter; ``history_.angle`` is a key of the dict
        ``history_``, and ``steps.0.mean_`` an attribute of the first step of a pipeline.
    shape : tuple of int
    order : str
        "C" or "F": row by row or column by column.
    sha256 : str
        Digest of the member, as `sha256sum` prints it.
    """

    name: str
    shape: tuple[int, ...]
    order: str
    sha256: str

    @property
    def member(self) -> str:
        """The name of the array's file in the zip."""
        return f"{self.name}.npy"

    @property
    def member_size(self) -> int:
        """The size of that file in bytes."""
        return len(npy_start(self.shape, self.order)) + _ITEM_SIZE * math.prod(self.shape)

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as it appears in the JSON."""
        return {
            "name": self.name,
            "dtype": DTYPE,
            "shape": list(self.shape),
            "order": self.order,
            "sha256": self.sha256,
        }


@dataclass(frozen=True)
class ModelHeader:
    """What a model file says about its model, without the arrays.

    Attributes
    ----------
    estimator : str
        Name of the class.
    parameters : dict
        The estimator's parameters. An array appears here as {"array": its name}.
    n_columns : int
        Number of columns in the training data.
    columns : tuple of str or None
        Their names, if the training data had any.
    fitted : dict
        The fitted attributes that are not arrays: counts such as rank_ and, if several ways
        were tried, which one was kept and the scores of all. For a model that `partial_fit`
        built, what describes its statistics.
    arrays : tuple of ArrayEntry
        The fitted attributes that are arrays.
    notes : dict
        The notes given to `save`.
    version : str
        The version of predfeat that wrote the file.
    schema : int
        The version number of the file format.
    """

    estimator: str
    parameters: dict[str, Any]
    n_columns: int
    columns: tuple[str, ...] | None
    fitted: dict[str, Any]
    arrays: tuple[ArrayEntry, ...]
    notes: dict[str, Any]
    version: str
    schema: int

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the result of training.

        It covers the class, the columns and all fitted attributes, but neither the parameters nor
        the time that iterations took. The same training on the same machine gives the same
        fingerprint, whatever the notes say.
        """
        found = [entry.as_dict() for entry in self.arrays if is_repeatable(entry.name)]
        return _digest([self.estimator, self.n_columns, self._columns_as_json, self.fitted, found])

    @property
    def sha256(self) -> str:
        """SHA-256 of everything in the file; arrays enter through their own digests."""
        return _digest(self._without_digest())

    def encode(self) -> bytes:
        """Return the JSON."""
        return as_json({**self._without_digest(), "sha256": self.sha256})

    @property
    def _columns_as_json(self) -> list[str] | None:
        return None if self.columns is None else list(self.columns)

    def _without_digest(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "schema": self.schema,
            "predfeat": self.version,
            "estimator": self.estimator,
            "parameters": self.parameters,
            "n_columns": self.n_columns,
            "columns": self._columns_as_json,
            "fitted": self.fitted,
            "arrays": [entry.as_dict() for entry in self.arrays],
            "notes": self.notes,
            "fingerprint": self.fingerprint,
        }


def _digest(value: Any) -> str:
    return hashlib.sha256(as_json(value)).hexdigest()


def decode_header(text: bytes) -> ModelHeader:
    """Read the JSON of an untrusted file."""
    try:
        fields = from_json(text)
    except ValueError as error:
        raise damaged(f"its description is no JSON as predfeat writes it: {error}") from error
    if not isinstance(fields, dict) or fields.get("format") != _FORMAT:
        raise damaged("its description is not one of a predfeat model")
    _refuse_newer(fields)
    header = ModelHeader(
        estimator=_take(fields, "estimator", str),
        parameters=_take(fields, "parameters", dict),
        n_columns=_take(fields, "n_columns", int),
        columns=_columns(fields.get("columns")),
        fitted=_take(fields, "fitted", dict),
        arrays=tuple(map(_entry, _take(fields, "arrays", list))),
        notes=_take(fields, "notes", dict),
        version=_take(fields, "predfeat", str),
        schema=_take(fields, "schema", int),
    )
    # This one comparison checks the rest: digests, repeated or extra keys, spaces, escapes.
    if header.encode() != text:
        raise damaged("its description does not match its digest, or is not written as by predfeat")
    return header


def _refuse_newer(fields: dict[str, Any]) -> None:
    schema = _take(fields, "schema", int)
    if schema > SCHEMA:
        raise ModelFileError(
            f"it was written by predfeat {str(fields.get('predfeat'))[:20]} with schema {schema}, "
            f"and predfeat {__version__} reads schemas up to {SCHEMA}. Update predfeat: "
            "pip install --upgrade predfeat."
        )
    if schema < 1:
        raise damaged(f"it states schema {schema}, and schemas are counted from 1")


def _take(fields: dict[str, Any], key: str, kind: type) -> Any:
    value = fields.get(key)
    if type(value) is not kind:  # not isinstance: True is not a count
        _refuse_field(key, f"no {kind.__name__}")
    return value


def _columns(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if type(value) is not list or not all(type(name) is str for name in value):
        _refuse_field("columns", "neither null nor a list of names")
    return tuple(value)


def _entry(fields: Any) -> ArrayEntry:
    if type(fields) is not dict:
        _refuse_field("arrays", "no list of objects")
    shape = _take(fields, "shape", list)
    if not all(type(n) is int and 1 <= n <= MAX_FILE_BYTES for n in shape) or len(shape) > 2:
        _refuse_field("arrays", "an array of a shape that is none")
    if fields.get("dtype") != DTYPE or fields.get("order") not in ("C", "F"):
        _refuse_field("arrays", f"an array not of dtype {DTYPE} in order C or F")
    return ArrayEntry(
        _take(fields, "name", str), tuple(shape), fields["order"], _take(fields, "sha256", str)
    )


def _refuse_field(key: str, what: str) -> NoReturn:
    raise damaged(f"its description has under {key!r} {what}")
