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
datasets        generators with a known answer
experiments     methods compared on data
report          results as plain dicts, and as one HTML page
cli             the command `predfeat`
==============  ===================================================================
"""

from predfeat.features import GPFA, PFA, SFA, ForeCA, RandomFeatures
from predfeat.neighbors import nearest_neighbors

__version__ = "0.1.0"

__all__ = ["GPFA", "SFA", "PFA", "ForeCA", "RandomFeatures", "nearest_neighbors", "__version__"]
