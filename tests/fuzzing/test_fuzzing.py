"""A bounded run over all targets: answers and named errors, and nothing else.

`python benchmarks/quality/fuzz.py` is the same with other seeds and more cases.
"""

import sys
from collections import Counter

import pytest

from fuzzing.cases import TARGETS, shared_out
from fuzzing.runner import FAILURES, run_cases

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes are not waited for there")

N_CASES = 800
SEED = 1


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    kept = tmp_path_factory.mktemp("kept")
    found, _ = run_cases(shared_out(N_CASES, SEED, list(TARGETS)), kept=kept)
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_inputs_end_in_an_answer_or_a_named_error(target, outcomes):
    failed = [o for o in outcomes if o.target == target and o.result in FAILURES]
    assert [f"{o.case}: {o.result} {o.name}\n{o.details}" for o in failed] == []


def test_both_sides_of_each_door_are_reached(outcomes):
    for target in ("read", "load", "report", "ledger", "arrays", "measures"):
        counts = Counter(o.result for o in outcomes if o.target == target)
        assert min(counts["refused"], counts["answer"]) > 0, (target, counts)
