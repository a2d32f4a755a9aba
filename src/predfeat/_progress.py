"""How far a fit is, told to whoever follows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["OnProgress", "following"]

OnProgress = Callable[[float, float], None]

_followed: ContextVar[OnProgress | None] = ContextVar("_followed", default=None)


@contextmanager
def following(on_progress: OnProgress | None) -> Iterator[None]:
    """Call `on_progress(done, total)` as the fits inside go on."""
    token = _followed.set(on_progress)
    try:
        yield
    finally:
        _followed.reset(token)
