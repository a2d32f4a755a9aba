"""The estimator: known processes, borders, updates, conventions, and what it refuses."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils import estimator_checks

from predfeat import GPFA, SFA, Expanded, Forecaster
from predfeat.datasets import hidden_lorenz
from predfeat.exceptions import DimensionError, EmptyColumnError, ForecastError
from predfeat.forecasting import ChannelMap, backtest, channel_map, evaluate, skill
from predfeat.series import check_sequences


def autoregression(n_rows, seed, coefficient=0.8, n_columns=1):
    shocks = np.random.default_rng(seed).normal(size=(n_rows + 100, n_columns))
    return lfilter([1.0], [1.0, -coefficient], shocks, axis=0)[100:]


def channels(n_rows=700, seed=0):
    """Four mixed channels: two autoregressions and two columns of noise."""
    random = np.random.default_rng(seed)
    sources = np.c_[autoregression(n_rows, seed, 0.95, 2), random.normal(size=(n_rows, 2))]
    return sources @ random.normal(size=(4, 4))


# --- closed forms --------------------------------------------------------------------------------


def test_widths_of_an_autoregression_are_those_of_the_closed_form():
    X = autoregression(20_000, 0)
    model = Forecaster(n_steps=10, n_neighbors=5).fit(X)
    ahead = model.predict()
    steps = np.arange(1, 11)
    exact = norm.ppf(0.95) * np.sqrt((1 - 0.8 ** (2 * steps)) / (1 - 0.8**2))
    half = (ahead.upper - ahead.lower)[:, 0] / 2
    np.testing.assert_allclose(half, exact, rtol=0.05)  # as DESIGN asks for
    # Of 20 000 rows, the coefficients are off by about 0.005; the newest row is of size 1.7.
    # Later steps may be forecast by the mean, as little of them can be known.
    np.testing.assert_allclose(ahead.mean[:5, 0], X[-1, 0] * 0.8 ** steps[:5], atol=0.08)


def test_white_noise_is_not_predicted():
    skills = []
    for seed in range(8):
        noise = np.random.default_rng(seed).normal(size=(900, 2))
        skills.append(Forecaster(n_steps=4).fit(noise[:600]).evaluate(noise[600:]).skill())
    mean, error = np.mean(skills, axis=0), np.std(skills, axis=0, ddof=1) / np.sqrt(8)
    assert (mean < 2 * error).all()


def test_a_sine_is_predicted():
    wave = np.sin(0.3 * np.arange(900))[:, None]
    model = Forecaster(n_steps=20, n_lags=2).fit(wave[:600])
    assert np.abs(model.predict(wave[:700]).mean - wave[700:720]).max() < 1e-3


def test_chaos_is_predicted_by_similar_states_and_not_linearly():
    X, _ = hidden_lorenz(3000, random_state=0)
    model = Forecaster(GPFA(3, n_lags=2), n_steps=10).fit(X[:2400])
    found = model.evaluate(X[2400:])
    assert found.skill("climatology")[0] > 0.98
    assert found.skill("linear")[4] > 0.5
    assert model.model_.predictor.share_of("analogue") > 0.7
    assert model.score(X[2400:]) == pytest.approx(found.skill().mean())


# --- intervals -----------------------------------------------------------------------------------


def many_sequences(n_sequences, seed, length=5):
    """Return independent sequences in which one forecast of 3 steps from 2 lags fits."""
    return (
        np.concatenate([autoregression(length, seed + i) for i in range(n_sequences)]),
        np.repeat(np.arange(n_sequences), length),
    )


def coverage_of(change=None):
    shares = []
    for seed in range(20):
        X, groups = many_sequences(300, 10_000 * seed)
        model = Forecaster(n_steps=3, n_lags=2, extend_library=False).fit(X, groups=groups)
        if change is not None:
            model.model_ = change(model.model_)
        X, groups = many_sequences(60, 10_000 * seed + 5000)
        found = model.evaluate(X, groups=groups)
        shares.append([*found.coverage[:, 0], found.path_coverage])
    return np.mean(shares, axis=0)


def test_coverage_of_exchangeable_sequences_is_that_of_theory():
    # 60 scores: rank 55 of 61. The variance is that of test_intervals.py; four standard errors.
    exact = 55 / 61
    slack = 4 * np.sqrt(exact * (1 - exact) * (61 + 60) / 62 / 60 / 20)
    assert np.abs(coverage_of() - exact).max() < slack


def test_a_permuted_calibration_fails_that_test():
    def permuted(model):
        order = [2, 0, 1]
        predictor = model.predictor
        floor, scale = predictor.floor[order], predictor.scale[order]
        return replace(model, predictor=replace(predictor, floor=floor, scale=scale))

    assert np.abs(coverage_of(permuted) - 55 / 61).max() > 0.1


def test_joint_intervals_are_wider():
    X = channels()
    widths = {}
    for joint in ("each", "features", "path"):
        ahead = Forecaster(SFA(2), n_steps=5, joint=joint).fit(X).predict()
        assert ahead.joint == joint
        widths[joint] = ahead.upper - ahead.lower
    assert (widths["each"] <= widths["features"] + 1e-12).all()
    assert (widths["features"] <= widths["path"] + 1e-12).all()


def test_channels_are_reconstructed_and_their_intervals_hold_what_is_left_out():
    X = channels(2000)
    model = Forecaster(SFA(2), n_steps=5).fit(X[:1400])
    ahead, of_columns = model.predict(X[:1500]), model.predict_channels(X[:1500])
    features = model.model_.features
    np.testing.assert_allclose(of_columns.mean, features.inverse_transform(ahead.mean))
    left = X[:1400] - features.inverse_transform(features.transform(X[:1400]))
    assert ((of_columns.upper - of_columns.lower) > left.std(axis=0)).all()
    found = model.evaluate(X[1400:], channels=True)
    assert found.coverage.shape == (5, 4)
    # 600 rows of which neighbours are alike.
    assert abs(found.coverage.mean() - 0.9) < 0.06


def test_errors_expected_of_columns_are_those_of_features_and_of_what_they_leave_out(seed):
    random = np.random.default_rng(seed)
    patterns, left_out = random.normal(size=(2, 3)), random.uniform(size=3)
    scale = random.uniform(1, 2, size=(4, 3))
    center = random.normal(size=3)
    mean, expected = random.normal(size=(5, 4, 2)), random.uniform(size=(5, 4, 2))
    found, error = ChannelMap(center, patterns, left_out, scale).forecast(mean, expected)
    for i, h, c in np.ndindex(5, 4, 3):
        assert found[i, h, c] == pytest.approx(center[c] + mean[i, h] @ patterns[:, c])
        parts = [expected[i, h, f] * patterns[f, c] for f in range(2)]
        both = np.sqrt(sum(part**2 for part in parts) + left_out[c] ** 2)
        assert error[i, h, c] == pytest.approx(scale[h, c] * both)


def test_what_features_leave_out_is_measured():
    X = channels()
    features = SFA(2).fit(X)
    left = X - features.inverse_transform(features.transform(X))
    found = channel_map(features, check_sequences(X), n_steps=3)
    np.testing.assert_allclose(found.left_out, np.sqrt(np.square(left).mean(axis=0)))


def test_all_columns_are_their_own_features():
    X = channels()
    model = Forecaster(n_steps=3).fit(X)
    np.testing.assert_array_equal(model.predict().upper, model.predict_channels().upper)


# --- sequences, gaps, and recent rows ------------------------------------------------------------


def test_predictions_of_all_rows_are_those_of_each(seed):
    X = channels(500, seed)
    X[450] = np.nan
    model = Forecaster(SFA(2), n_steps=4, n_lags=3).fit(X[:400])
    found = model.predict_all(X[400:])
    assert found.times.tolist() == [*range(2, 50), *range(53, 100)]
    for number in (0, 47, 48, len(found) - 1):
        one = model.predict(X[400 : 400 + found.times[number] + 1])
        np.testing.assert_allclose(found[number].mean, one.mean, atol=1e-12)
        np.testing.assert_allclose(found[number].lower, one.lower, atol=1e-12)


def test_only_the_last_rows_matter():
    X = channels()
    model = Forecaster(SFA(2), n_steps=4, n_lags=3).fit(X[:600])
    whole, short = model.predict(X[:650]), model.predict(X[647:650])
    np.testing.assert_allclose(whole.mean, short.mean, atol=1e-12)


def test_borders_of_groups_are_kept():
    # Sequences at far levels: across a border everything would look like a jump.
    groups = np.repeat(np.arange(12), 60)
    X = autoregression(720, 0, 0.5, 2) + 100.0 * groups[:, None] * [1, -1]
    apart = Forecaster(n_steps=5).fit(X, groups=groups)
    assert apart.evaluate(X[:60], groups=groups[:60]).error.max() < 1e-3
    library = apart.model_.predictor.library
    assert len(library.states) == 12 * 55
    joined = Forecaster(n_steps=5).fit(X).model_.predictor.library
    assert len(joined.states) == 715


def test_a_new_group_is_forecast_like_any_other():
    X = channels()
    groups = np.repeat(np.arange(10), 70)
    model = Forecaster(SFA(2), n_steps=3).fit(X, groups=groups)
    known = model.predict(X[:10], groups=groups[:10])
    unseen = model.predict(X[:10], groups=["never seen"] * 10)
    np.testing.assert_array_equal(known.mean, unseen.mean)


@pytest.fixture(scope="module")
def fitted():
    return Forecaster(SFA(2), n_steps=5, n_lags=4).fit(channels())


def test_too_few_recent_rows_are_refused(fitted):
    X = channels()
    with pytest.raises(ForecastError, match=r"there are 3 recent row\(s\), but .* n_lags=4 rows"):
        fitted.predict(X[:3])
    X[5] = np.nan
    with pytest.raises(ForecastError, match=r"there are 2 recent row\(s\) since the last gap"):
        fitted.predict_channels(X[:8])


def test_gaps_at_the_end_are_refused(fitted):
    X = channels()[:20]
    X[18:] = np.nan
    message = r"the last 2 of 20 recent row\(s\) are gaps .* Leave them out to forecast from"
    with pytest.raises(ForecastError, match=message):
        fitted.predict(X)
    with pytest.raises(ForecastError, match=r"the last 2 of 2 recent"):
        fitted.predict(X[18:])


def test_rows_of_several_groups_are_refused(fitted):
    with pytest.raises(ForecastError, match=r"belong to 2 sequences.*one group, or use predict_a"):
        fitted.predict(channels()[:20], groups=[0] * 10 + [1] * 10)


def test_a_horizon_beyond_every_sequence_is_refused():
    X, groups = channels(), np.repeat(np.arange(35), 20)
    message = r"needs 20 rows in a row .*n_lags=1, n_steps=19.* rows has 18.*fewer steps"
    X[1::20] = np.nan
    with pytest.raises(ForecastError, match=message):
        Forecaster(SFA(2), n_steps=19).fit(X, groups=groups)


def test_too_little_data_is_refused():
    X = channels()
    with pytest.raises(ForecastError, match=r"choosing between forecasts needs 21 rows.*has 10"):
        Forecaster(n_steps=20).fit(X[:100])
    with pytest.raises(ForecastError, match=r"level=0.99 needs at least 99 forecasts"):
        Forecaster(n_steps=5, level=0.99).fit(X[:300])
    with pytest.raises(ForecastError, match=r"n_neighbors=900 is more than the 489 states"):
        Forecaster(n_steps=1, n_neighbors=900).fit(X)
    with pytest.raises(ForecastError, match=r"an evaluation needs 9 rows in a row"):
        Forecaster(n_steps=5, n_lags=4).fit(X).evaluate(X[:8])
    with pytest.raises(EmptyColumnError, match="NaN throughout"):
        Forecaster().fit(np.c_[X, np.full(700, np.nan)])


def test_too_many_columns_are_refused_and_features_of_them_are_not():
    X = np.random.default_rng(0).normal(size=(250, 3000))
    with pytest.raises(ForecastError, match=r"3000 columns with n_lags=1 .*few features of them"):
        Forecaster(n_steps=20).fit(X)
    found = Forecaster(SFA(2, pca_components=5), n_steps=4).fit(X)
    assert found.predict_channels().mean.shape == (4, 3000)


def test_other_columns_are_refused(fitted):
    with pytest.raises(ValueError, match="X has 3 features, but Forecaster is expecting 4"):
        fitted.predict(channels()[:, :3])
    features = SFA(2).fit(channels()[:, :3])
    with pytest.raises(DimensionError, match="X has 4 columns, but the features were fitted to 3"):
        Forecaster(features, prefit=True).fit(channels())


def test_odd_input_is_taken():
    X = channels()
    plain = Forecaster(SFA(2), n_steps=3).fit(X).predict(X[:50])
    X.setflags(write=False)
    again = Forecaster(SFA(2), n_steps=3).fit(np.asfortranarray(X)).predict(X[:50].tolist())
    np.testing.assert_allclose(plain.mean, again.mean, atol=1e-9)
    narrow = Forecaster(SFA(2), n_steps=3).fit(X.astype(np.float32)).predict(X[:50])
    np.testing.assert_allclose(plain.mean, narrow.mean, atol=1e-3)
    whole = Forecaster(n_steps=3).fit((10 * X).astype(int))
    assert np.isfinite(whole.predict().upper).all()


def test_constant_and_equal_columns_are_taken():
    X = channels()
    X[:, 1] = 3.0
    X[:, 2] = X[:, 0]
    ahead = Forecaster(n_steps=3, n_lags=2).fit(X).predict()
    np.testing.assert_allclose(ahead.mean[:, 1], 3.0)
    np.testing.assert_allclose(ahead.mean[:, 2], ahead.mean[:, 0], atol=1e-6)
    assert (ahead.upper[:, 1] - ahead.lower[:, 1] < 1e-9).all()


# --- updates -------------------------------------------------------------------------------------


def test_an_update_goes_on_where_the_fit_ended():
    X = channels(900)
    model = Forecaster(SFA(2), n_steps=4, n_lags=3).fit(X[:600])
    np.testing.assert_allclose(model.predict().mean, model.predict(X[:600]).mean, atol=1e-12)
    n_before = len(model.model_.predictor.library.states)
    model.update(X[600:602]).update(X[602:650])
    assert len(model.model_.predictor.library.states) == n_before + 50
    np.testing.assert_allclose(model.predict().mean, model.predict(X[:650]).mean, atol=1e-12)


def test_an_update_row_by_row_announces_what_predict_said():
    X = channels(640)
    model = Forecaster(SFA(2), n_steps=4, n_lags=2, extend_library=False).fit(X[:600])
    whole = clone(model).fit(X[:600]).update(X[600:])
    said = []
    for row in X[600:]:
        said.append(model.predict())
        model.update(row[None])
    announced = whole.model_.newest.of_features
    # The last four rows before the end, from which forecasts are still awaited.
    np.testing.assert_allclose(announced.mean[-5:-1], [each.mean for each in said[-4:]])
    # The scores are renewed after each call, so that widths may differ, and slightly so.
    half = announced.expected[-5:-1] * announced.multipliers["each"][-5:-1]
    wide = np.array([(each.upper - each.lower) / 2 for each in said[-4:]])
    np.testing.assert_allclose(half, wide, rtol=0.2)


def test_an_update_with_another_group_begins_a_sequence():
    X, groups = channels(), np.repeat(np.arange(10), 70)
    model = Forecaster(SFA(2), n_steps=4, n_lags=3).fit(X, groups=groups)
    model.update(X[:2], groups=["new"] * 2)
    with pytest.raises(ForecastError, match=r"end with 2 row\(s\) since the last gap.*starts from"):
        model.predict()
    model.update(X[2:3], groups=["new"])
    np.testing.assert_allclose(model.predict().mean, model.predict(X[:3]).mean, atol=1e-12)
    assert model.model_.predictor.library.futures.sequence_bounds()[-1] == (700, 703)


def test_an_update_with_gaps_keeps_off_them():
    X = channels()
    model = Forecaster(SFA(2), n_steps=4, n_lags=3).fit(X[:600])
    rates = model.model_.intervals.rates
    gap = np.full((1, 4), np.nan)
    model.update(gap)
    for kind, each in model.model_.intervals.rates.items():
        np.testing.assert_array_equal(each, rates[kind])
    with pytest.raises(ForecastError, match=r"end with 0 row\(s\) since the last gap"):
        model.predict()
    model.update(X[601:604])
    np.testing.assert_allclose(model.predict().mean, model.predict(X[601:604]).mean, atol=1e-12)


def test_an_update_brings_coverage_back():
    X = autoregression(1000, 0)
    later = autoregression(500, 1) * 2.5
    model = Forecaster(n_steps=2, n_neighbors=5, adaptation_rate=0.03).fit(X)
    fixed = model.evaluate(later).coverage.mean()
    inside = []
    for start in range(0, 498, 3):
        ahead = model.predict_all(later[start : start + 1])
        inside.append(
            (ahead.lower[0, 0] <= later[start + 1]) & (later[start + 1] <= ahead.upper[0, 0])
        )
        model.update(later[start : start + 3])
    assert fixed < 0.7
    assert 0.82 < np.mean(inside[20:]) < 0.97  # 146 forecasts: two standard errors are 0.05


def test_an_update_that_fails_changes_nothing(fitted):
    before = fitted.model_
    with pytest.raises(ValueError, match="infinity"):
        fitted.update(np.full((2, 4), np.inf))
    assert fitted.model_ is before


def test_a_fit_that_fails_keeps_the_earlier_one():
    X = channels()
    model = Forecaster(SFA(2), n_steps=3).fit(X)
    before = model.predict(X[:20]).mean
    with pytest.raises(ForecastError, match=r"8 rows without gaps are too few to learn from"):
        model.fit(X[:8, :3])
    np.testing.assert_array_equal(model.predict(X[:20]).mean, before)


# --- conventions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
    ],
    ids=lambda check: check.__name__,
)
def test_checks_of_scikit_learn(check):
    check("Forecaster", Forecaster())


def test_a_search_finds_parameters_of_the_features():
    search = GridSearchCV(
        Forecaster(SFA(), n_steps=3), {"features__n_components": [1, 2]}, cv=KFold(2)
    )
    search.fit(channels())
    assert set(search.best_params_) == {"features__n_components"}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_copies(fitted):
    X = channels()
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.predict(X[:20]).upper, fitted.predict(X[:20]).upper)
    assert not hasattr(clone(fitted), "model_")


def test_names_are_kept():
    frame = pd.DataFrame(channels(), columns=list("abcd"))
    model = Forecaster(SFA(2), n_steps=3).fit(frame)
    assert model.predict(frame[:20]).names == ("sfa0", "sfa1")
    assert model.predict_channels(frame[:20]).names == tuple("abcd")
    assert list(model.feature_names_in_) == list("abcd")


def test_a_forecaster_that_is_not_fitted_says_so():
    X = channels()
    for call in ("predict", "predict_channels", "predict_all", "evaluate", "update", "score"):
        with pytest.raises(NotFittedError, match="This Forecaster instance is not fitted"):
            getattr(Forecaster(), call)(X)
    with pytest.raises(NotFittedError):
        Forecaster(SFA(), prefit=True).fit(X)


@pytest.mark.parametrize(
    ("name", "value"),
    [("level", 1.0), ("n_steps", 0), ("joint", "all"),
     ("calibration_share", 0.0), ("adaptation_rate", 2), ("n_lags", 0)],
)  # fmt: skip
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(ValueError, match=rf"'{name}' parameter of Forecaster .*Got"):
        Forecaster(**{name: value}).fit(channels())


@pytest.mark.parametrize("given", [SFA, "sfa", Expanded(SFA(1))])
def test_what_is_no_linear_method_is_refused_in_words(given):
    with pytest.raises(ValueError, match="features must be a linear method of predfeat's"):
        Forecaster(given).fit(channels())


def test_prefit_features_are_used_as_they_are():
    X = channels()
    features = SFA(2).fit(X[:300])
    model = Forecaster(features, n_steps=3, prefit=True).fit(X)
    assert model.model_.features is features
    assert len(backtest(model, X).blocks) == 3


def test_jobs_do_not_matter():
    X = channels()
    one, two = (Forecaster(SFA(2), n_steps=3, n_jobs=n).fit(X).predict() for n in (1, 2))
    np.testing.assert_array_equal(one.upper, two.upper)


# --- back-tests ----------------------------------------------------------------------------------


def test_a_backtest_is_fits_to_the_rows_before():
    X = channels()
    found = backtest(Forecaster(SFA(2), n_steps=3), X, n_blocks=2)
    assert found.starts == (350, 525)
    for start, stop, block in zip((350, 525), (525, 700), found.blocks, strict=True):
        alone = Forecaster(SFA(2), n_steps=3).fit(X[:start]).evaluate(X[start:stop])
        np.testing.assert_array_equal(block.error, alone.error)
    counts = [block.n_forecasts for block in found.blocks]
    expected = np.average([block.coverage for block in found.blocks], axis=0, weights=counts)
    np.testing.assert_allclose(found.mean.coverage, expected)
    with pytest.raises(ForecastError, match=r"blocks of 3 rows to forecast, but n_steps=3"):
        backtest(Forecaster(n_steps=3), X, n_blocks=100)
    with pytest.raises(ValueError, match="at least one block"):
        backtest(Forecaster(), X, n_blocks=0)


def test_evaluations_are_those_of_the_definition(seed):
    random = np.random.default_rng(seed)
    actual, mean, linear = random.normal(size=(3, 40, 3, 2))
    expected = random.uniform(0.5, 2.0, size=(40, 3, 2))
    multipliers = {"each": np.full((3, 2), 1.2), "features": np.full(3, 1.5), "path": np.array(2.0)}
    unit = np.array([1.0, 4.0])
    references = {"persistence": 0 * mean, "climatology": np.zeros(2), "linear": linear}
    found = evaluate(actual, mean, references, expected, multipliers, unit=unit, level=0.9)
    inside = total = paths = 0
    for i in range(40):
        in_path = True
        for h in range(3):
            for c in range(2):
                miss = abs(actual[i, h, c] - mean[i, h, c])
                inside += miss <= 1.2 * expected[i, h, c]
                in_path &= bool(miss <= 2.0 * expected[i, h, c])
                total += 1
        paths += in_path
    assert found.coverage.mean() == pytest.approx(inside / total)
    assert found.path_coverage == pytest.approx(paths / 40)
    squares = (((actual - linear) / unit) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.linear, squares)
    own = (((actual - mean) / unit) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.skill("linear"), 1 - own.sum(axis=1) / squares.sum(axis=1))
    with pytest.raises(ValueError, match=r"against='magic' is not known. Give one of persistence"):
        found.skill("magic")
    assert skill(np.zeros(1), np.zeros(1)).tolist() == [0.0]
