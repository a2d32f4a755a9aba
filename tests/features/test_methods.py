"""Methods by name: what is typed, what is shown, and what is built."""

import ast
import re
from pathlib import Path

import pytest

import predfeat
from predfeat import GPFA, SFA
from predfeat.features import METHODS, find_method, name_of

every_word = pytest.mark.parametrize("word", METHODS)


@every_word
def test_a_method_has_its_own_word_and_name(word):
    method = METHODS[word]
    assert method.word == word
    assert find_method(word) is find_method(method.name) is method
    assert find_method(f" {method.name.upper()} ") is method


@every_word
def test_what_is_built_is_named_after_the_method(word):
    method = METHODS[word]
    model = method.build(n_components=1)
    assert type(model) is method.estimator is getattr(predfeat, method.estimator.__name__)
    assert model.n_components == 1
    assert name_of(model) == method.name
    assert set(method.parameters) <= set(method.parameter_names)
    assert all(model.get_params()[name] == value for name, value in method.parameters.items())


def test_words_and_names_are_different_for_different_methods():
    assert len({method.name for method in METHODS.values()}) == len(METHODS)


def test_options_that_a_method_does_not_know_are_left_out():
    assert METHODS["sfa"].build(n_lags=3, n_neighbors=2).get_params() == SFA().get_params()
    assert METHODS["gpfa2"].build(n_lags=3).n_lags == 3


def test_fixed_parameters_win():
    assert METHODS["gpfa1"].build(graph="star").graph == "full"


def test_gpfa_without_a_number_is_its_default():
    assert find_method("gpfa").is_method_of(GPFA())
    assert name_of(GPFA(graph="full", weighting="calm")) == METHODS["gpfa1"].name


def test_an_estimator_of_ones_own_has_the_name_of_its_class():
    class Mine(GPFA):
        pass

    assert name_of(Mine()) == "Mine"


def test_a_word_that_nobody_has_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match=re.escape(f"Use one of {', '.join(METHODS)}.")):
        find_method("umap")


def test_names_of_methods_are_spelled_in_one_module():
    """GPFA's names with a number stand as texts in no code but that of the names."""
    root = Path(predfeat.__file__).parent
    spelled = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in ("GPFA (1)", "GPFA (2)")
    }
    assert spelled == {"_method_names.py"}
