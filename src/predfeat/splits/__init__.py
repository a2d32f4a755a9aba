"""Parts of a series, and series made from some of its rows.

=============== ==============================================================================
purged_folds    every row is tested once, and rows near it are not trained on
blocked_splits  repeated training and test parts at random places
random_windows  one training and one test window
block_halves    two halves that share no row and no state
spread_rows     blocks of rows spread over a long recording (spread_sequences: over several)
take            rows of a series as a series of their own
=============== ==============================================================================

All of them return row numbers, `Split`s or arrays; only `take` copies data. Only `take` decides
which of the selected rows still follow each other.
"""

from predfeat.splits._folds import purged_folds
from predfeat.splits._halves import block_halves
from predfeat.splits._pieces import shortest_piece
from predfeat.splits._split import Split
from predfeat.splits._spread import spread_rows, spread_sequences
from predfeat.splits._take import count_states, take
from predfeat.splits._windows import TRAIN_SHARE, blocked_splits, random_windows

__all__ = [
    "TRAIN_SHARE",
    "Split",
    "block_halves",
    "blocked_splits",
    "count_states",
    "purged_folds",
    "random_windows",
    "shortest_piece",
    "spread_rows",
    "spread_sequences",
    "take",
]
