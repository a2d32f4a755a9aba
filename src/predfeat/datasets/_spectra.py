"""Short-time spectra of a sound, as in the paper's audio experiment."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from predfeat._compat import Interval, StrOptions, validate_parameter_constraints, whole_number
from predfeat._progress import OnProgress
from predfeat._typing import FloatArray
from predfeat.datasets._limits import COLUMNS
from predfeat.datasets._opening import check_fits
from predfeat.datasets._recording import Recording, Spectrum
from predfeat.exceptions import ComplexDataError, DataFileError, DimensionError, NotNumericError

__all__ = ["check_framing", "n_columns", "short_time_spectra"]

_SAMPLES_AT_ONCE = 2**20


def short_time_spectra(
    signal: Any,
    rate: float,
    *,
    frame: int = 512,
    hop: int = 256,
    spectrum: str = "complex",
    source: str = "signal",
    on_progress: OnProgress | None = None,
) -> Recording:
    r"""Cut a sound into overlapping frames and return the spectrum of each.

    A frame is weighted with half a cosine wave, :math:`w_j = \sin(\pi (j + 1/2) / F)` for
    frames of F samples, before its Fourier transform. The transform of real numbers has F
    real numbers that are not redundant: the real parts of all ⌊F/2⌋ + 1 frequencies, and the
    imaginary parts except those that are always zero (of frequency 0 and, for even F, of half
    the rate).

    Parameters
    ----------
    signal : array-like of shape (n_samples,)
        The sound; full scale is -1 to 1.
    rate : float
        Samples per second.
    frame : int, default=512
        Samples in a frame.
    hop : int, default=256
        Samples from the start of a frame to the start of the next. Samples at the end that do
        not fill a frame are left out; nothing is padded.
    spectrum : {"complex", "log-magnitude"}, default="complex"
        "complex": the real parts, then the imaginary parts, `frame` columns.
        "log-magnitude": 20·log10 of the magnitudes, in decibels, frame // 2 + 1 columns. Magnitudes
        below that of the rounding noise of 16-bit sound, :math:`2^{-15} \sqrt{\sum w_j^2 / 12}`,
        count as that, so that silence is finite.
    source : str, default="signal"
        What messages and the recording call the sound.
    on_progress : callable, optional
        Called now and then as on_progress(done, total).

    Returns
    -------
    Recording
        One row per frame, `time` the middle of each frame in seconds.

    Examples
    --------
    >>> import numpy as np
    >>> from predfeat.datasets import short_time_spectra
    >>> tone = np.sin(2 * np.pi * 1000 * np.arange(8000) / 8000)
    >>> recording = short_time_spectra(tone, 8000)
    >>> recording.values.shape
    (30, 512)
    >>> recording.names[1], recording.names[-1], recording.step
    ('15.6 Hz real', '3984.4 Hz imaginary', 0.032)
    >>> loudness = short_time_spectra(tone, 8000, spectrum="log-magnitude")
    >>> loudness.names[loudness.values.mean(axis=0).argmax()]
    '1000.0 Hz magnitude'
    """
    check_framing(rate, frame, hop, spectrum)
    samples = _check_signal(signal, source)
    if len(samples) < frame:
        raise DataFileError(
            f"{source} has {len(samples)} samples, fewer than one frame of {frame}. Use a smaller "
            "frame or a longer recording."
        )
    n_frames = 1 + (len(samples) - frame) // hop
    COLUMNS.check(n_columns(frame, spectrum), source)
    check_fits(
        source,
        n_frames * n_columns(frame, spectrum) * 8,
        'Use a larger hop, a lower rate or spectrum="log-magnitude".',
    )
    names, layout = _columns(rate, frame, spectrum)
    values = np.empty((n_frames, len(names)))
    window = np.sin(np.pi * (np.arange(frame) + 0.5) / frame)
    frames = np.lib.stride_tricks.sliding_window_view(samples, frame)[::hop]
    at_once = max(1, _SAMPLES_AT_ONCE // frame)
    for start in range(0, n_frames, at_once):
        stop = min(start + at_once, n_frames)
        transform = np.fft.rfft(frames[start:stop] * window)
        if spectrum == "complex":
            n_real = frame // 2 + 1
            values[start:stop, :n_real] = transform.real
            values[start:stop, n_real:] = transform.imag[:, 1 : (frame + 1) // 2]
        else:
            floor = 2.0**-15 * np.sqrt((window**2).sum() / 12)
            values[start:stop] = 20 * np.log10(np.maximum(np.abs(transform), floor))
        if on_progress is not None:
            on_progress(stop, n_frames)
    time = (np.arange(n_frames) * hop + frame / 2) / rate
    return Recording(values, names, source, layout=layout, time=time, step=hop / rate, unit="s")


def check_framing(rate: float, frame: int, hop: int, spectrum: str) -> None:
    """Refuse invalid options of `short_time_spectra`."""
    validate_parameter_constraints(
        {
            "rate": [Interval(Real, 0, None, closed="neither")],
            "frame": [whole_number(2)],
            "hop": [whole_number(1)],
            "spectrum": [StrOptions({"complex", "log-magnitude"})],
        },
        {"rate": rate, "frame": frame, "hop": hop, "spectrum": spectrum},
        caller_name="short_time_spectra",
    )


def n_columns(frame: int, spectrum: str) -> int:
    """Return how many numbers the spectrum of a frame has, without those that are always zero."""
    return frame // 2 + 1 if spectrum == "log-magnitude" else frame


def _check_signal(signal: Any, source: str) -> Any:
    samples = np.asarray(signal)
    if samples.ndim != 1:
        raise DimensionError(
            f"{source} must be one channel, a 1-D array of samples, but it has shape "
            f"{samples.shape}. Average the channels first."
        )
    if samples.dtype.kind == "c":
        raise ComplexDataError(f"{source} must hold real samples, but it is {samples.dtype}.")
    if samples.dtype.kind not in "biuf":
        raise NotNumericError(f"{source} must hold numbers only, but it is {samples.dtype}.")
    bad = np.flatnonzero(~np.isfinite(samples))
    if bad.size:
        raise DataFileError(
            f"{source} has {bad.size} sample(s) that are not finite, the first at "
            f"{bad[0]}. Cut the recording there or repair it."
        )
    return samples


def _columns(rate: float, frame: int, spectrum: str) -> tuple[tuple[str, ...], Spectrum]:
    frequencies: FloatArray = np.arange(frame // 2 + 1) * np.float64(rate / frame)
    if spectrum == "log-magnitude":
        parts = ["magnitude"] * len(frequencies)
    else:
        inner = frequencies[1 : (frame + 1) // 2]
        parts = ["real"] * len(frequencies) + ["imaginary"] * len(inner)
        frequencies = np.concatenate([frequencies, inner])
    # Enough digits to tell neighbours apart, however long the frames are.
    digits = max(1, 1 - int(np.floor(np.log10(rate / frame))))
    names = [f"{f:.{digits}f} Hz {part}" for f, part in zip(frequencies, parts, strict=True)]
    return tuple(names), Spectrum(frequencies, tuple(parts))
