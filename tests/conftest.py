"""Fixtures for all tests. Plain functions that they share are in modules beside this one."""

import io
import os
import sys

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_info, threadpool_limits

# New cases are looked for where someone can look into what is found: elsewhere, and in
# benchmarks/quality/fuzz.py. In CI every run of one commit tries the same cases.
settings.register_profile("same cases", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("same cases")


@pytest.fixture(params=range(5))
def seed(request):
    """Five seeds, for tests that hold for any; those that are slow name fewer themselves."""
    return request.param


@pytest.fixture
def run_main(monkeypatch):
    """Return a function that runs the command as `predfeat` does, but in this process.

    It returns the exit code, standard output and standard error.
    """
    from predfeat.cli import main

    def run(*arguments):
        out, err = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["predfeat", *map(str, arguments)])
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as ended:
                main()
        return ended.value.code or 0, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def two_blas_threads():
    """Let BLAS have two threads; return a function that reads the counts of all BLAS libraries."""

    def counts():
        # A BLAS that OpenMP runs, such as faiss's, has a count for each thread that calls it.
        return [
            pool["num_threads"]
            for pool in threadpool_info()
            if pool["user_api"] == "blas" and pool.get("threading_layer") != "openmp"
        ]

    with threadpool_limits(limits=2, user_api="blas"):
        if set(counts()) != {2}:
            pytest.skip("this BLAS does not take a second thread")
        yield counts


@pytest.fixture
def small_blocks(monkeypatch):
    """Let series of more than 100 rows count as long, and blocks have 64 rows."""
    from predfeat.series import _rows

    monkeypatch.setattr(_rows, "_READ_WHOLE", 100)
    monkeypatch.setattr(_rows, "_NUMBERS_IN_A_BLOCK", 64)
    monkeypatch.setattr(_rows, "_FEWEST_ROWS", 64)
