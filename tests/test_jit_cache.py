"""Machine code on disk: whatever is wrong with it, kernels run, and that is said once."""

import os
import pickle
import warnings
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

from predfeat.exceptions import KernelCacheWarning

numba = pytest.importorskip("numba")
_jit_cache = pytest.importorskip("predfeat._jit_cache")

# A kernel of its own that calls another: compiled in tenths of a second, as ours are in seconds.
KERNELS = """
from predfeat._jit import compiled, compiled_strictly

@compiled_strictly
def square(x):
    return x * x

@compiled
def total(numbers):
    result = 0.0
    for number in numbers:
        result += square(number)
    return result
"""


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Load and call the kernels as a new process would; return the cache's hits and what was told.

    The cache is a folder of the test's own.
    """
    source = tmp_path / "kernels.py"
    source.write_text(KERNELS, encoding="utf-8")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def run():
        monkeypatch.setattr(_jit_cache, "_has_warned", False)
        specification = spec_from_file_location("kernels", source)
        kernels = module_from_spec(specification)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            specification.loader.exec_module(kernels)
            assert kernels.total(np.arange(4.0)) == 14.0
        assert all(issubclass(warning.category, KernelCacheWarning) for warning in caught)
        hits = sum(kernels.total.stats.cache_hits.values())
        return hits, [str(warning.message) for warning in caught]

    return run


def files(tmp_path, suffix):
    found = sorted((tmp_path / "cache").rglob(f"kernels.total*.{suffix}"))
    assert len(found) == 1
    return found[0]


class Executed:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


def empty(path):
    path.write_bytes(b"")


def scramble(path):
    path.write_bytes(np.random.default_rng(0).bytes(2000))


def flip_a_bit(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def replace_by_another_pickle(path):
    path.write_bytes(pickle.dumps({"no": "index"}))


def replace_by_a_folder(path):
    path.unlink()
    path.mkdir()


def forbid_to_read(path):
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")


either_file = pytest.mark.parametrize("suffix", ["nbi", "nbc"])


@either_file
@pytest.mark.parametrize("damage", [truncate, empty, scramble, flip_a_bit])
def test_damage_is_told_once_and_mended(call, tmp_path, suffix, damage):
    call()
    assert call() == (1, [])
    path = files(tmp_path, suffix)
    damage(path)
    hits, told = call()
    assert hits == 0
    assert len(told) == 1
    assert str(path) in told[0]
    assert "NUMBA_CACHE_DIR" in told[0]
    assert call() == (1, [])  # it was replaced


@either_file
def test_a_pickle_of_something_else_is_replaced(call, tmp_path, suffix):
    call()
    replace_by_another_pickle(files(tmp_path, suffix))
    assert call()[0] == 0
    assert call() == (1, [])


@either_file
def test_a_folder_in_its_place_is_told_and_nothing_breaks(call, tmp_path, suffix):
    call()
    replace_by_a_folder(files(tmp_path, suffix))
    hits, told = call()
    assert hits == 0
    assert len(told) == 1


@either_file
def test_a_file_that_may_not_be_read_is_replaced(call, tmp_path, suffix):
    call()
    forbid_to_read(files(tmp_path, suffix))
    assert call()[0] == 0
    assert call() == (1, [])


def test_code_that_is_missing_is_compiled_without_a_word(call, tmp_path):
    call()
    files(tmp_path, "nbc").unlink()
    assert call() == (0, [])
    assert call() == (1, [])


def test_what_does_not_fit_its_digest_is_not_unpickled(call, tmp_path):
    call()
    path = files(tmp_path, "nbc")
    content = path.read_bytes()
    harmful = pickle.dumps(Executed(tmp_path / "executed"))
    path.write_bytes(harmful + content[len(harmful) :])
    assert "has changed" in call()[1][0]
    assert not (tmp_path / "executed").exists()


def test_a_full_disk_costs_the_cache_only(call, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_jit_cache._CheckedFiles, "_dump", full)
    hits, told = call()
    assert hits == 0
    assert len(told) == 1
    assert "No space left" in told[0]


def test_a_folder_that_cannot_be_written_is_done_without(call, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert call()[1] == []
