"""Hostile inputs by the thousand, each made from (target, seed, number) and run in a child process.

============== ==================================================================
cases          what a case is, and where the targets are
hostile        values, cells and names that nobody expects
data_files     files of every kind that `read` knows, and the commands that read
model_files    model files, damaged and forged
result_files   results, surrogates and ledgers with which commands go on
arrays         extreme arrays through estimators and measures
command_lines  options with values that nobody expects
worker         the child: runs a case and says what came of it
watching       in the child: what was executed, and the memory that was taken
limits         a cgroup, or a limit on the address space
runner         the parent: gives out cases, ends what hangs, replaces what died
summary        the tables
planted        cases that do what must not be done, to see that it is noticed
============== ==================================================================

`python benchmarks/quality/fuzz.py` runs many more of them, before a release.
"""
