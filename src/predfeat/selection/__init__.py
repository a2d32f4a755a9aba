"""Stage 8, which parameters, and is it real: choosing, testing, diagnosing."""

from predfeat.selection.diagnosis import Diagnosis, Finding, diagnose

__all__ = ["Diagnosis", "Finding", "diagnose"]
