"""What `predfeat fit` says of a fit: before it, while it runs, and of what it found."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from predfeat.cli._terminal import in_words, progress_bar, say, short_name, show
from predfeat.cli._wording import advice_in_options, in_options
from predfeat.exceptions import ConstantColumnsWarning

__all__ = [
    "called",
    "constant_columns_by_name",
    "say_how_long",
    "say_what_was_fitted",
    "say_who_won",
    "show_diagnosis",
]

_MOST_NAMES_SHOWN = 10
# The user is warned before a fit that is expected to take longer.
_LONG_FIT_SECONDS = 60
_SUGGESTED_MAX_ROWS = 20_000


def called(model: Any) -> str:
    """Return what to call a method: by its class, and what it is fitted to."""
    from predfeat.features import linear_method, name_of

    return type(model).__name__ if linear_method(model) is model else name_of(model)


def say_how_long(model: Any, values: Any, groups: Any) -> None:
    """Say before a long fit how long it may take, and how to shorten it."""
    from predfeat.features import expected_time

    expected = expected_time(model, values, groups=groups)
    if expected is None or expected.seconds < _LONG_FIT_SECONDS:
        return
    steps = ""
    if expected.per_iteration is not None:
        each = in_words(expected.per_iteration)
        steps = f" ({each} for each of at most {model.max_iter} iterations; --max-iter takes fewer)"
    sooner = f"--max-rows {_SUGGESTED_MAX_ROWS} fits to that many rows, spread over the recording"
    sooner += "; --every 10 keeps one row in ten, where sampling is fast"
    if steps and isinstance(model.init, str) and model.init == "input":
        sooner += "; --init sfa or pca searches the first neighbours in fewer dimensions"
    say(
        f"note: fitting {called(model)} to {len(values)} rows may take "
        f"{in_words(expected.seconds)}{steps}. To save time: {sooner}. Ctrl-C stops it."
    )


@contextmanager
def constant_columns_by_name(recording: Any, *, quiet: bool) -> Iterator[None]:
    """Report constant columns by their names in the file: the model knows only numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConstantColumnsWarning)
        show_others = warnings.showwarning

        def tell(message: Any, *details: Any, **named: Any) -> None:
            if not isinstance(message, ConstantColumnsWarning):
                show_others(message, *details, **named)
                return
            names = [recording.names[i] for i in message.columns]
            shown = ", ".join(map(short_name, names[:_MOST_NAMES_SHOWN])) + (
                ", …" if len(names) > _MOST_NAMES_SHOWN else ""
            )
            n_columns = len(recording.names)
            say(
                f"note: {len(names)} of {n_columns} column(s) are constant and were left out: "
                f"{shown}",
                quiet=quiet,
            )

        warnings.showwarning = tell
        yield


def say_what_was_fitted(
    model: Any, recording: Any, n_rows: int, out: Path, cut_as_asked: bool
) -> None:
    from predfeat.features import linear_method

    n_all = len(recording.values)
    of = "" if n_rows == n_all else f"{n_rows} of {n_all} rows of "
    n_features = len(model.get_feature_names_out())
    say(f"{called(model)}: {n_features} feature(s) of {of}{recording.source}, kept in {out}")
    for layer in getattr(model, "layers_", ()):
        n_white = layer.directions.shape[1]
        say(f"  {n_white} directions were expanded to {layer.expansion.n_columns} columns")
    if linear_method(model).pca_components is not None and not cut_as_asked:
        n_used = model.layers_[0].directions.shape[1] if hasattr(model, "layers_") else model.rank_
        say(
            f"  {n_used} principal components of {len(recording.names)} columns were used; "
            "--pca-components none uses all"
        )


def say_who_won(model: Any) -> None:
    if hasattr(model, "best_candidate_"):
        kept, scores, words = model.best_candidate_, dict(model.scores_), ""
    elif hasattr(getattr(model, "estimator_", model), "init_"):
        model = getattr(model, "estimator_", model)
        kept, scores, words = model.init_, dict(model.start_scores_), "from "
    else:
        return
    least = scores.pop(kept)
    say(f"  kept: {words}{kept}, {least:.4g}")
    for name in sorted(scores, key=lambda name: scores[name])[:2]:
        less = float(f"{scores[name]:.4g}") < float(f"{least:.4g}")
        why = ": lower, but by so little that the first of the two is kept" if less else ""
        say(f"  next: {words}{name}, {scores[name]:.4g}{why}")


def show_diagnosis(model: Any, names: Any, values: Any, groups: Any, jobs: int) -> None:
    from predfeat.selection import diagnose

    with progress_bar("diagnosing") as progress:
        found = diagnose(
            model,
            values,
            groups=groups,
            names=names,
            n_jobs=jobs,
            on_progress=progress,
        )
    show(*str(_in_terms_of_options(found)).split("\n"))
    if any("relative=" in finding.advice for finding in found.findings):
        show("", "The share left to chance is measured with relative=True.")


def _in_terms_of_options(diagnosis: Any) -> Any:
    """Return a diagnosis that names options instead of parameters."""
    return replace(
        diagnosis,
        findings=tuple(
            replace(
                finding,
                summary=in_options(finding.summary),  # which may hold a message of the library
                advice=advice_in_options(finding.advice),
            )
            for finding in diagnosis.findings
        ),
    )
