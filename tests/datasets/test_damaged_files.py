"""Damaged files: each is either read or refused with the named error; nothing else happens."""

import io
import sys
import warnings
import zipfile

import numpy as np
import pytest

from predfeat.datasets import read
from predfeat.exceptions import DataFileError

N_MUTATIONS = 500
MOST_MEMORY = 200_000_000  # bytes, beyond what the process had used before


def peak_memory():
    """Return the most memory this process has had, in bytes; 0 where the system does not tell."""
    resource = pytest.importorskip("resource")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


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


@pytest.mark.parametrize("kind", KINDS)
def test_mutations(tmp_path, kind):
    make, options = KINDS[kind]
    raw = make()
    path = tmp_path / f"file.{kind}"
    path.write_bytes(raw)
    whole = read(path, **options)
    assert len(whole.values) > 0
    outcomes = {"read": 0, "refused": 0}
    longest = 0
    before = peak_memory()
    for seed in range(N_MUTATIONS):
        path.write_bytes(mutated(raw, np.random.default_rng(seed)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                recording = read(path, **options)
            except DataFileError as error:
                outcomes["refused"] += 1
                longest = max(longest, len(str(error)))
                continue
        outcomes["read"] += 1
        assert recording.values.ndim == 2
        assert recording.values.dtype.kind == "f"
        assert len(recording.names) == recording.values.shape[1]
    assert peak_memory() - before < MOST_MEMORY
    assert longest < 700
    # The mutations reach both sides of the door, or they would test nothing. (A compressed archive
    # has a checksum over nearly every byte.)
    assert min(outcomes.values()) > (5 if kind == "npz" else 20), outcomes


def test_every_way_to_cut_a_file_short(tmp_path):
    for kind in ("npy", "npz", "parquet"):
        make, options = KINDS[kind]
        raw = make()
        path = tmp_path / f"file.{kind}"
        for end in range(1, len(raw), max(1, len(raw) // 60)):
            path.write_bytes(raw[:end])
            with pytest.raises(DataFileError):
                read(path, **options)


def test_archives_that_lie(tmp_path):
    raw = npy_bytes()
    path = tmp_path / "file.npz"
    for name, content in [
        ("x.npy", b""),
        ("x.npy", b"\x93NUMPY"),
        ("x.npy", b"\x93NUMPY\x09\x09" + raw[8:]),
        ("x.npy", raw[:-1]),
        ("x.npy", b"\x80\x04cos\nsystem\n"),
        ("x.txt", raw),
    ]:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, content)
        with pytest.raises(DataFileError):
            read(path)
