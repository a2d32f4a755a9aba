"""predfeat: the most predictable features of a multivariate time series.

The packages in the order of the data's way through them, which is also the order of imports (a
package imports only from those above it):

==============  ===================================================================
series          what comes in: sequences, gaps, states; every message about data
whitening       centre, PCA, unit covariance, rank
neighbors       who is similar: the k nearest states of every state
graph           which samples to pull together: projected Laplacians
solvers         the eigenproblem: order, sign, rank
measures        how good is it: pure functions
features        the estimators GPFA, SFA, PFA, ForeCA, RandomFeatures
persistence     model files without pickle
datasets        generators with a known answer
experiments     methods compared on data
report          results as plain dicts, and as one HTML page
cli             the command `predfeat`
==============  ===================================================================
"""

from predfeat._version import __version__
from predfeat.features import GPFA, PFA, SFA, ForeCA, RandomFeatures
from predfeat.neighbors import nearest_neighbors
from predfeat.persistence import load, read_header, save

__all__ = [
    "GPFA",
    "SFA",
    "PFA",
    "ForeCA",
    "RandomFeatures",
    "nearest_neighbors",
    "save",
    "load",
    "read_header",
    "__version__",
]
