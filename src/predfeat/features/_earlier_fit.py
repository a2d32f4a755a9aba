"""A fit that fails or is interrupted keeps the results of an earlier one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["earlier_fit_aside"]


@contextmanager
def earlier_fit_aside(model: Any) -> Iterator[dict[str, Any]]:
    """Set aside the results of an earlier fit, and restore them if this one fails.

    Results are never changed in place, so references are enough. Yields what was set aside.
    """
    earlier = _fitted_attributes(model)
    for name in earlier:
        delattr(model, name)
    try:
        yield earlier
    except BaseException:  # Ctrl-C is no Exception
        for name in _fitted_attributes(model):
            delattr(model, name)
        vars(model).update(earlier)
        raise


def _fitted_attributes(model: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(model).items() if name.endswith("_")}
