"""The paper's experiments: specification, ledger of results, tables.

In the order of the data's way: `Setup` says what an experiment is, `panel_points` lists its data
points, `compute` fits and measures what the `Ledger` lacks, `run_setup` does all of it and returns
an `Outcome`, and `signed_rank_table` judges it.
"""

from predfeat.experiments.reproduction._audio import RECORDINGS, audio_setup, audio_source
from predfeat.experiments.reproduction._ledger import Ledger, Measured, Result
from predfeat.experiments.reproduction._methods import (
    FROM_PFA,
    FROM_SFA,
    METHODS,
    TRUTH,
    Parameters,
    estimator_of,
    settings_of,
)
from predfeat.experiments.reproduction._outcome import (
    Outcome,
    Row,
    results_csv,
    run_setup,
    summary_csv,
    times_csv,
)
from predfeat.experiments.reproduction._runner import compute
from predfeat.experiments.reproduction._setup import (
    LABELS,
    Panel,
    PanelPoint,
    Setup,
    main_panel,
    panel_points,
    repeat_points,
)
from predfeat.experiments.reproduction._sources import NoiseSource, Part, RecordingSource, Source
from predfeat.experiments.reproduction._specification import DataPoint, Fit, canonical_json, key_of
from predfeat.experiments.reproduction._statistics import (
    SignedRank,
    holm,
    rank_biserial,
    signed_rank_csv,
    signed_rank_table,
)
from predfeat.experiments.reproduction._toy import toy_setup
from predfeat.experiments.reproduction._visual import (
    GAME,
    game_source,
    sprites_source,
    video_source,
    visual_setup,
)

__all__ = [
    "DataPoint",
    "Fit",
    "canonical_json",
    "key_of",
    "Ledger",
    "Measured",
    "Result",
    "Source",
    "Part",
    "NoiseSource",
    "RecordingSource",
    "FROM_PFA",
    "FROM_SFA",
    "METHODS",
    "TRUTH",
    "Parameters",
    "settings_of",
    "estimator_of",
    "LABELS",
    "Panel",
    "PanelPoint",
    "Setup",
    "main_panel",
    "panel_points",
    "repeat_points",
    "toy_setup",
    "RECORDINGS",
    "audio_source",
    "audio_setup",
    "GAME",
    "game_source",
    "sprites_source",
    "video_source",
    "visual_setup",
    "compute",
    "Outcome",
    "Row",
    "run_setup",
    "results_csv",
    "summary_csv",
    "times_csv",
    "SignedRank",
    "signed_rank_table",
    "signed_rank_csv",
    "rank_biserial",
    "holm",
]
