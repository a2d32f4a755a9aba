"""What `predfeat compare` does once it knows the best method: diagnose it, test its features."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from predfeat._files import read_whole
from predfeat.cli._outputs import replace_own, writing
from predfeat.cli._terminal import progress_bar, say
from predfeat.cli._wording import in_options

__all__ = [
    "FollowUp",
    "KeptSurrogates",
    "SignificanceTest",
    "Surrogates",
    "diagnose_best",
    "follow_up",
    "pages",
]

# Returns what it found by the names that `with_findings` has for it.
FollowUp = Callable[[], dict[str, Any]]


class Surrogates(StrEnum):
    """The kinds of surrogate, as they are typed."""

    permutation = "permutation"
    blocks = "blocks"
    phases = "phases"
    iaaft = "iaaft"
    joint_phases = "joint-phases"


class KeptSurrogates:
    """The surrogates of an unfinished test, kept in a file so that it can be resumed."""

    def __init__(self, path: Path, *, force: bool):
        self.path, self._replace = path, force

    def read(self) -> Any | None:
        """Return the result of an interrupted test, if the file is intact."""
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
        say(f"note: {self.path} is not used, and all surrogates are computed again: {reason}")
        return None

    def write(self, tested: Any) -> None:
        """Write the result so far."""
        with writing(self.path, force=self._replace) as stream:
            stream.write(json.dumps(tested.as_dict()).encode())
        self._replace = True

    def remove(self) -> None:
        """Remove the file: the results contain everything in it."""
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True)
class SignificanceTest:
    """How many features of the best method are real, against surrogates.

    Attributes
    ----------
    kind : Surrogates
    n_surrogates : int
    max_rows : int
        Most rows to test: as many as the method learns from in a repetition.
    random_state, jobs : int
    kept : KeptSurrogates
        The surrogates of an interrupted test.
    quiet, shown : bool
        Whether to show no progress, and whether to print the answer.
    """

    kind: Surrogates
    n_surrogates: int
    max_rows: int
    random_state: int
    jobs: int
    kept: KeptSurrogates
    quiet: bool
    shown: bool

    def refuse_untestable(self, recording: Any, n_lags: int, horizon: int) -> None:
        """Raise before hours of work if the rows cannot be tested or have no surrogate.

        The test is run with one surrogate and the cheapest method.
        """
        from predfeat import RandomFeatures
        from predfeat.selection import NestedShares, significance
        from predfeat.series import check_sequences

        trying = progress_bar("trying a surrogate", quiet=self.quiet)
        with trying as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the comparison will say the same
            series = check_sequences(recording.values, recording.groups, name="the recording")
            rows, groups = self._rows(series, n_lags, horizon)
            significance(
                RandomFeatures(1, random_state=0),
                recording.values[rows],
                groups=groups,
                n_surrogates=1,
                kind=self.kind.value,
                statistic=NestedShares(horizon=horizon),
                alpha=0.5,
                random_state=self.random_state,
                on_progress=progress,
            )

    def run(self, study: Any) -> dict[str, Any]:
        """Test the best method's features."""
        from sklearn.base import clone

        from predfeat.exceptions import OtherSettingError
        from predfeat.features import linear_method
        from predfeat.selection import NestedShares, significance

        protocol = study.protocol
        rows, groups = self._rows(study.series, protocol.n_lags, protocol.horizon)
        model = clone(study.best.model)
        method = linear_method(model)
        if hasattr(method, "n_jobs"):
            method.set_params(n_jobs=None)  # the surrogates share the processors
        with progress_bar("testing", quiet=self.quiet) as progress:
            test = partial(
                significance,
                model,
                study.recording.values[rows],
                groups=groups,
                n_surrogates=self.n_surrogates,
                kind=self.kind.value,
                statistic=NestedShares(horizon=protocol.horizon),
                random_state=self.random_state,
                n_jobs=self.jobs,
                on_progress=progress,
                on_part=self.kept.write,
            )
            try:
                tested = test(previous=self.kept.read())
            except OtherSettingError:
                tested = test()
        say(*in_options(str(tested)).split("\n"), "", quiet=not self.shown)
        return {"significance": tested, "tested_rows": len(rows)}

    def _rows(self, series: Any, n_lags: int, horizon: int) -> Any:
        from predfeat.splits import shortest_piece, spread_sequences

        return spread_sequences(series, self.max_rows, shortest=shortest_piece(n_lags, horizon))


def diagnose_best(study: Any, random_state: int, jobs: int, quiet: bool) -> dict[str, Any]:
    """Diagnose the best method's model, on the rows it learned from."""
    from predfeat.selection import diagnose

    rows, groups = study.learned_from
    with progress_bar("diagnosing", quiet=quiet) as progress:
        found = diagnose(
            study.model,
            study.recording.values[rows],
            groups=groups,
            names=study.recording.names,
            n_jobs=jobs,
            random_state=random_state,
            on_progress=progress,
        )
    return {"diagnosis": found}


def follow_up(
    study: Any,
    results: dict[str, Any],
    written: dict[str, bytes],
    follow_ups: dict[str, FollowUp],
    paths: dict[str, Path],
    force: bool,
) -> dict[str, Any]:
    """Examine the best method's features further, and write each result as soon as it is found.

    So an error or an interrupt loses only what was not found yet. `written` is what this run has
    written: it is replaced, but what another program has written since then is not.
    """
    from predfeat.report import with_findings

    names = list(follow_ups)
    for n, name in enumerate(names):
        with _reporting_what_is_missing(names[n:], paths):
            results = with_findings(results, study, **follow_ups[name]())
            content = pages(results)
        for page in content:
            replace_own(paths[page], written[page], content[page], force=force)
        written = content
    return results


@contextmanager
def _reporting_what_is_missing(names: list[str], paths: dict[str, Path]) -> Iterator[None]:
    try:
        yield
    except BaseException:  # Ctrl-C is no Exception
        say(
            f"The comparison is complete in {paths['report.html'].parent} ({', '.join(paths)}), "
            f"but without {' and '.join(names)}. The same command with --force compares again, and "
            "reuses the surrogates computed so far."
        )
        raise


def pages(results: dict[str, Any]) -> dict[str, bytes]:
    """Return the contents of the files that later findings extend."""
    from predfeat.report import render

    return {
        "results.json": (json.dumps(results, indent=1, allow_nan=False) + "\n").encode(),
        "report.html": render(results).encode(),
    }
