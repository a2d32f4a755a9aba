"""The test against surrogates: its formula, its level, what it finds, and how it is repeated."""

import json
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter
from sklearn.base import BaseEstimator

import naive_measures
import naive_surrogates as naive
from predfeat import GPFA, PFA, SFA, RandomFeatures
from predfeat.datasets import predictable_noise
from predfeat.exceptions import (
    ConstantColumnsWarning,
    RankError,
    ReturningGroupWarning,
    SignificanceError,
    SurrogateError,
    TooFewStatesError,
)
from predfeat.selection import KINDS, NestedShares, Significance, significance


def noise(n_rows=80, n_columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def toy(n_rows=200, n_columns=4, seed=0):
    return predictable_noise(n_rows, n_columns, random_state=seed)


def result_of(statistics, surrogate_statistics, alpha=0.05):
    given = np.asarray(statistics, float), np.asarray(surrogate_statistics, float)
    return Significance(*given, "permutation", alpha, "SFA()", "")


# --- the formula -------------------------------------------------------------------------------


def test_p_values_by_hand():
    # The surrogates' best are 0.3, 0.5, 0.4: 0.2 is better than all, 0.4 as good as one and
    # worse than another, 0.6 worse than all.
    result = result_of([0.2, 0.4, 0.6], [[0.9, 0.3, 0.8], [0.5, 0.7, 0.6], [0.9, 0.9, 0.4]])
    assert result.p_values.tolist() == [1 / 4, 3 / 4, 1.0]


def test_p_values_and_count_as_the_twin(seed):
    random = np.random.default_rng(seed)
    statistics = random.integers(0, 12, 5) / 20  # coarse, so that ties occur
    others = random.integers(3, 20, (39, 5)) / 20
    for alpha in (0.025, 0.05, 0.2, 0.5):
        result = result_of(statistics, others, alpha)
        expected = naive.p_values(statistics, others)
        np.testing.assert_allclose(result.p_values, expected, rtol=1e-14)
        assert result.n_significant == naive.n_significant(expected, alpha)
        assert result.significant.sum() == (expected <= alpha + 1e-12).sum()


@pytest.mark.parametrize(("n", "alpha"), [(19, 0.05), (39, 0.05), (59, 0.05), (99, 0.01)])
def test_the_smallest_p_value_counts(n, alpha):
    others = np.full((n, 1), 0.5)
    assert result_of([0.4], others, alpha).n_significant == 1
    others[: round(alpha * (n + 1)) - 1] = 0.3  # just as many as alpha allows
    assert result_of([0.4], others, alpha).n_significant == 1
    others[round(alpha * (n + 1)) - 1] = 0.3
    assert result_of([0.4], others, alpha).n_significant == 0


def test_the_count_stops_at_the_first_failure():
    result = result_of([0.1, 0.9, 0.1], np.full((19, 3), 0.5))
    assert result.significant.tolist() == [True, False, True]
    assert result.n_significant == 1
    assert "out of order" in str(result)


# --- the test ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["permutation", "phases", "iaaft"])
def test_two_features_of_the_toy_are_real(kind):
    result = significance(GPFA(3, max_iter=5), toy(200, 5), n_surrogates=19, kind=kind)
    assert result.n_significant == 2
    assert result.p_values[:2].tolist() == [0.05, 0.05]
    assert result.p_values[2] > 0.05


def test_the_length_of_blocks_is_given_with_their_kind():
    X = toy(200, 5)
    short, long = (significance(SFA(2), X, n_surrogates=19, kind=("blocks", n)) for n in (6, 60))
    plain = significance(SFA(2), X, n_surrogates=19, kind="blocks")
    assert short.kind == long.kind == plain.kind == "blocks"
    assert len({short.setting, long.setting, plain.setting}) == 3
    # The cube root of 200, rounded, is 6.
    np.testing.assert_array_equal(short.surrogate_statistics, plain.surrogate_statistics)
    assert not np.array_equal(long.surrogate_statistics, plain.surrogate_statistics)


def test_the_toy_is_linear():
    model = GPFA(3, max_iter=5)
    found = [
        significance(model, toy(200, 5, seed), n_surrogates=19, kind="joint-phases").n_significant
        for seed in range(4)
    ]
    assert found.count(0) >= 3  # a single finding has a chance of 5 %


def test_chaos_is_not_linear():
    X = noise(300, 2)
    X[0, 0] = 0.3
    for t in range(299):
        X[t + 1, 0] = 4 * X[t, 0] * (1 - X[t, 0])
    result = significance(GPFA(2, max_iter=5), X, n_surrogates=19, kind="joint-phases")
    assert result.n_significant == 1


def test_what_the_surrogates_keep_is_never_significant():
    # A tie counts against the data.
    def spread(features, groups):
        return np.full(features.shape[1], float(len(features)))

    result = significance(SFA(2), noise(), n_surrogates=19, statistic=spread)
    assert result.p_values.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("kind", ["permutation", "joint-phases"])
def test_the_level_in_noise(kind):
    # 40 series of which a fifth may have a finding, more than 16 with a chance of 0.1 %. The rate
    # itself is measured in benchmarks/quality/significance.py.
    options = {"n_surrogates": 4, "alpha": 0.2, "kind": kind}
    found = [
        significance(SFA(2), noise(60, seed=seed), random_state=seed, **options).n_significant
        for seed in range(40)
    ]
    assert 1 <= np.count_nonzero(found) <= 16


class Watched(SFA):
    """SFA that notes what it was fitted to."""

    seen: ClassVar[list] = []

    def fit(self, X, y=None, *, groups=None):
        self.seen.append((np.array(X), np.array(groups)))
        return super().fit(X, groups=groups)


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(Watched, "seen", [])
    return Watched(n_components=2)


def test_the_whole_fit_is_repeated(watched):
    X = noise()
    significance(watched, X, n_surrogates=19)
    assert len(watched.seen) == 20
    np.testing.assert_array_equal(watched.seen[0][0], X)
    assert len({rows.tobytes() for rows, _ in watched.seen}) == 20


def test_fourier_kinds_fit_circles(watched):
    X, ids = noise(100), np.repeat([0, 1], 50)
    significance(watched, X, groups=ids, n_surrogates=19, kind="phases")
    rows, groups = watched.seen[0]
    for number in (0, 1):
        ring = rows[groups == number]
        np.testing.assert_array_equal(ring[:50], X[ids == number])
        np.testing.assert_array_equal(ring[-1], ring[0])  # closed by the one row of a state
        assert 52 <= len(ring) <= 56  # and bridged
    for rows, groups in watched.seen:
        for number in (0, 1):
            first, *_, last = rows[groups == number]
            np.testing.assert_array_equal(first, last)


def test_fits_see_the_type_given(watched):
    # Or the rounding of float32 could pass for independent directions.
    for kind in ("permutation", "iaaft"):
        significance(watched, noise().astype(np.float32), n_surrogates=19, kind=kind)
    assert {rows.dtype for rows, _ in watched.seen} == {np.dtype(np.float32)}


def test_the_model_given_is_not_touched():
    model = SFA(2).fit(noise(seed=5))
    components = model.components_.copy()
    significance(model, noise(), n_surrogates=19)
    np.testing.assert_array_equal(model.components_, components)


def test_the_statistics_are_those_of_the_fit():
    X, groups = noise(90), np.repeat([0, 1], 45)
    model = GPFA(2, n_lags=2, n_neighbors=5, theiler=1, max_iter=3)
    result = significance(
        model, X, groups=groups, n_surrogates=19, statistic=NestedShares(n_neighbors=6)
    )
    Y = model.fit(X, groups=groups).transform(X)
    expected = naive_measures.nested_shares(Y, 2, 6, "both", 1, groups)
    np.testing.assert_allclose(result.statistics, expected, rtol=1e-9)


def test_the_statistics_look_as_far_ahead_as_the_model_or_as_asked():
    X = noise(90).cumsum(axis=0)
    model = GPFA(2, horizon=3, max_iter=3)
    Y = model.fit(X).transform(X)
    for asked, horizon in ((None, 3), (2, 2)):
        result = significance(model, X, n_surrogates=19, statistic=NestedShares(horizon=asked))
        np.testing.assert_allclose(
            result.statistics, naive_measures.nested_shares(Y, horizon=horizon), rtol=1e-9
        )
    with pytest.raises(ValueError, match="'horizon' parameter of NestedShares"):
        significance(model, X, n_surrogates=19, statistic=NestedShares(horizon=0))


@pytest.mark.parametrize("horizon", [1, 3])
def test_circles_are_closed_as_far_as_the_model_looks(horizon, monkeypatch):
    asked = []

    def close_circles(values, series, kind, n_rows):
        asked.append(n_rows)
        return values, series.sequence_first

    monkeypatch.setattr("predfeat.selection._significance.close_circles", close_circles)
    model = PFA(1, n_lags=2, horizon=horizon)
    significance(model, noise(60), n_surrogates=19, kind="phases")
    assert set(asked) == {1 + horizon}


@pytest.mark.parametrize("kind", list(KINDS))
def test_groups_and_gaps(kind):
    X = toy(240)
    X[[50, 51, 130], 0] = np.nan
    groups = np.repeat([3, 1, 2], [100, 80, 60])
    result = significance(SFA(2), X, groups=groups, n_surrogates=19, kind=kind)
    assert result.surrogate_statistics.shape == (19, 2)
    assert result.question == KINDS[kind].question
    other = significance(SFA(2), X, n_surrogates=19, kind=kind)
    assert not np.array_equal(result.surrogate_statistics, other.surrogate_statistics)


# --- repeated, extended, shared ----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["permutation", "joint-phases"])
def test_the_number_of_processes_does_not_matter(kind):
    model = GPFA(2, max_iter=3)
    alone, shared = (
        significance(model, toy(100), n_surrogates=19, kind=kind, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(alone.statistics, shared.statistics)
    np.testing.assert_array_equal(alone.surrogate_statistics, shared.surrogate_statistics)


def test_more_surrogates_extend_fewer():
    few = significance(SFA(2), noise(), n_surrogates=19)
    many = significance(SFA(2), noise(), n_surrogates=25)
    np.testing.assert_array_equal(many.surrogate_statistics[:19], few.surrogate_statistics)
    assert len(np.unique(many.surrogate_statistics)) == 50
    other = significance(SFA(2), noise(), n_surrogates=19, random_state=1)
    assert not np.isin(other.surrogate_statistics, few.surrogate_statistics).any()


def test_what_is_done_is_not_done_again():
    calls = []

    def statistic(features, groups):
        calls.append(1)
        return features[0]

    options = {"statistic": statistic}
    few = significance(SFA(2), noise(), n_surrogates=19, **options)
    assert len(calls) == 20
    more = significance(SFA(2), noise(), n_surrogates=24, previous=few, **options)
    assert len(calls) == 25
    whole = significance(SFA(2), noise(), n_surrogates=24, **options)
    np.testing.assert_array_equal(more.surrogate_statistics, whole.surrogate_statistics)
    np.testing.assert_array_equal(more.statistics, whole.statistics)
    fewer = significance(SFA(2), noise(), n_surrogates=20, previous=more, alpha=0.1, **options)
    assert (fewer.n_surrogates, fewer.alpha) == (20, 0.1)


def test_an_interrupted_run_goes_on():
    parts = []

    def interrupt(n_done, n_all):
        assert n_all == 19
        if n_done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        significance(SFA(2), noise(), n_surrogates=19, on_progress=interrupt, on_part=parts.append)
    assert [part.n_surrogates for part in parts] == [1, 2, 3, 4, 5, 6, 7]
    kept = Significance.from_dict(json.loads(json.dumps(parts[-1].as_dict())))
    told = []
    result = significance(
        SFA(2),
        noise(),
        n_surrogates=19,
        previous=kept,
        on_progress=lambda n_done, n_all: told.append((n_done, n_all)),
    )
    assert told == [(n, 19) for n in range(7, 20)]
    whole = significance(SFA(2), noise(), n_surrogates=19)
    np.testing.assert_array_equal(result.surrogate_statistics, whole.surrogate_statistics)


@pytest.mark.parametrize(
    "change",
    [
        {"X": noise(seed=1)},
        {"model": SFA(1)},
        {"model": RandomFeatures(2, random_state=0)},
        {"groups": np.repeat([0, 1], 40)},
        {"kind": "phases"},
        {"statistic": NestedShares(steps="next")},
        {"statistic": NestedShares(n_neighbors=9)},
        {"random_state": 1},
        {"statistic": lambda Y, groups: np.ones(2)},
    ],
    ids=lambda change: "-".join(change),
)
def test_previous_must_be_of_the_same_setting(change):
    given = {"model": SFA(2), "X": noise(), "n_surrogates": 19}
    previous = significance(**given)
    significance(**given, previous=previous)
    with pytest.raises(SignificanceError, match=r"another setting: SFA\(\) on 'permutation'"):
        significance(**{**given, **change}, previous=previous)


def test_functions_and_large_arrays_are_told_apart():
    starts = [np.eye(40)[:, :30], np.eye(40)[:, :30]]
    starts[1][20, 20] = 1 + 1e-12  # what print leaves out, in two ways
    given = {"X": noise(n_columns=40), "n_surrogates": 19}
    by_start = [{"model": GPFA(2, init=start, max_iter=1)} for start in starts]
    functions = (
        lambda Y, groups: np.zeros(2),
        lambda Y, groups: np.ones(2),
        lambda Y, groups: np.ones(2) / 2,
    )
    by_function = [{"model": SFA(2), "statistic": function} for function in functions]
    for one, *others in (by_start, by_function):
        previous = significance(**given, **one)
        significance(**given, **one, previous=previous)
        for other in others:
            with pytest.raises(SignificanceError, match="another setting"):
                significance(**given, **other, previous=previous)


@pytest.mark.parametrize("kind", ["phases", "joint-phases"])
def test_gaps_and_short_trials_are_no_finding(kind):
    # A linear process in stretches much shorter than its memory: with rings of single stretches
    # a third of such series had a finding at the level of a fifth, or more.
    found = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        shocks = random.normal(size=(400, 2))
        X = lfilter([1], [1, -0.95], shocks, axis=0)[100:]
        groups = None
        if seed % 2:
            X[random.random(300) < 0.1] = np.nan
        else:
            groups = np.arange(300) // 15
        result = significance(
            SFA(1), X, groups=groups, n_surrogates=4, kind=kind, alpha=0.2, random_state=seed
        )
        found.append(result.n_significant)
    assert np.mean(found) <= 0.4


# --- words and errors --------------------------------------------------------------------------


def test_the_summary_says_it_in_words():
    others = np.full((19, 3), 0.5)
    text = str(result_of([0.1, 0.2, 0.6], others))
    assert text.startswith("Is there any order in time? Yes: of 3, the first 2 features stand out.")
    assert "19 surrogates" in text
    assert KINDS["permutation"].keeps in text
    assert "0.600  p = 1" in text
    assert "No: none of the 3" in str(result_of([0.6, 0.6, 0.6], others))
    assert "all 3 features stand out" in str(result_of([0.1, 0.1, 0.1], others))
    assert "of 3, the first feature stands out" in str(result_of([0.1, 0.6, 0.6], others))
    assert "at most 5 % have" in text
    one = others[:, :1]
    assert "Yes: the feature stands out.\n" in str(result_of([0.1], one))
    assert "No: it does not stand out.\n" in str(result_of([0.6], one))


def test_types_and_frames():
    X = noise().astype(np.float32)
    result = significance(SFA(2), X, n_surrogates=19)
    frame = significance(SFA(2), pd.DataFrame(X, columns=list("abc")), n_surrogates=19)
    np.testing.assert_array_equal(result.surrogate_statistics, frame.surrogate_statistics)


def test_warnings_come_once():
    X = noise()
    X[:, 1] = 7.0
    ids = np.repeat([0, 1, 0], [30, 30, 20])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        significance(SFA(2), X, groups=ids, n_surrogates=19)
    assert [w.category for w in caught].count(ReturningGroupWarning) == 1
    assert [w.category for w in caught].count(ConstantColumnsWarning) == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_surrogates": 18}, SignificanceError, r"n_surrogates=18.*alpha=0.05.*least 19"),
        ({"alpha": 0.01}, SignificanceError, r"n_surrogates=19 .* is 0.05.*at\s+least 99"),
        ({"alpha": 0.0}, ValueError, r"'alpha' parameter of significance"),
        ({"n_surrogates": 0}, ValueError, r"'n_surrogates' parameter"),
        ({"kind": ("blocks",)}, SurrogateError, r"kind=\('blocks',\) is no kind"),
        ({"kind": ("blocks", 0)}, ValueError, r"'block_length' parameter"),
        ({"kind": "rows"}, SurrogateError, r"kind='rows' is no kind"),
        ({"statistic": "next"}, ValueError, r"'statistic' parameter.*next"),
        ({"statistic": NestedShares("last")}, ValueError, r"'steps' parameter.*last"),
        ({"kind": "joint phases"}, SurrogateError, r"Use one of .*'joint-phases'"),
        ({"random_state": None}, ValueError, r"'random_state' parameter"),
        ({"kind": ("iaaft", 3)}, SurrogateError, r"block_length=3 is for kind='blocks'"),
        ({"model": SFA}, SignificanceError, r"model must be an estimator with fit and transform"),
        ({"model": BaseEstimator()}, SignificanceError, r"model must be an estimator"),
        ({"model": SFA(5)}, RankError, "5"),
        ({"X": noise(11)}, TooFewStatesError, r"n_neighbors=10 needs at least 11"),
        ({"statistic": lambda Y, groups: [1.0]}, SignificanceError, r"each of 2 features"),
        ({"statistic": lambda Y, groups: [1.0, np.nan]}, SignificanceError, r"one finite number"),
    ],
)
def test_wrong_input(change, error, message):
    given = {"model": SFA(2), "X": noise(), "n_surrogates": 19}
    with pytest.raises(error, match=message):
        significance(**{**given, **change})
