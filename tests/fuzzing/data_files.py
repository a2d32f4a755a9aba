"""Files of every kind that `read` knows, damaged and forged; and the commands that read them."""

import bz2
import gzip
import io
import lzma
import zipfile
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from damage import KINDS, csv_bytes, json_bytes, mutated, npy_bytes, series
from fuzzing.cases import Case, Wrong
from fuzzing.command_lines import command
from fuzzing.hostile import (
    EXTREME_INTEGERS,
    TEXTS,
    extreme_fields,
    hostile_archive,
    hostile_json,
    hostile_npy,
    hostile_table,
    swelling,
)
from predfeat.datasets import read, reading_options
from predfeat.exceptions import DataFileError

TABLES = {"csv": ",", "tsv": "\t"}
ARCHIVES = ("zip", "npz", "xlsx")
HDF5 = ("nc4", "v73.mat")


@cache
def whole(kind: str) -> bytes | None:
    """Return a file of that kind, None where the library to make it is missing."""
    try:
        return KINDS[kind][0]()
    except pytest.skip.Exception:
        return None


def hostile_file(draw: Random) -> tuple[str, bytes, str]:
    """Return a kind of file, the bytes of one, and how they were made."""
    kind = draw.choice([kind for kind in KINDS if whole(kind) is not None])
    raw = whole(kind)
    way = draw.random()
    if way < 0.35:
        return kind, mutated(raw, _numpy_from(draw)), "mutated"
    if way < 0.45:
        other = whole(draw.choice([name for name in KINDS if whole(name) is not None]))
        at, from_ = draw.randrange(len(raw)), draw.randrange(len(other))
        return kind, draw.choice([raw[:at] + other[from_:], other]), "spliced"
    if way < 0.5:
        return kind, draw.randbytes(draw.choice([1, 4, 100, 5000])), "noise"
    return kind, _forged(kind, raw, draw), "forged"


def _forged(kind: str, raw: bytes, draw: Random) -> bytes:
    """Return a file whose form is right and whose contents are not."""
    if kind in TABLES:
        return hostile_table(raw, draw, TABLES[kind])
    if kind == "json":
        return hostile_json(raw, draw)
    if kind == "jsonl":
        lines = raw.split(b"\n")
        at = draw.randrange(len(lines))
        lines[at] = hostile_json(lines[at], draw)
        return b"\n".join(lines)
    if kind == "npy":
        return hostile_npy(raw, draw)
    if kind.startswith(("csv.", "json.")):
        return _compressed(kind, draw)
    if kind in ARCHIVES:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        return hostile_archive(members, draw, lambda name, content: _member(name, content, draw))
    if kind in HDF5:
        return _hdf5(kind, draw)
    if kind == "edf":
        return _edf(raw, draw)
    return extreme_fields(raw, draw)


def _numpy_from(draw: Random) -> np.random.Generator:
    return np.random.default_rng(draw.getrandbits(64))


def _member(name: str, content: bytes, draw: Random) -> bytes:
    if draw.random() < 0.3:
        return mutated(content, _numpy_from(draw))
    if name.endswith(".npy"):
        return hostile_npy(npy_bytes(), draw)
    if name.endswith(".csv"):
        return hostile_table(content, draw)
    return _hostile_xml(content, draw)


def _hostile_xml(content: bytes, draw: Random) -> bytes:
    entity = b'<!DOCTYPE x [<!ENTITY a "%s">' % (b"a" * 1000)
    entity += b"".join(b'<!ENTITY %c "%s">' % (c + 1, b"&%c;" % c * 50) for c in b"abcdefg")
    outside = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">'
    head, tag, rest = content.partition(b"?>")
    way = draw.randrange(5)
    if way == 0:
        body = (rest if tag else content).replace(b"</v>", b"&h;</v>", 1)
        return head + tag + entity + b"]>" + body
    if way == 1:
        return head + tag + outside + b"]>" + rest.replace(b"</v>", b"&a;</v>", 1)
    if way == 2:
        return b"<a>" * 100_000
    if way == 3:
        value = draw.choice([b"A1048577", b"XFE1", b"", b"A0", b"ZZZZZ99999999", b"1A"])
        return content.replace(b'r="A2"', b'r="%s"' % value)
    cells = [b"1e999", b"", b"x", b"9" * 400, b"-1", b"NaN", b"\x01", b"&#0;", b"1e308"]
    return content.replace(b"<v>0.5</v>", b"<v>%s</v>" % draw.choice(cells))


def _compressed(kind: str, draw: Random) -> bytes:
    inner, packing = kind.split(".")
    if draw.random() < 0.15:
        content = swelling(draw)
    elif inner == "csv":
        content = hostile_table(csv_bytes(), draw)
    else:
        content = hostile_json(json_bytes(), draw)
    if packing == "zst":
        packed = pytest.importorskip("pyarrow").compress(content, codec="zstd", asbytes=True)
    else:
        pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[packing]
        packed = pack(content)
    ends = [packed] * 5 + [packed * 2, packed + b"\0" * 100, packed + b"x", packed[:-4]]
    return draw.choice(ends)


def _hdf5(kind: str, draw: Random) -> bytes:
    """Return an HDF5 file with data sets that are larger, odder or elsewhere than they seem."""
    import h5py

    file = io.BytesIO()
    X = series()
    named = "x" if kind == "nc4" else "X"
    with h5py.File(file, "w", userblock_size=512 if kind == "v73.mat" else 0) as written:
        way = draw.randrange(9)
        if way == 0:
            shape = draw.choice([(2**40, 3), (3, 2**40), (2**31, 2**20), (0, 3), (2**20, 60)])
            written.create_dataset(named, shape, "f8", chunks=(1, 1), maxshape=(None, None))
        elif way == 1:
            strings = h5py.string_dtype()
            written.create_dataset(
                named, data=[draw.choice(["a", "\ud7ff", ""])] * 60, dtype=strings
            )
        elif way == 2:
            pair = np.dtype([("a", "f8"), ("b", "i4")])
            types = [pair, "c16", "V8", h5py.ref_dtype, h5py.vlen_dtype("f8"), "?", "f2", "u8"]
            written.create_dataset(named, (60, 3), draw.choice(types))
        elif way == 3:
            written[named] = h5py.SoftLink(draw.choice([f"/{named}", "/nowhere", "/"]))
        elif way == 4:
            written[named] = h5py.ExternalLink("/etc/passwd", "/x")
        elif way == 5:
            written.create_dataset(named, (60, 3), "f8", external=[("/etc/passwd", 0, 1440)])
        elif way == 6:
            written[named] = X
            written[named].attrs["MATLAB_class"] = draw.choice(TEXTS[:8]).replace("\0", "")
            written[named].attrs["scale_factor"] = draw.choice([0.0, np.nan, 1e308, "x", [1, 2]])
            written[named].attrs["_FillValue"] = draw.choice([np.nan, "x", np.arange(3), 1e400])
        elif way == 7:
            written.create_dataset(named, data=X, compression="gzip", chunks=(10, 3))
            written["time"] = draw.choice([np.full(60, 1e300), np.arange(60)[::-1], np.zeros(60)])
            written["time"].attrs["units"] = draw.choice(
                ["days since 0000-00-00", "hours since x", "since", "months since 1-1-1", "", 3.0]
            )
        else:
            place = written
            for _ in range(draw.choice([2, 300])):
                place = place.create_group("g")
            place[named] = X
    raw = file.getvalue()
    text = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return text + raw[len(text) :] if kind == "v73.mat" else raw


def _edf(raw: bytes, draw: Random) -> bytes:
    """Set fields of the header, which are numbers in ASCII of fixed width, to other ones."""
    fields = [(184, 8), (236, 8), (244, 8), (252, 4), (168, 8)]
    n_signals = 3
    at = 256 + n_signals * (16 + 80 + 8)
    fields += [(at + 8 * i, 8) for i in range(4 * n_signals)]  # the ranges
    fields += [(256 + n_signals * 216 + 8 * i, 8) for i in range(n_signals)]  # samples in a record
    changed = bytearray(raw)
    numbers = [str(number) for number in EXTREME_INTEGERS] + ["-1", "1e9", "nan", "x", "", "0.0"]
    for _ in range(draw.choice([1, 1, 2])):
        start, width = draw.choice(fields)
        changed[start : start + width] = draw.choice(numbers)[:width].ljust(width).encode()
    return bytes(changed)


def _options(path: Path, kind: str, draw: Random) -> dict:
    """Return options that the kind of file knows, now and then with odd values."""
    options = dict(KINDS[kind][1])
    if kind in ("wav", "flac", "ogg", "mp3"):
        options |= {"frame": 32, "hop": 32}
    odd = {
        "columns": ["x", ["x", "x"], [], ["é"], "0,1", TEXTS], "keep": ["time", "x", ["?"]],
        "exclude": ["x", "x,y,z", ["time"]], "time": ["x", "trial", "", "nowhere"],
        "group": ["x", "time", "\0", "trial"],
        "annotations": [
            {"label": "x"}, {"label": "trial"}, {"action": ["x", "y"]}, {"action": ["x", "trial"]},
            {"label": "x", "reward": "x"}, {"label": []}, {"": "nowhere"}, {}, {"label": "time"},
            {"\0": "\0"}, "x", ["x"], {"label": 3}, {3: "x"}, {"label": None},
        ],
        "missing": ["-999", float("nan"), "none", [1e308]],
        "jumps": ["gaps", "ignore", "x"], "day_first": [True, False], "header": [True, False],
        "delimiter": [",", "", "\0", ";;", "é", "\n", '"'], "sheet": ["x", "Sheet", ""],
        "key": ["x", "X", "", "../x", "time"], "rate": [1.0, 1e-300, 1e6, -1.0, float("inf")],
        "spectrum": ["log-magnitude", "x"], "frame": [2, 1, 0, -1, 2**20, 10**18],
        "hop": [1, 0, 2**40], "height": [1, 8, 0, 2**20], "width": [1, 2**15, -1],
        "window": [(0, 0, 4, 4), (0, 0, 0, 0), (-1, 2**40, 1, 1), (8, 8, 100, 100)],
    }  # fmt: skip
    if draw.random() < 0.25:
        name = draw.choice(reading_options(path))
        options[name] = draw.choice(odd[name])
    return options


def reading(draw: Random, folder: Path) -> Case:
    """`read`: a recording whose parts fit together, or DataFileError."""
    kind, content, how = hostile_file(draw)
    path = folder / f"file.{kind}"
    path.write_bytes(content)
    options = _options(path, kind, draw)

    def run() -> None:
        recording = read(path, **options)
        values = recording.values
        if values.ndim != 2 or values.dtype.kind != "f" or len(recording.names) != values.shape[1]:
            raise Wrong("a recording whose parts do not fit")
        parts = (recording.groups, recording.time, recording.rows, *recording.annotations.values())
        for part in parts:
            if part is not None and len(part) != len(values):
                raise Wrong("a recording whose parts do not fit")

    # Options of a kind that nobody may give are refused by scikit-learn's words.
    named = (DataFileError, InvalidParameterError)
    return Case(f"read({path.name}, {how}, {options})", run, named)


def telling(draw: Random, folder: Path) -> Case:
    """`predfeat info`."""
    kind, content, how = hostile_file(draw)
    path = folder / f"file.{kind}"
    path.write_bytes(content)
    given = draw.choice([["--json"], [], ["--quiet"]]) if kind != "npy" else ["--json"]
    return command(["info", str(path), *given], how)


def fitting(draw: Random, folder: Path) -> Case:
    """`predfeat fit`, with the quick methods; what it writes must be a model."""
    kind, content, how = hostile_file(draw)
    path = folder / f"file.{kind}"
    path.write_bytes(content)
    method = draw.choice(["sfa", "sfa", "random", "pfa", "foreca", "gpfa"])
    given = ["--n-components", draw.choice(["1", "2"]), "--out", str(folder / "model.predfeat")]
    return command(["fit", str(path), "-m", method, "--jobs", "1", *given], how)
