"""The eigenproblem: one call site, one order, one sign."""

from predfeat.solvers._eigen import Eigenpairs, smallest_eigenpairs
from predfeat.solvers._signs import fix_signs

__all__ = ["Eigenpairs", "fix_signs", "smallest_eigenpairs"]
