"""The public functions speak one language."""

import inspect

import pytest

import predfeat
from predfeat import experiments, features, measures, neighbors, report, selection, series
from predfeat.experiments import reproduction

PACKAGES = (
    predfeat,
    series,
    neighbors,
    measures,
    features,
    selection,
    experiments,
    reproduction,
    report,
)
FUNCTIONS = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in PACKAGES
    for name in package.__all__
    if inspect.isfunction(getattr(package, name))
}
# Used by every stage on what it was given itself.
BY_PLACE = {"predfeat.series.check_sequences"}
# On their way to the package of splits.
OTHER_SEEDS = {"predfeat.experiments.blocked_splits"}

every_function = pytest.mark.parametrize("name", FUNCTIONS)


@every_function
def test_groups_are_named(name):
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        if parameter.name in ("groups", "groups_test") and name not in BY_PLACE:
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@every_function
def test_seeds_and_progress_have_one_name(name):
    names = set(inspect.signature(FUNCTIONS[name]).parameters)
    assert not names & {"after_each", "callback"}
    assert "seed" not in names or name in OTHER_SEEDS
