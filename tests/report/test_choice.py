"""The page of a choice: its figure in light and in dark, and to save."""

import base64
import re

import pytest

from predfeat.datasets import predictable_noise
from predfeat.report import choice_results, render_choice
from predfeat.selection import choose


@pytest.fixture(scope="module")
def page():
    X = predictable_noise(300, 4, random_state=0)
    choice = choose(X, n_lags=(1, 2), n_neighbors=(5, 10), n_components=(1, 2))
    return render_choice(choice, choice_results(choice, "toy.csv", "predfeat choose toy.csv"))


def figure(page, pattern):
    return base64.b64decode(re.search(pattern + r"([\w+/=]+)\"", page).group(1))


def test_the_figure_follows_light_and_dark(page):
    light = figure(page, r'<img class="drawn" src="data:image/svg\+xml;base64,').decode()
    dark = figure(page, r'dark\)" srcset="data:image/svg\+xml;base64,').decode()
    assert "#fcfcfa" in light
    assert "#14171b" in dark
    for drawing, other in ((light, "#14171b"), (dark, "#fcfcfa")):
        assert other not in drawing
    # Lines, letters and ring must stand out from the ground.
    assert "#000000" not in dark
    assert "#e8eaed" in dark


def test_the_figure_can_be_saved(page):
    assert figure(page, r'download="choice.png" href="data:image/png;base64,')[1:4] == b"PNG"
    svg = figure(page, r'download="choice.svg" href="data:image/svg\+xml;base64,')
    assert b"<svg" in svg
    assert len(page) < 1_000_000
