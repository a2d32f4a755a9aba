"""Small files of every kind, and ways to damage them."""

import io
import json
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


def npy_bytes():
    file = io.BytesIO()
    np.save(file, series())
    return file.getvalue()


def npz_bytes():
    file = io.BytesIO()
    np.savez_compressed(file, x=series())
    return file.getvalue()


def wav_bytes():
    soundfile = pytest.importorskip("soundfile")
    file = io.BytesIO()
    noise = np.random.default_rng(0).uniform(-1, 1, size=(1500, 2))
    soundfile.write(file, noise, 8000, format="WAV")
    return file.getvalue()


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
    return file.getvalue()


def json_bytes():
    columns = table()
    rows = zip(*columns.values(), strict=True)
    return json.dumps([dict(zip(columns, row, strict=True)) for row in rows]).encode()


def jsonl_bytes():
    return b"\n".join(json.dumps(record).encode() for record in json.loads(json_bytes()))


def mat_bytes():
    file = io.BytesIO()
    savemat(file, {"X": series(), "rate": 10.0})
    return file.getvalue()


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


def zip_bytes():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", csv_bytes())
    return file.getvalue()


def zst_bytes():
    arrow = pytest.importorskip("pyarrow")
    return arrow.compress(csv_bytes(), codec="zstd", asbytes=True)


KINDS = {
    "csv": (csv_bytes, {"group": "trial"}),
    "csv.zst": (zst_bytes, {"group": "trial"}),
    "zip": (zip_bytes, {"group": "trial"}),
    "feather": (feather_bytes, {}),
    "xlsx": (xlsx_bytes, {}),
    "json": (json_bytes, {}),
    "jsonl": (jsonl_bytes, {}),
    "mat": (mat_bytes, {}),
    "edf": (edf_bytes, {}),
    "nc": (nc_bytes, {}),
    "nc4": (nc4_bytes, {}),
    "npy": (npy_bytes, {}),
    "npz": (npz_bytes, {}),
    "wav": (wav_bytes, {}),
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
