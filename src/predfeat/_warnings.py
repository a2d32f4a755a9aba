"""Warnings that show the caller's own line, however deep inside the package they arise."""

from __future__ import annotations

import inspect
import warnings

__all__ = ["warn"]

# The others stand between a caller and a method in pipelines and searches.
_PASSED_OVER = {"predfeat", "sklearn", "joblib"}


def warn(message: str | Warning, category: type[Warning] | None = None) -> None:
    """Warn as `warnings.warn` does, but of the line that led into this package.

    Parameters
    ----------
    message : str or Warning
    category : class of warnings, optional
        By default that of the message; of text, UserWarning.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and _package_of(frame.f_globals) in _PASSED_OVER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package_of(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
