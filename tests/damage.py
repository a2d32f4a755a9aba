"""Small files of every kind, and ways to damage them."""

import io

import numpy as np
import pytest


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


KINDS = {
    "csv": (csv_bytes, {"group": "trial"}),
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
