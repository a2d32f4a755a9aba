"""Progress of long work: one way to report it, and one way to follow it.

To follow the work, call it inside `following(on_progress)`. Work that consists of steps reports
each of them with `step`; loops inside a step report theirs with `ticker`, and move the same bar by
a part of that step. If nobody follows, nothing is reported, at no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count

__all__ = ["OnProgress", "following", "step", "ticker"]

# Called with the steps done, which may include a part of one, and the number of all steps.
OnProgress = Callable[[float, float], None]

_follower: ContextVar[OnProgress | None] = ContextVar("follower", default=None)


@contextmanager
def following(on_progress: OnProgress | None) -> Iterator[None]:
    """Let `on_progress` be called with the steps done and the number of all steps.

    It may be called from any thread, and loops may follow each other.

    Examples
    --------
    >>> from predfeat._progress import following, ticker
    >>> with following(lambda done, total: print(done, "of", total)):
    ...     tick = ticker(2)
    ...     tick()
    ...     tick()
    1 of 2
    2 of 2
    """
    token = _follower.set(on_progress)
    try:
        yield
    finally:
        _follower.reset(token)


@contextmanager
def step(number: int, total: int) -> Iterator[None]:
    """Do step `number`, counted from 1, of `total`; loops inside it report parts of it.

    Examples
    --------
    >>> from predfeat._progress import following, step, ticker
    >>> with following(lambda done, total: print(f"{done:.2f} of {total}")), step(3, 8):
    ...     ticker(1)()
    2.50 of 8
    3.00 of 8
    """
    outer = _follower.get()
    if outer is None:
        yield
        return
    furthest = 0.0

    def on_part(done: float, of: float) -> None:
        # A second loop may follow: that must not move the bar back. And after the last loop the
        # step is not finished yet.
        nonlocal furthest
        furthest = max(furthest, done / (of + 1))
        outer(number - 1 + furthest, total)

    with following(on_part):
        yield
    outer(number, total)


def ticker(total: int) -> Callable[[], None]:
    """Return a function that a loop of `total` steps calls after each step, from any thread."""
    follower, steps = _follower.get(), count(1)
    if follower is None:
        return lambda: None
    return lambda: follower(next(steps), total)
