"""Comments above and between the rows of a text table."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat

from predfeat.datasets._decoding import sampled
from predfeat.datasets._limits import COMMENT_LINES

__all__ = ["TextLines", "read_lines"]

_SIGNS = ("#", "%", "//", ";")


@dataclass
class TextLines:
    """The lines of a table, with comments blanked so that line numbers stay as they are.

    Attributes
    ----------
    lines : iterator of str
    delimiter : str
    header : list of str or None
        Names that stand in the last comment above the rows, as NumPy writes them.
    n_comments : int
        Lines taken as comments so far; final when all lines were read.
    """

    lines: Iterator[str]
    delimiter: str
    header: list[str] | None = None
    n_comments: int = 0

    def note(self) -> tuple[str, ...]:
        """Say how many lines were skipped."""
        if not self.n_comments:
            return ()
        return (f"{self.n_comments} line(s) of comments were skipped.",)


def read_lines(
    lines: Iterator[str],
    delimiter: str | None,
    find_delimiter: Callable[[list[str]], str],
    looks_like_names: Callable[[list[str], str], bool],
    *,
    source: str,
    header: bool | None = None,
) -> TextLines:
    """Tell comments from rows, and find the delimiter of the rows.

    Above the first row, lines that begin with #, %, // or ; are comments; further down only those
    that begin with #, unless most rows do so.

    Parameters
    ----------
    lines : iterator of str
    delimiter : str or None
        None: find it.
    find_delimiter : callable
        From sampled lines to the delimiter.
    looks_like_names : callable
        Whether the cells of a row, cut by a delimiter, are names.
    source : str
        The file, for messages.
    header : bool, optional
        Whether there is a row of names; None: find it.
    """
    above: list[str] = []  # comments, and one blank line for as many as follow each other
    n_times: list[int] = []
    sample: list[str] = []
    for line in lines:
        start = line.lstrip()
        if start and not start.startswith(_SIGNS):
            sample = sampled(chain([line], lines))
            break
        if not start and above and not above[-1].strip():
            n_times[-1] += 1
            continue
        above.append(line)
        n_times.append(1)
        COMMENT_LINES.check(len(above), source)
    if not sample and any(map(str.strip, above)):  # only such lines: then they are the rows
        sample, above = list(chain.from_iterable(map(repeat, above, n_times))), []
    plain = [line for line in sample if not line.startswith("#")] or sample
    delimiter = delimiter or find_delimiter(plain)
    width = len(_cut(plain[0], delimiter)) if plain else 0
    while above and above[-1].startswith(delimiter) and len(_cut(above[-1], delimiter)) == width:
        sample.insert(0, above.pop())  # no comment, but a row whose first cell is empty
    plain = [line for line in sample if not line.startswith("#")] or sample
    full = [line for line in sample if line.strip()]
    marked = [s for s in full if s.startswith("#") and len(_cut(s, delimiter)) == width]
    signs = not 2 * len(marked) > len(full)
    found = TextLines(iter(()), delimiter)
    if header is not False and any(map(str.strip, above)) and width:
        last = next(line for line in reversed(above) if line.strip())
        names = _cut(last, delimiter) if header else _names(last, delimiter)
        no_names_below = not looks_like_names(_cut(plain[0], delimiter), delimiter)
        # In one column every comment would do as a name.
        as_names = header or (width > 1 and looks_like_names(names, delimiter))
        if len(names) == width and no_names_below and as_names:
            found.header = names
    found.n_comments = sum(1 for line in above if line.strip()) - (found.header is not None)
    blank = repeat("\n", sum(n_times[: len(above)]))
    rest = chain(sample, lines)
    found.lines = chain(blank, _without(rest, found, width) if signs else rest)
    return found


def _without(lines: Iterator[str], found: TextLines, width: int) -> Iterator[str]:
    """Blank the lines that begin with #, but not inside a quoted cell."""
    inside = False
    for line in lines:
        if line == "\n":  # there may be millions
            yield line
            continue
        if not inside and line.startswith("#"):
            found.n_comments += 1
            if width > 1:  # in a single column a blank line is an empty cell
                yield "\n"
            continue
        if line.count('"') % 2:
            inside = not inside
        yield line


def _cut(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def _names(comment: str, delimiter: str) -> list[str]:
    """Cut a comment into names, without its sign unless the sign is all there is."""
    text = comment.strip()
    for sign in ("#", "//", "% ", "; "):
        if text.startswith(sign):
            rest = text[len(sign) :].lstrip()
            text = text if not rest or rest.startswith(delimiter) else rest
            break
    return _cut(text, delimiter)
