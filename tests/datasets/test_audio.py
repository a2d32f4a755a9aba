"""Sound: the short-time spectra as they are defined, and files of sound."""

import numpy as np
import pytest

import naive_spectra
from predfeat.datasets import Spectrum, _opening, _spectra, read, short_time_spectra
from predfeat.exceptions import ComplexDataError, DataFileError, DimensionError, NotNumericError


@pytest.mark.parametrize(("frame", "hop"), [(8, 4), (7, 3), (2, 1), (3, 5), (16, 16)])
def test_spectra_equal_their_definition(frame, hop):
    signal = np.random.default_rng(frame).normal(size=50)
    expected = naive_spectra.short_time_spectra(signal, frame, hop)
    recording = short_time_spectra(signal, 100, frame=frame, hop=hop)
    assert recording.values.shape == (len(expected), frame)
    parts = np.array(recording.layout.parts)
    bins = np.rint(recording.layout.frequencies * frame / 100).astype(int)
    together = np.where(parts == "real", expected[:, bins].real, expected[:, bins].imag)
    np.testing.assert_allclose(recording.values, together, atol=1e-12)
    # What is left out is zero for every signal, so nothing is lost.
    left_out = sorted(set(range(frame // 2 + 1)) - set(bins[parts == "imaginary"]))
    np.testing.assert_allclose(expected[:, left_out].imag, 0.0, atol=1e-12)
    loud = short_time_spectra(signal, 100, frame=frame, hop=hop, spectrum="log-magnitude")
    np.testing.assert_allclose(loud.values, 20 * np.log10(np.abs(expected)), atol=1e-9)


def test_the_papers_shape_names_and_clock():
    rate = 22_050
    recording = short_time_spectra(np.zeros(5000), rate)
    assert recording.values.shape == (18, 512)
    assert isinstance(recording.layout, Spectrum)
    assert recording.layout.parts.count("real") == 257
    assert recording.layout.parts.count("imaginary") == 255
    assert recording.names[10] == "430.7 Hz real"
    assert recording.names[257] == "43.1 Hz imaginary"
    assert len(set(recording.names)) == 512
    assert (recording.step, recording.unit) == (256 / rate, "s")
    np.testing.assert_allclose(recording.time, (np.arange(18) * 256 + 256) / rate)
    assert len(set(short_time_spectra(np.zeros(40_000), 100, frame=20_000).names)) == 20_000


def test_pieces_make_no_difference(monkeypatch):
    signal = np.random.default_rng(0).normal(size=3000)
    whole = short_time_spectra(signal, 100, frame=64, hop=10)
    monkeypatch.setattr(_spectra, "_SAMPLES_AT_ONCE", 500)
    seen = []
    pieces = short_time_spectra(
        signal, 100, frame=64, hop=10, on_progress=lambda done, total: seen.append(done / total)
    )
    np.testing.assert_array_equal(pieces.values, whole.values)
    assert seen == sorted(seen)
    assert len(seen) > 10
    assert seen[-1] == 1.0


def test_silence_is_finite_and_as_loud_as_rounding_to_16_bits():
    silence = short_time_spectra(np.zeros(5000), 8000, spectrum="log-magnitude")
    assert np.ptp(silence.values) == 0
    rng = np.random.default_rng(0)
    sound = rng.uniform(-0.5, 0.5, size=200_000)
    rounding = np.round(sound * 2**15) / 2**15 - sound
    noise = np.abs(short_time_spectra(rounding, 8000).values)
    # Real and imaginary parts carry half the power each; 1500 frames: about 1 % of error.
    measured = 10 * np.log10(2 * np.mean(noise[:, 1:256] ** 2))
    assert silence.values[0, 0] == pytest.approx(measured, abs=0.1)


@pytest.mark.parametrize(
    ("signal", "error", "message"),
    [
        (np.zeros((10, 2)), DimensionError, "one channel"),
        (np.zeros(600, complex), ComplexDataError, "complex"),
        (["a"] * 600, NotNumericError, "numbers only"),
        (np.r_[np.zeros(600), np.nan], DataFileError, "first at 600"),
        (np.zeros(500), DataFileError, "500 samples, fewer than one frame of 512"),
    ],
)
def test_bad_signals_are_explained(signal, error, message):
    with pytest.raises(error, match=message):
        short_time_spectra(signal, 8000)


@pytest.mark.parametrize(
    "options", [{"frame": 1}, {"hop": 0}, {"spectrum": "power"}, {"frame": 5.5}]
)
def test_bad_parameters_are_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        short_time_spectra(np.zeros(600), 8000, **options)


def test_too_many_spectra_for_memory(monkeypatch):
    monkeypatch.setattr(_opening, "available_memory", lambda: 100_000)
    with pytest.raises(DataFileError, match="hop"):
        short_time_spectra(np.zeros(10_000), 8000)


# --- files ---------------------------------------------------------------------------------


@pytest.fixture
def sound(tmp_path):
    soundfile = pytest.importorskip("soundfile")

    def make(samples, rate=8000, name="sound.wav", **options):
        path = tmp_path / name
        soundfile.write(path, samples, rate, **options)
        return path

    return make


@pytest.mark.parametrize("name", ["sound.wav", "sound.flac"])
def test_a_file_gives_the_spectra_of_its_mean_channel(sound, name):
    samples = np.round(np.random.default_rng(0).uniform(-0.5, 0.5, (4000, 2)) * 2**15) / 2**15
    seen = []
    recording = read(
        sound(samples, name=name),
        frame=64,
        hop=32,
        on_progress=lambda done, total: seen.append(done / total),
    )
    expected = short_time_spectra(samples.mean(axis=1), 8000, frame=64, hop=32)
    # Sums of two 16-bit numbers are exact in float32.
    np.testing.assert_allclose(recording.values, expected.values, atol=1e-12)
    assert recording.names == expected.names
    assert recording.notes == ("The 2 channels were averaged.",)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("name", ["sound.ogg", "sound.mp3"])
def test_compressed_sound_keeps_its_tone(sound, name):
    tone = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(24_000) / 8000)
    recording = read(sound(tone, name=name), spectrum="log-magnitude")
    assert recording.names[recording.values.mean(axis=0).argmax()] == "1000.0 Hz magnitude"


def test_resampling_keeps_a_tone(sound):
    pytest.importorskip("soxr")
    time = np.arange(400_000) / 44_100  # more than one block
    path = sound(0.5 * np.sin(2 * np.pi * 1000 * time), rate=44_100)
    recording = read(path, rate=8000, spectrum="log-magnitude")
    assert recording.step == 256 / 8000
    loudest = recording.values.argmax(axis=1)
    assert set(recording.layout.frequencies[loudest]) == {1000.0}
    expected = 1 + (round(400_000 * 8000 / 44_100) - 512) // 256
    assert abs(len(recording.values) - expected) <= 1
    # No seam between blocks: a steady tone is equally loud in all frames but the outermost.
    assert np.ptp(recording.values[2:-2].max(axis=1)) < 0.01


def test_bad_sound_is_explained(sound, tmp_path):
    good = sound(np.zeros(4000))
    raw = good.read_bytes()
    (tmp_path / "cut.wav").write_bytes(raw[:30])
    (tmp_path / "text.flac").write_text("this is no sound")
    for path, options, message in [
        (tmp_path / "cut.wav", {}, "as a sound"),
        (tmp_path / "text.flac", {}, "as a sound"),
        (sound(np.zeros(100), name="short.wav"), {}, "fewer than one frame"),
        (sound(np.full(600, np.inf), name="inf.wav", subtype="FLOAT"), {}, "not finite"),
        (good, {"rate": 0.5}, "rate=0.5"),
        (good, {"columns": ["a"]}, "does not apply to"),
    ]:
        with pytest.raises(DataFileError, match=message):
            read(path, **options)
