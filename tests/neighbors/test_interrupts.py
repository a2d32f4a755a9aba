"""Ctrl-C in the middle of a search: it ends soon, and by nothing but the interrupt."""

import os
import signal
import subprocess
import sys
import time

import pytest

from predfeat._jit import is_available

# Minutes of searches, so that the signal meets one of them.
PROGRAM = """
import sys
import numpy as np
from predfeat import nearest_neighbors

X = np.random.default_rng(0).normal(size=(30_000, 6))
nearest_neighbors(X[:300], n_neighbors=10, engine=sys.argv[1], n_jobs=2)  # all is loaded
print("ready", flush=True)
while True:
    nearest_neighbors(X, n_neighbors=10, n_lags=2, engine=sys.argv[1], n_jobs=2)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
@pytest.mark.parametrize("engine", ["tree", "tiles", "blockwise"])
def test_an_interrupt_ends_a_search_without_a_crash(engine):
    if engine == "tiles" and not is_available():
        pytest.skip("needs numba")
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, engine],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores Ctrl-C, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    # Two seconds on a machine that does nothing else.
    assert time.monotonic() - started < 10.0
    assert process.returncode == -signal.SIGINT  # as Python ends by an interrupt
    assert said.rstrip().endswith("KeyboardInterrupt")
