"""The approximate engine: faiss's inverted lists, ranked again in float64.

The states of the library are divided into cells around centres that k-means finds in a sample of
them. A query is compared with the states of the nearest cells only, so some of its true neighbours
may be missed. Which ones depends on the data and on seeds alone: all batches have a fixed size, and
each is searched by one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from predfeat._memory import available_memory, in_words
from predfeat._progress import ticker
from predfeat._threads import map_blocks, one_blas_thread
from predfeat._typing import AnyArray, BoolArray, FloatArray, IntArray
from predfeat.exceptions import NotEnoughMemoryError
from predfeat.neighbors._blockwise import search_blockwise
from predfeat.neighbors._engine import Engine
from predfeat.neighbors._narrow import embed_narrow, narrow_sides
from predfeat.neighbors._question import Question
from predfeat.neighbors._ranking import nearest_of_candidates
from predfeat.series import States

__all__ = ["INVERTED_LISTS", "InvertedLists"]

_NUMBERS_AT_ONCE = 1 << 22  # of states assembled at once: 16 MB of float32
_QUERIES_AT_ONCE = 1024
_SPARE = 4  # candidates beyond k and the excluded ones, as float32 may order them wrongly
_MAX_WINDOW = 256  # of a wider Theiler window not all states are made room for at first
# Cells: as many as make the comparison with their centres and within the cells cost about the same.
_CELLS_PER_ROOT = 4.0
_STATES_PER_CELL = 40  # at least, on average
_TRAINING_PER_CELL = 64
_TRAINING_ROUNDS = 10
_SMALLEST_SHARE = 1 / 16  # of the cells that are visited
_MORE_CELLS = 8  # times as many for queries that met too few states


class InvertedLists(Engine):
    """Compare each query only with the states of the nearest cells: approximate, by faiss.

    ``engine="ivf"`` is this engine as it stands. It keeps all states of the library in memory, as
    float32: 4·p·N bytes for each. `predfeat.neighbors.recall` tells how many of the true neighbours
    it finds; another share of cells is another engine, to be registered under another name.

    Parameters
    ----------
    name : str, default="ivf"
        What users write as `engine`.
    share : float, default=1/16
        The share of the cells that each query visits. 1 compares all states.
    random_state : int, default=0
        Seed of the sample that the cells come from, and of k-means.

    Examples
    --------
    >>> from predfeat.neighbors import InvertedLists, register_engine, unregister_engine
    >>> register_engine(InvertedLists("a quarter", share=1 / 4))
    >>> unregister_engine("a quarter")
    """

    is_exact = False
    takes_library = True
    needs = "faiss-cpu"
    extra = "approximate"

    def __init__(
        self, name: str = "ivf", *, share: float = _SMALLEST_SHARE, random_state: int = 0
    ) -> None:
        if not 0.0 < share <= 1.0:
            raise ValueError(
                f"share={share} must be more than 0 and at most 1: it is the share of the cells "
                "that each query visits."
            )
        self.name = name
        self.share = share
        self.random_state = random_state

    def is_available(self) -> bool:
        return find_spec("faiss") is not None

    def search(self, question: Question, n_threads: int) -> tuple[IntArray, FloatArray]:
        n_queries = len(question.queries)
        positions = np.empty((n_queries, question.n_neighbors), dtype=np.intp)
        squared = np.empty(positions.shape)
        _load_faiss()  # before its BLAS is limited to one thread
        with one_blas_thread(), _one_openmp_thread():
            cells = _Cells.of(question, self._count_cells(question), self.random_state)
            n_visited = max(1, round(self.share * cells.n_cells))
            asking = np.arange(n_queries)
            left = cells.fill(asking, n_visited, n_threads, positions, squared)
            if len(left):
                n_visited = min(_MORE_CELLS * n_visited, cells.n_cells)
                left = cells.fill(left, n_visited, n_threads, positions, squared)
        if len(left):
            positions[left], squared[left] = search_blockwise(question.only(left), n_threads)
        return positions, squared

    def _count_cells(self, question: Question) -> int:
        """Return how many cells there are: on average each holds at least k states."""
        n_states = len(question.library)
        most = n_states // max(_STATES_PER_CELL, question.n_neighbors)
        return max(1, min(round(_CELLS_PER_ROOT * float(np.sqrt(n_states))), most))


INVERTED_LISTS = InvertedLists()


@dataclass(frozen=True)
class _Cells:
    """A question, and its library divided into cells; both sides are in float32."""

    question: Question
    asking: AnyArray
    index: Any
    n_cells: int

    @property
    def at_once(self) -> int:
        """How many queries make a batch, whatever the number of threads."""
        return min(_QUERIES_AT_ONCE, _rows_at_once(self.question.library))

    @classmethod
    def of(cls, question: Question, n_cells: int, random_state: int) -> _Cells:
        """Train the cells on a sample of the library, and put all of its states into them."""
        faiss = _load_faiss()
        queries, library = question.queries, question.library
        _refuse_too_large(library)
        asking, narrow, _ = narrow_sides(queries.series, library.series)
        index = faiss.IndexIVFFlat(
            faiss.IndexFlatL2(library.dimension), library.dimension, n_cells, faiss.METRIC_L2
        )
        index.cp.seed, index.cp.niter = random_state, _TRAINING_ROUNDS
        index.cp.min_points_per_centroid = 1  # no remarks on standard error
        index.cp.max_points_per_centroid = _TRAINING_PER_CELL
        sample = _sample(len(library), _TRAINING_PER_CELL * n_cells, random_state)
        index.train(embed_narrow(narrow, library, library.times[sample]))
        for part in _parts(len(library), _rows_at_once(library)):
            index.add(embed_narrow(narrow, library, library.times[part]))
        return cls(question, asking, index, n_cells)

    def fill(
        self,
        queries: IntArray,
        n_visited: int,
        n_threads: int,
        positions: IntArray,
        squared: FloatArray,
    ) -> IntArray:
        """Fill in the neighbours of some queries; return those that met too few states."""
        parts = [queries[part] for part in _parts(len(queries), self.at_once)]
        tick = ticker(len(parts))

        def work(some: IntArray) -> IntArray:
            with _one_openmp_thread():
                enough = self._fill_part(some, n_visited, positions, squared)
            tick()
            return some[~enough]

        return np.concatenate([queries[:0], *map_blocks(work, parts, n_threads)])

    def _fill_part(
        self, queries: IntArray, n_visited: int, positions: IntArray, squared: FloatArray
    ) -> BoolArray:
        """Do the same for one batch; tell which queries have enough neighbours."""
        faiss = _load_faiss()
        question = self.question.only(queries)
        window = min(question.excluded.widest, _MAX_WINDOW)
        n_asked = min(question.n_neighbors + window + _SPARE, len(question.library))
        embedded = embed_narrow(self.asking, question.queries, question.queries.times)
        visit = faiss.SearchParametersIVF(nprobe=n_visited)
        _, found = self.index.search(embedded, n_asked, params=visit)
        owner, column = np.nonzero(found >= 0)  # -1 where the cells hold fewer
        candidates = found[owner, column]
        excluded = question.excluded
        allowed = (candidates < excluded.first[owner]) | (candidates >= excluded.stop[owner])
        owner, candidates = owner[allowed], candidates[allowed]
        counts = np.bincount(owner, minlength=len(queries))
        enough: BoolArray = counts >= question.n_neighbors
        kept = enough[owner]
        answered = question.only(np.flatnonzero(enough))
        renumbered = np.cumsum(enough) - 1
        if len(answered.queries):
            best = nearest_of_candidates(answered, renumbered[owner[kept]], candidates[kept])
            positions[queries[enough]], squared[queries[enough]] = best
        return enough


def _load_faiss() -> Any:
    # Not at the top: most people never need it. It brings a BLAS of its own.
    return import_module("faiss")


@contextmanager
def _one_openmp_thread() -> Iterator[None]:
    """Let faiss use one thread here: OpenMP has a count for each thread that calls it."""
    faiss = _load_faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _sample(n_states: int, n_wanted: int, random_state: int) -> IntArray:
    """Draw positions without replacement, in order; all of them if no more are there."""
    if n_wanted >= n_states:
        return np.arange(n_states)
    drawn = np.random.default_rng(random_state).choice(n_states, n_wanted, replace=False)
    return np.sort(drawn)


def _parts(n: int, at_once: int) -> list[slice]:
    return [slice(start, min(start + at_once, n)) for start in range(0, n, at_once)]


def _rows_at_once(states: States) -> int:
    return max(1, _NUMBERS_AT_ONCE // states.dimension)


def _refuse_too_large(library: States) -> None:
    """Refuse a library whose states would not fit into memory."""
    n_bytes = 4 * len(library) * library.dimension
    available = available_memory()
    if available is not None and n_bytes > available:
        raise NotEnoughMemoryError(
            f'engine="ivf" keeps {len(library)} states of {library.dimension} numbers in memory, '
            f"which needs {in_words(n_bytes)}; {in_words(available)} are free. Use another engine, "
            "fewer lags, or fewer columns."
        )
