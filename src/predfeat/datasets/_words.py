"""A text as a sequence of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from predfeat.datasets._decoding import LimitedLines, decoded
from predfeat.datasets._opening import check_file, memory_errors_explained
from predfeat.datasets._recording import Recording
from predfeat.exceptions import DataFileError
from predfeat.series import as_objects

__all__ = ["holds_words", "read_words"]

_ADVICE = "Give a shorter text, or parts of it."
_WORD = r"[^\W\d_]+(?:['’][^\W\d_]+)*"
# Between two clauses, what the first ends with says little about how the second begins.
_WORD_OR_END = re.compile(rf"({_WORD})|[.?!:;]")
_TOKEN = re.compile(r"[^\s,;]+")
_SAMPLE_LINES = 1000


def read_words(path: str | Path | Sequence[str | Path]) -> Recording:
    r"""Read the words of a text, or of several.

    A word is a run of letters, perhaps with apostrophes in it, in lower case. Words form clauses,
    which end at full stops, colons, semicolons, question and exclamation marks, and empty lines.

    Parameters
    ----------
    path : str or path, or a list of them
        Plain text in UTF-8, UTF-16 or Latin-1, also compressed (.gz, .bz2, .xz, .zst).

    Returns
    -------
    Recording
        One row for each word and no columns. `annotations["word"]` holds the words, `groups` the
        numbers of the clauses.

    Raises
    ------
    DataFileError
        When a file cannot be read or holds no word.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from predfeat.datasets import read_words
    >>> file = Path(tempfile.mkdtemp()) / "rhyme.txt"
    >>> _ = file.write_text("Humpty Dumpty sat\non a wall; he fell.")
    >>> rhyme = read_words(file)
    >>> rhyme.annotations["word"].tolist()
    ['humpty', 'dumpty', 'sat', 'on', 'a', 'wall', 'he', 'fell']
    >>> rhyme.groups.tolist()
    [0, 0, 0, 0, 0, 0, 1, 1]
    """
    paths = [Path(path)] if isinstance(path, str | Path) else [Path(each) for each in path]
    words: list[str] = []
    clauses: list[int] = []
    shared: dict[str, str] = {}  # one object for all occurrences of a word
    for file in paths:
        n_before, start = len(words), clauses[-1] + 1 if clauses else 0
        with memory_errors_explained(file.name, _ADVICE):
            for word, clause in _words_and_clauses(_lines(file)):
                words.append(shared.setdefault(word, word))
                clauses.append(start + clause)
        if len(words) == n_before:
            raise DataFileError(f"{file.name} holds no words.")
    names = [file.name for file in paths]
    source = names[0] if len(names) == 1 else f"{len(names)} files ({names[0]} to {names[-1]})"
    return Recording(
        np.empty((len(words), 0)),
        names=(),
        source=source,
        groups=np.array(clauses, dtype=np.int64),
        annotations={"word": as_objects(words)},
    )


def holds_words(path: str | Path) -> bool:
    r"""Tell whether a text consists of words rather than numbers: more than half of its beginning.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from predfeat.datasets import holds_words
    >>> file = Path(tempfile.mkdtemp()) / "rhyme.txt"
    >>> _ = file.write_text("All the king's 2 horses\nand all the king's men")
    >>> holds_words(file)
    True
    """
    n_words = n_all = 0
    for _, line in zip(range(_SAMPLE_LINES), _lines(Path(path)), strict=False):
        tokens = _TOKEN.findall(line)
        n_all += len(tokens)
        n_words += sum(not any(c.isdigit() for c in token) for token in tokens)
    return 2 * n_words > n_all


def _lines(file: Path) -> Iterator[str]:
    check_file(file)
    with file.open("rb") as raw:
        yield from LimitedLines(decoded(raw, file.name), file.name, _ADVICE)


def _words_and_clauses(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each word with the number of its clause; clauses without words are not counted."""
    clause, is_new = -1, True
    for line in lines:
        is_new = is_new or not line.strip()
        for found in _WORD_OR_END.finditer(line.lower()):
            if found[1] is None:
                is_new = True
                continue
            clause, is_new = clause + is_new, False
            yield found[1], clause
