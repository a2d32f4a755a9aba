"""What `predfeat compare` does once it knows the best method: diagnose it, test its features."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from predfeat._files import read_whole
from predfeat.cli._outputs import replace_own, writing
from predfeat.cli._terminal import progress_bar, say
from predfeat.cli._wording import in_options

__all__ = [
    "KeptSurrogates",
    "Look",
    "Surrogates",
    "diagnose_best",
    "look_closer",
    "pages",
    "refuse_untestable",
    "test_best",
]

# Returns what it found by the names that `results_of` has for it.
Look = Callable[[], dict[str, Any]]


class Surrogates(StrEnum):
    """The kinds of surrogate, as they are typed."""

    permutation = "permutation"
    blocks = "blocks"
    phases = "phases"
    iaaft = "iaaft"
    joint_phases = "joint-phases"


class KeptSurrogates:
    """The surrogates of a test that is not done, in a file, so that it can go on."""

    def __init__(self, path: Path, *, force: bool):
        self.path, self._replace = path, force

    def read(self) -> Any | None:
        """Return what an interrupted test left, if it is whole and as it was written."""
        from predfeat.exceptions import SignificanceError
        from predfeat.selection import Significance

        try:
            return Significance.from_dict(json.loads(read_whole(self.path)))
        except FileNotFoundError:
            return None
        except SignificanceError as error:
            reason = str(error)
        except (OSError, ValueError, RecursionError):
            reason = "it cannot be read as JSON."
        say(f"note: {self.path} is not used, and all surrogates are done anew: {reason}")
        return None

    def write(self, tested: Any) -> None:
        """Keep the result so far."""
        with writing(self.path, force=self._replace) as stream:
            stream.write(json.dumps(tested.as_dict()).encode())
        self._replace = True

    def remove(self) -> None:
        """Remove the file: all that was in it is in the results."""
        self.path.unlink(missing_ok=True)


def refuse_untestable(
    recording: Any,
    kind: Surrogates,
    max_rows: int,
    n_lags: int,
    horizon: int,
    seed: int,
    quiet: bool,
) -> None:
    """Say so before hours of work if the rows to be tested cannot be, or have no surrogate.

    The test itself tries it, with one surrogate and the cheapest of all methods.
    """
    from predfeat import RandomFeatures
    from predfeat.experiments import shortest_piece, spread_sequences
    from predfeat.selection import VarianceLeft, significance
    from predfeat.series import check_sequences

    with progress_bar("trying a surrogate", quiet=quiet) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the comparison will say the same
        series = check_sequences(recording.values, recording.groups, name="the recording")
        shortest = shortest_piece(n_lags, horizon)
        rows, groups = spread_sequences(series, max_rows, shortest=shortest)
        significance(
            RandomFeatures(1, random_state=0),
            recording.values[rows],
            groups=groups,
            n_surrogates=1,
            kind=kind.value,
            statistic=VarianceLeft(horizon=horizon),
            alpha=0.5,
            random_state=seed,
            on_progress=progress,
        )


def look_closer(
    study: Any,
    results: dict[str, Any],
    looks: dict[str, Look],
    paths: dict[str, Path],
    force: bool,
) -> dict[str, Any]:
    """Look at the best method's features again, and write down what each look finds at once.

    So an error or an interrupt costs what was not yet found, and nothing else.
    """
    from predfeat.report import results_of

    found: dict[str, Any] = {}
    names = list(looks)
    for n, name in enumerate(names):
        before = pages(results)
        with _telling_what_is_missing(names[n:], paths):
            found |= looks[name]()
            results = results_of(study, results["command"], **found)
            after = pages(results)
        for page, content in after.items():
            replace_own(paths[page], before[page], content, force=force)
    return results


@contextmanager
def _telling_what_is_missing(names: list[str], paths: dict[str, Path]) -> Iterator[None]:
    try:
        yield
    except BaseException:  # Ctrl-C is no Exception
        say(
            f"The comparison is whole in {paths['report.html'].parent} ({', '.join(paths)}), but "
            f"without {' and '.join(names)}. The same command with --force compares again, and "
            "goes on with the surrogates that are done."
        )
        raise


def test_best(
    study: Any,
    kind: Surrogates,
    n_surrogates: int,
    max_rows: int,
    seed: int,
    jobs: int,
    quiet: bool,
    *,
    kept: KeptSurrogates,
    shown: bool,
) -> dict[str, Any]:
    """Test the best method's features on as many rows as it learnt from in a repetition."""
    from sklearn.base import clone

    from predfeat.exceptions import OtherSettingError
    from predfeat.experiments import shortest_piece, spread_sequences
    from predfeat.selection import VarianceLeft, significance

    n_lags, horizon = study.protocol.n_lags, study.protocol.horizon
    shortest = shortest_piece(n_lags, horizon)
    rows, groups = spread_sequences(study.series, max_rows, shortest=shortest)
    model = clone(study.best.model)
    if hasattr(model, "n_jobs"):
        model.set_params(n_jobs=None)  # the surrogates share the processors
    with progress_bar("testing", quiet=quiet) as progress:
        test = partial(
            significance,
            model,
            study.recording.values[rows],
            groups=groups,
            n_surrogates=n_surrogates,
            kind=kind.value,
            statistic=VarianceLeft(horizon=horizon),
            random_state=seed,
            n_jobs=jobs,
            on_progress=progress,
            on_part=kept.write,
        )
        try:
            tested = test(previous=kept.read())
        except OtherSettingError:
            tested = test()
    say(*in_options(str(tested)).split("\n"), "", quiet=not shown)
    return {"significance": tested, "tested_rows": len(rows)}


def diagnose_best(study: Any, seed: int, jobs: int, quiet: bool) -> dict[str, Any]:
    """Look at the best method's model, on the rows it learned from."""
    from predfeat.selection import diagnose

    rows, groups = study.learned_from
    with progress_bar("diagnosing", quiet=quiet) as progress:
        found = diagnose(
            study.model,
            study.recording.values[rows],
            groups=groups,
            names=study.recording.names,
            n_jobs=jobs,
            random_state=seed,
            on_progress=progress,
        )
    return {"diagnosis": found}


def pages(results: dict[str, Any]) -> dict[str, bytes]:
    """Return the contents of the files that grow with what is found."""
    from predfeat.report import render

    return {
        "results.json": (json.dumps(results, indent=1, allow_nan=False) + "\n").encode(),
        "report.html": render(results).encode(),
    }
