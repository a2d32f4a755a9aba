"""All benchmarks of speed, one after the other: `python benchmarks/speed/all.py --out FOLDER`.

Writes what each measured as JSON, and the pictures that draw/speed.py makes of them. Takes about
ten minutes on two cores; nothing else should run meanwhile. Needs
`pip install "predfeat[bench]"`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

BENCHMARKS = ("search", "whole_fit", "growth", "cold_start")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    written = []
    for name in BENCHMARKS:
        print(f"\n## {name}\n", flush=True)
        written.append(out / f"{name}.json")
        run(here / f"{name}.py", "--json", written[-1])
    run(here.parent / "draw" / "speed.py", *written, "--out", out)


def run(*command):
    subprocess.run([sys.executable, *map(str, command)], check=True)


if __name__ == "__main__":
    main()
