"""Videos: gray, scaled, cut to a window; one row per picture."""

import contextlib

import numpy as np
import pytest

from predfeat.datasets import Image, _opening, read
from predfeat.exceptions import DataFileError, UnevenSamplingWarning

av = pytest.importorskip("av")


def pictures(n_frames=30, height=48, width=64):
    """Return a bright square on its way from left to right."""
    frames = np.full((n_frames, height, width), 30, dtype=np.uint8)
    for i in range(n_frames):
        frames[i, 16:32, i : i + 16] = 220
    return frames


def write_video(path, frames, codec, fps=10, stamps=None, pixels="yuv420p"):
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=fps)
        stream.height, stream.width = frames.shape[1:]
        stream.pix_fmt = pixels
        for i, picture in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.repeat(picture[:, :, None], 3, axis=2), "rgb24")
            if stamps is not None:
                frame.pts = stamps[i]
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


FORMATS = [("a.mp4", "mpeg4"), ("a.avi", "mpeg4"), ("a.mkv", "ffv1"), ("a.gif", "gif")]


@pytest.mark.parametrize(("name", "codec"), FORMATS)
def test_a_video_comes_back_as_gray_pixels(tmp_path, name, codec):
    frames = pictures()
    pixels = "rgb8" if codec == "gif" else "yuv420p"
    path = write_video(tmp_path / name, frames, codec, pixels=pixels)
    seen = []
    recording = read(
        path, height=48, width=64, on_progress=lambda done, total: seen.append(done / total)
    )
    assert recording.layout == Image(48, 64)
    assert recording.values.shape == (30, 48 * 64)
    # Codecs lose a little, 8-bit palettes up to half a step of 1/7.
    found = recording.values.reshape(30, 48, 64)
    assert np.abs(found - frames).mean() < (25 if codec == "gif" else 6)
    assert recording.names[65] == "pixel 2, 2"
    assert recording.step == pytest.approx(0.1, rel=1e-3)
    assert recording.unit == "s"
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.fixture
def video(tmp_path):
    return write_video(tmp_path / "a.mkv", pictures(), "ffv1")


def test_scaling(video):
    assert read(video).layout == Image(27, 36)  # at most 1024 pixels
    assert read(video, height=24).layout == Image(24, 32)
    assert read(video, width=16).layout == Image(12, 16)
    assert read(video, height=10, width=10).layout == Image(10, 10)


def test_a_window_is_cut_from_the_scaled_picture(video):
    whole = read(video, height=24, width=32)
    part = read(video, height=24, width=32, window=(8, 2, 10, 20))
    assert part.layout == Image(10, 20)
    expected = whole.values.reshape(-1, 24, 32)[:, 8:18, 2:22].reshape(len(whole.values), -1)
    np.testing.assert_array_equal(part.values, expected)
    for window in ((0, 0, 25, 32), (-1, 0, 5, 5), (0, 0, 0, 5), (0, 0, 5)):
        with pytest.raises(DataFileError, match="window"):
            read(video, height=24, width=32, window=window)


def test_missing_pictures_are_gaps(tmp_path):
    stamps = [i for i in range(30) if i not in (10, 11)]
    path = write_video(tmp_path / "a.mkv", pictures(28), "ffv1", stamps=stamps)
    recording = read(path)
    assert recording.rows.tolist() == [*range(10), -1, -1, *range(10, 28)]
    assert np.isnan(recording.values[10:12]).all()
    assert len(read(path, jumps="ignore").values) == 28
    uneven = np.cumsum(np.tile([1, 1, 1, 2], 7)) * 2
    uneven[::5] -= 1
    with pytest.warns(UnevenSamplingWarning):
        read(write_video(tmp_path / "b.mkv", pictures(28), "ffv1", fps=20, stamps=uneven.tolist()))


def test_bad_videos_are_explained(video, tmp_path, monkeypatch):
    raw = video.read_bytes()
    (tmp_path / "text.mp4").write_text("this is no video")
    (tmp_path / "cut.mkv").write_bytes(raw[:200])
    for path, options, message in [
        (tmp_path / "text.mp4", {}, "as a video"),
        (tmp_path / "cut.mkv", {}, "video|pictures"),
        (video, {"height": 0}, "height=0"),
        (video, {"time": "t"}, "does not apply to"),
    ]:
        with pytest.raises(DataFileError, match=message):
            read(path, **options)
    assert len(read(write_video(tmp_path / "a.avi", pictures(), "mpeg4")).values) == 30
    monkeypatch.setattr(_opening, "available_memory", lambda: 200_000)
    with pytest.raises(DataFileError, match=r"height and width"):
        read(write_video(tmp_path / "long.mkv", pictures(70, 48, 96), "ffv1"))


@pytest.mark.parametrize("seed", range(3))
def test_damaged_videos_are_read_or_refused(video, tmp_path, seed):
    rng = np.random.default_rng(seed)
    raw = np.frombuffer(video.read_bytes(), dtype=np.uint8)
    for _ in range(10):
        changed = raw.copy()
        changed[rng.integers(0, len(raw), size=20)] = rng.integers(0, 256, size=20)
        (tmp_path / "damaged.mkv").write_bytes(changed[: rng.integers(1, len(raw))].tobytes())
        with contextlib.suppress(DataFileError):
            read(tmp_path / "damaged.mkv", jumps="ignore")
