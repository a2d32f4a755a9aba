"""Small files of every kind, and ways to damage them."""

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile

import numpy as np
import pytest
from scipy.io import netcdf_file, savemat


def series():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3))


def csv_bytes():
    lines = ["time,trial,x,y,z"]
    for i, row in enumerate(series().tolist()):
        lines.append(f"2024-01-01T00:{i % 30:02}:00,{i // 30}," + ",".join(map(repr, row)))
    return "\n".join(lines).encode()


def tsv_bytes():
    return csv_bytes().replace(b",", b"\t")


def npy_bytes():
    file = io.BytesIO()
    np.save(file, series())
    return file.getvalue()


def npz_bytes():
    file = io.BytesIO()
    np.savez_compressed(file, x=series())
    return file.getvalue()


def sound_bytes(form):
    soundfile = pytest.importorskip("soundfile")
    if form not in soundfile.available_formats():
        pytest.skip(f"this soundfile does not write {form}")
    file = io.BytesIO()
    noise = np.random.default_rng(0).uniform(-1, 1, size=(1500, 2))
    soundfile.write(file, noise, 8000, format=form)
    return file.getvalue()


def wav_bytes():
    return sound_bytes("WAV")


def flac_bytes():
    return sound_bytes("FLAC")


def ogg_bytes():
    return sound_bytes("OGG")


def mp3_bytes():
    return sound_bytes("MP3")


def video_bytes(form, codec, pixels):
    av = pytest.importorskip("av")
    file = io.BytesIO()
    with av.open(file, "w", format=form, options={"fflags": "bitexact"}) as container:
        stream = container.add_stream(codec, rate=10)
        stream.height, stream.width, stream.pix_fmt = 16, 16, pixels
        for i in range(20):
            picture = np.full((16, 16, 3), 30, dtype=np.uint8)
            picture[4:8, i % 12 : i % 12 + 4] = 220
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode())
    return file.getvalue()


def mp4_bytes():
    return video_bytes("mp4", "mpeg4", "yuv420p")


def avi_bytes():
    return video_bytes("avi", "mpeg4", "yuv420p")


def mkv_bytes():
    return video_bytes("matroska", "ffv1", "yuv420p")


def gif_bytes():
    return video_bytes("gif", "gif", "rgb8")


def parquet_bytes():
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    X = series()
    table = arrow.table(
        {"time": np.arange(60) * 0.5, "trial": ["a"] * 30 + ["b"] * 30, "x": X[:, 0], "y": X[:, 1]}
    )
    file = io.BytesIO()
    parquet.write_table(table, file, row_group_size=25)
    return file.getvalue()


def table():
    X = series()
    return {"time": (np.arange(60) * 0.5).tolist(), "x": X[:, 0].tolist(), "y": X[:, 1].tolist()}


def feather_bytes():
    arrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    file = io.BytesIO()
    feather.write_feather(arrow.table(table()), file)
    return file.getvalue()


def xlsx_bytes():
    book = pytest.importorskip("openpyxl").Workbook()
    columns = table()
    book.active.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    with zipfile.ZipFile(file) as written:
        members = {name: written.read(name) for name in written.namelist()}
    # The day and the time are in it: one day is as good as another.
    members["docProps/core.xml"] = re.sub(
        rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2024-01-01T00:00:00Z", members["docProps/core.xml"]
    )
    return packed(members)


def json_bytes():
    columns = table()
    rows = zip(*columns.values(), strict=True)
    return json.dumps([dict(zip(columns, row, strict=True)) for row in rows]).encode()


def jsonl_bytes():
    return b"\n".join(json.dumps(record).encode() for record in json.loads(json_bytes()))


def mat_bytes():
    file = io.BytesIO()
    savemat(file, {"X": series(), "rate": 10.0})
    return b"MATLAB 5.0 MAT-file".ljust(116) + file.getvalue()[116:]  # without the time of day


def edf_bytes():
    edfio = pytest.importorskip("edfio")
    X = series()
    signals = [edfio.EdfSignal(X[:, i], 10, label=f"x{i}") for i in range(3)]
    return edfio.Edf(signals).to_bytes()


def nc_bytes():
    file = io.BytesIO()
    columns = table()
    with netcdf_file(file, "w") as written:
        written.createDimension("time", 60)
        for name, cells in columns.items():
            written.createVariable(name, "f8", ("time",))[:] = cells
        written.variables["time"].units = b"hours since 2012-01-01"
        written.flush()
        return file.getvalue()


def nc4_bytes():
    h5py = pytest.importorskip("h5py")
    file = io.BytesIO()
    columns = table()
    with h5py.File(file, "w") as written:
        for name, cells in columns.items():
            written[name] = cells
        written["time"].make_scale("time")
        for name in ("x", "y"):
            written[name].dims[0].attach_scale(written["time"])
    return file.getvalue()


def mat73_bytes():
    h5py = pytest.importorskip("h5py")
    file = io.BytesIO()
    with h5py.File(file, "w", userblock_size=512) as written:
        written["X"] = series().T  # MATLAB's order
        written["X"].attrs["MATLAB_class"] = np.bytes_("double")
    text = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return text + file.getvalue()[len(text) :]


def packed(members):
    """Return a zip that is the same on every day."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def zip_bytes():
    return packed({"table.csv": csv_bytes()})


def gz_bytes():
    return gzip.compress(csv_bytes(), mtime=0)


def bz2_bytes():
    return bz2.compress(csv_bytes())


def xz_bytes():
    return lzma.compress(csv_bytes())


def json_gz_bytes():
    return gzip.compress(json_bytes(), mtime=0)


def zst_bytes():
    arrow = pytest.importorskip("pyarrow")
    return arrow.compress(csv_bytes(), codec="zstd", asbytes=True)


KINDS = {
    "csv": (csv_bytes, {"group": "trial"}),
    "tsv": (tsv_bytes, {"group": "trial"}),
    "csv.gz": (gz_bytes, {"group": "trial"}),
    "csv.bz2": (bz2_bytes, {"group": "trial"}),
    "csv.xz": (xz_bytes, {"group": "trial"}),
    "csv.zst": (zst_bytes, {"group": "trial"}),
    "zip": (zip_bytes, {"group": "trial"}),
    "feather": (feather_bytes, {}),
    "xlsx": (xlsx_bytes, {}),
    "json": (json_bytes, {}),
    "json.gz": (json_gz_bytes, {}),
    "jsonl": (jsonl_bytes, {}),
    "mat": (mat_bytes, {}),
    "v73.mat": (mat73_bytes, {}),
    "edf": (edf_bytes, {}),
    "nc": (nc_bytes, {}),
    "nc4": (nc4_bytes, {}),
    "npy": (npy_bytes, {}),
    "npz": (npz_bytes, {}),
    "wav": (wav_bytes, {}),
    "flac": (flac_bytes, {}),
    "ogg": (ogg_bytes, {}),
    "mp3": (mp3_bytes, {}),
    "mp4": (mp4_bytes, {}),
    "avi": (avi_bytes, {}),
    "mkv": (mkv_bytes, {}),
    "gif": (gif_bytes, {}),
    "parquet": (parquet_bytes, {"group": "trial"}),
}


def mutated(raw, rng):
    """Change some bytes in one of seven ways; more often near the ends, where headers are."""
    changed = bytearray(raw)
    for _ in range(rng.integers(1, 4)):
        size = len(changed)
        if size == 0:
            break
        at = int(size * rng.choice([rng.beta(0.4, 3), rng.beta(3, 0.4), rng.random()]))
        at = min(at, size - 1)
        length = int(rng.integers(1, 9))
        kind = rng.integers(0, 7)
        if kind == 0:
            changed[at] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1:
            changed[at : at + length] = rng.bytes(length)
        elif kind == 2:
            del changed[at:]
        elif kind == 3:
            del changed[at : at + length]
        elif kind == 4:
            changed[at:at] = changed[at : at + 40]
        elif kind == 5:
            changed[at : at + 4] = b"\xff\xff\xff\x7f"
        else:
            digits = [i for i, byte in enumerate(changed) if 48 <= byte <= 57]
            if digits:
                changed[int(rng.choice(digits))] = int(rng.integers(44, 60))
    return bytes(changed)
