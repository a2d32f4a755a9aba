"""The child: takes cases from standard input, one a line, and says what came of each.

`python -m fuzzing.worker FOLDER LIMIT`: FOLDER is the worker's own, LIMIT are the bytes of memory
that it limits itself to, 0 where a cgroup does.
"""

import contextlib
import json
import os
import shutil
import sys
import time
import traceback
import warnings
from pathlib import Path

from fuzzing.cases import MARKER, MOST_CHARACTERS, Case, Wrong, prepare
from fuzzing.limits import limit_addresses
from fuzzing.watching import Forbidden, Watch, forget_peak, peak_memory

BEGUN = "begun"


def main() -> None:
    folder, limit = Path(sys.argv[1]), int(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)  # libraries print what they think of damaged files
    os.dup2(silent, 2)
    watch = Watch(folder)
    limited = limit == 0
    for line in sys.stdin:
        target, seed, number = json.loads(line)
        inside = folder / "case"
        os.chdir(folder)
        shutil.rmtree(inside, ignore_errors=True)
        inside.mkdir()
        os.chdir(inside)
        try:
            case = prepare(target, seed, number, inside)
        except BaseException:
            print(json.dumps(traceback.format_exc()), file=answers, flush=True)
            raise
        if not limited:  # after the libraries are there
            limit_addresses(limit)
            limited = True
        (folder / "told.txt").write_text(case.told, errors="backslashreplace")
        print(json.dumps(BEGUN), file=answers, flush=True)
        print(json.dumps(outcome(case, watch, folder)), file=answers, flush=True)


def outcome(case: Case, watch: Watch, folder: Path) -> dict:
    """Run a case, and return what came of it."""
    forget_peak()
    before = peak_memory()
    started = time.perf_counter()
    with watch:
        result, name, details = _run(case)
    seconds = time.perf_counter() - started
    if watch.seen or _markers(folder):
        result, details = "executed", "; ".join(watch.seen) or "the marker was made"
    peak = peak_memory()
    return {"result": result, "name": name, "details": details, "seconds": seconds,
            "peak": peak, "taken": peak - before}  # fmt: skip


def _run(case: Case) -> tuple[str, str, str]:
    try:
        with warnings.catch_warnings(), _quiet_numpy():
            warnings.simplefilter("ignore")
            refusal = case.run()
    except Forbidden as error:
        return "executed", "", str(error)
    except case.named as error:
        if len(str(error)) > MOST_CHARACTERS:
            return "unexpected", "long message", f"{len(str(error))} characters: {error!s:.300}"
        return "refused", type(error).__name__, str(error)[:300]
    except MemoryError:
        return "memory", "MemoryError", traceback.format_exc()[-3000:]
    except BaseException as error:
        name = error.args[0] if isinstance(error, Wrong) else type(error).__name__
        return "unexpected", name, traceback.format_exc()[-3000:]
    return ("answer", "", "") if refusal is None else ("refused", refusal, "")


@contextlib.contextmanager
def _quiet_numpy():
    if "numpy" not in sys.modules:
        yield
        return
    with sys.modules["numpy"].errstate(all="ignore"):
        yield


def _markers(folder: Path) -> bool:
    return any((place / MARKER).exists() for place in (folder, folder / "case"))


if __name__ == "__main__":
    main()
