"""`python -m predfeat` is the command `predfeat`."""

from predfeat.cli import main

if __name__ == "__main__":
    main()
