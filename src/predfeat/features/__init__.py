"""The estimators: GPFA and the methods it is compared with, over one small base.

GPFA itself is a few public functions over white space (`find_neighbors`, `embed`, `iterate`,
`averaged`), and the other methods are one each (`slow_directions`,
`linearly_predictable_directions`, `forecastable_directions`, `dynamical_directions`); the
estimators are thin.
"""

from predfeat.features._auto import AutoFeatures
from predfeat.features._base import LinearFeatures, check_linear_method
from predfeat.features._contexts import (
    Contexts,
    equal_contexts,
    shared_contexts,
    similar_contexts,
)
from predfeat.features._dca import DCA, dynamical_directions
from predfeat.features._descent import (
    WIDTHS,
    Descent,
    DescentStep,
    Objective,
    descend,
    lowest,
    sorted_by_share,
)
from predfeat.features._descent_features import DescentFeatures
from predfeat.features._duration import ExpectedTime, expected_time
from predfeat.features._earlier_fit import earlier_fit_aside
from predfeat.features._embedding import (
    Embedding,
    GraphSettings,
    SimilarStates,
    embed,
    find_neighbors,
)
from predfeat.features._expanded import Expanded, linear_method
from predfeat.features._few_channels import FewChannels
from predfeat.features._first_within_tolerance import first_within_tolerance
from predfeat.features._foreca import ForeCA, forecastable_directions
from predfeat.features._gpfa import GPFA
from predfeat.features._growth import Scored, best_distinct, grow, score, single_directions
from predfeat.features._iteration import Observer, iterate
from predfeat.features._layers import Layer
from predfeat.features._lpp import LPP
from predfeat.features._mean_space import mean_space
from predfeat.features._methods import METHODS, Method, find_method, name_of
from predfeat.features._patch_grid import PatchGrid, patch_grid
from predfeat.features._patches import Patches
from predfeat.features._pfa import PFA, linearly_predictable_directions
from predfeat.features._random import RandomFeatures
from predfeat.features._run import Iteration, Run, averaged
from predfeat.features._sensitivity import Sensitivity, sensitivity
from predfeat.features._sfa import SFA, slow_and_fast_directions, slow_directions
from predfeat.features._similar_states import FirstNeighbors, find_similar_states
from predfeat.features._smooth_regression import SmoothRegression, nonlinear_directions
from predfeat.features._sparsify import SparseFeatures, sparsify
from predfeat.features._spectral_regression import SpectralRegression
from predfeat.features._starts import STARTS, start_directions
from predfeat.features._stopping import BestIteration, Settled, StopPolicy, either, never
from predfeat.features._stream import MOST_STEPS, Change, Counted, Stream, Window
from predfeat.features._streaming import StreamingFeatures, merge
from predfeat.features._symbol_features import SymbolFeatures
from predfeat.features._symbol_iteration import SymbolRun, iterate_symbols

__all__ = [
    "GPFA",
    "SFA",
    "PFA",
    "ForeCA",
    "DCA",
    "LPP",
    "RandomFeatures",
    "AutoFeatures",
    "DescentFeatures",
    "SymbolFeatures",
    "Patches",
    "PatchGrid",
    "patch_grid",
    "SpectralRegression",
    "FewChannels",
    "sparsify",
    "SparseFeatures",
    "Expanded",
    "linear_method",
    "Sensitivity",
    "sensitivity",
    "Layer",
    "LinearFeatures",
    "check_linear_method",
    "StreamingFeatures",
    "merge",
    "Stream",
    "MOST_STEPS",
    "Counted",
    "Change",
    "Window",
    "GraphSettings",
    "find_neighbors",
    "SimilarStates",
    "FirstNeighbors",
    "find_similar_states",
    "Embedding",
    "earlier_fit_aside",
    "embed",
    "Iteration",
    "Run",
    "Observer",
    "iterate",
    "averaged",
    "StopPolicy",
    "Settled",
    "never",
    "either",
    "BestIteration",
    "Objective",
    "WIDTHS",
    "DescentStep",
    "Descent",
    "descend",
    "lowest",
    "sorted_by_share",
    "Scored",
    "score",
    "best_distinct",
    "single_directions",
    "grow",
    "SmoothRegression",
    "nonlinear_directions",
    "STARTS",
    "start_directions",
    "slow_directions",
    "slow_and_fast_directions",
    "linearly_predictable_directions",
    "forecastable_directions",
    "dynamical_directions",
    "Contexts",
    "equal_contexts",
    "shared_contexts",
    "similar_contexts",
    "SymbolRun",
    "iterate_symbols",
    "mean_space",
    "first_within_tolerance",
    "METHODS",
    "Method",
    "find_method",
    "name_of",
    "ExpectedTime",
    "expected_time",
]
