"""Fits on a Dask cluster: the same bits, whoever does the work and whoever dies."""

import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest

from predfeat import GPFA, PFA, SFA
from predfeat._progress import following
from predfeat.exceptions import ChangedFileError, ClusterError
from predfeat.series import check_workers, open_cluster, open_rows

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

# What Dask leaves open when a worker is killed or a cluster is closed is not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("small_blocks"),
]

GROUPS = np.repeat([0, 1], [170, 130])


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def X():
    rows = np.random.default_rng(0).normal(size=(300, 3))
    rows[70] = np.nan
    return rows


@pytest.fixture
def file(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    return tmp_path / "x.npy"


@contextmanager
def at_step(number, act):
    """Act once, when so many iterations are done."""
    todo = [act]

    def on_progress(done, total):
        if done > number and todo:
            todo.pop()()

    with following(on_progress):
        yield
    assert not todo


def gpfa():
    return GPFA(n_lags=2, n_neighbors=4, n_centers=90, max_iter=3, tol=0)


@pytest.mark.parametrize("model", [SFA(), PFA(n_lags=2), gpfa()])
def test_a_cluster_gives_the_bits_of_an_array(model, X, file, client):
    expected = model.fit(X, groups=GROUPS).components_
    rows = open_rows(file, groups=GROUPS, client=client)
    assert np.array_equal(model.fit(rows).components_, expected)
    array = da.from_array(X, chunks=(130, 2))  # the current client is found
    assert np.array_equal(model.fit(array, groups=GROUPS).components_, expected)


def test_a_worker_that_is_killed_changes_nothing(X, file, client):
    model = gpfa()
    expected = model.fit(X, groups=GROUPS).components_
    victim = next(iter(client.run(os.getpid).values()))
    with at_step(1, lambda: os.kill(victim, signal.SIGKILL)):
        model.fit(open_rows(file, groups=GROUPS, client=client))
    assert np.array_equal(model.components_, expected)


def test_errors_of_a_task_arrive(X, file, client):
    with (
        at_step(1, lambda: os.utime(file, (1, 1))),
        pytest.raises(ChangedFileError, match="has changed since it was opened"),
    ):
        gpfa().fit(open_rows(file, client=client))


def test_workers_have_the_same_predfeat(client, monkeypatch):
    check_workers(client)
    monkeypatch.setattr("predfeat.series._cluster.__version__", "999")
    with pytest.raises(
        ClusterError, match=r"worker tcp://.* has predfeat .*, and this process 999"
    ):
        check_workers(client)


class FakeClient:
    """A cluster as it may be found."""

    def __init__(self, answer=None):
        self.answer = answer
        self.scheduler = type("Scheduler", (), {"address": "tcp://nobody:1"})

    def wait_for_workers(self, n_workers, timeout):
        if self.answer is None:
            raise TimeoutError

    def run(self, *_, **__):
        return {"tcp://one:2": self.answer}


def test_a_cluster_that_cannot_work_is_refused():
    with pytest.raises(ClusterError, match="tcp://nobody:1 has had no worker for 3 seconds"):
        check_workers(FakeClient(), timeout=3)
    with pytest.raises(ClusterError, match="worker tcp://one:2 cannot import predfeat: No module"):
        check_workers(FakeClient(ModuleNotFoundError("No module named 'predfeat'")))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x"])
def test_a_cluster_that_does_not_answer_is_refused(address, monkeypatch):
    monkeypatch.setattr("predfeat.series._cluster._SECONDS_TO_CONNECT", 0.5)
    with (
        pytest.raises(ClusterError, match=r"no Dask scheduler answers at .* within 0\.5 seconds"),
        open_cluster(address),
    ):
        pass
