"""What the benchmarks share: how they time, on which data, and what they write down."""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "faiss-cpu")


def autoregression(S, N, seed=0):
    """Return N independent channels of x_t = 0.9 x_{t-1} + noise."""
    noise = np.random.default_rng(seed).normal(size=(S, N))
    return lfilter([1.0], [1.0, -0.9], noise, axis=0)


def seconds_of(run):
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def processor_seconds_of(run):
    """For one thread: the time that the clock would show on an idle machine."""
    started = time.process_time()
    run()
    return time.process_time() - started


def timer(threads):
    return processor_seconds_of if threads == 1 else seconds_of


def alternate(runs, rounds, measure=seconds_of):
    """Return the seconds of every run in every round; the order is reversed in every other one.

    So a machine that becomes slower or quicker, or is shared, affects all of them equally.
    """
    seconds = {name: [] for name in runs}
    for round_ in range(rounds):
        for name in list(runs) if round_ % 2 else list(runs)[::-1]:
            seconds[name].append(measure(runs[name]))
    return seconds


def medians(seconds):
    return {name: statistics.median(values) for name, values in seconds.items()}


def growth_exponent(sizes, seconds):
    """Return the slope of the straight line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def machine():
    """Describe what the figures were measured on."""
    lines = (
        Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []
    )
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
    }


def _version(name):
    try:
        return version(name)
    except ImportError:
        return None


def load_faiss():
    """Return faiss, or say how to install it; imported late, as --help must work without it."""
    try:
        import faiss
    except ImportError:
        sys.exit('this benchmark needs faiss: pip install "predfeat[bench]"')
    return faiss


def plain_parser(description):
    """Return a parser without arguments whose help is the script's docstring as it stands."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def argument_parser(description):
    """Return a parser of `--json`, for benchmarks that write their figures down."""
    parser = plain_parser(description)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser


def write(path, benchmark, results):
    """Write the figures with the benchmark's name, by which the scripts in draw/ know them."""
    if path is not None:
        content = {"benchmark": benchmark, "machine": machine(), "results": results}
        path.write_text(json.dumps(content, indent=2) + "\n")
