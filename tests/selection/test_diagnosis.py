"""Each pathology raises its finding, healthy data raise none, and every number has a twin."""

import json
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import naive
import naive_diagnosis
from predfeat import GPFA, PFA, SFA, ForeCA, RandomFeatures, nearest_neighbors
from predfeat.datasets import hidden_lorenz, predictable_noise
from predfeat.exceptions import ConstantColumnsWarning, GroupsError
from predfeat.graph import find_neighborhoods
from predfeat.measures import subspace_angles
from predfeat.measures._predictability import neighbors_with_successor
from predfeat.selection import Diagnosis, Finding, diagnose
from predfeat.selection.diagnosis import (
    _covariance,
    _crowding,
    _gap,
    _halves,
    _iteration,
    _loudness,
    _motion,
    _neighborhoods,
    _pieces,
)
from predfeat.selection.diagnosis._subject import (
    Subject,
    left_open,
    neighbors_left,
    refitted,
    rows_of,
)
from predfeat.series import check_sequences

# --- data ----------------------------------------------------------------------------------


def mixed(sources, seed):
    """Hide sources behind a rotation, which no method minds."""
    gauss = np.random.default_rng([seed, 1]).normal(size=(sources.shape[1],) * 2)
    return sources @ np.linalg.qr(gauss)[0]


def noise(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def toy(n_samples=1500, n_columns=5, seed=0):
    return predictable_noise(n_samples, n_columns, random_state=seed)


def oscillator(n_samples=1500, n_columns=5, seed=0, frequency=0.5):
    """Two columns turn, with shocks; the others are noise."""
    shocks = noise(seed, n_samples + 300) + 1j * noise(seed + 1000, n_samples + 300)
    turning = lfilter([np.sqrt(1 - 0.95**2)], [1.0, -0.95 * np.exp(1j * frequency)], shocks)[300:]
    others = noise(seed + 2000, n_samples, n_columns - 2)
    return np.column_stack([turning.real, turning.imag, others])


def bent(n_samples, n_columns, seed):
    """Two columns follow a nonlinear law with noise; the others are noise."""
    shocks = 0.15 * noise(seed, n_samples + 100, 2)
    x = np.full((n_samples + 100, 2), 0.1)
    for t in range(1, len(x)):
        a, b = x[t - 1]
        x[t] = np.cos(2.2 * a + 0.5 * b), np.sin(2.0 * b - 0.7 * a)
        x[t] += shocks[t]
    return np.column_stack([x[100:], noise(seed + 2000, n_samples, n_columns - 2)])


def autoregressions(n_samples, coefficients, seed=0):
    shocks = noise(seed, n_samples + 500, len(coefficients))
    columns = [
        np.sqrt(1 - a**2) * lfilter([1.0], [1.0, -a], shock)[500:]
        for a, shock in zip(coefficients, shocks.T, strict=True)
    ]
    return np.column_stack(columns)


def wandering():
    """A smooth path that rarely crosses itself, with a little noise."""
    t = np.arange(1500)
    waves = [np.sin(2 * np.pi * t / period + period) for period in (211, 337, 523, 293)]
    return np.column_stack(waves) + 0.01 * noise(0, 1500, 4)


def diagnosed(model, X, groups=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnsWarning)
        model.fit(X, groups=groups)
    return diagnose(model, X, groups=groups, **options)


# --- healthy data raise nothing ------------------------------------------------------------

HEALTHY = {
    "oscillator": lambda seed: (GPFA(2), mixed(oscillator(2000, 6, seed), seed)),
    "oscillator-lags": lambda seed: (GPFA(2, n_lags=2), mixed(oscillator(3000, 8, seed), seed)),
    "nonlinear": lambda seed: (GPFA(2), mixed(bent(2000, 5, seed), seed)),
    "nonlinear-full": lambda seed: (GPFA(2, graph="full"), mixed(bent(2500, 8, seed), seed)),
    "toy": lambda seed: (GPFA(2), toy(2000, 10, seed)),
    "toy-between": lambda seed: (GPFA(2, n_intermediate=3), toy(2500, 6, seed)),
    "lorenz": lambda seed: (
        GPFA(3, n_lags=2),
        hidden_lorenz(3000, 5, random_state=seed)[0],
    ),
    "lorenz-theiler": lambda seed: (
        GPFA(3, n_lags=2, theiler=10),
        hidden_lorenz(3000, 4, random_state=seed)[0],
    ),
    "sfa": lambda seed: (SFA(2), mixed(oscillator(3000, 6, seed, frequency=0.2), seed)),
    "pfa": lambda seed: (PFA(2, n_lags=2), mixed(oscillator(3000, 6, seed), seed)),
    "foreca": lambda seed: (ForeCA(2), mixed(oscillator(3000, 6, seed), seed)),
    "random": lambda seed: (
        RandomFeatures(2, random_state=0),
        mixed(oscillator(3000, 6, seed), seed),
    ),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_data_raise_nothing(name, seed):
    model, X = HEALTHY[name](seed)
    diagnosis = diagnosed(model, X)
    assert diagnosis.findings == (), str(diagnosis)
    assert str(diagnosis).endswith(": no finding")


def test_healthy_sequences_with_gaps_raise_nothing():
    X = mixed(oscillator(3000, 6, 0), 0)
    X[::97, 2] = np.nan
    groups = np.arange(3000) // 250
    diagnosis = diagnosed(GPFA(2), X, groups)
    assert diagnosis.findings == (), str(diagnosis)


def test_healthy_test_data_raise_nothing():
    X = mixed(oscillator(4000, 6, 0), 0)
    model = GPFA(2).fit(X[:2500])
    diagnosis = diagnose(model, X[:2500], X_test=X[2600:])
    assert diagnosis.findings == (), str(diagnosis)


# --- pathologies ---------------------------------------------------------------------------


def two_levels():
    X, groups = toy(), np.repeat([0, 1], 750)
    X[:, 4] += 30.0 * groups
    return X, groups


X = toy()
PATHOLOGIES = {
    "a constant column": (
        GPFA(2),
        np.column_stack([X, np.full(len(X), 3.0)]),
        {},
        ("rank-deficient", "pca_components"),
    ),
    "a column in other units": (
        SFA(2),
        np.column_stack([X, 1 - 2 * X[:, 1]]),
        {},
        ("rank-deficient", "pca_components"),
    ),
    "a mixture of others": (
        PFA(2),
        np.column_stack([X, X[:, 0] + X[:, 2]]),
        {},
        ("rank-deficient", "pca_components"),
    ),
    "nearly a copy": (
        GPFA(2),
        np.column_stack([X, X[:, 0] + 1e-4 * noise(1, len(X))]),
        {},
        ("ill-conditioned", "pca_components"),
    ),
    "many columns, few rows": (GPFA(2), toy(300, 30), {}, ("few-samples", "pca_components")),
    "many columns, fewer rows": (SFA(2), toy(100, 30), {}, ("few-samples", "pca_components")),
    "many lags of a recursion": (
        PFA(2, n_lags=20),
        oscillator(1500, 8),
        {},
        ("few-samples", "n_lags"),
    ),
    "a hundred dimensions": (GPFA(2, n_lags=4), toy(1000, 25), {}, ("sparse-states", "init")),
    "features of many dimensions": (
        GPFA(8, n_lags=8, max_iter=5),
        noise(0, 1000, 12),
        {},
        ("sparse-states", "n_lags"),
    ),
    "everyone's neighbours": (
        GPFA(2, n_lags=3),
        toy(1000, 20),
        {},
        ("hubs", "pca_components"),
    ),
    "hardly ever back": (GPFA(3), wandering(), {}, ("adjacent-neighbors", "theiler")),
    "hardly ever back, measured": (
        SFA(3),
        wandering(),
        {},
        ("adjacent-neighbors", "n_components"),
    ),
    "two levels": (
        GPFA(2),
        two_levels()[0],
        {"groups": two_levels()[1]},
        ("disconnected-graph", "n_neighbors"),
    ),
    "predecessors that never succeed": (
        GPFA(2, n_lags=3),
        X,
        {"groups": np.arange(len(X)) // 5},
        ("disconnected-graph", "past=False"),
    ),
    "half of an oscillator": (GPFA(1), oscillator(), {}, ("no-gap", "n_components=2")),
    "half of a slow oscillator": (SFA(1), oscillator(), {}, ("no-gap", "n_components=2")),
    "half of a forecastable one": (ForeCA(1), oscillator(), {}, ("no-gap", "n_components=2")),
    "noise": (GPFA(2), noise(0, 1000, 12), {}, ("unstable", "n_components")),
    "noise of many channels": (SFA(2), noise(0, 300, 60), {}, ("overfitting", "pca_components")),
    "overfitted, seen on test data": (
        SFA(2),
        noise(0, 300, 60),
        {"X_test": noise(1, 300, 60)},
        ("overfitting", "pca_components"),
    ),
    "nothing to predict": (PFA(2), noise(0, 1500, 5), {}, ("unpredictable", "n_lags")),
    "slow noise": (
        GPFA(1),
        autoregressions(2000, [0.97, 0.2, 0.1, 0.0]),
        {},
        ("only-slow", "n_lags"),
    ),
    "louder and louder": (
        GPFA(2),
        oscillator() * np.linspace(0.2, 2.0, 1500)[:, None],
        {},
        ("drift", "pca_components"),
    ),
    "a trend": (
        SFA(2),
        oscillator() + np.linspace(-3, 3, 1500)[:, None],
        {},
        ("drift", "pca_components"),
    ),
    "louder on test data": (
        GPFA(2),
        oscillator(),
        {"X_test": 3 * oscillator(800, seed=7)},
        ("drift", "pca_components"),
    ),
    "clicks now and then": (
        GPFA(2),
        toy() * np.where(np.arange(1500) % 50 == 7, 10.0, 1.0)[:, None],
        {},
        ("loud-moments", "weighting='calm'"),
    ),
    "a fifth of all are neighbours": (
        GPFA(2, n_neighbors=120, max_iter=10),
        toy(600),
        {},
        ("many-neighbors", "n_neighbors"),
    ),
    "one neighbour": (GPFA(2, n_neighbors=1), oscillator(), {}, ("few-neighbors", "n_neighbors")),
    "short sequences": (
        GPFA(2, n_lags=3),
        X,
        {"groups": np.arange(len(X)) // 6},
        ("short-sequences", "n_lags"),
    ),
    "gaps everywhere": (
        GPFA(2, n_lags=2),
        np.where(np.arange(len(X))[:, None] % 4 == 0, np.nan, X),
        {},
        ("short-sequences", "n_lags"),
    ),
    "every row three times": (
        GPFA(2),
        np.repeat(toy(500), 3, axis=0),
        {},
        ("equal-states", "n_lags"),
    ),
    "whole numbers": (GPFA(2), np.round(oscillator(1500, 3)), {}, ("equal-states", "n_lags")),
    "stopped too early": (
        GPFA(2, max_iter=3),
        noise(0, 600, 12),
        {},
        ("not-settled", "max_iter"),
    ),
    "all there is": (GPFA(3), toy(800, 3), {}, ("nothing-selected", "n_components")),
    "too few to halve": (
        GPFA(2, n_neighbors=20),
        toy(30, 4),
        {},
        ("cannot-split", "n_neighbors"),
    ),
    "too little to compare with": (
        GPFA(2, n_lags=3, theiler=5),
        oscillator(400),
        {"X_test": oscillator(15, seed=7)},
        ("short-test-data", "theiler"),
    ),
}
MILD = {
    "a constant column",
    "clicks now and then",
    "hardly ever back, measured",
    "one neighbour",
    "slow noise",
    "all there is",
    "whole numbers",
}


@pytest.mark.parametrize("name", PATHOLOGIES)
def test_a_pathology_raises_its_finding(name):
    model, X, options, (expected, parameter) = PATHOLOGIES[name]
    diagnosis = diagnosed(model, X, **options)
    found = {finding.name: finding for finding in diagnosis.findings}
    assert expected in found, str(diagnosis)
    finding = found[expected]
    assert parameter.split("=")[0] in model.get_params()
    assert parameter in finding.advice
    assert parameter.split("=")[0] in finding.parameters
    for each in diagnosis.findings:
        assert set(each.parameters) <= set(model.get_params())
        changes = {name: value for name, value in each.parameters.items() if value is not None}
        clone(model).set_params(**changes)._validate_params()  # what is advised can be done
        assert each.advice.count("`") % 2 == 0
    assert (finding.severity == "note") == (name in MILD)
    assert any(character.isdigit() for character in finding.summary)
    assert finding.meaning.endswith(".")
    assert finding.values
    assert all(isinstance(value, int | float) for value in finding.values.values())


def test_the_constructions_are_many():
    assert len({expected for *_, (expected, _) in PATHOLOGIES.values()}) >= 18


@pytest.mark.parametrize(
    ("noise_share", "severity"), [(1e-2, None), (1e-4, "warning"), (1e-5, "problem")]
)
def test_severity_is_by_degree(noise_share, severity):
    X = np.column_stack([toy(), toy()[:, 0] + noise_share * noise(1, 1500)])
    found = {f.name: f.severity for f in diagnosed(GPFA(2), X).findings}
    assert found.get("ill-conditioned") == severity


def test_with_a_cut_the_units_count():
    X = toy() * [1.0, 1.0, 1.0, 1e4, 1e4]
    assert "ill-conditioned" not in diagnosed(GPFA(2), X).names
    found = {f.name: f for f in diagnosed(GPFA(2, pca_components=5), X).findings}
    variances = X.var(axis=0)
    assert found["ill-conditioned"].values["condition"] == pytest.approx(
        variances.max() / variances.min(), rel=0.3
    )
    assert found["ill-conditioned"].values["n_sound"] == 2


def test_advice_helps():
    # Each advice taken, the finding is gone.
    X = np.column_stack([toy(), toy()[:, 0] + 1e-5 * noise(1, 1500)])
    (finding,) = diagnosed(GPFA(2), X).findings
    assert finding.values["n_sound"] == 5
    assert "ill-conditioned" not in diagnosed(GPFA(2, pca_components=5), X).names
    assert "no-gap" not in diagnosed(GPFA(2), oscillator()).names
    assert "many-neighbors" not in diagnosed(GPFA(2, n_neighbors=30), toy()).names
    short = np.arange(1500) // 5
    names = diagnosed(GPFA(2, n_lags=3, past=False), toy(), short).names
    assert "disconnected-graph" not in names
    names = diagnosed(GPFA(3, theiler=100), wandering()).names
    assert "adjacent-neighbors" not in names
    clicks = toy() * np.where(np.arange(1500) % 50 == 7, 10.0, 1.0)[:, None]
    names = diagnosed(GPFA(2, weighting="calm", normalized=False), clicks).names
    assert "loud-moments" not in names


def test_a_label_of_pieces_is_named():
    X, groups = two_levels()
    found = {f.name: f for f in diagnosed(GPFA(2), X, groups).findings}
    finding = found["disconnected-graph"]
    assert finding.severity == "problem"
    assert finding.values["n_pieces"] == 2
    assert finding.values["n_labels"] == 1
    assert finding.values["outside"] == pytest.approx(0.5, abs=0.01)
    assert "Feature 1 only labels the pieces" in finding.summary


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_scale_does_not_matter(scale):
    X = np.column_stack([toy(), 2 * toy()[:, 0]])
    assert diagnosed(GPFA(2), scale * X).names == diagnosed(GPFA(2), X).names


@pytest.mark.parametrize("model", [GPFA(1, n_neighbors=1), SFA(1), PFA(1), RandomFeatures(1)])
@pytest.mark.parametrize("shape", [(3, 1), (6, 2), (20, 1), (10, 30)])
def test_hardly_any_data(model, shape):
    names = diagnosed(model, noise(0, *shape)).names
    assert "few-samples" in names or shape == (20, 1)
    assert "cannot-split" in names or isinstance(model, RandomFeatures)


def test_columns_are_named():
    X = np.column_stack([toy(), np.full(1500, 3.0), 2 * toy()[:, 0]])
    found = {f.name: f for f in diagnosed(GPFA(2), X).findings}
    assert "1 constant (x5)" in found["rank-deficient"].summary
    assert "(x6)" in found["rank-deficient"].summary
    assert found["rank-deficient"].values == {
        "rank": 5,
        "n_columns": 7,
        "n_constant": 1,
        "n_repeated": 1,
    }


def test_a_rank_cut_on_purpose_is_no_finding():
    X = np.column_stack([2 * toy(), toy()[:, 0]])
    assert "rank-deficient" not in diagnosed(GPFA(2, pca_components=5), X).names
    assert "rank-deficient" not in diagnosed(GPFA(2, pca_components=0.999), X).names
    assert "rank-deficient" in diagnosed(GPFA(2, pca_components=6), X).names


def test_going_to_and_fro():
    # A history as the iteration leaves it when it stops between two spaces.
    model = GPFA(2).fit(toy())
    model.history_["angle"] = np.array([np.nan, 80.0, 70.0, 70.0, 70.0, 70.0, 70.0])
    model.n_iter_ = 7
    subject = SimpleNamespace(model=model, n_components=2)
    (finding,) = _iteration.check_iteration(subject)
    assert (finding.name, finding.severity) == ("to-and-fro", "warning")
    assert "n_intermediate" in finding.advice
    model.init_ = "sfa"  # init="auto" keeps the best iteration, which need not be settled
    assert not list(_iteration.check_iteration(subject))
    model.max_iter = 7
    (finding,) = _iteration.check_iteration(subject)
    assert (finding.name, finding.severity) == ("not-settled", "problem")
    model.history_["angle"][2:] = 1.0
    assert [*_iteration.check_iteration(subject)] == []


# --- manners -------------------------------------------------------------------------------


def test_deterministic_whatever_the_threads():
    X = noise(0, 800, 10)
    model = GPFA(2, max_iter=5).fit(X)
    one = diagnose(model, X, random_state=3)
    assert one.findings
    assert one == diagnose(model, X, random_state=3)
    assert one == diagnose(model, X, random_state=3, n_jobs=2)
    assert one != diagnose(model, X, random_state=4)


def test_nothing_is_changed():
    X, groups = two_levels()
    before, model = X.copy(), GPFA(2).fit(X, groups=groups)
    state = {name: np.copy(value) for name, value in vars(model).items()}
    diagnose(model, X, groups=groups)
    np.testing.assert_array_equal(X, before)
    for name, value in vars(model).items():
        assert str(np.copy(value)) == str(state[name])


def test_severest_first_and_plain():
    diagnosis = diagnosed(GPFA(2), noise(0, 400, 40))
    order = [("problem", "warning", "note").index(f.severity) for f in diagnosis.findings]
    assert order == sorted(order)
    assert len(set(order)) > 1
    again = json.loads(json.dumps(diagnosis.as_dict()))
    parameters = [finding.pop("parameters") for finding in again["findings"]]
    assert [Finding(**finding) for finding in again["findings"]] == list(diagnosis.findings)
    assert parameters == [finding.parameters for finding in diagnosis.findings]
    text = str(diagnosis)
    for finding in diagnosis.findings:
        assert f"{finding.severity.upper()}: {finding.name}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_order_keeps_what_came_first():
    findings = [Finding(str(i), s, "", "", "") for i, s in enumerate(["note", "problem", "note"])]
    assert Diagnosis.of(findings, "x").names == ("1", "0", "2")


@pytest.mark.parametrize("method", [GPFA, SFA, PFA, ForeCA, RandomFeatures])
def test_unfitted(method):
    with pytest.raises(NotFittedError, match=f"This {method.__name__} instance is not fitted"):
        diagnose(method(), toy())


def test_bad_input():
    model = GPFA(2).fit(toy())
    with pytest.raises(ValueError, match="X has 4 features, but GPFA is expecting 5"):
        diagnose(model, toy()[:, :4])
    with pytest.raises(ValueError, match="X has 6 features, but GPFA is expecting 5"):
        diagnose(model, toy(), X_test=toy(500, 6))
    with pytest.raises(GroupsError, match="X has 1500 rows, groups has 3"):
        diagnose(model, toy(), [0, 1, 2])
    with pytest.raises(ValueError, match="groups_test was given without X_test"):
        diagnose(model, toy(), groups_test=np.zeros(10))
    with pytest.raises(TypeError, match="give its last step"):
        diagnose(make_pipeline(model), toy())


def test_other_data_are_noticed():
    model = GPFA(2).fit(toy())
    assert "other-data" in diagnose(model, toy(seed=1)).names
    assert "other-data" not in diagnose(model, toy()).names
    offset = toy() + 1e5
    assert "other-data" not in diagnosed(GPFA(2), offset.astype(np.float32)).names


def test_single_precision_is_known_in_the_halves():
    # Two columns that are the same but for the rounding of float32.
    X = (toy(2000) + 100).astype(np.float32)
    X = np.column_stack([X, X[:, 0] * np.float32(1 / 3)])
    diagnosis = diagnosed(GPFA(2), X)
    assert diagnosis.names == ("rank-deficient",), str(diagnosis)


# --- twins ---------------------------------------------------------------------------------

SERIES = {
    "one sequence": ([60], 0, 1),
    "sequences": ([20, 1, 25, 3, 15], 0, 2),
    "sequences and gaps": ([30, 20, 12], 6, 2),
}


@pytest.fixture(params=SERIES)
def given(request):
    lengths, n_gaps, p = SERIES[request.param]
    rows, groups = naive.random_series(3, lengths, n_columns=2, n_gaps=n_gaps)
    rows = np.cumsum(np.nan_to_num(rows), axis=0) + 0 * rows  # slow, so that some are adjacent
    return SimpleNamespace(
        X=rows,
        groups=groups,
        p=p,
        series=check_sequences(rows, groups),
        table=nearest_neighbors(rows, n_neighbors=4, n_lags=p, groups=groups),
    )


@pytest.mark.parametrize("within", [1, 3, 100])
def test_adjacent_share(given, within):
    times, indices, _ = naive.nearest(given.X, given.groups, given.p, 4)
    expected = naive_diagnosis.adjacent_share(given.X, given.groups, times, indices, within)
    share = _neighborhoods.adjacent_share(given.table, given.series, within)
    assert share == pytest.approx(expected)
    assert share > 0


@pytest.mark.parametrize(("within", "theiler"), [(3, 0), (5, 2), (2, 2), (100, 3)])
def test_chance_of_adjacent(given, within, theiler):
    expected = naive_diagnosis.chance_of_adjacent(
        given.X, given.groups, given.table.times, within, theiler
    )
    chance = _neighborhoods.chance_of_adjacent(given.table, given.series, within, theiler)
    assert chance == pytest.approx(expected)


def test_occurrences_and_skewness(given):
    expected = naive_diagnosis.occurrences(given.table.times, given.table.indices.tolist())
    counts = _neighborhoods.occurrences(given.table)
    assert counts.tolist() == expected
    assert _neighborhoods.skewness(counts) == pytest.approx(naive_diagnosis.skewness(expected))
    assert _neighborhoods.skewness(np.full(5, 3)) == 0.0


def test_decorrelation_time(given):
    longest = max(stop - start for start, stop in given.series.run_bounds())
    most = max(1, longest // 10)
    expected = naive_diagnosis.decorrelation_time(given.X, given.groups, most)
    assert _neighborhoods.decorrelation_time(given.series) == expected


def test_decorrelation_time_is_that_of_the_slowest():
    X = autoregressions(4000, [0.9, 0.3])
    time = _neighborhoods.decorrelation_time(check_sequences(X))
    assert time == naive_diagnosis.decorrelation_time(X, None, 400)
    assert time == pytest.approx(-1 / np.log(0.9), abs=3)


@pytest.mark.parametrize("graph", ["full", "star"])
@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_pieces(given, graph, past, k):
    p = given.p
    table = nearest_neighbors(given.X, n_neighbors=k, n_lags=p, groups=given.groups)
    times, indices, _ = naive.nearest(given.X, given.groups, p, k)
    W = naive.weights(given.X, given.groups, p, times, indices, graph, past=past)
    np.fill_diagonal(W, 0.0)  # an edge to itself connects nothing
    expected = naive_diagnosis.pieces(W)
    terms = find_neighborhoods(table, given.series, p, past=past)
    found = _pieces.pieces_of(terms, len(given.X))
    sets = [set(np.flatnonzero(found == i).tolist()) for i in range(found.max() + 1)]
    assert sorted(map(sorted, sets)) == sorted(map(sorted, expected))
    assert [len(s) for s in sets] == [len(s) for s in expected]
    rows = np.nan_to_num(given.X)
    np.testing.assert_allclose(
        _pieces.between_share(rows, found),
        naive_diagnosis.between_share(rows, found.tolist()),
        atol=1e-12,
    )


def test_the_pieces_tested_are_some():
    rows, _ = naive.random_series(3, [60], n_columns=2)
    table = nearest_neighbors(rows, n_neighbors=1)
    terms = find_neighborhoods(table, check_sequences(rows), 1, past=False)
    assert _pieces.pieces_of(terms, 60).max() > 2


def test_autocorrelation(given):
    expected = naive_diagnosis.autocorrelation(given.X, given.groups)
    np.testing.assert_allclose(_motion.autocorrelation(given.series), expected)


def test_left_open(given):
    run = naive.run_of_rows(given.X, given.groups)
    times = [t for t in range(len(run)) if naive.reaches(run, t, back=given.p - 1, ahead=1)]
    states = {t: naive.state(given.X, t, given.p) for t in times}
    indices = [
        [i for _, i in sorted((naive.distance(states[t], states[i]), i) for i in times if i != t)]
        for t in times
    ]
    expected = naive_diagnosis.left_open(
        given.X, given.groups, times, [neighbors[:10] for neighbors in indices]
    )
    np.testing.assert_allclose(left_open(given.series, given.p), expected)


@pytest.mark.parametrize("rho", [-0.8, 0.0, 0.7, 0.95])
def test_an_ar1_leaves_its_bound_open(rho):
    X = autoregressions(20000, [rho])
    series = check_sequences(X)
    twin = _motion.autoregressive_twin(series, seed=0)
    assert _motion.autocorrelation(twin)[0] == pytest.approx(rho, abs=0.03)
    assert twin.rows.var() == pytest.approx(1.0, abs=0.15)
    for of in (series, twin):
        # Each against its own sample's correlation, not the true one, whose error is larger.
        bound = 1 - _motion.autocorrelation(of)[0] ** 2
        assert left_open(of, 1)[0] == pytest.approx(bound, rel=0.02)
        assert _motion._bound(of)[0] == pytest.approx(bound)


def test_the_twin_has_the_same_gaps(given):
    twin = _motion.autoregressive_twin(given.series, seed=0)
    np.testing.assert_array_equal(twin.valid, given.series.valid)
    np.testing.assert_array_equal(twin.run_first, given.series.run_first)
    assert not twin.rows[~twin.valid].any()


@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_evenness(n_columns):
    white = noise(n_columns, 400, n_columns) * np.exp(noise(50, 400, 1))
    expected = naive_diagnosis.evenness(white)
    assert _loudness.evenness(white) == pytest.approx(expected, rel=1e-3)
    assert _loudness.evenness(5 * white) == pytest.approx(expected, rel=1e-3)
    assert 0.2 < expected < 0.9
    assert _loudness.evenness(noise(1, 20_000, n_columns)) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("p", [1, 2])
def test_still_share(p):
    random = np.random.default_rng(p)
    X = random.integers(0, 2, (60, 1)).astype(float)
    X[20] = np.nan
    groups = np.repeat([0, 1], 30)
    series = check_sequences(X, groups)
    table = nearest_neighbors(X, n_neighbors=1, n_lags=p, groups=groups)
    expected = naive_diagnosis.still_share(X, groups, table.times.tolist(), p)
    assert 0 < expected < 1
    assert _crowding.still_share(table, series, p, 1.0) == pytest.approx(expected)


def test_equal_share():
    X, groups = naive.random_series(0, [40, 30], n_columns=1, kind="lattice")
    for p in (1, 2, 4):
        table = nearest_neighbors(X, n_neighbors=2, n_lags=p, groups=groups)
        expected = naive_diagnosis.equal_share(X, table.times.tolist(), p)
        assert _crowding.equal_share(table, 1.0) == pytest.approx(expected)


def test_contrast():
    X = autoregressions(300, [-0.99])  # signs alternate, so that a wrong lag shows
    table = nearest_neighbors(X, n_neighbors=5, n_lags=2)
    states = np.array([naive.state(X, t, 2) for t in range(1, 300)])
    distances = np.linalg.norm(states[:, None] - states, axis=2)
    usual = np.median(distances[~np.eye(299, dtype=bool)])
    drawn = _crowding.usual_distance(table, check_sequences(X), 2, seed=0)
    assert drawn == pytest.approx(usual, rel=0.03)  # 4000 pairs drawn of 45 000
    farthest = np.sort(distances, axis=1)[:, 5]
    expected = np.median(farthest) / usual
    assert _crowding.neighbor_contrast(table, usual) == pytest.approx(expected)


def test_gaps():
    values = np.array([1e-14, 2e-14, 0.1, 0.4, 0.5])
    np.testing.assert_allclose(_gap.relative_gaps(values), [0.0, 1.0, 0.75, 0.2])


def test_variances_of_principal_axes():
    X = toy(500, 4) * [1.0, 10.0, 0.1, 0.0]
    X[:, 3] = 7.0
    correlation = np.corrcoef(X[:, :3], rowvar=False)
    values = np.linalg.eigvalsh(correlation)[::-1]
    got = _covariance.principal_variances(check_sequences(X))
    np.testing.assert_allclose(got[:3], values / values[0])


def test_turned_share_of_random_spaces():
    random = np.random.default_rng(0)
    shares = []
    for _ in range(300):
        bases = [np.linalg.qr(random.normal(size=(7, 3)))[0] for _ in range(2)]
        cosines = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
        shares.append(_halves.turned_share(np.degrees(np.arccos(cosines.clip(0, 1))), 7))
    assert np.mean(shares) == pytest.approx(1.0, abs=0.05)
    assert _halves.turned_share(np.zeros(3), 7) == 0.0
    assert _halves.turned_share(np.zeros(3), 3) == 0.0


# --- halves --------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [[400], [150, 250], [20] * 20, [5, 300, 40, 10]])
@pytest.mark.parametrize("p", [1, 4])
def test_halves_share_no_row_and_no_state(lengths, p):
    X, groups = naive.random_series(0, lengths, n_gaps=10)
    series = check_sequences(X, groups)
    one, other = _halves.block_halves(series, p, np.random.default_rng(0))
    assert not set(one.rows) & set(other.rows)
    sizes = [int(half.of(series).valid.sum()) for half in (one, other)]
    assert max(sizes) - min(sizes) <= 0.15 * len(X)
    run = naive.run_of_rows(X, groups)
    used = []
    for half in (one, other):
        part = half.of(series)
        rows = set()
        for t in part.times(back=p - 1, ahead=1):
            of = half.rows[t - p + 1 : t + 2]
            # What follows in the half followed before, in one run.
            assert np.all(np.diff(of) == 1)
            assert len({run[row] for row in of}) == 1
            rows |= set(of.tolist())
        used.append(rows)
    assert not used[0] & used[1]
    # No state of one half has its successor in the other.
    if len(lengths) < 8:
        apart = min(abs(np.subtract.outer(sorted(used[0]), sorted(used[1]))).ravel())
        assert apart > p


def test_rows_of():
    X, groups = naive.random_series(0, [10, 10], n_gaps=2)
    series = check_sequences(X, groups)
    part = rows_of(series, slice(5, 15))
    np.testing.assert_array_equal(part.valid, series.valid[5:15])
    np.testing.assert_array_equal(part.rows, series.rows[5:15])
    assert part.sequence_bounds() == [(0, 5), (5, 10)]


@pytest.mark.parametrize("method", [GPFA(2, max_iter=5), SFA(2), PFA(2, n_lags=2), ForeCA(2)])
def test_refitting_is_fitting(method):
    X, groups = naive.random_series(0, [80, 60], n_columns=4, n_gaps=5)
    fitted = method.fit(X, groups=groups)
    eps = np.finfo(np.float64).eps
    again = refitted(fitted, check_sequences(X, groups), eps)
    np.testing.assert_array_equal(again.components_, fitted.components_)
    np.testing.assert_array_equal(again.mean_, fitted.mean_)


def test_refitting_knows_the_precision():
    # A mixture that is one but for the rounding of float32.
    X = (toy(500) + 100).astype(np.float32)
    X = np.column_stack([X, X[:, 0] * np.float32(1 / 3) + X[:, 1]])
    model, series = GPFA(2, max_iter=2).fit(X), check_sequences(X)
    assert model.rank_ == 5
    assert refitted(model, series, float(np.finfo(np.float32).eps)).rank_ == 5
    assert refitted(model, series, float(np.finfo(np.float64).eps)).rank_ == 6


@pytest.mark.parametrize(("n_intermediate", "n_columns"), [(None, 2), (1, 1), (2, 2), (4, 4)])
def test_where_one_more_iteration_would_search(n_intermediate, n_columns):
    X, groups = oscillator(800, 6), np.repeat([0, 1], 400)
    X[5, 1] = np.nan
    model = GPFA(2, n_intermediate=n_intermediate).fit(X, groups=groups)
    series = check_sequences(X, groups)
    subject = Subject(model, series, [], np.finfo(float).eps, None, None, 0)
    assert subject.space.n_columns == n_columns
    assert not subject.space.rows[5].any()
    # It has not gone elsewhere: the features are in it.
    used = subject.space.rows[:, :2]
    assert subspace_angles(used, subject.features.rows)[0] < 3.0
    np.testing.assert_allclose(
        subject.features.rows[series.valid], model.transform(X)[series.valid]
    )


def test_a_better_score_on_test_data_is_no_overfitting():
    subject = SimpleNamespace(test=None)
    assert [*_halves._overfitted(subject, np.array([[0.5, 0.4], [0.5, 0.55]]))] == []


def test_severity_within_a_finding_is_a_copy():
    finding = Finding("a", "note", "b", "c", "d", {"x": 1})
    assert replace(finding, severity="problem").severity == "problem"
    assert finding.severity == "note"


def test_progress_goes_from_start_to_end_by_fits():
    X, told = toy(400), []
    alone = diagnose(GPFA(2, max_iter=5).fit(X), X)
    with_progress = diagnose(
        GPFA(2, max_iter=5).fit(X), X, on_progress=lambda *steps: told.append(steps)
    )
    assert told == [(n, 6) for n in range(7)]
    assert with_progress == alone
    told.clear()
    diagnose(RandomFeatures(2).fit(X), X, on_progress=lambda *steps: told.append(steps))
    assert told[0] == (0, 6)
    assert told[-1] == (6, 6)
    assert told == sorted(set(told))


def test_columns_are_called_by_the_names_given():
    X = np.column_stack([toy(400), toy(400)[:, 1]])
    model = SFA(2).fit(X)
    (finding,) = [f for f in diagnose(model, X).findings if f.name == "rank-deficient"]
    assert "(x5)" in finding.summary
    names = ("wind", "sun", "rain", "fog", "ice", "sun again")
    (finding,) = [f for f in diagnose(model, X, names=names).findings if f.name == finding.name]
    assert "(sun again)" in finding.summary
    with pytest.raises(ValueError, match="names has 2 entries, but X has 6 columns"):
        diagnose(model, X, names=names[:2])


# --- data that leave few neighbours, few directions or few rows -----------------------------------


def walk(n_rows=100, n_columns=3):
    return noise(0, n_rows, n_columns).cumsum(axis=0)


def with_constants(X, n_constant):
    return np.column_stack([np.full((len(X), n_constant), 7.0), X[:, n_constant:]])


@pytest.mark.parametrize("theiler", [0, 1, 4, 9, 100])
def test_neighbors_left(given, theiler):
    run = naive.run_of_rows(given.X, given.groups)
    sequence = naive.sequence_of_rows(given.X, given.groups)
    for ahead in (0, 1, 2):
        times = [t for t in range(len(run)) if naive.reaches(run, t, back=given.p - 1, ahead=ahead)]
        allowed = [
            sum(i != t and (sequence[i] != sequence[t] or abs(i - t) > theiler) for i in times)
            for t in times
        ]
        left = neighbors_left(given.series, given.p, theiler, horizon=ahead)
        assert left == min(allowed)


def test_no_state_has_no_neighbors():
    assert neighbors_left(check_sequences([[1.0], [2.0]]), n_lags=3) == 0
    assert neighbors_left(check_sequences([[1.0], [2.0]]), n_lags=2, horizon=1) == 0


# As many neighbours as `theiler` leaves, of all states or of those with a successor; with 49 the
# one in the middle has a neighbour, but none that has a successor.
@pytest.mark.parametrize(("k", "theiler"), [(2, 46), (7, 46), (2, 48), (1, 49)])
@pytest.mark.parametrize("test_rows", [None, 100])
def test_a_wide_theiler_window(k, theiler, test_rows):
    X, X_test = walk(), None if test_rows is None else walk(test_rows)[::-1]
    diagnosis = diagnosed(GPFA(2, n_neighbors=k, theiler=theiler), X, X_test=X_test)
    assert "sparse-states" in diagnosis.names
    assert ("only-slow" in diagnosis.names) == (theiler < 49)
    assert not {"cannot-split", "short-test-data"} & set(diagnosis.names)


def test_left_open_takes_what_theiler_leaves():
    series = check_sequences(walk())
    table = neighbors_with_successor(series, 1, 6, 46)
    expected = naive_diagnosis.left_open(series.rows, None, table.times, table.indices)
    np.testing.assert_allclose(left_open(series, 1, theiler=46), expected)


def test_both_halves_are_measured_with_as_many_neighbors(monkeypatch):
    asked = []
    monkeypatch.setattr(
        _halves, "left_open", lambda *_, n_neighbors, **__: asked.append(n_neighbors) or np.ones(2)
    )
    X = walk()
    subject = Subject(GPFA(2, theiler=20).fit(X), check_sequences(X), [], 1e-16, None, None, 0)
    whole, cut = check_sequences(X[:50]), check_sequences(X[50:], np.repeat([0, 1], 25))
    left = [neighbors_left(part, 1, 20, horizon=1) for part in (whole, cut)]
    assert left == [8, 24]  # of 49 and 48 states
    _halves._scores(subject, subject.model, whole, cut)
    _halves._scores(subject, subject.model, cut, whole)
    assert asked == [8] * 4


def test_other_data_with_fewer_neighbors_than_the_model_has():
    model = GPFA(2, theiler=20).fit(walk())
    names = diagnose(model, walk()[:45]).names  # where 4 are left
    assert {"other-data", "drift"} <= set(names)
    names = diagnose(GPFA(2).fit(walk()), walk()[:8]).names
    assert {"other-data", "cannot-split", "drift"} <= set(names)


OF_LOWER_RANK = [
    SFA(2),
    PFA(2),
    ForeCA(2),
    GPFA(2, max_iter=5),
    GPFA(2, max_iter=5, n_intermediate=5),
    GPFA(2, max_iter=5, n_intermediate=4, init="pfa"),
    GPFA(2, max_iter=5, init=np.eye(5)[:, :3]),
]


@pytest.mark.parametrize("n_constant", [1, 3, 4, 5])
@pytest.mark.parametrize("model", OF_LOWER_RANK)
def test_other_data_of_lower_rank(model, n_constant):
    X = oscillator(400)[:, ::-1]
    names = diagnose(model.fit(X), with_constants(X, n_constant)).names
    assert "other-data" in names
    # What the method asks for cannot be had where there are fewer directions.
    asked = getattr(model, "n_intermediate", None) or 2
    blind = not isinstance(getattr(model, "init", ""), str)  # started from a column that is gone
    assert ("cannot-split" in names) == (5 - n_constant < asked or blind)
    assert ("equal-states" in names) == (n_constant == 5)


@pytest.mark.parametrize("model", [SFA(1), PFA(1), ForeCA(1), GPFA(1)])
def test_the_gap_is_seen_on_data_of_lower_rank(model):
    X = oscillator()[:, ::-1]  # the noise comes first, the two that turn last
    names = diagnose(model.fit(X), with_constants(X, 1)).names
    assert {"other-data", "no-gap"} <= set(names)


@pytest.mark.parametrize("n_rows", [2, 3, 15])
def test_short_test_data_are_no_fault_of_the_training_data(n_rows):
    X = noise(0, 400, 5)
    model = GPFA(2, n_lags=3, theiler=5).fit(X)
    found = {f.name: f for f in diagnose(model, X, X_test=noise(1, n_rows, 5)).findings}
    finding = found["short-test-data"]
    assert finding.severity == "warning"
    left = 1 if n_rows == 15 else 0
    assert finding.values == {"n_rows": n_rows, "n_neighbors": left, "n_needed": 10}
    assert ("only 1 of the 10" if left else "none of the 10") in finding.summary
    assert "unstable" in found  # which the halves of the training data say
    assert not {"cannot-split", "overfitting", "unpredictable"} & set(found)


def test_short_test_data_without_parameters():
    X = noise(0, 400, 5)
    found = {f.name: f for f in diagnose(SFA(2).fit(X), X, X_test=noise(1, 8, 5)).findings}
    finding = found["short-test-data"]
    assert "X_test" in finding.advice
    assert "theiler" not in finding.advice
    assert "n_lags" not in finding.advice


def test_test_data_are_scored_where_halves_cannot_be():
    X = noise(0, 200, 5)
    model = GPFA(2, n_neighbors=20).fit(X[:30])
    names = diagnose(model, X[:30], X_test=X[100:]).names
    assert {"cannot-split", "unpredictable"} <= set(names)


@pytest.mark.parametrize("gaps_in", ["train", "test"])
def test_only_gaps_to_compare_with(gaps_in):
    full, gappy = noise(0, 100, 3), noise(1, 400, 3)
    gappy[60:340] = np.nan
    X, X_test = (gappy, full) if gaps_in == "train" else (full, gappy)
    names = diagnosed(SFA(2), X, X_test=X_test).names
    assert "short-test-data" in names
    assert "cannot-split" not in names
