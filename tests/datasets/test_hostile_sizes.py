"""Small files that state huge sizes are refused under a memory limit, whatever is in them.

All are read in one process with little memory, which tells what became of each.
"""

import io
import json
import os
import re
import subprocess
import sys
import wave
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import predfeat
from damage import KINDS

pytest.importorskip("resource")

ROOM = 160 * 10**6  # bytes beside the libraries; every file states more
CHILD = """
import importlib, json, resource, sys, warnings
warnings.simplefilter("ignore")
import predfeat.datasets as datasets
for name in ("soundfile", "soxr", "openpyxl", "h5py", "scipy.io", "scipy.signal", "pyarrow",
             "pyarrow.parquet", "pyarrow.feather"):
    try:
        importlib.import_module(name)
    except ImportError:
        pass
for name in json.loads(sys.argv[3]):
    datasets.read(name)  # what libraries take for themselves at their first use

def memory(field):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(lines[field].split()[0]) * 1024

before = memory("VmSize")
resource.setrlimit(resource.RLIMIT_AS, (before + int(sys.argv[1]), resource.RLIM_INFINITY))
told = {}
for name, options in json.loads(sys.argv[2]).items():
    try:
        datasets.read(name, **options)
        message = "read"
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
    told[name] = message
print(json.dumps([told, memory("VmPeak") - before]))
"""


def read_with_little_memory(folder, options):
    """Return what became of each file, and the memory that was taken beside the libraries."""
    sound = []
    for kind in ("parquet", "feather", "xlsx", "nc4", "wav"):
        try:
            (folder / f"sound.{kind}").write_bytes(KINDS[kind][0]())
        except pytest.skip.Exception:
            continue
        sound.append(f"sound.{kind}")
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",  # else each thread reserves memory of its own
        "PYTHONPATH": str(Path(predfeat.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(ROOM), json.dumps(options), json.dumps(sound)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def gz(*pieces):
    """Compress pieces of (bytes, how many times)."""
    stream = zlib.compressobj(6, zlib.DEFLATED, 31)
    made = [stream.compress(part) for part, times in pieces for _ in range(times)]
    return b"".join(made) + stream.flush()


def npy_header(shape, dtype="<f8"):
    file = io.BytesIO()
    fields = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, fields)
    return file.getvalue()


def zipped(name, *pieces):
    """Return an archive of one member, written piece by piece so that it is never whole here."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w", force_zip64=True) as member,
    ):
        for part, times in pieces:
            for _ in range(times):
                member.write(part)
    return file.getvalue()


MB = bytes(2**20)


def npz_of_bytes():
    # 40 MB as they are, but nine times that with the floats they become.
    return zipped("x.npy", (npy_header((40 * 2**20, 1), "|u1"), 1), (MB, 40))


def wav_of_one_hertz():
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 1, 0, "NONE", ""))
        sound.writeframes(bytes(2 * 300_000))
    return file.getvalue()


def xlsx_with_row(number):
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    file = io.BytesIO()
    book.save(file)
    changed = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename.endswith("sheet1.xml"):
                content = content.replace(b'<row r="2"', b'<row r="%d"' % number)
            new.writestr(info, content)
    return changed.getvalue()


def xlsx_bomb():
    whole = io.BytesIO(xlsx_with_row(2))
    with zipfile.ZipFile(whole, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", 60 * MB)
    return whole.getvalue()


def mat_bomb():
    file = io.BytesIO()
    savemat(file, {"X": np.zeros((20_000, 500))}, do_compression=True)
    return file.getvalue()


def hdf5(chunks, shape):
    h5py = pytest.importorskip("h5py")
    file = io.BytesIO()
    with h5py.File(file, "w") as written:
        written.create_dataset("X", shape, "f8", chunks=chunks, compression="gzip")
    return file.getvalue()


def parquet(long_texts=False):
    arrow = pytest.importorskip("pyarrow")
    module = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    columns = {"x": np.zeros(25 * 10**6)}
    if long_texts:
        texts = arrow.DictionaryArray.from_arrays(np.zeros(10**4, np.int8), ["a" * 10**5])
        columns = {"x": np.arange(10**4), "t": texts}
    # Without Arrow's own schema the texts are read as plain ones.
    module.write_table(arrow.table(columns), file, compression="zstd", store_schema=False)
    return file.getvalue()


def feather():
    arrow = pytest.importorskip("pyarrow")
    module = pytest.importorskip("pyarrow.feather")
    file = io.BytesIO()
    module.write_feather(arrow.table({"x": np.zeros(4 * 10**7)}), file, compression="zstd")
    return file.getvalue()


def records_of_other_names():
    return json.dumps([{f"x{i}": i} for i in range(6_000)]).encode()


def nested(depth):
    return b"[" + b'{"a":' * depth + b"1" + b"}" * depth + b"]"


def directory_of(n_members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", b"a,b\n1,2\n")
        archive.comment = b""
    raw = bytearray(file.getvalue())
    at = raw.rfind(b"PK\x05\x06")
    raw[at + 12 : at + 16] = (46 * n_members).to_bytes(4, "little")
    return bytes(raw)


# For each kind: the file, options, and what the refusal says.
HOSTILE = {
    "commas.csv.gz": (lambda: gz((b"," * 10**6, 33)), {}, "columns"),
    "blanks.txt.gz": (lambda: gz((b"1 " * 10**6, 15)), {}, "columns"),
    "no-end.csv.gz": (lambda: gz((b"1" * 10**6, 40)), {}, "line|memory"),
    "one-row.csv.gz": (lambda: gz((b'"a\n",' * 10**5, 100)), {}, "memory"),
    "comments.csv.gz": (lambda: gz((b"#\n# x\n" * 1000, 60)), {}, "lines of comments"),
    "bomb.csv.gz": (lambda: gz((b"1,2,3,4,5,6,7,8,9,0\n" * 10**4, 200)), {}, "memory"),
    "times.csv.gz": (
        lambda: gz((b"time,b\n", 1), (b"2024-01-01T00:00:00.000000,2\n" * 10**4, 300)),
        {"time": "time"}, "memory",
    ),
    "bomb.jsonl.gz": (lambda: gz((b'{"a":1}\n' * 10**4, 100)), {}, "memory"),
    "line.jsonl.gz": (lambda: gz((b"[" * 10**6, 40)), {}, "line|memory"),
    "bomb.json.gz": (lambda: gz((b"[", 1), (b"{}," * 10**5, 100)), {}, "memory"),
    "names.json": (records_of_other_names, {}, "memory"),
    "deep.json": (lambda: nested(500), {}, "levels of JSON"),
    "deepest.json": (lambda: b"[" * 200_000, {}, "levels of JSON"),
    "bytes.npz": (npz_of_bytes, {}, "memory"),
    "wide.npz": (
        lambda: zipped("x.npy", (npy_header((2, 2**20), "|u1"), 1), (MB, 2)), {}, "columns"
    ),
    "directory.npz": (lambda: directory_of(10**6), {}, "directory"),
    "directory.zip": (lambda: directory_of(10**6), {}, "directory"),
    "slow.wav": (wav_of_one_hertz, {"rate": 22050}, "memory"),
    "rows.xlsx": (lambda: xlsx_with_row(10**12), {}, "rows in a sheet"),
    "bomb.xlsx": (xlsx_bomb, {}, "memory"),
    "bomb.mat": (mat_bomb, {}, "memory"),
    "chunk.mat": (lambda: hdf5((2**14, 2**14), (2**14, 2**14)), {}, "memory"),
    "entries.mat": (lambda: hdf5((1, 1), (10**5, 5)), {}, "memory"),
    "rows.mat": (lambda: hdf5((1000, 1000), (10**6, 10**5)), {}, "memory"),
    "rows.parquet": (parquet, {}, "memory"),
    "texts.parquet": (
        lambda: parquet(long_texts=True), {}, "memory",
    ),
    "bomb.feather": (feather, {}, "memory"),
}  # fmt: skip


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    if not Path("/proc/self/status").exists():
        pytest.skip("needs a system that limits and tells the memory of a process")
    folder = tmp_path_factory.mktemp("hostile")
    options = {}
    for name, (make, given, _) in HOSTILE.items():
        try:
            (folder / name).write_bytes(make())
        except pytest.skip.Exception:
            continue
        options[name] = given
        assert (folder / name).stat().st_size < 10**7, name
    return read_with_little_memory(folder, options)


@pytest.mark.parametrize("name", HOSTILE)
def test_huge_sizes_are_refused(outcomes, name):
    told, taken = outcomes
    assert taken <= ROOM
    if name not in told:
        pytest.skip("a library for this kind of file is not installed")
    message = told[name]
    assert message.startswith("DataFileError: "), message
    assert re.search(HOSTILE[name][2], message), message
    assert "damaged" not in message
