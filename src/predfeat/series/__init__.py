"""The input: sequences, gaps, states, successors and predecessors.

Only this package knows that rows belong to sequences and that rows can be missing, and every
message about data comes from here. Later stages ask `Sequences` which rows reach which.
"""

from predfeat.series._adapters import from_frame, from_list, from_trials
from predfeat.series._matrix import Matrix, check_matrix, column_names, refuse_overflow
from predfeat.series._preparation import aliased_share, delay, detrend, difference, thin
from predfeat.series._sequences import Sequences, check_sequences, fewer_rows
from predfeat.series._states import States, find_states, what_follows

__all__ = [
    "Matrix",
    "Sequences",
    "States",
    "aliased_share",
    "check_matrix",
    "check_sequences",
    "column_names",
    "delay",
    "detrend",
    "difference",
    "fewer_rows",
    "find_states",
    "from_frame",
    "from_list",
    "from_trials",
    "refuse_overflow",
    "thin",
    "what_follows",
]
