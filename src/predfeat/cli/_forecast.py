"""`predfeat forecast`: what comes after the last row, and how sure that is."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from predfeat.cli._data import ReadData, read_data, read_data_like
from predfeat.cli._follow import follow_rows, row_preparation
from predfeat.cli._forecast_shown import how_it_was_made, show_forecast, what_goes_on
from predfeat.cli._notes import known_data
from predfeat.cli._options import (
    MOST,
    DataFiles,
    Force,
    Jobs,
    Json,
    NNeighbors,
    Quiet,
    reads_a_file,
)
from predfeat.cli._outputs import refuse_unwritable, writing
from predfeat.cli._terminal import (
    progress_bar,
    raw_output,
    say,
    short_name,
    show_json,
)

__all__ = ["forecast"]

_JOINT = ("each", "features", "path")


@reads_a_file
def forecast(
    reading: dict[str, Any],
    files: DataFiles,
    steps: Annotated[int, typer.Option(min=1, max=MOST, help="Rows to forecast, H.")] = 20,
    model: Annotated[
        Path | None,
        typer.Option(help="Forecast from the features of this model file, as they are."),
    ] = None,
    level: Annotated[
        float, typer.Option(help="Share of the future that intervals should contain.")
    ] = 0.9,
    joint: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="What an interval holds for: each number, all features of a step, or the path.",
        ),
    ] = "each",
    of_features: Annotated[
        bool, typer.Option("--of-features", help="Forecast the features, not the columns.")
    ] = False,
    all_columns: Annotated[
        bool,
        typer.Option("--all-columns", help="Forecast from the columns themselves, not features."),
    ] = False,
    n_components: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="Features to forecast from, M (3, or fewer if there are fewer directions).",
            show_default=False,
        ),
    ] = None,
    n_lags: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, help="Samples in a state, p (the model's, or 1).", show_default=False
        ),
    ] = None,
    n_neighbors: NNeighbors = 10,
    backtest: Annotated[
        bool,
        typer.Option(help="Measure skill and coverage on later rows that a fit does not know."),
    ] = True,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", help="Read further rows from standard input, and forecast after each."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="File for the forecast: .csv, .tsv or .parquet; - prints CSV."
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="HTML page with the fan charts and the back-test.")
    ] = None,
    jobs: Jobs = -1,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Forecast the next rows of a recording, with intervals.

    Features are found in the earlier rows, and forecast from what followed similar states.
    Intervals are calibrated on later rows; the back-test says how many numbers they contained.
    Of several sequences, the last one is continued.

    For example:

        predfeat forecast weather.csv --steps 24 --page weather.html

        predfeat forecast weather.csv --out next.csv --level 0.8

        predfeat forecast machine.csv --model model.predfeat --of-features

        tail -n +1 -f today.csv | predfeat forecast history.csv --follow --steps 5
    """
    settings = _Settings(steps, level, joint, n_components, n_lags, n_neighbors, jobs, all_columns)
    settings.check(model)
    _check_outputs(out, page, files, model, force=force)
    if follow:
        _refuse_with_follow(files, reading, out, page, as_json=as_json)
    data, features = _data_and_features(files, model, reading, settings, quiet=quiet)
    recording = data.prepared
    if follow:
        row_preparation(data.options)  # a model may remember one that rows cannot have
    else:
        _refuse_gap_at_the_end(recording)
    forecaster = settings.forecaster(features, prefit=model is not None)
    with progress_bar("learning to forecast", quiet=quiet):
        forecaster.fit(recording.values, groups=recording.groups)
    if follow:
        follow_rows(forecaster, data, channels=not of_features, quiet=quiet)
        return
    ahead = _predicted(forecaster, recording, of_features)
    judged = _judged(forecaster, recording, of_features, quiet=quiet) if backtest else None
    times = _times(recording, steps)
    if out is not None:
        _write(out, ahead, times, recording, force=force)
    results = _results(forecaster, ahead, judged, times, recording, of_features)
    if page is not None:
        from predfeat.report import render_forecast

        with writing(page, force=force) as stream:
            stream.write(render_forecast(results).encode())
    if as_json:
        show_json(results)
    elif not quiet and str(out) != "-":
        show_forecast(results)
    for path in (out, page):
        if path is not None and str(path) != "-":
            say(f"{'Open' if path == page else 'Written:'} {path}", quiet=quiet)


@dataclass(frozen=True)
class _Settings:
    steps: int
    level: float
    joint: str
    n_components: int | None
    n_lags: int | None
    n_neighbors: int
    jobs: int
    all_columns: bool

    def check(self, model: Path | None) -> None:
        if not 0 < self.level < 1:
            raise typer.BadParameter(
                f"{self.level:g} is not a share between 0 and 1, such as 0.9.",
                param_hint="--level",
            )
        if self.joint not in _JOINT:
            raise typer.BadParameter(
                f"{self.joint!r} is none of {', '.join(_JOINT)}.", param_hint="--joint"
            )
        given = {"--all-columns": self.all_columns, "--n-components": self.n_components}
        clashing = [option for option, value in given.items() if value]
        if model is not None and clashing:
            raise typer.BadParameter(
                "the model says what the features are. Leave one of the two out.",
                param_hint=clashing[0],
            )
        if len(clashing) > 1:
            raise typer.BadParameter(
                "all columns are used as they are. Leave one of the two out.",
                param_hint="--n-components",
            )

    def forecaster(self, features: Any, *, prefit: bool) -> Any:
        from predfeat.forecasting import Forecaster

        return Forecaster(
            features,
            n_steps=self.steps,
            level=self.level,
            n_lags=self.n_lags,
            n_neighbors=self.n_neighbors,
            joint=self.joint,
            prefit=prefit,
            n_jobs=self.jobs,
        )


def _check_outputs(
    out: Path | None, page: Path | None, files: list[Path], model: Path | None, *, force: bool
) -> None:
    suffixes = (".csv", ".tsv", ".parquet")
    if out is not None and str(out) != "-" and out.suffix.lower() not in suffixes:
        raise typer.BadParameter(
            f"{out} must end in one of {', '.join(suffixes)}.", param_hint="--out"
        )
    written = [path for path in (out, page) if path is not None and str(path) != "-"]
    if len(written) == 2 and written[0] == written[1]:
        raise typer.BadParameter(f"{page} is --out, too. Give another file.", param_hint="--page")
    refuse_unwritable(written, force=force, data=files, read=[model])


def _refuse_with_follow(
    files: list[Path],
    reading: dict[str, Any],
    out: Path | None,
    page: Path | None,
    *,
    as_json: bool,
) -> None:
    others = {"--out": out, "--page": page, "--json": as_json or None}
    for option, value in others.items():
        if value is not None and str(value) != "-":
            raise typer.BadParameter(
                "--follow prints its forecasts as CSV. Leave one of the two out.",
                param_hint=option,
            )
    if any(str(file) == "-" for file in files):
        raise typer.BadParameter(
            "--follow reads further rows from standard input, so the rows before must be in files.",
            param_hint="FILES",
        )
    row_preparation(reading)


def _data_and_features(
    files: list[Path],
    model: Path | None,
    reading: dict[str, Any],
    settings: _Settings,
    *,
    quiet: bool,
) -> tuple[ReadData, Any]:
    """Return the data, and the features to forecast from: fitted, to be fitted, or None."""
    if model is None:
        read = read_data(files, reading, quiet=quiet)
        return read, None if settings.all_columns else _features(read.prepared, settings)
    from predfeat.exceptions import ModelFileError
    from predfeat.features import LinearFeatures
    from predfeat.persistence import read_model

    fitted, header = read_model(model)
    if not isinstance(fitted, LinearFeatures):
        raise ModelFileError(
            f"{model} holds a {header.estimator}, from whose features columns cannot be made. Give "
            "a model of a linear method, such as GPFA or SFA."
        )
    data = known_data(header.notes, model)
    read = read_data_like(data, files, reading, quiet)
    source = read.prepared.source
    if data.get("source") == source:
        say(
            f"note: the features were fitted to {source} as well, so that the intervals "
            "may be too narrow. Without --model, features are found in its earlier rows alone.",
            quiet=quiet,
        )
    return read, fitted


def _refuse_gap_at_the_end(recording: Any) -> None:
    """Refuse before the fit what could not be forecast after it."""
    import numpy as np

    from predfeat.exceptions import ForecastError

    missing = np.isnan(recording.values[-1:]).ravel()
    if not missing.any():
        return
    whole = np.flatnonzero(~np.isnan(recording.values).any(axis=1))
    n_gaps = len(recording.values) - 1 - int(whole.max(initial=-1))
    names = [short_name(recording.names[i]) for i in np.flatnonzero(missing)[:5]]
    rows = "last row is a gap" if n_gaps == 1 else f"last {n_gaps} rows are gaps"
    raise ForecastError(
        f"{recording.source} cannot be forecast from its end: the {rows}, without a number in "
        f"{', '.join(names)}{' …' * (int(missing.sum()) > 5)}. Leave out these rows or these "
        "columns (--exclude), or fill them."
    )


def _features(recording: Any, settings: _Settings) -> Any:
    """Return GPFA with the components and features that `compare` would take."""
    from predfeat.experiments import choose_n_components, choose_pca
    from predfeat.features import GPFA
    from predfeat.series import check_sequences
    from predfeat.whitening import fit_whitening

    series = check_sequences(recording.values, recording.groups, name="the recording")
    pca = choose_pca(recording, series, int(series.valid.sum()))
    n_components = settings.n_components
    if n_components is None:
        n_components = choose_n_components(fit_whitening(series, pca, warn=False).rank)
    return GPFA(
        n_components,
        n_lags=settings.n_lags or 1,
        n_neighbors=settings.n_neighbors,
        pca_components=pca,
        n_jobs=settings.jobs,
    )


def _judged(forecaster: Any, recording: Any, of_features: bool, *, quiet: bool) -> Any:
    """Return the back-test, or None where the recording is too short for one."""
    from predfeat.exceptions import DataError
    from predfeat.forecasting import backtest

    try:
        with progress_bar("testing on later rows", quiet=quiet):
            return backtest(
                forecaster,
                recording.values,
                groups=recording.groups,
                channels=not of_features,
            )
    except DataError as error:
        say(f"note: there is no back-test: {error}", quiet=quiet)
        return None


def _predicted(forecaster: Any, recording: Any, of_features: bool) -> Any:
    """Return the forecast, under the names that the file's columns have."""
    if of_features and forecaster.model_.features is not None:
        return forecaster.predict()
    return replace(forecaster.predict_channels(), names=tuple(recording.names))


def _times(recording: Any, steps: int) -> Any:
    from predfeat.datasets import continued_time

    return continued_time(recording, steps)


def _write(out: Path, ahead: Any, times: Any, recording: Any, *, force: bool) -> None:
    import numpy as np

    from predfeat.datasets import FileColumn, Recording, write_features

    values = np.stack([ahead.mean, ahead.lower, ahead.upper], axis=2)
    values = values.reshape(len(ahead.mean), -1)
    names = [name for each in ahead.names for name in (each, f"{each} lower", f"{each} upper")]
    count = next(name for name in ("step", "step ahead", "row ahead") if name not in names)
    column = times or FileColumn(count, np.arange(1, len(values) + 1))
    as_recording = Recording(values, tuple(names), recording.source, time_column=column)
    if str(out) == "-":
        write_features(raw_output(), values, names, recording=as_recording)
        return
    with writing(out, force=force) as stream:
        suffix = out.suffix.lower()
        write_features(stream, values, names, suffix=suffix, recording=as_recording)


def _results(
    forecaster: Any, ahead: Any, judged: Any, times: Any, recording: Any, of_features: bool
) -> dict[str, Any]:
    import numpy as np

    from predfeat.report import forecast_results

    fitted = forecaster.model_
    recent = np.asarray(recording.values, dtype=np.float64)
    if recording.groups is not None:
        recent = recent[np.asarray(recording.groups) == recording.groups[-1]]
    if of_features and fitted.features is not None:
        recent = np.asarray(fitted.features.transform(recent))
    return forecast_results(
        ahead,
        recent,
        source=recording.source,
        command=shlex.join(["predfeat", *sys.argv[1:]]),
        how=how_it_was_made(fitted) + what_goes_on(recording),
        times=None if times is None else times.texts(),
        backtest=judged,
    )
