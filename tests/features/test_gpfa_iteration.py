"""GPFA's iteration: what is recorded, what is printed, when it stops."""

import subprocess
import sys

import numpy as np
import pytest

from predfeat import GPFA
from predfeat.datasets import predictable_noise
from predfeat.features import Settled
from predfeat.features._run import next_iteration
from predfeat.measures import subspace_angles


@pytest.fixture(scope="module")
def X():
    return predictable_noise(300, 6, random_state=0)


def test_history(X):
    model = GPFA(3, max_iter=4, tol=0).fit(X)
    history = model.history_
    assert set(history) == {"eigenvalues", "angle", "seconds"}
    assert history["eigenvalues"].shape == (4, 3)
    assert history["angle"].shape == history["seconds"].shape == (4,)
    np.testing.assert_array_equal(history["eigenvalues"][-1], model.eigenvalues_)
    assert np.isnan(history["angle"][0])
    assert np.isfinite(history["angle"][1:]).all()
    assert np.all(history["seconds"] >= 0)


def test_history_is_that_of_shorter_runs(X):
    options = {"tol": 0, "n_intermediate": 3}
    steps = [GPFA(2, max_iter=n, **options).fit(X) for n in (1, 2, 3)]
    history = steps[-1].history_
    for n, step in enumerate(steps):
        np.testing.assert_array_equal(history["eigenvalues"][n], step.eigenvalues_)
    for n in (1, 2):
        angle = subspace_angles(steps[n - 1], steps[n], X)[0]
        assert history["angle"][n] == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("max_iter", [1, 2, 17])
def test_without_tolerance_all_iterations_are_done(X, max_iter):
    assert GPFA(2, max_iter=max_iter, tol=0).fit(X).n_iter_ == max_iter


def test_it_stops_where_nothing_improves(X):
    model = GPFA(2).fit(X)
    assert 6 < model.n_iter_ < model.max_iter == 50
    # Stopping is all that the tolerance does.
    forced = GPFA(2, max_iter=model.n_iter_, tol=0).fit(X)
    np.testing.assert_array_equal(model.components_, forced.components_)
    # And it is not too early: going on does not lead elsewhere.
    longer = GPFA(2, tol=0).fit(X)
    assert subspace_angles(model, longer, X)[0] < 5.0


def test_a_wider_tolerance_stops_no_later(X):
    counts = [GPFA(2, tol=tol, max_iter=60).fit(X).n_iter_ for tol in (1e-6, 1e-3, 0.5)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < 60


def test_a_deterministic_series_settles():
    # Eigenvalues at the rounding level: their noise is no improvement.
    t = np.arange(400)
    X = np.column_stack([np.sin(0.31 * t), np.cos(0.31 * t), np.sin(1.7 * t)])
    model = GPFA(2, n_neighbors=5, max_iter=50).fit(X)
    assert model.n_iter_ < 50
    assert np.isfinite(model.components_).all()


def test_verbose_logs_a_line_for_each_iteration(X, caplog):
    GPFA(2, max_iter=3, tol=0).fit(X)
    assert caplog.messages == []
    model = GPFA(2, max_iter=3, tol=0, verbose=1).fit(X)
    assert len(caplog.messages) == 3
    for n, line in enumerate(caplog.messages, start=1):
        objective = model.history_["eigenvalues"][n - 1].sum()
        assert f"iteration {n}/3" in line
        assert f"objective {objective:.6g}" in line


def test_verbose_is_seen_where_no_logging_was_set_up():
    code = (
        "import numpy as np; from predfeat import GPFA; "
        "X = np.random.default_rng(0).normal(size=(60, 3)); "
        "GPFA(1, max_iter=2, tol=0).fit(X); GPFA(1, max_iter=2, tol=0, verbose=1).fit(X)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [line[:26] for line in done.stderr.splitlines()] == ["[predfeat] GPFA, iteration"] * 2
    assert done.stdout == ""


class TestSettled:
    """The rule itself, on made-up objectives and angles."""

    @staticmethod
    def steps_until_settled(objectives, angles, tol):
        # Each space is a line, turned by the angle towards a direction where none was before.
        lines = [np.eye(len(angles))[0]]
        for n, angle in enumerate(np.radians(angles[1:]), start=1):
            lines.append(np.cos(angle) * lines[-1] + np.sin(angle) * np.eye(len(angles))[n])
        return TestSettled.steps_among(lines, objectives, tol)

    @staticmethod
    def steps_among(lines, objectives, tol):
        iterations = []
        for objective, line in zip(objectives, lines, strict=True):
            space = np.reshape(line, (-1, 1))
            iterations.append(next_iteration(iterations, space, np.array([objective]), 0.0))
            if Settled(tol)(iterations):
                return len(iterations)
        return None

    def test_flat(self):
        # The first iteration is no standard, one more is; then five without improvement.
        assert self.steps_until_settled([1.0] * 20, [np.nan] + [2.0] * 19, 1e-3) == 7

    def test_never_without_tolerance(self):
        assert self.steps_until_settled([1.0] * 20, [np.nan] + [2.0] * 19, 0.0) is None

    def test_a_falling_objective_goes_on(self):
        falling = [0.99**n for n in range(20)]
        assert self.steps_until_settled(falling, [np.nan] + [2.0] * 19, 1e-3) is None
        # With a tolerance above what five such steps gain, it is flat.
        assert self.steps_until_settled(falling, [np.nan] + [2.0] * 19, 0.1) == 7

    def test_a_falling_angle_goes_on(self):
        falling = [np.nan] + [0.98**n for n in range(19)]
        assert self.steps_until_settled([1.0] * 20, falling, 1e-3) is None
        assert self.steps_until_settled([1.0] * 20, falling, 0.1) == 7

    def test_worse_is_no_improvement(self):
        rising = [1.0 + 0.1 * n for n in range(20)]
        assert self.steps_until_settled(rising, [np.nan, *rising[1:]], 1e-3) == 7

    def test_the_first_iteration_is_no_standard(self):
        # The first objective belongs to another space: lower, and never reached again.
        objectives = [0.1, *(0.9**n for n in range(19))]
        assert self.steps_until_settled(objectives, [np.nan] + [2.0] * 19, 1e-3) is None

    def test_a_space_that_still_turns_has_not_settled(self):
        # Above 45 degrees a feature is still missing, however long nothing improved.
        assert self.steps_until_settled([1.0] * 20, [np.nan] + [80.0] * 19, 1e-3) is None
        assert self.steps_until_settled([1.0] * 20, [np.nan] + [40.0] * 19, 1e-3) == 7

    @pytest.mark.parametrize("period", [2, 3])
    def test_going_to_and_fro_is_settled(self, period):
        # The same few spaces again and again, each far from the last.
        corners = np.eye(3)[np.arange(30) % period]
        assert self.steps_among(corners, [1.0] * 30, 1e-3) is not None
        # But not where each corner is another one every time.
        apart = np.zeros((30, 33))
        apart[:, :3] = corners
        apart[np.arange(30), np.arange(30) + 3] = 1.0
        assert self.steps_among(apart, [1.0] * 30, 1e-3) is None
