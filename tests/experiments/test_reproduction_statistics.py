"""The table of tests against definitions and against scipy."""

import csv
import io
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from predfeat.experiments.reproduction import (
    Measured,
    Outcome,
    Row,
    holm,
    panel_points,
    rank_biserial,
    signed_rank_csv,
    signed_rank_table,
    toy_setup,
)


def naive_rank_biserial(differences):
    """Pairs of differences: how often their sum is positive minus how often it is negative."""
    values = [d for d in differences if d != 0]
    favourable = against = 0
    for i in range(len(values)):
        for j in range(i, len(values)):
            total = values[i] + values[j]  # Walsh averages count what the signed ranks sum up
            favourable += total > 0
            against += total < 0
    return (favourable - against) / (favourable + against)


def test_rank_biserial_counts_walsh_averages_and_agrees_with_scipys_statistic(seed):
    differences = np.random.default_rng(seed).normal(0.3, 1.0, size=11)
    effect = rank_biserial(differences)
    assert effect == pytest.approx(naive_rank_biserial(differences), abs=1e-12)
    positive = stats.wilcoxon(differences, alternative="greater").statistic
    assert effect == pytest.approx(2 * positive / (11 * 12 / 2) - 1, abs=1e-12)
    assert rank_biserial(-differences) == -effect


def test_rank_biserial_leaves_out_equal_pairs():
    assert rank_biserial([0.0, 0.0]) == 0.0
    assert rank_biserial([0.0, 1.0, 2.0]) == 1.0


def naive_holm(p_values):
    """Adjusted p: the smallest level at which the step-down procedure rejects the hypothesis."""
    told = sorted(p for p in p_values if p is not None)

    def rejected(p, level):
        for place, other in enumerate(told):
            if other > level / (len(told) - place):
                return False
            if other == p:
                return True
        return False

    def smallest(p):
        levels = [other * (len(told) - place) for place, other in enumerate(told)]
        return min(
            [1.0] + [level for level in levels if level <= 1 and rejected(p, level * (1 + 1e-12))]
        )

    return [None if p is None else smallest(p) for p in p_values]


def test_holm_is_the_smallest_level_that_rejects(seed):
    random = np.random.default_rng(seed)
    p_values = [None, *random.uniform(size=6) ** 3, None, 0.9]
    found, expected = holm(p_values), naive_holm(p_values)
    assert [value is None for value in found] == [value is None for value in p_values]
    told = [i for i, value in enumerate(p_values) if value is not None]
    assert [found[i] for i in told] == pytest.approx([expected[i] for i in told], rel=1e-9)


def test_holm_with_ties_and_extremes():
    assert holm([0.01, 0.01]) == [0.02, 0.02]
    assert holm([0.0, 1.0]) == [0.0, 1.0]
    assert holm([]) == []
    assert holm([None]) == [None]
    corrected = holm([0.001, 0.02, 0.03])
    assert all(a <= b for a, b in pairwise(corrected))


def outcome_with(values):
    """An outcome in which each method has the given measure in each repetition."""
    setup = toy_setup(quick=True)
    n_repetitions = len(next(iter(values.values())))
    rows = []
    for place in panel_points(setup, 0, n_repetitions):
        value = values.get(place.method, [9.0] * n_repetitions)[place.repetition]
        if place.value != getattr(setup.defaults, place.panel.parameter):
            value = 100.0  # not at the defaults: must not be looked at
        rows.append(Row(place, Measured(value, -value), 0.1))
    return Outcome(setup, 0, rows)


def test_the_table_holds_the_tests_of_the_paper_at_the_defaults():
    random = np.random.default_rng(0)
    values = {m: list(random.normal(size=12)) for m in ("SFA", "PFA", "ForeCA", "GPFA (1)")}
    values["GPFA (2)"] = [v - 0.5 for v in values["SFA"]]
    table = signed_rank_table([outcome_with(values)])
    assert [(t.method, t.other) for t in table[:6]] == [
        (a, b) for a in ("GPFA (1)", "GPFA (2)") for b in ("SFA", "PFA", "ForeCA")
    ]
    for test in table[:6]:
        own, other = np.array(values[test.method]), np.array(values[test.other])
        assert test.n_repetitions == 12
        assert test.p_value == pytest.approx(stats.wilcoxon(own - other).pvalue)
        assert test.mean_difference == pytest.approx(np.mean(own - other))
        assert test.n_better == np.sum(own < other)
    always = table[3]
    assert (always.n_better, always.effect) == (12, 1.0)
    assert always.mean_difference == pytest.approx(-0.5)
    # The share here is minus the value: everything the other way round.
    assert [t.effect for t in table[6:]] == [pytest.approx(-t.effect) for t in table[:6]]
    assert [t.p_corrected for t in table[:6]] == holm([t.p_value for t in table[:6]])


def test_few_repetitions_tell_nothing_and_the_file_says_so_by_an_empty_cell():
    values = {m: [1.0, 2.0] for m in ("SFA", "PFA", "ForeCA", "GPFA (1)", "GPFA (2)")}
    table = signed_rank_table([outcome_with(values)])
    assert all(t.p_value is None and t.p_corrected is None for t in table)
    lines = list(csv.DictReader(io.StringIO(signed_rank_csv(table))))
    assert len(lines) == len(table)
    assert {line["p_value"] for line in lines} == {""}
    assert lines[0]["method"] == "GPFA (1)"


def test_several_data_sets_are_corrected_together():
    random = np.random.default_rng(1)
    values = {
        m: list(random.normal(size=8)) for m in ("SFA", "PFA", "ForeCA", "GPFA (1)", "GPFA (2)")
    }
    one = outcome_with(values)
    alone = signed_rank_table([one])
    together = signed_rank_table([one, replace(one)])
    assert [t.p_value for t in together[:6]] == [t.p_value for t in alone[:6]]
    assert together[0].p_corrected >= alone[0].p_corrected
    assert [t.p_corrected for t in together[:12]] == holm([t.p_value for t in together[:12]])
