"""`predfeat compare`: all methods on one recording, as a table and a report."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._data import read_recording
from predfeat.cli._follow_ups import (
    FollowUp,
    KeptSurrogates,
    SignificanceTest,
    Surrogates,
    diagnose_best,
    follow_up,
    pages,
)
from predfeat.cli._methods import understand_methods
from predfeat.cli._notes import data_notes
from predfeat.cli._options import (
    MOST,
    MOST_FITS,
    DataFiles,
    Force,
    Horizon,
    Jobs,
    Json,
    Methods,
    NNeighbors,
    PcaComponents,
    Quiet,
    Seed,
    count_or_share,
    reads_a_file,
)
from predfeat.cli._outputs import refuse_unwritable, writing
from predfeat.cli._terminal import (
    Styled,
    paragraphs,
    progress_bar,
    say,
    show_json,
    show_table,
)
from predfeat.cli._wording import in_options

__all__ = ["compare"]


_FILES = ("report.html", "results.json", "model.predfeat", "features.csv")
_NO_DIAGNOSIS = (
    "There is no diagnosis, as it looks at linear features, and the best ones here are not. "
    "Of a linear method, predfeat fit --diagnosis gives it."
)


@reads_a_file
def compare(
    reading: dict[str, Any],
    files: Annotated[list[Path] | None, *DataFiles.__metadata__] = None,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for " + ", ".join(_FILES) + ".", file_okay=False),
    ] = Path("predfeat-out"),
    methods: Methods = None,
    n_components: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="Features to find, M (default: 3, or fewer if the data has fewer directions; 2 "
            "without a file).",
            show_default=False,
        ),
    ] = None,
    n_lags: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="Samples in a state, p (default: 1; the report says if more would be better).",
            show_default=False,
        ),
    ] = None,
    horizon: Horizon = 1,
    n_neighbors: NNeighbors = 10,
    pca_components: PcaComponents = None,
    repetitions: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_FITS,
            help="Pairs of training and test parts to draw from the recording.",
        ),
    ] = 10,
    max_train: Annotated[
        int, typer.Option(min=10, max=MOST, help="Learn from at most this many rows.")
    ] = 5_000,
    max_test: Annotated[
        int, typer.Option(min=10, max=MOST, help="Test on at most this many rows.")
    ] = 2_500,
    max_fit: Annotated[
        int,
        typer.Option(
            min=10, max=MOST, help="Fit the final model to at most this many rows, spread evenly."
        ),
    ] = 10_000,
    significance: Annotated[
        Surrogates | None,
        typer.Option(
            help="Also test how many features are real, against surrogates of this kind.",
            show_default=False,
        ),
    ] = None,
    surrogates: Annotated[
        int, typer.Option(min=19, max=MOST_FITS, help="Number of surrogates for --significance.")
    ] = 99,
    diagnosis: Annotated[
        bool, typer.Option(help="Check the best method's fit for problems.")
    ] = True,
    random_state: Seed = 0,
    jobs: Jobs = -1,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the most predictable features of a recording, and see which method finds them best.

    Every method repeatedly learns from one part of the recording and is tested on another part.
    The best one is then fitted to the whole recording. Prints a table, and writes a folder with
    the report (a page to open in a browser), the results, the model and the features.

    Without a file, the data is the paper's predictable noise: two of its ten columns are half
    predictable from the previous step, the others are noise.

    For example:

        predfeat compare weather.csv

        predfeat compare trials.csv --group trial --n-lags 3 --out trials

        predfeat compare recordings/ --out recordings-out

        predfeat compare gait.csv --horizon 10

        predfeat compare song.flac --rate 22050 -m sfa,gpfa2

        predfeat compare weather.csv -m gpfa2,gpfa2+quadratic

        predfeat compare weather.csv --significance permutation --no-diagnosis
    """
    from predfeat.experiments import Limits
    from predfeat.features import Expanded, find_method
    from predfeat.report import results_of

    chosen = (
        [find_method(w).name for w in understand_methods(methods, "--methods", expansions=True)]
        if methods
        else None
    )
    pca = "auto" if pca_components is None else count_or_share(pca_components)
    paths = {name: out / name for name in _FILES}
    kept = KeptSurrogates(out / "surrogates.json", force=force)
    test = None
    if significance is not None:
        shown = not (quiet or as_json)
        test = SignificanceTest(
            significance, surrogates, max_train, random_state, jobs, kept, quiet, shown
        )
    written = [*paths.values(), *([kept.path] if test else [])]
    refuse_unwritable(written, force=force, data=files or [])
    if files:
        recording = read_recording(files, reading, quiet=quiet)
    else:
        recording, reading = _paper_noise(reading, random_state), {}
        n_components = 2 if n_components is None else n_components
    if test is not None:
        test.refuse_untestable(recording, n_lags or 1, horizon)
    study = _compared(
        recording,
        chosen,
        quiet,
        n_components=n_components,
        n_lags=n_lags,
        horizon=horizon,
        n_neighbors=n_neighbors,
        pca_components=pca,
        n_repetitions=repetitions,
        limits=Limits(max_train, max_test, max_fit),
        random_state=random_state,
        n_jobs=jobs,
    )
    results = results_of(study, shlex.join(["predfeat", *sys.argv[1:]]))
    content = _write(study, results, data_notes(recording, reading), paths, force)
    follow_ups: dict[str, FollowUp] = {}
    is_linear = not isinstance(study.model, Expanded)
    if diagnosis and is_linear:
        follow_ups["the diagnosis"] = partial(diagnose_best, study, random_state, jobs, quiet)
    if test is not None:
        follow_ups["the test of significance"] = partial(test.run, study)
    results = follow_up(study, results, content, follow_ups, paths, force)
    if test is not None:
        kept.remove()
    if as_json:
        show_json(results)
    elif not quiet:
        _tell(results, paths["report.html"], lacks_diagnosis=diagnosis and not is_linear)


def _compared(recording: Any, methods: list[str] | None, quiet: bool, **options: Any) -> Any:
    from predfeat.experiments import compare_on_recording

    with progress_bar("comparing", quiet=quiet) as progress:
        return compare_on_recording(recording, methods, **options, on_progress=progress)


def _tell(results: dict[str, Any], report: Path, *, lacks_diagnosis: bool) -> None:
    """Print the table, and the findings in sentences."""
    from predfeat.report import lags_sentence, numbered

    _show(results)
    more = lags_sentence(results)
    said = [
        [results["sentence"]],
        numbered(results["features"]["descriptions"]),
        *([[more]] if more else []),
        *_findings(results["diagnosis"]),
        *([[_NO_DIAGNOSIS]] if lacks_diagnosis else []),
    ]
    say(*paragraphs(*said, [f"Open {report}"]))


def _findings(diagnosis: dict[str, Any] | None) -> list[list[str]]:
    """Return a paragraph on a diagnosis: one line per finding, or that there are none."""
    if diagnosis is None:
        return []
    lines = [
        f"{finding['severity']}: {finding['name']}: {in_options(finding['summary'].strip())}"
        for finding in diagnosis["findings"]
    ]
    if not lines:
        return [["The diagnosis found no problem with this fit."]]
    return [[*lines, "The report explains what this means and what to change."]]


def _paper_noise(reading: dict[str, Any], random_state: int) -> Any:
    from predfeat.datasets import Recording, predictable_noise

    if reading:
        raise typer.BadParameter(
            f"--{next(iter(reading))} is an option for reading a file, but no file was given."
        )
    values = predictable_noise(2000, random_state=random_state)
    names = tuple(f"dimension {i + 1}" for i in range(values.shape[1]))
    return Recording(values, names, "the paper's predictable noise")


def _write(
    study: Any,
    results: dict[str, Any],
    notes: dict[str, Any],
    paths: dict[str, Path],
    force: bool,
) -> dict[str, bytes]:
    """Write all results, each completely or not at all; return the contents to be extended."""
    from predfeat.datasets import write_features
    from predfeat.persistence import save

    names = [str(name) for name in study.model.get_feature_names_out()]
    content = pages(results)
    for page in content:
        with writing(paths[page], force=force) as stream:
            stream.write(content[page])
    with writing(paths["features.csv"], force=force) as stream:
        write_features(stream, study.features, names, recording=study.recording)
    save(study.model, paths["model.predfeat"], notes=notes, overwrite=force)
    return content


def _show(results: dict[str, Any]) -> None:
    from predfeat.report import what_was_cut

    protocol, data = results["protocol"], results["data"]
    alike = results["verdict"] == "nothing to choose"
    rows = [_row(method, alike) for method in results["methods"]]
    rows += [
        [Styled(text, "dim") for text in (left_out["name"], "left out")]
        for left_out in results["left_out"]
    ]
    show_table(
        f"{protocol['n_components']} feature(s) of {data['source']}, "
        f"{data['n_rows']} × {data['n_columns']}",
        rows,
        heads=["method", "left to chance", "eq. (2)", "against the best", "fit time"],
        caption=f"Left to chance: variance of the features' {_what_comes(protocol)} that their own "
        "past does not predict, on data not learned from. Lower is better. Mean ± standard "
        f"deviation over {protocol['n_repetitions']} repetition(s).",
    )
    for method in results["methods"]:
        if method["kept"]:
            say(f"{method['name']} kept the features of {method['kept']}.")
    if cut := what_was_cut(results):
        say(cut)
    for left_out in results["left_out"]:
        say(f"{left_out['name']} was left out: {in_options(left_out['reason'])}")


def _row(method: dict[str, Any], alike: bool) -> list[Styled]:
    import numpy as np

    share = np.array(method["test_share"])
    scores = np.array(method["test_predictability"])
    cells = [
        method["name"],
        f"{share.mean():.1%} ± {share.std(ddof=min(1, len(share) - 1)):.1%}",
        f"{scores.mean():.3f}",
        "the same" if alike else _against(method["paired"]),
        _duration(float(np.median(method["seconds"]))),
    ]
    return [Styled(text, "bold" if method["best"] and not alike else "") for text in cells]


def _what_comes(protocol: dict[str, Any]) -> str:
    horizon = protocol["horizon"]
    return "next step" if horizon == 1 else f"values {horizon} steps later"


def _against(paired: dict[str, Any] | None) -> str:
    if paired is None:
        return "best"
    if paired["p_value"] is None:
        return "–"
    return f"p = {paired['p_value']:.2g}" if paired["p_value"] >= 0.001 else "p < 0.001"


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
