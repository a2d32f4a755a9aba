"""Surrogates: series that keep some properties of the data and are random in all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from predfeat._compat import SEED, validate_parameter_constraints, whole_number
from predfeat._typing import ArrayLike, FloatArray, IntArray
from predfeat.exceptions import SurrogateError
from predfeat.series import Sequences, check_sequences

__all__ = [
    "FOURIER_KINDS",
    "KINDS",
    "SHORTEST_FOURIER",
    "SurrogateKind",
    "kind_and_block_length",
    "surrogates",
]

# A shorter stretch has at most one free phase, or a sign: too little to randomise.
SHORTEST_FOURIER = 4
_MAX_REFINEMENTS = 200


@dataclass(frozen=True)
class SurrogateKind:
    """What a kind of surrogate tests.

    Attributes
    ----------
    question : str
        The question that is answered with yes if the data stands out from its surrogates.
    keeps : str
        What the surrogates share with the data, and so cannot be what stands out.
    destroys : str
        What they do not share with it.
    """

    question: str
    keeps: str
    destroys: str


KINDS: dict[str, SurrogateKind] = {
    "permutation": SurrogateKind(
        question="Is there any order in time?",
        keeps="every row, and so each channel's values and how channels go together in a row",
        destroys="the order of the rows",
    ),
    "blocks": SurrogateKind(
        question="Is there order in time that reaches from one block of rows into the next?",
        keeps="every row, and the order within blocks",
        destroys="the order of the blocks",
    ),
    "phases": SurrogateKind(
        question="Is there more than each channel's own autocorrelation?",
        keeps="each channel's amplitude spectrum, and so its autocorrelation, mean and variance",
        destroys="all relations between channels, and whatever is not Gaussian",
    ),
    "iaaft": SurrogateKind(
        question="Is there more than each channel's own autocorrelation and its values?",
        keeps="each channel's values exactly, and its amplitude spectrum nearly",
        destroys="all relations between channels, and nonlinear order within each",
    ),
    "joint-phases": SurrogateKind(
        question="Is there more than a linear Gaussian process?",
        keeps="every channel's spectrum and all cross-spectra, and so all linear relations",
        destroys="nonlinear order, and whatever is not Gaussian",
    ),
}


FOURIER_KINDS = ("phases", "iaaft", "joint-phases")


def surrogates(
    X: Any,
    kind: str = "permutation",
    *,
    groups: ArrayLike | None = None,
    block_length: int | None = None,
    random_state: int | np.random.SeedSequence | np.random.Generator = 0,
) -> FloatArray:
    r"""Make one surrogate of a series.

    `KINDS` describes what each kind keeps and destroys, and so which question it answers:

    - "permutation": the rows of each sequence in random order;
    - "blocks": contiguous blocks of each sequence in random order;
    - "phases": each column's Fourier phases replaced by random ones;
    - "iaaft": each column by iterative amplitude adjusted Fourier transform (Schreiber and
      Schmitz 1996), which also keeps the values;
    - "joint-phases": the same random phases added to all columns (Prichard and Theiler 1994).

    "phases" and "iaaft" work on the columns *as given*: "its own autocorrelation" means that of
    an input column. Given two recordings of the same sources, one mixed and one not, they may
    find more in the mixed one. The other kinds do not depend on the basis ("joint-phases" and
    both permutations commute with any linear map of the columns).

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows in time order; a row with a NaN is a gap.
    kind : str, default="permutation"
        One of `KINDS`.
    groups : array-like of shape (n_rows,), optional
        Ids of the sequences. Rows are never moved from one sequence to another.
    block_length : int, optional
        Rows in a block, for "blocks"; by default the cube root of the sequence's length,
        rounded, and at least 2. Each run's first block is of random length up to that.
    random_state : int, SeedSequence or Generator, default=0
        The seed.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Gaps are where they were (the whole row NaN).

    Raises
    ------
    SurrogateError
        The kind is unknown, or no sequence is long enough for it.

    Notes
    -----
    Permutations move samples across the gaps of a sequence; blocks end at gaps. The Fourier kinds
    treat every stretch between gaps separately. Stretches of fewer than 4 rows, and sequences of a
    single sample or block, are left unchanged: this costs power, but causes no false finding. If
    *all* are that short, an error is raised.

    A Fourier transform treats the series as circular. If a stretch ends far from where it began,
    that jump is part of the spectrum that is kept: it spreads as high frequencies over the whole
    surrogate, which becomes a little less predictable than the data. Rows cannot be trimmed here,
    as the shape is kept; `significance` bridges the jump before it makes surrogates.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.selection import surrogates
    >>> X = np.random.default_rng(0).normal(size=(101, 3)).cumsum(axis=0)
    >>> Y = surrogates(X, "phases", random_state=1)
    >>> np.allclose(np.abs(np.fft.rfft(Y, axis=0)), np.abs(np.fft.rfft(X, axis=0)))
    True
    >>> print(KINDS["phases"].question)
    Is there more than each channel's own autocorrelation?
    """
    _check_kind(kind, block_length)
    validate_parameter_constraints(
        {"random_state": [SEED, np.random.SeedSequence, np.random.Generator]},
        {"random_state": random_state},
        caller_name="surrogates",
    )
    series = check_sequences(X, groups)
    random = np.random.default_rng(random_state)
    surrogate = series.rows.copy()
    if kind in FOURIER_KINDS:
        _randomise_stretches(surrogate, series, kind, random)
    else:
        _permute(surrogate, series, kind, block_length, random)
    surrogate[~series.valid] = np.nan
    return surrogate


def kind_and_block_length(kind: str | tuple[str, int]) -> tuple[str, int | None]:
    """Return the kind and the length of its blocks, None if not given.

    Examples
    --------
    >>> from predfeat.selection._surrogates import kind_and_block_length
    >>> kind_and_block_length(("blocks", 20)), kind_and_block_length("iaaft")
    (('blocks', 20), ('iaaft', None))
    """
    name, block_length = kind if isinstance(kind, tuple) and len(kind) == 2 else (kind, None)
    _check_kind(name, block_length)
    return name, block_length


def _check_kind(kind: Any, block_length: int | None) -> None:
    """Refuse an unknown kind, and a block length that is invalid or not used."""
    if kind not in KINDS:
        raise SurrogateError(
            f"kind={kind!r} is no kind of surrogate. Use one of {', '.join(map(repr, KINDS))}."
        )
    validate_parameter_constraints(
        {"block_length": [whole_number(1), None]},
        {"block_length": block_length},
        caller_name="surrogates",
    )
    if block_length is not None and kind != "blocks":
        raise SurrogateError(
            f"block_length={block_length} is for kind='blocks' only, but kind={kind!r}. "
            "Leave it out."
        )


# --- rows in random order ----------------------------------------------------------------------


def _permute(
    surrogate: FloatArray,
    series: Sequences,
    kind: str,
    block_length: int | None,
    random: np.random.Generator,
) -> None:
    possible = False
    for start, stop in series.sequence_bounds():
        places = start + np.flatnonzero(series.valid[start:stop])
        if kind == "permutation":
            length = 1
            blocks = list(places[:, None])
        else:
            length = block_length or max(2, round(len(places) ** (1 / 3)))
            blocks = _blocks(places, length, random)
        # Whether it can be permuted, regardless of the first cut.
        possible |= len(places) > length or bool(np.any(np.diff(places) > 1))
        if len(blocks) > 1:
            order = random.permutation(len(blocks))
            surrogate[places] = series.rows[np.concatenate([blocks[i] for i in order])]
    if not possible:
        raise SurrogateError(
            f"no sequence can be permuted: none has two {_pieces(kind, block_length)} "
            f"(n_samples={int(series.valid.sum())}). Use longer sequences"
            + (", or a smaller block_length." if kind == "blocks" else ".")
        )


def _pieces(kind: str, block_length: int | None) -> str:
    if kind == "permutation":
        return "samples"
    return "blocks" if block_length is None else f"blocks of {block_length} rows"


def _blocks(places: IntArray, length: int, random: np.random.Generator) -> list[IntArray]:
    """Cut rows into blocks of a given length, none of them across a gap.

    The first cut is random, so that no transition of the data survives in all surrogates.
    """
    blocks = []
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        cuts = np.arange(int(random.integers(1, length + 1)), len(run), length)
        blocks += [block for block in np.split(run, cuts) if len(block)]
    return blocks


# --- random phases -----------------------------------------------------------------------------


def _randomise_stretches(
    surrogate: FloatArray, series: Sequences, kind: str, random: np.random.Generator
) -> None:
    bounds = series.run_bounds()
    longest = max((stop - start for start, stop in bounds), default=0)
    if longest < SHORTEST_FOURIER:
        raise SurrogateError(
            f"kind={kind!r} needs at least {SHORTEST_FOURIER} rows in a row without a gap, but "
            f"the longest stretch has {longest}. Use kind='permutation', or fill the gaps."
        )
    for start, stop in bounds:
        if stop - start >= SHORTEST_FOURIER:
            surrogate[start:stop] = _PER_STRETCH[kind](series.rows[start:stop], random)


def _turn_phases(rows: FloatArray, angles: FloatArray) -> FloatArray:
    """Add angles (one row for each frequency) to the phases of the columns."""
    turn = np.exp(1j * angles)
    if len(rows) % 2 == 0:
        # With an even number of rows the highest frequency is real: it has only a sign.
        turn[-1] = np.where(angles[-1] < np.pi, 1.0, -1.0)
    # Without the mean, which has no phase.
    mean = rows.mean(axis=0)
    transform = np.fft.rfft(rows - mean, axis=0)
    turned: FloatArray = mean + np.fft.irfft(transform * turn, len(rows), axis=0)
    return turned


def _phases(rows: FloatArray, random: np.random.Generator) -> FloatArray:
    n_frequencies = len(rows) // 2 + 1
    return _turn_phases(rows, random.uniform(0, 2 * np.pi, (n_frequencies, rows.shape[1])))


def _joint_phases(rows: FloatArray, random: np.random.Generator) -> FloatArray:
    return _turn_phases(rows, random.uniform(0, 2 * np.pi, (len(rows) // 2 + 1, 1)))


def _iaaft(rows: FloatArray, random: np.random.Generator) -> FloatArray:
    """Impose the amplitudes and the values in turn, until the order of the values is stable.

    The values are imposed last: they are exact, and the amplitudes as close as that allows.
    """
    mean = rows.mean(axis=0)
    values = np.sort(rows - mean, axis=0)
    amplitudes = np.abs(np.fft.rfft(rows - mean, axis=0))
    surrogate: FloatArray = random.permuted(values, axis=0)
    ranks = np.argsort(surrogate, axis=0, kind="stable")
    for _ in range(_MAX_REFINEMENTS):
        transform = np.fft.rfft(surrogate, axis=0)
        size = np.abs(transform)
        phase = np.divide(transform, size, out=np.ones_like(transform), where=size > 0)
        imposed = np.fft.irfft(amplitudes * phase, len(rows), axis=0)
        before, ranks = ranks, np.argsort(imposed, axis=0, kind="stable")
        np.put_along_axis(surrogate, ranks, values, axis=0)
        if np.array_equal(before, ranks):
            break
    # Not values + mean: the sum would round some of them away from what they were.
    np.put_along_axis(surrogate, ranks, np.sort(rows, axis=0), axis=0)
    return surrogate


_PER_STRETCH: dict[str, Callable[[FloatArray, np.random.Generator], FloatArray]] = {
    "phases": _phases,
    "iaaft": _iaaft,
    "joint-phases": _joint_phases,
}
