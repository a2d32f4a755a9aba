"""What is said of a feature: what it is made of, how long its cycle lasts, what it goes with."""

import numpy as np
import pytest
from scipy.signal import lfilter

import naive_report
from predfeat.datasets import Image, Recording, Spectrum
from predfeat.experiments import compare_on_recording
from predfeat.report import numbered, results_of
from predfeat.report._cycles import as_long_as_known, cycle_name, lasting, loudness
from predfeat.report._descriptions import made_of
from predfeat.report._in_time import calendar_shares, drift_share, in_time, sudden_change
from predfeat.report._traces import frequency_axis


def noise(n_rows, *coefficients, seed=0):
    shocks = np.random.default_rng(seed).normal(size=n_rows + 500)
    return lfilter([1.0], [1.0, *(-c for c in coefficients)], shocks)[500:]


def weather():
    """Four years of days: a year in two columns, pressure against the weather, rain."""
    day = np.arange(1461)
    year, weather = -np.cos(2 * np.pi * (day - 15) / 365.25), noise(1461, 0.75)
    columns = {
        "temp": 12 + 11 * year + 2.2 * weather,
        "dewp": 6 + 9 * year + 2 * weather + noise(1461, 0.6, seed=1),
        "pressure": 1013 - 2 * weather + 2 * noise(1461, 0.8, seed=2),
        "wind": 4 + noise(1461, 0.3, seed=3),
    }
    return Recording(
        np.column_stack(list(columns.values())), tuple(columns), "weather.csv",
        time=np.datetime64("2013-01-01", "D") + day, step=86_400.0, unit="s",
        units=("°C", "°C", "hPa", "m/s"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def results():
    study = compare_on_recording(weather(), ["random", "SFA"], n_repetitions=6, n_components=2)
    return results_of(study)


def test_a_year_of_weather_is_told(results):
    first, second = results["features"]["descriptions"]
    assert first == "temp and dewp together, yearly cycle, highest in July"
    assert "pressure" in second
    assert "cycle" not in second
    cycle = results["features"]["cycles"][0]
    assert 350 < cycle["period"] < 380
    assert cycle["unit"] == "days"
    assert 40 < cycle["resolution"] < 50


def test_units_and_dates_are_kept(results):
    units = {t["name"]: t["unit"] for t in results["features"]["traces"]}
    assert units["temp"] == "°C"
    assert units["feature 1"] == ""
    dates = results["features"]["axis"]["dates"]
    assert dates["rows"][0] == 0
    assert dates["rows"][-1] == 1460
    assert dates["seconds"][0] == 1356998400  # 2013-01-01
    assert dates["seconds"][-1] - dates["seconds"][0] == 1460 * 86_400


def test_numbered():
    assert numbered(["a", "b"]) == ["feature 1: a", "feature 2: b"]


# --- what it is made of --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loadings", "expected"),
    [
        ([0.9, 0.1, 0.0, 0.0, 0.0], "a"),
        ([0.5, 0.1, 0.0, 0.0, 0.0], "mostly a"),
        ([-0.9, 0.1, -0.8, 0.0, 0.0], "a and c together"),
        ([0.7, 0.6, -0.8, 0.0, 0.0], "c against a and b"),
        ([0.9, 0.9, 0.9, 0.1, 0.0], "a, b and c together"),
        ([0.9, 0.9, 0.9, -0.8, 0.9], "a, b and 2 more against d"),
        ([0.1, 0.2, 0.3, -0.1, 0.0], "a mixture of many columns, nearest to c"),
    ],
)
def test_columns(loadings, expected):
    recording = Recording(np.zeros((3, 5)), tuple("abcde"), "x")
    assert made_of(recording, np.array(loadings)) == expected


def test_frequencies():
    frequencies = np.arange(64) * 50.0
    layout = Spectrum(np.tile(frequencies, 2), ("real",) * 64 + ("imaginary",) * 64)
    recording = Recording(np.zeros((3, 128)), ("",) * 128, "x", layout=layout)

    def said(profile):
        return made_of(recording, np.concatenate([profile, profile]) / np.sqrt(2))

    assert said(0.9 * (frequencies == 450)) == "sound around 450 Hz"
    band = 0.9 * ((frequencies >= 1000) & (frequencies <= 2000))
    assert said(band) == "sound from 1\N{NO-BREAK SPACE}000 to 2\N{NO-BREAK SPACE}000 Hz"
    assert said(np.full(64, 0.8)) == "nearly all frequencies together"
    assert said(np.full(64, 0.1)) == "a mixture of all frequencies"
    assert said(0.9 * (frequencies <= 100)).startswith("sound from 0 to 100 Hz")


def test_pictures():
    recording = Recording(np.zeros((3, 81)), ("",) * 81, "x", layout=Image(9, 9))

    def said(**parts):
        image = np.zeros((9, 9))
        for value, where in parts.values():
            image[where] = value
        return made_of(recording, image.ravel())

    left, right = np.s_[:3, :3], np.s_[6:, 6:]
    assert said(a=(-0.9, left)) == "the top left of the picture"
    both = said(a=(0.9, left), b=(-0.8, right))
    assert both == "the top left against the bottom right of the picture"
    assert said(a=(0.9, np.s_[:, :])) == "the whole picture"
    assert said(a=(0.9, np.s_[4, 4])) == "the middle of the picture"
    middle = said(a=(0.9, np.s_[4, 3]), b=(-0.9, np.s_[4, 5]))
    assert middle == "a pattern in the middle of the picture"
    assert said(a=(0.1, left)) == "no single place in the picture"


# --- cycles --------------------------------------------------------------------------------


def cycle(period, resolution, unit, slower_than=None, of="feature", share=0.3):
    return {"period": period, "resolution": resolution, "slower_than": slower_than, "unit": unit,
            "of": of, "share": share}  # fmt: skip


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (cycle(361.7, 44.8, "days"), "yearly cycle"),
        (cycle(24.01, 0.3, "hours"), "daily cycle"),
        (cycle(7.0, 0.02, "days"), "weekly cycle"),
        (cycle(6.6, 0.02, "days"), "cycle of 6.60 days"),
        (cycle(300.0, 150.0, "days"), "cycle of 300 days"),  # a year would be a guess
        (cycle(1.0023, 0.017, "seconds"), "cycle of 1.00 s"),
        (cycle(0.0301, 0.0002, "seconds"), "cycle of 30.1 ms"),
        (cycle(29.9, 4.5, "rows"), "cycle of 30 rows"),
        (cycle(365.0, 1.0, "rows"), "cycle of 365 rows"),
        (cycle(None, None, "days", 487.0), "slower than 490 days"),
        (cycle(None, None, "days"), ""),
        (cycle(12.0, 0.008, "hours", share=0.003), ""),  # the tide of the air: true, and tiny
        (cycle(24.0, 0.03, "hours", 2910.0, share=0.04), "slower than 120 days"),
        (cycle(1.43, 0.05, "seconds", of="loudness"), "loudness with a cycle of 1.43 s"),
        (cycle(None, None, "seconds", 6.0, of="loudness"), "loudness slower than 6.0 s"),
    ],
)
def test_cycle_names(found, expected):
    assert cycle_name(found) == expected


def test_no_more_digits_than_are_known():
    assert as_long_as_known(366.2, 46.0) == "370"
    assert as_long_as_known(366.2, 4.6) == "366"
    assert as_long_as_known(1.0, 0.5) == "1.0"
    assert as_long_as_known(12.0, 500.0) == "10"
    assert lasting(129_600.0, 3_600.0, "seconds") == "36 hours"


def test_periods_of_trials_are_told_in_time():
    recording = Recording(np.zeros((9, 1)), ("x",), "x", groups=np.arange(9) // 3, step=0.01,
                          unit="s")  # fmt: skip
    assert frequency_axis(recording) == ("second", "seconds", 0.01)


def test_a_tick_in_sound_is_told_by_its_loudness():
    """The phase of a tone turns between frames; that is no rhythm of the sound."""
    rng = np.random.default_rng(0)
    t = np.arange(1720) / 86.0
    beat = np.exp(-10 * (t % 1.0))
    turning = np.exp(2j * np.pi * 21.3 * t)
    spectra = (0.2 + beat)[:, None] * turning[:, None] * np.array([1.0, 0.9, 0.0, 0.0])
    spectra = spectra + 0.1 * (rng.normal(size=(1720, 4)) + 1j * rng.normal(size=(1720, 4)))
    frequencies = np.array([440.0, 450.0, 1000.0, 3000.0])
    layout = Spectrum(np.tile(frequencies, 2), ("real",) * 4 + ("imaginary",) * 4)
    values = np.hstack([spectra.real, spectra.imag])
    recording = Recording(values, tuple("abcdefgh"), "tick.wav", layout=layout, step=1 / 86.0,
                          unit="s")  # fmt: skip
    results = results_of(compare_on_recording(recording, ["PFA"], n_repetitions=2, n_components=2))
    said = "sound around 440 Hz, loudness with a cycle of 1.00 s"
    assert results["features"]["descriptions"] == [said, said]


def test_loudness_does_not_hear_the_phase():
    layout = Spectrum(np.array([1.0, 2.0, 1.0, 2.0]), ("real", "real", "imaginary", "imaginary"))
    rng = np.random.default_rng(0)
    spectra = rng.normal(size=(50, 2)) + 1j * rng.normal(size=(50, 2))
    turned = spectra * np.exp(1j * rng.uniform(0, 7, size=(50, 1)))
    loadings = rng.normal(size=(3, 4))
    one, other = (
        loudness(layout, np.hstack([z.real, z.imag]), loadings) for z in (spectra, turned)
    )
    assert np.allclose(one, other)
    weights = loadings[:, :2] ** 2 + loadings[:, 2:] ** 2
    power = np.abs(spectra) ** 2
    assert np.allclose(one**2, (power / power.mean(axis=0)) @ weights.T)


# --- in time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "n_rows", "clocks"),
    [
        (3_600, 24 * 40, {"time of day", "day of the week"}),
        (86_400, 900, {"day of the week", "time of year"}),
        (86_400 * 30, 60, {"time of year"}),
        (60, 600, set()),
    ],
)
def test_calendar_shares_are_the_twins(step, n_rows, clocks):
    time = np.datetime64("2019-11-05T03:30", "s") + step * np.arange(n_rows)
    feature = noise(n_rows, 0.9)
    feature[7] = np.nan
    found = calendar_shares(feature, time)
    assert clocks <= set(found) | ({"day of the week"} if step > 86_400 else set())
    there = ~np.isnan(feature)
    for name, (share, highest) in found.items():
        places = [naive_report.calendar_places(moment)[name] for moment in time[there]]
        expected = naive_report.share_by_place(feature[there], places)
        assert share == pytest.approx(expected[0])
        assert highest == expected[1]


def test_noise_does_not_follow_the_calendar():
    time = np.datetime64("2019-01-01T00", "h") + np.arange(24 * 20)
    for seed in range(30):
        assert in_time(noise(480, seed=seed), time, one_sequence=True) == []


def test_what_follows_the_calendar_is_told():
    time = np.datetime64("2019-01-01T00", "h") + np.arange(24 * 20)
    day = np.cos(2 * np.pi * (np.arange(480) - 14) / 24)
    assert in_time(day + 0.3 * noise(480), time, one_sequence=True) == ["highest around 14:00"]
    assert in_time(day, np.arange(480.0), one_sequence=True) == []


def test_a_split_is_the_twins():
    values = noise(200, 0.9) + 6 * (np.arange(200) >= 77)
    assert sudden_change(values) == naive_report.best_split(values, 4)[0]


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (noise(500, 0.5) + 5.0 * (np.arange(500) >= 200), ["changes level at 2013-07-20"]),
        (noise(500, 0.5) + np.linspace(0, 8, 500), ["drifts from beginning to end"]),
        (noise(500, 0.5), []),
        (np.zeros(500), []),
    ],
)
def test_changes_and_drifts(feature, expected):
    time = np.datetime64("2013-01-01") + np.arange(500)
    assert in_time(feature, time, one_sequence=True) == expected
    assert in_time(feature, None, one_sequence=False) == []


def test_a_random_walk_does_not_change_at_once():
    said = [sudden_change(noise(600, seed=seed).cumsum()) for seed in range(60)]
    assert sum(row is not None for row in said) <= 3


def test_drift_is_the_squared_correlation_with_time():
    feature = noise(100, 0.8)
    feature[10:20] = np.nan
    there = ~np.isnan(feature)
    expected = np.corrcoef(np.arange(100)[there], feature[there])[0, 1] ** 2
    assert drift_share(feature) == pytest.approx(expected)
