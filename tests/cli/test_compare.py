"""The command: what it prints, and how it fails."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import predfeat
from predfeat.cli import app
from predfeat.experiments import standard_methods


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_the_table_has_every_method_and_the_truth():
    result = run("compare", "--repetitions", "2", "--seed", "3")
    assert result.exit_code == 0, result.output
    for name in [*standard_methods(), "true dimensions", "test predictability", "fit time"]:
        assert name in result.output


def test_json_holds_every_repetition_and_a_seed_decides_it():
    first, again, other = (
        json.loads(run("compare", "--repetitions", "2", "--json", "--seed", seed).stdout)
        for seed in ("0", "0", "1")
    )
    scores = [
        {result["method"]: result["predictability"] for result in output["results"]}
        for output in (first, again, other)
    ]
    assert all(len(values) == 2 for values in scores[0].values())
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


def test_options_reach_the_data():
    output = json.loads(run("compare", "--repetitions", "1", "--n-features", "4", "--json").stdout)
    assert output["data"]["n_features"] == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["compare", "--repetitions", "0"], "--repetitions"),
        (["compare", "--n-features", "1"], "--n-features"),
        (["no-such-command"], "no-such-command"),
    ],
)
def test_a_users_mistake_exits_with_two_and_names_it(arguments, told):
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.output


def test_an_error_of_the_library_is_one_line_and_no_traceback():
    done = subprocess.run(
        [sys.executable, "-m", "predfeat", "compare", "--n-neighbors", "5000", "--quiet"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "n_neighbors=5000" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_version():
    result = run("--version")
    assert result.exit_code == 0
    assert predfeat.__version__ in result.output
