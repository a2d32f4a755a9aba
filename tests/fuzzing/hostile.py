"""Values, cells and names that nobody expects, and bytes and JSON that hold them."""

import copy
import io
import json
import os
import pickle
import warnings
import zipfile
from random import Random
from typing import Any

import numpy as np

from fuzzing.cases import MARKER

EXTREME_INTEGERS = [0, 1, 2, 3, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 2**20, 2**24, 2**26,
                    2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1]  # fmt: skip
# Longer ones than Python reads from text, larger ones than a float holds.
NUMBERS = [
    "1e308",
    "-1e308",
    "1e309",
    "5e-324",
    "1e-400",
    "9" * 20,
    "9" * 400,
    "9" * 5000,
    "-0",
    "0x10",
    "1_000",
    "1e",
    ".",
    "NaN",
    "-inf",
    "Infinity",
    "1,234.5",
    "1.234,5",
    "٣",
    "½",
    "1e308" * 3,
    "0" * 5000 + "1",
    "1.7976931348623157e308",
    "2.2250738585072014e-308",
]
TEXTS = ["", " ", "\t", "x", "\0", "\x1b[31m", "[/red]", "[link=file:///etc/passwd]x[/link]",
         "=cmd|' /C calc'!A0", "@SUM(1)", "../../x", "/etc/passwd", "\u202e", "\ud7ff", "\ufeff",
         "é" * 300, "a" * 5000, "'" * 50, '"' * 51, "{}", "{0}", "%s%n", "${x}", "\\", "\r", "\n",
         "<script>alert(1)</script>", "None", "true", "#N/A", "-", "__class__", "🦉"]  # fmt: skip
DATES = [
    "0000-00-00",
    "2024-02-30",
    "9999-12-31T23:59:60",
    "1677-09-21",
    "2262-04-12",
    "-4713-1-1",
    "2024-01-01T00:00:00.123456789123",
    "24:00",
    "1/1/1",
    "20240101",
    "1700000000123456789",
    "2024-01-01T00:00:00+99:99",
    "2024W99",
    "31/31/31",
    "1e18",
    "292277026596-12-04",
]
# What JSON can hold and a reader may trip over. Copied before use.
VALUES: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**62, 2**70, 10**400, 0.5, 1.0, -0.0, 1e300,
    1e308, 5e-324, float("nan"), float("inf"), "", "x", "input", "star", "SFA", "init", "../x",
    [], [1], [[]], [[[[]]]], {}, {"array": "init"}, ["x"] * 3, [None] * 3, "a" * 3000,
    "\x1b[31m", "<script>",
]  # fmt: skip
DEPTH = 100_000  # of nested brackets; Python's own stack ends at a thousand


class Payload:
    """Unpickled, this makes a directory."""

    def __reduce__(self):
        return os.mkdir, (MARKER,)


def cell(draw: Random) -> str:
    """Return a cell of a table that is no plain number."""
    return draw.choice(draw.choice([NUMBERS, TEXTS, DATES]))


def places(value: Any, path: tuple = ()) -> Any:
    """Yield the path of everything in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def change_values(fields: Any, draw: Random, values: list[Any] = VALUES) -> None:
    """Replace, remove or add a few of the values inside a JSON value, wherever they are."""
    for _ in range(draw.choice([1, 1, 2, 5])):
        found = [place for place in places(fields) if place]
        if not found:
            return
        *path, last = draw.choice(found)
        holder = fields
        for key in path:
            holder = holder[key]
        value = draw.choice([*values, holder[last]])
        if draw.random() < 0.1:
            del holder[last]
        elif draw.random() < 0.1 and isinstance(holder, dict):
            holder[draw.choice(["more", "n_lags", "a" * 100])] = copy.deepcopy(value)
        elif draw.random() < 0.1 and isinstance(holder, list):
            holder[last:last] = [copy.deepcopy(holder[last])] * draw.choice([1, 2, 1000])
        elif type(holder[last]) is int and draw.random() < 0.3:
            holder[last] += draw.randrange(-2, 3)
        else:
            holder[last] = copy.deepcopy(value)


def hostile_json(text: bytes, draw: Random) -> bytes:
    """Return JSON with other values, or text that is nearly JSON."""
    way = draw.random()
    if way < 0.04:
        opening = draw.choice([b"[", b'{"a":', b'[{"a":['])
        return draw.choice([b"", text[: len(text) // 2]]) + opening * DEPTH
    if way < 0.08:
        return text.replace(b"1", draw.choice(NUMBERS).encode(), draw.choice([1, 3, -1]))
    if way < 0.11:
        return text.decode().encode(draw.choice(["utf-16", "utf-32", "utf-8-sig", "utf-16-le"]))
    if way < 0.13:
        return draw.choice(
            [b"", b"null", b"[]", b"{}", b"0", b'""', b"[[]]", b"nan", b"\0", b"\xff"]
        )
    fields = json.loads(text)
    change_values(fields, draw)
    with_spaces = draw.choice([None, 0, 1])
    try:
        return json.dumps(fields, indent=with_spaces).encode()
    except ValueError:  # an integer of more digits than Python writes
        return text[:-1] + b"9" * 5000


def hostile_table(text: bytes, draw: Random, delimiter: str = ",") -> bytes:
    """Return a text table with cells, rows, quotes or an encoding that nobody expects."""
    rows = [line.split(delimiter) for line in text.decode().split("\n")]
    for _ in range(draw.choice([1, 1, 2, 3, 20])):
        at, column = draw.randrange(len(rows)), draw.randrange(len(rows[0]))
        way = draw.randrange(9)
        if way < 3:
            rows[at][column % max(len(rows[at]), 1) : column + 1] = [cell(draw)]
        elif way == 3:  # a whole column
            filling = [cell(draw) for _ in range(draw.choice([1, 3]))]
            for i in range(draw.choice([0, 1]), len(rows)):
                rows[i][column : column + 1] = [filling[i % len(filling)]]
        elif way == 4:
            rows[at] = [cell(draw) for _ in range(draw.choice([0, 1, 5, 6, 300]))] or [""]
        elif way == 5:
            rows[at : at + 1] = [list(rows[at]) for _ in range(draw.choice([0, 2, 50]))] or [[""]]
        elif way == 6:
            rows[0] = [draw.choice([*TEXTS, "time", "x", rows[0][0]]) for _ in rows[0]]
        elif way == 7:
            draw.shuffle(rows)
        else:
            rows[at].insert(0, draw.choice(["#", "%", "//", '"', ";"]))
    delimiter = draw.choice([delimiter] * 12 + [";", "\t", " ", "|", "\0", ", "])
    ends = draw.choice(["\n"] * 8 + ["\r\n", "\r", "\n\n", "\0\n", ""])
    told = ends.join(delimiter.join(row) for row in rows)
    encoding = draw.choice(["utf-8"] * 12 + ["utf-16", "utf-8-sig", "utf-16-le", "utf-32"])
    return told.encode(encoding, "surrogatepass")


def extreme_fields(raw: bytes, draw: Random) -> bytes:
    """Set some aligned numbers of a binary file to extremes, mostly in its head or its end."""
    changed = bytearray(raw)
    for _ in range(draw.choice([1, 1, 2, 4])):
        size = draw.choice([1, 2, 4, 4, 8])
        reach = min(len(changed), draw.choice([64, 512, 4096, len(changed)]))
        at = draw.randrange(max(1, reach - size + 1))
        at -= at % size
        if draw.random() < 0.3:
            at = max(0, len(changed) - reach + at)
        value = draw.choice(EXTREME_INTEGERS) % 256**size
        order = draw.choice(["little", "little", "big"])
        changed[at : at + size] = value.to_bytes(size, order)
    return bytes(changed)


def hostile_npy(raw: bytes, draw: Random) -> bytes:
    """Return an .npy file whose header promises what the data does not hold, or a pickle."""
    way = draw.random()
    if way < 0.2:
        return pickle.dumps(Payload(), protocol=draw.randrange(6))
    shapes = [(60, 3), (3, 60), (180,), (), (0, 3), (3, 0), (2**31, 3), (2**62, 3), (-1, 3), (60,),
              (60, 3, 1), (1,) * 33, (2**40,), (60, 2**20), ("60", 3), (60.0, 3), [60, 3],
              (True, 180), 180, None, (1, 180), (10**30, 1)]  # fmt: skip
    types = ["<f8", ">f8", "<f4", "<f2", "|b1", "<i8", "<u8", "|u1", "<c16", "|O", "|S8", "<U2",
             "<M8[ns]", "<m8[s]", "|V8", "<f16", "<M8", [("a", "<f8")], [("a", "|O")], "x", "", 3,
             "<f8" * 1000, [("a", [("b", "|O")])], {"names": [], "formats": []}]  # fmt: skip
    fields: dict[str, Any] = {
        "descr": draw.choice(types) if draw.random() < 0.7 else "<f8",
        "fortran_order": draw.choice([False, False, True, 1, "x", None]),
        "shape": draw.choice(shapes) if draw.random() < 0.7 else (60, 3),
    }
    if draw.random() < 0.1:
        fields[draw.choice(["more", "descr", 1])] = draw.choice(["x", None, ()])
    if draw.random() < 0.1:
        del fields[draw.choice(list(fields))]
    text = repr(fields)
    if draw.random() < 0.1:
        text = draw.choice(["__import__('os').mkdir('" + MARKER + "')", "(" * 3000, "{" * 200, "",
                            "[0]*9**9", "9" * 5000, text + "\0", "{" + "1:{" * 99])  # fmt: skip
    header = text.encode() + b" " * draw.choice([0, 1, 64]) + b"\n"
    version = draw.choice([1, 1, 2, 3, 0, 9])
    stated = len(header) if draw.random() < 0.8 else draw.choice(EXTREME_INTEGERS)
    width = 2 if version == 1 else 4
    length = (stated % 256**width).to_bytes(width, "little")
    data = raw[128:]
    if draw.random() < 0.5:
        data = pickle.dumps(np.array([Payload()] * 3, dtype=object))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


NAMES = [
    "../x.npy",
    "/etc/x",
    "C:\\x",
    "x\0.npy",
    "",
    "X.NPY",
    "init.npy/",
    "a/" * 200 + "x.csv",
    "table.csv",
    "x.npy",
    "[Content_Types].xml",
    "é.csv",
    "x.csv.gz",
    "__main__.py",
]


def hostile_archive(members: dict[str, bytes], draw: Random, change: Any) -> bytes:
    """Return a zip with a changed member, other names, names twice, or a member that swells."""
    pairs = list(members.items())
    way = draw.random()
    at = draw.randrange(len(pairs))
    name, content = pairs[at]
    if way < 0.6:
        pairs[at] = (name, change(name, content))
    elif way < 0.7:
        pairs[at] = (draw.choice(NAMES), content)
    elif way < 0.8:
        pairs.insert(
            draw.randrange(len(pairs) + 1), (draw.choice([name, *NAMES]), change(name, content))
        )
    elif way < 0.85:
        pairs.pop(at)
    elif way < 0.9:
        pairs = [(f"{i}.npy", content) for i in range(draw.choice([2, 3000]))]
    elif way < 0.95:
        pairs[at] = (name, packed_by_python(pairs, zipfile.ZIP_STORED))
    else:
        pairs[at] = (name, swelling(draw))
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]
    return packed_by_python(pairs, draw.choice(methods))


def swelling(draw: Random) -> bytes:
    """Return what compresses to nearly nothing: at most 16 MB, which a reader must manage."""
    filling = draw.choice([b"\0", b" ", b",", b"\n", b"1,", b"1\n", b'"', b"[", b"<a>", b"0"])
    return filling * (2 ** draw.randrange(18, 25) // len(filling))


def packed_by_python(pairs: list[tuple[str, bytes]], method: int) -> bytes:
    """Return a zip of members, repeated names included, always with the same time."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # names are repeated on purpose
        for name, content in pairs:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, content)
    return stream.getvalue()
