"""`python -m predfeat` is the command `predfeat`."""

from predfeat.cli import run

if __name__ == "__main__":
    run()
