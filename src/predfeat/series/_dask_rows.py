"""The rows of a Dask array."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from predfeat._typing import AnyArray, FloatArray, IntArray
from predfeat.exceptions import DataError
from predfeat.series._rows import (
    Rows,
    as_float64,
    check_numbers,
    numbered_names,
    resolution_of,
)

__all__ = ["DaskRows", "is_dask_array"]


def is_dask_array(X: Any) -> bool:
    """Tell whether X is a Dask array, without importing Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(X, module.Array)


class DaskRows(Rows):
    """The rows of a Dask array, on the cluster of the current client if there is one.

    Without a client, Dask's own scheduler computes each block, and the work on it is done here.
    """

    def __init__(
        self,
        array: Any,
        *,
        borders: IntArray | None = None,
        ids: AnyArray | None = None,
        client: Any = None,
    ) -> None:
        check_numbers(array.dtype, array.shape, "X")
        if any(np.isnan(length) for length in array.shape):
            raise DataError(
                "X is a Dask array whose chunks have unknown lengths. Call "
                "X.compute_chunk_sizes() first."
            )
        self.array = array
        self.n_rows, self.n_columns = (int(length) for length in array.shape)
        self.names = numbered_names(self.n_columns)
        self.resolution = resolution_of(array.dtype)
        self.borders = np.zeros(1, dtype=np.intp) if borders is None else borders
        self.ids = ids
        self.client = _current_client() if client is None else client

    def read(self, start: int, stop: int) -> FloatArray:
        """See `Rows.read`."""
        return as_float64(self.array[start:stop].compute())

    def map(self, task: Any, windows: Any, parameters: dict[str, Any]) -> Iterator[Any]:
        """See `Rows.map`."""
        if self.client is None:
            return super().map(task, windows, parameters)
        from predfeat.series._cluster import map_on_cluster

        return map_on_cluster(self.client, self, task, windows, parameters)


class ReadRows(Rows):
    """Rows that have been read already: the only ones that a task on a Dask array can see."""

    def __init__(self, values: AnyArray, first: int) -> None:
        self.values, self.first = as_float64(values), first

    def read(self, start: int, stop: int) -> FloatArray:
        """See `Rows.read`."""
        return self.values[start - self.first : stop - self.first]


def _current_client() -> Any:
    """Return the client that the user has connected, if there is one."""
    if "distributed" not in sys.modules:
        return None
    from distributed import get_client

    try:
        return get_client(timeout=0)
    except ValueError:  # there is none
        return None
