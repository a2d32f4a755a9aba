"""The registered engines, and the choice that "auto" makes among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np

from predfeat.neighbors._blockwise import BLOCKWISE
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._inverted_lists import INVERTED_LISTS
from predfeat.neighbors._tiles import TILES
from predfeat.neighbors._tree import TREE
from predfeat.series import States

__all__ = [
    "ENGINES",
    "choose_engine",
    "engines",
    "find_engine",
    "is_exact",
    "register_engine",
    "unregister_engine",
]

AUTO = "auto"

_OWN = {engine.name: engine for engine in (TREE, TILES, BLOCKWISE, INVERTED_LISTS)}
_registered: dict[str, Engine] = dict(_OWN)


class _EngineNames(Set[str]):
    """The names that `engine=` takes: "auto" and the names of all registered engines."""

    def __contains__(self, name: object) -> bool:
        return name == AUTO or name in _registered

    def __iter__(self) -> Iterator[str]:
        return iter((AUTO, *_registered))

    def __len__(self) -> int:
        return 1 + len(_registered)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:  # the result of -, & and |
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
    >>> [engine.name for engine in engines() if not engine.is_exact]
    ['ivf']
    """
    return tuple(_registered.values())


def register_engine(engine: Engine) -> None:
    """Make an engine available by name as `engine=`, here and in estimators.

    The registry belongs to the process. If work is spread over processes, register the engine in
    a module that all of them import.

    Parameters
    ----------
    engine : Engine
        An instance with a unique name.

    Raises
    ------
    TypeError, ValueError
        It is not an engine, or its name is not unique.

    Examples
    --------
    See `Engine`.
    """
    if not isinstance(engine, Engine):
        raise TypeError(
            f"an engine must be an instance of a subclass of predfeat.neighbors.Engine, but this "
            f"is {engine!r}."
        )
    name = getattr(engine, "name", None)
    if not isinstance(name, str) or not name:
        raise ValueError(f"an engine needs a name, a non-empty string, but this one has {name!r}.")
    if not isinstance(getattr(engine, "is_exact", None), bool):
        raise ValueError(f"engine {name!r} must declare with is_exact whether it is exact.")
    if name in ENGINES:
        raise ValueError(
            f"an engine {name!r} already exists, among {_listed(ENGINES)}. Use another name, or "
            "call unregister_engine first."
        )
    _registered[name] = engine


def unregister_engine(name: str) -> None:
    """Remove a registered engine; predfeat's own engines cannot be removed.

    Examples
    --------
    See `Engine`.
    """
    added = [other for other in _registered if other not in _OWN]
    if name not in added:
        raise ValueError(
            f"no engine {name!r} was registered. "
            + (f"Registered: {_listed(added)}." if added else "There are only predfeat's own.")
        )
    del _registered[name]


def find_engine(name: str, *, takes_library: bool = False) -> Engine:
    """Return the engine of that name, if it is available and can do what is asked."""
    if name not in _registered:
        raise ValueError(
            f"engine must be one of {_listed(ENGINES)}, but is {name!r}. `register_engine` adds "
            "others."
        )
    engine = _registered[name]
    if not engine.is_available():
        raise ImportError(
            f'engine="{name}" needs {engine.needs}: pip install {_package(engine)}, or use '
            f"{_others(engine)}."
        )
    if takes_library and not engine.takes_library:
        able = [AUTO, *(other.name for other in engines() if other.takes_library)]
        raise ValueError(
            f'engine="{name}" cannot search a library other than the queries. Use {_listed(able)}.'
        )
    return engine


def is_exact(name: str) -> bool:
    """Tell whether ``engine=name`` returns the true neighbours, as "auto" does.

    Examples
    --------
    >>> from predfeat.neighbors import is_exact
    >>> is_exact("auto"), is_exact("ivf")
    (True, False)
    """
    return name == AUTO or find_engine(name).is_exact


def choose_engine(states: States, library: States | None = None) -> str:
    """Return the engine that ``engine="auto"`` takes.

    Among the exact engines that are available, and that can search a library if one is given, it
    is the one with the smallest `Engine.expected_seconds`. The estimates come from
    `benchmarks/speed/engines.py`, which measures all of predfeat's own engines over a grid. The
    choice never changes the result.

    Parameters
    ----------
    states : States
        The queries.
    library : States, optional
        The states that may be neighbours, if not the queries themselves.

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
    # In reverse: the tree's estimate is the costliest, unless a smaller one is already known.
    for engine in reversed(engines()):
        if engine.is_exact and engine.is_available() and (engine.takes_library or not is_apart):
            expected = engine.expected_seconds(states, library, seconds)
            if expected <= seconds and expected < np.inf:
                chosen, seconds = engine.name, expected
    return chosen


def _package(engine: Engine) -> str:
    return f'"predfeat[{engine.extra}]"' if engine.extra else engine.needs


def _others(engine: Engine) -> str:
    """Name the engines that can replace one that is missing."""
    names = [
        AUTO,
        *(other.name for other in engines() if other.is_exact and other.is_available()),
    ]
    return _listed(names) + (
        ", which find the same neighbours" if engine.is_exact else ", which are exact"
    )


def _listed(names: Iterable[str]) -> str:
    *others, last = (f'"{name}"' for name in names)
    return f"{', '.join(others)} or {last}" if others else last
