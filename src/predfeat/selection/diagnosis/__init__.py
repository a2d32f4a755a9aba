"""Why did it go wrong: findings about a fitted model, each with what to change.

One module per question. Each has the quantities it looks at as pure functions, the thresholds as
named constants with their reasons, and one or more checks that turn them into findings.
"""

from predfeat.selection.diagnosis._diagnose import diagnose
from predfeat.selection.diagnosis._findings import Diagnosis, Finding

__all__ = ["Diagnosis", "Finding", "diagnose"]
