"""Tasks on a Dask cluster that exists, or on one of this machine's own.

The scheduler, the transport and the repetition of tasks whose worker has died are Dask's. What a
task needs is either part of the task itself or read by it: there is nothing that cannot be made
again.
"""

from __future__ import annotations

import logging
import pkgutil
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from predfeat._progress import ticker
from predfeat._version import __version__
from predfeat.exceptions import ClusterError, MissingLibraryError
from predfeat.series._dask_rows import DaskRows, ReadRows
from predfeat.series._rows import Rows, Task, Window, done

__all__ = ["check_workers", "map_on_cluster", "open_cluster"]

_SECONDS_TO_CONNECT = 10.0
# Workers may take this long to start, or to be started again.
_SECONDS_WITHOUT_WORKERS = 60.0
# Tasks that wait or work at once, for each thread of the cluster: the results of the others, which
# may be many, need no memory.
_TASKS_PER_THREAD = 3


@contextmanager
def open_cluster(address: str) -> Iterator[Any]:
    """Connect with a Dask cluster, or start one on this machine.

    Parameters
    ----------
    address : str
        The scheduler's, such as "tcp://10.0.0.1:8786", or "local": one worker for each core.

    Yields
    ------
    distributed.Client

    Raises
    ------
    ClusterError
        The scheduler does not answer within 10 seconds, it has no worker within 60, or a worker
        has another version of predfeat or none.

    Examples
    --------
    >>> from predfeat.series import open_cluster, open_rows
    >>> with open_cluster("tcp://10.0.0.1:8786") as client:  # doctest: +SKIP
    ...     model = GPFA().fit(open_rows("big.npy", client=client))
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingLibraryError(
            'clusters need Dask: pip install "predfeat[distributed]"'
        ) from error
    if address == "local":
        with (
            LocalCluster(
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.ERROR,
            ) as cluster,
            Client(cluster) as client,
        ):
            check_workers(client)
            yield client
        return
    try:
        # As the default, a client that fails could remain Dask's scheduler for other work.
        with Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False):
            pass
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address!r} within {_SECONDS_TO_CONNECT:g} seconds: "
            f"{error}. Give the address that `dask scheduler` prints, such as "
            'tcp://10.0.0.1:8786, or "local".'
        ) from error
    with Client(address, timeout=_SECONDS_TO_CONNECT) as client:
        check_workers(client)
        yield client


def check_workers(client: Any, timeout: float = _SECONDS_WITHOUT_WORKERS) -> None:
    """Raise if there is no worker, or if one cannot do what this process would do.

    Parameters
    ----------
    client : distributed.Client
    timeout : float
        Seconds to wait for the first worker.

    Raises
    ------
    ClusterError
    """
    _wait_for_worker(client, timeout)
    # A function of Python's own: it does not need predfeat to arrive.
    found = client.run(pkgutil.resolve_name, "predfeat._version:__version__", on_error="return")
    for worker, version in sorted(found.items()):
        if isinstance(version, BaseException):
            raise ClusterError(
                f"worker {worker} cannot import predfeat: {version}. Install predfeat "
                f"{__version__} in the environment of every worker."
            )
        if version != __version__:
            raise ClusterError(
                f"worker {worker} has predfeat {version}, and this process {__version__}. Install "
                "the same version everywhere."
            )


def map_on_cluster(
    client: Any,
    rows: Rows,
    task: Task,
    windows: Sequence[Window],
    parameters: dict[str, Any],
) -> Iterator[Any]:
    """Do a task in every window on the workers; yield the results in the order of the windows."""
    import dask
    from dask.delayed import delayed

    is_array = isinstance(rows, DaskRows)
    # One large argument of many tasks travels once, as the result of a task that returns it.
    # Dask advises against large arguments above 10 MB, because they stay with the scheduler: here
    # that is the purpose, for a worker's share of them may be lost.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "10 GB"}):
        shared = client.submit(_given, (None if is_array else rows, task, parameters), pure=False)
    n_at_once = _TASKS_PER_THREAD * max(sum(client.nthreads().values()), 1)
    pending: deque[Any] = deque()
    tick = ticker(len(windows))
    try:
        for window in windows:
            if isinstance(rows, DaskRows):
                piece = rows.array[window.first : window.end]
                pending.append(
                    client.compute(delayed(_on_piece, pure=False)(shared, window, piece))
                )
            else:
                pending.append(client.submit(_on_source, shared, window, pure=False))
            if len(pending) >= n_at_once:
                yield _result(client, pending.popleft())
                tick()
        while pending:
            yield _result(client, pending.popleft())
            tick()
    finally:
        client.cancel([*pending, shared])


def _given(parameters: Any) -> Any:
    return parameters


def _on_source(shared: Any, window: Window) -> Any:
    rows, task, parameters = shared
    return done(rows, task, window, parameters)


def _on_piece(shared: Any, window: Window, values: Any) -> Any:
    _, task, parameters = shared
    return done(ReadRows(values, window.first), task, window, parameters)


def _result(client: Any, future: Any) -> Any:
    """Return a task's result; raise if the cluster has lost all its workers for good."""
    from distributed import KilledWorker

    while True:
        try:
            return future.result(timeout=_SECONDS_WITHOUT_WORKERS)
        except TimeoutError:
            if future.done():  # it is the task's own error
                raise
            _wait_for_worker(client, _SECONDS_WITHOUT_WORKERS)
        except KilledWorker as error:
            raise ClusterError(
                f"a task ended its worker several times: {error} Workers need memory for some "
                "blocks of rows, about 200 MB each; give them more, or use fewer threads each."
            ) from error


def _wait_for_worker(client: Any, timeout: float) -> None:
    try:
        client.wait_for_workers(1, timeout=timeout)
    except TimeoutError as error:
        raise ClusterError(
            f"the cluster {client.scheduler.address} has had no worker for {timeout:g} seconds. "
            "Start workers with `dask worker ADDRESS`."
        ) from error
