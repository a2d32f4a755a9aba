"""What the page says and draws of features that are no weighted sums."""

import re

import numpy as np
import pytest

from predfeat.datasets import Image, Recording
from predfeat.experiments import compare_on_recording
from predfeat.features import sensitivity
from predfeat.report import check_results, render, results_of
from predfeat.report._contents import SCHEMA
from predfeat.report._loadings import relative


def words_below_pictures(page):
    return re.findall(r'base64,[^>]*><p class="under">([^<]*)<', page)


@pytest.fixture(scope="module")
def study():
    """Pictures of 4 × 5 pixels: how strongly one of them flickers changes slowly."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 20))
    X[:, 7] = rng.choice([-1, 1], 900) * (1.5 + np.sin(0.05 * np.arange(900)))
    recording = Recording(X, tuple(map(str, range(20))), "flicker", layout=Image(4, 5))
    options = {"n_components": 1, "n_repetitions": 2, "pca_components": 20}
    return compare_on_recording(recording, ["SFA + quadratic"], **options)


def test_it_is_shown_where_a_feature_is_high_and_low_and_what_it_responds_to(study):
    results = results_of(study)
    check_results(results, SCHEMA)
    loadings, frames = results["loadings"], study.recording.values.reshape(-1, 4, 5)
    found = sensitivity(study.model, study.recording.values)
    np.testing.assert_allclose(loadings["patterns"][0], found.responses.reshape(4, 5), rtol=1e-3)
    assert np.argmax(loadings["patterns"]) == 7
    for key, row in (
        ("frames", np.argmax(study.features[:, 0])),
        ("low_frames", np.argmin(study.features[:, 0])),
    ):
        np.testing.assert_allclose(loadings[key][0], frames[row], rtol=1e-3)
    assert loadings["filters"] == []  # no weights read it
    page = render(results)
    assert words_below_pictures(page) == [
        "a frame where it is high",
        "a frame where it is low",
        "responds to these pixels",
    ]
    assert "by their correlation with it" not in page


def test_its_sentence_names_the_pixel_whatever_the_size_of_the_responses(study):
    (said,) = results_of(study)["features"]["descriptions"]
    assert said.startswith("the top centre of the picture")


def test_results_of_before_have_frames_of_one_kind_and_pictures_twice(study):
    results = results_of(study)
    del results["loadings"]["low_frames"]
    results["loadings"]["filters"] = results["loadings"]["patterns"]
    assert words_below_pictures(render(results)) == [
        "a frame where it is high",
        "responds to these pixels",
    ]


def test_responses_become_shares_of_the_largest():
    shares = relative(np.array([[2.0, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_array_equal(shares, [[1.0, 0.25, 0.0], [0.0, 0.0, 0.0]])
