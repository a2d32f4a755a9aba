"""Methods compared on data."""

from predfeat.experiments._ahead import Ahead
from predfeat.experiments._comparison import (
    Comparison,
    MethodResult,
    compare_methods,
    compare_on_predictable_noise,
    standard_methods,
)
from predfeat.experiments._defaults import choose_n_components, choose_pca, with_pca
from predfeat.experiments._other_lags import OtherLags
from predfeat.experiments._outcome import Limits, MethodRuns, Protocol, Study
from predfeat.experiments._paired import PairedTest, paired_test
from predfeat.experiments._study import compare_on_recording

__all__ = [
    "Ahead",
    "Comparison",
    "MethodResult",
    "compare_methods",
    "compare_on_predictable_noise",
    "standard_methods",
    "Limits",
    "MethodRuns",
    "OtherLags",
    "Protocol",
    "Study",
    "compare_on_recording",
    "choose_n_components",
    "choose_pca",
    "with_pca",
    "PairedTest",
    "paired_test",
]
