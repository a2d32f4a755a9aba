"""The input: sequences, gaps, states, successors and predecessors.

Only this package knows that rows belong to sequences and that rows can be missing, and every
message about data comes from here. Later stages ask `Sequences` which rows reach which.
"""

from predfeat.series._adapters import from_frame, from_list, from_trials, to_list
from predfeat.series._annotations import (
    ANNOTATIONS,
    Annotations,
    Classes,
    check_annotations,
)
from predfeat.series._blocks import Blocks, Piece, block_windows, check_blocks
from predfeat.series._cluster import check_workers, open_cluster
from predfeat.series._dask_rows import is_dask_array
from predfeat.series._episodes import Episodes, from_episodes
from predfeat.series._matrix import (
    Matrix,
    check_matrix,
    column_names,
    note_columns,
    refuse_huge,
    refuse_overflow,
)
from predfeat.series._mne import SensorSeries, from_epochs, from_raw
from predfeat.series._observations import flatten_observation
from predfeat.series._open_rows import as_rows, open_rows
from predfeat.series._preparation import aliased_share, delay, detrend, difference, thin
from predfeat.series._rows import ArrayRows, Rows, Window, is_large
from predfeat.series._sequences import Sequences, check_sequences, fewer_rows
from predfeat.series._states import States, find_states, what_follows
from predfeat.series._symbols import NO_SYMBOL, Symbols, as_objects, check_symbols, find_symbols
from predfeat.series._xarray import Field, from_xarray

__all__ = [
    "NO_SYMBOL",
    "Episodes",
    "ANNOTATIONS",
    "Annotations",
    "ArrayRows",
    "Blocks",
    "Classes",
    "Field",
    "Matrix",
    "Piece",
    "Rows",
    "SensorSeries",
    "Sequences",
    "States",
    "Symbols",
    "Window",
    "aliased_share",
    "as_objects",
    "as_rows",
    "block_windows",
    "check_annotations",
    "check_blocks",
    "check_matrix",
    "check_sequences",
    "check_symbols",
    "check_workers",
    "column_names",
    "delay",
    "detrend",
    "difference",
    "fewer_rows",
    "find_states",
    "find_symbols",
    "flatten_observation",
    "from_episodes",
    "from_epochs",
    "from_frame",
    "from_list",
    "from_raw",
    "from_trials",
    "from_xarray",
    "is_dask_array",
    "is_large",
    "note_columns",
    "open_cluster",
    "open_rows",
    "refuse_huge",
    "refuse_overflow",
    "thin",
    "to_list",
    "what_follows",
]
