"""Damaged files: each is either read or refused with the named error; nothing else happens."""

import os
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from damage import KINDS, mutated, npy_bytes
from predfeat.datasets import read
from predfeat.exceptions import DataFileError

N_MUTATIONS = 500
OPEN_FILES = Path("/proc/self/fd")
MOST_MEMORY = 200_000_000  # bytes, beyond what the process had used before


def peak_memory():
    """Return the most memory this process has had, in bytes; 0 where the system does not tell."""
    resource = pytest.importorskip("resource")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


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
    assert min(outcomes.values()) > (5 if kind in ("npz", "zip") else 20), outcomes


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="the system does not tell which files are open")
def test_a_refused_workbook_is_closed(tmp_path):
    make, options = KINDS["xlsx"]
    path = tmp_path / "file.xlsx"
    refused = []  # kept, with all that their tracebacks hold on to
    for seed in range(40):
        path.write_bytes(mutated(make(), np.random.default_rng(seed)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                read(path, **options)
            except DataFileError as error:
                refused.append(error)
        if refused:
            assert path not in [Path(os.path.realpath(entry)) for entry in OPEN_FILES.iterdir()]


def test_every_way_to_cut_a_file_short(tmp_path):
    for kind in ("npy", "npz", "parquet", "feather", "xlsx", "json", "zip"):
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
