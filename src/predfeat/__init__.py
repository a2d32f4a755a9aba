"""predfeat: the most predictable features of a multivariate time series.

The packages, in the order in which data passes through them. This is also the order of imports: a
package imports only from those above it.

==============  ===================================================================
series          the input: sequences, gaps, states; every message about data
splits          parts of a series: folds, windows, halves, selected rows
whitening       centre, PCA, unit covariance, rank
expansions      functions of the columns, for nonlinear features
neighbors       similarity: the k nearest states of every state
graph           which samples to pull together: projected Laplacians
solvers         the eigenproblem: order, sign, rank
measures        the quality of features: pure functions
features        the estimators: GPFA, SFA, PFA, ForeCA, DCA, DescentFeatures and others
forecasting     what comes next, and how sure that is: `Forecaster`
selection       which p, k and M, how many are real, what went wrong
persistence     model files without pickle
datasets        generators with a known answer, simulators, readers of files
experiments     methods compared on data
report          results as plain dicts, and as one HTML page
cli             the command `predfeat`
==============  ===================================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from predfeat._version import __version__

if TYPE_CHECKING:
    from predfeat.features import (
        DCA,
        GPFA,
        LPP,
        PFA,
        SFA,
        AutoFeatures,
        DescentFeatures,
        Expanded,
        ForeCA,
        RandomFeatures,
        SymbolFeatures,
        merge,
    )
    from predfeat.forecasting import Forecaster
    from predfeat.neighbors import nearest_neighbors
    from predfeat.persistence import load, read_header, save
    from predfeat.selection import choose, diagnose, significance

__all__ = [
    "GPFA",
    "SFA",
    "PFA",
    "ForeCA",
    "DCA",
    "LPP",
    "DescentFeatures",
    "RandomFeatures",
    "AutoFeatures",
    "SymbolFeatures",
    "Expanded",
    "merge",
    "Forecaster",
    "choose",
    "significance",
    "diagnose",
    "nearest_neighbors",
    "save",
    "load",
    "read_header",
    "__version__",
]

# Loaded on first access: `predfeat --help` need not wait for scikit-learn.
_HOMES = {
    **dict.fromkeys(
        __all__[: __all__.index("Forecaster")],
        "predfeat.features",
    ),
    "Forecaster": "predfeat.forecasting",
    **dict.fromkeys(("choose", "significance", "diagnose"), "predfeat.selection"),
    "nearest_neighbors": "predfeat.neighbors",
    **dict.fromkeys(("save", "load", "read_header"), "predfeat.persistence"),
}
# Loaded on first access: `predfeat.datasets` works after `import predfeat` at no cost.
_MODULES = (
    "series", "splits", "whitening", "expansions", "neighbors", "graph", "solvers", "measures",
    "features", "forecasting", "selection", "persistence", "datasets", "experiments", "report",
    "cli", "exceptions",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
