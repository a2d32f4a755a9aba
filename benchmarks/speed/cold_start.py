"""What the first call costs: `python benchmarks/speed/cold_start.py [--rounds 5] [--json FILE]`.

Everything is measured in fresh processes, in alternating order. Imports: plain `import sklearn`,
one of its estimators (`from sklearn.decomposition import PCA`) and `from predfeat import GPFA`
(`import predfeat` alone loads nothing yet). Fits: the first GPFA of a process, after imports, on
noise of 2000 × 10 and 5000 × 10, with numba's cache of compiled code empty, filled, and in a place
that cannot be written. The smaller fit is over before compiled code would pay, and never loads the
compiler; the larger does.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import alternate, argument_parser, write

IMPORTS = {
    "import sklearn": "import sklearn",
    "from sklearn.decomposition import PCA": "from sklearn.decomposition import PCA",
    "from predfeat import GPFA": "from predfeat import GPFA",
}
SIZES = (2000, 5000)
N = 10
GOAL_IMPORT, GOAL_EMPTY, GOAL_FILLED = 0.3, 10.0, 1.0  # seconds; the fits' are for 2000 × 10

TIMED_IMPORT = """
import time
started = time.perf_counter()
{statement}
print(time.perf_counter() - started)
"""
TIMED_FIT = """
import time
import numpy as np
from predfeat import GPFA
X = np.random.default_rng(0).normal(size=({S}, {N}))
started = time.perf_counter()
GPFA().fit(X)
print(time.perf_counter() - started)
"""


def seconds_inside(program, **environment):
    """Run a program in a new process and return the seconds that it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return float(done.stdout)


def time_imports(rounds):
    programs = {name: TIMED_IMPORT.format(statement=s) for name, s in IMPORTS.items()}
    for program in programs.values():
        seconds_inside(program)  # byte code and files come from the disk only once
    return alternate(programs, rounds, seconds_inside)


def time_fits(rounds, folder):
    filled, blocked = folder / "filled", folder / "blocked"
    blocked.write_text("")  # a file where the folder should be: not even root can write into it
    nowhere = {
        "NUMBA_CACHE_DIR": str(blocked / "cache"),
        # Otherwise numba goes on to the folder beside the source and to the user's.
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
    }

    def empty():
        return {"NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=folder)}

    caches = {
        "empty": empty,
        "filled": lambda: {"NUMBA_CACHE_DIR": str(filled)},
        "not writable": lambda: nowhere,
    }
    programs = {S: TIMED_FIT.format(S=S, N=N) for S in SIZES}
    for program in programs.values():
        seconds_inside(program, NUMBA_CACHE_DIR=str(filled))
    runs = {(S, cache): (programs[S], caches[cache]) for S in SIZES for cache in caches}
    return alternate(runs, rounds, lambda run: seconds_inside(run[0], **run[1]()))


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    imports = time_imports(arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        fits = time_fits(arguments.rounds, Path(folder))
    base = statistics.median(imports["import sklearn"])
    print(f"fresh processes, {arguments.rounds} alternating rounds\n")
    print("| import | median | least | over `import sklearn` |")
    print("|---|---|---|---|")
    for name, seconds in imports.items():
        middle = statistics.median(seconds)
        print(f"| `{name}` | {middle:.2f} s | {min(seconds):.2f} s | {middle - base:+.2f} s |")
    print(f"\ngoal: `from predfeat import GPFA` at most {GOAL_IMPORT} s over `import sklearn`\n")
    print("| first fit of | cache | median | least |")
    print("|---|---|---|---|")
    for (S, cache), seconds in fits.items():
        print(
            f"| {S} × {N} | {cache} | {statistics.median(seconds):.2f} s | {min(seconds):.2f} s |"
        )
    print(f"\ngoals at {SIZES[0]} × {N}: {GOAL_EMPTY:g} s empty, {GOAL_FILLED:g} s filled")
    results = {
        "imports": [{"statement": name, "seconds": values} for name, values in imports.items()],
        "fits": [
            {"S": S, "N": N, "cache": cache, "seconds": values}
            for (S, cache), values in fits.items()
        ],
    }
    write(arguments.json, "cold_start", results)


if __name__ == "__main__":
    main()
