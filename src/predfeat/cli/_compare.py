"""`predfeat compare`: all methods on the same data, in one table."""

from __future__ import annotations

import json
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from predfeat.experiments import Comparison, compare_on_predictable_noise, standard_methods

__all__ = ["compare"]


def compare(
    repetitions: Annotated[
        int, typer.Option(min=1, help="How often the data is drawn and all methods are fitted.")
    ] = 20,
    n_neighbors: Annotated[int, typer.Option(min=1, help="Neighbours in GPFA's graph, k.")] = 10,
    n_features: Annotated[int, typer.Option(min=2, help="Columns of the data, N.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data and the methods.")] = 0,
    jobs: Annotated[
        int, typer.Option(help="Threads of the neighbour search (-1: all).", show_default=True)
    ] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all results as JSON instead of the table.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Fit all methods on the same data and compare how predictable their features are.

    The data is the paper's predictable noise: two of its columns are half predictable from the
    step before, the others are noise. Only a method that finds the two gets near the last row.

    Example: `predfeat compare --repetitions 50 --n-features 20`
    """
    methods = standard_methods(n_neighbors=n_neighbors, random_state=seed, n_jobs=jobs)
    console = Console(stderr=True)
    with Progress(
        TextColumn("fitting"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as progress:
        task = progress.add_task("fits", total=repetitions * len(methods))
        comparison = compare_on_predictable_noise(
            methods,
            n_repetitions=repetitions,
            n_features=n_features,
            seed=seed,
            after_each=lambda: progress.advance(task),
        )
    if as_json:
        typer.echo(json.dumps(comparison.as_dict(), indent=2))
    else:
        _print_table(comparison)


def _print_table(comparison: Comparison) -> None:
    data = comparison.data
    n_repetitions = len(comparison.results[0].predictability)
    table = Table(
        title=f"Predictability of 2 features of {data['name']} "
        f"({data['n_train']} × {data['n_features']} to learn from, {data['n_test']} to test)",
        caption="Variance of the next step that the features' own past leaves open, on test data: "
        "lower is better, and the level of random features means nothing predictable. "
        f"Mean ± standard deviation over {n_repetitions} repetition(s).",
    )
    table.add_column("method")
    table.add_column("test predictability", justify="right")
    table.add_column("fit time", justify="right")
    best = min(r.mean for r in comparison.results if r.method != "true dimensions")
    for result in comparison.results:
        known = result.method == "true dimensions"
        if known:
            table.add_section()
        table.add_row(
            result.method,
            f"{result.mean:.3f} ± {result.spread:.3f}",
            "known" if known else f"{np.median(result.seconds) * 1000:.0f} ms",
            style="bold" if result.mean == best else None,
        )
    Console().print(table)
