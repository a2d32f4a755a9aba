"""The engines there are, and which of them "auto" takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np

from predfeat.neighbors._blockwise import BLOCKWISE
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._tiles import TILES
from predfeat.neighbors._tree import TREE
from predfeat.series import States

__all__ = [
    "ENGINES",
    "choose_engine",
    "engines",
    "find_engine",
    "register_engine",
    "unregister_engine",
]

AUTO = "auto"

_OWN = {engine.name: engine for engine in (TREE, TILES, BLOCKWISE)}
_registered: dict[str, Engine] = dict(_OWN)


class _EngineNames(Set[str]):
    """The names that `engine=` takes, "auto" and those of all engines registered by now."""

    def __contains__(self, name: object) -> bool:
        return name == AUTO or name in _registered

    def __iter__(self) -> Iterator[str]:
        return iter((AUTO, *_registered))

    def __len__(self) -> int:
        return 1 + len(_registered)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:  # what -, & and | make of it
        return frozenset(it)

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}"


ENGINES: Set[str] = _EngineNames()


def engines() -> tuple[Engine, ...]:
    """Return the registered engines, whether available or not.

    Examples
    --------
    >>> from predfeat.neighbors import engines
    >>> [engine.name for engine in engines() if engine.is_exact]
    ['tree', 'tiles', 'blockwise']
    >>> [engine.name for engine in engines() if engine.takes_library]
    ['tree', 'blockwise']
    """
    return tuple(_registered.values())


def register_engine(engine: Engine) -> None:
    """Make an engine one of those that `engine=` takes, here and in estimators.

    The registry is that of the process. Where work is spread over processes, register it in a
    module that all of them import.

    Parameters
    ----------
    engine : Engine
        An instance, with a name that no other one has.

    Raises
    ------
    TypeError, ValueError
        It is no engine, or has no name of its own.

    Examples
    --------
    See `Engine`.
    """
    if not isinstance(engine, Engine):
        raise TypeError(
            f"an engine is an instance of a subclass of predfeat.neighbors.Engine, but this is "
            f"{engine!r}."
        )
    name = getattr(engine, "name", None)
    if not isinstance(name, str) or not name:
        raise ValueError(f"an engine needs a name, a text that is not empty, but has {name!r}.")
    if not isinstance(getattr(engine, "is_exact", None), bool):
        raise ValueError(f"engine {name!r} must declare with is_exact whether it is exact.")
    if name in ENGINES:
        raise ValueError(
            f"there is an engine {name!r} already, of {_told(ENGINES)}. Take another name, or "
            "call unregister_engine first."
        )
    _registered[name] = engine


def unregister_engine(name: str) -> None:
    """Remove an engine that was registered before; predfeat's own ones stay.

    Examples
    --------
    See `Engine`.
    """
    added = [other for other in _registered if other not in _OWN]
    if name not in added:
        raise ValueError(
            f"no engine {name!r} was registered. "
            + (f"Those that were: {_told(added)}." if added else "There are only predfeat's own.")
        )
    del _registered[name]


def find_engine(name: str, *, takes_library: bool = False) -> Engine:
    """Return the engine of that name, if it is there and can do what is asked."""
    if name not in _registered:
        raise ValueError(
            f"engine must be one of {_told(ENGINES)}, but is {name!r}. `register_engine` adds "
            "others."
        )
    engine = _registered[name]
    if not engine.is_available():
        raise ImportError(
            f'engine="{name}" needs {engine.needs}: pip install {engine.needs}, or take '
            f"{_others(engine)}."
        )
    if takes_library and not engine.takes_library:
        able = [AUTO, *(other.name for other in engines() if other.takes_library)]
        raise ValueError(
            f'engine="{name}" cannot search a library apart from the queries. Take {_told(able)}.'
        )
    return engine


def choose_engine(states: States, library: States | None = None) -> str:
    """Return the engine that ``engine="auto"`` takes.

    Of the exact engines that are available, and can search a library apart from the queries
    where there is one, it is that with the smallest `Engine.expected_seconds`. The figures were
    read off `benchmarks/speed/engines.py`, which measures all of predfeat's own over a grid. What
    is chosen never changes the result.

    Parameters
    ----------
    states : States
        Those that ask.
    library : States, optional
        Those that may answer, where they are others.

    Returns
    -------
    str
        A name that `find_engine` knows.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.neighbors import choose_engine
    >>> from predfeat.series import check_sequences, find_states
    >>> plane = check_sequences(np.random.default_rng(0).normal(size=(10_000, 2)))
    >>> choose_engine(find_states(plane, n_lags=1, n_neighbors=5))
    'tree'
    """
    is_apart = library is not None and library is not states
    library = states if library is None else library
    chosen, seconds = BLOCKWISE.name, np.inf
    # The last one first: the tree's estimate is the costliest, unless a smaller one is known.
    for engine in reversed(engines()):
        if engine.is_exact and engine.is_available() and (engine.takes_library or not is_apart):
            expected = engine.expected_seconds(states, library, seconds)
            if expected <= seconds and expected < np.inf:
                chosen, seconds = engine.name, expected
    return chosen


def _others(engine: Engine) -> str:
    """Name the engines that find the same as one that is missing."""
    names = [
        AUTO,
        *(other.name for other in engines() if other.is_exact and other.is_available()),
    ]
    return _told(names) + (", which find the same neighbours" if engine.is_exact else "")


def _told(names: Iterable[str]) -> str:
    *others, last = (f'"{name}"' for name in names)
    return f"{', '.join(others)} or {last}" if others else last
