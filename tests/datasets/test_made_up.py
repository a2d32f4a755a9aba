"""Sounds and pictures that are made up, and pictures of simulators."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from predfeat import SFA, RandomFeatures
from predfeat.datasets import (
    SOUNDSCAPES,
    _sprites,
    busiest_window,
    game_frames,
    moving_sprites,
    short_time_spectra,
    synthetic_soundscape,
)
from predfeat.exceptions import DataFileError, MissingLibraryError
from predfeat.measures import predictability


@pytest.mark.parametrize("kind", SOUNDSCAPES)
def test_a_seed_decides_a_soundscape(kind):
    one, same, other = (synthetic_soundscape(kind, 1.0, random_state=s) for s in (1, 1, 2))
    assert one.shape == (22_050,)
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert np.abs(one).max() == pytest.approx(0.9)
    # No stretch of silence: every frame has a spectrum of its own.
    assert short_time_spectra(one, 22_050).values.std(axis=1).min() > 0


def test_soundscapes_differ_in_what_they_hold():
    loud = {}
    for kind in SOUNDSCAPES:
        spectra = short_time_spectra(synthetic_soundscape(kind, 4.0), 22_050)
        power = (spectra.values**2).mean(axis=0)
        high = spectra.layout.frequencies > 1800
        loud[kind] = power[high].sum() / power.sum()
    assert loud["forest"] > 3 * loud["piano"]


def test_soundscapes_refuse_what_they_do_not_know():
    with pytest.raises(ValueError, match="kind"):
        synthetic_soundscape("sea", 1.0)
    with pytest.raises(ValueError, match="seconds"):
        synthetic_soundscape("bar", 0)


def test_sprites_move_and_a_seed_decides_how():
    one, same, other = (moving_sprites(300, random_state=s).values for s in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert one.min() >= 0
    assert one.max() <= 255
    moved = np.abs(np.diff(one, axis=0)).max(axis=1)
    assert (moved > 1).mean() > 0.9


def test_sprites_drawn_in_blocks_are_the_same(monkeypatch):
    whole = moving_sprites(100).values
    monkeypatch.setattr(_sprites, "_FRAMES_AT_ONCE", 7)
    assert np.array_equal(moving_sprites(100).values, whole)


def test_sprites_can_be_predicted():
    values = moving_sprites(3000, size=12).values
    train, test = values[:2000], values[2000:]
    found = {}
    for model in (
        SFA(2, pca_components=0.99),
        RandomFeatures(2, pca_components=0.99, random_state=0),
    ):
        features = model.fit(train).transform(test)
        found[type(model).__name__] = predictability(features, relative=True)
    assert found["SFA"] < 0.5 * found["RandomFeatures"]


def naive_busiest(pictures, height, width):
    changes = np.nansum(np.abs(np.diff(pictures, axis=0)), axis=0)
    sums = {
        (top, left): changes[top : top + height, left : left + width].sum()
        for top in range(changes.shape[0] - height + 1)
        for left in range(changes.shape[1] - width + 1)
    }
    return (*max(sums, key=sums.get), height, width)


def test_the_busiest_window_by_trying_all(seed):
    random = np.random.default_rng(seed)
    pictures = random.normal(size=(6, 9, 11)) * random.uniform(size=(9, 11)) ** 4
    pictures[3] = np.nan
    assert busiest_window(pictures, 3, 4) == naive_busiest(pictures, 3, 4)


def test_a_window_is_never_larger_than_the_pictures():
    assert busiest_window(np.zeros((2, 3, 4)), 20, 20) == (0, 0, 3, 4)


class FakeGame:
    """Pictures that count the steps; an episode ends after seven."""

    def __init__(self):
        self.closed = False
        self.count = self.in_episode = 0
        self.action_space = SimpleNamespace(seed=lambda seed: None, sample=lambda: 0)

    def reset(self, seed=None):
        self.in_episode = 0
        return None, {}

    def step(self, action):
        self.count += 1
        self.in_episode += 1
        return None, 0.0, self.in_episode == 7, False, {}

    def render(self):
        picture = np.zeros((60, 80, 3), dtype=np.uint8)
        picture[20:40, 30:50] = self.count
        return picture

    def close(self):
        self.closed = True


@pytest.fixture
def game(monkeypatch):
    played = FakeGame()
    fake = ModuleType("gymnasium")
    fake.error = SimpleNamespace(Error=KeyError)

    def make(name, render_mode):
        if name == "Nowhere-v0":
            raise KeyError("no such environment")
        assert render_mode == "rgb_array"
        return played

    fake.make = make
    monkeypatch.setitem(sys.modules, "gymnasium", fake)
    return played


def test_frames_are_gray_shrunk_cut_and_in_episodes(game):
    recording = game_frames("Counting-v0", 20, size=10)
    assert recording.values.shape == (20, 100)
    # Shrunk by half, the moving square is 10 × 10 pixels at (10, 15).
    assert np.allclose(recording.values, np.arange(1, 21)[:, None])
    assert recording.groups.tolist() == [0] * 7 + [1] * 7 + [2] * 6
    assert "row 10, column 15" in recording.notes[0]
    assert game.closed


def test_a_given_window_is_taken_and_checked(game):
    recording = game_frames("Counting-v0", 3, window=(0, 0, 2, 3))
    assert recording.values.tolist() == [[0.0] * 6] * 3
    with pytest.raises(DataFileError, match="does not lie inside the shrunken picture"):
        game_frames("Counting-v0", 3, window=(25, 0, 10, 10))
    assert game.closed


def test_an_unknown_game_is_a_named_error(game):
    with pytest.raises(DataFileError, match=r"Nowhere-v0 cannot be played: .*no such environment"):
        game_frames("Nowhere-v0", 3)


def test_a_game_without_pictures_is_a_named_error(game, monkeypatch):
    monkeypatch.setattr(game, "render", lambda: None)
    with pytest.raises(DataFileError, match="draws no colour pictures"):
        game_frames("Counting-v0", 3)


@pytest.mark.parametrize(("missing", "name"), [("gymnasium", "X-v0"), ("ale_py", "ALE/X-v5")])
def test_a_missing_library_names_the_extra(game, monkeypatch, missing, name):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingLibraryError, match=r"pip install \"predfeat\[games\]\""):
        game_frames(name, 3)


def test_a_real_game_is_the_same_twice():
    pytest.importorskip("gymnasium")
    pytest.importorskip("ale_py")
    one, two = (game_frames("ALE/Riverraid-v5", 60, window=(30, 40, 20, 20)) for _ in range(2))
    assert np.array_equal(one.values, two.values)
    assert np.ptp(one.values, axis=0).max() > 0
