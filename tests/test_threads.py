"""The number of BLAS threads: limited while anybody needs it, and then as it was."""

from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from predfeat import SFA, ForeCA
from predfeat._threads import as_in_a_worker, one_blas_thread


def blas_counts():
    # A BLAS that OpenMP runs, such as faiss's, has a count for each thread that calls it.
    return {
        pool["num_threads"]
        for pool in threadpool_info()
        if pool["user_api"] == "blas" and pool.get("threading_layer") != "openmp"
    }


pytestmark = pytest.mark.usefixtures("two_blas_threads")


def in_steps(limit, steps):
    """Enter and leave the limit in two threads, in the order of (name, "in" or "out")."""
    go = {step: Event() for step in steps}
    done = {step: Event() for step in steps}
    seen = []

    def live(name):
        go[name, "in"].wait(30)
        with limit():
            done[name, "in"].set()
            go[name, "out"].wait(30)
        done[name, "out"].set()

    threads = [Thread(target=live, args=(name,)) for name in dict(steps)]
    for thread in threads:
        thread.start()
    for step in steps:
        go[step].set()
        assert done[step].wait(30)
        seen.append(blas_counts())
    for thread in threads:
        thread.join()
    return seen


OVERLAPPING = [("a", "in"), ("b", "in"), ("a", "out"), ("b", "out")]


@pytest.mark.parametrize("limit", [one_blas_thread, as_in_a_worker])
def test_the_last_to_leave_restores_the_count(limit):
    # Were it saved and restored by each, the second would restore the limit of the first.
    assert in_steps(limit, OVERLAPPING) == [{1}, {1}, {1}, {2}]


@pytest.mark.parametrize("limit", [one_blas_thread, as_in_a_worker])
def test_one_within_the_other_restores_the_count_at_the_end(limit):
    steps = [("a", "in"), ("b", "in"), ("b", "out"), ("a", "out")]
    assert in_steps(limit, steps) == [{1}, {1}, {1}, {2}]


def test_fits_at_once_leave_the_count_as_it_was():
    X = np.random.default_rng(0).normal(size=(400, 5))

    def fit(number):
        for _ in range(5):
            (ForeCA(2) if number % 2 else SFA(2)).fit(X)

    threads = [Thread(target=fit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blas_counts() == {2}


def test_a_count_that_was_changed_meanwhile_stays():
    with one_blas_thread():
        threadpool_limits(limits=3, user_api="blas")
        with one_blas_thread():
            assert blas_counts() == {1}
        assert blas_counts() == {1}  # still limited for the first
    assert blas_counts() == {3}


def test_the_count_is_restored_after_an_error():
    with pytest.raises(KeyboardInterrupt), one_blas_thread():
        raise KeyboardInterrupt
    assert blas_counts() == {2}


def test_wide_matrices_keep_their_threads():
    with one_blas_thread(257):
        assert blas_counts() == {2}
