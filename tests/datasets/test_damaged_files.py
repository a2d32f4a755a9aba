"""Files cut short and archives that lie are refused with the named error.

Random damage of every kind of file is in tests/fuzzing.
"""

import os
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from damage import KINDS, csv_bytes, mutated, npy_bytes
from predfeat.datasets import read
from predfeat.exceptions import DataFileError

OPEN_FILES = Path("/proc/self/fd")


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


def test_members_without_a_name_are_passed_over(tmp_path):
    path = tmp_path / "file.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"1,2\n")
    with pytest.raises(DataFileError, match=r"file\.zip"):
        read(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("table.csv", csv_bytes())
    assert read(path, group="trial").values.shape == (60, 3)
