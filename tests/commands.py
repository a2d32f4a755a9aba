"""How tests run the command and other programs; `run_main` in conftest.py is the third way."""

import subprocess
import sys

from typer.testing import CliRunner

from predfeat.cli import app

TIMEOUT = 120  # seconds; to see that a process does not wait for ever


def run(*arguments):
    """Run the command in this process by typer's runner: errors are kept, not told to the user."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run_well(*arguments):
    """Run the command as `run` does, and insist that it ends well."""
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done


def run_apart(*arguments, **options):
    """Run the command in a process of its own, as a shell does."""
    return _run([sys.executable, "-m", "predfeat", *map(str, arguments)], **options)


def run_python(code, *arguments, **options):
    """Run a program in an interpreter of its own, which is to end well; return what it printed."""
    done = _run([sys.executable, "-c", code, *map(str, arguments)], **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _run(words, **options):
    options = {"capture_output": True, "text": True, "check": False, "timeout": TIMEOUT, **options}
    return subprocess.run(words, **options)
