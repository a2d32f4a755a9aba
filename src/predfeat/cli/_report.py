"""`predfeat report`: the page of results computed before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from predfeat._files import read_whole
from predfeat.cli._options import Force, Quiet
from predfeat.cli._outputs import refuse_unwritable, writing
from predfeat.cli._terminal import say

__all__ = ["report"]

_MOST_BYTES = 2**28  # results have a few megabytes: the traces in them are bounded


def report(
    results: Annotated[
        Path,
        typer.Argument(
            help="The results.json of a comparison, or the folder it is in.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write the report again, from the results of a comparison.

    For example:

        predfeat report predfeat-out --out page.html

        predfeat report predfeat-out/results.json
    """
    from predfeat.exceptions import ResultsError
    from predfeat.report import render

    if results.is_dir():
        results = _results_in(results)
    refuse_unwritable([out], force=force, read=[results])
    try:
        content = json.loads(read_whole(results, at_most=_MOST_BYTES).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        where = f" (see line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise ResultsError(
            f"{results} is not JSON{where}. Give the results.json that predfeat compare wrote."
        ) from error
    page = render(content)
    with writing(out, force=force) as stream:
        stream.write(page.encode())
    say(f"Open {out}", quiet=quiet)


def _results_in(folder: Path) -> Path:
    results = folder / "results.json"
    if not results.exists():
        raise FileNotFoundError(
            f"{folder} contains no results.json. Give a folder that predfeat compare wrote."
        )
    return results
