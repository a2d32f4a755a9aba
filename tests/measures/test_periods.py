"""The period of a feature: found where there is one, told as finely as it can be, rare in noise."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import f as fisher

import naive_periods
from predfeat.measures import _peaks, _period, periods


def noise(n_rows, n_columns, *coefficients, seed=0):
    """Autoregressions of any order, settled."""
    shocks = np.random.default_rng(seed).normal(size=(n_rows + 1000, n_columns))
    return lfilter([1.0], [1.0, *(-c for c in coefficients)], shocks, axis=0)[1000:]


def sine(n_rows, period, n_columns=1, seed=0):
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, n_columns)
    return np.sin(2 * np.pi * np.arange(n_rows)[:, None] / period + phases)


def spectrum_of(y, n_directions=1):
    return _peaks.Spectrum.of(np.array([y]), n_directions)


def test_a_yearly_cycle_in_four_years_of_days():
    weather = noise(1461, 10, 0.8)
    found = periods(2.0 * sine(1461, 365.25, 10) + weather / weather.std())
    assert np.all((found.period > 350) & (found.period < 380))
    assert np.allclose(found.resolution, found.period**2 / (2 * 1461))
    assert np.isnan(found.slower_than).all()


def test_a_trend_does_not_hide_the_year():
    weather = noise(1461, 10, 0.8)
    rows = 2.0 * sine(1461, 365.25, 10) + weather / weather.std() + np.linspace(0, 5, 1461)[:, None]
    found = periods(rows)
    assert np.mean((found.period > 350) & (found.period < 380)) > 0.9


@pytest.mark.parametrize("seconds", [10, 20])
@pytest.mark.parametrize("decay", [0.0, 0.8])
def test_the_tick_of_a_clock(seconds, decay):
    rate, rng = 86.13, np.random.default_rng(0)
    rows = np.zeros((int(seconds * rate), 4))
    for column in rows.T:
        column[np.rint((np.arange(seconds - 1) + rng.uniform()) * rate).astype(int)] = 1.0
    rows = lfilter([1.0], [1.0, -decay], rows, axis=0) + 0.03 * rng.normal(size=rows.shape)
    found = periods(rows).period / rate
    assert np.all(np.abs(found - 1.0) < 0.03)


@pytest.mark.parametrize("harmonic", [1, 2, 7, 12])
def test_harmonics_of_a_tick_lead_back_to_it(harmonic):
    rng = np.random.default_rng(0)
    rows = 0.2 * rng.normal(size=3000)
    rows[11::50] += 1.0
    spectrum = spectrum_of(rows)
    power = float(spectrum.power[60 * harmonic - 1])
    peak = _peaks.Peak(60.0 * harmonic, 1, power)
    assert _peaks.harmonic_number(spectrum, peak, 0.05) == harmonic


def test_a_wave_beside_weak_ones_is_its_own_beat():
    t = np.arange(3000)
    rows = np.sin(2 * np.pi * t / 24) + 0.2 * np.sin(2 * np.pi * t / 168)
    rows += 0.2 * np.sin(2 * np.pi * t * (1 / 24 + 1 / 168)) + noise(3000, 1)[:, 0]
    assert periods(rows).period == pytest.approx([24], abs=0.1)


def test_a_beat_whose_harmonics_are_stronger_is_still_the_beat():
    t = np.arange(2000)
    waves = [a * np.sin(2 * np.pi * k * t / 50 + k) for k, a in enumerate((0.6, 1.0, 1.5, 0.8), 1)]
    rows = sum(waves) + 0.3 * np.random.default_rng(0).normal(size=2000)
    assert periods(rows).period == pytest.approx([50], abs=0.3)


@pytest.mark.parametrize(
    "coefficients", [(), (0.5,), (0.9,), (0.99,), (1.9, -0.9025), (-0.5,)], ids=str
)
@pytest.mark.parametrize("n_rows", [100, 600])
def test_noise_has_no_period(n_rows, coefficients):
    found = periods(noise(n_rows, 60, *coefficients))
    assert np.mean(~np.isnan(found.period)) <= 0.05


@pytest.mark.parametrize("n_rows", [20, 50])
@pytest.mark.parametrize("coefficients", [(), (0.5,), (0.97,)], ids=str)
def test_many_short_trials_of_noise_have_no_period(n_rows, coefficients):
    """What taking lines off does to the lowest frequencies shows when many trials are averaged."""
    found = periods(
        noise(n_rows * 300, 20, *coefficients), groups=np.repeat(np.arange(300), n_rows)
    )
    assert np.mean(~np.isnan(found.period)) <= 0.05


@pytest.mark.parametrize("n_rows", [100, 600])
def test_a_random_walk_has_no_period_but_is_slow(n_rows):
    walks = noise(n_rows, 60).cumsum(axis=0)
    found = periods(walks)
    assert np.mean(~np.isnan(found.period)) <= 0.05
    assert np.mean(found.slower_than == n_rows / 3) > 0.8


def test_fewer_than_three_cycles_are_no_period():
    found = periods(sine(500, 300, 10) + 0.1 * noise(500, 10))
    assert np.isnan(found.period).all()
    assert np.all(found.slower_than == 500 / 3)


def test_an_oscillation_that_loses_its_step_has_a_rough_period():
    radius = 0.97
    rows = noise(3000, 10, 2 * radius * np.cos(2 * np.pi / 20), -(radius**2))
    found = periods(rows)
    assert np.all(np.abs(found.period - 20) < 2)
    assert np.all(np.abs(found.period - 20) < found.resolution)


def test_two_trials_of_a_cycle():
    rows = np.vstack([sine(100, 30, 5, seed=s) for s in (0, 1)]) + 0.3 * noise(200, 5)
    found = periods(rows, groups=np.repeat([0, 1], 100))
    assert np.all(np.abs(found.period - 30) < 1.5)
    assert np.allclose(found.resolution, found.period**2 / 200)


def test_trials_out_of_step_give_no_sidebands_and_short_ones_are_left_out():
    lengths = [200, 200, 200, 20, 7]
    groups = np.repeat(np.arange(5), lengths)
    rows = np.concatenate([sine(n, 25, seed=i)[:, 0] for i, n in enumerate(lengths)])
    found = periods(rows + 0.3 * noise(len(rows), 1)[:, 0], groups=groups)
    assert found.period == pytest.approx([25], abs=0.5)


def test_gaps_are_bridged_where_they_are_short():
    rng = np.random.default_rng(0)
    rows = sine(1461, 365.25) + 0.3 * noise(1461, 1, 0.5)
    scattered, weekly = rows.copy(), rows.copy()
    scattered[rng.uniform(size=1461) < 0.3] = np.nan
    weekly[np.isin(np.arange(1461) % 7, [5, 6])] = np.nan
    for gappy in (scattered, weekly):
        assert 350 < periods(gappy).period[0] < 380
    # Regular gaps in noise are no cycle of the noise.
    rows = noise(1461, 40, 0.97)
    rows[np.isin(np.arange(1461) % 7, [5, 6])] = np.nan
    assert np.mean(~np.isnan(periods(rows).period)) <= 0.05


def test_a_long_gap_divides():
    rows = np.concatenate(
        [sine(150, 20, seed=0), np.full((1000, 1), np.nan), sine(150, 20, seed=1)]
    )
    found = periods(rows + 0.2 * noise(1300, 1))
    parts = periods(
        np.concatenate([rows[:150], rows[1150:]]) + 0.2 * noise(1300, 1)[np.r_[:150, 1150:1300]],
        groups=np.repeat([0, 1], 150),
    )
    assert found.period == pytest.approx(parts.period)


def test_the_best_of_many_spectra_is_judged_as_such():
    from predfeat import ForeCA

    plain, careful = [], []
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(300, 20))
        features = ForeCA(3, random_state=0).fit_transform(X)
        plain += periods(features).period.tolist()
        careful += periods(features, n_directions=20).period.tolist()
    assert np.isnan(careful).all()
    assert not np.isnan(plain).all()


@pytest.mark.parametrize("rows", [np.zeros(100), np.arange(100.0), np.arange(5.0), [1.0, np.nan]])
def test_what_has_no_spectrum_has_no_period(rows):
    found = periods(rows)
    assert np.isnan(found.period).all()


def test_scale_and_offset_do_not_matter():
    rows = sine(400, 31, 3) + noise(400, 3)
    found, other = periods(rows), periods(1e-6 * rows + 1000.0)
    assert np.allclose(found.period, other.period, equal_nan=True)


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_levels_are_between_zero_and_one(level):
    with pytest.raises(ValueError, match="level"):
        periods(np.arange(30.0), level=level)


# The twin.

SERIES = {
    "sine": sine(96, 13)[:, 0] + 0.4 * noise(96, 1)[:, 0],
    "between bins": sine(90, 90 / 4.5)[:, 0] + 0.3 * noise(90, 1)[:, 0],
    "noise": noise(80, 1)[:, 0],
    "walk": noise(80, 1)[:, 0].cumsum(),
    "oscillation": noise(128, 1, 1.9 * np.cos(0.8), -(0.95**2))[:, 0],
}


@pytest.mark.parametrize("name", SERIES)
def test_power_is_the_twins(name):
    y = SERIES[name]
    expected = naive_periods.power(naive_periods.line_removed(y))
    assert np.allclose(spectrum_of(y).power, expected)


@pytest.mark.parametrize("name", SERIES)
def test_waves_are_those_of_the_twin(name):
    """All frequencies are tried there: the largest peaks, tried here, must be the same waves."""
    y = SERIES[name]
    found = sorted(_peaks.waves_of(spectrum_of(y), 0.05), key=lambda peak: peak.place)
    expected = naive_periods.waves(y, 0.05)
    assert bool(found) == bool(expected)
    for peak in found:
        assert min(abs(peak.place - f) for f, _ in expected) <= 1 / 8
        assert peak.power == pytest.approx(
            sum(naive_periods.line_removed(y) ** 2)
            - sum(naive_periods.line_removed(y, peak.place) ** 2)
        )
    if expected:
        strongest = max(expected, key=lambda wave: wave[1])[0]
        assert min(abs(peak.place - strongest) for peak in found) <= 1 / 8


@pytest.mark.parametrize("name", SERIES)
def test_humps_are_those_of_the_twin(name):
    y = SERIES[name]
    spectrum = naive_periods.power(naive_periods.line_removed(y))
    expected = [
        (
            width,
            np.average(np.arange(first, first + width), weights=spectrum[first - 1 :][:width] ** 2),
        )
        for first, width in naive_periods.humps(y, 0.05)
    ]
    found = [(peak.width, peak.place) for peak in _peaks.humps_of(spectrum_of(y), 0.05)]
    assert np.allclose(found, expected)
    assert bool(found) == (name in ("sine", "oscillation"))


def test_the_share_of_slow_variance_is_the_twins():
    for y in SERIES.values():
        blocks = np.array([y])[:, :, None]
        assert _period._slow_share(blocks)[0] == pytest.approx(naive_periods.slow_share(y))


def test_the_tail_is_that_of_fishers_distribution():
    spectrum = spectrum_of(SERIES["noise"])
    for ratio, m, n in [(3.0, 1, 5), (12.0, 2, 9), (2.0, 8, 30)]:
        expected = fisher.sf(ratio, 2 * m, 2 * n)
        assert spectrum.chance(ratio, m, 1.0, n) == pytest.approx(expected)
        assert naive_periods.tail_of_f(ratio, m, n) == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize(("place", "width"), [(4.1, 1), (16.3, 2), (23.0, 16), (57.7, 4)])
def test_the_share_of_a_cycle_is_the_twins(place, width):
    for y in SERIES.values():
        spectrum = spectrum_of(y)
        whole = sum(naive_periods.line_removed(y) ** 2)
        expected = naive_periods.comb_share(spectrum.power, place, width, whole)
        assert _peaks.comb_share(spectrum, place, width) == pytest.approx(expected)


def test_how_much_of_the_variance_a_cycle_holds():
    time = np.arange(2000)
    wave = np.sqrt(2) * np.sin(2 * np.pi * time / 50)
    beat = np.where(time % 50 < 5, 3.0, -1 / 3)  # of unit variance, with many harmonics
    for cycle in (wave, beat):
        rows = np.column_stack([0.5 * cycle, cycle, 3 * cycle]) + noise(2000, 3)
        found = periods(rows)
        assert np.allclose(found.period, 50, atol=0.2)
        assert np.allclose(found.share, [0.2, 0.5, 0.9], atol=0.07)


def test_the_first_of_two_broad_harmonics_is_the_cycle():
    # A pulse whose rate wanders: broad humps, the second higher than the first.
    random = np.random.default_rng(0)
    wander = lfilter([1.0], [1.0, -0.999], random.normal(size=8000))
    phase = np.cumsum(2 * np.pi / 60 * (1 + 0.1 * wander / wander.std()))
    pulse = np.cos(phase) + 1.3 * np.cos(2 * phase + 1.0)
    assert periods(pulse).period[0] == pytest.approx(60, rel=0.15)


def test_what_alternates_is_no_part_of_a_slower_cycle():
    # Of even length the fastest frequency is a bin of its own, in which all the rest is.
    time = np.arange(3000)
    found = periods(
        (-1.0) ** time + 0.2 * np.sin(2 * np.pi * time / 20) + 0.05 * noise(3000, 1)[:, 0]
    )
    assert found.share[0] == pytest.approx(0.02, abs=0.01)
